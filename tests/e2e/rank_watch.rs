//! A watch on several hosts as one: the real mpirun, ranks on this machine, each with counters of its own.

use crate::ranks::{launcher, load_of_rank, program};
use crate::support::{Sandbox, Secchi, alone, beside, eventually, skip, wait_until_still};
use model::RunState;
use rustix::process::{Pid, Signal, kill_process};
use std::path::Path;
use std::time::{Duration, Instant};
use testkit::Loop;

/// `mpirun -n 2 secchi watch` with these words.
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
        "--interval 100ms --for 3s --json --device {name} --csv {} --openmetrics {}",
        csv.display(),
        metrics.display()
    );
    let before = counted(&name);
    let running = two(&program, &sandbox, &words).arg("--limit").arg("volume iops=6000").start();
    // Once both look.
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
        // What the kernel counted is what each host tells of it, in all and look by look.
        let disk = run.record.disks.iter().find(|d| d.name == format!("{host}/{name}")).expect("each watched it");
        assert_eq!(disk.ops[0], did, "{host}");
        let series = run.record.series(&format!("device.{host}/{name}.read_ops")).expect("sampled");
        let own = if *host == hosts[0] { String::new() } else { format!("{host}/") };
        let stretch = run.record.series(&format!("{own}sampler.stretch")).expect("sampled");
        assert!((27..=31).contains(&series.points.len()), "{host}: {} looks", series.points.len());
        let seconds = |at| stretch.points.iter().find(|p| p.0 == at).map_or(0.0, |p| p.1);
        let summed: f64 = series.points.iter().map(|(at, rate)| rate * seconds(*at)).sum();
        assert!((summed - did as f64).abs() < 1.0, "{host}: {summed} of {did}");
        assert!(run.record.series(&format!("{host}/memory.available")).is_some(), "the machine, too");
    }
    // Looks of one moment stand in one row.
    let times = |host: &String| -> Vec<model::Nanos> {
        let series = run.record.series(&format!("device.{host}/{name}.read_ops")).expect("sampled");
        series.points.iter().map(|p| p.0).collect()
    };
    let (first, second) = (times(&hosts[0]), times(&hosts[1]));
    let together = first.iter().filter(|at| second.contains(at)).count();
    assert!(together + 2 >= first.len(), "{together} of {} looks stand together", first.len());
    let watch = run.judgement.watch.as_ref().expect("a watch");
    assert_eq!(watch.devices.len(), 2);
    // A cap for all is of the sum of both.
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
    let of = |host: &str| run.record.series.iter().any(|s| s.name.starts_with(&format!("{host}/memory")));
    assert!(hosts.len() == 2 && hosts.iter().all(|host| of(host)), "{hosts:?}");
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
    assert_eq!((ended.code, ended.stderr.matches("is of one host").count()), (64, 1), "{}", ended.stderr);
    let ended = two(&program, &sandbox, "--for 1s --device no-such-device").run();
    assert_eq!(ended.code, 64, "{}", ended.stderr);
    assert_eq!(ended.stderr.lines().filter(|l| l.starts_with("secchi: ")).count(), 1, "{}", ended.stderr);
}
