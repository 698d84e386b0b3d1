//! Files and names on several hosts: three ranks on this machine work in one directory, count their operations and
//! leave nothing.

use crate::ranks::{MPI_FILES, load_of_rank, mpirun, program};
use crate::support::{Ended, PATIENCE, Running, Sandbox, beside, eventually, names_in, skip, tool};
use model::{RunState, metadata::METADATA_PHASES};
use rustix::process::{Signal, kill_process};
use std::ffi::OsStr;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

const THREE: [&str; 2] = ["-n", "3"];

fn words(sandbox: &Sandbox, more: &str) -> String {
    format!("qualify --metadata {} --store {} {more}", sandbox.data().display(), sandbox.store().display())
}

fn three(program: &Path, sandbox: &Sandbox, more: &str) -> Ended {
    mpirun(sandbox, program, &THREE.map(OsStr::new), &words(sandbox, more)).run()
}

/// Returns the directory that such a run creates.
fn own(sandbox: &Sandbox) -> Option<PathBuf> {
    let name = names_in(&sandbox.data()).into_iter().find(|name| name.ends_with(".files"))?;
    Some(sandbox.data().join(name))
}

fn nothing_left(sandbox: &Sandbox) -> bool {
    own(sandbox).is_none()
}

/// Starts three ranks and waits until each of them is creating files.
fn busy(program: &Path, sandbox: &Sandbox) -> Running {
    // More than are created until the signal, but of 6 GB at most, in case little space is free.
    let words = words(sandbox, "--metadata-files 400k --metadata-threads 1");
    let running = mpirun(sandbox, program, &THREE.map(OsStr::new), &words).start();
    let files =
        |own: &Path, owner: u32| std::fs::read_dir(own.join(format!("easy.{owner}"))).map_or(0, Iterator::count);
    let all_busy = || own(sandbox).is_some_and(|own| (0..3).all(|owner| files(&own, owner) > 200));
    assert!(eventually(PATIENCE, all_busy), "{}", running.stderr());
    running
}

#[test]
fn all_ranks_work_in_one_directory_and_every_file_is_counted() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    let program = match program(&sandbox) {
        Ok(program) => program,
        Err(why) => skip!("{why}"),
    };
    let ended = three(&program, &sandbox, "--metadata-files 300 --metadata-threads 2");
    assert!([0, 2].contains(&ended.code), "{}: {}{}", ended.code, ended.stdout, ended.stderr);
    assert!(nothing_left(&sandbox), "{:?}", names_in(&sandbox.data()));
    assert_eq!(names_in(&sandbox.data()), Vec::<String>::new());
    assert!(ended.stdout.contains("1,800 files of each shape, by 6 threads on 3 hosts"), "{}", ended.stdout);
    let run = sandbox.newest().expect("it is kept");
    assert_eq!((run.record.state, run.record.preflight.ranks.len()), (RunState::Complete, 3));
    let figures = run.judgement.metadata().expect("it is about names");
    assert_eq!((figures.threads, figures.files_each, figures.one_directory), (6, 300, Some(true)));
    assert_eq!(figures.hosts.len(), 3);
    let phases: Vec<_> = figures.phases.iter().map(|p| (p.shape, p.phase)).collect();
    assert_eq!(phases, METADATA_PHASES);
    for of in &figures.phases {
        assert_eq!((of.all.files, of.all.errors, of.steps.len()), (1800, 0, 6), "{}", of.label());
        let each: Vec<u64> = of.hosts.iter().map(|host| host.files).collect();
        assert_eq!(each, [600; 3], "{}", of.label());
        // All files over the time from the first start to the last end, according to the steps of the record.
        let steps: Vec<_> = of.steps.iter().map(|i| run.record.steps[*i].total()).collect();
        let begin = steps.iter().map(|s| s.start).min().expect("six");
        let end = steps.iter().map(|s| s.start.saturating_add(s.length)).max().expect("six");
        assert_eq!(of.all.time, end.since(begin), "{}", of.label());
        assert!(of.hosts.iter().all(|host| host.time <= of.all.time));
        assert_eq!(of.durable_rate.is_some(), of.phase.changes(), "each of them synced: {}", of.label());
        // They started within the time window that they had agreed on.
        let late = steps.iter().map(|s| s.start.since(begin)).max().expect("six");
        assert!(late < model::Nanos::from_secs(2), "{}: {late}", of.label());
    }
    assert!(!run.judgement.caveats.iter().any(|c| c.id == "hard-apart"), "{:?}", run.judgement.caveats);
    assert_eq!(sandbox.secchi("runs --ids").run().stdout.lines().count(), 1, "one run, kept once");
}

#[test]
fn strace_counts_the_files_of_all_ranks() {
    let _beside = beside();
    if let Err(why) = tool("strace", &["-V".as_ref()]) {
        skip!("{why}");
    }
    let sandbox = Sandbox::new();
    let program = match program(&sandbox) {
        Ok(program) => program,
        Err(why) => skip!("{why}"),
    };
    let counted = |files: u64| -> Option<[u64; 3]> {
        let log = sandbox.path(&format!("calls-{files}"));
        let words = words(&sandbox, &format!("--json --metadata-threads 1 --metadata-files {files}"));
        let ended = Command::new("strace")
            .args(["-f", "--seccomp-bpf", "-e", "trace=openat,unlinkat,newfstatat,statx", "-o"])
            .arg(&log)
            .args(["mpirun", "--allow-run-as-root", "--oversubscribe", "--bind-to", "none", "-n", "3"])
            .arg(&program)
            .args(words.split(' '))
            .env(MPI_FILES, sandbox.root())
            .output()
            .expect("it starts");
        let text = std::fs::read_to_string(&log).ok().filter(|t| t.contains("openat"))?;
        assert!([Some(0), Some(2)].contains(&ended.status.code()), "{ended:?}");
        // Successful calls that name a file of the run.
        let count = |calls: &[&str]| {
            let ours = text.lines().filter(|l| l.contains("\"file.mdtest.") && !l.contains("= -1"));
            ours.filter(|l| calls.iter().any(|call| l.contains(call))).count() as u64
        };
        Some([count(&["openat("]), count(&["unlinkat("]), count(&["newfstatat(", "statx("])])
    };
    let Some(calls) = counted(200) else { skip!("strace may not trace here") };
    // Files are created in both shapes and read in one, removed in both, and stat'ed in both.
    let total = 3 * 200;
    assert_eq!(calls, [3 * total, 2 * total, 2 * total]);
    assert!(nothing_left(&sandbox));
}

#[test]
fn an_interrupt_ends_all_ranks_and_leaves_nothing() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    let program = match program(&sandbox) {
        Ok(program) => program,
        Err(why) => skip!("{why}"),
    };
    let running = busy(&program, &sandbox);
    let leader = load_of_rank(&sandbox.data(), 0).expect("the load process of rank 0");
    kill_process(leader, Signal::INT).expect("our own child can be told");
    let ended = running.wait(PATIENCE);
    assert!(eventually(PATIENCE, || nothing_left(&sandbox)), "{:?} {}", names_in(&sandbox.data()), ended.stderr);
    let run = sandbox.newest().expect("it is kept");
    assert_eq!(run.record.state, RunState::Stopped);
}

#[test]
fn a_rank_that_is_killed_ends_the_run_and_what_it_made_goes_with_the_rest() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    let program = match program(&sandbox) {
        Ok(program) => program,
        Err(why) => skip!("{why}"),
    };
    let running = busy(&program, &sandbox);
    let load = load_of_rank(&sandbox.data(), 2).expect("the load process of rank 2");
    kill_process(load, Signal::KILL).expect("our own child can be killed");
    let ended = running.wait(Duration::from_secs(60));
    assert_eq!(ended.code, 5, "{}", ended.stderr);
    assert!(nothing_left(&sandbox), "{:?} {}", names_in(&sandbox.data()), ended.stderr);
    let run = sandbox.newest().expect("it is kept");
    assert_eq!(run.record.state, RunState::Hung);
    assert!(run.record.reason.contains(":2 is gone"), "{}", run.record.reason);
}

#[test]
fn rank_0_that_is_killed_leaves_no_files_either() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    let program = match program(&sandbox) {
        Ok(program) => program,
        Err(why) => skip!("{why}"),
    };
    let running = busy(&program, &sandbox);
    let load = load_of_rank(&sandbox.data(), 0).expect("the load process of rank 0");
    kill_process(load, Signal::KILL).expect("our own child can be killed");
    let ended = running.wait(Duration::from_secs(60));
    assert_ne!(ended.code, 0, "{}", ended.stderr);
    let left = || names_in(&sandbox.data());
    assert!(nothing_left(&sandbox) || ended.stderr.contains("remain: "), "{:?} {}", left(), ended.stderr);
    // The next run removes any remaining files.
    let next = sandbox.qualify(sandbox.data(), "--metadata --metadata-files 10 --metadata-threads 1").run();
    assert!([0, 2].contains(&next.code), "{}", next.stderr);
    assert!(eventually(PATIENCE, || nothing_left(&sandbox)), "{:?}", left());
}

#[test]
fn where_one_sees_another_file_system_each_has_its_own_directory_and_that_is_said() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    let program = match program(&sandbox) {
        Ok(program) => program,
        Err(why) => skip!("{why}"),
    };
    if let Err(why) = tool("unshare", &["--mount", "true"].map(OsStr::new)) {
        skip!("{why}");
    }
    let (other, script) = (sandbox.path("other"), sandbox.path("rank.sh"));
    std::fs::create_dir(&other).expect("ours");
    let (data, secchi) = (sandbox.data().display().to_string(), program.display().to_string());
    let text = format!(
        "#!/bin/bash\n[ $OMPI_COMM_WORLD_RANK = 1 ] || exec {secchi} \"$@\"\nexec unshare --mount bash -c 'mount --bind {} {data}; exec {secchi} \"$@\"' rank \"$@\"\n",
        other.display()
    );
    std::fs::write(&script, text).expect("ours");
    std::fs::set_permissions(&script, std::fs::Permissions::from_mode(0o755)).expect("ours");
    let ended = three(&script, &sandbox, "--metadata-files 100 --metadata-threads 2");
    assert!([0, 2].contains(&ended.code), "{}{}", ended.stdout, ended.stderr);
    let run = sandbox.newest().expect("it is kept");
    let doubt = run.judgement.caveats.iter().find(|c| c.id == "hard-apart").expect("it is a doubt");
    assert!(doubt.statement.contains("do not see each other's files"), "{}", doubt.statement);
    assert!(doubt.evidence.contains(":1") && !doubt.evidence.contains(":2"), "{}", doubt.evidence);
    let figures = run.judgement.metadata().expect("it is about names");
    assert_eq!(figures.one_directory, Some(false));
    assert!(figures.phases.iter().all(|p| (p.all.files, p.all.errors) == (600, 0)), "{:?}", figures.phases);
    assert_eq!((names_in(&sandbox.data()), names_in(&other)), (Vec::<String>::new(), Vec::<String>::new()));
}

#[test]
fn what_one_of_them_cannot_is_said_once_and_nothing_is_made() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    let program = match program(&sandbox) {
        Ok(program) => program,
        Err(why) => skip!("{why}"),
    };
    let script = sandbox.path("rank.sh");
    // Rank 2 gets a directory that does not exist.
    let text = format!(
        "#!/bin/bash\n[ $OMPI_COMM_WORLD_RANK = 2 ] && exec {0} qualify --metadata {1}/none\nexec {0} \"$@\"\n",
        program.display(),
        sandbox.data().display()
    );
    std::fs::write(&script, text).expect("ours");
    std::fs::set_permissions(&script, std::fs::Permissions::from_mode(0o755)).expect("ours");
    let ended = three(&script, &sandbox, "--metadata-files 10 --metadata-threads 1");
    assert_ne!(ended.code, 0, "{}", ended.stderr);
    assert_eq!(ended.stderr.matches("it does not exist").count(), 1, "{}", ended.stderr);
    assert!(ended.stderr.contains(":2: "), "{}", ended.stderr);
    assert_eq!((ended.stdout.as_str(), names_in(&sandbox.data())), ("", Vec::<String>::new()));
}
