//! The files of a queue, addressed by index.

use rustix::fs::FallocateFlags;
use rustix::io::Errno;
use std::io;
use std::os::fd::{AsRawFd, RawFd};
use std::os::unix::fs::FileTypeExt;
use std::sync::Arc;

/// Open files of a queue; queues that share a set share the descriptors.
#[derive(Debug, Clone)]
pub struct FileSet {
    /// Descriptors, needed for every operation.
    fds: Box<[RawFd]>,
    devices: Box<[bool]>,
    files: Arc<[std::fs::File]>,
}

impl FileSet {
    /// Creates a set of these files.
    ///
    /// # Errors
    /// If there are no files, or the metadata of one cannot be read.
    pub fn new(files: Vec<std::fs::File>) -> io::Result<Self> {
        if files.is_empty() {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "a queue without a file"));
        }
        let files: Arc<[std::fs::File]> = files.into();
        let fds = files.iter().map(AsRawFd::as_raw_fd).collect();
        let devices = files
            .iter()
            .map(|f| f.metadata().map(|m| m.file_type().is_block_device()))
            .collect::<io::Result<Vec<bool>>>()?
            .into();
        Ok(FileSet { fds, devices, files })
    }

    /// Returns the same set for another thread, with the same descriptors.
    ///
    /// # Errors
    /// None: the descriptors are shared.
    pub fn for_another_thread(&self) -> io::Result<Self> {
        Ok(self.clone())
    }

    /// Returns all files.
    #[must_use]
    pub fn files(&self) -> &[std::fs::File] {
        &self.files
    }

    /// Returns the descriptor of a file. Panics if there is no such file.
    #[inline(always)]
    pub(crate) fn fd(&self, file: u16) -> RawFd {
        self.fds[usize::from(file)]
    }

    pub(crate) fn fds(&self) -> &[RawFd] {
        &self.fds
    }

    /// Allocates a range of a file and extends the file to the end of the range unless `keep_size` is set. Returns
    /// `len`, or a negative errno.
    pub fn reserve(&self, file: u16, at: u64, len: u32, keep_size: bool) -> i32 {
        let flags = if keep_size { FallocateFlags::KEEP_SIZE } else { FallocateFlags::empty() };
        outcome(crate::linux::files::reserve(&self.files[usize::from(file)], flags, at, u64::from(len)), len)
    }

    /// Deallocates a range: discards it on a device, punches a hole into a file. Returns `len`, or a negative errno.
    pub fn discard(&self, file: u16, at: u64, len: u32) -> i32 {
        let index = usize::from(file);
        outcome(crate::linux::files::discard(&self.files[index], self.devices[index], at, u64::from(len)), len)
    }
}

fn outcome(done: Result<(), Errno>, len: u32) -> i32 {
    done.map_or_else(|errno| -errno.raw_os_error(), |()| len as i32)
}
