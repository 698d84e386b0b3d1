//! A journal that still grows: each look reads what was written since the last one, and tells whether the writer lives.

use crate::error::{RecoverError, Unreadable};
use crate::frame::{Damage, FrameReader, Gap};
use crate::os;
use crate::recover::{is_live, read_begin};
use model::RunEvent;
use std::fs::File;
use std::io::{self, Seek, SeekFrom};
use std::path::{Path, PathBuf};

/// Reads a journal as it grows. Takes no lock and changes nothing: the run can be removed meanwhile.
#[derive(Debug)]
pub struct Follower {
    path: PathBuf,
    file: File,
    /// Behind the last whole frame.
    at: u64,
    /// The first place that could not be read, with whole frames behind it.
    damage: Option<Damage>,
}

/// How a journal stands after a look.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Pace {
    /// Everything written so far was told, and the writer lives.
    Live,
    /// There is more than was asked for.
    Behind,
    /// The writer is gone: nothing will follow. What is wrong behind the last whole frame, if anything is.
    Over(Option<Damage>),
}

impl Follower {
    /// Opens a journal and reads how its run begins.
    ///
    /// # Errors
    /// As [`crate::recover`].
    pub fn open(path: &Path) -> Result<(Follower, RunEvent), RecoverError> {
        let failed = |cause: Unreadable| RecoverError { path: path.to_owned(), cause };
        let open = || -> Result<(File, u64, RunEvent), Unreadable> {
            let file = os::open_existing(path, false)?;
            let length = file.metadata()?.len();
            let (reader, begin) = read_begin(&file, length)?;
            let at = reader.at();
            Ok((file, at, begin))
        };
        let (file, at, begin) = open().map_err(failed)?;
        Ok((Follower { path: path.to_owned(), file, at, damage: None }, begin))
    }

    /// Hands what was written since the last look to `take`, in order, at least one event and then at most about `most`
    /// bytes. What breaks off or does not check out under a living writer is looked at again the next time.
    ///
    /// # Errors
    /// When the file cannot be read, or was removed.
    pub fn look(&mut self, most: u64, mut take: impl FnMut(RunEvent)) -> Result<Pace, RecoverError> {
        self.look_on(most, &mut take).map_err(|e| RecoverError { path: self.path.clone(), cause: e.into() })
    }

    fn look_on(&mut self, most: u64, take: &mut dyn FnMut(RunEvent)) -> io::Result<Pace> {
        // Before the length: were it the other way round, the last frames of a run that ends in between would be missed.
        let live = is_live(&self.file)?;
        let meta = self.file.metadata()?;
        if std::os::unix::fs::MetadataExt::nlink(&meta) == 0 {
            return Err(io::Error::new(io::ErrorKind::NotFound, "the run was removed"));
        }
        let from = self.at;
        let mut source = &self.file;
        source.seek(SeekFrom::Start(from))?;
        let mut reader = FrameReader::resume(source, from, meta.len());
        loop {
            let damage = match reader.next() {
                Ok(Some(event)) => {
                    self.at = reader.at();
                    take(event);
                    if self.at - from >= most && self.at < meta.len() {
                        return Ok(Pace::Behind);
                    }
                    continue;
                }
                Ok(None) if live => return Ok(Pace::Live),
                Ok(None) => return Ok(Pace::Over(self.damage.clone())),
                Err(damage) => damage,
            };
            match reader.over_gap(live)? {
                Gap::Passed => {
                    self.at = reader.at();
                    self.damage.get_or_insert(damage);
                }
                Gap::Tail if live => return Ok(Pace::Live),
                Gap::Tail => return Ok(Pace::Over(Some(self.damage.clone().unwrap_or(damage)))),
                Gap::Rest => return Ok(Pace::Over(Some(self.damage.get_or_insert(damage).clone()))),
            }
        }
    }

    /// Whether parts of the journal are lost: more than the end of its last frame.
    #[must_use]
    pub fn is_damaged(&self) -> bool {
        self.damage.is_some()
    }

    /// When the journal was last written.
    ///
    /// # Errors
    /// When the file system does not tell.
    pub fn written(&self) -> io::Result<std::time::SystemTime> {
        self.file.metadata()?.modified()
    }

    /// Bytes of head and whole frames read so far.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.at
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;
    use crate::journal::JournalWriter;
    use crate::store::Store;
    use std::io::Write;

    fn looked(follower: &mut Follower) -> (Vec<RunEvent>, Pace) {
        let mut events = Vec::new();
        let pace = follower.look(u64::MAX, |e| events.push(e)).expect("it can be read");
        (events, pace)
    }

    #[test]
    fn a_growing_journal_is_told_piece_by_piece_and_its_end_is_seen() {
        let dir = tempfile::tempdir().expect("a directory");
        let path = dir.path().join("a.journal");
        let events = fixture::run(21, 4);
        let mut writer = JournalWriter::create(&path, &events[0], 0).expect("made");
        let (mut follower, begin) = Follower::open(&path).expect("it has its plan");
        assert_eq!(begin, events[0]);
        assert_eq!(looked(&mut follower), (Vec::new(), Pace::Live));
        for event in &events[1..] {
            writer.append(event).expect("appended");
            assert_eq!(looked(&mut follower), (vec![event.clone()], Pace::Live));
        }
        writer.finish().expect("finished");
        drop(writer);
        assert_eq!(looked(&mut follower), (Vec::new(), Pace::Over(None)));
        assert_eq!(follower.bytes(), path.metadata().expect("it stands").len());
    }

    #[test]
    fn a_look_takes_no_more_than_asked() {
        let dir = tempfile::tempdir().expect("a directory");
        let path = dir.path().join("a.journal");
        let events = fixture::run(22, 3);
        let mut writer = JournalWriter::create(&path, &events[0], 0).expect("made");
        events[1..].iter().for_each(|e| writer.append(e).expect("appended"));
        let (mut follower, _) = Follower::open(&path).expect("it has its plan");
        let mut told = Vec::new();
        let mut looks = 0;
        while follower.look(1, |e| told.push(e)).expect("it can be read") == Pace::Behind {
            looks += 1;
        }
        assert_eq!((told.as_slice(), looks), (&events[1..], events.len() - 2));
    }

    #[test]
    fn half_a_frame_is_waited_for_while_the_writer_lives_and_told_when_it_is_gone() {
        let dir = tempfile::tempdir().expect("a directory");
        let path = dir.path().join("a.journal");
        let events = fixture::run(23, 2);
        let mut writer = JournalWriter::create(&path, &events[0], 0).expect("made");
        let (mut follower, _) = Follower::open(&path).expect("it has its plan");
        let mut half = std::fs::OpenOptions::new().append(true).open(&path).expect("ours");
        half.write_all(&[9, 0, 0, 0, 1, 2]).expect("written");
        assert_eq!(looked(&mut follower), (Vec::new(), Pace::Live));
        // The writer puts its own frame there.
        writer.append(&events[1]).expect("appended");
        assert_eq!(looked(&mut follower), (vec![events[1].clone()], Pace::Live));
        half.write_all(&[9, 0, 0, 0, 1, 2]).expect("written");
        drop(writer);
        assert!(matches!(looked(&mut follower), (e, Pace::Over(Some(Damage::Torn { .. }))) if e.is_empty()));
    }

    #[test]
    fn a_run_that_is_looked_at_can_be_removed_and_the_look_says_so() {
        let dir = tempfile::tempdir().expect("a directory");
        let store = Store::open(dir.path()).expect("a store");
        let events = fixture::run(24, 2);
        let writer = store.create_run(&events[0]).expect("begun");
        let id = writer.id().to_owned();
        let (mut follower, _) = Follower::open(writer.path()).expect("it has its plan");
        assert_eq!(looked(&mut follower).1, Pace::Live);
        drop(writer);
        assert_eq!(looked(&mut follower).1, Pace::Over(None));
        store.remove(&id).expect("nobody holds it");
        let error = follower.look(1, drop).expect_err("gone").to_string();
        assert!(error.contains("the run was removed"), "{error}");
    }
}
