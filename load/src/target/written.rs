//! Detection of the written ranges of a file, and the reliability of the result (docs/design/storage.md, "Never-written
//! blocks").
//!
//! Reading unwritten ranges measures nothing: the kernel returns zeros without using a device.

use super::ranges::RangeSet;
use crate::content::GRANULE;
use model::Bytes;
use std::fs::File;
use std::io;
use std::ops::Range;
use sys::files::FileExt;

/// Method by which the ranges were determined.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Evidence {
    /// The file system's map of extents (FIEMAP): reliable.
    Extents,
    /// Holes reported by the file system (SEEK_DATA): allocated extents that were never written may count as written.
    Holes,
    /// Samples of blocks.
    Sampled {
        /// Number of blocks read.
        blocks: u32,
        /// Number of these blocks that contained only zeros.
        zero: u32,
    },
}

/// Written ranges of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written {
    /// Ranges that hold data.
    pub ranges: RangeSet,
    /// Method by which the ranges were determined.
    pub evidence: Evidence,
    /// True if the file system compresses or encrypts some of the ranges.
    pub encoded: bool,
}

impl Written {
    /// Returns the result for a file that is assumed to be written completely.
    pub(super) fn whole(size: Bytes) -> Written {
        Written { ranges: (0..size.as_u64()).into(), evidence: Evidence::Holes, encoded: false }
    }
}

/// Number of blocks that are sampled if there is no better method. At most `ZERO_PERCENT` of them may be zero.
const SAMPLES: u64 = 1000;
const ZERO_PERCENT: u32 = 1;

/// Returns the written ranges among the first `len` bytes of a file, like [`mapped_ranges`]. If the file system does not
/// know them, reads 1000 blocks, of which at most 1 % may be all zero.
///
/// # Errors
/// Returns the errors of these system calls.
pub fn written_ranges(file: &File, len: u64) -> io::Result<Written> {
    if let Some(written) = mapped_ranges(file, len)? {
        return Ok(written);
    }
    // Nothing is written beyond the end of a file.
    let metadata = sys::files::file_metadata(file)?;
    sample(file, if metadata.is_file() { len.min(metadata.len()) } else { len })
}

/// Returns the written ranges among the first `len` bytes of a file without reading it: by FIEMAP if possible, otherwise
/// by SEEK_DATA. Returns `None` if the whole file is data, or the file system does not report holes.
///
/// # Errors
/// Returns the errors of these system calls.
pub fn mapped_ranges(file: &File, len: u64) -> io::Result<Option<Written>> {
    if let Some(extents) = sys::storage::extents(file, 0..len)? {
        let encoded = extents.iter().any(sys::storage::Extent::encoded);
        let ranges = extents.into_iter().filter(|e| !e.unwritten()).map(|e| e.range).collect();
        return Ok(Some(Written { ranges, evidence: Evidence::Extents, encoded }));
    }
    let data: Option<RangeSet> = sys::storage::data_ranges(file, 0..len)?.map(|d| d.into_iter().collect());
    let with_holes = data.filter(|ranges| ranges.bytes() < len);
    Ok(with_holes.map(|ranges| Written { ranges, evidence: Evidence::Holes, encoded: false }))
}

/// Returns the unwritten ranges among the first `len` bytes, in order; empty if everything was written.
///
/// # Errors
/// Returns the same errors as [`written_ranges`].
pub fn unwritten_ranges(file: &File, len: u64) -> io::Result<Vec<Range<u64>>> {
    Ok(written_ranges(file, len)?.ranges.missing(0..len).as_slice().to_vec())
}

fn sample(file: &File, len: u64) -> io::Result<Written> {
    let mut block = [0; GRANULE];
    let (mut blocks, mut zero) = (0, 0);
    for at in RangeSet::from(0..len).samples(SAMPLES, GRANULE as u64) {
        file.read_exact_at(&mut block, at)?;
        blocks += 1;
        zero += u32::from(block.iter().all(|b| *b == 0));
    }
    let ranges = if zero * 100 > blocks * ZERO_PERCENT { RangeSet::new() } else { (0..len).into() };
    Ok(Written { ranges, evidence: Evidence::Sampled { blocks, zero }, encoded: false })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn disk_file() -> File {
        crate::test_disk_file()
    }

    #[test]
    fn a_sparse_file_and_a_reserved_one_are_unwritten_where_nothing_was_written() {
        for reserve in [false, true] {
            let f = disk_file();
            f.set_len(1 << 20).unwrap();
            if reserve && !sys::storage::allocate(&f, 1 << 20).unwrap() {
                continue;
            }
            f.write_all_at(&[1; 8192], 65536).unwrap();
            let w = written_ranges(&f, 1 << 20).unwrap();
            if w.evidence == Evidence::Extents {
                assert_eq!(unwritten_ranges(&f, 1 << 20).unwrap(), [0..65536, 73728..1 << 20]);
            }
            f.write_all_at(&vec![1; 1 << 20], 0).unwrap();
            assert!(unwritten_ranges(&f, 1 << 20).unwrap().is_empty());
            let beyond = unwritten_ranges(&f, 2 << 20).unwrap();
            assert_eq!((beyond.len(), beyond[0].clone()), (1, 1 << 20..2 << 20), "what lies beyond the end");
        }
    }

    #[test]
    fn without_a_map_zeros_give_it_away() {
        let f = disk_file();
        f.write_all_at(&vec![1; 4 << 20], 0).unwrap();
        assert_eq!(sample(&f, 4 << 20).unwrap().ranges.bytes(), 4 << 20);
        f.write_all_at(&vec![0; 256 << 10], 1 << 20).unwrap();
        let w = sample(&f, 4 << 20).unwrap();
        assert!(w.ranges.is_empty());
        assert!(matches!(w.evidence, Evidence::Sampled { blocks: 1000, zero } if zero > 10), "{:?}", w.evidence);
    }
}
