//! Samplers of the host and facts about host and storage.
//!
//! Five doors: [`facts`] is read once before a run, [`KernelCounters`] at the two ends of every step, [`BelowSources`] at
//! those of a database's measured time, [`samplers`] about once a second beside the load, and [`trace`] sees every request
//! of the devices, if asked to. Everything is read from files below [`Roots`], so the trees of other machines can be put in
//! its place. Nothing here changes the machine but the trace, which makes an instance of its own in the kernel's tracing,
//! and [`RunGroup`], which makes a control group; both remove what they made.

/// Ends a test of what the kernel of Linux tells in files, where there is none.
#[cfg(test)]
macro_rules! of_linux {
    () => {
        if std::env::consts::OS != "linux" {
            ::testkit::skip!("the kernel of Linux tells this in files");
        }
    };
}

mod below;
mod cgroup;
mod counters;
mod disks;
pub mod facts;
mod limits;
mod mounts;
mod processes;
mod roots;
mod run_group;
pub mod samplers;
pub mod trace;

pub use below::{BelowReading, BelowSources, Whose};
pub use cgroup::{GroupError, Member};
pub use counters::{Asked, CounterSnapshot, CpuShare, KernelCounters, Placed};
pub use disks::DiskCounters;
pub use limits::cgroup_limits;
pub use roots::Roots;
pub use run_group::RunGroup;
