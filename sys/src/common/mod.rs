//! Arguments and results of calls, shared by all systems. Each system has a folder for its calls.

pub(crate) mod calls;
pub(crate) mod devices;
pub(crate) mod files;
mod foreign;
mod mounts;
mod process;
#[cfg_attr(target_os = "macos", allow(dead_code, reason = "nothing is measured there"))]
mod submission;
mod sysfs;

pub use calls::{Advice, Call, Flags, ForcedUnitAccess, M_STRING, MReturns, NfsOpen, RbdImage, UringOptions};
pub use devices::{
    BlockGeometry, CommandNode, DeviceIdentity, DeviceUse, LoopBacking, MappedPiece, NvmeNamespace, SMART_LOG,
    ScsiDisk, ScsiOptions, Use, Zone, ZoneCondition, ZoneLimits,
};
pub use files::{
    Access, CacheStat, DirectAlign, Durability, Extent, FileId, Guards, Life, LoadOpen, OpenGuarded, OpenHow, Order,
    Space,
};
#[cfg(not(target_os = "linux"))]
pub(crate) use foreign::foreign;
pub use foreign::instead_of;
#[cfg(target_os = "linux")]
pub(crate) use mounts::Dev;
pub use mounts::{Mount, is_memory_fs, is_remote_fs, parse_dev};
pub use process::{ChildEnd, CpuTime, Held, MemoryMode, RunQueueWait, SharedMemory, SystemFacts, ThreadIo};
#[cfg(not(target_os = "macos"))]
pub(crate) use submission::wait_out;
pub use submission::{IoKind, Reaped, Submission, Wait};
pub use sysfs::sysfs_block;
