//! Ranges of a file that hold data.

use rustix::fs::SeekFrom;
use rustix::io::Errno;
use std::fs::File;
use std::io;
use std::ops::Range;

/// Returns the parts of a range that hold data, by `SEEK_DATA` and `SEEK_HOLE`. A file system that does not track holes
/// reports the whole file as data. Returns `None` if the call is unsupported.
///
/// # Errors
/// As `lseek(2)`. The call changes the file position.
pub fn data_ranges(file: &File, range: Range<u64>) -> io::Result<Option<Vec<Range<u64>>>> {
    let mut ranges = Vec::new();
    let mut at = range.start;
    while at < range.end {
        let data = match rustix::fs::seek(file, SeekFrom::Data(at)) {
            // No data from here on.
            Err(Errno::NXIO) => break,
            Err(e) if [Errno::INVAL, Errno::OPNOTSUPP, Errno::NOTSUP, Errno::NOTTY, Errno::SPIPE].contains(&e) => {
                return Ok(None);
            }
            other => other?,
        };
        if data >= range.end {
            break;
        }
        let hole = match rustix::fs::seek(file, SeekFrom::Hole(data)) {
            // The file was truncated meanwhile.
            Err(Errno::NXIO) => break,
            other => other?,
        };
        ranges.push(data..hole.min(range.end));
        at = hole;
    }
    Ok(Some(ranges))
}
