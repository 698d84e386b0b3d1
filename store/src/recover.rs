//! The journal's reader: the record of a run, up to the last whole frame, from a file in whatever state it is in.

use crate::error::{RecoverError, Unreadable};
use crate::frame::{self, Damage, FrameReader, HEAD, MAX_JOURNAL};
use crate::os;
use model::{RunEvent, RunRecord, RunState};
use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::Path;

/// A run read back from its journal.
#[derive(Debug, Clone, PartialEq)]
pub struct Recovered {
    /// The run, as far as whole frames go.
    pub record: RunRecord,
    /// Whole frames.
    pub frames: u64,
    /// Bytes of head and whole frames.
    pub bytes: u64,
    /// Bytes behind the last whole frame, which could not be used.
    pub truncated_bytes: u64,
    /// What is wrong there; `None` when the journal ends cleanly.
    pub damage: Option<Damage>,
    /// Whether the run's writer still lives.
    pub live: bool,
}

impl Recovered {
    /// Whether the run ended by itself, in whatever way: its journal holds an `End`.
    #[must_use]
    pub fn ended(&self) -> bool {
        self.record.state != RunState::Interrupted
    }
}

/// Reads a journal up to its last whole frame. Damage ends the reading there and is told, it is no error.
///
/// # Errors
/// When there is no run to tell of: the file cannot be opened, is not a journal, is one of another version, or breaks
/// off before its plan ends.
pub fn recover(path: &Path) -> Result<Recovered, RecoverError> {
    recover_file(path).map_err(|cause| RecoverError { path: path.to_owned(), cause })
}

fn recover_file(path: &Path) -> Result<Recovered, Unreadable> {
    let file = os::open_existing(path, false)?;
    // Looked at before reading: were it the other way round, a run that ends in between would seem killed.
    let live = is_live(&file)?;
    let length = file.metadata()?.len();
    let mut recovered = recover_from(BufReader::with_capacity(256 << 10, file), length)?;
    recovered.live = live;
    Ok(recovered)
}

/// Whether the writer of an open journal still lives, by its lock.
pub(crate) fn is_live(file: &File) -> io::Result<bool> {
    let free = os::lock_shared(file)?;
    if free {
        // Not kept: who looks at a run for long must not keep it from being removed.
        os::unlock(file)?;
    }
    Ok(!free)
}

/// Reads a journal of `length` bytes from any source; never live. For tests, fuzzing and streams.
///
/// # Errors
/// As [`recover`].
pub fn recover_from(source: impl Read, length: u64) -> Result<Recovered, Unreadable> {
    let (mut reader, begin) = read_begin(source, length)?;
    let mut record = RunRecord::begin(begin).map_err(Unreadable::Fold)?;
    let mut frames = 1;
    let mut bytes = reader.at();
    let damage = loop {
        match reader.next() {
            Ok(None) => break None,
            Err(damage) => break Some(damage),
            Ok(Some(event)) => match record.apply(event) {
                Err(e) => break Some(Damage::Order { at: bytes, why: e.to_string() }),
                Ok(()) => {
                    frames += 1;
                    bytes = reader.at();
                }
            },
        }
    };
    Ok(Recovered { record, frames, bytes, truncated_bytes: length - bytes, damage, live: false })
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
    frame::check_head(&head)?;
    let mut reader = FrameReader::new(source, length);
    let begin = reader.next().map_err(Unreadable::NoPlan)?.ok_or(Unreadable::Empty)?;
    Ok((reader, begin))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;
    use crate::frame::encode;
    use model::{Interval, Nanos};
    use proptest::prelude::*;

    fn read(bytes: &[u8]) -> Result<Recovered, Unreadable> {
        recover_from(bytes, bytes.len() as u64)
    }

    fn bytes_of(events: &[RunEvent]) -> Vec<u8> {
        let mut out = frame::head().to_vec();
        for event in events {
            encode(event, &mut out).expect("has a frame");
        }
        out
    }

    /// The fold of every number of leading events, by that number less one.
    fn folds(events: &[RunEvent]) -> Vec<RunRecord> {
        (1..=events.len()).map(|n| RunRecord::from_events(events[..n].to_vec()).expect("one run")).collect()
    }

    /// Reads damaged bytes: nothing, or a true prefix of the run.
    fn assert_prefix(bytes: &[u8], folds: &[RunRecord]) -> u64 {
        match read(bytes) {
            Err(_) => 0,
            Ok(r) => {
                assert_eq!(r.record, folds[usize::try_from(r.frames).expect("few") - 1], "{:?}", r.damage);
                assert_eq!(r.bytes + r.truncated_bytes, bytes.len() as u64);
                assert_eq!(r.damage.is_some(), r.truncated_bytes > 0);
                r.frames
            }
        }
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
    fn every_flipped_byte_ends_the_journal_before_it_and_nothing_wrong_is_read() {
        let events = fixture::run(12, 2);
        let (bytes, folds) = (bytes_of(&events), folds(&events));
        for at in 0..bytes.len() {
            for flip in [0x01, 0x80, 0xff] {
                let mut damaged = bytes.clone();
                damaged[at] ^= flip;
                let frames = assert_prefix(&damaged, &folds);
                assert!(frames < events.len() as u64, "a flip at {at} went unseen");
            }
        }
    }

    #[test]
    fn events_that_no_run_has_are_told_as_damage_not_folded() {
        let mut events = fixture::run(13, 2);
        events.insert(2, events[0].clone());
        let r = read(&bytes_of(&events)).expect("reads");
        assert_eq!(r.frames, 2);
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
        let why = |bytes: &[u8]| read(bytes).expect_err("refused").to_string();
        assert!(why(b"").contains("breaks off after 0 bytes"));
        assert!(why(&[7; 100]).contains("not a journal"));
        assert!(why(&frame::head()).contains("breaks off before the plan"));
        let mut events = fixture::run(15, 0);
        if let RunEvent::Begin { version, .. } = &mut events[0] {
            *version = 99;
        }
        assert!(why(&bytes_of(&events)).contains("record version 99"));
        assert!(recover_from(&[][..], MAX_JOURNAL + 1).expect_err("refused").to_string().contains("at most"));
    }

    #[test]
    fn a_fifo_or_directory_in_place_of_a_journal_is_refused_at_once() {
        let dir = tempfile::tempdir().expect("a temporary directory");
        let fifo = dir.path().join("fifo");
        rustix::fs::mknodat(
            rustix::fs::CWD,
            &fifo,
            rustix::fs::FileType::Fifo,
            rustix::fs::Mode::from_raw_mode(0o600),
            0,
        )
        .expect("a fifo");
        assert!(recover(&fifo).expect_err("refused").to_string().contains("not a regular file"));
        assert!(recover(dir.path()).is_err());
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
            let bytes = if headed { [&frame::head()[..], &bytes].concat() } else { bytes };
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
                let _ = read(&[&frame::head()[..], &length[..], &sum[..], &payload].concat());
            }
        }

        /// The power-cut model: what was synced is there; of each later write any 512-byte sector may be zeros, and
        /// the file may be shorter or longer than it was.
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
            let frames = assert_prefix(&disk, &folds(&events));
            prop_assert!(frames >= synced_frames as u64);
        }
    }

    /// JSON that resembles events, with figures from the ends of their ranges.
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
