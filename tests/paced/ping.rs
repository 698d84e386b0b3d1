//! `secchi ping`: ioping's lines and figures, on memory, on a slow device, and compared with ioping.

use crate::support::commands::{json, ping};
use crate::support::{Sandbox, Tmpfs, alone, beside, names_in, paced, skip};
use std::process::Command;

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
    let busy = lines[30].starts_with("not valid: other processes");
    assert_eq!(percentiles, Some(if busy { 31 } else { 30 }), "{}", ended.stdout);
    assert_eq!(names_in(&data), Vec::<String>::new(), "the file has no name");
    let run = sandbox.newest().expect("it is kept");
    assert_eq!(run.record.plan.command, "ping");
    let pinged = run.record.ping().expect("its requests");
    assert_eq!((pinged.total.count, pinged.total.times.count()), (25, 24));
    let shown = sandbox.secchi(&format!("show {}", run.record.id)).run();
    assert_eq!(shown.stdout.lines().collect::<Vec<_>>()[..4], lines[26..30], "{}", shown.stdout);
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
