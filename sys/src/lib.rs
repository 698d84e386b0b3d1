//! System layer of secchi: buffers, files, devices, clocks and queues. All `unsafe` code and all FFI live here.
//!
//! This crate depends on no other crate of secchi, not even `model`: its interface consists of bytes, nanoseconds and
//! errno values. The exports below list first what every system has, then what only one system has.

#[cfg(not(target_os = "linux"))]
mod absent;
mod clock;
mod common;
#[cfg(target_os = "linux")]
mod linux;
mod lock_file;
#[cfg(target_os = "macos")]
mod macos;
mod memory;
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

#[cfg(feature = "test-support")]
pub use clock::SimulatedClock;
pub use clock::{Clock, ClockVisitor, MonotonicClock, RunClock, TscClock};
pub use common::{
    Access, Advice, BlockGeometry, CacheStat, Call, ChildEnd, CommandNode, CpuTime, DeviceIdentity, DeviceUse,
    DirectAlign, Durability, Extent, FileId, Flags, Guards, Held, IoKind, Life, LoadOpen, LoopBacking, MappedPiece,
    MemoryMode, Mount, NvmeNamespace, OpenGuarded, OpenHow, Order, Reaped, RunQueueWait, SMART_LOG, ScsiDisk,
    ScsiOptions, SharedMemory, Space, Submission, SystemFacts, ThreadIo, Use, Wait, Zone, ZoneCondition, ZoneLimits,
    instead_of, is_memory_fs, is_remote_fs, parse_dev,
};
pub use lock_file::{ENDING, LockFile, LockHolder, lock_once_ended};
pub use memory::Memory;
pub use platform::clock::{boottime_ns, monotonic_ns, realtime_ns};
pub use platform::devices::{
    InterfaceCounters, block_geometry, block_number, block_size, command_node, device_identity, device_name,
    device_uses, file_uses, finish_zones, has_nul, is_scsi_disk, loop_backing, mapped_pieces, memory_available,
    nvme_log_page, nvme_namespace, nvme_smart_log, reset_zones, sysfs_block, zone_limits, zones,
};
pub use platform::errno;
pub use platform::files::{
    advise_life, advise_order, allocate, allocate_beyond, begin_write_back_range, cachestat, can_move_extents,
    create_directory_at, create_nameless, create_new, create_soon, create_whole, data_ranges, device_number,
    direct_align, drop_cache, effective_user, extents, extents_as_they_are, for_another_thread, hold_directory,
    is_descriptor_limit, is_direct, is_ending, is_kernel_path, is_link_error, is_lost_error, is_sync, lock_holder,
    may_write, mount_id, mount_of, mounts, mounts_in, move_extents, names_file, names_in, open_at, open_for_load,
    open_no_links, raise_descriptor_limit, read_attribute, remove_at, remove_directory_at, rename_at, reopen,
    reopen_for_load, reserve_room, space, stat_at, sync_data, sync_file, sync_file_system, try_lock, unescape, unlock,
    write_attribute, write_back_range,
};
pub use platform::process::{
    PinnedMemory, ThreadIoMeter, address_space_limit, allowed_cpus, bind_thread, child_has_ended, die_with_parent,
    exit_now, file_size_limit, hold_program, last_cpu, own_descriptors, process_cpu_time, release_freed_memory,
    remove_shared_memory, renice_thread, return_large_blocks, run_queue_wait, runnable_ns, send_signal,
    set_io_priority, share_one_heap_where_limited, shared_memory, signal_with_parent, take_memory_from, thread_cpu_ns,
    thread_cpu_time, thread_number, wait_for_child, wake_on_time,
};
pub use platform::queues::{BlockingQueue, Counters, DeepQueue, FileSet, MappedQueue, can_measure};

pub use platform::process::{M_STRING, MEngine, MEntry, MReturns, m_engines};
pub use platform::queues::{
    AioQueue, ForcedUnitAccess, GatheringQueue, NfsOpen, NfsQueue, NvmeQueue, RbdImage, RbdQueue, ScsiQueue,
    UringOptions, UringQueue, nfs_library, nfs_size, rbd_library, rbd_size, scsi_disk,
};

pub use platform::files::{
    ALIGNMENT_TOLD_BY, attach_tracefs, canonical, check_name, clock_ticks, direct_align_at, file_system_magic,
    file_system_magic_at, has_name, mount_id_at, open_flag, space_at, wait_readable,
};

// Parts of the standard library that exist on one system only.
pub use platform::files::{
    FILE_SOCKETS, FileExt, FileType, FileTypeExt, Inheritable, KERNEL_FILES, Metadata, MetadataExt, NULL_DEVICE,
    ascii_name, check_writable, create_pipe, create_private_directory, file_metadata, hand_over, inherit, inherited,
    is_no_reader, is_null_device, is_program, lock_file, memory_file, metadata, moment_made, open_for_sync, rename_new,
    reserve_beyond, set_mode, symlink_metadata, sync_directory, unlock_file, wait_again,
};
pub use platform::process::{
    ProgramGroup, Signals, Stream, boot, call_by, exit_signal, host_name, lower_own_priority, own_group, page_size,
    parent_process, run_as, set_on_signal, shell, shell_into, signal, signal_child, signal_group,
    silence_standard_streams, stream_file, system_facts, terminal_width,
};

#[cfg(windows)]
pub use windows::devices::{DiskCounters, disk_counters, disks};
#[cfg(windows)]
pub use windows::files::{device_path, dismount_volume, hold_volumes, is_plain_name};
#[cfg(windows)]
pub use windows::process::{
    ListedProcess, ObservedProcess, ProcessCounts, SystemTimes, process_name, processes, system_times,
};
#[cfg(windows)]
pub use windows::queues::{IoRingQueue, IocpQueue};

/// Returns `true` if a process with this ID, of any user, is running.
#[must_use]
pub fn is_process(pid: u32) -> bool {
    platform::process::started(pid).is_some()
}
