//! The files of a queue, by number.

use crate::windows::files::information;
use crate::windows::nt;
use std::fs::File;
use std::io;
use std::sync::Arc;
use windows_sys::Win32::Foundation::HANDLE;

/// Open files that a queue works on; queues that share them share the handles.
#[derive(Debug, Clone)]
pub struct FileSet {
    devices: Box<[bool]>,
    files: Arc<[File]>,
}

impl FileSet {
    /// Creates a set of these files.
    ///
    /// # Errors
    /// If the list is empty.
    pub fn new(files: Vec<File>) -> io::Result<Self> {
        if files.is_empty() {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "a queue without a file"));
        }
        let files: Arc<[File]> = files.into();
        let devices = files.iter().map(|f| information(f).is_err()).collect();
        Ok(FileSet { devices, files })
    }

    /// Returns the same files for another thread. Each file gets a new file object, because synchronous operations on
    /// one file object wait for each other.
    ///
    /// # Errors
    /// Errors of `ReOpenFile`.
    pub fn for_another_thread(&self) -> io::Result<Self> {
        let again = self.files.iter().map(crate::windows::files::for_another_thread);
        FileSet::new(again.collect::<io::Result<_>>()?)
    }

    /// Returns all files.
    #[must_use]
    pub fn files(&self) -> &[File] {
        &self.files
    }

    /// Returns the handle of a file. Panics if there is no such file.
    #[inline(always)]
    pub(crate) fn handle(&self, file: u16) -> HANDLE {
        nt::handle(&self.files[usize::from(file)])
    }

    /// Allocates a range, and extends the file to its end unless `keep_size` is set. Returns `len` or a negative errno.
    pub fn reserve(&self, file: u16, at: u64, len: u32, keep_size: bool) -> i32 {
        outcome(crate::windows::files::reserve(&self.files[usize::from(file)], at, u64::from(len), keep_size), len)
    }

    /// Deallocates a range: trims a device, punches a hole in a file. Returns `len` or a negative errno.
    pub fn discard(&self, file: u16, at: u64, len: u32) -> i32 {
        let index = usize::from(file);
        outcome(crate::windows::files::discard(&self.files[index], self.devices[index], at, u64::from(len)), len)
    }
}

fn outcome(done: io::Result<()>, len: u32) -> i32 {
    match done {
        Ok(()) => len as i32,
        Err(e) => -e.raw_os_error().unwrap_or(crate::errno::EIO),
    }
}
