//! A watch on several hosts as one run: the real mpirun, ranks on this machine, each with its own counters.

use crate::ranks::{launcher, load_of_rank, process_of_rank, program};
use crate::support::{Sandbox, Secchi, alone, beside, eventually, skip, wait_until_still};
use model::RunState;
use rustix::process::{Pid, Signal, kill_process};
use std::path::Path;
use std::time::{Duration, Instant};
use testkit::Loop;

/// Returns the command `mpirun -n 2 secchi watch` with these words.
fn two(program: &Path, sandbox: &Sandbox, words: &str) -> Secchi {
    let mut mpirun = launcher(sandbox);
    mpirun.words("-n 2").arg(program).arg("watch").words(words).arg("--store").arg(sandbox.store());
    mpirun
}

fn counted(device: &str) -> [u64; 2] {
    let text = std::fs::read_to_string(format!("/sys/block/{device}/stat")).expect("a device has counters");
    let n: Vec<u64> = text.split_whitespace().map(|w| w.parse().expect("a number")).collect();
    [n[0], n[4]]
}

#[test]
fn each_host_s_counters_are_looked_at_in_the_same_moments_and_bear_its_name() {
    let _alone = alone();
    let sandbox = Sandbox::new();
    let program = match program(&sandbox) {
        Ok(program) => program,
        Err(why) => skip!("{why}"),
    };
    let device = match Loop::new(&sandbox.path("image"), 64 << 20) {
        Ok(device) => device,
        Err(why) => skip!("{why}"),
    };
    let name = device.path.file_name().expect("/dev/loopN").to_string_lossy().into_owned();
    wait_until_still(|| counted(&name).iter().sum());
    let (csv, metrics) = (sandbox.path("watch.csv"), sandbox.path("watch.prom"));
    let words = format!(
        "--interval 100ms --for 3s --json --device {name} --csv {} --prometheus {}",
        csv.display(),
        metrics.display()
    );
    let before = counted(&name);
    let running = two(&program, &sandbox, &words).arg("--limit").arg("volume iops=6000").start();
    // Wait until both ranks are sampling.
    std::thread::sleep(Duration::from_millis(1800));
    let mut load = Secchi::new(&sandbox.path("home"));
    load.words("fio --name=r --rw=randread --bs=4k --number_ios=500 --size=8m --direct=1 --ioengine=psync --readonly");
    load.arg(format!("--filename={}", device.path.display())).arg("--store").arg(sandbox.path("other"));
    let loaded = load.run();
    assert_eq!(loaded.code, 0, "{}", loaded.stderr);
    let ended = running.wait(Duration::from_secs(60));
    assert_eq!(ended.code, 0, "{}{}", ended.stdout, ended.stderr);
    let after = counted(&name);
    let run = ended.json();
    assert_eq!((run.record.state, run.record.preflight.ranks.len()), (RunState::Complete, 2));
    let hosts: Vec<String> = run.record.preflight.ranks.iter().map(|r| r.name.clone()).collect();
    let did = after[0] - before[0];
    assert!(did >= 500, "a load ran: {did}");
    for host in &hosts {
        // The kernel's counts equal the figures of each host, in total and summed over the samples.
        let disk = run.record.disks.iter().find(|d| d.name == format!("{host}/{name}")).expect("each watched it");
        assert_eq!(disk.ops[0], did, "{host}");
        let series = run.record.series(&format!("device.{host}/{name}.read_ops")).expect("sampled");
        let prefix = if *host == hosts[0] { String::new() } else { format!("{host}/") };
        let stretch = run.record.series(&format!("{prefix}sampler.stretch")).expect("sampled");
        assert!((27..=31).contains(&series.points.len()), "{host}: {} looks", series.points.len());
        let seconds = |at| stretch.points.iter().find(|p| p.0 == at).map_or(0.0, |p| p.1);
        let summed: f64 = series.points.iter().map(|(at, rate)| rate * seconds(*at)).sum();
        assert!((summed - did as f64).abs() < 1.0, "{host}: {summed} of {did}");
        assert!(run.record.series(&format!("{host}/memory.available")).is_some(), "the machine, too");
    }
    // Samples of the same moment share one row.
    let times = |host: &String| -> Vec<model::Nanos> {
        let series = run.record.series(&format!("device.{host}/{name}.read_ops")).expect("sampled");
        series.points.iter().map(|p| p.0).collect()
    };
    let (first, second) = (times(&hosts[0]), times(&hosts[1]));
    let together = first.iter().filter(|at| second.contains(at)).count();
    assert!(together + 2 >= first.len(), "{together} of {} looks stand together", first.len());
    let watch = run.judgement.watch().expect("a watch");
    assert_eq!(watch.devices.len(), 2);
    // A shared cap applies to the sum of both.
    assert_eq!(watch.caps[0].over.len(), 2);
    let csv = std::fs::read_to_string(csv).expect("written");
    let head = csv.lines().next().unwrap_or_default();
    assert!(hosts.iter().all(|h| head.contains(&format!("device.{h}/{name}.read_ops"))), "{head}");
    let metrics = std::fs::read_to_string(metrics).expect("written");
    let row = |host: &String| format!("secchi_device_io_total{{device=\"{host}/{name}\",role=\"\",op=\"read\"}} {did}");
    assert!(hosts.iter().all(|h| metrics.contains(&row(h))), "{metrics}");
    let machine = |host: &String| format!("secchi_memory_bytes{{host=\"{host}\",");
    assert!(hosts.iter().all(|h| metrics.contains(&machine(h))), "{metrics}");
    assert_eq!(sandbox.secchi("runs --ids").run().stdout.lines().count(), 1, "one run");
}

#[test]
fn a_host_that_is_gone_ends_the_watch_by_name_with_what_was_seen() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    let program = match program(&sandbox) {
        Ok(program) => program,
        Err(why) => skip!("{why}"),
    };
    let running = two(&program, &sandbox, "--interval 100ms --plain --all").start();
    assert!(eventually(Duration::from_secs(30), || sandbox.newest().is_some_and(|r| r.record.stretches().len() > 5)));
    let load = load_of_rank(&sandbox.store(), 1).expect("the process of rank 1");
    let killed = Instant::now();
    kill_process(load, Signal::KILL).expect("our own child can be killed");
    let ended = running.wait(Duration::from_secs(60));
    assert_eq!(ended.code, 5, "{}{}", ended.stdout, ended.stderr);
    assert!(killed.elapsed() < Duration::from_secs(20), "{:?}", killed.elapsed());
    assert!(format!("{}{}", ended.stdout, ended.stderr).contains(":1 is gone"), "{}{}", ended.stdout, ended.stderr);
    let run = sandbox.newest().expect("it is kept");
    assert!(run.record.state == RunState::Hung && run.record.reason.contains(":1 is gone"), "{}", run.record.reason);
    assert!(run.record.stretches().len() > 5);
}

#[test]
fn ctrl_c_on_mpirun_ends_a_watch_with_what_was_seen() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    let program = match program(&sandbox) {
        Ok(program) => program,
        Err(why) => skip!("{why}"),
    };
    let running = two(&program, &sandbox, "--interval 100ms --plain --all").start();
    assert!(eventually(Duration::from_secs(30), || sandbox.newest().is_some_and(|r| r.record.stretches().len() > 5)));
    let mpirun = Pid::from_raw(i32::try_from(running.pid()).expect("a number")).expect("it runs");
    kill_process(mpirun, Signal::INT).expect("our own child");
    running.wait(Duration::from_secs(30));
    let run = sandbox.newest().expect("it is kept");
    assert!([RunState::Stopped, RunState::Complete].contains(&run.record.state), "{:?}", run.record.state);
    assert!(run.record.stretches().len() > 5);
    let hosts: Vec<&str> = run.record.preflight.ranks.iter().map(|r| r.name.as_str()).collect();
    let is_watched = |host: &str| run.record.series.iter().any(|s| s.name.starts_with(&format!("{host}/memory")));
    assert!(hosts.len() == 2 && hosts.iter().all(|host| is_watched(host)), "{hosts:?}");
}

#[test]
fn what_a_watch_of_many_hosts_cannot_do_is_said_once() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    let program = match program(&sandbox) {
        Ok(program) => program,
        Err(why) => skip!("{why}"),
    };
    let ended = two(&program, &sandbox, "--for 1s --trace-blocks").run();
    assert_eq!((ended.code, ended.stderr.matches("works on one host only").count()), (64, 1), "{}", ended.stderr);
    let ended = two(&program, &sandbox, "--for 1s --device no-such-device").run();
    assert_eq!(ended.code, 64, "{}", ended.stderr);
    assert_eq!(ended.stderr.lines().filter(|l| l.starts_with("secchi: ")).count(), 1, "{}", ended.stderr);
}

#[test]
fn a_watch_whose_rank_0_was_killed_is_put_together_from_what_every_host_kept() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    let program = match program(&sandbox) {
        Ok(program) => program,
        Err(why) => skip!("{why}"),
    };
    let store_of = |rank: usize| sandbox.path(&format!("store-{rank}"));
    let mut mpirun = launcher(&sandbox);
    for rank in 0..2 {
        mpirun
            .words(if rank == 0 { "-n 1" } else { ": -n 1" })
            .arg(&program)
            .words("watch --interval 100ms --plain --all");
        mpirun.arg("--store").arg(store_of(rank));
    }
    let running = mpirun.start();
    let newest = |dir: &Path| store::Store::existing(dir).ok().flatten()?.read("last").ok();
    let looks = |dir: &Path| newest(dir).map_or(0, |record: model::RunRecord| record.stretches().len());
    let parts = store_of(1).join("parts");
    let both = || looks(&store_of(0)) > 10 && looks(&parts) > 10;
    assert!(eventually(Duration::from_secs(60), both), "{} {}", looks(&store_of(0)), looks(&parts));
    for load in [true, false] {
        let pid = process_of_rank(&store_of(0), 0, load).expect("a process of rank 0");
        kill_process(pid, Signal::KILL).expect("our own child can be killed");
    }
    let ended = running.wait(Duration::from_secs(60));
    assert_ne!(ended.code, 0, "{}", ended.stderr);
    let gone = || process_of_rank(&store_of(1), 1, true).is_none();
    assert!(eventually(Duration::from_secs(30), gone), "mpirun ends all of them");

    let part = newest(&parts).expect("the part of rank 1");
    let of_rank_0 = newest(&store_of(0)).expect("what rank 0 kept");
    assert_eq!(part.preflight.part.as_ref().map(|p| p.run.as_str()), Some(of_rank_0.id.as_str()));
    let file = sandbox.path("1.runs");
    let secchi = |words: &str, what: &Path, store: &Path| {
        Secchi::new(&sandbox.path("home")).words(words).arg(what).arg("--store").arg(store).run()
    };
    assert_eq!(secchi("runs export last -o", &file, &parts).code, 0);
    assert_eq!(secchi("runs import", &file, &store_of(0)).code, 0);
    let join = secchi("runs join", Path::new(&part.id), &store_of(0));
    assert_eq!(join.code, 0, "{}", join.stderr);
    let runs = store::Store::existing(&store_of(0)).expect("a store").expect("it is there");
    let joined = runs.read(join.stdout.trim()).expect("the joined run");
    let host = &joined.preflight.ranks[1].name;
    let points = |record: &model::RunRecord, name: &str| record.series(name).map_or(0, |s| s.points.len());
    // All samples of its own rank, and those of rank 0.
    let available = format!("{host}/memory.available");
    assert_eq!(points(&joined, &available), points(&part, "memory.available"));
    assert!(points(&joined, &available) >= points(&of_rank_0, &available));
    let series = format!("{}/memory.available", joined.preflight.ranks[0].name);
    assert_eq!(points(&joined, &series), points(&of_rank_0, &series));
    assert!(joined.stretches().len() >= of_rank_0.stretches().len());
    let page = secchi("show --full", Path::new(&joined.id), &store_of(0));
    assert!(page.stdout.contains("combined from rank 0's journal"), "{}", page.stdout);
    // A run that ends normally leaves no part.
    let whole = two(&program, &sandbox, "--interval 100ms --for 1s --plain --all").run();
    assert_eq!(whole.code, 0, "{}", whole.stderr);
    assert!(newest(&sandbox.store().join("parts")).is_none());
}
