//! Files that an engine changes during a write-back in addition to the globals' files, such as the engine's catalog and
//! transaction states. A write-back writes one page of each of these files and syncs the file.

use super::buffer::AlignedBuffer;
use super::counts::Counts;
use super::journal_files::{begins_with, open_own};
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use sys::files::FileExt;

/// First bytes of each additional file.
const MAGIC: &[u8; 16] = b"secchi further\0\x01";

/// Returns `true` if this is the name of an additional file.
pub(super) fn is_name(name: &str) -> bool {
    let number = name.strip_prefix("further.").and_then(|rest| rest.strip_suffix(".page")?.parse().ok());
    number.is_some_and(|number| name == file_name(number))
}

fn file_name(number: u64) -> String {
    format!("further.{number:04}.page")
}

/// Returns `true` if a file has secchi's signature, or is empty because its creation was interrupted.
pub(super) fn is_own(path: &Path) -> bool {
    begins_with(path, MAGIC)
}

/// Returns the paths of the existing additional files, in the order of their numbers.
pub(super) fn paths(directory: &Path) -> Vec<PathBuf> {
    (0..).map(|number| directory.join(file_name(number))).take_while(|path| path.exists()).collect()
}

/// Additional files that are open.
pub(super) struct FurtherFiles {
    files: Vec<File>,
    page: AlignedBuffer,
}

impl FurtherFiles {
    /// Opens `count` additional files and creates the missing ones.
    pub fn open(directory: &Path, count: u64, page: usize, direct: bool) -> io::Result<FurtherFiles> {
        let mut head = AlignedBuffer::new(page);
        head[..MAGIC.len()].copy_from_slice(MAGIC);
        let files = (0..count).map(|number| open_own(directory, &file_name(number), MAGIC, direct));
        Ok(FurtherFiles { files: files.collect::<io::Result<_>>()?, page: head })
    }

    /// Writes one page of each additional file and makes it durable.
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
