//! Files beside those of globals that an engine changes with a write-back, such as its catalogue and the states of transactions: a page of
//! each is written, and each is synced.

use super::buffer::AlignedBuffer;
use super::counts::Counts;
use super::journal_files::{begins_with, open_own};
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use sys::FileExt;

/// What each begins with.
const MAGIC: &[u8; 16] = b"secchi further\0\x01";

/// Whether this is the name of one.
pub(super) fn is_name(name: &str) -> bool {
    let number = name.strip_prefix("further.").and_then(|rest| rest.strip_suffix(".page")?.parse().ok());
    number.is_some_and(|number| name == file_name(number))
}

fn file_name(number: u64) -> String {
    format!("further.{number:04}.page")
}

/// Whether a file says it is one of ours; an empty one is one whose making was cut short.
pub(super) fn is_own(path: &Path) -> bool {
    begins_with(path, MAGIC)
}

/// The files that are there, in order.
pub(super) fn paths(directory: &Path) -> Vec<PathBuf> {
    (0..).map(|number| directory.join(file_name(number))).take_while(|path| path.exists()).collect()
}

/// The files, open.
pub(super) struct FurtherFiles {
    files: Vec<File>,
    page: AlignedBuffer,
}

impl FurtherFiles {
    /// Opens so many, making those that are not there.
    pub fn open(directory: &Path, count: u64, page: usize, direct: bool) -> io::Result<FurtherFiles> {
        let mut head = AlignedBuffer::new(page);
        head[..MAGIC.len()].copy_from_slice(MAGIC);
        let files = (0..count).map(|number| open_own(directory, &file_name(number), MAGIC, direct));
        Ok(FurtherFiles { files: files.collect::<io::Result<_>>()?, page: head })
    }

    /// Writes a page of each, and makes it durable.
    pub fn write_back(&self, counts: &Counts) -> io::Result<()> {
        for file in &self.files {
            file.write_all_at(&self.page, 0)?;
            counts.data.wrote(self.page.len());
            file.sync_data()?;
            counts.data.synced();
        }
        Ok(())
    }
}
