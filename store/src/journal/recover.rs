//! Recovery of a run's record from its journal, in any state of the file. Damaged parts are skipped.

use crate::journal::error::{RecoverError, Unreadable};
use crate::journal::frame::{Damage, FrameReader, Gap, HEAD, MAX_JOURNAL};
use crate::journal::head;
use crate::os;
use messages::sentence;
use model::{Caveat, RunEvent, RunRecord, RunState, Severity, record::FoldError};
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// Run that was recovered from its journal.
#[derive(Debug, Clone, PartialEq)]
pub struct Recovered {
    /// Record of the run, based on all whole frames. If the journal is damaged, its state is [`RunState::Damaged`] and
    /// a caveat invalidates the figures.
    pub record: RunRecord,
    /// Number of whole frames used.
    pub frames: u64,
    /// Size of the head and the whole frames that were used, in bytes.
    pub bytes: u64,
    /// Number of remaining bytes, which could not be used.
    pub truncated_bytes: u64,
    /// First damage; `None` if everything was readable.
    pub damage: Option<Damage>,
    /// Consequence of the damage for the run.
    pub harm: Harm,
    /// True if the run's writer is still alive.
    pub live: bool,
}

/// Consequence of a journal's damage for the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Harm {
    /// Nothing is lost.
    #[default]
    None,
    /// The last frame is incomplete, or there are zeros in its place: the writer was killed, the power was cut, or the
    /// writer is writing now.
    Tail,
    /// Foreign bytes follow the end of the run. No part of the run is lost.
    Behind,
    /// Frames are lost before other frames, or the last frame is incorrect.
    Lost {
        /// Number of damaged parts that could not be used.
        places: u64,
        /// Total size of these parts, in bytes.
        bytes: u64,
        /// Number of whole frames used after the first damaged part.
        frames_after: u64,
    },
}

impl Recovered {
    /// Returns `true` if frames are lost before other frames, or if the last frame is incorrect.
    #[must_use]
    pub fn is_damaged(&self) -> bool {
        matches!(self.harm, Harm::Lost { .. })
    }

    /// Removes the incomplete frame of a killed writer from a journal that is to be moved, and returns its size.
    /// Damaged bytes are kept as evidence of the damage.
    pub(crate) fn trim(&self, journal: &mut Vec<u8>) -> usize {
        let read = journal.len();
        if !self.is_damaged() {
            journal.truncate(usize::try_from(self.bytes).unwrap_or(usize::MAX));
        }
        read - journal.len()
    }

    /// Returns `true` if the run was ended by its writer, for any reason: its journal contains an `End`.
    #[must_use]
    pub fn ended(&self) -> bool {
        !self.record.state.has_no_end()
    }
}

/// Reads a journal. After a damaged frame, reading continues at the next whole frame. Losses are reported in the
/// result, not as an error.
///
/// # Errors
/// Returns an error if no run can be recovered: the file cannot be opened, is not a journal, has another version, or
/// ends within its plan.
pub fn recover(path: &Path) -> Result<Recovered, RecoverError> {
    recover_file(path).map_err(|cause| RecoverError { path: path.to_owned(), cause })
}

fn recover_file(path: &Path) -> Result<Recovered, Unreadable> {
    loop {
        let file = os::open_existing(path, false)?;
        let run = recover_open(&file)?;
        // A long journal is rewritten to a new file. The opened file may be the old one, while its writer continues in
        // the new one.
        let replaced =
            !run.live && !run.ended() && sys::files::MetadataExt::nlink(&sys::files::file_metadata(&file)?) == 0;
        if !replaced || !path.exists() {
            return Ok(run);
        }
    }
}

fn recover_open(file: &File) -> Result<Recovered, Unreadable> {
    // Check this before reading. In the opposite order, a run that ends in between would appear to have been killed.
    let live = is_live(file)?;
    let length = file.metadata()?.len();
    let mut run = read_journal(file, length, live)?;
    tracing::debug!(id = run.record.id, length, live, state = ?run.record.state, "read journal");
    if live && run.record.state == RunState::Interrupted {
        run.record.state = RunState::Running;
    }
    Ok(run)
}

/// Returns `true` if the writer of an open journal still holds its lock.
pub(crate) fn is_live(file: &File) -> io::Result<bool> {
    let free = os::lock_shared(file)?;
    if free {
        // Release the lock, so that a process that watches a run for a long time does not prevent the run's removal.
        os::unlock(file)?;
    }
    Ok(!free)
}

/// Reads a journal of `length` bytes from any source, for tests, fuzzing and streams. The run never counts as live.
///
/// # Errors
/// Returns the same errors as [`recover`].
pub fn recover_from(source: impl Read, length: u64) -> Result<Recovered, Unreadable> {
    read_journal(source, length, false)
}

fn read_journal(source: impl Read, length: u64, live: bool) -> Result<Recovered, Unreadable> {
    let (mut reader, begin) = read_begin(source, length)?;
    let record = RunRecord::begin(begin)?;
    let mut run =
        Recovered { record, frames: 1, bytes: reader.at(), truncated_bytes: 0, damage: None, harm: Harm::None, live };
    let mut lost = Lost::default();
    loop {
        let at = reader.at();
        let damage = match reader.next() {
            Ok(None) => break,
            Ok(Some(event)) => {
                let second = matches!(event, RunEvent::Begin { .. });
                match lost.apply(&mut run.record, event) {
                    Ok(()) => {
                        run.frames += 1;
                        run.bytes += reader.at() - at;
                        lost.frames_after += u64::from(lost.places > 0);
                        continue;
                    }
                    // Another run's journal was appended to this one. Nothing in it belongs to this run.
                    Err(_) if second && lost.places > 0 => {
                        lost.bytes += length - at;
                        break;
                    }
                    Err(e) => {
                        lost.add(&mut run.damage, Damage::Order { at, why: e.to_string() }, reader.at() - at);
                        continue;
                    }
                }
            }
            Err(damage) => damage,
        };
        if !read_behind_damage(&mut reader, &mut run, &mut lost, damage) {
            break;
        }
    }
    run.truncated_bytes = length - run.bytes;
    if lost.places > 0 {
        run.harm = Harm::Lost { places: lost.places, bytes: lost.bytes, frames_after: lost.frames_after };
        record_damage(&mut run, length);
    }
    Ok(run)
}

/// Losses found in a journal so far.
#[derive(Default)]
struct Lost {
    places: u64,
    bytes: u64,
    frames_after: u64,
}

impl Lost {
    fn add(&mut self, first: &mut Option<Damage>, damage: Damage, bytes: u64) {
        first.get_or_insert(damage);
        self.places += 1;
        self.bytes += bytes;
    }

    /// Applies an event. After a loss, rejects events whose meaning depends on lost events.
    fn apply(&self, record: &mut RunRecord, event: RunEvent) -> Result<(), FoldError> {
        match event {
            RunEvent::Look { at, mut look } if self.places > 0 => {
                // Unchanged values refer to the previous sample, which may have been lost.
                look.same.clear();
                record.apply(RunEvent::Look { at, look })
            }
            event => record.apply(event),
        }
    }
}

/// Finds the next whole frame after damage, or classifies the remaining bytes. Returns `false` if nothing is left to
/// read.
fn read_behind_damage<R: Read>(
    reader: &mut FrameReader<R>,
    run: &mut Recovered,
    lost: &mut Lost,
    damage: Damage,
) -> bool {
    let (at, left) = (reader.at(), reader.left());
    if !run.record.state.has_no_end() && lost.places == 0 {
        run.damage = Some(damage);
        run.harm = Harm::Behind;
        return false;
    }
    match reader.skip_gap(run.live) {
        Ok(Gap::Passed) => {
            lost.add(&mut run.damage, damage, reader.at() - at);
            return true;
        }
        Ok(Gap::Tail) => {
            run.damage.get_or_insert(damage);
            run.harm = Harm::Tail;
        }
        Ok(Gap::Rest) => lost.add(&mut run.damage, damage, left),
        Err(e) => lost.add(&mut run.damage, Damage::Read { at: reader.at(), why: e.to_string() }, left),
    }
    false
}

/// Adds the losses to the run's record as caveats, which the judgement uses.
fn record_damage(run: &mut Recovered, length: u64) {
    let Harm::Lost { places, bytes, frames_after } = run.harm else { return };
    let first = run.damage.as_ref().map(Damage::sentence).unwrap_or_default();
    let (before, after) = (run.frames - frames_after, frames_after);
    let mut evidence = sentence!("recovered-damaged-seen", bytes, length, places, first, before, after);
    if !run.record.state.has_no_end() && !run.record.reason.is_empty() {
        evidence = sentence!("recovered-damaged-ended", evidence, reason = &run.record.reason);
    }
    let doubt = Caveat::new("journal-damaged", Severity::Invalid, sentence!("recovered-damaged"), &evidence)
        .remedy(sentence!("recovered-damaged-remedy"));
    let steps = run.record.steps.len();
    run.record
        .caveats
        .extend((0..steps.max(1)).map(|i| if steps == 0 { doubt.clone() } else { doubt.clone().at_step(i) }));
    run.record.state = RunState::Damaged;
    run.record.reason = evidence;
}

/// Reads the head and the first event of a journal of `length` bytes.
pub(crate) fn read_begin<R: Read>(mut source: R, length: u64) -> Result<(FrameReader<R>, RunEvent), Unreadable> {
    if length > MAX_JOURNAL {
        return Err(Unreadable::TooLong(length));
    }
    if length < HEAD as u64 {
        return Err(Unreadable::NoHead(length));
    }
    let mut head = [0; HEAD];
    source.read_exact(&mut head)?;
    head::check_head(&head)?;
    let mut reader = FrameReader::new(source, length);
    match reader.next() {
        Ok(begin) => Ok((reader, begin.ok_or(Unreadable::Empty)?)),
        // A plan of another version may have fields that this version lacks. That does not count as damage.
        Err(damage @ Damage::Event { .. }) => {
            let other = reader.record_version().and_then(|version| model::record::readable(version).err());
            Err(other.map_or(Unreadable::NoPlan(damage), Unreadable::from))
        }
        Err(damage) => Err(Unreadable::NoPlan(damage)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;
    use crate::journal::frame::{FORMAT_VERSION, encode};
    use model::{Interval, Nanos};
    use proptest::prelude::*;

    fn journal_head() -> [u8; HEAD] {
        head::head(head::MAGIC, FORMAT_VERSION)
    }

    fn read(bytes: &[u8]) -> Result<Recovered, Unreadable> {
        recover_from(bytes, bytes.len() as u64)
    }

    fn bytes_of(events: &[RunEvent]) -> Vec<u8> {
        let mut out = journal_head().to_vec();
        for event in events {
            encode(event, &mut out).expect("has a frame");
        }
        out
    }

    /// Returns the record after 1, 2, 3, ... events: the record after n events is at index n - 1.
    fn folds(events: &[RunEvent]) -> Vec<RunRecord> {
        (1..=events.len()).map(|n| RunRecord::from_events(events[..n].to_vec()).expect("one run")).collect()
    }

    /// Reads truncated bytes, and checks that the result is an error or an exact prefix of the run. Returns the number
    /// of frames.
    fn assert_prefix(bytes: &[u8], folds: &[RunRecord]) -> u64 {
        match read(bytes) {
            Err(_) => 0,
            Ok(r) => {
                assert_eq!(r.record, folds[usize::try_from(r.frames).expect("few") - 1], "{:?}", r.damage);
                assert_eq!(r.bytes + r.truncated_bytes, bytes.len() as u64);
                assert_eq!(r.damage.is_some(), r.truncated_bytes > 0);
                assert_eq!(r.damage.is_none(), r.harm == Harm::None);
                assert!(!matches!(r.harm, Harm::Lost { .. }));
                r.frames
            }
        }
    }

    /// Reads damaged bytes, and checks that the result is an error, or a run that reports the damage and whose figures
    /// are invalid.
    fn assert_told(bytes: &[u8], what: &str) -> Option<Recovered> {
        let run = read(bytes).ok()?;
        assert_eq!(run.record.state, RunState::Damaged, "{what}: {:?} {:?}", run.damage, run.harm);
        assert!(matches!(run.harm, Harm::Lost { places, bytes, .. } if places > 0 && bytes > 0), "{what}");
        assert!(run.damage.is_some(), "{what}");
        let struck = |i| move |c: &Caveat| c.severity == Severity::Invalid && c.step.is_none_or(|s| s == i);
        assert!((0..run.record.steps.len().max(1)).all(|i| run.record.caveats.iter().any(struck(i))), "{what}");
        assert_eq!(run.bytes + run.truncated_bytes, bytes.len() as u64, "{what}");
        Some(run)
    }

    #[test]
    fn every_prefix_of_a_journal_reads_as_its_whole_frames() {
        let events = fixture::run(11, 3);
        let (bytes, folds) = (bytes_of(&events), folds(&events));
        let mut seen = 0;
        for end in 0..=bytes.len() {
            let frames = assert_prefix(&bytes[..end], &folds);
            assert!(frames == seen || frames == seen + 1, "at {end}");
            seen = frames;
        }
        assert_eq!(seen, events.len() as u64);
    }

    #[test]
    fn every_flipped_bit_is_told_and_never_taken_for_a_killed_run() {
        let events = fixture::run(12, 2);
        let bytes = bytes_of(&events);
        let heads: Vec<usize> = (0..events.len()).map(|n| bytes_of(&events[..n]).len()).collect();
        for at in 0..bytes.len() {
            // Flip each bit of the frames' heads, and one bit of each byte of the payloads.
            let head = heads.iter().any(|h| (*h..h + 9).contains(&at));
            let bits: Vec<u8> = if head { (0..8).map(|b| 1 << b).collect() } else { vec![1 << (at % 8)] };
            for flip in bits.into_iter().chain([0xff, bytes[at]]).filter(|f| *f != 0) {
                let mut damaged = bytes.clone();
                damaged[at] ^= flip;
                let run = assert_told(&damaged, &format!("{flip:#x} at {at}"));
                // If the plan is damaged, there is no run; otherwise at least the frames before the damage are read.
                assert_eq!(run.is_some(), at >= heads[1], "at {at}");
                let before = heads.iter().filter(|h| **h <= at).count().saturating_sub(1) as u64;
                assert!(run.is_none_or(|r| (before..events.len() as u64).contains(&r.frames)), "at {at}");
            }
        }
    }

    #[test]
    fn what_stands_behind_damage_is_used_and_what_is_lost_is_told() {
        let events = fixture::run(12, 9);
        let mut bytes = bytes_of(&events);
        let at = bytes_of(&events[..5]).len();
        bytes[at + 100] ^= 4;
        let run = assert_told(&bytes, "an interval").expect("its plan is whole");
        assert_eq!(run.frames, events.len() as u64 - 1);
        let lost = (bytes_of(&events[..6]).len() - at) as u64;
        let after = events.len() as u64 - 6;
        assert_eq!(run.harm, Harm::Lost { places: 1, bytes: lost, frames_after: after });
        let reason = &run.record.reason;
        assert!(reason.contains(&format!("the frame at byte {at} has a wrong checksum")), "{reason}");
        assert!(
            reason.contains(&format!("5 complete frames before the damage and {after} frames after it")),
            "{reason}"
        );
        let mut without = events;
        without.remove(5);
        let whole = RunRecord::from_events(without).expect("one run");
        assert_eq!(run.record.steps, whole.steps, "every other interval is there");
    }

    #[test]
    fn a_hole_of_zeros_is_damage_in_the_middle_and_a_power_cut_at_the_end() {
        let events = fixture::run(17, 6);
        let bytes = bytes_of(&events);
        let mut holed = bytes.clone();
        holed[bytes_of(&events[..3]).len()..bytes_of(&events[..5]).len()].fill(0);
        let run = assert_told(&holed, "a hole").expect("its plan is whole");
        assert_eq!(run.frames, events.len() as u64 - 2);
        assert!(run.record.reason.contains("an impossible length of 0"), "{}", run.record.reason);
        let mut cut = bytes_of(&events[..3]);
        cut.resize(cut.len() + 3000, 0);
        let run = read(&cut).expect("reads");
        assert_eq!((run.harm, run.record.state, run.frames), (Harm::Tail, RunState::Interrupted, 3));
    }

    #[test]
    fn what_is_put_behind_the_end_of_a_run_takes_nothing_from_it() {
        let events = fixture::run(18, 2);
        let (bytes, whole) = (bytes_of(&events), RunRecord::from_events(events.clone()).expect("one run"));
        for foreign in [&b"\n# a note of somebody's\n"[..], &bytes_of(&fixture::run(19, 3))] {
            let run = read(&[&bytes[..], foreign].concat()).expect("reads");
            assert_eq!((run.harm, &run.record), (Harm::Behind, &whole));
            assert_eq!(run.truncated_bytes, foreign.len() as u64);
        }
        // After a run without an end, foreign bytes are damage, and another run's frames are not used.
        let killed = bytes_of(&events[..3]);
        let run =
            assert_told(&[&killed[..], &bytes_of(&fixture::run(19, 3))].concat(), "two").expect("its plan is whole");
        assert_eq!(run.frames, 3);
        assert_told(&[&killed[..], b"0123456789 and more of it"].concat(), "text").expect("its plan is whole");
    }

    #[test]
    fn a_step_whose_number_is_not_known_is_not_taken_for_another() {
        let mut events = fixture::run(20, 2);
        let begin = events[1].clone();
        let with = |number: usize| match begin.clone() {
            RunEvent::StepBegin { stage, pass, hold, job, at, .. } => {
                RunEvent::StepBegin { stage, pass, hold, job, at, number }
            }
            other => other,
        };
        let end = events.pop().expect("an end");
        let of_third = RunEvent::Interval { step: 2, interval: fixture::second(20, 9, 3) };
        // The beginning of the second step is lost.
        let sequence = [&events[..], &[with(1), with(2), of_third, end]].concat();
        let mut bytes = bytes_of(&sequence);
        bytes[bytes_of(&sequence[..events.len()]).len() + 50] ^= 1;
        let run = assert_told(&bytes, "a begin").expect("its plan is whole");
        assert_eq!(run.record.steps.len(), 1);
    }

    #[test]
    fn lengths_made_up_to_be_summed_over_and_over_are_not() {
        let mut bytes = bytes_of(&fixture::run(21, 0)[..1]);
        // Each of these could be a frame of one mebibyte.
        let false_head = [0, 0, 16, 0, 1, 2, 3, 4, b'{'];
        (0..(4 << 20) / false_head.len()).for_each(|_| bytes.extend_from_slice(&false_head));
        assert_told(&bytes, "false heads").expect("its plan is whole");
    }

    #[test]
    fn events_that_no_run_has_are_told_as_damage_not_folded() {
        let mut events = fixture::run(13, 2);
        events.insert(2, events[0].clone());
        let r = assert_told(&bytes_of(&events), "a second begin").expect("reads");
        assert!(matches!(r.damage, Some(Damage::Order { .. })), "{:?}", r.damage);
    }

    #[test]
    fn absurd_but_whole_figures_do_not_panic() {
        let mut events = fixture::run(14, 1);
        let absurd = Interval { start: Nanos(u64::MAX), length: Nanos(u64::MAX), ..Interval::default() };
        events.insert(2, RunEvent::Interval { step: 0, interval: absurd });
        assert_eq!(read(&bytes_of(&events)).expect("reads").record.ended, Nanos(u64::MAX));
    }

    #[test]
    fn files_that_are_no_journals_are_refused_with_the_reason() {
        let error_text = |bytes: &[u8]| read(bytes).expect_err("refused").to_string();
        assert!(error_text(b"").contains("ends after 0 bytes"));
        assert!(error_text(&[7; 100]).contains("not a secchi journal"));
        assert!(error_text(&journal_head()).contains("ends before the plan"));
        let mut events = fixture::run(15, 0);
        if let RunEvent::Begin { version, .. } = &mut events[0] {
            *version = 99;
        }
        assert!(error_text(&bytes_of(&events)).contains("record version 99"));
        assert!(recover_from(&[][..], MAX_JOURNAL + 1).expect_err("refused").to_string().contains("at most"));
    }

    #[test]
    fn a_fifo_or_directory_in_place_of_a_journal_is_refused_at_once() {
        let dir = tempfile::tempdir().expect("a temporary directory");
        assert!(recover(dir.path()).is_err());
        let fifo = dir.path().join("fifo");
        if let Err(error) = sys::streams::create_pipe(&fifo) {
            testkit::skip!("{error}");
        }
        assert!(recover(&fifo).expect_err("refused").to_string().contains("not a regular file"));
    }

    proptest! {
        #[test]
        fn a_journal_reads_back_as_the_fold_of_its_events(events in fixture::runs()) {
            let bytes = bytes_of(&events);
            let r = read(&bytes).expect("reads");
            prop_assert_eq!(r.frames, events.len() as u64);
            prop_assert_eq!(r.damage, None);
            prop_assert_eq!(r.record, RunRecord::from_events(events).expect("one run"));
        }

        #[test]
        fn random_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..2000), headed in any::<bool>()) {
            let bytes = if headed { [&journal_head()[..], &bytes].concat() } else { bytes };
            prop_assert!(read(&bytes).is_err());
        }

        #[test]
        fn whole_frames_of_arbitrary_text_never_panic(text in "\\PC{0,200}", json in any_json()) {
            for payload in [text.into_bytes(), json.into_bytes()] {
                let length = u32::try_from(payload.len()).expect("short").to_le_bytes();
                let sum = crc32c::crc32c_append(crc32c::crc32c(&length), &payload).to_le_bytes();
                let begun = bytes_of(&fixture::run(16, 1));
                let whole = [&begun[..], &length[..], &sum[..], &payload].concat();
                let _ = read(&whole);
                let _ = read(&[&journal_head()[..], &length[..], &sum[..], &payload].concat());
            }
        }

        /// Tests the power-cut model: synced bytes are intact, any 512-byte sector of later writes may be zeros, and
        /// the file may be shorter or longer than before.
        #[test]
        fn after_a_power_cut_all_that_was_synced_is_there_and_nothing_is_wrong(
            events in fixture::runs(),
            synced_share in 0.0f64..1.0,
            lost in any::<u64>(),
            length_change in -600i64..600,
        ) {
            let synced_frames = 1 + (synced_share * (events.len() - 1) as f64) as usize;
            let synced = bytes_of(&events[..synced_frames]).len();
            let mut disk = bytes_of(&events);
            let whole = disk.len();
            for (i, sector) in (synced / 512..=whole / 512).enumerate() {
                if lost >> (i % 64) & 1 == 1 {
                    let (from, to) = ((sector * 512).max(synced), ((sector + 1) * 512).min(whole));
                    disk[from.min(to)..to].fill(0);
                }
            }
            let length = (whole as i64 + length_change).max(synced as i64) as usize;
            disk.resize(length, 0);
            let run = read(&disk).expect("what was synced holds the plan");
            prop_assert!(run.frames >= synced_frames as u64);
            if run.record.state != RunState::Damaged {
                assert_prefix(&disk, &folds(&events));
            }
        }
    }

    /// Generates JSON that resembles events, with numbers at the limits of their ranges.
    fn any_json() -> impl Strategy<Value = String> {
        let number =
            prop_oneof![Just("0"), Just("-1"), Just("18446744073709551615"), Just("1e999"), Just("null"), Just("[]")];
        (number.clone(), number.clone(), number).prop_map(|(a, b, c)| {
            let summary = format!(r#"{{"count":{a},"sum":{b},"sum_sq":{c},"min":{b},"max":{c}}}"#);
            let latency = format!(r#"{{"summary":{summary},"saturated":{a},"buckets":[5,{b},5,{a}]}}"#);
            let op = format!(r#"{{"tally":{{"ops":{a},"bytes":{b}}},"latency":{latency}}}"#);
            let times = format!(r#""start":{a},"length":{b},"in_flight_ns":{c},"cpu_user":0,"cpu_system":0"#);
            format!(r#"{{"interval":{{"phase":"measure",{times},"per_op":[{op},{op},{op},{op}]}}}}"#)
        })
    }
}
