//! Counters read beside the load, about once a second. Each sampler is a folder here, and one line in [`SAMPLERS`].

#[cfg_attr(target_os = "linux", path = "cgroup/mod.rs")]
#[cfg_attr(not(target_os = "linux"), path = "elsewhere/cgroup.rs")]
mod cgroup;
#[cfg_attr(not(target_os = "macos"), path = "cpu/mod.rs")]
#[cfg_attr(target_os = "macos", path = "elsewhere/cpu.rs")]
mod cpu;
#[cfg_attr(target_os = "macos", allow(dead_code, reason = "nothing is sampled there"))]
pub(crate) mod disk;
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

pub use group::process_group;
pub use process::{ProcessIdentity, ProcessTotals, process_identity, process_totals};
pub use set::{Sampled, SamplerSet};
pub use space::Room;

use crate::Roots;
use model::{DeviceFacts, Layer, Nanos, Sample, Sentence};

/// What is looked at, beside the machine itself.
#[derive(Debug, Clone, Default)]
pub struct Subjects {
    /// Devices by name: the stack under the target, or those asked for.
    pub devices: Vec<DeviceFacts>,
    /// Whole disks besides those named.
    pub more: MoreDisks,
    /// Processes, each with its children.
    pub processes: Vec<Process>,
    /// Their control groups, each once.
    pub groups: Vec<GroupOf>,
    /// File systems whose room is looked at.
    pub rooms: Vec<Room>,
}

/// A process asked about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Process {
    /// What its series are called: `process.NAME.read`.
    pub name: String,
    /// Its number.
    pub pid: u32,
    /// When it started, in clock ticks since boot: a number may be given to another.
    pub start: u64,
    /// It was started for this: what it did before the first look counts, too.
    pub from_birth: bool,
}

/// A group to look at, by one of its members.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GroupOf {
    /// What its series are called: `group.NAME.cpu`.
    pub name: String,
    /// A process in it now.
    pub pid: u32,
}

/// Whole disks that are looked at besides those named, as soon as they do anything.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum MoreDisks {
    /// Only those that are named.
    #[default]
    None,
    /// Those that are storage of their own: not loop devices, and not zram, ram and floppy disks or optical drives.
    Own,
    /// All whole disks.
    All,
}

impl MoreDisks {
    /// Whether a whole disk of this name is one of them.
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
    /// The stack of devices under a target.
    #[must_use]
    pub fn from_devices(devices: &[DeviceFacts]) -> Subjects {
        Subjects { devices: devices.to_vec(), ..Subjects::default() }
    }
}

/// Reads a group of counters.
pub trait Sampler: Send {
    /// Its entry's name.
    fn name(&self) -> &'static str;

    /// Adds what changed over the `elapsed` time since the last call (since it was opened, at first), as the caller
    /// measured it. A reading that fails, or a mean over no events, adds nothing.
    fn sample(&mut self, elapsed: Nanos, out: &mut Vec<Sample>);

    /// What happened to the things looked at since the last call: a device went away, a process ended. One sentence
    /// each.
    fn remarks(&mut self) -> Vec<Sentence> {
        Vec::new()
    }

    /// Begins anew from here: what was counted since the last sample is in none.
    fn forget(&mut self) {
        // A stretch of no length: every rate over it is left out.
        self.sample(Nanos(0), &mut Vec::new());
    }
}

/// A sampler there is, whether or not it works on this machine.
#[derive(Debug, Clone, Copy)]
pub struct SamplerEntry {
    /// Short and stable: `disk`.
    pub name: &'static str,
    /// What it samples, in one line.
    pub about: &'static str,
    /// Opens it and takes the first reading.
    pub open: OpenSampler,
}

/// Opens a sampler for what is looked at; the error is a sentence saying why it does not work here.
pub type OpenSampler = fn(&Roots, &Subjects) -> Result<Box<dyn Sampler>, Sentence>;

/// A sampler that does not work here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unavailable {
    /// Its entry's name.
    pub name: &'static str,
    /// Why, as a sentence.
    pub reason: Sentence,
}

/// Every sampler there is.
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
];

/// Opens those that work here, and says why the others do not.
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

/// Where samples of one layer go, and the time they stretch over.
struct Out<'a> {
    layer: Layer,
    seconds: f64,
    samples: &'a mut Vec<Sample>,
}

impl<'a> Out<'a> {
    fn new(layer: Layer, elapsed: Nanos, samples: &'a mut Vec<Sample>) -> Self {
        Out { layer, seconds: elapsed.secs(), samples }
    }

    /// A value as it stands now.
    fn gauge(&mut self, name: String, unit: &str, value: f64) {
        if value.is_finite() {
            self.samples.push(Sample { name, unit: unit.to_owned(), layer: self.layer, value });
        }
    }

    /// A count per second of the elapsed time.
    fn rate(&mut self, name: String, unit: &str, count: u64) {
        self.gauge(name, unit, count as f64 / self.seconds);
    }

    /// Events' mean of something; without events there is none.
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
