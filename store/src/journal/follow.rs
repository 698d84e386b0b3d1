//! Reader of a journal that is still growing. Each call reads the events written since the last call and reports
//! whether the writer is alive.

use crate::journal::error::{RecoverError, Unreadable};
use crate::journal::frame::{Damage, FrameReader, Gap};
use crate::journal::recover::{is_live, read_begin};
use crate::os;
use model::RunEvent;
use std::fs::File;
use std::io::{self, Seek, SeekFrom};
use std::path::{Path, PathBuf};

/// Reader of a growing journal. It takes no lock and changes nothing, so the run can be removed in the meantime.
#[derive(Debug)]
pub struct Follower {
    path: PathBuf,
    file: File,
    /// Offset of the end of the last whole frame.
    at: u64,
    /// First damage that was followed by whole frames.
    damage: Option<Damage>,
}

/// State of a journal after a read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FollowState {
    /// Everything written so far was read, and the writer is alive.
    Live,
    /// More data than requested is available.
    Behind,
    /// The writer has ended, so nothing more will follow. Holds the damage after the last whole frame, if any.
    Over(Option<Damage>),
}

impl Follower {
    /// Opens a journal and reads its first event, the `Begin` of the run.
    ///
    /// # Errors
    /// Returns the same errors as [`crate::recover`].
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

    /// Passes the events written since the last read to `take`, in order. Passes at least one event if there is one,
    /// and stops after about `most` bytes. While the writer is alive, an incomplete or incorrect end of the file is
    /// read again by the next call.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read or was removed.
    pub fn read_new(&mut self, most: u64, mut take: impl FnMut(RunEvent)) -> Result<FollowState, RecoverError> {
        self.read_new_events(most, &mut take).map_err(|e| RecoverError { path: self.path.clone(), cause: e.into() })
    }

    fn read_new_events(&mut self, most: u64, take: &mut dyn FnMut(RunEvent)) -> io::Result<FollowState> {
        if !sys::files::has_name(&self.file, &self.path) {
            self.follow_rewritten(take)?;
        }
        // Check this before the length. In the opposite order, the last frames would be missed if the run ended between
        // the two checks.
        let live = is_live(&self.file)?;
        let meta = self.file.metadata()?;
        if !sys::files::has_name(&self.file, &self.path) {
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
                        return Ok(FollowState::Behind);
                    }
                    continue;
                }
                Ok(None) if live => return Ok(FollowState::Live),
                Ok(None) => return Ok(FollowState::Over(self.damage.clone())),
                Err(damage) => damage,
            };
            match reader.skip_gap(live)? {
                Gap::Passed => {
                    self.at = reader.at();
                    self.damage.get_or_insert(damage);
                }
                Gap::Tail if live => return Ok(FollowState::Live),
                Gap::Tail => return Ok(FollowState::Over(Some(self.damage.clone().unwrap_or(damage)))),
                Gap::Rest => return Ok(FollowState::Over(Some(self.damage.get_or_insert(damage).clone()))),
            }
        }
    }

    /// Switches to a rewritten journal: reads the rest of the old file, then continues in the new file after the events
    /// that both files contain.
    fn follow_rewritten(&mut self, take: &mut dyn FnMut(RunEvent)) -> io::Result<()> {
        let removed = || io::Error::new(io::ErrorKind::NotFound, "the run was removed");
        let file = os::open_existing(&self.path, false).map_err(|_| removed())?;
        let length = self.file.metadata()?.len();
        let mut source = &self.file;
        source.seek(SeekFrom::Start(self.at))?;
        let mut rest = FrameReader::resume(source, self.at, length);
        while let Ok(Some(event)) = rest.next() {
            take(event);
        }
        let (mut reader, _) = read_begin(&file, file.metadata()?.len()).map_err(io::Error::other)?;
        loop {
            match reader.next() {
                Ok(Some(RunEvent::Coarse { was, .. })) if was == length => break,
                Ok(Some(_)) => {}
                _ => return Err(io::Error::other("its journal was rewritten: read it again")),
            }
        }
        self.at = reader.at();
        drop(reader);
        self.file = file;
        Ok(())
    }

    /// Returns `true` if parts of the journal other than an incomplete last frame are lost.
    #[must_use]
    pub fn is_damaged(&self) -> bool {
        self.damage.is_some()
    }

    /// Returns the time of the last write to the journal.
    ///
    /// # Errors
    /// Returns an error if the file system does not report this time.
    pub fn written(&self) -> io::Result<std::time::SystemTime> {
        self.file.metadata()?.modified()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;
    use crate::journal::writer::JournalWriter;
    use crate::runs::store::Store;
    use model::measured::{Layer, NamedSeries, SeriesSample};
    use model::{Interval, Nanos, RunRecord};
    use std::io::Write;

    fn looked(follower: &mut Follower) -> (Vec<RunEvent>, FollowState) {
        let mut events = Vec::new();
        let pace = follower.read_new(u64::MAX, |e| events.push(e)).expect("it can be read");
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
        assert_eq!(looked(&mut follower), (Vec::new(), FollowState::Live));
        for event in &events[1..] {
            writer.append(event).expect("appended");
            assert_eq!(looked(&mut follower), (vec![event.clone()], FollowState::Live));
        }
        writer.finish().expect("finished");
        drop(writer);
        assert_eq!(looked(&mut follower), (Vec::new(), FollowState::Over(None)));
        assert_eq!(follower.at, path.metadata().expect("it stands").len());
    }

    #[test]
    fn a_look_takes_no_more_than_asked() {
        let dir = tempfile::tempdir().expect("a directory");
        let path = dir.path().join("a.journal");
        let events = fixture::run(22, 3);
        let mut writer = JournalWriter::create(&path, &events[0], 0).expect("made");
        events[1..].iter().for_each(|e| writer.append(e).expect("appended"));
        let (mut follower, _) = Follower::open(&path).expect("it has its plan");
        let mut seen = Vec::new();
        let mut looks = 0;
        while follower.read_new(1, |e| seen.push(e)).expect("it can be read") == FollowState::Behind {
            looks += 1;
        }
        assert_eq!((seen.as_slice(), looks), (&events[1..], events.len() - 2));
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
        assert_eq!(looked(&mut follower), (Vec::new(), FollowState::Live));
        // The writer writes its frame at the same place.
        writer.append(&events[1]).expect("appended");
        assert_eq!(looked(&mut follower), (vec![events[1].clone()], FollowState::Live));
        half.write_all(&[9, 0, 0, 0, 1, 2]).expect("written");
        drop(writer);
        assert!(matches!(looked(&mut follower), (e, FollowState::Over(Some(Damage::Torn { .. }))) if e.is_empty()));
    }

    #[test]
    fn a_run_that_is_looked_at_can_be_removed_and_the_look_says_so() {
        let dir = tempfile::tempdir().expect("a directory");
        let store = Store::open(dir.path()).expect("a store");
        let events = fixture::run(24, 2);
        let writer = store.create_run(&events[0]).expect("begun");
        let id = writer.id().to_owned();
        let (mut follower, _) = Follower::open(writer.path()).expect("it has its plan");
        assert_eq!(looked(&mut follower).1, FollowState::Live);
        drop(writer);
        assert_eq!(looked(&mut follower).1, FollowState::Over(None));
        let journal = follower.path.clone();
        store.remove(&id).expect("nobody holds it");
        if File::open(journal).is_ok() {
            testkit::skip!("what is removed keeps its name while it is open (wine)");
        }
        let error = follower.read_new(1, drop).expect_err("gone").to_string();
        assert!(error.contains("the run was removed"), "{error}");
    }

    /// Returns one second of a job: 20 to 49 operations.
    fn second(s: u64) -> Interval {
        let mut interval = fixture::second(s % 50, 0, 20 + s % 30);
        interval.start = Nanos::from_secs(s);
        interval.windows.iter_mut().for_each(|w| w.start += Nanos::from_secs(s));
        interval
    }

    /// Returns the sums of each step of a record. They do not depend on the lengths of its intervals.
    fn sums(record: &RunRecord) -> Vec<(u64, model::LatencyHistogram, u64)> {
        let sums_of = |s: &model::record::Step| {
            let total = s.total();
            (total.ops(), total.latency(), total.length.as_nanos())
        };
        record.steps.iter().map(sums_of).collect()
    }

    #[test]
    fn a_journal_that_becomes_long_is_written_anew_under_its_follower_and_loses_nothing() {
        let dir = tempfile::tempdir().expect("a directory");
        let store = Store::open(dir.path()).expect("a store");
        let events = fixture::run(25, 0);
        let mut writer = store.create_run(&events[0]).expect("begun");
        writer.journal.long = 1 << 20;
        let id = writer.id().to_owned();
        let (mut follower, begin) = Follower::open(writer.path()).expect("it has its plan");
        let mut followed = RunRecord::begin(begin.clone()).expect("it begins");
        let mut live = RunRecord::begin(begin).expect("it begins");
        let (mut shrunk, mut bytes) = (0, 0);
        let seconds = 12_000;
        let each = (0..seconds).map(|s| RunEvent::Interval { step: 0, interval: second(s) });
        for (n, event) in events[1..2].iter().cloned().chain(each).enumerate() {
            writer.append(&event).expect("appended");
            live.apply(event).expect("it fits");
            shrunk += u64::from(writer.bytes() < bytes);
            bytes = writer.bytes();
            if n % 7 == 0 {
                assert_eq!(looked_into(&mut follower, &mut followed), FollowState::Live, "at {n}");
            }
            if n % 3000 == 0 {
                let run = store.recover(&id).expect("reads");
                assert!(run.live && run.damage.is_none(), "{:?}", run.damage);
                assert_eq!(sums(&run.record), sums(&live), "at {n}");
            }
        }
        if shrunk == 0 && !replaces_open_files(dir.path()) {
            testkit::skip!("no file can be put in place of one that is open here (wine)");
        }
        assert!(shrunk >= 1, "it was {bytes} bytes");
        looked_into(&mut follower, &mut followed);
        assert_eq!(sums(&followed), sums(&live));
        // If the writer is killed at this point, the journal is complete.
        drop(writer);
        let run = store.recover(&id).expect("reads");
        assert!(!run.live && run.record.state == model::RunState::Interrupted && run.damage.is_none());
        assert_eq!(sums(&run.record), sums(&live));
        assert!(looked_into(&mut follower, &mut followed) == FollowState::Over(None));
        assert_eq!(run.record.ended, Nanos::from_secs(seconds));
    }

    fn replaces_open_files(dir: &Path) -> bool {
        let [old, new] = ["old", "new"].map(|name| dir.join(name));
        let _held = std::fs::File::create(&old).expect("made");
        std::fs::write(&new, "").expect("made");
        std::fs::rename(&new, &old).is_ok()
    }

    fn looked_into(follower: &mut Follower, record: &mut RunRecord) -> FollowState {
        follower.read_new(u64::MAX, |e| record.apply(e).expect("it fits")).expect("it can be read")
    }

    /// Returns one second of a rate-limited job that reads and writes, with latency split into its parts.
    fn rich_second(s: u64) -> Interval {
        let mut interval = second(s);
        let mut read = interval.per_op[0].clone();
        (read.response, read.submission, read.completion) =
            (read.latency.clone(), read.latency.clone(), read.latency.clone());
        interval.per_op[1] = read.clone();
        interval.per_op[0] = read;
        interval.queue = Some(Box::default());
        interval
    }

    /// Writes a journal of one week with eight jobs and samples of sixty series, at full speed. Run manually: `cargo
    /// test -p store --lib week -- --ignored --nocapture`, with a directory in SECCHI_WEEK, then `secchi show` on that
    /// store.
    #[test]
    #[ignore = "minutes; makes the journal of a simulated week"]
    #[expect(clippy::print_stdout, reason = "its figures are what it is run for")]
    fn a_week_of_eight_jobs_stays_short() {
        let dir = std::env::var("SECCHI_WEEK").expect("a directory for the store");
        let jobs: usize = std::env::var("SECCHI_JOBS").ok().and_then(|n| n.parse().ok()).unwrap_or(8);
        let store = Store::open(Path::new(&dir)).expect("a store");
        let mut events = fixture::run(25, 0);
        let mut writer = store.create_run(&events[0]).expect("begun");
        for n in 0..jobs {
            if let RunEvent::StepBegin { number, .. } = &mut events[1] {
                *number = n;
            }
            writer.append(&events[1]).expect("appended");
        }
        let named = |n| NamedSeries { name: format!("device.d{n}.ops"), unit: "ops/s".into(), layer: Layer::Device };
        let series = 60;
        let names = RunEvent::Series { first: 0, series: (0..series).map(named).collect() };
        writer.append(&names).expect("appended");
        let (mut most, mut written, mut before) = (0, 0, writer.bytes());
        for s in 0..604_800 {
            for step in 0..jobs {
                writer.append(&RunEvent::Interval { step, interval: rich_second(s) }).expect("appended");
                written += writer.bytes().saturating_sub(before);
                before = writer.bytes();
                most = most.max(before);
            }
            let values = (0..series as u64).map(|n| (s * (n + 1) % 997) as f64 / 8.0).collect();
            let look = SeriesSample { over: 1.0, values: vec![(0, values)], ..SeriesSample::default() };
            writer.append(&RunEvent::Look { at: Nanos::from_secs(s + 1), look }).expect("appended");
            if s % 60_480 == 0 {
                println!("{s} s: {before} bytes, {} a second of a job", written / ((s + 1) * jobs as u64));
            }
        }
        let end = Nanos::from_secs(604_800);
        for step in 0..jobs {
            let end = model::record::StepEnd { at: end, ..model::record::StepEnd::default() };
            writer.append(&RunEvent::StepEnd { step, end }).expect("appended");
        }
        let over = RunEvent::End { state: model::RunState::Complete, at: end, reason: "".into(), signal: None };
        writer.append(&over).expect("appended");
        println!("at most {most} bytes; {}", writer.finish("").expect("finished").summary.id);
    }
}
