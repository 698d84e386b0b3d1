//! System layer of secchi: buffers, files, devices, clocks and queues. All `unsafe` code and all FFI live here.
//!
//! This crate depends on no other crate of secchi, not even `model`: its interface consists of bytes, nanoseconds and
//! errno values. Each public module has the same functions on every system, except where a condition names one.
//!
//! # Example
//!
//! ```
//! use std::{ffi::OsStr, fs, io, io::Write};
//! use sys::files::create_whole;
//!
//! let temporary = tempfile::tempdir()?;
//! let directory = fs::File::open(temporary.path())?;
//! let name = OsStr::new("figures.txt");
//! create_whole(&directory, name, |file| file.write_all(b"5,998 IOPS\n"))?;
//! assert_eq!(fs::read_to_string(temporary.path().join(name))?, "5,998 IOPS\n");
//!
//! // An existing file is never replaced.
//! let error = create_whole(&directory, name, |_| Ok(())).unwrap_err();
//! assert_eq!(error.kind(), io::ErrorKind::AlreadyExists);
//! # Ok::<(), io::Error>(())
//! ```

pub mod clock;
#[macro_use]
mod common;
#[cfg(not(target_os = "linux"))]
#[macro_use]
mod elsewhere;
#[cfg(target_os = "linux")]
mod linux;
pub mod locks;
#[cfg(target_os = "macos")]
mod macos;
pub mod memory;
#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

#[cfg(target_os = "linux")]
use linux as platform;
#[cfg(target_os = "macos")]
use macos as platform;
#[cfg(windows)]
use windows as platform;

pub use common::instead_of;
pub use platform::errno;
pub use platform::queues::can_measure;

/// Block devices: sizes, identities, uses, zones, commands to drives; counters of network interfaces.
pub mod devices {
    pub use crate::common::{
        BlockGeometry, CommandNode, DeviceIdentity, DeviceUse, LoopBacking, MappedPiece, NvmeNamespace, SMART_LOG,
        ScsiDisk, Use, Zone, ZoneCondition, ZoneLimits, parse_dev, sysfs_block,
    };
    pub use crate::platform::devices::{
        InterfaceCounters, block_geometry, block_number, block_size, command_node, device_identity, device_name,
        device_uses, file_uses, finish_zones, is_scsi_disk, loop_backing, mapped_pieces, nvme_log_page, nvme_namespace,
        reset_zones, zone_limits, zones,
    };
    pub use crate::platform::files::device_number;
    pub use crate::platform::queues::scsi_disk;
    #[cfg(windows)]
    pub use crate::windows::devices::{DiskCounters, disk_counters, disks};
    #[cfg(windows)]
    pub use crate::windows::files::{device_path, dismount_volume, hold_volumes};

    /// Returns the SMART log of the controller of an open NVMe device. Reading it does not change it.
    ///
    /// # Errors
    /// As [`nvme_log_page`].
    pub fn nvme_smart_log(device: &std::fs::File) -> std::io::Result<[u8; SMART_LOG]> {
        // Page SMART / Health Information (NVM Express base specification, "Get Log Page") of the controller as a whole.
        nvme_log_page(device, 0x02, u32::MAX)
    }
}

/// Files and directories: opening and creating them so that no name can be replaced meanwhile, their metadata and
/// attributes, and making them durable.
pub mod files {
    pub use crate::common::{Access, FileId, Guards, OpenGuarded, OpenHow, has_nul};
    pub use crate::platform::files::{
        FILE_SOCKETS, FileExt, FileType, FileTypeExt, KERNEL_FILES, Metadata, MetadataExt, ascii_name, canonical,
        check_name, check_writable, create_directory_at, create_nameless, create_new, create_private_directory,
        effective_user, file_metadata, for_another_thread, hand_over, has_name, is_descriptor_limit, is_kernel_path,
        is_link_error, is_lost_error, is_program, may_write, memory_file, metadata, moment_made, names_file, names_in,
        open_at, open_flag, open_for_sync, open_no_links, raise_descriptor_limit, read_attribute, remove_at,
        remove_directory_at, rename_at, rename_new, reopen, set_mode, stat_at, symlink_metadata, sync_data,
        sync_directory, sync_file, write_attribute,
    };
    #[cfg(windows)]
    pub use crate::windows::files::is_plain_name;
    use std::ffi::OsStr;
    use std::fs::File;
    use std::io;

    /// Creates a file in a directory, lets `write` fill it, syncs it, and only then gives it its name. Other processes see
    /// the whole file (locked, if `write` locked it) or none. Never replaces a file. A process killed meanwhile leaves
    /// nothing where files without a name exist, otherwise a file that is incomplete or named `.secchi-PID-...`.
    ///
    /// # Errors
    /// `AlreadyExists` if the name is taken; errors of creating, syncing and naming a file; any error returned by `write`.
    pub fn create_whole(dir: &File, name: &OsStr, write: impl FnMut(&mut File) -> io::Result<()>) -> io::Result<File> {
        crate::platform::files::created(dir, name, write, true)
    }

    /// Same as [`create_whole`], but does not wait until the file is durable: after a crash it may be missing or empty.
    ///
    /// # Errors
    /// As [`create_whole`].
    pub fn create_soon(dir: &File, name: &OsStr, write: impl FnMut(&mut File) -> io::Result<()>) -> io::Result<File> {
        crate::platform::files::created(dir, name, write, false)
    }
}

/// Mounted file systems: their types, sizes and mount points.
pub mod file_systems {
    pub use crate::common::{Mount, Space, is_memory_fs, is_remote_fs};
    pub use crate::platform::files::{
        attach_tracefs, file_system_magic, file_system_magic_at, mount_id, mount_id_at, mount_of, mounts, mounts_in,
        space, space_at, sync_file_system, unescape,
    };
}

/// The contents of files on storage: direct I/O, the page cache, allocation, extents and write-back.
pub mod storage {
    pub use crate::common::{DirectAlign, Durability, Extent, Life, LoadOpen, Order};
    pub use crate::platform::files::{
        ALIGNMENT_TOLD_BY, advise_life, advise_order, allocate, allocate_beyond, begin_write_back_range, cached_pages,
        can_move_extents, data_ranges, direct_align, direct_align_at, drop_cache, extents, extents_as_they_are,
        is_direct, is_sync, move_extents, open_for_load, reopen_for_load, reserve_beyond, reserve_room,
        write_back_range,
    };
}

/// Pipes, terminals and the standard streams, and passing open files to programs.
pub mod streams {
    pub use crate::platform::files::{
        Inheritable, NULL_DEVICE, create_pipe, inherit, inherited, is_no_reader, is_null_device, wait_again,
        wait_readable,
    };
    pub use crate::platform::process::{Stream, silence_standard_streams, stream_file, terminal_width};
}

/// Processes: starting and ending them, signals, and resource usage.
pub mod process {
    pub use crate::common::{ChildEnd, CpuTime, SystemFacts};
    pub use crate::platform::process::{
        ProgramGroup, Signals, boot, call_by, child_has_ended, die_with_parent, exit_now, exit_signal, file_size_limit,
        host_name, lower_own_priority, own_group, process_cpu_time, run_as, send_signal, set_on_signal, shell,
        shell_into, signal, signal_child, signal_group, signal_with_parent, system_facts, wait_for_child,
    };
    #[cfg(windows)]
    pub use crate::windows::process::{
        ListedProcess, ObservedProcess, ProcessCounts, SystemTimes, process_name, processes, system_times,
    };

    /// Returns `true` if a process with this ID, of any user, is running.
    #[must_use]
    pub fn is_process(pid: u32) -> bool {
        crate::platform::process::started(pid).is_some()
    }
}

/// Threads: CPU time, scheduling, and I/O counters.
pub mod threads {
    pub use crate::common::{RunQueueWait, ThreadIo};
    pub use crate::platform::process::{
        ThreadIoMeter, allowed_cpus, bind_thread, last_cpu, own_descriptors, renice_thread, run_queue_wait,
        runnable_ns, set_io_priority, thread_cpu_ns, thread_cpu_time, thread_number,
    };
}

/// Queues that perform the I/O of a run: one per call or interface of the system and per client library.
pub mod queues {
    pub use crate::common::{
        Advice, Call, Flags, ForcedUnitAccess, IoKind, NfsOpen, RbdImage, Reaped, ScsiOptions, Submission,
        UringOptions, Wait,
    };
    pub use crate::platform::queues::{
        AioQueue, BlockingQueue, Counters, DeepQueue, FileSet, GatheringQueue, MappedQueue, NfsQueue, NvmeQueue,
        RbdQueue, ScsiQueue, UringQueue, nfs_library, nfs_size, rbd_library, rbd_size,
    };
    #[cfg(windows)]
    pub use crate::windows::queues::{IoRingQueue, IocpQueue};
}

/// Engines of M (GT.M, YottaDB), which run in this process.
pub mod mumps {
    pub use crate::common::{M_STRING, MReturns};
    pub use crate::platform::process::{MEngine, MEntry, m_engines};
}
