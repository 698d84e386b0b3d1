//! Closed or full streams, and refused memory. Messages that cannot be printed never end a run, a lost document is exit
//! code 4, and secchi leaves no files. Previously fifteen commands aborted (134) at their first message, `qualify` and
//! `mark` stopped halfway and left their test files, and `fio >/dev/full` exited with 0.

use crate::support::{Sandbox, Secchi, beside, names_in};
use std::path::Path;
use std::process::{Command, Stdio};

/// Runs `secchi WORDS` in a shell with redirections. Returns the exit code and standard error.
fn shell(sandbox: &Sandbox, words: &str, redirected: &str) -> (i32, String) {
    let binary = env!("CARGO_BIN_EXE_secchi");
    let ended = Command::new("bash")
        .args(["-c", &format!("{binary} {words} {redirected}")])
        .env("HOME", sandbox.path("home"))
        .env_remove("XDG_DATA_HOME")
        .env_remove("XDG_CONFIG_HOME")
        .env("LC_ALL", "C.UTF-8")
        .current_dir(sandbox.data())
        .stdin(Stdio::null())
        .output()
        .expect("bash starts");
    let code = ended.status.code().unwrap_or(1000);
    (code, String::from_utf8_lossy(&ended.stderr).into_owned())
}

/// Commands that end at once, most of them with a message.
const QUICK: &[&str] = &[
    "--help",
    "runs",
    "show nothing",
    "limits list",
    "lint nothing",
    "judge nothing",
    "report nothing",
    "rm nothing",
    "compare a b",
    "ab --a x --b y",
    "mark --loops",
    "qualify /nowhere",
    "fio --name=x",
    "fio --help",
    "ping",
    "ping /nowhere",
    "db check /nowhere",
    "watch --interval 1us",
    "serve --listen x",
    "runs import /nowhere",
    "limits import ec2 /nowhere",
    "judge --rules",
    "lint --rules",
];

#[test]
fn no_closed_or_full_stream_changes_how_a_command_ends_but_a_lost_document() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    for words in QUICK {
        let (usual, said) = shell(&sandbox, words, ">/dev/null");
        for stream in ["2>&-", "2>/dev/full", "2> >(exec <&-)"] {
            let (code, _) = shell(&sandbox, words, &format!(">/dev/null {stream}"));
            assert_eq!(code, usual, "{words} {stream}");
        }
        let (code, told) = shell(&sandbox, words, ">/dev/full");
        let prints = said.is_empty();
        let expected = if prints { 4 } else { usual };
        assert!(code == expected || code == 4, "{words} >/dev/full: {code}: {told}");
        if code == 4 && usual != 4 {
            assert!(told.contains("cannot write to standard output"), "{words}: {told}");
        }
        let (code, _) = shell(&sandbox, words, ">/dev/full 2>/dev/full");
        assert!(code == expected || code == 4, "{words}, both: {code}");
    }
}

#[test]
fn a_run_goes_to_its_end_without_anybody_to_tell() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    let store = sandbox.store().display().to_string();
    let qualify = format!("qualify . --size 16m --patterns randread --bs 8k --max-depth 2 --store {store}");
    let mark = format!("mark . --size 16m -n 1 -t 100ms -i 0 --test RND4K-Q1T1 --only read --store {store}");
    let fio = format!("fio --name=r --size=1m --ioengine=psync --rw=read --store={store}");
    let ping = format!("ping -c 3 -i 10ms --store={store} .");
    for (words, left) in [(&qualify, 0), (&mark, 0), (&fio, 1), (&ping, 1)] {
        for stream in ["2>/dev/full >/dev/null", "2>&- >/dev/null"] {
            let (code, _) = shell(&sandbox, words, stream);
            assert!(code <= 2, "{words} {stream}: {code}");
            assert_eq!(names_in(&sandbox.data()).len(), left, "{words} {stream}: {:?}", names_in(&sandbox.data()));
        }
        let (code, told) = shell(&sandbox, words, ">/dev/full");
        assert_eq!(code, 4, "{words} >/dev/full: {told}");
        assert!(told.contains("cannot write"), "{words}: {told}");
        let (code, _) = shell(&sandbox, words, ">/dev/full 2>/dev/full");
        assert_eq!(code, 4, "{words}, both full");
        assert_eq!(names_in(&sandbox.data()).len(), left, "{words}: {:?}", names_in(&sandbox.data()));
    }
    // All of them are stored and complete.
    let runs = sandbox.secchi("runs --json").run().stdout;
    assert_eq!(runs.matches("\"command\":\"qualify\"").count(), 4, "{runs}");
}

#[test]
fn a_reader_that_goes_away_has_seen_what_it_wanted() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    for words in ["limits list", "judge --rules", "--help", "fio --cmdhelp=all"] {
        let (code, told) = shell(&sandbox, words, "| head -1; exit ${PIPESTATUS[0]}");
        assert_eq!((code, told.as_str()), (0, ""), "{words}");
    }
}

/// Runs the binary with a limit on its address space in KiB, in the data directory.
fn within_addresses(sandbox: &Sandbox, kib: u32, words: &str) -> std::process::Output {
    limited(sandbox, &format!("ulimit -v {kib}"), words)
}

fn limited(sandbox: &Sandbox, limit: &str, words: &str) -> std::process::Output {
    let binary = env!("CARGO_BIN_EXE_secchi");
    Command::new("bash")
        .args(["-c", &format!("{limit}; exec {binary} {words}")])
        .env("HOME", sandbox.path("home"))
        .current_dir(sandbox.data())
        .output()
        .expect("bash starts")
}

/// Returns the smallest address space in KiB in which the program starts: with less, the kernel ends it before any of
/// our code runs. The code of a debug build alone takes as much as a whole release build.
fn fewest_addresses(sandbox: &Sandbox) -> u32 {
    let starts = |kib: &u32| within_addresses(sandbox, *kib, "--version").status.success();
    (20_000..1_000_000).step_by(4_000).find(starts).expect("it starts within a gigabyte")
}

/// Address space runs out at different stages of the start: each run names the cause and removes its files.
#[test]
fn a_limited_address_space_is_named_and_leaves_nothing() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    let store = sandbox.store().display().to_string();
    let qualify = format!("qualify . --size 16m --patterns randread --bs 8k --max-depth 2 --hang 20s --store {store}");
    let mark = format!("mark . --size 16m -n 1 -t 100ms -i 0 --test RND4K-Q1T1 --only read --hang 20s --store {store}");
    let fewest = fewest_addresses(&sandbox);
    for words in [&qualify, &mark] {
        for kib in [0, 20_000, 40_000, 70_000, 120_000, 240_000].map(|more| fewest + more) {
            let ended = within_addresses(&sandbox, kib, words);
            let output = String::from_utf8_lossy(&[ended.stdout, ended.stderr].concat()).into_owned();
            let code = ended.status.code().unwrap_or(1000);
            // 127: the loader itself found no space for the program. If Rust's runtime cannot allocate the stack of a
            // thread, it ends the process with a message.
            let no_stack = output.contains("failed to allocate an alternative stack");
            assert!([0, 1, 2, 4, 127].contains(&code) || no_stack, "{words} in {kib} KiB: {code}: {output}");
            assert!(code <= 1 || !output.trim().is_empty(), "{words} in {kib} KiB: {code} without a word");
            assert_eq!(names_in(&sandbox.data()), Vec::<String>::new(), "{words} in {kib} KiB: {output}");
        }
    }
}

/// Growing a file beyond the limit ends the load process with a signal; the message names the limit and its value.
#[test]
fn a_limited_file_size_is_named_and_leaves_no_file() {
    let sandbox = Sandbox::new();
    let words =
        format!("qualify . --size 16m --patterns randread --bs 8k --max-depth 2 --store {}", sandbox.store().display());
    let ended = limited(&sandbox, "ulimit -f 8192", &words);
    let stderr = String::from_utf8_lossy(&ended.stderr).into_owned();
    assert_eq!(ended.status.code(), Some(4), "{stderr}");
    assert!(stderr.contains("file size limit (ulimit -f: 8 MiB)"), "{stderr}");
    assert_eq!(names_in(&sandbox.data()), Vec::<String>::new(), "{stderr}");
}

/// All threads share one heap: separate heaps would reserve at least 64 MiB of address space each for a few kilobytes.
#[test]
fn a_limited_address_space_is_no_smaller_for_many_threads() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    let fewest = fewest_addresses(&sandbox);
    for kib in [140_000, 240_000, 340_000].map(|more| fewest + more) {
        // A separate store for each run: the first run in a store tries every engine.
        let words = format!(
            "qualify . --size 16m --patterns randread --bs 8k --max-depth 1 --store {}",
            sandbox.path(&format!("store-{kib}")).display()
        );
        let ended = within_addresses(&sandbox, kib, &words);
        let output = String::from_utf8_lossy(&[ended.stdout, ended.stderr].concat()).into_owned();
        assert!(matches!(ended.status.code(), Some(0 | 2)) && !output.contains("memory for"), "{kib} KiB: {output}");
    }
}

/// Refused buffers do not count as a failure of the storage.
#[test]
fn engines_that_get_no_memory_end_with_4() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    let store = sandbox.store().display().to_string();
    for engine in ["io_uring", "libaio", "posixaio"] {
        let words = format!(
            "fio --name=a --filename=v --size=64m --rw=randread --bs=16m --iodepth=32 --numjobs=2 --ioengine={engine} \
             --time_based --runtime=1 --store={store}"
        );
        let ended = within_addresses(&sandbox, 300_000, &words);
        let stderr = String::from_utf8_lossy(&ended.stderr).into_owned();
        assert_eq!(ended.status.code(), Some(4), "{engine}: {stderr}");
        assert!(stderr.contains("memory"), "{engine}: {stderr}");
    }
}

/// The next run removes the files of a killed run, even if they are too small for it, but not files that were to be
/// kept.
#[test]
fn smaller_leftovers_of_killed_runs_are_removed_and_kept_files_stay() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    let run =
        |words: &str| sandbox.qualify(sandbox.data(), &format!("--patterns randread --bs 8k --max-depth 2 {words}"));
    let kill = |secchi: &mut Secchi| {
        let running = secchi.start();
        let begun = crate::support::eventually(crate::support::PATIENCE, || names_in(&sandbox.data()).len() >= 2);
        assert!(begun, "{}", running.stderr());
        running.signal(rustix::process::Signal::KILL);
        running.wait(crate::support::PATIENCE);
    };
    kill(&mut run("--size 64m"));
    assert!(!names_in(&sandbox.data()).is_empty(), "a killed run leaves its file");
    // The load process ends with its parent and releases its lock.
    let gone = |dir: &Path| crate::support::processes_about(dir).is_empty();
    assert!(crate::support::eventually(crate::support::PATIENCE, || gone(&sandbox.data())));
    let ended = run("--size 96m").run();
    assert!(ended.code <= 2, "{}", ended.stderr);
    assert_eq!(names_in(&sandbox.data()), Vec::<String>::new(), "{}", ended.stderr);
    let ended = run("--size 32m --keep").run();
    assert!(ended.code <= 2, "{}", ended.stderr);
    let kept = names_in(&sandbox.data());
    let ended = run("--size 96m").run();
    assert!(ended.code <= 2 && ended.stderr.contains("was kept on request"), "{}", ended.stderr);
    assert_eq!(names_in(&sandbox.data()), kept);
}
