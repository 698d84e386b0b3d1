//! Queues that Linux alone has: none of them can be made, and the error says what to take.

use crate::common::{NvmeNamespace, Reaped, ScsiDisk, ScsiOptions, Submission, Wait, foreign};
use crate::platform::instead::{COMMANDS, DEEP, PIECES, SERVERS};
use crate::platform::queues::FileSet;
use std::io;
use std::path::{Path, PathBuf};

/// A queue that never is.
enum Never {}

/// A queue of that name: its kind is nowhere made here.
macro_rules! never {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        pub struct $name(Never);
    };
}

never!(
    /// Linux' asynchronous I/O.
    AioQueue
);

impl AioQueue {
    /// There is none here.
    ///
    /// # Errors
    /// Always.
    pub fn new(_files: FileSet, _depth: u32, _buffer_size: usize) -> io::Result<Self> {
        Err(foreign("Linux' asynchronous I/O is Linux' alone", DEEP))
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

/// What a ring of Linux would be asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct UringOptions {
    /// Files by number.
    pub register_files: bool,
    /// Buffers by number.
    pub register_buffers: bool,
    /// A thread of the kernel takes submissions, on this CPU.
    pub poll_submissions: Option<Option<u32>>,
    /// Completions are polled for.
    pub poll_completions: bool,
    /// Every so many operations are given to a thread at once.
    pub force_async: u32,
    /// Nothing waits.
    pub nowait: bool,
}

never!(
    /// Linux' rings.
    UringQueue
);

impl UringQueue {
    /// There is none here.
    ///
    /// # Errors
    /// Always.
    pub fn new(_files: FileSet, _depth: u32, _buffer_size: usize, _options: UringOptions) -> io::Result<Self> {
        Err(foreign("io_uring is Linux' alone", DEEP))
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

/// Which commands would be done past a drive's cache.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ForcedUnitAccess {
    /// Reads.
    pub reads: bool,
    /// Writes.
    pub writes: bool,
}

never!(
    /// NVMe commands through Linux' rings.
    NvmeQueue
);

impl NvmeQueue {
    /// There is none here.
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
        Err(foreign("NVMe commands go through io_uring, which is Linux' alone", COMMANDS))
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

/// Commands of SCSI are not sent here.
///
/// # Errors
/// Always.
pub fn scsi_disk(_device: &std::fs::File) -> io::Result<ScsiDisk> {
    Err(foreign("commands of SCSI go through Linux' SG_IO", COMMANDS))
}

never!(
    /// SCSI commands.
    ScsiQueue
);

impl ScsiQueue {
    /// There is none here.
    ///
    /// # Errors
    /// Always.
    pub fn new(_files: FileSet, _buffer_size: usize, _options: ScsiOptions) -> io::Result<Self> {
        Err(foreign("commands of SCSI go through Linux' SG_IO", COMMANDS))
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
    /// Calls for lists of pieces.
    GatheringQueue
);

impl GatheringQueue {
    /// There is none here.
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

    /// None lie side by side in what never is.
    #[must_use]
    pub fn neighbours(_submissions: &[Submission]) -> usize {
        1
    }

    /// See [`GatheringQueue`].
    pub fn perform(&mut self, _group: &[Submission], _done: impl FnMut(Reaped)) {
        match self.0 {}
    }
}

/// How files of a server would be opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct NfsOpen {
    /// For writing.
    pub write: bool,
    /// Writes are durable.
    pub sync: bool,
}

/// The library is looked for on Linux alone.
///
/// # Errors
/// Always.
pub fn nfs_library() -> io::Result<()> {
    Err(foreign("libnfs is looked for on Linux alone", SERVERS))
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
    /// There is none here.
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
        Err(foreign("libnfs is looked for on Linux alone", SERVERS))
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

/// Which image of a cluster would be opened.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RbdImage {
    /// Name of the cluster.
    pub cluster: Option<String>,
    /// Its pool.
    pub pool: String,
    /// The image.
    pub name: String,
    /// Who asks.
    pub client: Option<String>,
    /// For writing.
    pub write: bool,
    /// Without the library's cache.
    pub direct: bool,
}

/// The library is looked for on Linux alone.
///
/// # Errors
/// Always.
pub fn rbd_library() -> io::Result<()> {
    Err(foreign("librbd is looked for on Linux alone", SERVERS))
}

/// See [`rbd_library`].
///
/// # Errors
/// Always.
pub fn rbd_size(_image: &RbdImage) -> io::Result<u64> {
    rbd_library().map(|()| 0)
}

never!(
    /// An image of a Ceph cluster.
    RbdQueue
);

impl RbdQueue {
    /// There is none here.
    ///
    /// # Errors
    /// Always.
    pub fn open(_image: &RbdImage, _busy: bool, _depth: u32, _buffer_size: usize) -> io::Result<RbdQueue> {
        Err(foreign("librbd is looked for on Linux alone", SERVERS))
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
