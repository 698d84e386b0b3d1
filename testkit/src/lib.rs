//! What tests of all crates share: skips that are said aloud, turns on the machine, its devices and control groups behind
//! guards that undo what they did, also after a panic, and a server of objects.
//!
//! A test that cannot run here calls [`skip!`]; nothing else ends one early. Where `SECCHI_SKIPS` names a file, each skip
//! is a line of it: CI lists them, and fails on those that `.ci/must-run` names.

#[cfg(target_os = "linux")]
mod cgroup;
#[cfg_attr(not(target_os = "linux"), path = "no_device.rs")]
mod device;
mod machine;
mod noise;
mod object_server;
#[cfg(unix)]
pub mod postgres;
mod system;
mod turns;
mod unpack;

#[cfg(target_os = "linux")]
pub use cgroup::{Blkio, CpuQuota};
pub use device::Tmpfs;
#[cfg(target_os = "linux")]
pub use device::{Loop, Mounted, OwnDisk, Zram, loop_and_ext4};
pub use machine::{PATIENCE, eventually, names_in, skipped, tool};
pub use noise::Noise;
pub use object_server::{ObjectRequest, ObjectServer, ObjectServerState, RequestCheck};
pub use system::{is_root, symlink};
pub use turns::{Turn, alone, beside, paced};
pub use unpack::unpack;

/// Ends a test that cannot run here, and says why.
#[macro_export]
macro_rules! skip {
    ($($why:tt)*) => {{
        $crate::skipped(&format!($($why)*));
        return;
    }};
}
