//! A team's store on a real server.

use crate::child::{judge, write_run};
use crate::fixture::{self, id};
use crate::labels::{digest, found, tag};
use crate::server::{Database, OTHER_PASSWORD, PASSWORD};
use model::RunRecord;
use std::path::Path;
use store::{Indexed, RunStatus, Store, StoreError, TeamError};

/// A team's store as one machine sees it, judged by the tests' judge.
pub(crate) fn open(url: &str, machine: &Path) -> Store {
    Store::team(url, None, machine).expect("an address").with_digest(judge)
}

/// A new team's store, as one machine sees it.
pub(crate) fn made(machine: &Path) -> Option<(Database, Store)> {
    let database = Database::new()?;
    let store = open(&database.ann(), machine);
    store.init_team().expect("the tables are made");
    Some((database, store))
}

fn machine() -> tempfile::TempDir {
    tempfile::tempdir().expect("a directory")
}

fn journals(store: &Store) -> usize {
    std::fs::read_dir(store.dir().join("runs")).expect("reads").count()
}

#[test]
fn a_run_that_ended_is_the_teams_and_reads_the_same_on_another_machine() {
    let (here, there) = (machine(), machine());
    let Some((database, store)) = made(here.path()) else { return };
    let finished = write_run(&store, 3, 40);
    assert_eq!((finished.waits, finished.indexed), (None, Indexed::Yes));
    assert_eq!(journals(&store), 0, "it went from here once it was there");
    let other = open(&database.ann(), there.path());
    assert_eq!(other.list().expect("lists").runs, [finished.summary]);
    let record = RunRecord::from_events(fixture::run(3, 40)).expect("one run");
    assert_eq!(other.read(&id(3)[..6]).expect("reads"), record);
    assert_eq!(database.count("chunk"), "1");
    assert!(database.journals().starts_with("SECCHIJ1"));
    other.remove(&id(3)).expect("removes");
    assert!(matches!(store.remove(&id(3)), Err(StoreError::Unknown { .. })));
    assert_eq!(database.count("chunk"), "0");
}

#[test]
fn a_journal_of_many_chunks_comes_back_to_the_byte() {
    let here = machine();
    let Some((database, store)) = made(here.path()) else { return };
    let events = fixture::run(4, 2);
    let mut writer = store.create_run(&events[0]).expect("begins");
    // Longer than two chunks, and no chunk's length divides it.
    let long = model::RunEvent::Note { at: model::Nanos(1), text: "x".repeat(2_500_001) };
    writer.append(&long).expect("appends");
    let path = writer.path().to_owned();
    drop(writer);
    let journal = std::fs::read(&path).expect("reads");
    assert_eq!(store.push().expect("pushes").put, [id(4)]);
    assert_eq!(database.count("chunk"), "3");
    let run = store.recover(&id(4)).expect("reads");
    assert_eq!((run.bytes, run.record.state), (journal.len() as u64, model::RunState::Interrupted));
    // A byte changed there is found out, not shown.
    database.sql("UPDATE secchi.chunk SET bytes = set_byte(bytes, 9, 7) WHERE n = 1");
    assert!(store.read(&id(4)).expect_err("changed").to_string().contains("SHA-256 differs"));
}

#[test]
fn a_run_waits_here_while_the_server_is_away_and_goes_with_the_next() {
    let here = machine();
    let Some((database, store)) = made(here.path()) else { return };
    // To this machine, the server is away: its tables cannot be reached under this name.
    database.sql("ALTER SCHEMA secchi RENAME TO hidden");
    let finished = write_run(&store, 5, 2);
    let why = finished.waits.expect("it waits");
    assert!(why.contains("secchi runs push") && !why.contains(PASSWORD), "{why}");
    assert_eq!(journals(&store), 1);
    database.sql("ALTER SCHEMA hidden RENAME TO secchi");
    let listing = store.list().expect("lists");
    assert_eq!(listing.runs.len(), 1);
    assert!(listing.remarks[0].contains("1 of these is on this machine alone"), "{:?}", listing.remarks);
    // Seen, read and tagged while it waits.
    assert_eq!(store.read(&id(5)).expect("reads").id, id(5));
    tag(&store, 5, &["mine"], &[], None);
    let next = write_run(&store, 6, 2);
    assert_eq!((next.waits, journals(&store)), (None, 0));
    let listing = store.list().expect("lists");
    assert_eq!((listing.runs.len(), listing.remarks.len()), (2, 0));
    assert_eq!(found(&store, "tag=mine"), [5]);
}

#[test]
fn a_run_in_progress_is_not_taken_to_the_team() {
    let here = machine();
    let Some((_database, store)) = made(here.path()) else { return };
    let _writer = store.create_run(&fixture::begin(7)).expect("begins");
    let pushed = store.push().expect("pushes");
    assert_eq!((pushed.put.len(), pushed.live), (0, 1));
    assert_eq!(store.list().expect("lists").runs[0].state, RunStatus::Running);
    assert!(matches!(store.remove(&id(7)), Err(StoreError::Live { .. })));
}

#[test]
fn writers_at_the_same_time_lose_nothing_and_the_same_run_is_kept_once() {
    let Some(database) = Database::new() else { return };
    let machines: Vec<tempfile::TempDir> = (0..4).map(|_| machine()).collect();
    // Who comes first makes the tables; all may begin at once.
    std::thread::scope(|scope| {
        for (n, dir) in (0u64..).zip(&machines) {
            let url = database.ann();
            scope.spawn(move || {
                let store = open(&url, dir.path());
                store.init_team().expect("made once");
                for i in 0..5 {
                    // One's own runs, and one that every machine has.
                    assert_eq!(write_run(&store, 100 + n * 10 + i, 2).waits, None);
                }
                assert_eq!(write_run(&store, 99, 2).waits, None);
            });
        }
    });
    let store = open(&database.ann(), machines[0].path());
    let runs = store.list().expect("lists").runs;
    assert_eq!(runs.len(), 21);
    for run in runs {
        store.read(&run.id).unwrap_or_else(|e| panic!("{e}"));
    }
    // The same id with another content is refused, and stays where it is.
    let other = write_run(&store, 99, 3);
    assert!(other.waits.is_some_and(|w| w.contains("another content")));
    assert_eq!(store.push().expect("pushes").waiting.len(), 1);
    std::thread::scope(|scope| {
        for n in 0..4 {
            let store = &store;
            scope.spawn(move || (0..4).for_each(|i| tag(store, 100, &[&format!("t{n}-{i}")], &[], None)));
        }
    });
    assert_eq!(store.labels(&id(100)).expect("labels").tags.len(), 16);
}

#[test]
fn what_is_wrong_is_told_in_one_sentence_without_a_password() {
    let here = machine();
    let Some(database) = Database::new() else { return };
    let why = |url: &str| {
        let error = open(url, here.path()).reach().expect_err(url);
        let text = error.to_string();
        assert!(!text.contains(PASSWORD) && !text.contains(OTHER_PASSWORD) && !text.contains("wrong-pw"), "{text}");
        assert!(!text.contains('\n'), "{text}");
        (text, error)
    };
    let (text, error) = why(&database.ann());
    assert!(matches!(error, TeamError::Missing { .. }) && text.contains("secchi runs init"), "{text}");
    let (text, error) = why(&database.url("ann", "wrong-pw"));
    assert!(matches!(error, TeamError::Login { .. }) && text.contains("password authentication failed"), "{text}");
    let (text, error) = why(&database.ann().replace(&database.name, "nosuchdb"));
    assert!(matches!(error, TeamError::Login { .. }) && text.contains("nosuchdb"), "{text}");
    let (text, error) = why(&format!("postgres://ann:{PASSWORD}@127.0.0.1:1/x"));
    assert!(error.is_away() && text.contains("cannot reach") && text.contains("refused"), "{text}");
    let nobody = open(&database.url("bob", OTHER_PASSWORD), here.path());
    let error = nobody.init_team().expect_err("bob may not");
    assert!(matches!(error, TeamError::Denied { .. }), "{error}");
    open(&database.ann(), here.path()).init_team().expect("ann may");
    let error = nobody.reach().expect_err("bob may not read either");
    assert!(matches!(error, TeamError::Denied { .. }), "{error}");
    assert!(why(&database.url("bob", OTHER_PASSWORD)).0.contains("does not permit"));
    database.sql("UPDATE secchi.about SET version = 1");
    let (text, error) = why(&database.ann());
    assert!(matches!(error, TeamError::OtherVersion { found: 1, .. }) && text.contains("reads version 2"), "{text}");
}

#[test]
fn a_row_edited_there_is_found_out() {
    let here = machine();
    let Some((database, store)) = made(here.path()) else { return };
    let expected = write_run(&store, 8, 2).summary;
    for edit in ["verdict = 'all is well'", "state = 'sold'", "duration_ns = -1", "crc = 0", "exit_code = 7"] {
        let before = database.sql("SELECT row_to_json(run) FROM secchi.run");
        database.sql(&format!("UPDATE secchi.run SET {edit}"));
        assert_eq!(store.list().expect("lists").runs, std::slice::from_ref(&expected), "{edit}");
        database.sql("DELETE FROM secchi.run");
        database
            .sql(&format!("INSERT INTO secchi.run SELECT * FROM json_populate_record(null::secchi.run, '{before}')"));
    }
}

#[test]
fn runs_are_carried_from_and_to_a_team() {
    let (here, there) = (machine(), machine());
    let Some((_database, store)) = made(here.path()) else { return };
    write_run(&store, 11, 2);
    tag(&store, 11, &["nightly"], &[], Some("a note"));
    let mut file = Vec::new();
    assert_eq!(store.export(&[id(11)], &mut file).expect("exports").runs, 1);
    let local = crate::child::open(there.path()).with_digest(digest);
    assert_eq!(local.import(&file[..]).expect("imports").new, [id(11)]);
    assert_eq!(local.labels(&id(11)).expect("labels"), store.labels(&id(11)).expect("labels"));
    assert_eq!(store.import(&file[..]).expect("known").known, [id(11)]);
    store.remove(&id(11)).expect("removes");
    assert_eq!(store.import(&file[..]).expect("imports").new, [id(11)]);
    assert_eq!(store.push().expect("pushes").put, [id(11)]);
    assert_eq!(found(&store, "tag=nightly and note~NOTE"), [11]);
}
