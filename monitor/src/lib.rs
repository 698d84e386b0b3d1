//! Samplers for the host, and facts about the host and its storage.
//!
//! There are five entry points:
//!
//! - [`facts`] are read once before a run.
//! - [`KernelCounters`] are read at the start and the end of every step.
//! - [`BelowSources`] are read at the start and the end of a database's measured time.
//! - [`samplers`] are read about once a second during the load.
//! - [`trace`] records every request to the devices, on demand.
//!
//! All files are read below [`Roots`], so that recorded trees of other machines can replace the trees of the host. Only
//! two parts change the machine: the trace creates a tracefs instance, and [`RunGroup`] creates a control group. Both
//! are removed at the end.
//!
//! # Example
//!
//! ```
//! use model::Bytes;
//! use monitor::{Roots, facts};
//! use std::fs;
//!
//! let host = facts::host(&Roots::host());
//! assert!(host.cpus > 0);
//!
//! // Facts about another machine, from a copy of its files.
//! let copy = tempfile::tempdir()?;
//! fs::create_dir(copy.path().join("proc"))?;
//! fs::write(copy.path().join("proc/meminfo"), "MemTotal: 49368192 kB\n")?;
//! let other = facts::host(&Roots::under(copy.path()));
//! assert_eq!(other.memory, Bytes::from_kib(49_368_192));
//! # Ok::<(), std::io::Error>(())
//! ```

/// On systems other than Linux, skips a test that needs files of the Linux kernel.
#[cfg(test)]
macro_rules! of_linux {
    () => {
        if std::env::consts::OS != "linux" {
            ::testkit::skip!("only Linux reports this in files");
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
pub use counters::{CounterSnapshot, CpuShare, Io, KernelCounters, Placed};
pub use disks::DiskCounters;
pub use limits::cgroup_limits;
pub use mounts::mount_points;
pub use roots::Roots;
pub use run_group::RunGroup;
