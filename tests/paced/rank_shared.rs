//! One file for several ranks: `qualify` and `mark` with `--shared-file`. strace shows which rank wrote which blocks.

use crate::ranks::{MPI_FILES, load_of_rank, mpirun, program};
use crate::support::{PATIENCE, Sandbox, beside, eventually, names_in, skip, tool};
use model::Bytes;
use rustix::process::{Signal, kill_process};
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

/// Two short write tests: threads at random offsets, and one in sequence.
const WRITES: &str =
    "-n 1 -t 0.2 -i 0 --size 2m --only write --engine psync --test RND4K-Q1T2 --test SEQ4K-Q1T1 --json";

fn ranks(n: &'static str) -> [&'static OsStr; 2] {
    [OsStr::new("-n"), OsStr::new(n)]
}

/// Returns the offsets of the 4 KiB blocks that each thread wrote to a test file.
fn places(log: &str) -> BTreeMap<&str, BTreeSet<u64>> {
    let mut offsets: BTreeMap<&str, BTreeSet<u64>> = BTreeMap::new();
    for line in log.lines().filter(|line| line.contains("pwrite64(") && line.contains(".dat>")) {
        let Some((_, rest)) = line.rsplit_once(", 4096, ") else { continue };
        let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
        let (Some(thread), Ok(at)) = (line.split(' ').next(), digits.parse()) else { continue };
        offsets.entry(thread).or_default().insert(at);
    }
    offsets
}

#[test]
fn each_rank_writes_its_own_part_of_one_file_and_nothing_is_left() {
    let _beside = beside();
    if let Err(why) = tool("strace", &["-V".as_ref()]) {
        skip!("{why}");
    }
    let sandbox = Sandbox::new();
    let program = match program(&sandbox) {
        Ok(program) => program,
        Err(why) => skip!("{why}"),
    };
    let part = 2u64 << 20;
    // Owner of an offset.
    let owners: [(&str, &dyn Fn(u64) -> u64); 2] =
        [("segmented", &|at| at / part), ("interleaved", &|at| at / 4096 % 3)];
    for (how, owner) in owners {
        let log = sandbox.path(how);
        let ended = Command::new("strace")
            .args(["-f", "-y", "--seccomp-bpf", "-e", "trace=pwrite64", "-o"])
            .arg(&log)
            .args(["mpirun", "--allow-run-as-root", "--oversubscribe", "--bind-to", "none", "-n", "3"])
            .arg(&program)
            .args(["mark", &format!("--shared-file={how}")])
            .arg(sandbox.data())
            .arg("--store")
            .arg(sandbox.store())
            .args(WRITES.split(' '))
            .env(MPI_FILES, sandbox.root())
            .output()
            .expect("it starts");
        let log = std::fs::read_to_string(&log).unwrap_or_default();
        if !log.contains("pwrite64(") {
            skip!("strace may not trace here");
        }
        assert!([Some(0), Some(2)].contains(&ended.status.code()), "{ended:?}");
        let threads = places(&log);
        // Three threads per rank: two random, one sequential.
        assert!(threads.len() >= 9, "{how}: {:?}", threads.keys());
        let mut counts = BTreeMap::<u64, u64>::new();
        for (thread, places) in &threads {
            let owners: BTreeSet<u64> = places.iter().map(|at| owner(*at)).collect();
            assert!(owners.len() == 1, "{how}: thread {thread} wrote what is of {owners:?}");
            *counts.entry(*owners.first().expect("one")).or_default() += 1;
        }
        assert_eq!(counts.keys().copied().collect::<Vec<_>>(), [0, 1, 2], "{how}");
        assert!(threads.values().flatten().all(|at| *at < 3 * part), "{how}: beyond the file");
        assert_eq!(names_in(&sandbox.data()), Vec::<String>::new(), "{how}: rank 0 removes it");
        let run = sandbox.newest().expect("it is kept");
        assert_eq!(run.record.plan.fill, Bytes(3 * part), "filled once");
        let paths: BTreeSet<_> = run.record.plan.targets.iter().map(|t| &t.target.path).collect();
        assert_eq!((run.record.plan.targets.len(), paths.len()), (3, 1), "one file");
    }
}

#[test]
fn a_file_that_is_kept_is_taken_up_by_all_and_one_rank_alone_has_all_of_it() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    let program = match program(&sandbox) {
        Ok(program) => program,
        Err(why) => skip!("{why}"),
    };
    let (data, store) = (sandbox.data(), sandbox.store());
    let words = |more: &str| format!("mark {} --store {} {WRITES} {more}", data.display(), store.display());
    let first = mpirun(&sandbox, &program, &ranks("2"), &words("--shared-file --keep")).run();
    assert!([0, 2].contains(&first.code), "{}", first.stderr);
    let kept = names_in(&data);
    assert!(kept.len() == 2 && kept[0].ends_with(".dat"), "{kept:?}");
    let again = mpirun(&sandbox, &program, &ranks("2"), &words("--shared-file=interleaved")).run();
    assert!([0, 2].contains(&again.code), "{}", again.stderr);
    let run = sandbox.newest().expect("it is kept");
    assert_eq!((run.record.plan.fill, run.record.plan.targets.len()), (Bytes(0), 2), "nothing was filled again");
    assert_eq!(run.record.plan.targets[1].target.path, data.join(&kept[0]));
    assert_eq!(names_in(&data), kept, "who kept it wants it still");

    // As in scripts that start with one process.
    let one = mpirun(&sandbox, &program, &ranks("1"), &words("--shared-file")).run();
    assert!([0, 2].contains(&one.code), "{}", one.stderr);
    let run = sandbox.newest().expect("it is kept");
    assert!(run.record.plan.targets.is_empty() && run.record.preflight.ranks.is_empty());
    assert_eq!(run.record.plan.target.size, Bytes(2 << 20));
    let alone = sandbox.secchi(&words("--shared-file").replace(&format!("--store {}", store.display()), "")).run();
    assert_eq!(alone.code, 64, "{}", alone.stderr);
    assert!(alone.stderr.contains("start it with mpirun"), "{}", alone.stderr);
}

#[test]
fn what_one_rank_does_not_see_is_said_once_and_what_was_made_is_removed() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    let program = match program(&sandbox) {
        Ok(program) => program,
        Err(why) => skip!("{why}"),
    };
    // Each rank has another directory, as if the path were not shared.
    let mut launcher = crate::ranks::launcher(&sandbox);
    for rank in 0..2 {
        let data = sandbox.data().join(format!("host-{rank}"));
        std::fs::create_dir(&data).expect("ours");
        let words = format!("mark {} --store {} {WRITES} --shared-file", data.display(), sandbox.store().display());
        launcher.words(if rank == 0 { "-n 1" } else { ": -n 1" }).arg(&program).words(&words);
    }
    let ended = launcher.run();
    assert_eq!(ended.code, 3, "{}", ended.stderr);
    // Rank 0 announces the bound on writes.
    let is_error = |line: &&str| line.starts_with("secchi: ") && !line.contains("--max-written SIZE");
    let said: Vec<&str> = ended.stderr.lines().filter(is_error).collect();
    assert!(
        said.len() == 1 && said[0].contains(":1: ") && said[0].contains("this host does not see it"),
        "{}",
        ended.stderr
    );
    for rank in 0..2 {
        assert_eq!(names_in(&sandbox.data().join(format!("host-{rank}"))), Vec::<String>::new());
    }
}

#[test]
fn a_file_whose_rank_0_is_gone_is_removed_by_the_others() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    let program = match program(&sandbox) {
        Ok(program) => program,
        Err(why) => skip!("{why}"),
    };
    let words = format!(
        "mark {} --store {} -n 1 -t 600 -i 0 --size 2m --test RND4K-Q1T1 --only read --shared-file",
        sandbox.data().display(),
        sandbox.store().display()
    );
    let running = mpirun(&sandbox, &program, &ranks("3"), &words).start();
    sandbox.wait_until_measured(&running);
    assert!(held(&sandbox.data()), "{:?}", names_in(&sandbox.data()));
    let load = load_of_rank(&sandbox.data(), 0).expect("the load process of rank 0");
    kill_process(load, Signal::KILL).expect("our own child can be killed");
    assert!(eventually(PATIENCE, || !held(&sandbox.data())), "{:?}", names_in(&sandbox.data()));
    let ended = running.wait(Duration::from_secs(60));
    assert_ne!(ended.code, 0, "{}", ended.stderr);
    assert_eq!(names_in(&sandbox.data()), Vec::<String>::new());
    assert!(sandbox.newest().expect("it is kept").record.state.has_no_end());
}

fn held(data: &Path) -> bool {
    names_in(data).iter().any(|name| name.ends_with(".dat"))
}
