//! A database writes and removes only its own files: copies, moved databases, links, edited markers and foreign files;
//! and the system calls of SQLite during these commands.

use crate::db::{Base, ops};
use crate::support::{Ended, Run, Secchi, beside, names_in, print_of, skip};
use model::Op;
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

fn set_up(engine: &str) -> Result<Base, String> {
    let base = Base::set_up(engine, "")?;
    base.run_ok("create-globals", "-g 2 -s 600");
    Ok(base)
}

fn copy(from: &Path, to: &Path) {
    assert!(Command::new("cp").arg("-a").arg(from).arg(to).status().expect("cp").success());
}

/// Returns all files below a directory with their contents.
fn contents(at: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut files = BTreeMap::new();
    let mut waiting = vec![at.to_owned()];
    while let Some(directory) = waiting.pop() {
        for entry in fs::read_dir(&directory).expect("a directory of ours").flatten() {
            let kind = entry.file_type().expect("its kind");
            if kind.is_dir() {
                waiting.push(entry.path());
            } else if kind.is_file() {
                files.insert(entry.path(), fs::read(entry.path()).expect("a file of ours"));
            }
        }
    }
    files
}

impl Base {
    /// Runs a command in the same sandbox on a database in another place.
    fn at(&self, at: &Path, verb: &str, words: &str) -> Ended {
        let mut secchi = Secchi::new(&self.sandbox.path("home"));
        secchi.arg("db").arg(verb).arg(at).words(words);
        if ["create-globals", "ranwrite", "ranread", "ranio", "history", "reset"].contains(&verb) {
            secchi.arg("--store").arg(self.sandbox.store());
        }
        secchi.run()
    }
}

fn copies_and_moves(engine: &str) {
    let base = match set_up(engine) {
        Ok(base) => base,
        Err(why) => skip!("{why}"),
    };
    let (other, moved) = (base.sandbox.data().join("copy"), base.sandbox.data().join("moved"));
    copy(&base.at, &other);
    let (original, copied) = (contents(&base.at), contents(&other));
    for (verb, words) in [
        ("create-globals", "-g 1 -s 10"),
        ("ranwrite", "-n 1"),
        ("ranio", "-n 1"),
        ("ranread", "-n 1"),
        ("get-sizes", ""),
        ("check", ""),
        ("stop", ""),
        ("history", ""),
        ("reset", ""),
        ("purge", ""),
    ] {
        base.at(&other, verb, words).refuses(3, "secchi db adopt");
    }
    assert!(contents(&base.at) == original && contents(&other) == copied, "something was written");
    base.at(&base.at, "adopt", "").refuses(3, "not a copy");
    let adopted = base.at(&other, "adopt", "");
    assert_eq!(adopted.code, 0, "{}", adopted.stderr);
    assert!(contents(&base.at) == original, "adopting wrote into the original");
    let made = base.at(&other, "create-globals", "-g 3 -s 300");
    assert_eq!(made.code, 0, "{}", made.stderr);
    assert_eq!(base.at(&other, "get-sizes", "").stdout.trim(), "3,300,300,300");
    let written = base.at(&other, "ranwrite", "-p 2 -n 500 --pause 0");
    written.measured();
    assert!(contents(&base.at) == original, "the copy wrote into the original");
    base.counts_are(2, 600);
    assert_eq!(base.at(&other, "check", "").code, 0);
    let purged = base.at(&other, "purge", "");
    assert!(purged.code == 0 && !other.exists(), "{}", purged.stderr);
    // A moved database stays the same database.
    fs::rename(&base.at, &moved).expect("the same file system");
    let sizes = base.at(&moved, "get-sizes", "");
    assert_eq!((sizes.code, sizes.stdout.trim()), (0, "2,600,600"), "{}", sizes.stderr);
    let written = base.at(&moved, "ranwrite", "-p 2 -n 500 --pause 0");
    written.measured();
    assert!(base.at(&moved, "history", "").stdout.contains("RanWrite"));
    assert!(!base.at.exists(), "nothing is made where it was");
    // Files of others remain, even deep inside.
    let mut foreign = vec![moved.join("data/notes.txt"), moved.join("work/sub/notes.txt")];
    if engine == "postgres" {
        foreign.push(moved.join("data/cluster/base/notes.txt"));
    }
    for path in &foreign {
        fs::create_dir_all(path.parent().expect("a room")).expect("a directory of ours");
        fs::write(path, "theirs").expect("a file of ours");
    }
    let purged = base.at(&moved, "purge", "");
    assert_eq!(purged.code, 3, "{}", purged.stderr);
    for path in &foreign {
        let named = path.iter().next_back().is_some_and(|n| purged.stderr.contains(n.to_str().unwrap_or_default()))
            || purged.stderr.contains("work/sub");
        assert!(named && fs::read(path).is_ok_and(|t| t == b"theirs"), "{}: {}", path.display(), purged.stderr);
    }
    let left: Vec<PathBuf> = contents(&moved).into_keys().collect();
    assert!(left.len() <= foreign.len() + 3, "{left:?}");
    for path in &foreign {
        fs::remove_file(path).expect("a file of ours");
    }
    fs::remove_dir(moved.join("work/sub")).expect("a directory of ours");
    let purged = base.at(&moved, "purge", "");
    assert!(purged.code == 0 && !moved.exists(), "{}", purged.stderr);
}

#[test]
fn copies_are_told_and_adopted_and_foreign_files_stay_on_sqlite() {
    let _beside = beside();
    copies_and_moves("sqlite");
}

#[test]
fn copies_are_told_and_adopted_and_foreign_files_stay_on_gtm() {
    let _beside = beside();
    copies_and_moves("gtm");
}

#[test]
fn copies_are_told_and_adopted_and_foreign_files_stay_on_postgres() {
    let _beside = beside();
    copies_and_moves("postgres");
}

#[test]
fn a_room_that_is_a_link_to_somebodys_databases_is_never_entered() {
    let _beside = beside();
    for engine in ["sqlite", "gtm", "postgres"] {
        let base = match set_up(engine) {
            Ok(base) => base,
            Err(why) => skip!("{why}"),
        };
        // They have the same names as the files of a database of secchi.
        let foreign = base.sandbox.path("theirs");
        copy(&base.at.join("data"), &foreign);
        let before = contents(&foreign);
        fs::remove_dir_all(base.at.join("data")).expect("a room of ours");
        symlink(&foreign, base.at.join("data")).expect("a link of ours");
        for (verb, words) in [("create-globals", "-g 1 -s 10"), ("ranwrite", "-n 1"), ("get-sizes", ""), ("purge", "")]
        {
            base.at(&base.at, verb, words).refuses(3, "symbolic link");
        }
        // A marker that names them, in either form.
        fs::remove_file(base.at.join("data")).expect("a link of ours");
        let marker = base.at.join("secchi-database.json");
        let text = fs::read_to_string(&marker).expect("the marker");
        let named = text.replace("\"data\"\n", &format!("\"{}\"\n", foreign.display()));
        assert_ne!(named, text);
        fs::write(&marker, named).expect("the marker");
        for (verb, words) in [("create-globals", "-g 1 -s 10"), ("ranwrite", "-n 1"), ("check", ""), ("purge", "")] {
            let refused = base.at(&base.at, verb, words);
            assert_eq!(refused.code, 3, "{engine} {verb}: {}", refused.stderr);
        }
        assert!(contents(&foreign) == before, "{engine} wrote there");
    }
}

#[test]
fn files_that_are_somebody_elses_are_not_opened_for_a_global() {
    let _beside = beside();
    let base = match set_up("sqlite") {
        Ok(base) => base,
        Err(why) => skip!("{why}"),
    };
    let room = base.at.join("data");
    // A file for a global that was never created is left alone; a file in place of one of the globals ends the command.
    let mut stranger = fs::read(room.join("g1.db")).expect("a global");
    // An SQLite database without the application_id of secchi.
    stranger[68..72].fill(0);
    fs::write(base.sandbox.path("stranger.db"), stranger).expect("a file of ours");
    fs::copy(base.sandbox.path("stranger.db"), room.join("g7.db")).expect("a copy of ours");
    let before = print_of(&room.join("g7.db"));
    base.run_ok("ranwrite", "-p 2 -n 100 --pause 0");
    base.counts_are(2, 600);
    assert_eq!(print_of(&room.join("g7.db")), before);
    fs::copy(base.sandbox.path("stranger.db"), room.join("g2.db")).expect("a copy of ours");
    let before = print_of(&room.join("g2.db"));
    for (verb, words) in [("ranwrite", "-n 1"), ("create-globals", "-g 2 -s 10"), ("check", "")] {
        base.db(verb, words).refuses(3, "not the file that was created");
    }
    assert_eq!(print_of(&room.join("g2.db")), before);
    let purged = base.db("purge", "");
    assert!(
        purged.code == 3 && purged.stderr.contains("g2.db") && purged.stderr.contains("g7.db"),
        "{}",
        purged.stderr
    );
    let names = names_in(&room);
    assert!(names.iter().all(|n| ["g2.db", "g7.db", ".secchi-stamp"].contains(&n.as_str())), "{names:?}");
}

#[test]
fn globals_of_sqlite_are_made_anew_as_often_as_one_likes() {
    let _beside = beside();
    let base = match set_up("sqlite") {
        Ok(base) => base,
        Err(why) => skip!("{why}"),
    };
    for round in 1..=12 {
        base.run_ok("create-globals", &format!("-g 4 -s {} --write-back 100ms", 100 * round));
    }
    base.counts_are(4, 1200);
    base.run_ok("check", "");
}

/// Returns the run and the system calls on the database's files during a run of `ranwrite`.
fn calls(base: &Base, words: &str) -> Result<(Run, Vec<String>), String> {
    let out = base.sandbox.path("calls.txt");
    let mut strace = Command::new("strace");
    strace.args(["-f", "-y", "-qq", "-e", "trace=openat,pwrite64,write,fsync,fdatasync", "-o"]).arg(&out);
    strace.arg(env!("CARGO_BIN_EXE_secchi")).args(["db", "ranwrite"]).arg(&base.at).args(words.split_whitespace());
    strace.arg("--json").arg("--store").arg(base.sandbox.store()).env("HOME", base.sandbox.path("home"));
    let started = Instant::now();
    let output = strace.output().map_err(|e| format!("strace: {e}"))?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let ended = Ended {
        code: output.status.code().unwrap_or(-1),
        stdout: text(&output.stdout),
        stderr: text(&output.stderr),
        took: started.elapsed(),
    };
    if ended.code != 0 && !ended.starved() {
        return Err(format!("{}{}", ended.stdout, ended.stderr));
    }
    let run = ended.json();
    let room = base.at.join("data").display().to_string();
    let text = fs::read_to_string(&out).map_err(|e| e.to_string())?;
    Ok((run, text.lines().filter(|l| l.contains(&room)).map(str::to_owned).collect()))
}

#[test]
fn what_sqlite_says_of_its_journal_and_of_writing_back_is_what_the_kernel_saw() {
    let _beside = beside();
    let base = match set_up("sqlite") {
        Ok(base) => base,
        Err(why) => skip!("{why}"),
    };
    let count =
        |calls: &[String], needles: &[&str]| calls.iter().filter(|l| needles.iter().all(|n| l.contains(n))).count();
    // The journal mode is changed beforehand, so that the traced run only writes.
    base.run_ok("ranwrite", "-p 2 -n 100 --pause 0 --journal-mode off");
    let (run, off) = match calls(&base, "-p 2 -n 1000 --pause 0 --journal-mode off") {
        Ok(traced) => traced,
        Err(why) => skip!("no system calls can be traced: {why}"),
    };
    assert_eq!(ops(&run, Op::Write), 2000);
    let made = |suffix: &str| count(&off, &["openat", "O_CREAT", suffix]);
    assert_eq!((made("-journal"), made("-wal")), (0, 0), "{off:#?}");
    // Forty commits that do not wait: secchi flushes each file once before the run and once after it.
    assert_eq!((count(&off, &[" fsync("]), count(&off, &["fdatasync("])), (0, 4), "{off:#?}");
    assert!(count(&off, &["pwrite64", ".db>"]) > 0);
    let (run, on) = calls(&base, "-p 2 -n 4000 --pause 0 --write-back 200ms").expect("strace works");
    let database = run.record.database().expect("the engine's counts");
    let pages = database.counters.iter().find(|(name, _)| name == "checkpointed_pages").map_or(0.0, |(_, n)| *n);
    // Pages remaining at the end are written back after the last count.
    let written = count(&on, &["pwrite64", ".db>"]);
    assert!(pages <= written as f64, "{pages} pages told, {written} written");
    let phases: u64 = database.phases.iter().filter_map(|p| p.pages).sum();
    assert!(phases as f64 <= written as f64, "{phases} in phases, {written} written");
    assert_eq!(count(&on, &[" fsync("]), 0, "every flush is an fdatasync");
    assert!(count(&on, &["fdatasync("]) >= 160, "each commit waits for its own");
}
