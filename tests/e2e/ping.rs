//! `secchi ping`: ioping's lines and figures, refusals, limits, signals, kept files, and a comparison with ioping.

use crate::support::{
    Ended, PATIENCE, Sandbox, Secchi, Tmpfs, alone, beside, eventually, names_in, own_disk, paced, print_of, skip,
};
use std::path::Path;
use std::process::Command;

/// Returns the command `secchi ping --store STORE WORDS TARGET`.
fn ping(sandbox: &Sandbox, words: &str, target: &Path) -> Secchi {
    let mut secchi = Secchi::new(&sandbox.path("home"));
    secchi.words("ping --store").arg(sandbox.store()).words(words).arg(target);
    secchi
}

/// Returns the times of the requests that count, and the final object, from the output of `-J`.
fn json(ended: &Ended) -> (Vec<u64>, serde_json::Value) {
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    let entries: Vec<serde_json::Value> = serde_json::from_str(&ended.stdout).expect("one JSON array");
    let counts = |v: &&serde_json::Value| v["io"]["ignored"] == false;
    let times = entries.iter().filter(counts).map(|v| v["io"]["time"].as_u64().expect("ns")).collect();
    (times, entries.last().expect("statistics at the end").clone())
}

#[test]
fn lines_and_statistics_are_iopings_and_nothing_stays_behind() {
    let _alone = alone();
    let sandbox = Sandbox::new();
    let data = sandbox.data();
    let ended = ping(&sandbox, "-c 25 -i 1ms", &data).run();
    assert_eq!((ended.code, ended.stderr.as_str()), (0, ""));
    let lines: Vec<&str> = ended.stdout.lines().collect();
    let begin = format!("4 KiB <<< {} (", data.display());
    assert!(lines[..25].iter().all(|l| l.starts_with(&begin)), "{}", ended.stdout);
    assert!(lines[0].contains("): request=1 time=") && lines[0].ends_with(" (warmup)"), "{}", lines[0]);
    assert!(lines[24].contains("): request=25 time="), "{}", lines[24]);
    assert_eq!(lines[25], "");
    assert!(lines[26].starts_with("--- ") && lines[26].ends_with(" ioping statistics ---"), "{}", lines[26]);
    assert!(
        lines[27].starts_with("24 requests completed in ") && lines[27].contains(", 96 KiB read, "),
        "{}",
        lines[27]
    );
    assert!(lines[28].starts_with("generated 25 requests in ") && lines[28].contains(", 100 KiB, "), "{}", lines[28]);
    assert!(lines[29].starts_with("min/avg/max/mdev = "), "{}", lines[29]);
    // If the machine was too busy to measure, a line before them reports it.
    let percentiles = lines.iter().position(|l| l.starts_with("p50/p90/p99/p99.9 = "));
    assert!(percentiles == Some(30) || percentiles.is_some() && ended.starved(), "{}", ended.stdout);
    assert_eq!(names_in(&data), Vec::<String>::new(), "the file has no name");
    let run = sandbox.newest().expect("it is kept");
    assert_eq!(run.record.plan.command, "ping");
    let pinged = run.record.ping.expect("its requests");
    assert_eq!((pinged.total.count, pinged.total.times.count()), (25, 24));
    let shown = sandbox.secchi(&format!("show {}", run.record.id)).run();
    assert_eq!(shown.stdout.lines().collect::<Vec<_>>()[..4], lines[26..30], "{}", shown.stdout);
}

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
fn on_memory_no_limit_is_decided() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    let memory = match Tmpfs::mount(&sandbox.path("memory"), "64m") {
        Ok(mounted) => mounted,
        Err(why) => skip!("{why}"),
    };
    for limit in ["--max-p99 1h", "--max-avg 1ns"] {
        let ended = ping(&sandbox, &format!("-q -c 20 -i 0 {limit}"), &memory.point).run();
        assert_eq!(ended.code, 2, "{limit}: {}", ended.stderr);
        assert!(ended.stderr.contains("undecided: memory was measured, not storage (tmpfs"), "{}", ended.stderr);
        assert!(ended.stdout.contains("not valid: memory was measured, not storage"), "{}", ended.stdout);
    }
    let ended = ping(&sandbox, "-q -c 20 -i 0", &memory.point).run();
    assert_eq!(ended.code, 0, "as ioping: {}", ended.stderr);
    assert!(
        ended.stdout.contains("min/avg/max/mdev") && ended.stdout.contains("not valid: memory"),
        "{}",
        ended.stdout
    );
    assert!(ended.stderr.contains("tmpfs keeps its files in memory"), "{}", ended.stderr);
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

#[test]
fn from_the_due_time_a_slow_device_shows_in_every_request_it_delays() {
    let _paced = paced();
    let (sandbox, disk) = match Sandbox::with_own_disk() {
        Ok(made) => made,
        Err(why) => skip!("{why}"),
    };
    disk.group.cap_reads(20, 0);
    let mean = |words: &str| {
        let mut secchi = ping(&sandbox, &format!("-J -D -i 10ms -c 20 {words}"), &sandbox.data());
        let (times, _) = json(&secchi.inside(disk.group.path()).run());
        times.iter().sum::<u64>() / times.len() as u64
    };
    let (closed, due) = (mean(""), mean("--from-due"));
    // Twenty requests at twenty per second: 50 ms each, however the throttle groups them. From the due time, a request also waits
    // for those before it, 400 ms on average.
    assert!(due > 200_000_000 && due > 2 * closed, "from due {due} ns, as sent {closed} ns");
    // Response times from the due time overlap: their sum, of some seconds, is not the elapsed time.
    let mut secchi = ping(&sandbox, "-q -D -i 10ms -w 2 --from-due", &sandbox.data());
    let ended = secchi.inside(disk.group.path()).run();
    let line =
        |head: &str| ended.stdout.lines().find(|l| l.contains(head)).unwrap_or_else(|| panic!("{}", ended.stdout));
    let time = |line: &str| line.split(" in ").nth(1).and_then(|l| l.split(',').next()).expect("a time").to_owned();
    assert_eq!(time(line("requests completed in")), time(line("generated ")), "{}", ended.stdout);
    // Two hundred were due, and some forty were sent.
    assert!(ended.stdout.contains("were due but not yet submitted at the end"), "{}", ended.stdout);
}

#[test]
fn beside_ioping_the_figures_are_of_the_same_order() {
    let _alone = alone();
    let sandbox = Sandbox::new();
    let words = "-B -c 60 -i 2ms -D";
    let mut means = [Vec::new(), Vec::new()];
    for _ in 0..3 {
        let ioping = Command::new("ioping").args(words.split(' ')).arg(sandbox.data()).output();
        let Ok(ioping) = ioping else { skip!("no ioping here") };
        let ours = ping(&sandbox, words, &sandbox.data()).run();
        for (list, text) in means.iter_mut().zip([String::from_utf8_lossy(&ioping.stdout).into_owned(), ours.stdout]) {
            let fields: Vec<u64> = text.split_whitespace().filter_map(|f| f.parse().ok()).collect();
            assert_eq!(fields.len(), 10, "{text}");
            // The minimum is the figure least disturbed by a neighbour.
            list.push(fields[4]);
        }
    }
    let least = means.map(|list| list.into_iter().min().expect("three"));
    let ratio = least[1] as f64 / least[0] as f64;
    assert!((0.25..4.0).contains(&ratio), "ioping {} ns, secchi {} ns", least[0], least[1]);
}
