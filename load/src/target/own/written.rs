//! Which bytes of a file were ever written, and how surely that is known (docs/design/storage.md, "Never-written
//! blocks").
//!
//! Reading what was never written measures nothing: the kernel makes up zeros without asking a device.

use crate::content::GRANULE;
use crate::target::ranges::RangeSet;
use std::fs::File;
use std::io;
use std::ops::Range;
use sys::FileExt;

/// How it was found out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Evidence {
    /// The file system's own map (FIEMAP): sure.
    Extents,
    /// Holes (SEEK_DATA): allocated extents that were never written may pass as written.
    Holes,
    /// Blocks were read here and there, and so many of them were all zero.
    Sampled {
        /// Blocks read.
        blocks: u32,
        /// Of these, all zero.
        zero: u32,
    },
}

/// The written bytes of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written {
    /// The ranges that hold data.
    pub ranges: RangeSet,
    /// How it was found out.
    pub evidence: Evidence,
    /// The file system compresses or encrypts some of them.
    pub encoded: bool,
}

/// Blocks read when nothing better is there, and how many in a hundred may be zero.
const SAMPLES: u64 = 1000;
const ZERO_PERCENT: u32 = 1;

/// The written bytes among the first `len` of a file: by FIEMAP, else by SEEK_DATA, else by reading 1000 blocks, of
/// which at most 1 % may be all zero.
///
/// # Errors
/// As the calls it makes.
pub fn written_ranges(file: &File, len: u64) -> io::Result<Written> {
    if let Some(extents) = sys::extents(file, 0..len)? {
        let encoded = extents.iter().any(sys::Extent::encoded);
        let ranges = extents.into_iter().filter(|e| !e.unwritten()).map(|e| e.range).collect();
        return Ok(Written { ranges, evidence: Evidence::Extents, encoded });
    }
    let data: Option<RangeSet> = sys::data_ranges(file, 0..len)?.map(|d| d.into_iter().collect());
    match data {
        Some(ranges) if ranges.bytes() < len => Ok(Written { ranges, evidence: Evidence::Holes, encoded: false }),
        // All of it is data: either so, or the file system does not know. Nothing is written beyond the end of a file.
        _ => {
            let told = sys::file_metadata(file)?;
            sample(file, if told.is_file() { len.min(told.len()) } else { len })
        }
    }
}

/// The bytes among the first `len` that were never written, in order. Empty: all can be read.
///
/// # Errors
/// As [`written_ranges`].
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
            if reserve && !sys::allocate(&f, 1 << 20).unwrap() {
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
