//! Pages of the program, held in memory: otherwise a thread that needs a page while its disk hangs would hang too.

use crate::common::Held;
use crate::linux::queues::memory::Mapping;
use crate::unix::check;
use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::mem::ManuallyDrop;
use std::os::fd::AsFd;
use std::path::PathBuf;

/// Reads the files that this process runs from, including libraries, into the page cache and holds them there until the
/// process ends, locked as far as `RLIMIT_MEMLOCK` allows. Other processes that run the same files benefit without an
/// increase in their own resident size. Debug information is not included.
///
/// # Errors
/// If the list of mappings cannot be read, a file cannot be opened, or memory is insufficient.
pub fn hold_program() -> io::Result<Held> {
    let mut held = Held { bytes: 0, locked: true };
    for (path, bytes) in mapped_files(&std::fs::read_to_string("/proc/self/maps")?) {
        held.locked &= hold(&File::open(path)?, bytes)?;
        held.bytes += bytes;
    }
    Ok(held)
}

/// Maps the first `bytes` of a file permanently and loads them into memory. Returns `true` if they are locked there.
fn hold(file: &File, bytes: usize) -> io::Result<bool> {
    // Never unmapped; nothing reads from it.
    let mapping = ManuallyDrop::new(Mapping::shared(file.as_fd(), bytes, false)?);
    if mapping.lock().is_ok() {
        return Ok(true);
    }
    // Not locked, but mapped pages are the last to be evicted.
    // SAFETY: the range is the mapping just made; reading it in changes no byte of it.
    check(unsafe { libc::madvise(mapping.base().cast(), bytes, libc::MADV_POPULATE_READ) })?;
    Ok(false)
}

/// Returns the files in a `/proc/PID/maps` and the end of the mapped part of each: the parts of a program are adjacent
/// and begin at offset 0.
fn mapped_files(maps: &str) -> BTreeMap<PathBuf, usize> {
    let mut files: BTreeMap<PathBuf, usize> = BTreeMap::new();
    for line in maps.lines() {
        let mut words = line.splitn(6, ' ');
        let (Some(range), Some(_), Some(offset), Some(_), Some(_), Some(path)) =
            (words.next(), words.next(), words.next(), words.next(), words.next(), words.next())
        else {
            continue;
        };
        let path = path.trim_start();
        let hex = |s: &str| usize::from_str_radix(s, 16).ok();
        let (Some((from, to)), Some(offset)) = (range.split_once('-'), hex(offset)) else { continue };
        let (Some(from), Some(to)) = (hex(from), hex(to)) else { continue };
        // `[stack]` and the like are not files, and a removed file cannot be opened.
        if path.starts_with('/') && !path.ends_with(" (deleted)") {
            let end = files.entry(path.into()).or_default();
            *end = (*end).max(offset + to.saturating_sub(from));
        }
    }
    files
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_program_and_its_libraries_are_found_with_all_their_parts() {
        let maps = "\
55b0e8a00000-55b0e8a91000 r--p 00000000 fe:00 123 /usr/bin/a program
55b0e8a91000-55b0e8b00000 r-xp 00091000 fe:00 123 /usr/bin/a program
55b0e8b00000-55b0e8b02000 rw-p 000ff000 fe:00 123 /usr/bin/a program
55b0ea000000-55b0ea021000 rw-p 00000000 00:00 0                          [heap]
7fc131800000-7fc131802000 r--p 00000000 fe:00 456                        /lib/gone.so (deleted)
7fc131900000-7fc131901000 rw-p 00000000 00:00 0 
7fc131a00000-7fc131a28000 r--p 00000000 fe:00 789                        /lib/libc.so.6
";
        let mapped: Vec<_> = mapped_files(maps).into_iter().collect();
        assert_eq!(mapped, [("/lib/libc.so.6".into(), 0x28000), ("/usr/bin/a program".into(), 0x101000)]);
    }

    #[test]
    fn this_very_program_is_held_whole() {
        let maps = std::fs::read_to_string("/proc/self/maps").expect("a process may read its own maps");
        let total: usize = mapped_files(&maps).values().sum();
        let held = hold_program().expect("a process may read its own program");
        assert!(held.bytes == total && held.bytes > 100_000, "{held:?} of {total}");
    }
}
