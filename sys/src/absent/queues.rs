//! Stubs of queues that only Linux has: creating one returns an error that suggests an alternative.

use crate::common::{NvmeNamespace, Reaped, ScsiDisk, ScsiOptions, Submission, Wait, foreign};
use crate::platform::instead::{COMMANDS, DEEP, PIECES, SERVERS};
use crate::platform::queues::FileSet;
use std::io;
use std::path::{Path, PathBuf};

/// Type without values.
enum Never {}

/// Defines a queue of this name that cannot be created.
macro_rules! never {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        pub struct $name(Never);
    };
}

never!(
    /// Asynchronous I/O of Linux.
    AioQueue
);

impl AioQueue {
    /// Returns an error: this queue exists on Linux only.
    ///
    /// # Errors
    /// Always.
    pub fn new(_files: FileSet, _depth: u32, _buffer_size: usize) -> io::Result<Self> {
        Err(foreign("Linux asynchronous I/O (libaio) exists on Linux only", DEEP))
    }

    /// See [`AioQueue`].
    pub fn set_nowait(&mut self) {
        match self.0 {}
    }

    /// See [`AioQueue`].
    pub fn set_userspace_reap(&mut self) -> bool {
        match self.0 {}
    }

    /// See [`AioQueue`].
    pub fn buffer(&mut self, _slot: u32) -> &mut [u8] {
        match self.0 {}
    }

    /// See [`AioQueue`].
    pub fn push(&mut self, _submissions: impl Iterator<Item = Submission>) -> usize {
        match self.0 {}
    }

    /// See [`AioQueue`].
    pub fn push_with(&mut self, _submissions: impl Iterator<Item = (Submission, u16)>) -> usize {
        match self.0 {}
    }

    /// See [`AioQueue`].
    ///
    /// # Errors
    /// None: there is no such queue.
    pub fn reap(&mut self, _at_least: usize, _wait: Wait, _done: impl FnMut(Reaped)) -> io::Result<()> {
        match self.0 {}
    }
}

/// Options of an io_uring queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct UringOptions {
    /// True if files are registered.
    pub register_files: bool,
    /// True if buffers are registered.
    pub register_buffers: bool,
    /// Kernel thread that takes submissions (SQPOLL), on this CPU if one is given.
    pub poll_submissions: Option<Option<u32>>,
    /// True if completions are polled for (IOPOLL).
    pub poll_completions: bool,
    /// Every n-th operation goes to a kernel thread at once; 0 = none.
    pub force_async: u32,
    /// True if operations that would have to wait fail instead (RWF_NOWAIT).
    pub nowait: bool,
}

never!(
    /// Queue on io_uring.
    UringQueue
);

impl UringQueue {
    /// Returns an error: this queue exists on Linux only.
    ///
    /// # Errors
    /// Always.
    pub fn new(_files: FileSet, _depth: u32, _buffer_size: usize, _options: UringOptions) -> io::Result<Self> {
        Err(foreign("io_uring exists on Linux only", DEEP))
    }

    /// See [`UringQueue`].
    #[must_use]
    pub fn notes(&self) -> &[String] {
        match self.0 {}
    }

    /// See [`UringQueue`].
    pub fn buffer(&mut self, _slot: u32) -> &mut [u8] {
        match self.0 {}
    }

    /// See [`UringQueue`].
    ///
    /// # Errors
    /// None: there is no such queue.
    pub fn flush(&mut self) -> io::Result<()> {
        match self.0 {}
    }

    /// See [`UringQueue`].
    pub fn push(&mut self, _submissions: impl Iterator<Item = Submission>) -> usize {
        match self.0 {}
    }

    /// See [`UringQueue`].
    pub fn push_with(&mut self, _submissions: impl Iterator<Item = (Submission, u16)>) -> usize {
        match self.0 {}
    }

    /// See [`UringQueue`].
    ///
    /// # Errors
    /// None: there is no such queue.
    pub fn reap(&mut self, _at_least: usize, _wait: Wait, _done: impl FnMut(Reaped)) -> io::Result<()> {
        match self.0 {}
    }
}

/// Operations that use forced unit access, bypassing the cache of the drive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ForcedUnitAccess {
    /// True for reads.
    pub reads: bool,
    /// True for writes.
    pub writes: bool,
}

never!(
    /// NVMe commands through io_uring.
    NvmeQueue
);

impl NvmeQueue {
    /// Returns an error: this queue exists on Linux only.
    ///
    /// # Errors
    /// Always.
    pub fn new(
        _files: FileSet,
        _depth: u32,
        _buffer_size: usize,
        _options: UringOptions,
        _force: ForcedUnitAccess,
    ) -> io::Result<Self> {
        Err(foreign("NVMe commands need io_uring, which exists on Linux only", COMMANDS))
    }

    /// See [`NvmeQueue`].
    #[must_use]
    pub fn namespaces(&self) -> &[NvmeNamespace] {
        match self.0 {}
    }

    /// See [`NvmeQueue`].
    #[must_use]
    pub fn notes(&self) -> &[String] {
        match self.0 {}
    }

    /// See [`NvmeQueue`].
    pub fn buffer(&mut self, _slot: u32) -> &mut [u8] {
        match self.0 {}
    }

    /// See [`NvmeQueue`].
    pub fn push(&mut self, _submissions: impl Iterator<Item = Submission>) -> usize {
        match self.0 {}
    }

    /// See [`NvmeQueue`].
    ///
    /// # Errors
    /// None: there is no such queue.
    pub fn flush(&mut self) -> io::Result<()> {
        match self.0 {}
    }

    /// See [`NvmeQueue`].
    ///
    /// # Errors
    /// None: there is no such queue.
    pub fn reap(&mut self, _at_least: usize, _wait: Wait, _done: impl FnMut(Reaped)) -> io::Result<()> {
        match self.0 {}
    }
}

/// Returns an error: SCSI commands are sent on Linux only.
///
/// # Errors
/// Always.
pub fn scsi_disk(_device: &std::fs::File) -> io::Result<ScsiDisk> {
    Err(foreign("SCSI commands need SG_IO, which exists on Linux only", COMMANDS))
}

never!(
    /// SCSI commands.
    ScsiQueue
);

impl ScsiQueue {
    /// Returns an error: this queue exists on Linux only.
    ///
    /// # Errors
    /// Always.
    pub fn new(_files: FileSet, _buffer_size: usize, _options: ScsiOptions) -> io::Result<Self> {
        Err(foreign("SCSI commands need SG_IO, which exists on Linux only", COMMANDS))
    }

    /// See [`ScsiQueue`].
    pub fn buffer(&mut self) -> &mut [u8] {
        match self.0 {}
    }

    /// See [`ScsiQueue`].
    pub fn perform(&mut self, _submission: &Submission) -> Reaped {
        match self.0 {}
    }
}

never!(
    /// Vectored reads and writes.
    GatheringQueue
);

impl GatheringQueue {
    /// Returns an error: this queue exists on Linux only.
    ///
    /// # Errors
    /// Always.
    pub fn new(_files: FileSet, _depth: u32, _buffer_size: usize) -> io::Result<Self> {
        Err(foreign(PIECES[0], PIECES[1]))
    }

    /// See [`GatheringQueue`].
    pub fn buffer(&mut self, _slot: u32) -> &mut [u8] {
        match self.0 {}
    }

    /// Returns 1: operations are never combined.
    #[must_use]
    pub fn neighbours(_submissions: &[Submission]) -> usize {
        1
    }

    /// See [`GatheringQueue`].
    pub fn perform(&mut self, _group: &[Submission], _done: impl FnMut(Reaped)) {
        match self.0 {}
    }
}

/// Access to files of an NFS server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct NfsOpen {
    /// True for writing.
    pub write: bool,
    /// True if writes are durable when they return.
    pub sync: bool,
}

/// Returns an error: libnfs is used on Linux only.
///
/// # Errors
/// Always.
pub fn nfs_library() -> io::Result<()> {
    Err(foreign("libnfs is supported on Linux only", SERVERS))
}

/// See [`nfs_library`].
///
/// # Errors
/// Always.
pub fn nfs_size(_url: &str, _path: &Path) -> io::Result<Option<u64>> {
    nfs_library().map(|()| None)
}

never!(
    /// Files of an NFS server.
    NfsQueue
);

impl NfsQueue {
    /// Returns an error: this queue exists on Linux only.
    ///
    /// # Errors
    /// Always.
    pub fn open(
        _url: &str,
        _names: &[PathBuf],
        _how: NfsOpen,
        _depth: u32,
        _buffer_size: usize,
    ) -> io::Result<NfsQueue> {
        Err(foreign("libnfs is supported on Linux only", SERVERS))
    }

    /// See [`NfsQueue`].
    pub fn push(&mut self, _asked: Submission) {
        match self.0 {}
    }

    /// See [`NfsQueue`].
    pub fn turn(&mut self) {
        match self.0 {}
    }

    /// See [`NfsQueue`].
    pub fn reap(&mut self, _at_least: usize, _wait: Wait, _each: impl FnMut(Reaped)) {
        match self.0 {}
    }

    /// See [`NfsQueue`].
    pub fn buffer(&mut self, _slot: u32) -> &mut [u8] {
        match self.0 {}
    }
}

/// Image of a Ceph cluster, and how it is opened.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RbdImage {
    /// Name of the cluster.
    pub cluster: Option<String>,
    /// Name of the pool.
    pub pool: String,
    /// Name of the image.
    pub name: String,
    /// Name of the Ceph client.
    pub client: Option<String>,
    /// True for writing.
    pub write: bool,
    /// True if the cache of librbd is not used.
    pub direct: bool,
}

/// Returns an error: librbd is used on Linux only.
///
/// # Errors
/// Always.
pub fn rbd_library() -> io::Result<()> {
    Err(foreign("librbd is supported on Linux only", SERVERS))
}

/// See [`rbd_library`].
///
/// # Errors
/// Always.
pub fn rbd_size(_image: &RbdImage) -> io::Result<u64> {
    rbd_library().map(|()| 0)
}

never!(
    /// Image of a Ceph cluster.
    RbdQueue
);

impl RbdQueue {
    /// Returns an error: this queue exists on Linux only.
    ///
    /// # Errors
    /// Always.
    pub fn open(_image: &RbdImage, _busy: bool, _depth: u32, _buffer_size: usize) -> io::Result<RbdQueue> {
        Err(foreign("librbd is supported on Linux only", SERVERS))
    }

    /// See [`RbdQueue`].
    pub fn push(&mut self, _asked: Submission) {
        match self.0 {}
    }

    /// See [`RbdQueue`].
    ///
    /// # Errors
    /// None: there is no such queue.
    pub fn reap(&mut self, _at_least: usize, _wait: Wait, _each: impl FnMut(Reaped)) -> io::Result<()> {
        match self.0 {}
    }

    /// See [`RbdQueue`].
    pub fn buffer(&mut self, _slot: u32) -> &mut [u8] {
        match self.0 {}
    }
}
