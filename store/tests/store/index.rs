//! Tests that runs continue and that every run is listed, in any state of the index.

use crate::child::{judge, open, write_run};
use rusqlite::Connection;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;
use store::fixture::{self, id, scramble};
use store::{Indexed, RunStatus, RunSummary, Store};

/// Time to wait for the lock in tests in which another process holds the index permanently. In other tests, the index
/// may be locked for a moment: a process that is just being started has a copy of every descriptor, with its lock,
/// until its exec.
const SHORT: Duration = Duration::from_millis(60);

/// Returns a store with `n` finished runs, and its listing. The index is one file, without a log.
fn filled(dir: &Path, n: u64) -> (Store, Vec<RunSummary>) {
    let store = open(dir);
    for seed in 0..n {
        assert_eq!(write_run(&store, seed, 1).indexed, Indexed::Yes);
    }
    let listed = store.list().expect("lists");
    assert_eq!((listed.indexed, listed.runs.len() as u64), (Indexed::Yes, n));
    (store, listed.runs)
}

fn index(dir: &Path) -> PathBuf {
    dir.join("index.sqlite")
}

fn reason(indexed: &Indexed) -> &str {
    match indexed {
        Indexed::No(why) => why,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_locked_index_delays_a_run_but_loses_nothing() {
    let dir = tempfile::tempdir().expect("a temporary directory");
    let (store, _) = filled(dir.path(), 2);
    let other = Connection::open(index(dir.path())).expect("opens");
    other.execute_batch("BEGIN EXCLUSIVE").expect("locks");
    let store = store.with_patience(SHORT);
    let mut writer = store.create_run(&fixture::run(7, 0)[0]).expect("the run begins all the same");
    assert!(reason(writer.indexed()).contains("locked"), "{:?}", writer.indexed());
    for event in &fixture::run(7, 3)[1..] {
        writer.append(event).expect("appends");
    }
    let finished = writer.finish("fit").expect("finishes");
    assert!(reason(&finished.indexed).contains("locked"));
    let while_locked = store.list().expect("lists");
    assert!(reason(&while_locked.indexed).contains("locked"));
    assert_eq!(while_locked.runs.len(), 3);
    other.execute_batch("ROLLBACK").expect("unlocks");
    let after = open(dir.path()).list().expect("lists");
    assert_eq!((after.indexed, after.runs.len()), (Indexed::Yes, 3));
    assert!(after.runs.iter().any(|r| r.id == id(7) && r.state == RunStatus::Complete));
}

#[test]
fn any_flipped_byte_of_the_index_changes_no_listing() {
    // In memory if possible, because the test makes thousands of small synchronous writes.
    let dir = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).expect("a temporary directory");
    let (store, expected) = filled(dir.path(), 12);
    let path = index(dir.path());
    let whole = fs::read(&path).expect("reads");
    let mut repaired = 0;
    for n in 0..500u64 {
        // The first page contains SQLite's data about the file. Change every byte of its head, then random bytes.
        let at = if n < 110 { usize::try_from(n).expect("small") } else { scramble(n) as usize % whole.len() };
        let mut damaged = whole.clone();
        damaged[at] ^= [0x01, 0x10, 0x80, 0xff][n as usize % 4];
        for suffix in ["-wal", "-shm"] {
            let _ = fs::remove_file(path.with_file_name(format!("index.sqlite{suffix}")));
        }
        fs::write(&path, &damaged).expect("writes");
        let listed = store.list().expect("lists");
        assert_eq!(listed.runs, expected, "byte {at}");
        match listed.indexed {
            Indexed::Yes => {}
            Indexed::Repaired(aside) => {
                repaired += 1;
                assert_eq!(fs::read(&aside).expect("kept aside").len(), damaged.len());
                fs::remove_file(aside).expect("removes");
            }
            Indexed::No(why) => panic!("byte {at}: {why}"),
        }
        let again = store.list().expect("lists");
        assert_eq!((again.indexed, again.runs), (Indexed::Yes, expected.clone()), "byte {at}");
    }
    assert!(repaired > 0);
}

#[test]
fn a_deleted_truncated_or_foreign_index_is_made_again() {
    let dir = tempfile::tempdir().expect("a temporary directory");
    let (store, expected) = filled(dir.path(), 5);
    let path = index(dir.path());
    let damages: [&dyn Fn(); 5] = [
        &|| fs::remove_file(&path).expect("removes"),
        &|| fs::write(&path, b"").expect("writes"),
        &|| fs::write(&path, b"not a database at all, but long enough to look at".repeat(200)).expect("writes"),
        &|| fs::write(&path, &fs::read(&path).expect("reads")[..5000]).expect("writes"),
        &|| {
            let foreign = Connection::open(&path).expect("opens");
            foreign.execute_batch("DROP TABLE run; PRAGMA user_version = 0; CREATE TABLE theirs (x)").expect("runs");
        },
    ];
    for (i, damage) in damages.iter().enumerate() {
        damage();
        let listed = store.list().expect("lists");
        assert_eq!(listed.runs, expected, "damage {i}");
        assert!(!matches!(listed.indexed, Indexed::No(_)), "damage {i}: {:?}", listed.indexed);
        assert_eq!(store.list().expect("lists").indexed, Indexed::Yes, "damage {i}");
    }
}

#[test]
fn an_index_whose_head_forbids_writing_is_made_again() {
    let dir = tempfile::tempdir().expect("a temporary directory");
    let (store, expected) = filled(dir.path(), 2);
    let mut bytes = fs::read(index(dir.path())).expect("reads");
    // The write version in SQLite's header. With a value above those that SQLite supports, the file is read-only.
    bytes[18] = 9;
    fs::write(index(dir.path()), bytes).expect("writes");
    assert!(matches!(write_run(&store, 5, 1).indexed, Indexed::Yes));
    let listed = store.list().expect("lists");
    assert_eq!((listed.indexed, listed.runs.len()), (Indexed::Yes, expected.len() + 1));
}

#[test]
fn a_damaged_index_is_not_replaced_under_somebody_who_has_it_open() {
    let dir = tempfile::tempdir().expect("a temporary directory");
    let (store, expected) = filled(dir.path(), 3);
    let damaged = vec![7; 8192];
    fs::write(index(dir.path()), &damaged).expect("writes");
    let user = fs::File::open(dir.path().join("index.lock")).expect("opens");
    assert!(sys::locks::lock_file(&user, false).expect("locks"));
    let listed = open(dir.path()).with_patience(SHORT).list().expect("lists");
    assert!(reason(&listed.indexed).contains("locked"));
    assert_eq!(listed.runs, expected);
    assert_eq!(fs::read(index(dir.path())).expect("reads"), damaged);
    drop(user);
    let listed = store.list().expect("lists");
    assert!(matches!(&listed.indexed, Indexed::Repaired(aside) if fs::read(aside).expect("reads") == damaged));
    assert_eq!(listed.runs, expected);
}

#[test]
fn a_log_left_from_a_deleted_index_does_not_leak_into_the_new_one() {
    let dir = tempfile::tempdir().expect("a temporary directory");
    let (store, expected) = filled(dir.path(), 3);
    // An open connection prevents the log from being deleted.
    let other = Connection::open(index(dir.path())).expect("opens");
    other.execute_batch("UPDATE run SET verdict = 'stale'").expect("runs");
    fs::copy(dir.path().join("index.sqlite-wal"), dir.path().join("kept")).expect("the log exists");
    drop(other);
    fs::remove_file(index(dir.path())).expect("removes");
    fs::rename(dir.path().join("kept"), dir.path().join("index.sqlite-wal")).expect("renames");
    assert_eq!(store.list().expect("lists").runs, expected);
    assert_eq!(store.list().expect("lists").indexed, Indexed::Yes);
}

#[test]
fn an_index_of_another_version_is_rebuilt_from_the_journals() {
    let dir = tempfile::tempdir().expect("a temporary directory");
    let (store, expected) = filled(dir.path(), 2);
    for version in [0, 4, 99] {
        for suffix in ["", "-wal", "-shm"] {
            let _ = fs::remove_file(dir.path().join(format!("index.sqlite{suffix}")));
        }
        let other = Connection::open(index(dir.path())).expect("opens");
        other
            .execute_batch(&format!("CREATE TABLE run (id TEXT) STRICT; PRAGMA user_version = {version}"))
            .expect("runs");
        drop(other);
        let listed = store.list().expect("lists");
        assert_eq!(listed.runs, expected, "version {version}");
        assert_eq!(listed.indexed == Indexed::Yes, version != 0, "version {version}: {:?}", listed.indexed);
    }
}

#[test]
fn a_directory_in_place_of_the_index_is_told_and_the_journals_are_listed() {
    let dir = tempfile::tempdir().expect("a temporary directory");
    let (store, expected) = filled(dir.path(), 2);
    fs::remove_file(index(dir.path())).expect("removes");
    fs::create_dir(index(dir.path())).expect("creates");
    let listed = store.list().expect("lists");
    assert!(matches!(listed.indexed, Indexed::No(_)));
    assert_eq!(listed.runs, expected);
}

#[test]
fn an_edited_row_is_found_out_and_corrected() {
    let dir = tempfile::tempdir().expect("a temporary directory");
    let (store, expected) = filled(dir.path(), 3);
    let edits = [
        "verdict = 'all is well'",
        "state = 'running'",
        "state = 'sold'",
        "duration_ns = -1",
        "started = ''",
        "crc = 0",
    ];
    for edit in edits {
        let other = Connection::open(index(dir.path())).expect("opens");
        other.execute(&format!("UPDATE run SET {edit} WHERE id = ?1"), [id(1)]).expect("runs");
        drop(other);
        let listed = store.list().expect("lists");
        assert_eq!((listed.runs, listed.indexed), (expected.clone(), Indexed::Yes), "{edit}");
        let stored: String = Connection::open(index(dir.path()))
            .expect("opens")
            .query_row("SELECT verdict FROM run WHERE id = ?1", [id(1)], |row| row.get(0))
            .expect("a row");
        assert_eq!(stored, judge(&store.read(&id(1)).expect("reads")), "{edit}");
    }
}

#[test]
fn journals_put_in_or_taken_out_by_hand_are_noticed() {
    let (a, b) = (tempfile::tempdir().expect("a directory"), tempfile::tempdir().expect("a directory"));
    let (store, _) = filled(a.path(), 2);
    filled(b.path(), 3);
    let runs = |dir: &Path| dir.join("runs");
    fs::copy(runs(b.path()).join(format!("{}.journal", id(2))), runs(a.path()).join(format!("{}.journal", id(2))))
        .expect("copies");
    fs::remove_file(runs(a.path()).join(format!("{}.journal", id(0)))).expect("removes");
    let listed = store.list().expect("lists");
    assert_eq!(listed.runs.iter().map(|r| r.id.clone()).collect::<Vec<_>>(), [id(2), id(1)]);
    let rows: i64 = Connection::open(index(a.path()))
        .expect("opens")
        .query_row("SELECT count(*) FROM run", [], |row| row.get(0))
        .expect("a count");
    assert_eq!(rows, 2);
}

#[test]
fn everything_in_the_store_is_its_owners_alone() {
    let outer = tempfile::tempdir().expect("a temporary directory");
    let dir = outer.path().join("made/by/us");
    let (store, _) = filled(&dir, 1);
    // While a connection is open, the log and the shared memory also exist.
    let _other = Connection::open(index(&dir)).expect("opens").query_row("SELECT 1 FROM run", [], |_| Ok(()));
    let _writer = store.create_run(&fixture::run(5, 0)[0]).expect("begins");
    let mode = |path: &Path| path.metadata().expect("exists").permissions().mode() & 0o777;
    assert_eq!((mode(&dir), mode(&dir.join("runs"))), (0o700, 0o700));
    for folder in [dir.clone(), dir.join("runs")] {
        for entry in fs::read_dir(folder).expect("reads") {
            let path = entry.expect("reads").path();
            assert!(path.is_dir() || mode(&path) == 0o600, "{} has mode {:o}", path.display(), mode(&path));
        }
    }
}
