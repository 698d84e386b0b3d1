//! Helpers for the tests of all crates: reported skips, scheduling of tests, an object server, and devices and control
//! groups. Guards undo the changes to devices and control groups, even after a panic.
//!
//! A test that cannot run here calls [`skip!`]; nothing else ends a test early. If `SECCHI_SKIPS` names a file, each
//! skip appends a line to it. CI lists the skipped tests, and fails if `.ci/must-run` contains one of them.

#[cfg(target_os = "linux")]
mod cgroup;
#[cfg_attr(not(target_os = "linux"), path = "no_device.rs")]
mod device;
mod machine;
mod noise;
mod object_server;
#[cfg(unix)]
pub mod postgres;
mod schema;
mod system;
mod turns;

#[cfg(target_os = "linux")]
pub use cgroup::{Blkio, CpuQuota};
pub use device::Tmpfs;
#[cfg(target_os = "linux")]
pub use device::{Loop, Mounted, OwnDisk, Zram, loop_and_ext4};
pub use machine::{PATIENCE, eventually, files_below, names_in, skipped, tool};
pub use noise::Noise;
pub use object_server::{ObjectRequest, ObjectServer, ObjectServerState, RequestCheck};
pub use schema::schema_violations;
pub use system::{is_root, other_process, symlink};
pub use turns::{Turn, alone, beside, paced};

/// Ends a test that cannot run here, and reports the reason.
#[macro_export]
macro_rules! skip {
    ($($message:tt)*) => {{
        $crate::skipped(&format!($($message)*));
        return;
    }};
}
