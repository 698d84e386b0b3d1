//! `group.NAME.*`: control groups of the watched processes. NAME is the group's path. In version 1, a process may be in
//! a different group for each controller; their paths are then joined with `+`.
//!
//! - `group.NAME:DEVICE.read_ops`, `.write_ops` (ops/s), `.read`, `.write` (B/s): I/O charged to the group, before
//!   merging, for each device on which the group's I/O is counted.
//! - `cpu` (percent of one core): CPU time of all members.
//! - `periods` (ops/s), with a CPU quota: periods that began with work to do.
//! - `throttled` (ops/s), with a CPU quota: periods in which threads were stopped because the quota was used up.
//! - `stopped` (percent), with a CPU quota: time for which threads were stopped, summed across all CPUs.
//! - `memory` (bytes): memory charged to the group, including its page cache.
//! - `memory_full` (ops/s): number of times that this memory reached its limit.
//!
//! The groups of a process and their files: `blkio`, `cpu`, `cpuacct` and `memory` in version 1 (cgroup-v1/*.rst), the
//! single group in version 2 (cgroup-v2.rst).

use super::grown::grown;
use super::{GroupOf, Out, Sampler, SamplerEntry, Subjects};
use crate::Roots;
use crate::cgroup::{Group, GroupError, Member, Version, groups};
use crate::counters::{GroupIo, GroupReading};
use crate::facts::host::{cpu_quota, memory_limit};
use crate::limits::limits_of;
use crate::mounts::kernel_mounts;
use crate::roots::{number, text, value};
use messages::sentence;
use model::measured::{Layer, Sample};
use model::{Nanos, Sentence, plan::WatchedGroup, record::DeviceFacts};
use sys::file_systems::Mount;

pub(super) const ENTRY: SamplerEntry = SamplerEntry { name: "group", open };

/// Resources used by a group; a field is `None` if the controller does not count that resource.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct Used {
    /// I/O of the group, by device.
    io: Vec<(String, GroupReading)>,
    /// CPU time in nanoseconds.
    cpu: Option<u64>,
    periods: Option<u64>,
    throttled: Option<u64>,
    /// Time for which the group was stopped by its CPU quota, in nanoseconds.
    stopped: Option<u64>,
    memory: Option<u64>,
    memory_full: Option<u64>,
}

struct Followed<R> {
    name: String,
    source: R,
    last: Used,
    ended: bool,
}

struct Groups<R> {
    followed: Vec<Followed<R>>,
    remarks: Vec<Sentence>,
}

impl<R: FnMut() -> Option<Used> + Send> Sampler for Groups<R> {
    fn sample(&mut self, elapsed: Nanos, out: &mut Vec<Sample>) {
        let mut out = Out::new(Layer::Cgroup, elapsed, out);
        for group in self.followed.iter_mut().filter(|g| !g.ended) {
            let Some(now) = (group.source)() else {
                group.ended = true;
                self.remarks.push(sentence!("note-group-gone", group = &group.name));
                continue;
            };
            write(&mut out, &group.name, &group.last, &now);
            group.last = now;
        }
    }

    fn remarks(&mut self) -> Vec<Sentence> {
        std::mem::take(&mut self.remarks)
    }
}

fn write(out: &mut Out, name: &str, then: &Used, now: &Used) {
    for (device, reading) in &now.io {
        let before = then.io.iter().find(|(d, _)| d == device).map(|(_, r)| *r).unwrap_or_default();
        let Some(io) = reading.since(before) else { continue };
        let series = |what: &str| format!("group.{name}:{device}.{what}");
        out.rate(series("read_ops"), "ops/s", io.read_ops);
        out.rate(series("write_ops"), "ops/s", io.write_ops);
        out.rate(series("read"), "B/s", io.read);
        out.rate(series("write"), "B/s", io.write);
    }
    let series = |what: &str| format!("group.{name}.{what}");
    let more = |part: fn(&Used) -> Option<u64>| part(then).zip(part(now)).and_then(|(then, now)| grown(then, now));
    let percent = |ns: u64| ns as f64 / 1e9 / out.seconds * 100.0;
    let (cpu, stopped) = (more(|u| u.cpu).map(percent), more(|u| u.stopped).map(percent));
    for (what, value) in [("cpu", cpu), ("stopped", stopped)] {
        if let Some(value) = value {
            out.gauge(series(what), "percent", value);
        }
    }
    let counts = [
        ("periods", more(|u| u.periods)),
        ("throttled", more(|u| u.throttled)),
        ("memory_full", more(|u| u.memory_full)),
    ];
    for (what, value) in counts {
        if let Some(value) = value {
            out.rate(series(what), "ops/s", value);
        }
    }
    if let Some(bytes) = now.memory {
        out.gauge(series("memory"), "bytes", bytes as f64);
    }
}

fn open(roots: &Roots, subjects: &Subjects) -> Result<Box<dyn Sampler>, Sentence> {
    if subjects.groups.is_empty() {
        return Err(sentence!("sampler-no-process"));
    }
    let follow = |group: &GroupOf| {
        let mut source = source(roots, Member::Process(group.pid), &subjects.devices);
        let last = source().unwrap_or_default();
        Followed { name: group.name.clone(), source, last, ended: false }
    };
    Ok(Box::new(Groups { followed: subjects.groups.iter().map(follow).collect(), remarks: Vec::new() }))
}

/// Maximum number of groups that are followed in addition to the requested ones.
const MORE: usize = 32;

/// Groups that are followed as soon as one of their processes does I/O.
pub(super) struct MoreGroups {
    roots: Roots,
    devices: Vec<DeviceFacts>,
    /// Names of the groups that are sampled elsewhere.
    requested: Vec<String>,
    groups: Groups<Box<dyn FnMut() -> Option<Used> + Send>>,
}

impl MoreGroups {
    /// Returns a set that is empty at first.
    pub(super) fn new(roots: &Roots, subjects: &Subjects) -> MoreGroups {
        MoreGroups {
            roots: roots.clone(),
            devices: subjects.devices.clone(),
            requested: subjects.groups.iter().map(|g| g.name.clone()).collect(),
            groups: Groups { followed: Vec::new(), remarks: Vec::new() },
        }
    }

    /// Follows the group of a process from now on, unless it is followed already or has no counters.
    pub(super) fn follow(&mut self, pid: u32) {
        let Ok(WatchedGroup { name, .. }) = process_group(&self.roots, pid, &self.devices) else { return };
        let followed = &mut self.groups.followed;
        if followed.len() >= MORE || self.requested.contains(&name) || followed.iter().any(|g| g.name == name) {
            return;
        }
        let mut source = Box::new(source(&self.roots, Member::Process(pid), &self.devices));
        let last = source().unwrap_or_default();
        followed.push(Followed { name, source, last, ended: false });
    }

    /// Samples the groups that exist. The end of such a group is not worth a remark, because it was not requested.
    pub(super) fn sample(&mut self, elapsed: Nanos, out: &mut Vec<Sample>) {
        self.groups.sample(elapsed, out);
        self.groups.remarks.clear();
        self.groups.followed.retain(|group| !group.ended);
    }
}

/// Returns the control group of a process, with its limits on these devices.
///
/// # Errors
/// Returns [`GroupError`] if the process is in the root group, or in a group that is not visible. No visible counters
/// are specific to such a group.
pub fn process_group(roots: &Roots, pid: u32, devices: &[DeviceFacts]) -> Result<WatchedGroup, GroupError> {
    let who = Member::Process(pid);
    let mounts = kernel_mounts(roots);
    let (mut hidden, mut paths) = (false, Vec::new());
    for controller in ["blkio", "cpu", "cpuacct", "memory"] {
        for group in groups(roots, &mounts, controller, who) {
            hidden |= !group.own;
            if group.own && !group.root && !paths.contains(&group.path) {
                paths.push(group.path);
            }
        }
    }
    tracing::debug!(pid, ?paths, hidden, "found control groups of the process");
    if !paths.is_empty() {
        let numbers: Vec<(u32, u32)> = devices.iter().map(|d| d.dev).collect();
        return Ok(WatchedGroup {
            // In version 1, each controller may have a different group; the joined paths are used as the name.
            name: paths.join("+"),
            processes: Vec::new(),
            limits: limits_of(roots, &numbers, who),
            cpus: cpu_quota(roots, &mounts, who),
            // The kernel writes the largest number if there is no limit.
            memory: memory_limit(roots, &mounts, who).filter(|m| m.as_u64() < 1 << 60),
        });
    }
    Err(if hidden { GroupError::HiddenProcess(pid) } else { GroupError::Root(who) })
}

/// Returns a source that reads a group repeatedly, and yields `None` once it is gone. The group is determined once; if
/// the process later moves to another group, the source does not follow.
fn source(roots: &Roots, who: Member, devices: &[DeviceFacts]) -> impl FnMut() -> Option<Used> + Send + use<> {
    let mounts = kernel_mounts(roots);
    let group_for = |controller: &str| own_group(roots, &mounts, controller, who);
    let (cpu, account, memory) = (group_for("cpu"), group_for("cpuacct"), group_for("memory"));
    let io = GroupIo::open(roots, devices, who).ok();
    let names: Vec<((u32, u32), String)> = devices.iter().map(|d| (d.dev, d.name.clone())).collect();
    move || {
        let mut used = Used::default();
        let any_group = [&cpu, &account, &memory].into_iter().flatten().next();
        if any_group.is_some_and(|g| !g.dir().exists()) {
            return None;
        }
        let name_of = |dev: (u32, u32)| names.iter().find(|(d, _)| *d == dev).map(|(_, name)| name.clone());
        let readings = io.iter().flat_map(GroupIo::read_each);
        used.io = readings.filter_map(|(dev, reading)| Some((name_of(dev)?, reading))).collect();
        if let Some(group) = &cpu {
            quota(group, &mut used);
        }
        // In version 2, the CPU time is in `cpu.stat`, next to the quota.
        if let Some(group) = account.as_ref().filter(|g| g.version == Version::V1) {
            used.cpu = number(&group.dir().join("cpuacct.usage"));
        }
        if let Some(group) = &memory {
            charged(group, &mut used);
        }
        Some(used)
    }
}

/// Returns a process's own group for a controller.
fn own_group(roots: &Roots, mounts: &[Mount], controller: &str, who: Member) -> Option<Group> {
    let probe = match controller {
        "cpuacct" => "cpuacct.usage",
        "memory" => "memory.stat",
        _ => "cpu.stat",
    };
    groups(roots, mounts, controller, who).into_iter().find(|g| g.own && !g.root && g.dir().join(probe).exists())
}

fn quota(group: &Group, used: &mut Used) {
    let stat = text(&group.dir().join("cpu.stat")).unwrap_or_default();
    used.periods = value(&stat, "nr_periods ");
    used.throttled = value(&stat, "nr_throttled ");
    let nanos = |micros: u64| micros.saturating_mul(1000);
    match group.version {
        Version::V1 => used.stopped = value(&stat, "throttled_time "),
        Version::V2 => {
            used.stopped = value(&stat, "throttled_usec ").map(nanos);
            used.cpu = value(&stat, "usage_usec ").map(nanos);
        }
    }
}

fn charged(group: &Group, used: &mut Used) {
    let file = |name: &str| group.dir().join(name);
    match group.version {
        Version::V1 => {
            used.memory = number(&file("memory.usage_in_bytes"));
            used.memory_full = number(&file("memory.failcnt"));
        }
        Version::V2 => {
            used.memory = number(&file("memory.current"));
            used.memory_full = value(&text(&file("memory.events")).unwrap_or_default(), "max ");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::{Bytes, Nanos, measured::Sample};
    use std::fs;
    use std::path::Path;

    struct Machine {
        dir: tempfile::TempDir,
        roots: Roots,
    }

    impl Machine {
        fn new(mountinfo: &str, cgroup: &str) -> Machine {
            let dir = tempfile::tempdir().expect("a temporary directory");
            let machine = Machine { roots: Roots::under(dir.path()), dir };
            machine.put("proc/self/mountinfo", mountinfo).put("proc/77/cgroup", cgroup);
            machine
        }

        fn put(&self, path: &str, text: &str) -> &Machine {
            let path = self.dir.path().join(path);
            fs::create_dir_all(path.parent().unwrap_or(Path::new("/"))).expect("made");
            fs::write(path, text).expect("written");
            self
        }

        fn group(&self) -> Result<WatchedGroup, GroupError> {
            process_group(&self.roots, 77, &[vda()])
        }

        fn follow(&self) -> Box<dyn Sampler> {
            let groups = vec![GroupOf { name: "/db".into(), pid: 77 }];
            let subjects = Subjects { devices: vec![vda()], groups, ..Subjects::default() };
            open(&self.roots, &subjects).expect("a process was named")
        }
    }

    fn vda() -> DeviceFacts {
        DeviceFacts { name: "vda".into(), dev: (254, 0), ..DeviceFacts::default() }
    }

    fn values(sampler: &mut dyn Sampler) -> Vec<(String, f64)> {
        let mut samples: Vec<Sample> = Vec::new();
        sampler.sample(Nanos::from_secs(2), &mut samples);
        samples.into_iter().map(|s| (s.name, s.value)).collect()
    }

    fn value(values: &[(String, f64)], name: &str) -> Option<f64> {
        values.iter().find(|(n, _)| n == name).map(|(_, v)| *v)
    }

    #[test]
    fn of_version_1_each_controller_has_its_own_tree() {
        let machine = Machine::new(
            "1 0 0:1 / /sys/fs/cgroup/blkio rw - cgroup cgroup rw,blkio\n2 0 0:2 / /sys/fs/cgroup/cpu rw - cgroup cgroup \
             rw,cpu,cpuacct\n3 0 0:3 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n",
            "3:memory:/db\n2:cpu,cpuacct:/db\n1:blkio:/db\n",
        );
        let (io, cpu, memory) =
            ("sys/fs/cgroup/blkio/db/blkio.throttle", "sys/fs/cgroup/cpu/db", "sys/fs/cgroup/memory/db");
        machine
            .put(&format!("{io}.io_serviced"), "254:0 Read 10\n254:0 Write 5\n")
            .put(&format!("{io}.io_service_bytes"), "254:0 Read 81920\n254:0 Write 40960\n")
            .put(&format!("{io}.read_iops_device"), "254:0 6000\n")
            .put(&format!("{cpu}/cpu.stat"), "nr_periods 10\nnr_throttled 1\nthrottled_time 1000000000\n")
            .put(&format!("{cpu}/cpu.cfs_quota_us"), "50000\n")
            .put(&format!("{cpu}/cpu.cfs_period_us"), "100000\n")
            .put(&format!("{cpu}/cpuacct.usage"), "3000000000\n")
            .put(&format!("{memory}/memory.usage_in_bytes"), "4096\n")
            .put(&format!("{memory}/memory.limit_in_bytes"), "1073741824\n")
            .put(&format!("{memory}/memory.stat"), "hierarchical_memory_limit 1073741824\n")
            .put(&format!("{memory}/memory.failcnt"), "7\n");
        let group = machine.group().expect("it is in a group");
        assert_eq!((group.name.as_str(), group.cpus, group.memory), ("/db", Some(0.5), Some(Bytes::from_gib(1))));
        assert_eq!(group.allowed(), "cgroup read 6,000 IOPS, CPU 0.50, memory 1 GiB");
        let mut sampler = machine.follow();
        machine
            .put(&format!("{io}.io_serviced"), "254:0 Read 30\n254:0 Write 5\n")
            .put(&format!("{cpu}/cpu.stat"), "nr_periods 30\nnr_throttled 5\nthrottled_time 1500000000\n")
            .put(&format!("{cpu}/cpuacct.usage"), "4000000000\n")
            .put(&format!("{memory}/memory.usage_in_bytes"), "8192\n");
        let seen = values(&mut *sampler);
        assert_eq!(value(&seen, "group./db:vda.read_ops"), Some(10.0));
        assert_eq!(value(&seen, "group./db:vda.write"), Some(0.0));
        let names = ["cpu", "periods", "throttled", "stopped", "memory", "memory_full"];
        let figures = names.map(|n| value(&seen, &format!("group./db.{n}")).unwrap_or(-1.0));
        assert_eq!(figures, [50.0, 10.0, 2.0, 25.0, 8192.0, 0.0]);
    }

    #[test]
    fn of_version_2_all_stands_in_one_group() {
        let machine = Machine::new("1 0 0:1 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n", "0::/db\n");
        let dir = "sys/fs/cgroup/db";
        machine
            .put(&format!("{dir}/cgroup.events"), "populated 1\n")
            .put(&format!("{dir}/io.stat"), "254:0 rbytes=8192 wbytes=0 rios=1 wios=0 dbytes=0 dios=0\n")
            .put(&format!("{dir}/io.max"), "254:0 rbps=max wbps=max riops=6000 wiops=max\n")
            .put(&format!("{dir}/cpu.stat"), "usage_usec 100\nnr_periods 4\nnr_throttled 0\nthrottled_usec 0\n")
            .put(&format!("{dir}/cpu.max"), "max 100000\n")
            .put(&format!("{dir}/memory.stat"), "anon 1\n")
            .put(&format!("{dir}/memory.max"), "max\n")
            .put(&format!("{dir}/memory.current"), "4096\n")
            .put(&format!("{dir}/memory.events"), "low 0\nhigh 0\nmax 3\noom 0\n");
        let group = machine.group().expect("it is in a group");
        assert_eq!((group.name.as_str(), group.cpus, group.memory), ("/db", None, None));
        assert_eq!(group.allowed(), "cgroup read 6,000 IOPS");
        let mut sampler = machine.follow();
        machine
            .put(&format!("{dir}/io.stat"), "254:0 rbytes=16384 wbytes=4096 rios=2 wios=1 dbytes=0 dios=0\n")
            .put(&format!("{dir}/cpu.stat"), "usage_usec 1000100\nnr_periods 8\nnr_throttled 2\nthrottled_usec 20000\n")
            .put(&format!("{dir}/memory.events"), "low 0\nhigh 0\nmax 5\noom 0\n");
        let seen = values(&mut *sampler);
        assert_eq!(value(&seen, "group./db:vda.read"), Some(4096.0));
        let names = ["cpu", "periods", "throttled", "stopped", "memory", "memory_full"];
        let figures = names.map(|n| value(&seen, &format!("group./db.{n}")).unwrap_or(-1.0));
        assert_eq!(figures, [50.0, 2.0, 1.0, 1.0, 4096.0, 1.0]);
        fs::remove_dir_all(machine.dir.path().join(dir)).expect("removed");
        assert!(values(&mut *sampler).is_empty());
        assert_eq!(sampler.remarks(), ["the control group /db is gone"]);
    }

    #[test]
    fn the_root_group_is_nobodys_in_particular() {
        let machine = Machine::new("1 0 0:1 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n", "0::/\n");
        machine.put("sys/fs/cgroup/cgroup.procs", "1\n");
        assert!(machine.group().is_err_and(|error| error == GroupError::Root(Member::Process(77))));
    }
}
