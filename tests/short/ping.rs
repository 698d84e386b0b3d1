//! `secchi ping`: its figures, refusals, limits, signals and kept files.

use crate::support::commands::{json, ping};
use crate::support::{PATIENCE, Sandbox, Secchi, beside, eventually, names_in, own_disk, print_of};
use std::path::Path;

#[test]
fn figures_are_made_of_the_very_times_that_were_told() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    for words in ["-c 200 -i 0", "-c 60 -i 0 -W -s 512", "-c 60 -i 0 -G -a 7", "-c 40 -i 0 -L -D", "-c 30 -i 0 -A -C"] {
        let ended = ping(&sandbox, &format!("-J {words}"), &sandbox.data()).run();
        let (times, last) = json(&ended);
        let stat = &last["stat"];
        assert_eq!(stat["count"], times.len(), "{words}");
        assert_eq!(stat["time"], times.iter().sum::<u64>(), "{words}");
        assert_eq!(stat["min"], *times.iter().min().unwrap(), "{words}");
        assert_eq!(stat["max"], *times.iter().max().unwrap(), "{words}");
        let n = times.len() as f64;
        let mean = times.iter().sum::<u64>() as f64 / n;
        let variance = times.iter().map(|t| (*t as f64 - mean).powi(2)).sum::<f64>() / n;
        let mdev = stat["mdev"].as_f64().unwrap();
        assert!((mdev - variance.sqrt()).abs() <= 1.0 + mdev * 1e-6, "{words}: {mdev} {variance}");
        assert!(last["load"]["time"].as_u64().unwrap() >= times.iter().sum(), "{words}");
    }
}

#[test]
fn raw_statistics_come_by_count_and_at_the_end() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    let ended = ping(&sandbox, "-q -c 31 -p 10 -i 0 -C", &sandbox.data()).run();
    let rows: Vec<Vec<u64>> =
        ended.stdout.lines().map(|l| l.split(' ').map(|f| f.parse().expect("a whole number")).collect()).collect();
    assert_eq!(
        rows.iter().map(|r| (r.len(), r[0], r[8])).collect::<Vec<_>>(),
        [(10, 10, 11), (10, 10, 10), (10, 10, 10)]
    );
    let ended = ping(&sandbox, "-B -c 5 -i 0", &sandbox.data()).run();
    assert!(ended.stdout.starts_with("4 ") && ended.stdout.lines().count() == 1, "{}", ended.stdout);
}

#[test]
fn mistakes_are_one_line_and_nothing_is_made() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    for (words, needle) in [
        ("-Z", "-Z"),
        ("--cuont 3", "--count"),
        ("-i 4kb", "kb"),
        ("-c ten", "not a number"),
        ("-s 8g", "at most"),
        ("--from-due -i 0", "--from-due"),
        ("--live", "terminal"),
        ("-A -H", "-H"),
        ("--marks x", "version"),
    ] {
        ping(&sandbox, words, &sandbox.data()).run().refuses(64, needle);
    }
    let missing = sandbox.data().join("none");
    ping(&sandbox, "-c 1", &missing).run().refuses(2, "none");
    let near = format!("did you mean {}?", sandbox.data().display());
    ping(&sandbox, "-c 1", &sandbox.path("dataa")).run().refuses(2, &near);
    assert_eq!(names_in(&sandbox.data()), Vec::<String>::new());
    assert!(!sandbox.store().exists(), "a refusal makes no store");
}

#[test]
fn a_file_that_is_not_ours_is_read_and_written_only_with_consent() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    let file = sandbox.data().join("mine.dat");
    std::fs::write(&file, vec![7; 65536]).unwrap();
    let before = print_of(&file);
    let ended = ping(&sandbox, "-c 3 -i 0 -s 4k", &file).run();
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    ping(&sandbox, "-c 3 -i 0 -W", &file).run().refuses(2, "-WWW");
    ping(&sandbox, "-c 3 -i 0 -WWW", &file).run().refuses(2, "secchi did not create it");
    ping(&sandbox, "-c 3 -S 1m", &file).run().refuses(2, "too small");
    assert_eq!(print_of(&file), before);
    let ended = ping(&sandbox, "-c 3 -i 0 -WWW --allow-overwrite", &file).run();
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    assert_ne!(print_of(&file), before);
    assert_eq!(file.metadata().unwrap().len(), 65536);
}

#[test]
fn the_kept_file_is_made_once() {
    use std::os::unix::fs::MetadataExt;
    let _beside = beside();
    let sandbox = Sandbox::new();
    let kept = sandbox.data().join("ioping.tmp");
    let mut seen = Vec::new();
    for _ in 0..2 {
        let ended = ping(&sandbox, "-k -c 3 -i 0 -S 256k", &sandbox.data()).run();
        assert_eq!(ended.code, 0, "{}", ended.stderr);
        seen.push((kept.metadata().unwrap().ino(), kept.metadata().unwrap().len()));
    }
    assert_eq!((seen[0], seen[0].1), (seen[1], 256 << 10));
}

#[test]
fn limits_decide_the_exit_code() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    let ended = ping(&sandbox, "-q -c 5 -i 0 --max-avg 1h --max-p99 1h", &sandbox.data()).run();
    assert_eq!((ended.code, ended.stderr.as_str()), (0, ""));
    for limit in ["--max-avg", "--max-p99"] {
        let ended = ping(&sandbox, &format!("-q -c 5 -i 0 {limit} 1ns"), &sandbox.data()).run();
        // A limit that is exceeded while other processes used the CPU decides nothing.
        let others = ended.stderr.contains("other processes used the CPU");
        assert_eq!(ended.code, if others { 2 } else { 1 }, "{}", ended.stderr);
        assert!(ended.stderr.contains(limit) && ended.stderr.contains("of 4 requests"), "{}", ended.stderr);
    }
    let ended = ping(&sandbox, "-q -c 1 --max-avg 1h", &sandbox.data()).run();
    assert_eq!(ended.code, 3, "nothing to judge: {}", ended.stderr);
}

/// Tests the one-line output and the four exit codes of a monitoring plugin.
#[test]
fn a_check_is_one_line_for_a_monitoring_system() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    let check = |words: &str, at: &Path| {
        let ended = ping(&sandbox, &format!("--nagios -c 5 -i 0 {words}"), at).run();
        assert_eq!(ended.stdout.lines().count(), 1, "{}{}", ended.stdout, ended.stderr);
        (ended.code, ended.stdout)
    };
    let (code, line) = check("--warn-p99 1h --max-p99 2h", &sandbox.data());
    assert!(code == 0 && line.starts_with("SECCHI OK - 4 requests"), "{line}");
    assert!(line.contains("'p99'=") && line.contains("s;3600;7200;0") && line.contains("'requests'=4;;;0"), "{line}");
    // Times exceeded while other processes used the CPU decide nothing.
    let (code, line) = check("--max-p99 1ns", &sandbox.data());
    assert!(
        line.starts_with(if code == 3 { "SECCHI UNKNOWN - undecided" } else { "SECCHI CRITICAL - longest" }),
        "{line}"
    );
    let (code, line) = check("--warn-avg 1ns", &sandbox.data());
    assert!(code == 1 && line.starts_with("SECCHI WARNING - mean "), "{line}");
    let (code, line) = check("", &sandbox.path("nowhere"));
    assert!(code == 3 && line.contains("No such file"), "{line}");
    let (code, line) = check("--max-p99 10", &sandbox.data());
    assert!(code == 3 && line.contains("has no unit: write 10ms"), "{line}");
    let ended = ping(&sandbox, "-q -c 1 --max-p99 10", &sandbox.data()).run();
    ended.refuses(64, "has no unit: write 10ms");
}

#[test]
fn an_interrupt_prints_the_statistics() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    let running = ping(&sandbox, "-i 20ms", &sandbox.data()).start();
    assert!(eventually(PATIENCE, || running.stdout().contains("request=3 ")), "{}", running.stderr());
    running.signal(rustix::process::Signal::INT);
    let ended = running.wait(PATIENCE);
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    assert!(ended.stdout.contains("min/avg/max/mdev = "), "{}", ended.stdout);
    assert_eq!(sandbox.newest().expect("kept").record.state, model::RunState::Stopped);
}

#[test]
fn called_as_ioping_it_says_what_ioping_says() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    let link = sandbox.path("ioping");
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_secchi"), &link).unwrap();
    let called = |words: &str| {
        let mut secchi = Secchi::new(&sandbox.path("home"));
        secchi.program(&link).words(words).arg("--store").arg(sandbox.store()).arg(sandbox.data());
        secchi.run()
    };
    let ended = called("-c 30 -i 0");
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    assert!(ended.stdout.lines().last().is_some_and(|l| l.starts_with("min/avg/max/mdev")), "{}", ended.stdout);
    assert_eq!(called("-Z").code, 1);
}

#[test]
fn a_device_in_use_is_read_beside_its_users_and_never_written() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    let (_mounted, device) = own_disk!(sandbox, 64 << 20);
    let ended = ping(&sandbox, "-c 3 -i 1ms -D", &device.path).run();
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    assert!(ended.stderr.contains("is mounted on") && ended.stderr.contains("disturb each other"), "{}", ended.stderr);
    assert!(!ended.stderr.contains("--destroy"), "no advice to overwrite what is in use: {}", ended.stderr);
    let word = format!("-c 3 -i 1ms -WWW --destroy {}:{}", device.path.display(), 64 << 20);
    let ended = ping(&sandbox, &word, &device.path).run();
    assert_eq!((ended.code, ended.stdout.as_str()), (2, ""), "{}", ended.stderr);
    assert!(ended.stderr.contains("in use"), "{}", ended.stderr);
}
