//! The files of a queue, by number.

use crate::windows::files::information;
use crate::windows::nt;
use std::fs::File;
use std::io;
use std::sync::Arc;
use windows_sys::Win32::Foundation::HANDLE;

/// Open files a queue works on; queues that share them share the handles.
#[derive(Debug, Clone)]
pub struct FileSet {
    devices: Box<[bool]>,
    files: Arc<[File]>,
}

impl FileSet {
    /// Takes the files.
    ///
    /// # Errors
    /// When there is none.
    pub fn new(files: Vec<File>) -> io::Result<Self> {
        if files.is_empty() {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "a queue without a file"));
        }
        let files: Arc<[File]> = files.into();
        let devices = files.iter().map(|f| information(f).is_err()).collect();
        Ok(FileSet { devices, files })
    }

    /// The same for one more thread: each file with an object of its own, since synchronous operations of one object wait for each other.
    ///
    /// # Errors
    /// As `ReOpenFile`.
    pub fn for_another_thread(&self) -> io::Result<Self> {
        let again = self.files.iter().map(crate::windows::files::for_another_thread);
        FileSet::new(again.collect::<io::Result<_>>()?)
    }

    /// All of them.
    #[must_use]
    pub fn files(&self) -> &[File] {
        &self.files
    }

    /// The handle of a file. Panics when there is no such file.
    #[inline(always)]
    pub(crate) fn handle(&self, file: u16) -> HANDLE {
        nt::handle(&self.files[usize::from(file)])
    }

    /// Reserves the room of a range; makes the file as long unless its size is to be kept. The answer is `len`, or a negative
    /// errno.
    pub fn reserve(&self, file: u16, at: u64, len: u32, keep_size: bool) -> i32 {
        match crate::windows::files::reserve(&self.files[usize::from(file)], at, u64::from(len), keep_size) {
            0 => len as i32,
            errno => errno,
        }
    }

    /// Gives a range back: trims it on a device, makes it a hole of a file. The answer is `len`, or a negative errno.
    pub fn discard(&self, file: u16, at: u64, len: u32) -> i32 {
        let index = usize::from(file);
        match crate::windows::files::discard(&self.files[index], self.devices[index], at, u64::from(len)) {
            0 => len as i32,
            errno => errno,
        }
    }
}
