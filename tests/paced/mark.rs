//! `secchi mark` on disk, memory and devices: tables, files, refusals, and the record of a killed run.

use crate::support::{
    Loop, Run, SHORT, Sandbox, Secchi, Tmpfs, alone, beside, loop_and_ext4, names_in, print_of, skip,
};
use model::{Bytes, Op, RunState, Severity};
use std::path::Path;

/// Short loops on a small file.
const QUICK: &str = "-n 2 -t 0.3 -i 0.1 -s 64m";

fn mark(sandbox: &Sandbox, target: &Path, words: &str) -> Secchi {
    let mut secchi = Secchi::new(&sandbox.path("home"));
    secchi.arg("mark").arg(target).arg("--store").arg(sandbox.store()).words(words);
    secchi
}

fn ids(run: &Run) -> Vec<&str> {
    run.judgement.caveats.iter().map(|c| c.id.as_str()).collect()
}

#[test]
fn a_mark_tells_every_test_in_both_directions_and_leaves_nothing_behind() {
    let _alone = alone();
    let sandbox = Sandbox::new();
    let (picture, text) = (sandbox.path("mark.png"), sandbox.path("mark.txt"));
    let ended = mark(&sandbox, &sandbox.data(), QUICK).arg("-o").arg(&picture).arg("-o").arg(&text).run();
    ended.measured();
    for word in ["READ", "WRITE", "SEQ1M   Q8T1", "SEQ1M   Q1T1", "RND4K   Q32T1", "RND4K   Q1T1", "64 MiB"] {
        assert!(ended.stdout.contains(word), "`{word}` is missing:\n{}", ended.stdout);
    }
    assert!(ended.stdout.contains("the file is smaller than the caches"), "{}", ended.stdout);
    assert_eq!(names_in(&sandbox.data()), Vec::<String>::new());
    let bytes = std::fs::read(&picture).expect("the picture was written");
    assert_eq!(&bytes[..4], b"\x89PNG");
    let saved = std::fs::read_to_string(&text).expect("the text was written");
    assert_eq!(saved.matches(" MB/s [").count(), 8, "{saved}");

    let listed = sandbox.secchi("runs").run();
    // If other load spoilt the run, its line in the list reports only that.
    let says = if ended.starved() { "not valid: " } else { "SEQ1M Q8T1: read" };
    assert!(listed.stdout.contains("mark") && listed.stdout.contains(says), "{}", listed.stdout);
    let id = sandbox.secchi("runs --ids").run().stdout.trim().to_owned();
    assert_eq!(sandbox.secchi(&format!("show {id}")).run().stdout, ended.stdout, "kept is what was printed");
    assert_eq!(sandbox.secchi(&format!("show {id} -f text")).run().stdout, saved);
    let document = sandbox.secchi(&format!("show {id} -f json")).run().stdout;
    assert_eq!(testkit::schema_violations("mark", &document).unwrap_or_default(), "");
    let svg = sandbox.path("again.svg");
    let shown = sandbox.secchi(&format!("show {id} -o {}", svg.display())).run();
    assert_eq!(shown.code, 0, "{}", shown.stderr);
    assert!(std::fs::read_to_string(&svg).expect("the picture was written").starts_with("<svg "));

    let run: Run = sandbox.secchi(&format!("show {id} --json")).run().json();
    assert_eq!(run.record.plan.stages.len(), 16);
    assert!(run.record.steps.iter().all(|s| s.job.queue_depth * s.job.threads >= 1 && s.end.is_some()));
    let deep = &run.record.steps[0];
    assert_eq!((deep.job.queue_depth, deep.job.threads, deep.job.workload.rw()), (8, 1, "read"));
    let pauses: Vec<f64> =
        run.record.steps.windows(2).map(|w| (w[1].start.as_nanos() as f64 - w[0].end_at()) / 1e9).collect();
    assert!(pauses[1] >= 0.1, "a pause stands between tests: {pauses:?}");
}

trait EndAt {
    fn end_at(&self) -> f64;
}

impl EndAt for model::record::Step {
    fn end_at(&self) -> f64 {
        self.end.as_ref().map_or(0.0, |e| e.at.as_nanos() as f64)
    }
}

#[test]
fn threads_have_queues_of_their_own_and_a_mix_does_both() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    let words = "-n 1 -t 0.3 -i 0 -s 64m --test RND4K-Q4T2 --test SEQ128K-Q2T2 --mix=60 --only mix --json";
    let measured = || {
        let ended = mark(&sandbox, &sandbox.data(), words).run();
        ended.measured();
        ended.json()
    };
    // A disk that stalls for the whole test completes only the requests in flight: these do not show the mix.
    let stood_still = |run: &Run| run.record.steps.iter().any(|s| s.total().data_ops() < 20);
    let mut run = measured();
    for _ in 0..2 {
        if stood_still(&run) {
            run = measured();
        }
    }
    let steps = &run.record.steps;
    assert_eq!(steps.iter().map(|s| (s.job.queue_depth, s.job.threads)).collect::<Vec<_>>(), [(4, 2), (2, 2)]);
    for step in steps {
        let total = step.total();
        let (reads, writes) = (total.op(Op::Read).tally.ops as f64, total.op(Op::Write).tally.ops as f64);
        assert!(writes > 0.0 && (reads / (reads + writes) - 0.6).abs() < 0.1, "{reads} {writes}");
        assert!(total.mean_in_flight() <= f64::from(step.job.concurrency()) * 1.01);
    }
}

#[test]
fn zeros_are_written_and_doubted() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    let words = "-n 1 -t 0.2 -s 64m --test SEQ1M-Q2T1 -d zero --json";
    let run = mark(&sandbox, &sandbox.data(), words).run().json();
    assert!(ids(&run).contains(&"compressible-data"), "{:?}", ids(&run));
    assert_eq!(names_in(&sandbox.data()), Vec::<String>::new());
    let kept = sandbox.qualify(sandbox.data(), &format!("{SHORT} --keep --json")).run();
    kept.measured();
    mark(&sandbox, &sandbox.data(), words).run().refuses(3, "contains random data");
}

#[test]
fn memory_is_no_storage_and_is_said_to_be_none() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    let mounted = match Tmpfs::mount(&sandbox.path("memory"), "1300m") {
        Ok(mounted) => mounted,
        Err(why) => skip!("{why}"),
    };
    let ended = mark(&sandbox, &mounted.point, "-n 1 -t 0.2 -i 0 -s 64m").run();
    assert!(ended.code == 0 || ended.code == 2, "{}", ended.stderr);
    let doubted = ended.stdout.lines().any(|l| l.contains("cache") || l.contains("memory"));
    assert!(doubted, "{}", ended.stdout);
}

#[test]
fn it_runs_on_a_mounted_loop_device_and_on_a_raw_one_with_consent() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    let backing = sandbox.path("disk.img");
    // Reads of unwritten blocks would not reach the disk.
    std::fs::write(&backing, vec![0xA5; 128 << 20]).expect("written");
    let device = match Loop::over(&backing) {
        Ok(device) => device,
        Err(why) => skip!("{why}"),
    };
    let before = print_of(&device.path);
    let name = device.path.display().to_string();
    let one = "-n 1 -t 0.2 -i 0 --test RND4K-Q4T1";
    let store = format!("--store {}", sandbox.store().display());
    let run =
        |words: &str| Secchi::new(&sandbox.path("home")).arg("mark").words(&format!("{one} {store} {words}")).run();
    mark(&sandbox, &device.path, one).run().refuses(64, "--device");
    let read = run(&format!("--device {name} --json"));
    read.measured();
    assert!(read.stderr.contains("is only read"), "{}", read.stderr);
    assert_eq!(read.json().record.plan.target.size, Bytes::from_mib(128), "all of a device smaller than 1 GiB");
    assert!(print_of(&device.path) == before, "a device is not written unasked");
    run(&format!("--device {name} --only write")).refuses(64, "write tests write");
    run(&format!("--device {name} --destroy wrong")).refuses(3, &name);
    let written = run(&format!("--device {name} --destroy {name}:{} --yes --json", 128 << 20));
    written.measured();
    assert!(written.json().record.steps.iter().any(|s| s.job.workload.mix.writes()));
    drop(device);

    // 1 GiB of every file system stays free.
    let (mounted, _device) = match loop_and_ext4(&sandbox.path("fs.img"), 2 << 30, &sandbox.path("mnt")) {
        Ok(both) => both,
        Err(why) => skip!("{why}"),
    };
    let ended = mark(&sandbox, &mounted.point, "-n 1 -t 0.2 -i 0 -s 64m --json").run();
    ended.measured();
    let storage = &ended.json().record.preflight.storage;
    assert!(storage.devices.iter().any(|d| d.kind == "loop"), "{storage:?}");
}

#[test]
fn too_little_space_is_said_before_anything_is_written() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    mark(&sandbox, &sandbox.data(), "-s 100t --yes").run().refuses(3, "are free");
    assert_eq!(names_in(&sandbox.data()), Vec::<String>::new());
}

#[test]
fn mistakes_are_one_sentence_and_nothing_is_opened() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    for (words, needle) in [
        ("--test 4K-Q8T1", "does not begin with SEQ or RND"),
        ("--test RND4K --test RND4K-Q1T1", "is given twice"),
        ("-p quick", "unknown profile"),
        ("-n 0", "from 1 to 100"),
        ("-t 1ms", "100 ms"),
        ("--mix=100", "99"),
        ("-s 64m --test SEQ64M-Q1T2", "2 threads need at least 128 MiB"),
        ("--engine psync", "engine psync has one operation"),
        ("-o mark.jpg", ".png"),
        ("-o mark", ".txt"),
        ("-f svgg", "did you mean `svg`?"),
    ] {
        mark(&sandbox, &sandbox.data(), words).run().refuses(64, needle);
    }
    mark(&sandbox, &sandbox.data(), "-o /nowhere/mark.txt -s 64m").run().refuses(4, "/nowhere/mark.txt");
    assert_eq!(names_in(&sandbox.data()), Vec::<String>::new());
}

#[test]
fn a_killed_mark_keeps_what_was_measured() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    let words = "-n 2 -t 0.5 -i 0 -s 64m --test RND4K-Q2T1 --test SEQ1M-Q2T1 --test SEQ64K-Q1T1";
    let mut running = mark(&sandbox, &sandbox.data(), words).start();
    running.wait_for_message("SEQ1M Q2T1 read");
    running.signal(rustix::process::Signal::INT);
    let ended = running.wait(crate::support::PATIENCE);
    assert_eq!(ended.code, 130, "{}", ended.stderr);
    assert!(ended.stdout.contains("stopped before it finished"), "{}", ended.stdout);
    let run = sandbox.newest().expect("it is kept");
    assert_eq!(run.record.state, RunState::Stopped);
    let whole = run.record.steps.iter().filter(|s| s.total().data_ops() > 0).count();
    assert!(whole >= 2, "{whole} loops were kept");
    assert!(run.judgement.caveats.iter().any(|c| c.id == "partial" && c.severity == Severity::Doubt));
    assert_eq!(names_in(&sandbox.data()), Vec::<String>::new(), "the test file is removed");
}
