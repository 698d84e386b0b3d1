//! Ranges of a file that were written: location of its clusters, length of its valid data, and allocated ranges of a
//! sparse file.
//!
//! Data after the valid data of a file reads as zeros without accessing the device (docs/design/storage.md,
//! "Never-written blocks").

use crate::common::{Extent, foreign};
use crate::windows::files::file::space_unit;
use crate::windows::nt;
use crate::windows::open::length;
use std::fs::File;
use std::io;
use std::ops::Range;
use windows_sys::Win32::Foundation as w;
use windows_sys::Win32::System::Ioctl::{
    FILE_ALLOCATED_RANGE_BUFFER, FSCTL_GET_RETRIEVAL_POINTERS, FSCTL_QUERY_ALLOCATED_RANGES, FSCTL_QUERY_FILE_REGIONS,
};

nt::plain!(FILE_ALLOCATED_RANGE_BUFFER);

/// Number of extents per query.
const BATCH: usize = 256;
/// `FILE_REGION_USAGE_VALID_CACHED_DATA`: data that was written, even if it is not on the device yet.
const VALID_CACHED_DATA: u64 = 1;

/// Errors of file systems that do not support a query.
const UNSUPPORTED: [u32; 3] = [w::ERROR_INVALID_FUNCTION, w::ERROR_NOT_SUPPORTED, w::ERROR_INVALID_PARAMETER];

/// Returns the extents of a range after writing out dirty data; the gaps between them are holes. `None` if the file
/// system does not report them.
///
/// # Errors
/// Other errors of `FSCTL_GET_RETRIEVAL_POINTERS`.
pub fn extents(file: &File, range: Range<u64>) -> io::Result<Option<Vec<Extent>>> {
    // Fails for a file that is open for reading, which has nothing to write out.
    let _ = file.sync_all();
    extents_as_they_are(file, range)
}

/// Returns the extents of a range without writing out dirty data, for observing files of other programs.
///
/// # Errors
/// Errors of [`extents`].
pub fn extents_as_they_are(file: &File, range: Range<u64>) -> io::Result<Option<Vec<Extent>>> {
    let Ok(cluster) = space_unit(file) else { return Ok(None) };
    let Some(pieces) = pieces(file, range.start / cluster)? else { return Ok(None) };
    let Some(valid) = valid_data(file)? else { return Ok(None) };
    Ok(Some(placed(&pieces, cluster, valid, range)))
}

/// Extent of a file in clusters: start, end, and location on the volume; `None` for a hole.
type Piece = (u64, u64, Option<u64>);

fn pieces(file: &File, first: u64) -> io::Result<Option<Vec<Piece>>> {
    let mut pieces: Vec<Piece> = Vec::new();
    let mut from = first;
    loop {
        // RETRIEVAL_POINTERS_BUFFER: number of extents, start of the first, and two numbers per extent.
        let mut answer = [0u64; 2 + 2 * BATCH];
        let more = match nt::control_bytes(file, FSCTL_GET_RETRIEVAL_POINTERS, &[from], &mut answer) {
            Ok(_) => false,
            Err(e) if nt::is_one_of(&e, &[w::ERROR_MORE_DATA]) => true,
            // No extents from here on.
            Err(e) if nt::is_one_of(&e, &[w::ERROR_HANDLE_EOF]) => return Ok(Some(pieces)),
            Err(e) if nt::is_one_of(&e, &UNSUPPORTED) => return Ok(None),
            Err(e) => return Err(e),
        };
        let mut begins = answer[1];
        let count = (answer[0] as u32 as usize).min(BATCH);
        for pair in answer[2..].chunks_exact(2).take(count) {
            pieces.push((begins, pair[0], (pair[1] != u64::MAX).then_some(pair[1])));
            begins = pair[0];
        }
        if !more || count == 0 || begins <= from {
            return Ok(Some(pieces));
        }
        from = begins;
    }
}

/// Returns the length of the valid data of a file; `None` if the file system does not report it.
fn valid_data(file: &File) -> io::Result<Option<u64>> {
    let size = length(file)?;
    // FILE_REGION_INPUT: offset, length, and usage. FILE_REGION_OUTPUT: flags, total, entries, then three words each.
    let asked = [0, size, VALID_CACHED_DATA];
    let mut answer = [0u64; 2 + 3 * BATCH];
    match nt::control_bytes(file, FSCTL_QUERY_FILE_REGIONS, &asked, &mut answer) {
        Ok(_) => {}
        Err(e) if nt::is_one_of(&e, &[w::ERROR_MORE_DATA]) => {}
        Err(_) => return Ok(None),
    }
    let count = ((answer[1]) as u32 as usize).min(BATCH);
    let regions = answer[2..].chunks_exact(3).take(count);
    Ok(Some(regions.filter(|r| r[2] as u32 as u64 & VALID_CACHED_DATA != 0).map(|r| r[0] + r[1]).max().unwrap_or(0)))
}

fn placed(pieces: &[Piece], cluster: u64, valid: u64, range: Range<u64>) -> Vec<Extent> {
    let mut extents = Vec::new();
    for (begins, ends, lies) in pieces {
        let Some(lies) = lies else { continue };
        let whole = begins * cluster..ends * cluster;
        let split = valid.clamp(whole.start, whole.end);
        for (part, flags) in [(whole.start..split, 0), (split..whole.end, Extent::UNWRITTEN)] {
            let part = part.start.max(range.start)..part.end.min(range.end);
            if part.start < part.end {
                extents.push(Extent { physical: lies * cluster + (part.start - whole.start), range: part, flags });
            }
        }
    }
    extents
}

/// Returns the allocated ranges within a range (`FSCTL_QUERY_ALLOCATED_RANGES`); for a file that is not sparse, the
/// whole range. `None` if the file system does not support the call.
///
/// # Errors
/// Other errors of the call.
pub fn data_ranges(file: &File, range: Range<u64>) -> io::Result<Option<Vec<Range<u64>>>> {
    let mut ranges: Vec<Range<u64>> = Vec::new();
    let mut at = range.start;
    while at < range.end {
        let asked = FILE_ALLOCATED_RANGE_BUFFER { FileOffset: at as i64, Length: (range.end - at) as i64 };
        let mut answer = [FILE_ALLOCATED_RANGE_BUFFER { FileOffset: -1, Length: 0 }; BATCH];
        let more = match nt::control_bytes(file, FSCTL_QUERY_ALLOCATED_RANGES, &[asked], &mut answer) {
            Ok(_) => false,
            Err(e) if nt::is_one_of(&e, &[w::ERROR_MORE_DATA]) => true,
            Err(e) if nt::is_one_of(&e, &UNSUPPORTED) => return Ok(None),
            Err(e) => return Err(e),
        };
        let before = ranges.len();
        for entry in answer.iter().take_while(|entry| entry.FileOffset >= 0 && entry.Length > 0) {
            let (start, end) = (entry.FileOffset as u64, (entry.FileOffset + entry.Length) as u64);
            ranges.push(start.max(range.start)..end.min(range.end));
        }
        match ranges.last() {
            Some(last) if more && ranges.len() > before => at = last.end,
            _ => break,
        }
    }
    Ok(Some(ranges))
}

const EXTENTS: [&str; 2] =
    ["moving ext4 extents needs the Linux kernel", "run it on Linux; ftruncate and falloc work on Windows"];

constant! {
    fn can_move_extents() -> io::Result<()> = Err(foreign(EXTENTS[0], EXTENTS[1]));
    fn move_extents(&File, &File, u64, u64) -> io::Result<u64> = Err(foreign(EXTENTS[0], EXTENTS[1]));
}

/// Allocates a file up to the end of a range and extends it to that length.
///
/// # Errors
/// Errors of `NtSetInformationFile`.
pub fn reserve_room(file: &File, range: Range<u64>) -> io::Result<()> {
    if range.is_empty() {
        return Ok(());
    }
    super::descriptor::reserve(file, range.start, range.end - range.start, false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_lies_behind_the_valid_data_was_never_written() {
        let pieces = [(0, 4, Some(100)), (4, 6, None), (6, 10, Some(200))];
        let extents = placed(&pieces, 4096, 7 * 4096 + 512, 0..10 * 4096);
        let parts: Vec<_> = extents.iter().map(|e| (e.range.clone(), e.physical, e.unwritten())).collect();
        assert_eq!(
            parts,
            [(0..16384, 409_600, false), (24576..29184, 819_200, false), (29184..40960, 819_200 + 4608, true)]
        );
        assert_eq!(placed(&pieces, 4096, 40960, 4096..8192)[0].physical, 101 * 4096);
    }

    #[test]
    fn a_written_file_is_data_or_the_file_system_does_not_tell() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("f"), [1; 65536]).unwrap();
        let file = std::fs::File::open(dir.path().join("f")).unwrap();
        match data_ranges(&file, 0..65536).unwrap() {
            Some(ranges) => assert_eq!(ranges.iter().map(|r| r.end - r.start).sum::<u64>(), 65536),
            None => testkit::skipped("this file system does not tell allocated ranges (wine)"),
        }
        match extents(&file, 0..65536).unwrap() {
            Some(found) => assert!(found.iter().all(|e| !e.unwritten())),
            None => testkit::skipped("this file system does not tell extents (wine)"),
        }
    }
}
