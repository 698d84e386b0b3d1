//! Endless inputs and inputs that are never written: each must be rejected at once, in one sentence with its name, and
//! exit code 64. Previously `--need @/dev/zero` and `judge --recursive /proc/self` took all memory, and a named pipe
//! blocked forever.

use crate::support::{PATIENCE, Sandbox, beside};
use std::os::unix::fs::FileExt;
use std::path::PathBuf;
use std::process::Command;

/// Every command that reads a file, with `FILE` in place of its name.
const READERS: &[&str] = &[
    "qualify /tmp --need @FILE",
    "judge FILE",
    "judge nothing --need @FILE",
    "limits explain --volume gp3 --catalog FILE",
    "limits solve --need @FILE",
    "limits solve --recording FILE",
    "needs FILE",
    "limits import ec2 FILE",
    "lint FILE",
    "fio FILE",
    "fio INCLUDER",
    "compare FILE FILE",
    "report FILE",
    "runs import FILE",
];

/// Creates files that are not regular files or too large.
fn odd_files(sandbox: &Sandbox) -> Vec<(PathBuf, &'static str)> {
    let pipe = sandbox.path("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().expect("mkfifo starts").success());
    let socket = sandbox.path("socket");
    // The socket file remains when the listener is dropped.
    drop(std::os::unix::net::UnixListener::bind(&socket).expect("a socket"));
    let huge = sandbox.path("huge");
    let file = std::fs::File::create_new(&huge).expect("ours");
    file.set_len(1 << 40).expect("a sparse file");
    file.write_all_at(b"x", 0).expect("ours");
    vec![
        (PathBuf::from("/dev/zero"), "device"),
        (pipe, "pipe"),
        (socket, "socket"),
        (huge, "larger than"),
        (sandbox.data(), "directory"),
    ]
}

#[test]
fn every_reader_refuses_what_has_no_end_at_once_and_in_one_sentence() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    for (thing, word) in odd_files(&sandbox) {
        let includer = sandbox.path("includer.fio");
        std::fs::write(&includer, format!("[a]\ninclude {}\n", thing.display())).expect("ours");
        for words in READERS {
            let words = words.replace("FILE", &thing.display().to_string());
            let mut secchi = crate::support::Secchi::new(&sandbox.path("home"));
            let ended =
                secchi.words(&words.replace("INCLUDER", &includer.display().to_string())).start().wait(PATIENCE);
            assert_eq!(ended.code, 64, "{words}: {}", ended.stderr);
            assert_eq!(ended.stderr.lines().count(), 1, "{words}: {}", ended.stderr);
            // Some commands have their own message, such as an unknown run or a plan that is a directory.
            let alternatives =
                ["no run", "is a directory", "directory", "not a plan", "no file", "not a file written by"];
            let named = ended.stderr.contains(word) || alternatives.iter().any(|w| ended.stderr.contains(w));
            assert!(named, "{words}: {word}: {}", ended.stderr);
        }
    }
}

#[test]
fn a_walk_through_proc_takes_little_memory_and_ends() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    let mut command = Command::new("bash");
    let binary = env!("CARGO_BIN_EXE_secchi");
    // 1 GiB of address space is more than the walk needs, and a seventh of what it took before the fix.
    let ended = command
        .args(["-c", &format!("ulimit -v 1000000; exec {binary} judge --recursive /proc/self")])
        .env("HOME", sandbox.path("home"))
        .output()
        .expect("bash starts");
    let stderr = String::from_utf8_lossy(&ended.stderr);
    assert_eq!(ended.status.code(), Some(64), "{stderr}");
    assert!(
        stderr.lines().last().is_some_and(|l| l.contains("no results to judge") || l.contains("more than")),
        "{stderr}"
    );
}
