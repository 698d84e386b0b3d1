//! Files: opened and made so that no name can be swapped on the way, opened for a load, locked; what a file system says of
//! them, and where they are mounted.

mod attribute;
mod descriptor;
mod extents;
mod file;
mod load_open;
mod lock;
mod looked;
mod metadata;
mod mounts;

pub use attribute::{read_attribute, write_attribute};
pub(crate) use descriptor::{discard, reserve};
pub use descriptor::{for_another_thread, is_direct, is_sync, reopen, sync_data, sync_file};
pub use extents::{can_move_extents, data_ranges, extents, extents_as_they_are, move_extents, reserve_room};
pub use file::{
    O_NOFOLLOW, allocate, cachestat, create_directory_at, create_nameless, create_new, create_soon, create_whole,
    direct_align, drop_cache, effective_user, is_kernel_path, is_link_error, is_lost_error, may_write, mount_id,
    names_file, names_in, open_at, open_no_links, remove_at, remove_directory_at, rename_at, space, stat_at,
    sync_file_system,
};
pub use load_open::{
    advise_life, advise_order, allocate_beyond, begin_write_back_range, is_descriptor_limit, open_for_load,
    raise_descriptor_limit, reopen_for_load, write_back_range,
};
pub use lock::{hold_directory, is_ending, lock_holder, try_lock, unlock};
pub use looked::{
    ALIGNMENT_TOLD_BY, attach_tracefs, canonical, check_name, clock_ticks, direct_align_at, file_system_magic,
    file_system_magic_at, has_name, mount_id_at, open_flag, space_at, wait_readable,
};
pub use metadata::{
    FILE_SOCKETS, FileExt, FileType, FileTypeExt, Inheritable, KERNEL_FILES, Metadata, MetadataExt, NULL_DEVICE,
    ascii_name, check_writable, create_pipe, create_private_directory, file_metadata, hand_over, inherit, inherited,
    is_no_reader, is_null_device, is_program, lock_file, memory_file, metadata, moment_made, open_for_sync, rename_new,
    reserve_beyond, set_mode, symlink_metadata, sync_directory, unlock_file, wait_again,
};
pub use mounts::{mount_of, mounts, mounts_in, unescape};
