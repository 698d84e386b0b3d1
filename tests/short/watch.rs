//! `secchi watch`: its command, its signals and its outputs, however it ends.

use crate::support::commands::{check_metrics, parsed};
use crate::support::{PATIENCE, Run, Sandbox, as_nobody, beside, eventually, skip, tool};
use model::measured::TopName;
use model::{RunState, record::CommandExit};
use rustix::process::Signal;
use std::io::{Read, Write};
use std::net::TcpStream;

#[test]
fn the_commands_code_is_the_watchs_and_its_signals_are_handed_on() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    let mut watch = sandbox.watch("--interval 50ms");
    let ended = watch.words("-- sh -c").arg("echo said; exit 7").run();
    assert_eq!((ended.code, ended.stdout.as_str()), (7, "said\n"), "{}", ended.stderr);
    assert!(ended.stderr.contains("exited with code 7"), "{}", ended.stderr);
    let mut watch = sandbox.watch("--interval 50ms");
    let ended = watch.words("-- sh -c").arg("kill -9 $$").run();
    assert_eq!(ended.code, 137);
    let mut watch = sandbox.watch("--interval 50ms");
    let mark = sandbox.path("trapped");
    let script =
        format!("trap 'echo bye > {}; exit 3' TERM; echo ready >&2; while :; do sleep 0.05; done", mark.display());
    let mut running = watch.words("-- sh -c").arg(script).start();
    running.wait_for_message("ready");
    running.signal(Signal::TERM);
    assert_eq!(running.wait(PATIENCE).code, 3, "the command said how it ends");
    assert_eq!(std::fs::read_to_string(mark).expect("it was told"), "bye\n");
}

#[test]
fn a_signal_that_comes_while_the_command_is_started_reaches_it() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    // The command first signals the watch, which is still in the call that starts the command.
    for _ in 0..10 {
        let mut watch = sandbox.watch("--interval 50ms");
        let script = "trap 'exit 3' TERM; kill -TERM $PPID; while :; do sleep 0.05; done";
        assert_eq!(watch.words("-- sh -c").arg(script).start().wait(PATIENCE).code, 3);
    }
}

#[test]
fn a_command_that_still_runs_when_the_time_is_up_is_told_to_end_and_everything_says_so() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    let mut watch = sandbox.watch("--for 300ms --interval 50ms");
    // The command's child also ends with the watch.
    let mark = sandbox.path("child");
    let ended = watch.words("-- sh -c").arg(format!("sleep 600 & echo $! > {}; wait", mark.display())).run();
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    let shown = ended.stderr.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(shown.contains("`sh` was sent a termination signal after") && shown.contains("exit code 0"), "{shown}");
    let run = sandbox.newest().expect("it is kept");
    assert_eq!((run.record.state, run.judgement.exit_code), (RunState::Complete, 0));
    let command = run.record.command().expect("it ran");
    assert_eq!(command.exit, Some(CommandExit::Signal(15)));
    assert!(command.told_to_end.is_some_and(|told| told.since(command.began).as_nanos() >= 250_000_000), "{command:?}");
    let child: u32 = std::fs::read_to_string(mark).expect("it began").trim().parse().expect("a number");
    let gone = || !std::fs::read_to_string(format!("/proc/{child}/comm")).is_ok_and(|c| c.trim() == "sleep");
    assert!(eventually(PATIENCE, gone), "process {child} was told, too");
    // A command with a handler: its exit code is recorded, and the watch counts as complete.
    let mut watch = sandbox.watch("--for 300ms --interval 50ms");
    let ended = watch.words("-- sh -c").arg("trap 'exit 3' TERM; while :; do sleep 0.05; done").run();
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    let words = ended.stderr.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("when the time was up, and exited with code 3"), "{words}");
}

#[test]
fn a_killed_watch_keeps_all_but_its_last_second() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    let running = sandbox.watch("--interval 50ms --plain --json").start();
    // Lines appear on standard error after some samples.
    assert!(eventually(PATIENCE, || running.stderr().lines().filter(|l| l.contains("CPU")).count() > 20));
    running.signal(Signal::KILL);
    assert_eq!(running.wait(PATIENCE).code, 1009);
    let run = sandbox.newest().expect("it is kept");
    assert!(run.record.state.has_no_end(), "{:?}", run.record.state);
    assert!(run.record.stretches().len() >= 20, "{}", run.record.stretches().len());
    let shown = sandbox.secchi(&format!("show {}", run.record.id)).run();
    assert!(shown.code == 0 && shown.stdout.contains("VERDICT"), "{}", shown.stdout);
    assert!(sandbox.secchi("runs").run().stdout.contains("interrupted"));
}

#[test]
fn an_open_watch_that_is_interrupted_is_complete() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    let running = sandbox.watch("--interval 50ms --plain").start();
    assert!(eventually(PATIENCE, || running.stdout().lines().filter(|l| l.contains("CPU")).count() > 2));
    running.signal(Signal::INT);
    let ended = running.wait(PATIENCE);
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    assert!(ended.stdout.contains("VERDICT"), "{}", ended.stdout);
    assert_eq!(sandbox.newest().expect("it is kept").record.state, RunState::Complete);
    let ended = sandbox.watch("--for 120s --interval 50ms --plain").start();
    assert!(eventually(PATIENCE, || ended.stdout().contains("CPU")));
    ended.signal(Signal::TERM);
    assert_eq!(ended.wait(PATIENCE).code, 143, "it was to last longer");
}

#[test]
fn what_is_wrong_is_one_sentence_before_anything_begins() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    let refused = |words: &str, needle: &str| sandbox.watch(words).run().refuses(64, needle);
    let disk = std::fs::read_to_string("/proc/diskstats").expect("Linux");
    let disk = disk.lines().find_map(|l| l.split_whitespace().nth(2)).expect("a device").to_owned();
    refused(&format!("--device {disk}x"), "did you mean");
    refused("--device /dev/null", "has no such block device");
    refused("--pid 4194304000", "4194304000");
    refused("--pid 4194303", "no such process");
    refused("--interval 0s", "10ms to 1h");
    refused("--interval 1ms", "10ms to 1h");
    refused("--interval 5", "no unit of time");
    refused("--for 1ms", "shorter than one interval");
    refused("--role data=/nowhere/at/all", "cannot look at /nowhere");
    refused("--role data=/dev/shm", "no block device");
    refused("--role data", "NAME=PATH");
    refused("--listen 0.0.0.0:9", "must be a loopback address");
    refused("--otlp http://127.0.0.1:4317", "does not export OpenTelemetry");
    refused("--top 51", "must be at most 50");
    refused("--volume gp33", "gp33");
    refused("-- no-such-program-anywhere", "no such program in PATH");
    refused("-- /etc/passwd", "not an executable program");
    let taken = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
    refused(&format!("--listen {}", taken.local_addr().expect("bound")), "in use");
    sandbox.watch("--limit").arg("volume iops=5 on=nobody").run().refuses(64, "neither a role nor a watched device");
    assert!(!sandbox.store().exists(), "nothing was begun");
}

#[test]
fn metrics_are_served_and_written_while_it_goes_on() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    let port = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port").local_addr().expect("bound");
    let file = sandbox.path("secchi.prom");
    let mut watch = sandbox.watch("--interval 50ms --plain --listen");
    let running = watch.arg(port.to_string()).arg("--prometheus").arg(&file).start();
    let get = |request: &str| -> Option<String> {
        let mut stream = TcpStream::connect(port).ok()?;
        stream.write_all(request.as_bytes()).ok()?;
        let mut text = String::new();
        stream.read_to_string(&mut text).ok()?;
        Some(text)
    };
    let metrics =
        |accept: &str| get(&format!("GET /metrics HTTP/1.1\r\nHost: {port}\r\n{accept}\r\n")).unwrap_or_default();
    assert!(eventually(PATIENCE, || metrics("").contains("\nsecchi_looks_total ")));
    let openmetrics = metrics("Accept: application/openmetrics-text;version=1.0.0,text/plain;q=0.3\r\n");
    let (head, body) = openmetrics.split_once("\r\n\r\n").expect("a body");
    assert!(head.contains("application/openmetrics-text; version=1.0.0") && body.ends_with("# EOF\n"), "{openmetrics}");
    parsed(body, &sandbox);
    let plain = metrics("");
    let (head, body) = plain.split_once("\r\n\r\n").expect("a body");
    assert!(head.contains("text/plain; version=0.0.4"), "{head}");
    check_metrics(body);
    let foreign = get("GET /metrics HTTP/1.1\r\nHost: evil.example\r\n\r\n").expect("an answer");
    assert!(foreign.starts_with("HTTP/1.1 403 "), "{foreign}");
    running.signal(Signal::INT);
    assert_eq!(running.wait(PATIENCE).code, 0);
    let text = std::fs::read_to_string(&file).expect("it was written");
    assert!(!text.contains("# EOF") && text.contains("\nsecchi_looks_total "));
    let beside: Vec<String> = crate::support::names_in(&sandbox.root());
    assert!(beside.iter().all(|n| !n.ends_with(".tmp")), "{beside:?}");
    parsed(&text, &sandbox);
}

/// Returns the bytes in a series of rates over the whole watch.
fn sum_of(run: &Run, series: &str) -> u64 {
    let points = run.record.series(series).map(|s| s.points.clone()).unwrap_or_default();
    let length = |at| run.record.stretches().iter().find(|s| s.0 == at).map_or(0.0, |s| s.1.secs());
    points.iter().map(|(at, rate)| rate * length(*at)).sum::<f64>().round() as u64
}

#[test]
fn a_process_that_nobody_named_has_the_bytes_that_it_wrote() {
    const CHUNK: usize = 65_536;
    const CHUNKS: u64 = 160;
    let _beside = beside();
    let sandbox = Sandbox::new();
    let (data, done) = (sandbox.path("written"), sandbox.path("done"));
    tool("mkfifo", &[done.as_os_str()]).expect("a pipe");
    // A shell writes by itself, and waits until the watch has seen it.
    let script = format!(
        "i=0; while [ $i -lt {CHUNKS} ]; do printf '%0{CHUNK}d' 0; i=$((i+1)); done > {}; read x < {}",
        data.display(),
        done.display()
    );
    let running = sandbox.watch("--interval 50ms --json --plain").start();
    let looks = || running.stderr().lines().filter(|l| l.contains("CPU")).count();
    assert!(eventually(PATIENCE, || looks() > 2));
    let mut writer = std::process::Command::new("sh").args(["-c", &script]).spawn().expect("a shell");
    let pid = writer.id();
    let counted = |key: &str| -> Option<u64> {
        let text = std::fs::read_to_string(format!("/proc/{pid}/io")).ok()?;
        text.lines().find_map(|line| line.strip_prefix(key))?.trim().parse().ok()
    };
    let written = CHUNKS * CHUNK as u64;
    assert!(eventually(PATIENCE, || counted("wchar: ").is_some_and(|n| n >= written)));
    let before = looks();
    assert!(eventually(PATIENCE, || looks() > before + 2));
    let kernel = counted("write_bytes: ").expect("it waits");
    running.signal(Signal::INT);
    let ended = running.wait(PATIENCE);
    std::fs::write(&done, "\n").expect("the shell reads");
    assert!(writer.wait().expect("it ends").success());
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    if kernel < written {
        skip!("the sandbox is on a file system without a device: the kernel counts {kernel} bytes written");
    }
    let run = ended.json();
    let names = run.record.series.iter().filter_map(|s| s.name.strip_prefix("top.")?.strip_suffix(".write"));
    let name = names.clone().find(|name| TopName::parse(name).is_some_and(|name| name.pid == Some(pid)));
    let name = name.unwrap_or_else(|| panic!("process {pid} is not named: {:?}", names.collect::<Vec<_>>()));
    assert_eq!(TopName::parse(name).map(|name| name.program).as_deref(), Some("sh"));
    let seen = sum_of(&run, &format!("top.{name}.write"));
    // The kernel also charges the metadata of the file system that the process changed.
    assert!((written..=written + (1 << 20)).contains(&seen), "{seen} of {written}");
    assert!(seen.abs_diff(kernel) <= 1, "{seen}, but the kernel counted {kernel}");
    let figures =
        run.judgement.watch().expect("a watch").top.iter().find(|top| top.name == name).expect("in the summary");
    assert_eq!(figures.bytes[1].round() as u64, seen);
    assert!(run.record.series("top.others.write").is_none_or(|s| !s.points.is_empty()));
}

#[test]
fn processes_that_this_user_may_not_read_are_a_doubt() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    let Some(nobody) = as_nobody(&sandbox) else { return };
    let mut watch = nobody("watch --for 300ms --interval 100ms --json --store");
    let ended = watch.arg(sandbox.path("theirs")).run();
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    let doubts = ended.json().judgement.caveats;
    let doubt = doubts.iter().find(|doubt| doubt.id == "hidden-processes").expect("it is reported");
    assert!(doubt.evidence.contains("/proc/PID/io"), "{}", doubt.evidence);
    let ended = nobody("watch --for 300ms --interval 100ms --json --top 0 --store").arg(sandbox.path("theirs")).run();
    let run = ended.json();
    assert!(run.judgement.caveats.iter().all(|doubt| doubt.id != "hidden-processes"));
    assert!(run.record.series.iter().all(|series| !series.name.starts_with("top.")));
}
