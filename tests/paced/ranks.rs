//! Many hosts as one run: `mpirun` with a build with the feature `mpi`, named by `SECCHI_MPI_PROGRAM`. Hosts are
//! network namespaces, each with its own disk and cap.

use crate::support::{Ended, Sandbox, Secchi, alone, beside, eventually, names_in, skip, tool};
use model::{RunState, measured::Phase};
use rustix::process::{Pid, Signal, kill_process};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use testkit::{Blkio, Loop, Mounted, loop_and_ext4};

/// Options that mpirun needs on every machine.
const MPIRUN: &str = "--allow-run-as-root --oversubscribe --bind-to none";

/// Environment variable with the directory in which mpirun creates its files. Two that start at the same time sometimes
/// fail to create the default one.
pub const MPI_FILES: &str = "OMPI_MCA_orte_tmpdir_base";

/// Returns the command `mpirun`, to which the caller adds further words and a program.
pub fn launcher(sandbox: &Sandbox) -> Secchi {
    let mut mpirun = Secchi::new(&sandbox.path("home"));
    mpirun.program(Path::new("mpirun")).words(MPIRUN).env(MPI_FILES, &sandbox.root().display().to_string());
    mpirun
}

/// Returns the program with MPI, if there is one and mpirun works.
pub fn program(sandbox: &Sandbox) -> Result<PathBuf, String> {
    let named = std::env::var_os("SECCHI_MPI_PROGRAM").map(PathBuf::from);
    let built = cfg!(feature = "mpi").then(|| PathBuf::from(env!("CARGO_BIN_EXE_secchi")));
    let program = named.or(built).ok_or("SECCHI_MPI_PROGRAM names no build with the feature mpi")?;
    let works = launcher(sandbox).words("-n 2 true").run();
    if works.code == 0 { Ok(program) } else { Err(format!("no mpirun that works here: {}", works.stderr.trim())) }
}

/// Returns the command `mpirun BEFORE PROGRAM WORDS`.
pub fn mpirun(sandbox: &Sandbox, program: &Path, before: &[&OsStr], words: &str) -> Secchi {
    let mut mpirun = launcher(sandbox);
    for word in before {
        mpirun.arg(word);
    }
    mpirun.arg(program).words(words);
    mpirun
}

fn ranks(sandbox: &Sandbox, program: &Path, n: usize, words: &str) -> Ended {
    let number = n.to_string();
    mpirun(sandbox, program, &[OsStr::new("-n"), OsStr::new(&number)], words).run()
}

fn document(text: &str) -> serde_json::Value {
    serde_json::from_str(text).unwrap_or_else(|e| panic!("no document: {e}\n{text}"))
}

#[test]
fn three_ranks_are_one_run_that_is_told_once() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    let program = match program(&sandbox) {
        Ok(program) => program,
        Err(why) => skip!("{why}"),
    };
    let (data, store) = (sandbox.data(), sandbox.store());
    let words = format!(
        "fio --name=j --rw=randread --bs=4k --size=4m --number_ios=500 --ioengine=psync --directory={} --store={} --output-format=json",
        data.display(),
        store.display()
    );
    let ended = ranks(&sandbox, &program, 3, &words);
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    let report = document(&ended.stdout);
    let clients = report["client_stats"].as_array().expect("the shape of fio's client");
    let ios: Vec<u64> = clients.iter().map(|c| c["read"]["total_ios"].as_u64().expect("a count")).collect();
    assert_eq!(ios, [500, 500, 500, 1500]);
    let names: Vec<&str> = clients.iter().filter_map(|c| c["hostname"].as_str()).collect();
    assert_eq!((names.len(), clients[3]["jobname"].as_str()), (3, Some("All clients")));
    assert_eq!(clients[3]["read"]["lat_ns"]["N"], 1500, "percentiles of all rest on all operations");
    assert_eq!(names_in(&data), ["rank-0", "rank-1", "rank-2"]);
    let run = sandbox.newest().expect("it is kept");
    assert_eq!((run.record.state, run.record.preflight.ranks.len()), (RunState::Complete, 3));
    let steps: u64 = run.record.steps.iter().map(|s| s.total().ops()).sum();
    assert_eq!(steps, 1500);
    let runs = sandbox.secchi("runs --ids").run();
    assert_eq!(runs.stdout.lines().count(), 1, "one run, kept once: {}", runs.stdout);
}

#[test]
fn one_rank_is_a_run_alone_whose_names_are_those_of_rank_0() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    let program = match program(&sandbox) {
        Ok(program) => program,
        Err(why) => skip!("{why}"),
    };
    let (data, store) = (sandbox.data(), sandbox.store());
    let words = format!(
        "fio --name=j --rw=randread --bs=4k --size=1m --number_ios=50 --ioengine=psync --filename={}/f.$rank --shared-file=segmented --store={} --output-format=json",
        data.display(),
        store.display()
    );
    let ended = ranks(&sandbox, &program, 1, &words);
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    let report = document(&ended.stdout);
    assert!(report["client_stats"].is_null(), "no client of others: {report}");
    assert_eq!(report["jobs"][0]["read"]["total_ios"], 50);
    assert_eq!(names_in(&data), ["f.0"], "no folder of a rank");
    let run = sandbox.newest().expect("it is kept");
    assert!(run.record.preflight.ranks.is_empty() && run.record.plan.targets.is_empty());
}

#[test]
fn ranks_that_the_launcher_bound_to_fewer_cpus_than_they_have_threads_are_doubted() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    let program = match program(&sandbox) {
        Ok(program) => program,
        Err(why) => skip!("{why}"),
    };
    let words = format!(
        "fio --name=j --numjobs=3 --rw=randread --bs=4k --size=1g --ioengine=null --rate_iops=100 --runtime=1 --time_based --store={} --output-format=json",
        sandbox.store().display()
    );
    let bound = |n: &str| {
        let mut mpirun = Secchi::new(&sandbox.path("home"));
        mpirun.program(Path::new("mpirun")).words("--allow-run-as-root --oversubscribe --bind-to core -n").arg(n);
        mpirun.env(MPI_FILES, &sandbox.root().display().to_string());
        let ended = mpirun.arg(&program).words(&words).run();
        assert_eq!(ended.code, 0, "{}", ended.stderr);
        sandbox.newest().expect("it is kept")
    };
    let run = bound("2");
    let host = &run.record.preflight.ranks[0].host;
    if host.processors == 0 || host.cpus > 2 {
        skip!("mpirun binds no rank here: {} of {} CPUs", host.cpus, host.processors);
    }
    let doubt = run.judgement.caveats.iter().find(|c| c.id == "ranks-bound").expect("three threads on a core");
    let threads = format!("3 threads on {} of {} CPUs", host.cpus, host.processors);
    assert!(doubt.evidence.contains(&threads) && doubt.remedy.contains("--bind-to none"), "{doubt:?}");
    let free = ranks(&sandbox, &program, 2, &words);
    assert_eq!(free.code, 0, "{}", free.stderr);
    let run = sandbox.newest().expect("it is kept");
    assert!(!run.judgement.caveats.iter().any(|c| c.id == "ranks-bound"), "{:?}", run.judgement.caveats);
    // A single rank is bound too: a note says so, and the run is measured as if the machine had no more CPUs.
    let one = bound("1");
    assert!(one.record.notes.iter().any(|(_, text)| text.contains("--bind-to none")), "{:?}", one.record.notes);
}

#[test]
fn what_one_rank_cannot_do_is_said_once_and_nothing_is_made() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    let program = match program(&sandbox) {
        Ok(program) => program,
        Err(why) => skip!("{why}"),
    };
    std::fs::create_dir(sandbox.data().join("d0")).expect("ours");
    let job =
        |more: &str| format!("fio --name=j --rw=write --bs=4k --size=1m {more} --store={}", sandbox.store().display());
    let of_rank = format!("--directory={}/d$rank", sandbox.data().display());
    let ended = ranks(&sandbox, &program, 2, &job(&of_rank));
    assert_eq!((ended.code, ended.stdout.as_str()), (64, ""), "{}", ended.stderr);
    let said: Vec<&str> = ended.stderr.lines().filter(|l| l.starts_with("secchi: ")).collect();
    assert!(said.len() == 1 && said[0].contains("/d1") && said[0].contains(":1: "), "{}", ended.stderr);
    assert_eq!(names_in(&sandbox.data().join("d0")), Vec::<String>::new(), "rank 0 made nothing");
    let one = format!("--filename={}/one", sandbox.data().display());
    let ended = ranks(&sandbox, &program, 2, &job(&one));
    assert_eq!(ended.code, 3, "{}", ended.stderr);
    assert!(ended.stderr.contains("would both write") && ended.stderr.contains("$rank"), "{}", ended.stderr);
    assert_eq!(names_in(&sandbox.data()), ["d0"]);
}

#[test]
fn a_rank_that_dies_ends_the_run_in_ten_seconds_with_what_was_measured() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    let program = match program(&sandbox) {
        Ok(program) => program,
        Err(why) => skip!("{why}"),
    };
    let words = format!(
        "fio --name=j --rw=randread --bs=4k --size=4m --runtime=600 --time_based --rate_iops=100 --directory={} --store={}",
        sandbox.data().display(),
        sandbox.store().display()
    );
    let running = mpirun(&sandbox, &program, &[OsStr::new("-n"), OsStr::new("3")], &words).start();
    sandbox.wait_until_measured(&running);
    let load = load_of_rank(&sandbox.data(), 2).expect("the load process of rank 2");
    let killed = Instant::now();
    kill_process(load, Signal::KILL).expect("our own child can be killed");
    let ended = running.wait(Duration::from_secs(60));
    assert_eq!(ended.code, 5, "{}", ended.stderr);
    assert!(ended.stderr.contains(":2 is gone"), "{}", ended.stderr);
    assert!(killed.elapsed() < Duration::from_secs(20), "{:?}", killed.elapsed());
    let run = sandbox.newest().expect("it is kept");
    assert_eq!(run.record.state, RunState::Hung);
    assert!(run.record.reason.contains(":2 is gone"), "{}", run.record.reason);
    let measured = run.record.steps.iter().map(|s| s.intervals.iter().filter(|i| i.phase == Phase::Measure).count());
    assert!(measured.clone().all(|n| n >= 1), "{:?}", measured.collect::<Vec<_>>());
    assert!(eventually(Duration::from_secs(30), || load_of_rank(&sandbox.data(), 0).is_none()), "nobody goes on");
}

#[test]
fn a_run_whose_rank_0_was_killed_is_put_together_from_what_every_host_kept() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    let program = match program(&sandbox) {
        Ok(program) => program,
        Err(why) => skip!("{why}"),
    };
    let (data, store_of) = (sandbox.data(), |rank: usize| sandbox.path(&format!("store-{rank}")));
    let parts_of = |rank: usize| store_of(rank).join("parts");
    let mut mpirun = launcher(&sandbox);
    for rank in 0..3 {
        let words = format!(
            "fio --name=j --rw=randread --bs=4k --size=4m --runtime=600 --time_based --rate_iops=100 --directory={} --store={}",
            data.display(),
            store_of(rank).display()
        );
        mpirun.words(if rank == 0 { "-n 1" } else { ": -n 1" }).arg(&program).words(&words);
    }
    let running = mpirun.start();
    let newest = |dir: &Path| store::Store::existing(dir).ok().flatten()?.read("last").ok();
    let intervals = |dir: &Path| newest(dir).map_or(0, |r| r.steps.iter().map(|s| s.intervals.len()).sum::<usize>());
    assert!(eventually(Duration::from_secs(90), || intervals(&store_of(0)) >= 6), "seconds of all ranks are told");
    let pids = [true, false].map(|load| process_of_rank(&data, 0, load)).into_iter().flatten();
    pids.for_each(|pid| kill_process(pid, Signal::KILL).expect("our own child can be killed"));
    let ended = running.wait(Duration::from_secs(60));
    assert_ne!(ended.code, 0, "{}", ended.stderr);
    let gone = || (1..3).all(|rank| load_of_rank(&data, rank).is_none());
    assert!(eventually(Duration::from_secs(30), gone), "mpirun ends all of them");

    // Copy the parts to the host of rank 0, as a user would.
    let secchi = |words: &str, what: &Path, store: &Path| {
        Secchi::new(&sandbox.path("home")).words(words).arg(what).arg("--store").arg(store).run()
    };
    for rank in [1, 2] {
        let file = sandbox.path(&format!("{rank}.runs"));
        let export = secchi("runs export last -o", &file, &parts_of(rank));
        assert_eq!(export.code, 0, "{}", export.stderr);
        let import = secchi("runs import", &file, &store_of(0));
        assert_eq!(import.code, 0, "{}", import.stderr);
    }
    let part = newest(&parts_of(2)).expect("the part of rank 2");
    let run = part.preflight.part.as_ref().expect("it is a part").run.clone();
    let join = secchi("runs join", Path::new(&run), &store_of(0));
    assert_eq!(join.code, 0, "{}", join.stderr);
    let runs = store::Store::existing(&store_of(0)).expect("a store").expect("it is there");
    let joined = runs.read(join.stdout.trim()).expect("the joined run");
    assert_eq!((joined.preflight.ranks.len(), joined.steps.len(), joined.state), (3, 3, RunState::Interrupted));
    for rank in [1, 2] {
        let part = newest(&parts_of(rank)).expect("a part");
        assert!(joined.steps[rank].intervals == part.steps[0].intervals && !part.steps[0].intervals.is_empty());
    }
    // Parts named one by one are also joined with the record of rank 0.
    let ids = [1, 2].map(|rank| newest(&parts_of(rank)).expect("a part").id);
    let named = secchi(&format!("runs join {}", ids[0]), Path::new(&ids[1]), &store_of(0));
    assert_eq!(named.code, 0, "{}", named.stderr);
    let named = runs.read(named.stdout.trim()).expect("the joined run");
    assert!(named.steps == joined.steps && named.plan == joined.plan);
    let page = secchi("show --full", Path::new(&joined.id), &store_of(0));
    assert!(page.stdout.contains("combined from rank 0's journal"), "{}", page.stdout);
    // A single part is joined to what it contains, with a doubt; the part itself is a record like any other.
    let alone = secchi("runs join", Path::new("last"), &parts_of(1));
    assert_eq!(alone.code, 0, "{}", alone.stderr);
    let page = secchi("report", Path::new(&part.id), &parts_of(2));
    assert!(page.stdout.contains("one of several hosts"), "{}", page.stdout);
}

/// Returns the load process of a rank that works on this directory.
pub fn load_of_rank(about: &Path, rank: usize) -> Option<Pid> {
    process_of_rank(about, rank, true)
}

/// Returns a process of a rank: its load process or its supervisor.
pub fn process_of_rank(about: &Path, rank: usize, load: bool) -> Option<Pid> {
    let wanted = format!("OMPI_COMM_WORLD_RANK={rank}");
    let has = |pid: &u32| {
        let environment = std::fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
        let has = |is: &dyn Fn(&[u8]) -> bool| environment.split(|b| *b == 0).any(is);
        has(&|v| v == wanted.as_bytes()) && has(&|v| v.starts_with(b"SECCHI_SUPERVISED=")) == load
    };
    let pid = crate::support::processes_about(about).into_iter().find(has)?;
    Pid::from_raw(i32::try_from(pid).ok()?)
}

/// A simulated host: a network namespace on a bridge, with its own disk and a cap on its reads.
struct Host {
    name: String,
    _mounted: Mounted,
    disk: Loop,
    group: Blkio,
}

/// Simulated hosts, and the agent through which mpirun starts processes on them.
struct Hosts {
    bridge: String,
    hosts: Vec<Host>,
    agent: PathBuf,
}

impl Hosts {
    /// Creates one host for each cap on reads per second. Every host sees its own disk under the same path.
    fn new(sandbox: &Sandbox, caps: &[u64]) -> Result<Hosts, String> {
        let unique = std::process::id() % 10_000;
        let bridge = format!("scbr{unique}");
        let ip = |words: &str| tool("ip", &words.split(' ').map(OsStr::new).collect::<Vec<_>>());
        ip(&format!("link add {bridge} type bridge"))?;
        let mut hosts = Hosts { bridge: bridge.clone(), hosts: Vec::new(), agent: sandbox.path("agent.sh") };
        ip(&format!("addr add 10.78.0.254/24 dev {bridge}"))?;
        ip(&format!("link set {bridge} up"))?;
        for (i, cap) in caps.iter().enumerate() {
            let (name, veth, number) = (format!("sc{unique}h{i}"), format!("scv{unique}x{i}"), i + 1);
            ip(&format!("netns add {name}"))?;
            ip(&format!("link add {veth} type veth peer name eth0 netns {name}"))?;
            ip(&format!("link set {veth} master {bridge} up"))?;
            ip(&format!("-n {name} addr add 10.78.0.{number}/24 dev eth0"))?;
            ip(&format!("-n {name} link set eth0 up"))?;
            ip(&format!("-n {name} link set lo up"))?;
            let point = sandbox.path(&format!("disk-{i}"));
            std::fs::create_dir(&point).map_err(|e| e.to_string())?;
            let (mounted, disk) = loop_and_ext4(&sandbox.path(&format!("image-{i}")), 1 << 30, &point)?;
            disk.direct()?;
            let group = Blkio::on(&point)?;
            group.cap_reads(*cap, 0);
            hosts.hosts.push(Host { name, _mounted: mounted, disk, group });
        }
        let shared = sandbox.data();
        let case = |(i, h): (usize, &Host)| {
            format!(
                "10.78.0.{}) name={}; group={}; disk={};;\n",
                i + 1,
                h.name,
                h.group.path().display(),
                sandbox.path(&format!("disk-{i}")).display()
            )
        };
        let cases: String = hosts.hosts.iter().enumerate().map(case).collect();
        let script = format!(
            "#!/bin/bash\nhost=$1; shift\ncase $host in\n{cases}esac\necho $$ >$group/cgroup.procs\nexport name disk\nexec ip netns exec $name unshare --uts --mount bash -c 'hostname $name; mount --bind $disk {}; exec bash -c \"$0\"' \"$*\"\n",
            shared.display()
        );
        std::fs::write(&hosts.agent, script).map_err(|e| e.to_string())?;
        std::fs::set_permissions(&hosts.agent, std::os::unix::fs::PermissionsExt::from_mode(0o755))
            .map_err(|e| e.to_string())?;
        Ok(hosts)
    }

    /// Returns the options of `mpirun` that reach the hosts, with one rank on each.
    fn words(&self) -> Vec<String> {
        let addresses: Vec<String> = (1..=self.hosts.len()).map(|n| format!("10.78.0.{n}")).collect();
        let net = "10.78.0.0/24";
        [
            "--mca",
            "plm_rsh_agent",
            &self.agent.display().to_string(),
            "--mca",
            "btl",
            "tcp,self",
            "--mca",
            "btl_tcp_if_include",
            net,
            "--mca",
            "oob_tcp_if_include",
            net,
            "--host",
            &addresses.join(","),
            "-n",
            &self.hosts.len().to_string(),
        ]
        .map(str::to_owned)
        .to_vec()
    }
}

impl Drop for Hosts {
    fn drop(&mut self) {
        for host in &self.hosts {
            // The next run that finds leftovers reports them.
            let _ = tool("ip", &[OsStr::new("netns"), OsStr::new("del"), OsStr::new(&host.name)]);
        }
        let _ = tool("ip", &[OsStr::new("link"), OsStr::new("del"), OsStr::new(&self.bridge)]);
    }
}

#[test]
fn caps_of_two_hosts_are_their_sum_and_the_slower_one_is_named() {
    let _alone = alone();
    let sandbox = Sandbox::new();
    let program = match program(&sandbox) {
        Ok(program) => program,
        Err(why) => skip!("{why}"),
    };
    let hosts = match Hosts::new(&sandbox, &[600, 1200]) {
        Ok(hosts) => hosts,
        Err(why) => skip!("no hosts of namespaces here: {why}"),
    };
    let before = hosts.words();
    let before: Vec<&OsStr> = before.iter().map(OsStr::new).collect();
    let words = format!(
        "fio --name=j --rw=randread --bs=4k --size=64m --direct=1 --runtime=5 --time_based --ioengine=libaio --iodepth=8 --directory={} --store={} --output-format=json",
        sandbox.data().display(),
        sandbox.store().display()
    );
    let counted: Vec<u64> = hosts.hosts.iter().map(|h| h.group.reads()).collect();
    let ended = mpirun(&sandbox, &program, &before, &words).run();
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    let report = document(&ended.stdout);
    let clients = report["client_stats"].as_array().expect("the shape of fio's client");
    let mut rates = Vec::new();
    for (which, (cap, host)) in [(600.0, &hosts.hosts[0]), (1200.0, &hosts.hosts[1])].into_iter().enumerate() {
        let client = &clients[which];
        assert_eq!(client["hostname"].as_str(), Some(host.name.as_str()));
        let rate = client["read"]["iops"].as_f64().expect("a rate");
        // Neighbours that take the CPU lower the rate; nothing raises it.
        assert!(rate < 1.02 * cap && rate > 0.5 * cap, "{}: {rate} of {cap}", host.name);
        rates.push(rate);
        // The control group of that host counted these reads, and a few of its file system.
        let kernel = host.group.reads() - counted[which];
        let ours = client["read"]["total_ios"].as_u64().expect("a count");
        assert!(kernel >= ours && kernel < ours + 200, "{}: kernel {kernel}, told {ours}", host.name);
        assert!(host.disk.path.exists());
    }
    let run = sandbox.newest().expect("it is kept");
    let joint = run.record.joint();
    let rate = joint.steps[0].total().iops().per_second();
    let sum = rates[0] + rates[1];
    assert!((rate / sum - 1.0).abs() < 0.02, "jointly {rate}, by host {rates:?}");
    let judged = analysis::judge(&run.record);
    let slow = judged.caveats.iter().find(|c| c.id == "straggler");
    if rates[0] < 0.75 * rates[1] {
        let slow = slow.expect("one is behind");
        assert!(slow.statement.contains(&hosts.hosts[0].name), "{}", slow.statement);
    }
    // Hosts on one machine share its clock: the estimated offset shows the accuracy of the method.
    let clock = run.record.preflight.ranks[1].clock;
    assert!(clock.uncertainty.as_nanos() < 1_000_000_000, "{clock:?}");
}
