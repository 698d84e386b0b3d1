//! `secchi serve`: access control, lists, reports, and runs in progress compared with their records.

use crate::support::{Ended, PATIENCE, Run, Running, Sandbox, Secchi, beside, eventually, print_of, skip, tool};
use crate::team::secchi;
use rustix::process::Signal;
use serde_json::Value;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};
use testkit::postgres::{Database, OTHER_PASSWORD, PASSWORD, Server, find_programs};

/// A running server, on its own port.
pub struct Dashboard {
    running: Running,
    pub address: SocketAddr,
    pub token: String,
}

/// Parsed HTTP response.
struct Answer {
    status: u16,
    head: String,
    body: String,
}

impl Answer {
    fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|e| panic!("{e}: {}", self.body))
    }
}

impl Dashboard {
    pub fn start(sandbox: &Sandbox, words: &str) -> Dashboard {
        Dashboard::start_for(&sandbox.secchi(&format!("serve --listen 127.0.0.1:0 {words}")))
    }

    /// Starts a server for a team's store.
    pub fn of_team(sandbox: &Sandbox, url: &str) -> Dashboard {
        let mut secchi = Secchi::new(&sandbox.path("home"));
        Dashboard::start_for(secchi.words("serve --listen 127.0.0.1:0 --store").arg(url))
    }

    fn start_for(secchi: &Secchi) -> Dashboard {
        let running = secchi.start();
        let said = eventually(PATIENCE, || running.stdout().contains('\n'));
        let line = running.stdout();
        assert!(said, "it says where it is: {line}{}", running.stderr());
        let (_, rest) = line.split_once("://").expect("an address");
        let (address, rest) = rest.split_once("/?token=").expect("a token");
        let token = rest.split(' ').next().expect("its end").to_owned();
        Dashboard { running, address: address.parse().expect("an address"), token }
    }

    /// Sends raw bytes and returns the response.
    fn raw(&self, request: &str) -> Answer {
        let mut stream = TcpStream::connect(self.address).expect("it listens");
        stream.set_read_timeout(Some(PATIENCE)).expect("a time");
        // The server may close the connection before everything is sent.
        let _ = stream.write_all(request.as_bytes());
        let mut bytes = Vec::new();
        let _ = stream.read_to_end(&mut bytes);
        let text = String::from_utf8_lossy(&bytes);
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
        let status = head.split(' ').nth(1).and_then(|s| s.parse().ok()).unwrap_or(0);
        Answer { status, head: head.to_lowercase(), body: body.to_owned() }
    }

    /// Sends a GET request with the token.
    fn get(&self, path: &str) -> Answer {
        self.raw(&format!(
            "GET {path} HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {}\r\n\r\n",
            self.address, self.token
        ))
    }

    /// Sends a request without the token.
    fn with(&self, method: &str, path: &str, headers: &str) -> Answer {
        self.raw(&format!("{method} {path} HTTP/1.1\r\n{headers}\r\n"))
    }

    fn host(&self) -> String {
        format!("Host: {}\r\n", self.address)
    }

    pub fn end(self) {
        self.running.signal(Signal::TERM);
        let ended = self.running.wait(PATIENCE);
        assert_eq!((ended.code, ended.stderr.as_str()), (0, ""));
    }
}

/// Performs a run in the store of the sandbox, and returns it as `--json` prints it.
pub fn kept(sandbox: &Sandbox, name: &str) -> Run {
    let ended = fio(sandbox, name, "--runtime=1").run();
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    sandbox.newest().expect("it is kept")
}

pub fn fio(sandbox: &Sandbox, name: &str, words: &str) -> Secchi {
    let mut secchi = Secchi::new(&sandbox.path("home"));
    secchi.words("fio --store").arg(sandbox.store()).arg(format!("--directory={}", sandbox.data().display()));
    secchi.arg(format!("--name={name}")).words("--rw=randread --bs=4k --size=16m --time_based").words(words);
    secchi
}

#[test]
fn nobody_gets_in_without_the_token_and_nothing_can_be_changed() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    let run = kept(&sandbox, "r");
    let journal = sandbox.store().join("runs").join(format!("{}.journal", run.record.id));
    let before = print_of(&journal);
    let up = Dashboard::start(&sandbox, "");
    let (host, bearer) = (up.host(), format!("Authorization: Bearer {}\r\n", up.token));
    let paths = ["/", "/api/runs", "/nowhere", &format!("/run/{}", run.record.id), "/api/figures?run=x"];
    for path in paths {
        let response = up.with("GET", path, &host);
        assert_eq!(response.status, 401, "{path}");
        assert!(
            !response.body.contains(&run.record.id) && response.head.contains("www-authenticate: bearer"),
            "{}",
            response.head
        );
        assert_eq!(up.with("GET", path, &format!("{host}Authorization: Bearer {}\r\n", "0".repeat(32))).status, 401);
        let foreign = format!("Host: evil.example:{}\r\n{bearer}", up.address.port());
        assert_eq!(up.with("GET", path, &foreign).status, 403, "{path}");
        assert_eq!(up.with("GET", path, &format!("{host}{bearer}Origin: http://evil.example\r\n")).status, 403);
        assert_eq!(up.with("GET", path, &format!("{host}{bearer}Origin: null\r\n")).status, 403);
        for method in ["POST", "PUT", "DELETE", "PATCH", "OPTIONS"] {
            let response = up.with(method, path, &format!("{host}{bearer}"));
            assert_eq!(response.status, 405, "{method} {path}");
            assert!(response.head.contains("allow: get, head"), "{}", response.head);
        }
    }
    assert_eq!(up.with("GET", "/", &bearer).status, 400, "without a host");
    assert_eq!(up.with("GET", "http://evil.example/", &format!("{host}{bearer}")).status, 400, "as a proxy");
    assert_eq!(up.with("POST", "/", &format!("{host}{bearer}Content-Length: 9999999\r\n")).status, 405);
    assert_eq!(up.with("GET", "/", &format!("{host}{bearer}Content-Length: 9999999\r\n")).status, 413);
    for path in
        ["/../../etc/passwd", "/run/../../index.sqlite", "/run/..%2f..%2findex.sqlite", "/runs", "/%00", "//etc"]
    {
        assert_eq!(up.get(path).status, 404, "{path}");
    }
    let long = format!("{host}{bearer}X: {}\r\n", "a".repeat(1 << 20));
    assert!(matches!(up.with("GET", "/", &long).status, 0 | 431));
    // Access with a header, and with the printed address, which sets a cookie and drops the token.
    let response = up.get("/");
    assert_eq!(response.status, 200, "{}", response.head);
    for header in
        ["content-security-policy: default-src 'none'", "frame-ancestors 'none'", "x-content-type-options: nosniff"]
    {
        assert!(response.head.contains(header), "{header}: {}", response.head);
    }
    let response = up.with("GET", &format!("/?token={}&q=r", up.token), &host);
    assert_eq!(response.status, 303);
    assert!(response.head.contains("location: /?q=r\r\n"), "{}", response.head);
    let cookie = response.head.lines().find_map(|l| l.strip_prefix("set-cookie: ")).expect("a cookie").to_owned();
    assert!(cookie.contains("; httponly; samesite=strict; path=/"), "{cookie}");
    let cookie = cookie.split(';').next().expect("its value");
    assert_eq!(up.with("GET", "/", &format!("{host}Cookie: {cookie}\r\n")).status, 200);
    assert_eq!(up.with("GET", "/", &format!("{host}Cookie: {cookie}0\r\n")).status, 401);
    up.end();
    assert_eq!(print_of(&journal), before, "the journal is as it was");
    // Each start creates a new token.
    let again = Dashboard::start(&sandbox, "");
    assert_eq!(again.with("GET", "/", &format!("{}{bearer}", again.host())).status, 401);
    again.end();
}

#[test]
fn slow_clients_keep_nobody_waiting() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    kept(&sandbox, "r");
    let up = Dashboard::start(&sandbox, "");
    let slow: Vec<TcpStream> = (0..50)
        .map(|_| {
            let mut stream = TcpStream::connect(up.address).expect("it listens");
            stream.write_all(b"GET / HTTP/1.1\r\nHost:").expect("it reads");
            stream
        })
        .collect();
    assert_eq!(up.get("/").status, 200);
    let since = Instant::now();
    for mut stream in slow {
        stream.set_read_timeout(Some(PATIENCE)).expect("a time");
        let _ = stream.read_to_end(&mut Vec::new());
    }
    assert!(since.elapsed() < PATIENCE, "they were sent away");
    up.end();
}

#[test]
fn runs_are_listed_searched_compared_and_reported_as_the_commands_do() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    let hostile = "<img src=x onerror=alert(1)>";
    let (one, two) = (kept(&sandbox, "first"), kept(&sandbox, hostile));
    let (a, b) = (&one.record.id, &two.record.id);
    let up = Dashboard::start(&sandbox, "");
    let listed = up.get("/api/runs").json();
    assert_eq!((&listed["total"], &listed["runs"][0]["id"]), (&2.into(), &b.as_str().into()), "newest first");
    let page = up.get("/");
    assert!(page.body.contains(&format!("/run/{a}")) && page.body.contains(&format!("/run/{b}")));
    assert!(!page.body.contains("<img"), "names are text");
    assert_eq!(up.get(&format!("/api/runs?q={}%20FIO", &a[..8])).json()["matched"], 1);
    assert_eq!(up.get("/api/runs?q=no-such-word").json()["matched"], 0);
    let second = up.get("/api/runs?per=1&page=2").json();
    assert_eq!((&second["runs"][0]["id"], &second["pages"]), (&a.as_str().into(), &2.into()));
    let figures = up.get(&format!("/api/figures?run={a}")).json();
    assert_eq!(figures["figures"][a.as_str()]["iops"].as_f64(), rate(&one));
    // The same document; the pages differ only in the link to the start page.
    let document: Run = serde_json::from_str(&up.get(&format!("/api/run/{a}")).body).expect("a run");
    assert_eq!(document, one);
    for (path, words) in [(format!("/run/{b}"), b.clone()), (format!("/compare?run={a}&run={b}"), format!("{a} {b}"))] {
        let written = sandbox.secchi(&format!("report {words} -f html")).run();
        assert_eq!(written.code, 0, "{}", written.stderr);
        let served = up.get(&path).body.replace("<a href=\"/\">‹ secchi</a>", "secchi");
        assert!(served == written.stdout, "{path}: {} and {} bytes", served.len(), written.stdout.len());
    }
    for bad in ["/compare", &format!("/compare?run={a}"), &format!("/compare?run={a}&run={a}"), "/compare?run=x&run=y"]
    {
        assert_eq!(up.get(bad).status, 400, "{bad}");
    }
    assert_eq!(up.get("/run/00000000-0000-4000-8000-000000000000").status, 404);
    assert_eq!(up.get("/api/run/00000000-0000-4000-8000-000000000000/live").status, 404);
    up.end();
}

/// Returns the rate of a run, or `None` if other load disturbed it.
fn rate(run: &Run) -> Option<f64> {
    let level = &run.judgement.patterns[0].levels[0];
    assert!(level.struck.is_some() || level.iops.value > 0.0);
    level.struck.is_none().then_some(level.iops.value)
}

/// Returns the ids that a search finds through the API.
fn found(up: &Dashboard, typed: &str) -> Vec<String> {
    let listed = up.get(&format!("/api/runs?q={}", encoded(typed))).json();
    let runs = listed["runs"].as_array().unwrap_or_else(|| panic!("{typed}: {listed}"));
    runs.iter().filter_map(|r| r["id"].as_str()).map(str::to_owned).collect()
}

fn encoded(text: &str) -> String {
    text.bytes().map(|b| format!("%{b:02X}")).collect()
}

/// Asserts that filters in the search field find the runs that `secchi runs --where` lists, and that invalid filters
/// give the same error.
fn searches(up: &Dashboard, command: impl Fn(&str) -> Ended) {
    let filters = [
        "bs=4k",
        "bs=8k",
        "workload=first",
        "not workload=first",
        "since 1d and pattern=randread",
        "iops>1 and took<1h",
    ];
    for filter in filters {
        let listed = command(filter);
        assert_eq!(listed.code, 0, "{}", listed.stderr);
        let listed: Vec<String> = listed.stdout.lines().map(str::to_owned).collect();
        assert_eq!(found(up, filter), listed, "{filter}");
        let page = up.get(&format!("/?q={}", encoded(filter)));
        assert_eq!((page.status, page.body.contains("data-filter")), (200, true), "{filter}");
        assert!(listed.iter().all(|id| page.body.contains(id)), "{filter}");
    }
    for wrong in ["bs=8q", "blocksize=8k", "bs=4k and", "(bs=4k"] {
        let said = command(wrong);
        assert_eq!(said.code, 64, "{wrong}");
        let (_, clause) = said.stderr.trim().split_once("--where: ").expect("it says of what");
        let response = up.get(&format!("/api/runs?q={}", encoded(wrong)));
        assert_eq!((response.status, response.json()["error"].as_str()), (400, Some(clause)));
        let page = up.get(&format!("/?q={}", encoded(wrong)));
        let escaped = clause.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
        assert!(page.status == 200 && page.body.contains(&escaped), "{wrong}: {}", page.head);
    }
    assert_eq!(up.get(&format!("/api/runs?q={}", "x".repeat(1001))).status, 400, "not cut, but refused");
}

#[test]
fn a_search_may_be_a_filter_and_a_wrong_one_is_told_as_the_command_tells_it() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    let (one, two) = (kept(&sandbox, "first"), kept(&sandbox, "second"));
    let up = Dashboard::start(&sandbox, "");
    searches(&up, |filter| sandbox.secchi("runs --ids").arg("--where").arg(filter).run());
    assert_eq!(found(&up, "workload=first"), std::slice::from_ref(&one.record.id));
    let fio = [&two, &one].map(|r| r.record.id.clone());
    assert_eq!(found(&up, "fio"), fio, "words are words");
    // The order also holds for runs of the same second.
    let ids = sandbox.secchi("runs --ids").run().stdout;
    assert_eq!(ids.lines().collect::<Vec<_>>(), fio);
    up.end();
}

#[test]
fn runs_of_a_team_are_listed_searched_compared_and_reported_by_whoever_may_read_them() {
    let _beside = beside();
    for database in Database::on_each_server() {
        let sandbox = Sandbox::new();
        let url = database.url_of_owner();
        assert_eq!(secchi(&sandbox, "runs init", &url).code, 0);
        for name in ["first", "second"] {
            let words = "--rw=randread --bs=4k --size=4m --number_ios=300 --ioengine=psync --output=/dev/null";
            let data = sandbox.data().display().to_string();
            let ended = secchi(&sandbox, &format!("fio --name={name} --directory={data} {words}"), &url);
            assert!(ended.code == 0 && !ended.stderr.contains("runs push"), "{}", ended.stderr);
        }
        let ids: Vec<String> = secchi(&sandbox, "runs --ids", &url).stdout.lines().map(str::to_owned).collect();
        let (b, a) = (&ids[0], &ids[1]);
        assert_eq!(secchi(&sandbox, &format!("runs tag {a} +nightly"), &url).code, 0);
        let before = database.row_versions();
        let up = Dashboard::of_team(&sandbox, &database.grant_read_to_bob());
        let page = up.get("/");
        assert!(page.status == 200 && page.body.contains("runs in progress are not listed here"), "{}", page.head);
        assert!(!page.body.contains(OTHER_PASSWORD) && page.body.contains("postgres://bob:***@"), "by its name");
        let listed = up.get("/api/runs").json();
        assert_eq!((&listed["total"], &listed["runs"][0]["id"]), (&2.into(), &b.as_str().into()), "newest first");
        assert_eq!(found(&up, "fio complete"), ids);
        searches(&up, |filter| {
            Secchi::new(&sandbox.path("home")).words("runs --ids --store").arg(&url).arg("--where").arg(filter).run()
        });
        let figures = up.get(&format!("/api/figures?run={a}&run={b}")).json();
        let document: Run = serde_json::from_str(&up.get(&format!("/api/run/{a}")).body).expect("a run");
        assert_eq!(document, secchi(&sandbox, &format!("show --json {a}"), &url).json());
        assert_eq!(figures["figures"][a.as_str()]["iops"].as_f64(), rate(&document), "{figures}");
        for (path, words) in
            [(format!("/run/{a}"), a.clone()), (format!("/compare?run={b}&run={a}"), format!("{b} {a}"))]
        {
            let written = secchi(&sandbox, &format!("report {words} -f html"), &url);
            assert_eq!(written.code, 0, "{}", written.stderr);
            let served = up.get(&path).body.replace("<a href=\"/\">‹ secchi</a>", "secchi");
            assert!(served == written.stdout, "{path}: {} and {} bytes", served.len(), written.stdout.len());
        }
        assert_eq!(up.get("/run/00000000-0000-4000-8000-000000000000").status, 404);
        assert_eq!(up.get(&format!("/api/run/{a}/live")).status, 404);
        up.end();
        assert_eq!(database.row_versions(), before, "no row was touched");
    }
}

#[test]
fn a_database_that_goes_away_is_said_and_is_there_again_by_itself() {
    let _beside = beside();
    for bin in find_programs() {
        let sandbox = Sandbox::new();
        let server = Arc::new(Server::start_own(&bin, "listen_addresses = ''\n", "", &[]).expect("it starts"));
        let database = Database::new_on(&server);
        assert_eq!(secchi(&sandbox, "runs init", &database.url_of_owner()).code, 0);
        let up = Dashboard::of_team(&sandbox, &database.url_of_owner());
        assert_eq!(up.get("/").status, 200);
        server.stop();
        assert!(eventually(PATIENCE, || up.get("/").status == 503));
        let page = up.get("/");
        assert!(page.body.contains("The run database does not respond.") && !page.body.contains(PASSWORD));
        let response = up.get("/api/runs");
        let error = response.json()["error"].as_str().unwrap_or_default().to_owned();
        assert!(
            response.status == 503 && error.contains("cannot reach the run store") && !error.contains(PASSWORD),
            "{error}"
        );
        let id = "00000000-0000-4000-8000-000000000000";
        for path in [format!("/run/{id}"), format!("/api/run/{id}"), format!("/api/figures?run={id}")] {
            assert_eq!(up.get(&path).status, 503, "{path}: whether there is one nobody knows");
        }
        assert_eq!(up.get("/nowhere").status, 404, "what needs no database is answered");
        server.start();
        assert!(eventually(PATIENCE, || up.get("/").status == 200));
        assert_eq!(up.get("/api/runs").json()["total"], 0);
        up.end();
    }
}

/// Polls the live data of a run until it is over or `until` returns `true`. Returns the received seconds and the last
/// response.
fn followed(up: &Dashboard, id: &str, mut until: impl FnMut(&Value) -> bool) -> (Vec<Value>, Value) {
    let (mut seconds, mut from, mut last) = (Vec::new(), String::new(), Value::Null);
    let over = eventually(PATIENCE, || {
        let response = up.get(&format!("/api/run/{id}/live?from={from}"));
        assert_eq!(response.status, 200, "{}", response.body);
        last = response.json();
        seconds.extend(last["seconds"].as_array().expect("seconds").iter().cloned());
        from = last["next"].as_str().expect("a place").to_owned();
        until(&last) || (last["state"] != "running" && last["behind"] == false)
    });
    assert!(over, "{last}");
    (seconds, last)
}

/// Returns the run in progress, according to the list.
pub fn in_progress(up: &Dashboard) -> String {
    let mut id = None;
    let begun = eventually(PATIENCE, || {
        let listed = up.get("/api/runs?q=running").json();
        id = listed["runs"][0]["id"].as_str().map(str::to_owned);
        id.is_some()
    });
    assert!(begun, "a run in progress is listed");
    id.expect("just found")
}

#[test]
fn a_run_in_progress_is_told_second_by_second_and_adds_up_to_its_record() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    kept(&sandbox, "before");
    let up = Dashboard::start(&sandbox, "");
    // Two jobs in parallel: each second covers both.
    let running = fio(&sandbox, "r", "--runtime=4 --numjobs=2").start();
    let id = in_progress(&up);
    let page = up.get(&format!("/run/{id}"));
    assert!(page.body.contains("id=\"charts\"") && page.body.contains(&id), "{}", page.head);
    let mut grew = 0;
    let (mut seconds, _) = followed(&up, &id, |news| {
        grew += usize::from(news["seconds"].as_array().is_some_and(|s| !s.is_empty()));
        false
    });
    assert_eq!(running.wait(PATIENCE).code, 0);
    assert!(grew >= 2, "{grew} answers had something new");
    let run = sandbox.newest().expect("it is kept");
    assert_eq!(run.record.id, id);
    // Polled again from the beginning, the result is the same.
    let (again, last) = followed(&up, &id, |_| false);
    assert_eq!((again.len(), &last["state"]), (seconds.len(), &"complete".into()));
    seconds.retain(|s| s[12] == 1);
    let streamed: u64 = seconds.iter().filter_map(|s| s[2].as_u64()).sum();
    let counted: u64 = run.record.steps.iter().map(|s| s.total().data_ops()).sum();
    assert_eq!(streamed, counted, "every operation of every job, once");
    assert!(last["doubts"].is_array() && last["counters"].is_array());
    let report = up.get(&format!("/run/{id}"));
    assert!(report.body.contains("Storage report"), "the same address is its report now");
    up.end();
}

#[test]
fn a_killed_run_is_said_to_be_one() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    kept(&sandbox, "before");
    let up = Dashboard::start(&sandbox, "");
    let running = fio(&sandbox, "r", "--runtime=60").start();
    let id = in_progress(&up);
    let (_, last) = followed(&up, &id, |news| news["seconds"].as_array().is_some_and(|s| !s.is_empty()));
    assert_eq!((&last["state"], &last["doing"]), (&"running".into(), &"measure".into()), "{last}");
    assert!(last["left"].as_f64().is_some_and(|left| left > 1.0 && left <= 60.0), "{last}");
    running.signal(Signal::KILL);
    let (_, last) = followed(&up, &id, |_| false);
    assert_eq!(last["state"], "interrupted", "{last}");
    let listed = up.get("/api/runs?q=interrupted").json();
    assert_eq!(listed["runs"][0]["id"], id.as_str());
    let report = up.get(&format!("/run/{id}")).body;
    assert!(report.contains("killed after"), "the report says so, too: {report}");
    // Viewing the run does not prevent its removal.
    assert_eq!(sandbox.secchi(&format!("rm {id}")).run().code, 0);
    // Simultaneous requests share one reading of the run.
    assert!(eventually(PATIENCE, || up.get(&format!("/api/run/{id}/live")).status == 404));
    up.end();
}

#[test]
fn an_empty_store_a_damaged_journal_and_a_store_that_is_gone_are_said_plainly() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    std::fs::create_dir_all(sandbox.store().join("runs")).expect("ours");
    let up = Dashboard::start(&sandbox, "--lang en");
    let page = up.get("/");
    assert!(page.status == 200 && page.body.contains("No runs are stored yet."), "{}", page.head);
    let run = kept(&sandbox, "r");
    let journal: PathBuf = sandbox.store().join("runs").join(format!("{}.journal", run.record.id));
    let whole = std::fs::read(&journal).expect("ours");
    let copy = "11111111-2222-4333-8444-555555555555";
    std::fs::write(sandbox.store().join(format!("runs/{copy}.journal")), &whole[..20]).expect("ours");
    let page = up.get("/");
    assert!(page.body.contains(&run.record.id) && page.body.contains("unreadable"), "{}", page.head);
    let response = up.get(&format!("/run/{copy}"));
    assert_eq!(response.status, 404);
    assert!(response.body.contains("This run cannot be shown."), "{}", response.body);
    assert_eq!(up.get(&format!("/api/figures?run={copy}")).json()["figures"][copy], Value::Null);
    std::fs::rename(sandbox.store(), sandbox.path("elsewhere")).expect("ours");
    let page = up.get("/");
    assert!(page.status == 500 && page.body.contains("The run store cannot be read."), "{}", page.head);
    assert_eq!(up.get("/api/runs").status, 500);
    std::fs::rename(sandbox.path("elsewhere"), sandbox.store()).expect("ours");
    assert_eq!(up.get("/").status, 200, "and it is there again");
    up.end();
}

#[test]
fn what_must_not_be_served_is_refused_before_anything_is_opened() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    let refused = |words: &str, needle: &str| {
        let mut secchi = Secchi::new(&sandbox.path("home"));
        secchi.words("serve").words(words).run().refuses(64, needle);
    };
    refused("--listen 0.0.0.0:0", "--allow-remote and TLS");
    refused("--listen [::]:0", "--allow-remote and TLS");
    refused("--listen 0.0.0.0:0 --allow-remote", "without TLS, the token");
    refused("--listen 127.0.0.1:0 --allow-remote", "is a loopback address");
    refused("--listen 127.0.0.1:0 --tls-cert a --tls-key b", "cannot read a");
    refused("--listen 127.0.0.1:0 --host a/b", "letters, digits");
    refused("--listen 127.0.0.1:0 --store /nowhere/at/all", "no run store");
    refused(
        "--listen 127.0.0.1:0 --store postgres://a@b/c?sslmode=verify-full",
        "verification needs a root certificate",
    );
    let taken = TcpListener::bind("127.0.0.1:0").expect("a free port");
    refused(&format!("--listen {}", taken.local_addr().expect("bound")), "in use by another program");
}

#[test]
fn others_are_answered_over_tls_only() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    kept(&sandbox, "r");
    let (cert, key) = (sandbox.path("cert.pem"), sandbox.path("key.pem"));
    let words = "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=localhost -addext subjectAltName=DNS:localhost";
    let mut args: Vec<&std::ffi::OsStr> = words.split(' ').map(AsRef::as_ref).collect();
    args.extend(["-out".as_ref(), cert.as_os_str(), "-keyout".as_ref(), key.as_os_str()]);
    if let Err(why) = tool("openssl", &args) {
        skip!("{why}");
    }
    let tls = format!("--tls-cert {} --tls-key {}", cert.display(), key.display());
    let secchi = sandbox.secchi(&format!("serve --listen 0.0.0.0:0 --allow-remote --host localhost {tls}"));
    let running = secchi.start();
    assert!(eventually(PATIENCE, || running.stdout().contains('\n')), "{}", running.stderr());
    let line = running.stdout();
    let url = line.split(' ').nth(1).expect("an address").to_owned();
    assert!(url.starts_with("https://localhost:"), "{line}");
    let ask = |url: &str, cookies: bool| {
        let (ca, jar) = (cert.as_os_str().to_owned(), sandbox.path("jar").into_os_string());
        let mut args: Vec<&std::ffi::OsStr> =
            ["-sS", "-o", "/dev/null", "-w", "%{http_code}", "--cacert"].map(AsRef::as_ref).to_vec();
        args.extend([ca.as_os_str(), url.as_ref()]);
        if cookies {
            args.extend(["-L".as_ref(), "-c".as_ref(), jar.as_os_str(), "-b".as_ref(), jar.as_os_str()]);
        }
        tool("curl", &args)
    };
    match ask(&url, true) {
        Err(why) if why.contains("No such file") => skip!("{why}"),
        told => assert_eq!(told.as_deref(), Ok("200")),
    }
    let bare = url.split('?').next().expect("an address");
    assert_eq!(ask(bare, false).as_deref(), Ok("401"));
    let plain = ask(&bare.replace("https", "http"), false);
    assert!(plain.is_err(), "no plain text: {plain:?}");

    running.signal(Signal::INT);
    assert_eq!(running.wait(Duration::from_secs(60)).code, 0);
}
