//! The program's own pages, held in memory: a page of it that is first needed when its disk hangs would hang whoever
//! needs it.

use super::buffers::Mapping;
use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::os::fd::AsFd;
use std::path::PathBuf;

/// What this process runs from, libraries too, kept in the page cache for as long as this lives. Processes that run the
/// same files find them there; their own resident size does not grow by it.
#[derive(Debug)]
pub struct ProgramHold {
    files: Vec<Mapping>,
    /// Whether the kernel locked all of it: without that, memory pressure may still take pages.
    locked: bool,
}

impl ProgramHold {
    /// Reads what is missing and holds it, as firmly as `RLIMIT_MEMLOCK` allows. Debug information is not part of it.
    ///
    /// # Errors
    /// When the list of mappings, a file or memory cannot be had.
    pub fn take() -> io::Result<Self> {
        let mut hold = ProgramHold { files: Vec::new(), locked: true };
        for (path, bytes) in mapped_files(&std::fs::read_to_string("/proc/self/maps")?) {
            let mapping = Mapping::shared(File::open(path)?.as_fd(), bytes, false)?;
            hold.locked &= keep(&mapping)?;
            hold.files.push(mapping);
        }
        Ok(hold)
    }

    /// Bytes held.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.files.iter().map(Mapping::len).sum()
    }

    /// Whether the kernel promised to keep all of it.
    #[must_use]
    pub fn locked(&self) -> bool {
        self.locked
    }
}

/// Brings a mapping into memory. True when it is locked there.
fn keep(mapping: &Mapping) -> io::Result<bool> {
    // SAFETY: the range is the mapping's own; locking changes no byte of it.
    if unsafe { libc::mlock(mapping.base().cast(), mapping.len()) } == 0 {
        return Ok(true);
    }
    // Mapped pages are at least the last ones to go.
    // SAFETY: the range is the mapping's own; reading it in changes no byte of it.
    if unsafe { libc::madvise(mapping.base().cast(), mapping.len(), libc::MADV_POPULATE_READ) } == 0 {
        return Ok(false);
    }
    Err(io::Error::last_os_error())
}

/// Files of a `/proc/PID/maps`, and how far each is mapped: the parts of a program follow each other from its beginning.
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
        // `[stack]` and its like are no files, and one that was removed cannot be opened.
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
        let found: Vec<_> = mapped_files(maps).into_iter().collect();
        assert_eq!(found, [("/lib/libc.so.6".into(), 0x28000), ("/usr/bin/a program".into(), 0x101000)]);
    }

    #[test]
    fn this_very_program_can_be_held() {
        let own = std::env::current_exe().expect("a test is a program");
        let own = own.metadata().expect("it stands").len() as usize;
        let hold = ProgramHold::take().expect("a process may read its own program");
        assert!(hold.bytes() > 100_000, "{hold:?}");
        assert!(hold.files.iter().all(|f| f.len() < own.max(64 << 20)), "{hold:?}");
    }
}
