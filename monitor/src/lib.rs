//! Samplers of the host and facts about host and storage.
//!
//! Three doors: [`facts`] is read once before a run, [`KernelCounters`] at the two ends of every step, and
//! [`samplers`] about once a second beside the load. Everything is read from text files below [`Roots`], so the trees
//! of other machines can be put in its place; nothing here changes the machine.

mod cgroup;
mod counters;
mod disks;
pub mod facts;
mod limits;
mod mounts;
mod roots;
pub mod samplers;

pub use counters::{Asked, CounterSnapshot, CpuShare, KernelCounters};
pub use disks::DiskCounters;
pub use limits::cgroup_limits;
pub use roots::Roots;
