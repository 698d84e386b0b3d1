//! Programs named in job files, and jobs that burn CPU time: when they run, how they are reported, and that nothing is
//! left.

use crate::support::{PATIENCE, Sandbox, beside, eventually};
use serde_json::Value;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};

/// Returns the command `secchi WORDS` in the sandbox's data directory, where programs leave their output.
fn command(sandbox: &Sandbox, words: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_secchi"));
    command.args(words).env("HOME", sandbox.path("home")).env("LC_ALL", "C.UTF-8");
    command
        .env_remove("XDG_DATA_HOME")
        .env_remove("SECCHI_SUPERVISED")
        .current_dir(sandbox.data())
        .stdin(Stdio::null());
    command
}

fn fio(sandbox: &Sandbox, words: &[&str]) -> Output {
    let mut command = command(sandbox, &["fio", "--store"]);
    command.arg(sandbox.store()).args(words).output().expect("it can be started")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn file(sandbox: &Sandbox, name: &str) -> String {
    std::fs::read_to_string(sandbox.data().join(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
}

/// Returns the TRUST block after the normal output, on one line.
fn trust(stdout: &str) -> String {
    let block = stdout.split_once("\nTRUST\n").map(|(_, block)| block).expect("a block TRUST");
    block.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Job named `j` that reads a file of 1 MiB.
const READS: [&str; 4] = ["--name=j", "--rw=read", "--bs=4k", "--size=1m"];

#[test]
fn commands_run_before_and_after_a_job_and_are_told() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    // The output of an earlier run is overwritten, as in fio.
    std::fs::write(sandbox.data().join("j.prerun.txt"), "of an earlier run, and longer").expect("a file of ours");
    let words = ["--exec_prerun=echo begun; ls j.0.0", "--exec_postrun=echo ended"];
    let ended = fio(&sandbox, &[&READS[..], &words].concat());
    let out = text(&ended.stdout);
    assert_eq!(ended.status.code(), Some(0), "{out}{}", text(&ended.stderr));
    assert_eq!(file(&sandbox, "j.prerun.txt"), "j.0.0\n", "the file is laid out before, as by fio");
    assert_eq!(file(&sandbox, "j.postrun.txt"), "ended\n");
    assert!(out.contains("\nj : Saving output of prerun in j.prerun.txt\n"), "{out}");
    assert!(out.contains("\nj : Saving output of postrun in j.postrun.txt\n"), "{out}");
    let section = trust(&out);
    assert!(section.contains("/bin/sh runs `echo begun; ls j.0.0` before `j` begins"), "{section}");
    assert!(section.contains("/bin/sh runs `echo ended` after `j` has ended"), "{section}");
    // Output of other commands goes to standard error: standard output is for the document.
    assert!(text(&ended.stderr).contains("begun") && !out.contains("\nbegun"), "{out}");
}

#[test]
fn a_job_whose_command_fails_does_not_begin_and_the_others_do() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    let other = ["--exec_prerun=exit 3", "--exec_postrun=touch never", "--name=k", "--ioengine=null", "--size=1m"];
    let ended = fio(&sandbox, &[&["--output-format=json,normal"][..], &READS, &other].concat());
    let out = text(&ended.stdout);
    assert_eq!(ended.status.code(), Some(2), "a job was not run: {out}");
    let json = &out[out.find("\n{").map_or(0, |at| at + 1)..out.find("\n}\n").expect("a document") + 2];
    let report: Value = serde_json::from_str(&json[json.find('{').expect("a document")..]).expect("JSON");
    let ios = |job: usize| report["jobs"][job]["read"]["total_ios"].as_u64();
    assert_eq!((ios(0), ios(1)), (Some(0), Some(256)));
    assert!(trust(&out).contains("`j` did not begin: exec_prerun `exit 3` exited with code 3"), "{out}");
    assert!(!sandbox.data().join("never").exists(), "what comes after a job does not come without it");
}

#[test]
fn a_program_runs_as_long_as_its_job() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    let words = ["--name=e", "--ioengine=exec", "--program=/bin/echo", "--arguments=%n  lasts %r", "--runtime=1"];
    let ended = fio(&sandbox, &words);
    let out = text(&ended.stdout);
    assert_eq!(ended.status.code(), Some(0), "{out}{}", text(&ended.stderr));
    assert_eq!((file(&sandbox, "e.stdout").as_str(), file(&sandbox, "e.stderr").as_str()), ("e lasts 1\n", ""));
    assert!(out.contains("\ne : program=/bin/echo, arguments=%n  lasts %r\n"), "{out}");
    assert!(out.contains("\ne : Saving output of /bin/echo e  lasts 1 : stdout=e.stdout stderr=e.stderr\n"), "{out}");
    assert!(!out.contains("e: (g=0)") && !out.contains("IOPS="), "it does no I/O: {out}");
    assert!(trust(&out).contains("`e` runs the program `/bin/echo`"), "{out}");
    // Without a runtime of the job, the program runs to its own end.
    let began = std::time::Instant::now();
    let ended = fio(&sandbox, &["--name=f", "--ioengine=exec", "--program=/bin/false"]);
    assert_eq!(ended.status.code(), Some(0), "{}", text(&ended.stderr));
    assert!(began.elapsed() < PATIENCE);
    let section = trust(&text(&ended.stdout));
    assert!(section.contains("the program of `f` exited with code 1"), "{section}");
    let ended = fio(&sandbox, &["--name=g", "--ioengine=exec", "--program=/nonexistent/x", "--runtime=5"]);
    assert_eq!(ended.status.code(), Some(2));
    assert!(trust(&text(&ended.stdout)).contains("cannot run `/nonexistent/x`"), "{}", text(&ended.stdout));
}

#[test]
fn burnt_time_is_told_as_by_fio_and_ends_with_the_io() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    let burn =
        ["--name=c", "--ioengine=cpuio", "--cpuload=20", "--cpuchunks=2000", "--exit_on_io_done=1", "--runtime=60"];
    let io = ["--name=d", "--ioengine=null", "--size=64m", "--runtime=1", "--time_based"];
    let began = std::time::Instant::now();
    let ended = fio(&sandbox, &[&["--output-format=json"][..], &burn, &io].concat());
    assert_eq!(ended.status.code(), Some(0), "{}", text(&ended.stderr));
    assert!(began.elapsed() < PATIENCE, "it does not wait for its own time");
    let report: Value = serde_json::from_slice(&ended.stdout).expect("one JSON document");
    let burnt = &report["jobs"][0];
    let (ios, mean) = (burnt["read"]["total_ios"].as_u64(), burnt["read"]["clat_ns"]["mean"].as_f64());
    assert!(ios.is_some_and(|n| (20..=110).contains(&n)), "a hundred in a second, on an idle machine: {ios:?}");
    assert!(mean.is_some_and(|ns| ns >= 2e6), "{mean:?}");
    for (key, value) in [("io_bytes", 0.0), ("iops", 0.0), ("runtime", 0.0), ("bw", 0.0)] {
        assert_eq!(burnt["read"][key].as_f64(), Some(value), "{key}");
    }
    assert!(burnt["usr_cpu"].as_f64().is_some_and(|percent| percent > 5.0), "{}", burnt["usr_cpu"]);
    assert_eq!(report["jobs"][1]["error"].as_u64(), Some(0));
    let alone = fio(&sandbox, &["--name=c", "--ioengine=cpuio", "--cpuload=10", "--runtime=1"]);
    let out = text(&alone.stdout);
    assert_eq!(alone.status.code(), Some(0), "{out}");
    assert!(out.contains("\nc (noop): ioengine=cpuio, cpuload=10, cpucycle=50000\n"), "{out}");
    assert!(trust(&out).contains("`c` deliberately burns 10 % of a CPU"), "{out}");
}

#[test]
fn nothing_runs_where_jobs_are_only_looked_at() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    let job = sandbox.path("job.fio");
    let jobs = "[j]\nsize=1m\nexec_prerun=touch ran\nexec_postrun=touch ran\n\
                [e]\nioengine=exec\nprogram=/usr/bin/touch\narguments=ran\nruntime=1\n";
    std::fs::write(&job, jobs).expect("a file of ours");
    let job = job.display().to_string();
    for words in [&["fio", "--parse-only", &job][..], &["fio", "--showcmd", &job], &["lint", &job]] {
        let ended = command(&sandbox, words).output().expect("it can be started");
        assert!(ended.status.code().is_some_and(|code| code != 64), "{words:?}: {}", text(&ended.stderr));
    }
    let left: Vec<_> = std::fs::read_dir(sandbox.data()).expect("ours").flatten().map(|e| e.file_name()).collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn the_output_of_a_program_goes_through_no_link_and_onto_no_data() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    let precious = sandbox.path("precious");
    std::fs::write(&precious, "somebody's").expect("a file of ours");
    std::os::unix::fs::symlink(&precious, sandbox.data().join("j.prerun.txt")).expect("a link of ours");
    let ended = fio(&sandbox, &[&READS[..], &["--exec_prerun=echo no"]].concat());
    assert_eq!(ended.status.code(), Some(3), "{}", text(&ended.stderr));
    assert_eq!(std::fs::read_to_string(&precious).expect("it is there"), "somebody's");
    let words = ["--name=j", "--filename=j.postrun.txt", "--rw=write", "--size=1m", "--exec_postrun=echo no"];
    let ended = fio(&sandbox, &words);
    assert_eq!(ended.status.code(), Some(3), "{}", text(&ended.stderr));
}

/// Returns the id of the process, once a shell has written it to a file.
fn started_process(file: &Path) -> u32 {
    let read = || std::fs::read_to_string(file).ok().filter(|t| t.ends_with('\n'))?.trim().parse::<u32>().ok();
    assert!(eventually(PATIENCE, || read().is_some()), "it begins");
    read().expect("a number")
}

fn is_alive(pid: u32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat"));
    stat.is_ok_and(|stat| !stat.rsplit(')').next().unwrap_or_default().trim_start().starts_with('Z'))
}

fn start(sandbox: &Sandbox, words: &[&str]) -> Child {
    let mut command = command(sandbox, &["fio", "--store"]);
    command.arg(sandbox.store()).args(words).stdout(Stdio::null()).stderr(Stdio::null());
    command.spawn().expect("it can be started")
}

#[test]
fn no_program_outlives_the_run_however_that_ends() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    let script = sandbox.path("script");
    // The child ignores SIGTERM.
    std::fs::write(&script, "(trap '' TERM; exec sleep 600) & echo $! > pid; wait\n").expect("a file of ours");
    let arguments = format!("--arguments={}", script.display());
    let program = ["--name=e", "--ioengine=exec", "--program=/bin/sh", &arguments, "--grace_time=1"];
    let before = [&READS[..], &["--exec_prerun=sleep 600 & echo $! > pid; sleep 600"]].concat();
    let ways: [(&[&str], Option<rustix::process::Signal>); 4] = [
        (&[&program[..], &["--runtime=1"]].concat(), None),
        (&[&program[..], &["--runtime=600"]].concat(), Some(rustix::process::Signal::TERM)),
        (&[&program[..], &["--runtime=600"]].concat(), Some(rustix::process::Signal::KILL)),
        (&before, Some(rustix::process::Signal::KILL)),
    ];
    for (words, signal) in ways {
        let _ = std::fs::remove_file(sandbox.data().join("pid"));
        let mut secchi = start(&sandbox, words);
        let pid = started_process(&sandbox.data().join("pid"));
        if let Some(signal) = signal {
            assert!(is_alive(pid));
            let secchi = rustix::process::Pid::from_raw(secchi.id() as i32).expect("a pid is not zero");
            rustix::process::kill_process(secchi, signal).expect("our own child can be signalled");
        }
        secchi.wait().expect("it ends");
        assert!(eventually(PATIENCE, || !is_alive(pid)), "{words:?} {signal:?}");
    }
}
