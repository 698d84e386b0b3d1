//! `secchi durable`: the three commands with the real binary on a reliable file system: killed writers and witnesses,
//! invalid tokens and directories, full disks.

use crate::support::{Ended, PATIENCE, Running, Sandbox, Secchi, beside, eventually, own_disk, skip, tool};
use rustix::process::Signal;
use serde_json::Value;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use testkit::schema_violations;

const SMALL: &str = "--size 1m --names 8";

fn durable(sandbox: &Sandbox, words: &str) -> Secchi {
    let mut secchi = Secchi::new(&sandbox.path("home"));
    secchi.arg("durable").words(words);
    secchi
}

/// A running witness, on its own port.
struct Witness {
    running: Running,
    address: String,
    state: PathBuf,
}

impl Witness {
    fn start(sandbox: &Sandbox, listen: &str) -> Witness {
        let state = sandbox.path("state");
        let running = durable(sandbox, &format!("witness --listen {listen} --state {}", state.display())).start();
        assert!(
            eventually(PATIENCE, || running.stdout().contains("witness at")),
            "{}{}",
            running.stdout(),
            running.stderr()
        );
        let stdout = running.stdout();
        let (_, rest) = stdout.split_once("witness at ").expect("an address");
        let address = rest.split(',').next().expect("its end").to_owned();
        Witness { running, address, state }
    }

    fn words(&self) -> String {
        format!("--witness {} --token {}", self.address, self.state.join("token").display())
    }

    /// Kills the witness and starts it again with the same address and state.
    fn restart(self, sandbox: &Sandbox) -> Witness {
        let address = self.address.clone();
        self.running.signal(Signal::KILL);
        assert_ne!(self.running.wait(PATIENCE).code, 0);
        Witness::start(sandbox, &address)
    }

    /// Sends raw bytes and returns the response.
    fn raw(&self, request: &[u8]) -> String {
        let mut stream = TcpStream::connect(&self.address).expect("it listens");
        stream.set_read_timeout(Some(PATIENCE)).expect("a time");
        let _ = stream.write_all(request);
        let mut text = Vec::new();
        let _ = stream.read_to_end(&mut text);
        String::from_utf8_lossy(&text).into_owned()
    }

    fn post(&self, path: &str, token: &str, body: &str) -> String {
        let head = format!(
            "POST {path} HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {token}\r\nContent-Length: {}\r\n\r\n{body}",
            self.address,
            body.len()
        );
        self.raw(head.as_bytes())
    }

    fn token(&self) -> String {
        std::fs::read_to_string(self.state.join("token")).expect("it keeps one").trim().to_owned()
    }

    /// Returns the runs that the witness lists.
    fn runs(&self) -> Vec<Value> {
        let response = self.raw(format!("GET /runs HTTP/1.1\r\nHost: {}\r\n\r\n", self.address).as_bytes());
        let (_, body) = response.split_once("\r\n\r\n").unwrap_or_else(|| panic!("{response}"));
        let list: Value = serde_json::from_str(body).expect("a document");
        list["runs"].as_array().expect("a list").clone()
    }

    /// Returns `true` if at least this many writes of every writer of the run were acknowledged.
    fn knows(&self, least: u64) -> bool {
        self.runs().first().is_some_and(|run| {
            let reached = run["reached"].as_array().expect("writers");
            reached.iter().all(|n| n.as_u64().is_some_and(|n| n >= least))
        })
    }
}

fn verify(sandbox: &Sandbox, words: &str) -> (Ended, Value) {
    let ended = durable(sandbox, &format!("verify --json {} {words}", sandbox.data().display())).run();
    let report: Value =
        serde_json::from_str(&ended.stdout).unwrap_or_else(|e| panic!("{e}: {}{}", ended.stdout, ended.stderr));
    if let Some(violations) = schema_violations("durability", &ended.stdout) {
        assert_eq!(violations, "");
    }
    (ended, report["durable"].clone())
}

/// Returns `true` if some writes of each kind were made in a directory, judging by the growing file.
fn is_writing(path: &Path) -> bool {
    let growing = |number: u64| path.join(format!("secchi-durable/append.1.{number}")).metadata();
    // The first file is removed after the second one is created.
    growing(0).is_ok_and(|meta| meta.len() > 64 << 10) || (1..9).any(|number| growing(number).is_ok())
}

fn verdicts(report: &Value) -> Vec<String> {
    let promises = report["promises"].as_array().expect("promises");
    promises.iter().map(|p| format!("{}: {}", p["promise"].as_str().unwrap(), p["verdict"].as_str().unwrap())).collect()
}

#[test]
fn a_writer_that_is_killed_on_honest_storage_has_lost_nothing_that_was_acknowledged() {
    let _turn = beside();
    let sandbox = Sandbox::new();
    let witness = Witness::start(&sandbox, "127.0.0.1:0");
    let (data, words) = (sandbox.data(), witness.words());
    let writer = durable(&sandbox, &format!("write {} {SMALL} {words}", data.display())).start();
    assert!(eventually(PATIENCE, || witness.knows(20)), "{}{}", writer.stdout(), writer.stderr());
    writer.signal(Signal::KILL);
    drop(writer.wait(PATIENCE));
    let known: Vec<u64> =
        witness.runs()[0]["reached"].as_array().expect("writers").iter().filter_map(Value::as_u64).collect();
    let at = format!("--witness {}", witness.address);
    for _ in 0..2 {
        let (ended, report) = verify(&sandbox, &at);
        assert_eq!(ended.code, 0, "{}", ended.stdout);
        let kept = verdicts(&report);
        assert!(["data", "order", "size", "names"].iter().all(|p| kept.contains(&format!("{p}: kept"))), "{kept:?}");
        let writers = report["writers"].as_array().expect("writers");
        let acknowledged: Vec<u64> = writers.iter().filter_map(|w| w["acknowledged"].as_u64()).collect();
        assert_eq!(acknowledged, known, "what the witness lists is what verify goes by");
        assert!(report["doubts"].to_string().contains("durable-no-cut"), "no power was cut: {}", report["doubts"]);
    }
    // A second experiment would destroy the evidence of the first.
    let again = format!("write {} {SMALL} {words} --for 1s", data.display());
    durable(&sandbox, &again).run().refuses(3, "--discard");
    let next = durable(&sandbox, &format!("{again} --discard")).run();
    assert_eq!(next.code, 0, "{}{}", next.stdout, next.stderr);
    let recorded = "the last write recorded for each writer:";
    assert!(next.stdout.contains("generation 2") && next.stdout.contains(recorded), "{}", next.stdout);
    let (ended, report) = verify(&sandbox, &at);
    assert_eq!((ended.code, &report["generation"]), (0, &Value::from(2)), "{}", ended.stdout);
    // A run that ended normally is followed by the next without `--discard`; `--remove` also removes the witness's
    // data.
    assert_eq!(durable(&sandbox, &again).run().code, 0);
    let gone = durable(&sandbox, &format!("verify {} {words} --remove", data.display())).run();
    assert_eq!(gone.code, 0, "{}{}", gone.stdout, gone.stderr);
    assert!(gone.stdout.contains(": kept (") && !gone.stdout.contains("BROKEN"), "{}", gone.stdout);
    assert_eq!((std::fs::read_dir(&data).expect("it stays").count(), witness.runs().len()), (0, 0));
}

#[test]
fn what_is_taken_from_the_files_is_told_with_its_instant() {
    let _turn = beside();
    let sandbox = Sandbox::new();
    let witness = Witness::start(&sandbox, "127.0.0.1:0");
    let at = format!("--witness {}", witness.address);
    let wrote =
        durable(&sandbox, &format!("write {} {SMALL} {} --for 2s", sandbox.data().display(), witness.words())).run();
    assert_eq!(wrote.code, 0, "{}{}", wrote.stdout, wrote.stderr);
    let directory = sandbox.data().join("secchi-durable");
    let (blocks, before) = (directory.join("blocks.0"), std::fs::read(directory.join("blocks.0")).expect("a file"));
    // Clear the middle of the file, remove one slot, and empty the growing file.
    let mut bytes = before.clone();
    bytes[512 * 1024..576 * 1024].fill(0);
    std::fs::write(&blocks, bytes).expect("ours");
    let slot =
        (0..8).map(|n| directory.join(format!("names.2/slot.{n}"))).find(|slot| slot.exists()).expect("some are there");
    std::fs::remove_file(&slot).expect("ours");
    let growing = std::fs::read_dir(&directory).expect("ours").flatten().map(|e| e.path());
    let growing = growing
        .filter(|p| p.file_name().is_some_and(|n| n.to_string_lossy().starts_with("append.")))
        .max_by_key(|p| p.extension().and_then(|n| n.to_string_lossy().parse::<u64>().ok()));
    let growing = std::fs::OpenOptions::new().write(true).open(growing.expect("there is one")).expect("ours");
    growing.set_len(0).expect("ours");
    let (ended, report) = verify(&sandbox, &at);
    assert_eq!(ended.code, 1, "{}", ended.stdout);
    let broken = verdicts(&report);
    assert!(["data", "size", "names"].iter().all(|p| broken.contains(&format!("{p}: broken"))), "{broken:?}");
    assert_eq!(report["writers"][0]["data"]["count"], 16, "as many blocks as were taken");
    assert!(report["promises"][0]["earliest_ns"].is_u64(), "{}", report["promises"]);
    let shown = durable(&sandbox, &format!("verify {} {at}", sandbox.data().display())).run();
    assert!(
        shown.code == 1 && shown.stdout.contains("fdatasync keeps what was written: BROKEN, 16 writes lost"),
        "{}",
        shown.stdout
    );
    assert!(shown.stdout.contains("blocks.0 at byte 5") && shown.stdout.contains(" UTC"), "{}", shown.stdout);
    // In another language no English text remains.
    let mut japanese = durable(&sandbox, &format!("verify {} {at}", sandbox.data().display()));
    let japanese = japanese.env("SECCHI_LANG", "ja").run();
    assert!(japanese.stdout.contains("破られた") && !japanese.stdout.contains("lost"), "{}", japanese.stdout);
    // Remove the whole directory: only the witness still knows the run.
    let run = report["run"].as_str().expect("its name").to_owned();
    std::fs::remove_dir_all(&directory).expect("ours");
    durable(&sandbox, &format!("verify {} {at}", sandbox.data().display())).run().refuses(64, "--run UUID");
    let (ended, report) = verify(&sandbox, &format!("{at} --run {run}"));
    assert_eq!((ended.code, &report["lost_marker"]), (1, &Value::from("directory")), "{}", ended.stdout);
}

#[test]
fn a_witness_that_is_killed_keeps_what_it_answered_and_writers_wait_for_it() {
    let _turn = beside();
    let sandbox = Sandbox::new();
    let mut witness = Witness::start(&sandbox, "127.0.0.1:0");
    let writer = durable(&sandbox, &format!("write {} {SMALL} {}", sandbox.data().display(), witness.words())).start();
    let mut least = 5;
    for _ in 0..4 {
        assert!(eventually(PATIENCE, || witness.knows(least)), "{}{}", writer.stdout(), writer.stderr());
        let run = witness.runs()[0].clone();
        witness = witness.restart(&sandbox);
        let after = witness.runs()[0].clone();
        for (before, after) in run["reached"].as_array().unwrap().iter().zip(after["reached"].as_array().unwrap()) {
            assert!(after.as_u64() >= before.as_u64(), "{run} {after}");
        }
        assert!(!witness.running.stdout().contains("new token"), "it keeps the one it has");
        least = run["reached"].as_array().unwrap().iter().filter_map(Value::as_u64).min().unwrap() + 5;
    }
    writer.signal(Signal::INT);
    let ended = writer.wait(PATIENCE);
    assert_eq!(ended.code, 0, "{}{}", ended.stdout, ended.stderr);
    assert_eq!(verify(&sandbox, &format!("--witness {}", witness.address)).0.code, 0);
}

#[test]
fn a_witness_that_stays_away_ends_the_writer_by_name() {
    let _turn = beside();
    let sandbox = Sandbox::new();
    let witness = Witness::start(&sandbox, "127.0.0.1:0");
    let words = format!("write {} {SMALL} {} --patience 1s", sandbox.data().display(), witness.words());
    let writer = durable(&sandbox, &words).start();
    assert!(eventually(PATIENCE, || witness.knows(5)), "{}{}", writer.stdout(), writer.stderr());
    let address = witness.address.clone();
    drop(witness);
    let ended = writer.wait(PATIENCE);
    assert_eq!(ended.code, 4, "{}{}", ended.stdout, ended.stderr);
    assert!(ended.stderr.contains("--patience") && ended.stderr.contains(&address), "{}", ended.stderr);
    // Unacknowledged writes raise no alarm; verifying without a witness is a doubt.
    let (ended, report) = verify(&sandbox, "");
    assert_eq!(ended.code, 0, "{}", ended.stdout);
    assert!(report["doubts"].to_string().contains("durable-no-witness"), "{}", report["doubts"]);
    let (ended, report) = verify(&sandbox, &format!("--witness {address}"));
    assert_eq!(ended.code, 0, "{}", ended.stdout);
    assert!(report["doubts"].to_string().contains("does not answer"), "{}", report["doubts"]);
}

#[test]
fn a_witness_answers_odd_requests_by_a_status_and_goes_on() {
    let _turn = beside();
    let sandbox = Sandbox::new();
    let witness = Witness::start(&sandbox, "127.0.0.1:0");
    let token = witness.token();
    let status = |answer: String| answer.split(' ').nth(1).and_then(|s| s.parse::<u16>().ok()).unwrap_or(0);
    assert_eq!(status(witness.post("/begin", "wrong", "{}")), 401);
    assert_eq!(status(witness.post("/begin", "", "{}")), 401);
    assert_eq!(status(witness.post("/begin", &token, "{}")), 400);
    assert_eq!(status(witness.post("/acknowledge", &token, "[]")), 400);
    assert_eq!(status(witness.post("/acknowledge", &token, &"x".repeat(70_000))), 413);
    assert_eq!(status(witness.post("/nothing", &token, "")), 404);
    let unknown = r#"{"run":"00000000-0000-0000-0000-000000000001","generation":1,"reached":[[0,1]]}"#;
    assert_eq!(status(witness.post("/acknowledge", &token, unknown)), 404);
    for odd in [&b"\0\0\0"[..], b"GET", b"GET / HTTP/1.1\r\n\r\n", b"DELETE /runs HTTP/1.1\r\nHost: localhost\r\n\r\n"]
    {
        assert_ne!(status(witness.raw(odd)), 200);
    }
    assert_eq!(witness.runs().len(), 0, "it is there, and nothing was kept");
    // A wrong token, an invalid one, and none.
    let (data, file) = (sandbox.data(), sandbox.path("other"));
    std::fs::write(&file, "0123456789abcdef\n").expect("written");
    let words = |token: &Path| {
        format!("write {} {SMALL} --witness {} --token {}", data.display(), witness.address, token.display())
    };
    durable(&sandbox, &words(&file)).run().refuses(4, "refused the request (401)");
    std::fs::write(&file, "short").expect("written");
    durable(&sandbox, &words(&file)).run().refuses(64, "16 to 128 letters and digits");
    durable(&sandbox, &format!("write {} --witness {}", data.display(), witness.address)).run().refuses(64, "--token");
    assert_eq!(std::fs::read_dir(&data).expect("it stays").count(), 0, "nothing is left");
    let state = witness.state.display().to_string();
    durable(&sandbox, &format!("witness --listen 127.0.0.1:0 --state {state}")).run().refuses(3, "another witness");
    witness.running.signal(Signal::TERM);
    assert_eq!(witness.running.wait(PATIENCE).code, 0);
}

#[test]
fn what_is_asked_wrongly_is_refused_by_name_and_nothing_is_made() {
    let _turn = beside();
    let sandbox = Sandbox::new();
    let data = sandbox.data();
    let refuses = |words: &str, code, needle: &str| durable(&sandbox, words).run().refuses(code, needle);
    let path = data.display();
    refuses(&format!("write {path} --block 1000"), 64, "--block");
    refuses(&format!("write {path} --block 4k --size 10k"), 64, "--size");
    refuses(&format!("write {path} --size 0"), 64, "--size");
    refuses(&format!("write {path} --sync fsnc"), 64, "direct-dsync");
    refuses(&format!("write {path} --jobs 0"), 64, "from 1 to 64");
    refuses("write /nowhere/at/all", 64, "No such file");
    refuses("write /dev/null", 64, "not a directory");
    refuses("write /dev", 64, "in a file system of the kernel");
    refuses(&format!("write {path} --witness 127.0.0.1:1 --token /nowhere"), 64, "--token /nowhere");
    let token = sandbox.path("token");
    std::fs::write(&token, "0123456789abcdef\n").expect("written");
    refuses(&format!("write {path} --witness 127.0.0.1:1 --token {}", token.display()), 4, "does not answer");
    refuses(&format!("write {path} --witness nohost --token {}", token.display()), 64, "HOST:PORT");
    refuses(&format!("verify {path}"), 64, "does not exist");
    refuses(&format!("verify {path} --run x"), 64, "--run");
    refuses(&format!("verify {path} --run 00000000-0000-0000-0000-000000000001"), 64, "--witness");
    refuses("witness --listen 127.0.0.1:0", 64, "--state");
    refuses("witness --state /nowhere/at/all --listen 127.0.0.1:0", 4, "/nowhere/at/all");
    assert_eq!(std::fs::read_dir(&data).expect("it stays").count(), 0);
    // A directory of another user with secchi's name.
    let foreign = data.join("secchi-durable");
    std::fs::create_dir(&foreign).expect("made");
    std::fs::write(foreign.join("precious"), "x").expect("written");
    refuses(&format!("write {path}"), 3, "no marker");
    refuses(&format!("write {path} --discard"), 3, "precious");
    refuses(&format!("verify {path}"), 64, "no marker");
    assert_eq!(std::fs::read_dir(&foreign).expect("it stays").count(), 1);
}

#[test]
fn a_disk_without_room_is_refused_before_and_one_that_fills_up_ends_the_writer_by_name() {
    let _turn = beside();
    let sandbox = Sandbox::new();
    let disk = own_disk!(sandbox, 64 << 20);
    let path = sandbox.path("disk");
    durable(&sandbox, &format!("write {} --size 256m", path.display())).run().refuses(3, "--size");
    assert!(!path.join("secchi-durable").exists(), "nothing is left");
    let writer = durable(&sandbox, &format!("write {} --size 4m --names 8", path.display())).start();
    let directory = path.join("secchi-durable");
    assert!(eventually(PATIENCE, || is_writing(&path)), "{}", writer.stderr());
    // Another file takes the remaining space.
    let mut hog = std::fs::File::create(path.join("hog")).expect("made");
    let chunk = vec![7; 1 << 16];
    while hog.write_all(&chunk).is_ok() {}
    let ended = writer.wait(PATIENCE);
    assert_eq!(ended.code, 4, "{}{}", ended.stdout, ended.stderr);
    assert!(ended.stderr.contains("No space left"), "{}", ended.stderr);
    drop(hog);
    assert!(directory.exists());
    let ended = durable(&sandbox, &format!("verify {} --json", path.display())).run();
    assert_eq!(ended.code, 0, "what was synced is there: {}", ended.stdout);
    drop(disk);
}

#[test]
fn storage_that_hangs_ends_the_writer_and_what_was_synced_is_there() {
    let _turn = beside();
    let sandbox = Sandbox::new();
    let disk = own_disk!(sandbox, 64 << 20);
    let path = sandbox.path("disk");
    let writer = durable(&sandbox, &format!("write {} --size 4m --names 8 --hang 2s", path.display())).start();
    assert!(eventually(PATIENCE, || is_writing(&path)), "{}", writer.stderr());
    if let Err(why) = tool("fsfreeze", &["-f".as_ref(), path.as_os_str()]) {
        skip!("no file system can be frozen here: {why}");
    }
    // The message appears before the file system thaws: the threads cannot end earlier.
    let said = eventually(PATIENCE, || writer.stderr().contains("--hang"));
    tool("fsfreeze", &["-u".as_ref(), path.as_os_str()]).expect("it thaws");
    assert!(said, "{}{}", writer.stdout(), writer.stderr());
    assert_eq!(writer.wait(PATIENCE).code, 5);
    let ended = durable(&sandbox, &format!("verify {} --json", path.display())).run();
    assert_eq!(ended.code, 0, "{}{}", ended.stdout, ended.stderr);
    drop(disk);
}

#[test]
fn a_second_writer_is_kept_out_and_verify_waits_for_nobody() {
    let _turn = beside();
    let sandbox = Sandbox::new();
    let words = format!("write {} {SMALL}", sandbox.data().display());
    let writer = durable(&sandbox, &words).start();
    assert!(eventually(PATIENCE, || writer.stdout().contains("no witness records")), "{}", writer.stderr());
    durable(&sandbox, &words).run().refuses(3, "in use");
    durable(&sandbox, &format!("verify {}", sandbox.data().display())).run().refuses(3, "in use");
    writer.signal(Signal::TERM);
    let ended = writer.wait(PATIENCE);
    assert_eq!(ended.code, 0, "{}{}", ended.stdout, ended.stderr);
    // A writer's own end is evidence without a witness.
    let (ended, report) = verify(&sandbox, "");
    assert_eq!(ended.code, 0, "{}", ended.stdout);
    assert!(!report["doubts"].to_string().contains("durable-no-witness"), "{}", report["doubts"]);
    assert!(report["writers"][0]["acknowledged"].as_u64() > Some(0), "{}", report["writers"]);
}
