//! Counters sampled about once a second during the load. Each sampler is a folder here and an entry in [`SAMPLERS`].

#[cfg_attr(target_os = "linux", path = "cgroup/mod.rs")]
#[cfg_attr(not(target_os = "linux"), path = "elsewhere/cgroup.rs")]
mod cgroup;
#[cfg_attr(not(target_os = "macos"), path = "cpu/mod.rs")]
#[cfg_attr(target_os = "macos", path = "elsewhere/cpu.rs")]
mod cpu;
#[cfg_attr(target_os = "macos", allow(dead_code, reason = "nothing is sampled there"))]
mod disk;
mod drive;
mod ebs;
#[cfg_attr(target_os = "linux", path = "group/mod.rs")]
#[cfg_attr(not(target_os = "linux"), path = "elsewhere/group.rs")]
mod group;
mod grown;
#[cfg_attr(not(target_os = "macos"), path = "memory/mod.rs")]
#[cfg_attr(target_os = "macos", path = "elsewhere/memory.rs")]
mod memory;
mod network;
#[cfg_attr(target_os = "linux", path = "pressure/mod.rs")]
#[cfg_attr(not(target_os = "linux"), path = "elsewhere/pressure.rs")]
mod pressure;
#[cfg_attr(target_os = "macos", allow(dead_code, reason = "nothing is sampled there"))]
mod process;
mod set;
mod space;
#[cfg_attr(target_os = "linux", path = "top/mod.rs")]
#[cfg_attr(not(target_os = "linux"), path = "elsewhere/top.rs")]
mod top;

pub use disk::{KnownDevice, known_devices};
pub use group::process_group;
pub use process::{ProcessIdentity, ProcessTotals, process_identity, process_totals};
pub use set::{Sampled, SamplerSet};
pub use space::Room;
pub use top::top_access;

use crate::Roots;
use model::measured::{Layer, Sample};
use model::{Nanos, Sentence, record::DeviceFacts};

/// Objects to sample, in addition to the machine itself.
#[derive(Debug, Clone, Default)]
pub struct Subjects {
    /// Devices by name: the stack under the target, or the requested devices.
    pub devices: Vec<DeviceFacts>,
    /// Further whole disks to sample.
    pub more: MoreDisks,
    /// Processes, each with its children.
    pub processes: Vec<Process>,
    /// Number of processes with the most I/O that are named, by each measure; 0 = none.
    pub top: usize,
    /// Control groups of the processes, each once.
    pub groups: Vec<GroupOf>,
    /// File systems whose free space is sampled.
    pub rooms: Vec<Room>,
}

/// Process to sample.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Process {
    /// Name used in the series of the process, such as `process.NAME.read`.
    pub name: String,
    /// Process ID.
    pub pid: u32,
    /// Start time, in clock ticks since boot; distinguishes processes that reuse an ID.
    pub start: u64,
    /// True if the process was started for this run. In that case, its activity before the first sample is included.
    pub from_birth: bool,
}

/// Control group to sample, identified by one of its members.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GroupOf {
    /// Name used in the series of the group, such as `group.NAME.cpu`.
    pub name: String,
    /// ID of a process that is currently in the group.
    pub pid: u32,
}

/// Access to the counters of all processes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TopAccess {
    /// Number of processes.
    pub processes: usize,
    /// Number of processes whose counters this user may not read.
    pub hidden: usize,
}

/// Whole disks that are sampled in addition to the named disks, as soon as the whole disks are active.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum MoreDisks {
    /// No disks in addition to the named disks.
    #[default]
    None,
    /// Independent storage only: excludes loop devices, zram, RAM disks, floppy disks and optical drives.
    Own,
    /// All whole disks.
    All,
}

impl MoreDisks {
    /// Returns `true` if a whole disk with this name is included.
    #[must_use]
    pub fn takes(self, name: &str) -> bool {
        let stem = name.trim_end_matches(|c: char| c.is_ascii_digit());
        match self {
            MoreDisks::None => false,
            MoreDisks::Own => !["loop", "zram", "ram", "fd", "sr"].contains(&stem),
            MoreDisks::All => true,
        }
    }
}

impl Subjects {
    /// Returns subjects that consist of the stack of devices under a target.
    #[must_use]
    pub fn from_devices(devices: &[DeviceFacts]) -> Subjects {
        Subjects { devices: devices.to_vec(), ..Subjects::default() }
    }
}

/// Reader of a group of counters.
pub trait Sampler: Send {
    /// Adds the changes since the last call, or since the sampler was opened. `elapsed` is the time in between as
    /// measured by the caller. A failed reading, or a mean over no events, adds nothing.
    fn sample(&mut self, elapsed: Nanos, out: &mut Vec<Sample>);

    /// Returns events since the last call, such as a device that went away or a process that ended, one sentence each.
    fn remarks(&mut self) -> Vec<Sentence> {
        Vec::new()
    }

    /// Discards the counts since the last sample, so that the next sample starts from now.
    fn forget(&mut self) {
        // Rates over a period of zero are left out.
        self.sample(Nanos(0), &mut Vec::new());
    }
}

/// Sampler that exists in this build, whether or not it works on this machine.
#[derive(Debug, Clone, Copy)]
pub struct SamplerEntry {
    /// Short and stable name, such as `disk`.
    pub name: &'static str,
    /// Function that opens the sampler and takes the first reading.
    pub open: OpenSampler,
}

/// Opens a sampler for the given subjects. The error is a sentence with the reason why the sampler does not work here.
pub type OpenSampler = fn(&Roots, &Subjects) -> Result<Box<dyn Sampler>, Sentence>;

/// Sampler that does not work here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unavailable {
    /// Name of the sampler's entry.
    pub name: &'static str,
    /// Reason, as a sentence.
    pub reason: Sentence,
}

/// All samplers in this build.
pub const SAMPLERS: &[SamplerEntry] = &[
    disk::ENTRY,
    drive::ENTRY,
    ebs::ENTRY,
    cgroup::ENTRY,
    cpu::ENTRY,
    memory::ENTRY,
    network::ENTRY,
    pressure::ENTRY,
    process::ENTRY,
    group::ENTRY,
    space::ENTRY,
    top::ENTRY,
];

/// Opens all samplers. Returns the samplers that work here, and the reasons why the other samplers do not work.
#[must_use]
pub fn all(roots: &Roots, subjects: &Subjects) -> (Vec<Box<dyn Sampler>>, Vec<Unavailable>) {
    let mut open = Vec::new();
    let mut unavailable = Vec::new();
    for entry in SAMPLERS {
        match (entry.open)(roots, subjects) {
            Ok(sampler) => open.push(sampler),
            Err(reason) => unavailable.push(Unavailable { name: entry.name, reason }),
        }
    }
    (open, unavailable)
}

/// Collector for samples of one layer, with the time that the samples cover.
struct Out<'a> {
    layer: Layer,
    seconds: f64,
    samples: &'a mut Vec<Sample>,
}

impl<'a> Out<'a> {
    fn new(layer: Layer, elapsed: Nanos, samples: &'a mut Vec<Sample>) -> Self {
        Out { layer, seconds: elapsed.secs(), samples }
    }

    /// Adds a current value.
    fn gauge(&mut self, name: String, unit: &str, value: f64) {
        if value.is_finite() {
            self.samples.push(Sample { name, unit: unit.to_owned(), layer: self.layer, value });
        }
    }

    /// Adds a rate: `count` divided by the elapsed time in seconds.
    fn rate(&mut self, name: String, unit: &str, count: u64) {
        self.gauge(name, unit, count as f64 / self.seconds);
    }

    /// Adds a mean per event. Adds nothing if there were no events.
    fn mean(&mut self, name: String, unit: &str, sum: f64, events: u64) {
        if events > 0 {
            self.gauge(name, unit, sum / events as f64);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn every_sampler_of_this_machine_samples_or_says_why_not() {
        let (open, unavailable) = all(&Roots::host(), &Subjects::default());
        assert_eq!(open.len() + unavailable.len(), SAMPLERS.len());
        assert!(unavailable.iter().all(|u| !u.reason.is_empty()));
        let mut samples = Vec::new();
        for mut sampler in open {
            sampler.sample(Nanos::from_secs(1), &mut samples);
        }
        let names: HashSet<&str> = samples.iter().map(|s| s.name.as_str()).collect();
        assert_eq!(names.len(), samples.len(), "no two series of one name");
        assert!(names.contains("memory.available"));
    }

    #[test]
    fn no_time_and_no_events_give_no_figures() {
        let mut samples = Vec::new();
        let mut out = Out::new(Layer::Host, Nanos(0), &mut samples);
        out.rate("a".into(), "ops/s", 0);
        out.rate("b".into(), "ops/s", 5);
        out.mean("c".into(), "ms", 0.0, 0);
        assert!(samples.is_empty());
    }
}
