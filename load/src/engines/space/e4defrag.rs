//! Moving ranges of ext4 files to other blocks, as defragmentation does: fio's `e4defrag`. The contents of the file do
//! not change; the kernel copies them.
//!
//! fio takes the blocks from a named file. secchi takes them from an unnamed file in the same directory, so that no
//! existing file loses its blocks.

use crate::engine::{Blocking, EngineEntry, Inline, OpenError, Opened, Opening, Probe, Request, WriteConsent};
use crate::engines::errno;
use crate::engines::options::Options;
use model::Op;
use model::plan::{EngineOption, EngineQueue, EngineSpec, EngineTarget, FlushKind, OptionValue};
use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::Arc;
use sys::files::MetadataExt;

const NAME: &str = "e4defrag";

const DONOR: EngineOption = EngineOption::new(
    "donorname",
    OptionValue::Path,
    "",
    "In fio: file that provides the blocks. secchi uses an unnamed file in the same directory instead, so that no \
     existing file loses its blocks.",
);
const IN_PLACE: EngineOption = EngineOption::new(
    "inplace",
    OptionValue::Bool,
    "0",
    "Reserve and release blocks for each operation, instead of reserving all blocks before the first operation.",
);

pub(in crate::engines) const ENTRY: EngineEntry = EngineEntry {
    spec: EngineSpec::new(
        NAME,
        "every write moves a range of an ext4 file to other blocks, like defragmentation; the contents do not change",
        EngineQueue::Single,
        EngineTarget::Space,
    )
    .with_options(&[DONOR, IN_PLACE]),
    size: None,
    consent: WriteConsent::None,
    // Whether the file system is ext4 can be determined only when a target is opened.
    probe: Probe::Own(can_be),
    open: |opening| {
        let mut options = Options::new(NAME, opening);
        let in_place = options.flag("inplace")?.unwrap_or(false);
        let donor = options.text("donorname");
        options.finish()?;
        let donor = donor.ok_or_else(|| OpenError::unsupported(NAME, "needs donorname"))?;
        can_be()?;
        opening.one_at_a_time(NAME)?;
        let mover = Mover::new(opening, Path::new(donor), in_place);
        Ok(Opened::new(Inline::new(mover.map_err(|e| {
            OpenError::unavailable(NAME, &e, "it needs a donor file on the same file system, with as much free space")
        })?)))
    },
};

/// Returns an error if the operating system cannot move extents between files.
fn can_be() -> Result<(), OpenError> {
    sys::storage::can_move_extents().map_err(|e| OpenError::unavailable(NAME, &e, ""))
}

struct Mover {
    files: Vec<Arc<File>>,
    /// File that provides the blocks.
    donor: File,
    /// Block size of the file system, in bytes.
    block: u64,
    /// True if blocks are reserved before each operation and released after it.
    in_place: bool,
    /// Buffer that is never used for I/O; every engine must have one.
    buffer: Vec<u8>,
}

impl Mover {
    fn new(opening: &Opening, donor: &Path, in_place: bool) -> io::Result<Mover> {
        // Write back and drop cached pages: the kernel reports dirty pages, and pages cached as large folios, as busy.
        for file in &opening.files {
            file.sync_all()?;
            sys::storage::drop_cache(file, 0..u64::MAX >> 1)?;
        }
        let directory = donor.parent().filter(|d| !d.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let donor = sys::files::create_nameless(&File::open(directory)?)?;
        if !in_place {
            let mut longest = 0;
            for file in &opening.files {
                longest = longest.max(sys::files::file_metadata(file)?.len());
            }
            sys::storage::reserve_room(&donor, 0..longest)?;
        }
        let block = sys::files::file_metadata(&donor)?.blksize().max(1);
        Ok(Mover { files: opening.files.clone(), donor, block, in_place, buffer: vec![0; opening.buffer_size] })
    }

    /// Moves a range and returns the number of bytes moved.
    fn move_range(&self, file: &File, at: u64, len: u64) -> io::Result<u64> {
        if self.in_place {
            sys::storage::reserve_room(&self.donor, at..at + len)?;
        }
        let first = at / self.block;
        let blocks = (at + len).div_ceil(self.block) - first;
        let moved = sys::storage::move_extents(file, &self.donor, first, blocks);
        if self.in_place {
            self.donor.set_len(0)?;
        }
        Ok((moved? * self.block).min(len))
    }
}

impl Blocking for Mover {
    fn perform(&mut self, request: &Request) -> i32 {
        let file = &self.files[usize::from(request.file)];
        let done = match request.op {
            Op::Write => self.move_range(file, request.at, request.len.into()).and_then(|moved| match moved {
                // The range is beyond the end of the file: an error, as in fio.
                0 => Err(io::ErrorKind::InvalidInput.into()),
                moved => Ok(moved as i32),
            }),
            Op::Flush if request.flush == FlushKind::Data => file.sync_data().map(|()| 0),
            Op::Flush => file.sync_all().map(|()| 0),
            Op::Read | Op::Trim => Err(io::ErrorKind::InvalidInput.into()),
        };
        // Errors without an errno were detected by secchi itself: they are reported as EINVAL.
        done.unwrap_or_else(errno)
    }

    fn buffer(&mut self) -> &mut [u8] {
        &mut self.buffer
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sys::files::FileExt;

    #[test]
    fn ranges_are_moved_and_what_is_in_them_stays() {
        if let Err(error) = ENTRY.probe() {
            testkit::skip!("{error}");
        }
        let directory = env!("CARGO_MANIFEST_DIR");
        for in_place in ["0", "1"] {
            let file = crate::test_disk_file();
            let content: Vec<u8> = (0..262_144u32).map(|i| (i / 7) as u8).collect();
            file.write_all_at(&content, 0).unwrap();
            file.sync_all().unwrap();
            let places = || sys::storage::extents(&file, 0..262_144).unwrap().unwrap_or_default();
            let before = places();
            let files = vec![Arc::new(file.try_clone().unwrap())];
            let options = vec![("donorname".into(), format!("{directory}/donor")), ("inplace".into(), in_place.into())];
            let opening = Opening { files, options, depth: 1, buffer_size: 65536, ..Opening::default() };
            let mut engine = (ENTRY.open)(&opening).unwrap_or_else(|e| panic!("{e}")).engine;
            let mut ask =
                |op, at| engine.single(&Request { op, at, len: 65536, ..Request::default() }, &mut Vec::new()).unwrap();
            let moved = ask(Op::Write, 0);
            // ENOTTY, EOPNOTSUPP: not ext4, or ext4 without extents.
            if [-25, -95].contains(&moved) {
                testkit::skip!("this file system moves no extents ({moved})");
            }
            assert_eq!([moved, ask(Op::Write, 131_072)], [65536; 2]);
            assert_ne!(places(), before, "they lie elsewhere");
            let mut read = vec![0; content.len()];
            file.read_exact_at(&mut read, 0).unwrap();
            assert!(read == content);
            assert_eq!([ask(Op::Read, 0), ask(Op::Write, 1 << 30)], [-22; 2], "only writes, within the file");
        }
    }

    #[test]
    fn without_a_donor_it_says_so() {
        let files = vec![Arc::new(crate::test_file())];
        let error = (ENTRY.open)(&Opening { files, depth: 1, ..Opening::default() }).err().map(|e| e.to_string());
        assert!(error.as_deref().is_some_and(|e| e.contains("needs donorname")), "{error:?}");
    }
}
