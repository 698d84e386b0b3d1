//! Files of a journal, in sequence.

use super::buffer::AlignedBuffer;
use super::counts::{Counts, add};
use super::profile::{JournalFigures, OldJournal, Prefill, Profile, SyncCall};
use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use sys::files::{Access, FileExt, OpenHow};
use sys::storage::{Durability, LoadOpen};

/// First bytes of every file.
pub(super) const MAGIC: &[u8; 16] = b"secchi journal\0\x01";
/// Offset of the first record in a file.
pub(super) const HEADER: u64 = 4096;
/// Size of the pieces in which zeros are written, in bytes.
const PIECE: usize = 1 << 20;

/// Parses the name of a journal file into its prefix and number.
pub(super) fn parse_name(name: &str) -> Option<(&str, u64)> {
    let (stem, number) = name.strip_suffix(".journal")?.rsplit_once('.')?;
    let number = number.parse().ok()?;
    (name == file_name(stem, number)).then_some((stem, number))
}

fn file_name(stem: &str, number: u64) -> String {
    format!("{stem}.{number:08}.journal")
}

/// Returns `true` if a file has secchi's signature, or is empty because its creation was interrupted.
pub(super) fn is_own(path: &Path) -> bool {
    begins_with(path, MAGIC)
}

/// Returns `true` if a file begins with these bytes, or is empty.
pub(super) fn begins_with(path: &Path, magic: &[u8]) -> bool {
    let Ok(file) = sys::files::open_no_links(None, path, OpenHow::plain(Access::Read)) else { return false };
    if file.metadata().is_ok_and(|m| m.is_file() && m.len() == 0) {
        return true;
    }
    let mut head = [0; 32];
    let head = &mut head[..magic.len()];
    file.read_exact_at(head, 0).is_ok() && head == magic
}

/// Opens a file for writing and creates it if it is missing.
pub(super) fn open_own(directory: &Path, name: &str, magic: &[u8], direct: bool) -> io::Result<File> {
    let path = directory.join(name);
    if path.symlink_metadata().is_err() {
        let dir = sys::files::open_no_links(None, directory, OpenHow::plain(Access::Directory))?;
        let mut head = [0; HEADER as usize];
        head[..magic.len()].copy_from_slice(magic);
        sys::files::create_new(&dir, name.as_ref())?.write_all_at(&head, 0)?;
    } else if !begins_with(&path, magic) {
        return Err(io::Error::other(format!("{name} is not the file that was created here")));
    }
    let how = LoadOpen { write: true, direct, durability: Durability::None, no_atime: false };
    sys::storage::open_for_load(None, &path, how)
}

/// The files of a journal and the one that is being written.
pub(super) struct JournalFiles {
    rule: JournalFigures,
    directory_path: PathBuf,
    directory: File,
    /// Prefix of the file names: `journal`, or the prefix of a global.
    stem: String,
    /// Maximum total size of the kept files, in bytes; 0 for no limit.
    most: u64,
    /// Maximum size of one write, in bytes; 0 for no limit.
    piece: usize,
    /// Number of the file that contains place 0.
    first: u64,
    /// Number and handle of the file that is being written.
    now: Option<(u64, File)>,
    /// Place of the first record, if the journal has only one file.
    begin: u64,
    /// Lowest number of an existing file.
    lowest: u64,
    /// Number that follows the number of the last existing file, whether used or prepared.
    ready: u64,
    /// Place up to which the last write-back wrote everything.
    last: u64,
    /// Expected growth of the journal between two write-backs, in bytes.
    growth: f64,
}

impl JournalFiles {
    /// Opens the journal, for pages of `page` bytes. The files of a previous run are reused, removed or truncated, as the
    /// profile requires.
    ///
    /// # Errors
    /// Returns an error if the directory cannot be listed, or if a foreign file has the name of a journal file.
    pub fn open(path: &Path, stem: String, profile: &Profile, page: usize) -> io::Result<JournalFiles> {
        let rule = profile.journal;
        let directory = sys::files::open_no_links(None, path, OpenHow::plain(Access::Directory))?;
        let mut numbers = Vec::new();
        for entry in std::fs::read_dir(path)? {
            let name = entry?.file_name();
            if let Some((prefix, number)) = name.to_str().and_then(parse_name)
                && prefix == stem
            {
                if !is_own(&path.join(&name)) {
                    let name = name.to_string_lossy();
                    return Err(io::Error::other(format!("{name} is not the journal that was created here")));
                }
                numbers.push(number);
            }
        }
        numbers.sort_unstable();
        let last = numbers.last().map_or(1, |n| n + 1);
        let mut files = JournalFiles {
            rule,
            directory_path: path.to_owned(),
            directory,
            stem,
            most: profile.write_back.journal_bytes.value,
            piece: if rule.image_calls.value { rule.image_header.value as usize + page } else { 0 },
            first: last,
            now: None,
            begin: 0,
            lowest: last,
            ready: last,
            last: 0,
            growth: 0.0,
        };
        match rule.old.value {
            OldJournal::Reuse => {
                // The old files get the next numbers, so that no file has to be filled again.
                for number in numbers {
                    files.rename(number, files.ready)?;
                    files.ready += 1;
                }
                while rule.file.value > 0 && files.ready < last + rule.ready.value {
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
        self.directory_path.join(file_name(&self.stem, number))
    }

    fn rename(&self, from: u64, to: u64) -> io::Result<()> {
        std::fs::rename(self.path(from), self.path(to))
    }

    /// Returns a second handle to read a journal that has only one file.
    pub fn reader(&self) -> io::Result<File> {
        match &self.now {
            Some((_, file)) => file.try_clone(),
            None => Err(io::Error::other("there is no journal file yet")),
        }
    }

    fn drop_before(&mut self, number: u64) -> io::Result<()> {
        while self.lowest + self.rule.keep.value < number {
            match std::fs::remove_file(self.path(self.lowest)) {
                Err(e) if e.kind() != io::ErrorKind::NotFound => return Err(e),
                _ => self.lowest += 1,
            }
        }
        Ok(())
    }

    /// Creates a file and fills it according to the rules.
    fn make(&self, number: u64) -> io::Result<()> {
        let name = OsString::from(file_name(&self.stem, number));
        let made = sys::files::create_new(&self.directory, &name)?;
        let mut head = [0; HEADER as usize];
        head[..MAGIC.len()].copy_from_slice(MAGIC);
        made.write_all_at(&head, 0)?;
        if self.rule.prefill.value == Prefill::Zeros {
            let zeros = vec![0; PIECE];
            let mut at = HEADER;
            while at < HEADER + self.rule.file.value {
                let piece = (HEADER + self.rule.file.value - at).min(PIECE as u64);
                made.write_all_at(&zeros[..piece as usize], at)?;
                at += piece;
            }
            made.sync_all()?;
        }
        Ok(())
    }

    /// Opens a file and creates it if it is missing.
    fn open_number(&mut self, number: u64, may_exist: bool) -> io::Result<()> {
        let exists = number < self.ready || (may_exist && self.path(number).exists());
        if !exists {
            self.make(number)?;
        }
        let how =
            LoadOpen { write: true, direct: self.rule.direct.value, durability: Durability::None, no_atime: false };
        let file = sys::storage::open_for_load(None, &self.path(number), how)?;
        self.now = Some((number, file));
        Ok(())
    }

    /// Writes bytes at a place in the journal. Bytes past the end of a file go to the next file.
    pub fn write(&mut self, place: u64, bytes: &[u8], counts: &Counts) -> io::Result<()> {
        let (mut place, mut bytes) = (place, bytes);
        while !bytes.is_empty() {
            let (number, at, room) = match self.rule.file.value {
                0 => (self.first, place - self.begin, bytes.len()),
                file => {
                    let room = (file - place % file).min(bytes.len() as u64);
                    (self.first + place / file, place % file, room as usize)
                }
            };
            if self.now.as_ref().is_none_or(|(now, _)| *now != number) {
                if self.now.is_some() {
                    // No later write returns to this file.
                    self.sync(counts)?;
                    add(&counts.journal_switches, 1);
                }
                let zeros = number >= self.ready && self.rule.prefill.value == Prefill::Zeros;
                self.open_number(number, false)?;
                if zeros {
                    counts.journal.wrote(self.rule.file.value as usize);
                    counts.journal.synced();
                }
            }
            let Some((_, file)) = &self.now else { return Err(io::Error::other("there is no journal file")) };
            let piece = if self.piece == 0 { room } else { self.piece };
            for (i, part) in bytes[..room].chunks(piece).enumerate() {
                file.write_all_at(part, HEADER + at + (i * piece) as u64)?;
                counts.journal.wrote(part.len());
            }
            (place, bytes) = (place + room as u64, &bytes[room..]);
        }
        Ok(())
    }

    /// Makes everything that was written durable.
    pub fn sync(&self, counts: &Counts) -> io::Result<()> {
        if let Some((_, file)) = &self.now {
            match self.rule.sync.value {
                SyncCall::Fdatasync => file.sync_data()?,
                SyncCall::Fsync => file.sync_all()?,
            }
            counts.journal.synced();
        }
        Ok(())
    }

    /// Handles the end of a write-back of everything before `place`. Files that end before `place` are reused or
    /// removed. `end` is the current end of the records.
    pub fn written_back(&mut self, place: u64, end: u64, counts: &Counts) -> io::Result<()> {
        if self.rule.file.value == 0 {
            return Ok(());
        }
        let number = self.first + place / self.rule.file.value;
        match self.rule.old.value {
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
                // When the current file is nearly full and no old file is available, the next file is created in
                // advance, so that commits do not wait until it is filled (PostgreSQL's PreallocXlogFiles).
                let nearly = end % self.rule.file.value >= self.rule.file.value / 4 * 3;
                if self.rule.prefill.value == Prefill::Zeros && nearly && self.now.is_some() && self.ready <= used {
                    self.make(used)?;
                    counts.journal.wrote(self.rule.file.value as usize);
                    counts.journal.synced();
                    self.ready = used + 1;
                }
                Ok(())
            }
        }
    }

    /// Returns the highest number that a file kept for reuse may have, after a write-back of everything before this
    /// place. The number of files is fixed or follows the expected growth of the journal, which rises immediately and
    /// falls gradually (PostgreSQL's XLOGfileslop).
    fn highest_kept(&mut self, place: u64) -> u64 {
        let grown = place.saturating_sub(std::mem::replace(&mut self.last, place)) as f64;
        self.growth = if self.growth < grown { grown } else { 0.9 * self.growth + 0.1 * grown };
        let file = self.rule.file.value;
        let ahead = self.growth * self.rule.ahead_percent.value as f64 / 100.0;
        let expected = self.first + ((place as f64 + ahead) / file as f64).ceil() as u64;
        let most = if self.most == 0 { u64::MAX } else { (self.most / file).max(1) - 1 };
        let now = self.first + place / file;
        let least = now + self.rule.keep.value.max(1);
        if self.rule.ahead_percent.value == 0 { least } else { expected.min(now.saturating_add(most)).max(least) }
    }

    /// Truncates the file of a journal that has only one file. The next record goes to the start of the file and is at
    /// this place.
    pub fn truncate(&mut self, place: u64) -> io::Result<()> {
        if let Some((_, file)) = &self.now {
            file.set_len(HEADER)?;
        }
        self.begin = place;
        Ok(())
    }

    /// Returns the place of the first record, if the journal has only one file.
    pub fn begin(&self) -> u64 {
        self.begin
    }

    /// Returns the paths of the existing files.
    pub fn paths(directory: &Path) -> io::Result<Vec<PathBuf>> {
        let mut paths = Vec::new();
        for entry in std::fs::read_dir(directory)? {
            let entry = entry?;
            if entry.file_name().to_str().and_then(parse_name).is_some() {
                paths.push(entry.path());
            }
        }
        paths.sort();
        Ok(paths)
    }
}

/// The image journal: pages are written to this file before they are written to the data files.
pub(super) struct ImageFile {
    file: File,
    at: u64,
    buffer: AlignedBuffer,
    used: usize,
}

/// First bytes of the image journal.
pub(super) const IMAGE_MAGIC: &[u8; 16] = b"secchi images\0\0\x01";
/// File name of the image journal.
pub(super) const IMAGE_NAME: &str = "image.pages";

impl ImageFile {
    /// Opens the file and creates it if it is missing. It is written in pieces of `piece` bytes.
    pub fn open(directory: &Path, direct: bool, piece: usize) -> io::Result<ImageFile> {
        let file = open_own(directory, IMAGE_NAME, IMAGE_MAGIC, direct)?;
        Ok(ImageFile { file, at: HEADER, buffer: AlignedBuffer::new(piece), used: 0 })
    }

    /// Adds a page to the image journal.
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

    /// Writes the remaining pages and makes all pages durable. The next page goes to the start of the file again.
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
    use super::super::profile::choose_profile;
    use super::*;
    use proptest::prelude::*;

    fn open(directory: &Path, keep: u64, ready: u64, ahead_percent: u64, most: u64) -> JournalFiles {
        let mut profile = Profile::parse(&choose_profile("postgres").unwrap().text).unwrap();
        let rule = &mut profile.journal;
        (rule.file.value, rule.prefill.value, rule.old.value) = (65_536, Prefill::Zeros, OldJournal::Reuse);
        (rule.keep.value, rule.ready.value, rule.ahead_percent.value) = (keep, ready, ahead_percent);
        profile.write_back.journal_bytes.value = most;
        JournalFiles::open(directory, "journal".into(), &profile, 8192).unwrap()
    }

    fn numbers(directory: &Path) -> Vec<u64> {
        let paths = JournalFiles::paths(directory).unwrap();
        paths.iter().map(|path| parse_name(path.file_name().unwrap().to_str().unwrap()).unwrap().1).collect()
    }

    fn filled(counts: &Counts) -> u64 {
        let roles = counts.to_counters(true, false, 0.0).roles;
        roles
            .into_iter()
            .find(|role| role.role == model::measured::FileRole::Journal)
            .and_then(|role| role.write_bytes)
            .unwrap()
    }

    #[test]
    fn files_that_stand_ready_are_filled_before_a_run_and_no_other_is_until_they_are_used() {
        let dir = tempfile::tempdir().unwrap();
        let counts = Counts::default();
        let mut files = open(dir.path(), 4, 3, 209, 0);
        assert_eq!((numbers(dir.path()), filled(&counts)), (vec![1, 2, 3], 0));
        files.write(0, &[7; 3 * 65_536], &counts).unwrap();
        assert_eq!(filled(&counts), 3 * 65_536, "none was filled with zeros meanwhile");
        files.write(3 * 65_536, &[7; 10], &counts).unwrap();
        assert_eq!(filled(&counts), 4 * 65_536 + 10, "the fourth was");
        drop(files);
        // Files of the previous run are reused.
        let mut files = open(dir.path(), 4, 3, 209, 0);
        assert_eq!(numbers(dir.path()), [5, 6, 7, 8]);
        let before = filled(&counts);
        files.write(0, &[7; 4 * 65_536], &counts).unwrap();
        assert_eq!(filled(&counts) - before, 4 * 65_536);
    }

    #[test]
    fn old_files_are_kept_for_what_the_journal_is_expected_to_grow_by() {
        let dir = tempfile::tempdir().unwrap();
        let counts = Counts::default();
        let mut files = open(dir.path(), 2, 0, 209, 12 * 65_536);
        let mut end = 0;
        let mut turn = |files: &mut JournalFiles, bytes: u64| {
            files.write(end, &vec![7; bytes as usize], &counts).unwrap();
            end += bytes;
            files.written_back(end, end, &counts).unwrap();
            (files.first + end / 65_536, numbers(dir.path()))
        };
        // The journal grew by four files. Twice that and a little more is expected, so all four old files are kept.
        let (now, existing) = turn(&mut files, 4 * 65_536);
        assert_eq!((now, existing), (5, vec![5, 6, 7, 8]));
        // After little growth, the expectation falls gradually, but a minimum number of files stays ahead.
        for _ in 0..60 {
            turn(&mut files, 65_536);
        }
        let (now, existing) = turn(&mut files, 65_536);
        assert!(
            existing[0] >= now - 1 && existing.len() <= 4 && *existing.last().unwrap() >= now + 2,
            "{now} {existing:?}"
        );
        // After much growth, the limit applies.
        let (now, existing) = turn(&mut files, 30 * 65_536);
        assert_eq!(*existing.last().unwrap(), now + 11, "{existing:?}");
    }

    proptest! {
        /// Checks any sequence of writes and write-backs. All data that was not written back must be in existing files,
        /// in order, and no file between these files may be missing.
        #[test]
        fn what_is_not_written_back_stays(
            keep in 0_u64..6, ready in 0_u64..4, ahead in prop::sample::select(vec![0_u64, 100, 209]), most in 0_u64..20,
            turns in prop::collection::vec((1_usize..200_000, 0_u64..=100), 1..12),
        ) {
            let dir = tempfile::tempdir().unwrap();
            let counts = Counts::default();
            let pattern: Vec<u8> = (0..251).collect::<Vec<u8>>().repeat(800);
            let mut files = open(dir.path(), keep, ready, ahead, most * 65_536);
            let (mut end, mut redo) = (0_u64, 0_u64);
            for (bytes, percent) in turns {
                files.write(end, &pattern[(end % 251) as usize..][..bytes], &counts).unwrap();
                end += bytes as u64;
                redo += (end - redo) * percent / 100;
                files.written_back(redo, end, &counts).unwrap();
                for place in (redo..end).step_by(9973).chain([end - 1]).filter(|place| *place >= redo) {
                    let file = std::fs::File::open(files.path(files.first + place / 65_536)).unwrap();
                    let mut byte = [0];
                    file.read_exact_at(&mut byte, HEADER + place % 65_536).unwrap();
                    prop_assert_eq!(u64::from(byte[0]), place % 251, "place {} of {}", place, end);
                }
                let existing = numbers(dir.path());
                prop_assert!(existing.windows(2).all(|pair| pair[0] + 1 == pair[1]), "{:?}", existing);
            }
        }
    }
}
