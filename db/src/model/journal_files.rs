//! Files of a journal, one behind the other.

use super::buffer::AlignedBuffer;
use super::counts::{Counts, add};
use super::profile::{OldJournal, Prefill, SyncCall};
use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use sys::FileExt;
use sys::{Access, Durability, LoadOpen, OpenHow};

/// What every one begins with.
pub(super) const MAGIC: &[u8; 16] = b"secchi journal\0\x01";
/// Bytes before the first record of a file.
pub(super) const HEADER: u64 = 4096;
/// Zeros are written in pieces of so many bytes.
const PIECE: usize = 1 << 20;

/// How files of a journal are.
#[derive(Debug, Clone)]
pub(super) struct FilesRule {
    pub directory: PathBuf,
    /// What their names begin with: `journal`, or that of a global.
    pub stem: String,
    /// Bytes of records in each; 0 = one file.
    pub file: u64,
    pub prefill: Prefill,
    pub old: OldJournal,
    pub keep: u64,
    /// Files that stand ready when it is opened, the first to be written among them.
    pub ready: u64,
    /// Old files are kept for so many percent of what the journal grows by between two write-backs.
    pub ahead_percent: u64,
    /// No more are kept than for so many bytes; 0 = no such limit.
    pub most: u64,
    /// Most bytes of one write; 0 = as many as there are.
    pub piece: usize,
    pub direct: bool,
    pub sync: SyncCall,
}

/// Number of a file of this name, and what the name begins with.
pub(super) fn parse_name(name: &str) -> Option<(&str, u64)> {
    let (stem, number) = name.strip_suffix(".journal")?.rsplit_once('.')?;
    let number = number.parse().ok()?;
    (name == file_name(stem, number)).then_some((stem, number))
}

fn file_name(stem: &str, number: u64) -> String {
    format!("{stem}.{number:08}.journal")
}

/// Whether a file says it is one of ours; an empty one is one whose making was cut short.
pub(super) fn is_own(path: &Path) -> bool {
    begins_with(path, MAGIC)
}

/// Whether a file begins with this, or is empty.
pub(super) fn begins_with(path: &Path, magic: &[u8]) -> bool {
    let Ok(file) = sys::open_no_links(None, path, OpenHow::plain(Access::Read)) else { return false };
    if file.metadata().is_ok_and(|m| m.is_file() && m.len() == 0) {
        return true;
    }
    let mut head = [0; 32];
    let head = &mut head[..magic.len()];
    file.read_exact_at(head, 0).is_ok() && head == magic
}

/// Opens a file to be written, making it where it is not there.
pub(super) fn open_own(directory: &Path, name: &str, magic: &[u8], direct: bool) -> io::Result<File> {
    let path = directory.join(name);
    if path.symlink_metadata().is_err() {
        let dir = sys::open_no_links(None, directory, OpenHow::plain(Access::Directory))?;
        let mut head = [0; HEADER as usize];
        head[..magic.len()].copy_from_slice(magic);
        sys::create_new(&dir, name.as_ref())?.write_all_at(&head, 0)?;
    } else if !begins_with(&path, magic) {
        return Err(io::Error::other(format!("{name} is not the file that was made here")));
    }
    let how = LoadOpen { write: true, direct, durability: Durability::None, no_atime: false };
    sys::open_for_load(None, &path, how)
}

/// The files, and the one that is written.
pub(super) struct JournalFiles {
    rule: FilesRule,
    directory: File,
    /// Number of the file that has place 0.
    first: u64,
    /// The one that is written.
    now: Option<(u64, File)>,
    /// Place of the first record in the only file.
    begin: u64,
    /// Lowest number of a file that is there.
    lowest: u64,
    /// Files that are there and not used yet end before this number.
    ready: u64,
    /// Place up to which the last write-back wrote everything, and by how many bytes the journal is expected to grow between two.
    last: u64,
    growth: f64,
}

impl JournalFiles {
    /// Looks what a run before left: files to use again, or to begin behind.
    ///
    /// # Errors
    /// When the directory cannot be looked at, or a name of ours is somebody's.
    pub fn open(rule: FilesRule) -> io::Result<JournalFiles> {
        let directory = sys::open_no_links(None, &rule.directory, OpenHow::plain(Access::Directory))?;
        let mut numbers = Vec::new();
        for entry in std::fs::read_dir(&rule.directory)? {
            let name = entry?.file_name();
            if let Some((stem, number)) = name.to_str().and_then(parse_name)
                && stem == rule.stem
            {
                if !is_own(&rule.directory.join(&name)) {
                    let name = name.to_string_lossy();
                    return Err(io::Error::other(format!("{name} is not the journal that was made here")));
                }
                numbers.push(number);
            }
        }
        numbers.sort_unstable();
        let last = numbers.last().map_or(1, |n| n + 1);
        let mut files = JournalFiles {
            rule,
            directory,
            first: last,
            now: None,
            begin: 0,
            lowest: last,
            ready: last,
            last: 0,
            growth: 0.0,
        };
        match files.rule.old {
            OldJournal::Reuse => {
                // They get the next numbers, so that nothing has to be filled again.
                for number in numbers {
                    files.rename(number, files.ready)?;
                    files.ready += 1;
                }
                while files.rule.file > 0 && files.ready < last + files.rule.ready {
                    files.make(files.ready)?;
                    files.ready += 1;
                }
            }
            OldJournal::Remove => {
                files.lowest = numbers.first().copied().unwrap_or(last);
                files.drop_before(last)?;
            }
            OldJournal::Truncate => {
                files.first = 1;
                files.open_number(1, true)?;
                files.truncate(0)?;
            }
        }
        Ok(files)
    }

    fn path(&self, number: u64) -> PathBuf {
        self.rule.directory.join(file_name(&self.rule.stem, number))
    }

    fn rename(&self, from: u64, to: u64) -> io::Result<()> {
        std::fs::rename(self.path(from), self.path(to))
    }

    /// A second handle to read the only file by.
    pub fn reader(&self) -> io::Result<File> {
        match &self.now {
            Some((_, file)) => file.try_clone(),
            None => Err(io::Error::other("there is no journal file yet")),
        }
    }

    fn drop_before(&mut self, number: u64) -> io::Result<()> {
        while self.lowest + self.rule.keep < number {
            match std::fs::remove_file(self.path(self.lowest)) {
                Err(e) if e.kind() != io::ErrorKind::NotFound => return Err(e),
                _ => self.lowest += 1,
            }
        }
        Ok(())
    }

    /// Makes one, filled as the rule says.
    fn make(&self, number: u64) -> io::Result<()> {
        let name = OsString::from(file_name(&self.rule.stem, number));
        let made = sys::create_new(&self.directory, &name)?;
        let mut head = [0; HEADER as usize];
        head[..MAGIC.len()].copy_from_slice(MAGIC);
        made.write_all_at(&head, 0)?;
        if self.rule.prefill == Prefill::Zeros {
            let zeros = vec![0; PIECE];
            let mut at = HEADER;
            while at < HEADER + self.rule.file {
                let piece = (HEADER + self.rule.file - at).min(PIECE as u64);
                made.write_all_at(&zeros[..piece as usize], at)?;
                at += piece;
            }
            made.sync_all()?;
        }
        Ok(())
    }

    /// Opens one, making it where it is not there.
    fn open_number(&mut self, number: u64, may_exist: bool) -> io::Result<()> {
        let there = number < self.ready || (may_exist && self.path(number).exists());
        if !there {
            self.make(number)?;
        }
        let how = LoadOpen { write: true, direct: self.rule.direct, durability: Durability::None, no_atime: false };
        let file = sys::open_for_load(None, &self.path(number), how)?;
        self.now = Some((number, file));
        Ok(())
    }

    /// Writes at a place; what goes over the end of a file goes on in the next.
    pub fn write(&mut self, place: u64, bytes: &[u8], counts: &Counts) -> io::Result<()> {
        let (mut place, mut bytes) = (place, bytes);
        while !bytes.is_empty() {
            let (number, at, room) = match self.rule.file {
                0 => (self.first, place - self.begin, bytes.len()),
                file => {
                    let room = (file - place % file).min(bytes.len() as u64);
                    (self.first + place / file, place % file, room as usize)
                }
            };
            if self.now.as_ref().is_none_or(|(now, _)| *now != number) {
                if self.now.is_some() {
                    // Nobody comes back to it.
                    self.sync(counts)?;
                    add(&counts.journal_switches, 1);
                }
                let zeros = number >= self.ready && self.rule.prefill == Prefill::Zeros;
                self.open_number(number, false)?;
                if zeros {
                    counts.journal.wrote(self.rule.file as usize);
                    counts.journal.synced();
                }
            }
            let Some((_, file)) = &self.now else { return Err(io::Error::other("there is no journal file")) };
            let piece = if self.rule.piece == 0 { room } else { self.rule.piece };
            for (i, part) in bytes[..room].chunks(piece).enumerate() {
                file.write_all_at(part, HEADER + at + (i * piece) as u64)?;
                counts.journal.wrote(part.len());
            }
            (place, bytes) = (place + room as u64, &bytes[room..]);
        }
        Ok(())
    }

    /// Makes durable what was written.
    pub fn sync(&self, counts: &Counts) -> io::Result<()> {
        if let Some((_, file)) = &self.now {
            match self.rule.sync {
                SyncCall::Fdatasync => file.sync_data()?,
                SyncCall::Fsync => file.sync_all()?,
            }
            counts.journal.synced();
        }
        Ok(())
    }

    /// Everything before a place was written back: what lies wholly before it is used again or removed. Records end at `end` by now.
    pub fn written_back(&mut self, place: u64, end: u64, counts: &Counts) -> io::Result<()> {
        if self.rule.file == 0 {
            return Ok(());
        }
        let number = self.first + place / self.rule.file;
        match self.rule.old {
            OldJournal::Truncate => Ok(()),
            OldJournal::Remove => self.drop_before(number),
            OldJournal::Reuse => {
                let used = self.now.as_ref().map_or(self.first, |(now, _)| *now + 1);
                self.ready = self.ready.max(used);
                let highest = self.highest_kept(place);
                while self.lowest < number {
                    if self.ready <= highest {
                        self.rename(self.lowest, self.ready)?;
                        self.ready += 1;
                    } else {
                        std::fs::remove_file(self.path(self.lowest))?;
                    }
                    self.lowest += 1;
                }
                // One is made ahead where the present one is nearly full and no old one is ready (PostgreSQL's
                // PreallocXlogFiles): commits do not wait until it is filled.
                let nearly = end % self.rule.file >= self.rule.file / 4 * 3;
                if self.rule.prefill == Prefill::Zeros && nearly && self.now.is_some() && self.ready <= used {
                    self.make(used)?;
                    counts.journal.wrote(self.rule.file as usize);
                    counts.journal.synced();
                    self.ready = used + 1;
                }
                Ok(())
            }
        }
    }

    /// Number of the last file that is kept to be used again, after a write-back of everything before this place: so many as always are,
    /// or as many as the journal is expected to grow by (PostgreSQL's XLOGfileslop: more at once, fewer by and by).
    fn highest_kept(&mut self, place: u64) -> u64 {
        let grown = place.saturating_sub(std::mem::replace(&mut self.last, place)) as f64;
        self.growth = if self.growth < grown { grown } else { 0.9 * self.growth + 0.1 * grown };
        let file = self.rule.file;
        let ahead = self.growth * self.rule.ahead_percent as f64 / 100.0;
        let expected = self.first + ((place as f64 + ahead) / file as f64).ceil() as u64;
        let most = if self.rule.most == 0 { u64::MAX } else { (self.rule.most / file).max(1) - 1 };
        let now = self.first + place / file;
        let least = now + self.rule.keep.max(1);
        if self.rule.ahead_percent == 0 { least } else { expected.min(now.saturating_add(most)).max(least) }
    }

    /// Cuts the only file to nothing: the next record is at this place.
    pub fn truncate(&mut self, place: u64) -> io::Result<()> {
        if let Some((_, file)) = &self.now {
            file.set_len(HEADER)?;
        }
        self.begin = place;
        Ok(())
    }

    /// Place of the first record in the only file.
    pub fn begin(&self) -> u64 {
        self.begin
    }

    /// Files there are: names.
    pub fn paths(directory: &Path) -> io::Result<Vec<PathBuf>> {
        let mut found = Vec::new();
        for entry in std::fs::read_dir(directory)? {
            let entry = entry?;
            if entry.file_name().to_str().and_then(parse_name).is_some() {
                found.push(entry.path());
            }
        }
        found.sort();
        Ok(found)
    }
}

/// The file that pages are written to before they are written to their places.
pub(super) struct ImageFile {
    file: File,
    at: u64,
    buffer: AlignedBuffer,
    used: usize,
}

/// What it begins with.
pub(super) const IMAGE_MAGIC: &[u8; 16] = b"secchi images\0\0\x01";
/// Its name.
pub(super) const IMAGE_NAME: &str = "image.pages";

impl ImageFile {
    /// Opens it, making it where it is not there; written in pieces of so many bytes.
    pub fn open(directory: &Path, direct: bool, piece: usize) -> io::Result<ImageFile> {
        let file = open_own(directory, IMAGE_NAME, IMAGE_MAGIC, direct)?;
        Ok(ImageFile { file, at: HEADER, buffer: AlignedBuffer::new(piece), used: 0 })
    }

    /// Adds a page.
    pub fn add(&mut self, page: &[u8], counts: &Counts) -> io::Result<()> {
        if self.used + page.len() > self.buffer.len() {
            self.write(counts)?;
        }
        self.buffer[self.used..self.used + page.len()].copy_from_slice(page);
        self.used += page.len();
        Ok(())
    }

    fn write(&mut self, counts: &Counts) -> io::Result<()> {
        if self.used > 0 {
            self.file.write_all_at(&self.buffer[..self.used], self.at)?;
            counts.image.wrote(self.used);
            self.at += self.used as u64;
            self.used = 0;
        }
        Ok(())
    }

    /// Writes the rest and makes all durable; the next begins at the front again.
    pub fn end(&mut self, counts: &Counts) -> io::Result<()> {
        self.write(counts)?;
        self.file.sync_data()?;
        counts.image.synced();
        self.at = HEADER;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn rule(directory: &Path, keep: u64, ready: u64, ahead_percent: u64, most: u64) -> FilesRule {
        FilesRule {
            directory: directory.to_owned(),
            stem: "journal".into(),
            file: 65_536,
            prefill: Prefill::Zeros,
            old: OldJournal::Reuse,
            keep,
            ready,
            ahead_percent,
            most,
            piece: 0,
            direct: false,
            sync: SyncCall::Fdatasync,
        }
    }

    fn numbers(directory: &Path) -> Vec<u64> {
        let paths = JournalFiles::paths(directory).unwrap();
        paths.iter().map(|path| parse_name(path.file_name().unwrap().to_str().unwrap()).unwrap().1).collect()
    }

    fn filled(counts: &Counts) -> u64 {
        let told = counts.to_counters(true, false, 0.0).roles;
        told.into_iter().find(|role| role.role == model::FileRole::Journal).and_then(|role| role.write_bytes).unwrap()
    }

    #[test]
    fn files_that_stand_ready_are_filled_before_a_run_and_no_other_is_until_they_are_used() {
        let dir = tempfile::tempdir().unwrap();
        let counts = Counts::default();
        let mut files = JournalFiles::open(rule(dir.path(), 4, 3, 209, 0)).unwrap();
        assert_eq!((numbers(dir.path()), filled(&counts)), (vec![1, 2, 3], 0));
        files.write(0, &[7; 3 * 65_536], &counts).unwrap();
        assert_eq!(filled(&counts), 3 * 65_536, "none was filled with zeros meanwhile");
        files.write(3 * 65_536, &[7; 10], &counts).unwrap();
        assert_eq!(filled(&counts), 4 * 65_536 + 10, "the fourth was");
        drop(files);
        // Those of before are used again.
        let mut files = JournalFiles::open(rule(dir.path(), 4, 3, 209, 0)).unwrap();
        assert_eq!(numbers(dir.path()), [5, 6, 7, 8]);
        let before = filled(&counts);
        files.write(0, &[7; 4 * 65_536], &counts).unwrap();
        assert_eq!(filled(&counts) - before, 4 * 65_536);
    }

    #[test]
    fn old_files_are_kept_for_what_the_journal_is_expected_to_grow_by() {
        let dir = tempfile::tempdir().unwrap();
        let counts = Counts::default();
        let mut files = JournalFiles::open(rule(dir.path(), 2, 0, 209, 12 * 65_536)).unwrap();
        let mut end = 0;
        let mut turn = |files: &mut JournalFiles, bytes: u64| {
            files.write(end, &vec![7; bytes as usize], &counts).unwrap();
            end += bytes;
            files.written_back(end, end, &counts).unwrap();
            (files.first + end / 65_536, numbers(dir.path()))
        };
        // Four files' worth: twice that and a little is expected, and all four old ones are kept.
        let (now, there) = turn(&mut files, 4 * 65_536);
        assert_eq!((now, there), (5, vec![5, 6, 7, 8]));
        // Little is expected less by and by, never fewer than so many ahead.
        for _ in 0..60 {
            turn(&mut files, 65_536);
        }
        let (now, there) = turn(&mut files, 65_536);
        assert!(there[0] >= now - 1 && there.len() <= 4 && *there.last().unwrap() >= now + 2, "{now} {there:?}");
        // Much, and no more than the limit.
        let (now, there) = turn(&mut files, 30 * 65_536);
        assert_eq!(*there.last().unwrap(), now + 11, "{there:?}");
    }

    proptest! {
        /// Whatever is written and written back: what was not written back is in files that are there, in order, and no file is lost
        /// between them.
        #[test]
        fn what_is_not_written_back_stays(
            keep in 0_u64..6, ready in 0_u64..4, ahead in prop::sample::select(vec![0_u64, 100, 209]), most in 0_u64..20,
            turns in prop::collection::vec((1_usize..200_000, 0_u64..=100), 1..12),
        ) {
            let dir = tempfile::tempdir().unwrap();
            let counts = Counts::default();
            let mut files = JournalFiles::open(rule(dir.path(), keep, ready, ahead, most * 65_536)).unwrap();
            let (mut end, mut redo) = (0_u64, 0_u64);
            for (bytes, percent) in turns {
                let written: Vec<u8> = (0..bytes as u64).map(|i| ((end + i) % 251) as u8).collect();
                files.write(end, &written, &counts).unwrap();
                end += bytes as u64;
                redo += (end - redo) * percent / 100;
                files.written_back(redo, end, &counts).unwrap();
                for place in (redo..end).step_by(9973).chain([end - 1]).filter(|place| *place >= redo) {
                    let file = std::fs::File::open(files.path(files.first + place / 65_536)).unwrap();
                    let mut byte = [0];
                    file.read_exact_at(&mut byte, HEADER + place % 65_536).unwrap();
                    prop_assert_eq!(u64::from(byte[0]), place % 251, "place {} of {}", place, end);
                }
                let there = numbers(dir.path());
                prop_assert!(there.windows(2).all(|pair| pair[0] + 1 == pair[1]), "{:?}", there);
            }
        }
    }
}
