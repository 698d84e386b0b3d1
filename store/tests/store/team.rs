//! Tests of a team's store on a real server.

use crate::child::{judge, write_run};
use crate::labels::{digest, found, tag};
use model::RunRecord;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use store::fixture::{self, id};
use store::{Indexed, RunStatus, Store, StoreError, TeamAccess, TeamError, TeamView};
use testkit::postgres::{Database, OTHER_PASSWORD, PASSWORD, Server, find_programs};

/// Opens a team's store as it would be opened on one machine, with the judge used in the tests.
pub(crate) fn open(url: &str, machine: &Path) -> Store {
    Store::team(url, &TeamAccess::default(), machine).expect("an address").with_digest(judge)
}

/// Creates a team's store on each available server, and opens it as on one machine.
pub(crate) fn made(machine: &Path) -> Vec<(Database, Store)> {
    let make = |database: Database| {
        let store = open(&database.url_of_owner(), machine);
        store.init_team().expect("the tables are made");
        (database, store)
    };
    Database::on_each_server().into_iter().map(make).collect()
}

fn machine() -> tempfile::TempDir {
    tempfile::tempdir().expect("a directory")
}

fn journals(store: &Store) -> usize {
    std::fs::read_dir(store.dir().join("runs")).expect("reads").count()
}

#[test]
fn a_run_that_ended_is_the_teams_and_reads_the_same_on_another_machine() {
    let (here, elsewhere) = (machine(), machine());
    for (database, store) in made(here.path()) {
        let finished = write_run(&store, 3, 40);
        assert_eq!((finished.waits, finished.indexed), (None, Indexed::Yes));
        assert_eq!(journals(&store), 0, "it went from here once it was there");
        let other = open(&database.url_of_owner(), elsewhere.path());
        assert_eq!(other.list().expect("lists").runs, [finished.summary]);
        let record = RunRecord::from_events(fixture::run(3, 40)).expect("one run");
        assert_eq!(other.read(&id(3)[..6]).expect("reads"), record);
        assert_eq!(database.count_rows("chunk"), "1");
        assert!(database.journals().starts_with("SECCHIJ1"));
        other.remove(&id(3)).expect("removes");
        assert!(matches!(store.remove(&id(3)), Err(StoreError::Unknown { .. })));
        assert_eq!(database.count_rows("chunk"), "0");
    }
}

#[test]
fn a_journal_of_many_chunks_comes_back_to_the_byte() {
    let here = machine();
    for (database, store) in made(here.path()) {
        let events = fixture::run(4, 2);
        let mut writer = store.create_run(&events[0]).expect("begins");
        // The journal is longer than two chunks, and its size is not a multiple of the chunk size.
        let long = model::RunEvent::Note { at: model::Nanos(1), text: "x".repeat(2_500_001).into() };
        writer.append(&long).expect("appends");
        let path = writer.path().to_owned();
        drop(writer);
        let journal = std::fs::read(&path).expect("reads");
        assert_eq!(store.push().expect("pushes").put, [id(4)]);
        assert_eq!(database.count_rows("chunk"), "3");
        let run = store.recover(&id(4)).expect("reads");
        assert_eq!((run.bytes, run.record.state), (journal.len() as u64, model::RunState::Interrupted));
        // If a byte is changed on the server, this is detected.
        database.sql("UPDATE secchi.chunk SET bytes = set_byte(bytes, 9, 7) WHERE n = 1");
        assert!(store.read(&id(4)).expect_err("changed").to_string().contains("SHA-256 does not match"));
    }
}

#[test]
fn a_run_waits_here_while_the_server_is_away_and_goes_with_the_next() {
    let here = machine();
    for (database, store) in made(here.path()) {
        // Simulate an unreachable store: its tables cannot be found under this name.
        database.sql("ALTER SCHEMA secchi RENAME TO hidden");
        let finished = write_run(&store, 5, 2);
        let reason = finished.waits.expect("it waits");
        assert!(reason.contains("secchi runs push") && !reason.contains(PASSWORD), "{reason}");
        assert_eq!(journals(&store), 1);
        database.sql("ALTER SCHEMA hidden RENAME TO secchi");
        let listing = store.list().expect("lists");
        assert_eq!(listing.runs.len(), 1);
        assert!(listing.remarks[0].contains("1 of these is only on this machine"), "{:?}", listing.remarks);
        // The run can be listed, read and tagged before it is pushed.
        assert_eq!(store.read(&id(5)).expect("reads").id, id(5));
        tag(&store, 5, &["mine"], &[], None);
        let next = write_run(&store, 6, 2);
        assert_eq!((next.waits, journals(&store)), (None, 0));
        let listing = store.list().expect("lists");
        assert_eq!((listing.runs.len(), listing.remarks.len()), (2, 0));
        assert_eq!(found(&store, "tag=mine"), [5]);
    }
}

#[test]
fn a_run_in_progress_is_not_taken_to_the_team() {
    let here = machine();
    for (_database, store) in made(here.path()) {
        let _writer = store.create_run(&fixture::begin(7)).expect("begins");
        let pushed = store.push().expect("pushes");
        assert_eq!((pushed.put.len(), pushed.live), (0, 1));
        assert_eq!(store.list().expect("lists").runs[0].state, RunStatus::Running);
        assert!(matches!(store.remove(&id(7)), Err(StoreError::Live { .. })));
    }
}

#[test]
fn writers_at_the_same_time_lose_nothing_and_the_same_run_is_kept_once() {
    for database in Database::on_each_server() {
        let machines: Vec<tempfile::TempDir> = (0..4).map(|_| machine()).collect();
        // The first machine to connect creates the tables; all may start at the same time.
        std::thread::scope(|scope| {
            for (n, dir) in (0u64..).zip(&machines) {
                let url = database.url_of_owner();
                scope.spawn(move || {
                    let store = open(&url, dir.path());
                    store.init_team().expect("made once");
                    for i in 0..5 {
                        // Write runs that only this machine has, and one run that every machine has.
                        assert_eq!(write_run(&store, 100 + n * 10 + i, 2).waits, None);
                    }
                    assert_eq!(write_run(&store, 99, 2).waits, None);
                });
            }
        });
        let store = open(&database.url_of_owner(), machines[0].path());
        let runs = store.list().expect("lists").runs;
        assert_eq!(runs.len(), 21);
        for run in runs {
            store.read(&run.id).unwrap_or_else(|e| panic!("{e}"));
        }
        // A run with the same id but other contents is rejected, and remains on the machine.
        let other = write_run(&store, 99, 3);
        assert!(other.waits.is_some_and(|w| w.contains("different contents")));
        assert_eq!(store.push().expect("pushes").waiting.len(), 1);
        std::thread::scope(|scope| {
            for n in 0..4 {
                let store = &store;
                scope.spawn(move || (0..4).for_each(|i| tag(store, 100, &[&format!("t{n}-{i}")], &[], None)));
            }
        });
        assert_eq!(store.labels(&id(100)).expect("labels").tags.len(), 16);
    }
}

#[test]
fn what_is_wrong_is_told_in_one_sentence_without_a_password() {
    let here = machine();
    for database in Database::on_each_server() {
        let failure = |url: &str| {
            let error = open(url, here.path()).reach().expect_err(url);
            let text = error.to_string();
            assert!(!text.contains(PASSWORD) && !text.contains(OTHER_PASSWORD) && !text.contains("wrong-pw"), "{text}");
            assert!(!text.contains('\n'), "{text}");
            (text, error)
        };
        let (text, error) = failure(&database.url_of_owner());
        assert!(matches!(error, TeamError::Missing { .. }) && text.contains("secchi runs init"), "{text}");
        let (text, error) = failure(&database.url("ann", "wrong-pw"));
        assert!(matches!(error, TeamError::Login { .. }) && text.contains("password authentication failed"), "{text}");
        let (text, error) = failure(&database.url_of_owner().replace(&database.name, "nosuchdb"));
        assert!(matches!(error, TeamError::Login { .. }) && text.contains("nosuchdb"), "{text}");
        let (text, error) = failure(&format!("postgres://ann:{PASSWORD}@127.0.0.1:1/x"));
        assert!(error.is_away() && text.contains("cannot reach") && text.contains("refused"), "{text}");
        let nobody = open(&database.url("bob", OTHER_PASSWORD), here.path());
        let error = nobody.init_team().expect_err("bob may not");
        assert!(matches!(error, TeamError::Denied { .. }), "{error}");
        open(&database.url_of_owner(), here.path()).init_team().expect("ann may");
        let error = nobody.reach().expect_err("bob may not read either");
        assert!(matches!(error, TeamError::Denied { .. }), "{error}");
        assert!(failure(&database.url("bob", OTHER_PASSWORD)).0.contains("does not permit"));
        database.sql("UPDATE secchi.about SET version = 4");
        let (text, error) = failure(&database.url_of_owner());
        assert!(
            matches!(error, TeamError::OtherVersion { found: 4, .. }) && text.contains("secchi runs export"),
            "{text}"
        );
    }
}

#[test]
fn a_row_edited_there_is_found_out() {
    let here = machine();
    for (database, store) in made(here.path()) {
        let expected = write_run(&store, 8, 2).summary;
        for edit in ["verdict = 'all is well'", "state = 'sold'", "duration_ns = -1", "crc = 0", "exit_code = 7"] {
            let before = database.sql("SELECT row_to_json(run) FROM secchi.run");
            database.sql(&format!("UPDATE secchi.run SET {edit}"));
            assert_eq!(store.list().expect("lists").runs, std::slice::from_ref(&expected), "{edit}");
            database.sql("DELETE FROM secchi.run");
            database.sql(&format!(
                "INSERT INTO secchi.run SELECT * FROM json_populate_record(null::secchi.run, '{before}')"
            ));
        }
    }
}

#[test]
fn runs_are_carried_from_and_to_a_team() {
    let here = machine();
    for (_database, store) in made(here.path()) {
        let target = machine();
        write_run(&store, 11, 2);
        tag(&store, 11, &["nightly"], &[], Some("a note"));
        let mut file = Vec::new();
        assert_eq!(store.export(&[id(11)], &mut file).expect("exports").runs, 1);
        let local = crate::child::open(target.path()).with_digest(digest);
        assert_eq!(local.import(&file[..]).expect("imports").new, [id(11)]);
        assert_eq!(local.labels(&id(11)).expect("labels"), store.labels(&id(11)).expect("labels"));
        assert_eq!(store.import(&file[..]).expect("known").known, [id(11)]);
        store.remove(&id(11)).expect("removes");
        assert_eq!(store.import(&file[..]).expect("imports").new, [id(11)]);
        assert_eq!(store.push().expect("pushes").put, [id(11)]);
        assert_eq!(found(&store, "tag=nightly and note~NOTE"), [11]);
    }
}

fn view(url: &str) -> TeamView {
    TeamView::open(url, &TeamAccess::default(), |record| judge(record).into()).expect("an address")
}

#[test]
fn whoever_may_only_read_sees_every_run_and_changes_nothing() {
    let here = machine();
    for (database, store) in made(here.path()) {
        let runs = [write_run(&store, 21, 2).summary, write_run(&store, 22, 2).summary];
        let reader = view(&database.grant_read_to_bob());
        reader.reach().expect("it may be read");
        let listed = reader.list().expect("lists");
        assert_eq!(listed, store.list().expect("lists").runs);
        assert_eq!(listed.len(), runs.len());
        let record = RunRecord::from_events(fixture::run(21, 2)).expect("one run");
        assert_eq!(reader.recover(&id(21)).expect("reads").record, record);
        assert!(matches!(reader.recover(&id(23)), Err(StoreError::Unknown { .. })));
        // The server enforces read-only transactions, even for users who may write: a database view that writes when it
        // is read is rejected.
        database.sql(
            "CREATE TABLE secchi.looked (n int);
             CREATE FUNCTION secchi.look() RETURNS bigint LANGUAGE plpgsql AS
                 'BEGIN INSERT INTO secchi.looked VALUES (1); RETURN 2; END';
             ALTER TABLE secchi.about RENAME TO real_about;
             CREATE VIEW secchi.about AS SELECT secchi.look() AS version;
             GRANT ALL ON ALL TABLES IN SCHEMA secchi TO ann",
        );
        let error = view(&database.url_of_owner()).reach().expect_err("it would write");
        assert!(matches!(error, TeamError::Denied { .. }), "{error}");
        assert_eq!(database.count_rows("looked"), "0");
    }
}

#[test]
fn a_server_that_went_away_is_told_at_once_and_is_there_again_by_itself() {
    for bin in find_programs() {
        let here = machine();
        let server = Arc::new(Server::start_own(&bin, "listen_addresses = ''\n", "", &[]).expect("it starts"));
        let database = Database::new_on(&server);
        let store = open(&database.url_of_owner(), here.path());
        store.init_team().expect("the tables are made");
        write_run(&store, 24, 2);
        let reader = view(&database.url_of_owner());
        let listed = reader.list().expect("lists");
        server.stop();
        let away = loop {
            // A recent listing is returned until it expires.
            match reader.list() {
                Ok(same) => assert_eq!(same, listed),
                Err(error) => break error,
            }
        };
        assert!(away.is_away() && away.to_string().contains("cannot reach the run store"), "{away}");
        assert!(matches!(reader.recover(&id(24)), Err(StoreError::Team(e)) if e.is_away()));
        server.start();
        let again = loop {
            match reader.list() {
                Ok(runs) => break runs,
                Err(error) => assert!(error.is_away(), "{error}"),
            }
        };
        assert_eq!(again, listed);
        assert_eq!(reader.recover(&id(24)).expect("reads").record.id, id(24));
    }
}

/// Runs openssl. The error describes what failed.
fn openssl(dir: &Path, words: &str) -> Result<(), String> {
    let run = Command::new("openssl").args(words.split(' ')).current_dir(dir).output().map_err(|e| e.to_string())?;
    match run.status.success() {
        true => Ok(()),
        false => Err(format!("openssl {words}: {}", String::from_utf8_lossy(&run.stderr))),
    }
}

/// Creates a root certificate, a certificate for `localhost` and `*.db.example` that it signs, and a self-signed
/// certificate with only a common name, as in PostgreSQL's documentation.
fn certificates(dir: &Path) -> Result<(), String> {
    let key = "-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes";
    openssl(dir, &format!("req -x509 {key} -days 2 -subj /CN=root -out root.crt -keyout root.key"))?;
    openssl(dir, &format!("req -x509 {key} -days 2 -subj /CN=other -out other.crt -keyout other.key"))?;
    openssl(dir, &format!("req -new {key} -subj /CN=x -out server.csr -keyout server.key"))?;
    std::fs::write(dir.join("names"), "subjectAltName=DNS:localhost,DNS:*.db.example\n").map_err(|e| e.to_string())?;
    let sign =
        "x509 -req -in server.csr -days 2 -CA root.crt -CAkey root.key -CAcreateserial -extfile names -out server.crt";
    openssl(dir, sign)?;
    openssl(dir, &format!("req -x509 {key} -days 2 -subj /CN=localhost -out own.crt -keyout own.key"))
}

pub(crate) const OVER_TLS: &str = "listen_addresses = '127.0.0.1'\nssl = on\n\
                        ssl_cert_file = 'DIR/server.crt'\nssl_key_file = 'DIR/server.key'\n";
/// The user ann must connect with encryption; bob need not.
const HBA: &str = "local all all scram-sha-256\nhostssl all ann 127.0.0.1/32 scram-sha-256\nhost all bob 127.0.0.1/32 scram-sha-256\n";

/// Starts a separate server with TLS and this configuration. Returns `None` and prints a skip message if that is
/// impossible.
pub(crate) fn encrypted(bin: &Path, dir: &Path, conf: &str) -> Option<Arc<Server>> {
    let files = ["server.crt", "server.key", "own.crt", "own.key"].map(|f| dir.join(f));
    let made =
        certificates(dir).and_then(|()| Server::start_own(bin, conf, HBA, &files.each_ref().map(|f| f.as_path())));
    match made {
        Ok(server) => Some(Arc::new(server)),
        Err(why) if why.contains("not supported by this build") || why.contains("No such file") => {
            testkit::skipped(&format!("TLS to {}: {why}", bin.display()));
            None
        }
        Err(why) => panic!("{}: {why}", bin.display()),
    }
}

/// Returns the network address of a database for the user ann. `host` is a name of this machine, and `words` are the
/// parameters.
pub(crate) fn over_tcp(database: &Database, host: &str, words: &str) -> String {
    format!("postgres://ann:{PASSWORD}@{host}:{}/{}?{words}", database.server.port, database.name)
}

#[test]
fn tls_is_spoken_and_the_server_verified_as_the_address_asks() {
    for bin in find_programs() {
        let dir = machine();
        let Some(server) = encrypted(&bin, dir.path(), OVER_TLS) else { continue };
        let database = Database::new_on(&server);
        let file =
            |name: &str| format!("sslrootcert={}", dir.path().join(name).display().to_string().replace('/', "%2F"));
        let (root, other) = (file("root.crt"), file("other.crt"));
        let reach = |host: &str, words: &str| view(&over_tcp(&database, host, words)).reach();
        // There are no tables yet, so the error `Missing` shows that the login succeeded.
        let gets_in = |host: &str, words: &str| match reach(host, words) {
            Err(TeamError::Missing { .. }) => {}
            other => panic!("{host} {words}: {other:?}"),
        };
        let refused = |host: &str, words: &str, needle: &str| match reach(host, words) {
            Err(TeamError::Insecure { why, .. }) => assert!(why.contains(needle), "{host} {words}: {why}"),
            other => panic!("{host} {words}: {other:?}"),
        };
        gets_in("127.0.0.1", "sslmode=require");
        gets_in("127.0.0.1", "sslmode=prefer");
        gets_in("localhost", "");
        gets_in("127.0.0.1", "sslmode=require&channel_binding=require");
        gets_in("127.0.0.1", &format!("sslmode=verify-ca&{root}"));
        gets_in("localhost", &format!("sslmode=verify-full&channel_binding=require&{root}"));
        // Uses a name that needs no resolution, because `hostaddr` is given. For other hosts, TLS is mandatory by
        // default.
        gets_in("a.db.example", &format!("hostaddr=127.0.0.1&sslmode=verify-full&{root}"));
        gets_in("a.db.example", "hostaddr=127.0.0.1");
        refused("127.0.0.1", &format!("sslmode=verify-full&{root}"), "for another host name");
        refused("b.a.db.example", &format!("hostaddr=127.0.0.1&sslmode=verify-full&{root}"), "for another host name");
        // As in libpq, a root certificate is used if the file exists. An invalid certificate never leads to an
        // unencrypted connection.
        for mode in ["prefer", "require", "verify-ca", "verify-full"] {
            refused("localhost", &format!("sslmode={mode}&{other}"), "not signed by a root certificate");
        }
        let access = TeamAccess { root_file: Some(dir.path().join("other.crt")), ..TeamAccess::default() };
        let url = over_tcp(&database, "localhost", "sslmode=require");
        let by_home = TeamView::open(&url, &access, |_| store::Digest::default()).expect("an address").reach();
        assert!(matches!(by_home, Err(TeamError::Insecure { .. })), "{by_home:?}");
        // Without encryption, ann is rejected, and channel binding is impossible.
        let plain = reach("127.0.0.1", "sslmode=disable").expect_err("by pg_hba.conf");
        assert!(matches!(plain, TeamError::Login { .. }), "{plain}");
        let his = |url: String| url.replace(&format!("ann:{PASSWORD}"), &format!("bob:{OTHER_PASSWORD}"));
        let bob = his(over_tcp(&database, "127.0.0.1", "sslmode=disable"));
        assert!(matches!(view(&bob).reach(), Err(TeamError::Missing { .. } | TeamError::Denied { .. })));
        let unbound = view(&format!("{bob}&channel_binding=require")).reach().expect_err("no TLS");
        assert!(matches!(unbound, TeamError::Insecure { .. }), "{unbound}");
        // Write, push and read a run.
        let here = machine();
        let store = open(&over_tcp(&database, "localhost", &format!("sslmode=verify-full&{root}")), here.path());
        store.init_team().expect("the tables are made");
        assert_eq!(write_run(&store, 25, 2).waits, None);
        assert_eq!(store.read(&id(25)).expect("reads").id, id(25));
        // A server without TLS.
        server.stop();
        let conf = server.dir.join("c/postgresql.auto.conf");
        std::fs::write(&conf, "ssl = off\n").expect("ours");
        server.start();
        refused("127.0.0.1", "sslmode=require", "does not support TLS");
        refused("a.db.example", "hostaddr=127.0.0.1", "does not support TLS");
        let prefers = view(&bob.replace("sslmode=disable", "sslmode=prefer")).reach().expect_err("he may not read");
        assert!(matches!(prefers, TeamError::Denied { .. }), "{prefers}");
    }
}

#[test]
fn a_certificate_that_is_its_own_root_is_known_by_its_common_name() {
    for bin in find_programs() {
        let dir = machine();
        let Some(server) = encrypted(&bin, dir.path(), &OVER_TLS.replace("server.", "own.")) else { continue };
        let database = Database::new_on(&server);
        let root = format!("sslrootcert={}", dir.path().join("own.crt").display().to_string().replace('/', "%2F"));
        let reach = |host: &str, words: &str| view(&over_tcp(&database, host, words)).reach();
        let in_there = reach("localhost", &format!("sslmode=verify-full&{root}"));
        assert!(matches!(in_there, Err(TeamError::Missing { .. })), "{in_there:?}");
        let elsewhere = reach("127.0.0.1", &format!("sslmode=verify-full&{root}"));
        assert!(matches!(elsewhere, Err(TeamError::Insecure { .. })), "{elsewhere:?}");
        let unknown = dir.path().join("root.crt").display().to_string().replace('/', "%2F");
        let other = reach("localhost", &format!("sslmode=verify-ca&sslrootcert={unknown}"));
        assert!(matches!(other, Err(TeamError::Insecure { .. })), "{other:?}");
    }
}

#[test]
fn a_server_that_says_nothing_is_away_after_a_while() {
    // This server accepts connections but does nothing else, like a stopped process.
    let silent = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
    let port = silent.local_addr().expect("bound").port();
    let reader = view(&format!("postgres://ann:{PASSWORD}@127.0.0.1:{port}/x?connect_timeout=1"));
    let since = std::time::Instant::now();
    let error = reader.list().expect_err("nobody answers");
    assert!(error.is_away() && error.to_string().contains("no answer within 1 s"), "{error}");
    // The next call fails without waiting.
    assert_eq!(reader.list().expect_err("not asked again so soon"), error);
    assert!(since.elapsed() < std::time::Duration::from_secs(60));
    drop(silent);
}
