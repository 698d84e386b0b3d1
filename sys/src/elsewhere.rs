//! Features that only Linux has, for the other systems: functions return what always holds there, or an error; queues
//! and engines are types without values. Each system suggests its own alternatives (`instead.rs` in its folder).

/// Defines types without values: the function that would create one returns an error. The lists are methods that take
/// `&self` and `&mut self`. The field is private: if the compiler saw in other crates that there is no value, it would
/// warn there about code that is never reached.
macro_rules! never {
    ($($name:ident::$new:ident($($arg:ty),*) -> $created:ty = $error:expr;
        [$($get:ident($($given:ty),*) -> $got:ty),*]
        [$($set:ident($($taken:ty),*) -> $returned:ty),*])*) => {$(
        /// Does not exist on this system: cannot be created.
        #[derive(Debug, Clone)]
        pub struct $name(std::convert::Infallible);

        impl $name {
            /// Returns an error: this system does not have the feature.
            ///
            /// # Errors
            /// Always.
            pub fn $new($(_: $arg),*) -> std::io::Result<$created> {
                Err($error)
            }

            $(
                /// Cannot be called.
                pub fn $get(&self, $(_: $given),*) -> $got {
                    match self.0 {}
                }
            )*

            $(
                /// Cannot be called.
                pub fn $set(&mut self, $(_: $taken),*) -> $returned {
                    match self.0 {}
                }
            )*
        }
    )*};
}

/// Returns the error for a feature without an alternative.
pub(crate) fn unsupported(reason: &str) -> std::io::Error {
    std::io::Error::new(std::io::ErrorKind::Unsupported, reason)
}

pub(crate) mod devices {
    use super::unsupported;
    use crate::common::{CommandNode, LoopBacking, MappedPiece, NvmeNamespace, Zone, ZoneLimits};
    use std::fs::File;
    use std::io;

    constant! {
        fn command_node((u32, u32)) -> Option<CommandNode> = None;
        fn is_scsi_disk((u32, u32)) -> bool = false;
        fn loop_backing(&File) -> io::Result<Option<LoopBacking>> = Err(unsupported("loop devices exist on Linux only"));
        fn mapped_pieces((u32, u32)) -> io::Result<Vec<MappedPiece>> =
            Err(unsupported("the device mapper exists on Linux only"));
        fn nvme_namespace(&File) -> io::Result<NvmeNamespace> =
            Err(unsupported("NVMe passthrough commands are supported on Linux only"));
        fn zone_limits(&File) -> io::Result<ZoneLimits> = Ok(ZoneLimits::default());
        fn zones(&File, u64, usize) -> io::Result<Vec<Zone>> =
            Err(unsupported("zones of devices are reported on Linux only"));
        fn reset_zones(&File, u64, u64) -> io::Result<()> = Err(unsupported("zones of devices are reset on Linux only"));
        fn finish_zones(&File, u64, u64) -> io::Result<()> =
            Err(unsupported("zones of devices are finished on Linux only"));
    }

    never! {
        InterfaceCounters::open(&str) -> Self =
            unsupported("driver counters of network interfaces (ethtool) exist on Linux only");
            [names() -> &[String], read() -> io::Result<Vec<u64>>] []
    }
}

pub(crate) mod files {
    use super::unsupported;
    use crate::common::{FileId, Mount};
    use std::fs::File;
    use std::io;
    use std::ops::Range;
    use std::path::{Path, PathBuf};

    impl Mount {
        /// Returns the value of a file system option: `None`, because only Linux reports such options.
        #[must_use]
        pub fn super_option(&self, _key: &str) -> Option<PathBuf> {
            None
        }
    }

    constant! {
        fn cached_pages(&File, Range<u64>) -> io::Result<Option<u64>> = Ok(None);
        /// Only Linux reports the process that holds a lock.
        fn lock_holder(FileId) -> Option<u32> = None;
        fn file_system_magic(&File) -> Option<u64> = None;
        fn file_system_magic_at(&Path) -> Option<u64> = None;
        fn mounts_in(&Path) -> io::Result<Vec<Mount>> =
            Err(unsupported("a mount table in a file exists on Linux only"));
    }
}

pub(crate) mod process {
    use crate::common::{MReturns, RunQueueWait, SharedMemory, ThreadIo, foreign};
    use crate::platform::instead::M;
    use std::io;
    use std::path::Path;

    constant! {
        /// Only Linux reports the wait of a thread in a run queue, its CPU, and the time it was runnable.
        fn run_queue_wait(u32) -> Option<RunQueueWait> = None;
        fn last_cpu(u32) -> Option<u32> = None;
        fn runnable_ns(u32) -> Option<u64> = None;
        fn own_descriptors() -> bool = false;
        fn wake_on_time() -> () = ();
        fn shared_memory() -> io::Result<Vec<SharedMemory>> = Ok(Vec::new());
        fn remove_shared_memory(SharedMemory) -> io::Result<()> =
            Err(io::Error::from_raw_os_error(crate::errno::ENOENT));
        fn m_engines() -> io::Result<()> = Err(foreign("GT.M and YottaDB run on Linux only", M));
    }

    never! {
        MEngine::start(&Path, &[(&str, &str, MReturns)]) -> (Self, Vec<MEntry>) =
            foreign("GT.M and YottaDB run on Linux only", M);
            [] [number(MEntry, [i64; 3], &[u8]) -> io::Result<i64>, text(MEntry, [i64; 3], &[u8]) -> io::Result<&[u8]>]
    }

    /// Entry of a routine: there are none.
    #[derive(Debug, Clone, Copy)]
    pub struct MEntry(std::convert::Infallible);

    /// Reader of a thread's I/O counters, which only Linux has.
    #[derive(Debug)]
    pub struct ThreadIoMeter;

    impl ThreadIoMeter {
        /// Creates a meter without counters.
        #[must_use]
        pub fn of_this_thread() -> Self {
            ThreadIoMeter
        }

        /// Returns `false`: the system does not count I/O per thread.
        #[must_use]
        pub fn counts(&self) -> bool {
            false
        }

        /// Returns zeros.
        #[must_use]
        pub fn so_far(&self) -> ThreadIo {
            ThreadIo::default()
        }
    }
}

pub(crate) mod queues {
    use crate::common::{
        ForcedUnitAccess, NfsOpen, NvmeNamespace, RbdImage, Reaped, ScsiDisk, ScsiOptions, Submission, UringOptions,
        Wait, foreign,
    };
    use crate::platform::instead::{COMMANDS, DEEP, PIECES, SERVERS};
    use crate::platform::queues::FileSet;
    use std::fs::File;
    use std::io;
    use std::path::{Path, PathBuf};

    const SCSI: &str = "SCSI commands need SG_IO, which exists on Linux only";
    const NFS: &str = "libnfs is supported on Linux only";
    const RBD: &str = "librbd is supported on Linux only";

    constant! {
        fn scsi_disk(&File) -> io::Result<ScsiDisk> = Err(foreign(SCSI, COMMANDS));
        fn nfs_library() -> io::Result<()> = Err(foreign(NFS, SERVERS));
        fn nfs_size(&str, &Path) -> io::Result<Option<u64>> = Err(foreign(NFS, SERVERS));
        fn rbd_library() -> io::Result<()> = Err(foreign(RBD, SERVERS));
        fn rbd_size(&RbdImage) -> io::Result<u64> = Err(foreign(RBD, SERVERS));
    }

    never! {
        AioQueue::new(FileSet, u32, usize) -> Self =
            foreign("Linux asynchronous I/O (libaio) exists on Linux only", DEEP);
            [] [
                set_nowait() -> (), set_userspace_reap() -> bool, buffer(u32) -> &mut [u8],
                push(impl Iterator<Item = Submission>) -> usize,
                push_with(impl Iterator<Item = (Submission, u16)>) -> usize,
                reap(usize, Wait, impl FnMut(Reaped)) -> io::Result<()>
            ]
        UringQueue::new(FileSet, u32, usize, UringOptions) -> Self = foreign("io_uring exists on Linux only", DEEP);
            [notes() -> &[String]] [
                buffer(u32) -> &mut [u8], flush() -> io::Result<()>, push(impl Iterator<Item = Submission>) -> usize,
                push_with(impl Iterator<Item = (Submission, u16)>) -> usize,
                reap(usize, Wait, impl FnMut(Reaped)) -> io::Result<()>
            ]
        NvmeQueue::new(FileSet, u32, usize, UringOptions, ForcedUnitAccess) -> Self =
            foreign("NVMe commands need io_uring, which exists on Linux only", COMMANDS);
            [namespaces() -> &[NvmeNamespace], notes() -> &[String]] [
                buffer(u32) -> &mut [u8], flush() -> io::Result<()>, push(impl Iterator<Item = Submission>) -> usize,
                reap(usize, Wait, impl FnMut(Reaped)) -> io::Result<()>
            ]
        ScsiQueue::new(FileSet, usize, ScsiOptions) -> Self = foreign(SCSI, COMMANDS);
            [] [buffer() -> &mut [u8], perform(&Submission) -> Reaped]
        GatheringQueue::new(FileSet, u32, usize) -> Self = foreign(PIECES[0], PIECES[1]);
            [] [buffer(u32) -> &mut [u8], perform(&[Submission], impl FnMut(Reaped)) -> ()]
        NfsQueue::open(&str, &[PathBuf], NfsOpen, u32, usize) -> Self = foreign(NFS, SERVERS);
            [] [
                push(Submission) -> (), turn() -> (), buffer(u32) -> &mut [u8],
                reap(usize, Wait, impl FnMut(Reaped)) -> ()
            ]
        RbdQueue::open(&RbdImage, bool, u32, usize) -> Self = foreign(RBD, SERVERS);
            [] [
                push(Submission) -> (), buffer(u32) -> &mut [u8],
                reap(usize, Wait, impl FnMut(Reaped)) -> io::Result<()>
            ]
    }

    impl GatheringQueue {
        /// Returns 1: operations are never combined.
        #[must_use]
        pub fn neighbours(_submissions: &[Submission]) -> usize {
            1
        }
    }
}
