//! The journal. Records go into a buffer. A caller that needs a durable record writes the whole buffer, for itself and
//! for callers that arrive in the meantime (group commit). A place in the journal is the number of bytes before it,
//! counted from the start of the model.

use super::buffer::AlignedBuffer;
use super::counts::{Counts, add};
use super::journal_files::JournalFiles;
use super::profile::Profile;
use crate::locked;
use model::measured::Waiter;
use std::io;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

struct State {
    /// Buffer with the bytes that begin at place `base`.
    fill: AlignedBuffer,
    /// Second buffer; empty while a thread writes its contents.
    spare: AlignedBuffer,
    /// Files of the journal; `None` while they are being written.
    files: Option<JournalFiles>,
    /// Place of the first byte in `fill`, at the start of a block.
    base: u64,
    end: u64,
    written: u64,
    synced: u64,
    /// True while a leader waits for other commits to join.
    gathering: bool,
    /// First error. After an error, nothing more is written.
    failed: Option<String>,
}

/// A journal of records.
pub(super) struct Journal {
    profile: Arc<Profile>,
    /// Size of the blocks in which the journal is written, in bytes.
    block: usize,
    /// Size of the buffer, in bytes.
    buffer: usize,
    state: Mutex<State>,
    changed: Condvar,
    /// Number of open transactions.
    open: std::sync::atomic::AtomicU32,
    counts: Arc<Counts>,
}

fn failed(reason: &str) -> io::Error {
    io::Error::other(format!("the journal cannot be written: {reason}"))
}

impl Journal {
    /// Creates a journal in these files, for pages of `page` bytes.
    pub fn new(profile: Arc<Profile>, page: usize, files: JournalFiles, counts: Arc<Counts>) -> Journal {
        let block = profile.journal.block.value as usize;
        let buffer = (profile.journal.buffer.value as usize).max(4 * page);
        let room = buffer.next_multiple_of(block) + 2 * block.max(65_536);
        let state = State {
            fill: AlignedBuffer::new(room),
            spare: AlignedBuffer::new(room),
            files: Some(files),
            base: 0,
            end: 0,
            written: 0,
            synced: 0,
            gathering: false,
            failed: None,
        };
        Journal { profile, block, buffer, state: Mutex::new(state), changed: Condvar::new(), open: 0.into(), counts }
    }

    fn wait<'a>(&self, state: MutexGuard<'a, State>) -> MutexGuard<'a, State> {
        self.changed.wait(state).unwrap_or_else(PoisonError::into_inner)
    }

    /// Records the start or end of a transaction.
    pub fn transaction(&self, begins: bool) {
        use std::sync::atomic::Ordering::Relaxed;
        if begins {
            self.open.fetch_add(1, Relaxed);
        } else {
            self.open.fetch_sub(1, Relaxed);
        }
    }

    /// Returns the place after the last record.
    pub fn end(&self) -> u64 {
        locked(&self.state).end
    }

    /// Returns the place up to which the journal is ready. Pages that need the journal only up to this place can be
    /// written without waiting for another thread's sync.
    pub fn ready(&self) -> u64 {
        let state = locked(&self.state);
        if state.files.is_none() { state.synced } else { state.written }
    }

    /// Appends a record that consists of these parts. Returns the places of the record's start and end.
    ///
    /// # Errors
    /// Returns an error if earlier records had to be written first and writing them failed.
    pub fn append(&self, parts: &[&[u8]]) -> io::Result<(u64, u64)> {
        let need: usize = parts.iter().map(|part| part.len()).sum();
        let mut state = locked(&self.state);
        loop {
            if let Some(reason) = &state.failed {
                return Err(failed(reason));
            }
            // The last block needs space to be completed.
            let used = (state.end - state.base) as usize;
            if used + need + self.block <= state.fill.len() && (used < self.buffer || used < self.block) {
                break;
            }
            // Only sessions append records.
            state = self.counts.journal.timed(Waiter::Sessions, || {
                if state.files.is_none() { Ok(self.wait(state)) } else { self.write(state, false) }
            })?;
        }
        let from = state.end;
        for part in parts {
            let at = (state.end - state.base) as usize;
            state.fill[at..at + part.len()].copy_from_slice(part);
            state.end += part.len() as u64;
        }
        add(&self.counts.journal_records, 1);
        Ok((from, state.end))
    }

    /// Writes everything before a place in the journal, and makes it durable if requested. Returns `true` if other
    /// threads did this, so that this call wrote nothing.
    ///
    /// # Errors
    /// Returns an error if writing fails. After such a failure, nothing more is written.
    pub fn flush(&self, place: u64, durable: bool) -> io::Result<bool> {
        let mut state = locked(&self.state);
        let mut has_written = false;
        loop {
            if (if durable { state.synced } else { state.written }) >= place {
                return Ok(!has_written);
            }
            if let Some(reason) = &state.failed {
                return Err(failed(reason));
            }
            if state.files.is_none() || (state.gathering && durable) {
                state = self.wait(state);
                continue;
            }
            has_written = true;
            let open = self.open.load(std::sync::atomic::Ordering::Relaxed);
            let rule = &self.profile.commits;
            if durable && rule.window_us.value > 0 && u64::from(open) > rule.window_sessions.value {
                state.gathering = true;
                drop(state);
                std::thread::sleep(Duration::from_micros(rule.window_us.value));
                state = locked(&self.state);
                state.gathering = false;
                if state.files.is_none() {
                    continue;
                }
            }
            state = self.write(state, durable)?;
        }
    }

    /// Writes the current records. Other threads are not blocked unless they wait for these records.
    fn write<'a>(&'a self, mut state: MutexGuard<'a, State>, durable: bool) -> io::Result<MutexGuard<'a, State>> {
        let block = self.block as u64;
        let (base, end) = (state.base, state.end);
        let Some(mut files) = state.files.take() else { return Ok(state) };
        let mut out = std::mem::take(&mut state.spare);
        std::mem::swap(&mut out, &mut state.fill);
        // The last block is written again when more records follow.
        let next = end / block * block;
        let (from, tail) = ((next - base) as usize, (end - next) as usize);
        state.fill[..tail].copy_from_slice(&out[from..from + tail]);
        state.base = next;
        let fresh = end > state.written;
        drop(state);
        let length = (end - base) as usize;
        let whole = length.next_multiple_of(self.block);
        out[length..whole].fill(0);
        let mut done = if fresh { files.write(base, &out[..whole], &self.counts) } else { Ok(()) };
        if durable && done.is_ok() {
            done = files.sync(&self.counts);
        }
        let mut state = locked(&self.state);
        state.files = Some(files);
        state.spare = out;
        match &done {
            Ok(()) => {
                state.written = end;
                if durable {
                    state.synced = end;
                }
            }
            Err(error) => state.failed = Some(error.to_string()),
        }
        self.changed.notify_all();
        done.map(|()| state)
    }

    /// Runs an action on the files while no thread writes them.
    pub fn with_files<T>(&self, what: impl FnOnce(&mut JournalFiles, &Counts) -> io::Result<T>) -> io::Result<T> {
        let mut state = locked(&self.state);
        let mut files = loop {
            match state.files.take() {
                Some(files) => break files,
                None => state = self.wait(state),
            }
        };
        drop(state);
        let done = what(&mut files, &self.counts);
        locked(&self.state).files = Some(files);
        self.changed.notify_all();
        done
    }

    /// Truncates the journal, if it has only one file. All records must have been written, and no record may be
    /// appended in the meantime.
    pub fn truncate(&self) -> io::Result<()> {
        let place = self.end();
        self.with_files(|files, _| files.truncate(place))
    }

    /// Reads the bytes that were written at a place.
    pub fn read(&self, place: u64, into: &mut [u8], file: &std::fs::File, begin: u64) -> io::Result<()> {
        use sys::files::FileExt;
        self.flush(place + into.len() as u64, false)?;
        file.read_exact_at(into, super::journal_files::HEADER + place - begin)?;
        self.counts.journal.read(into.len());
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::journal_files::HEADER;
    use super::super::profile::{OldJournal, Prefill, choose_profile};
    use super::*;

    /// Checks that appended records are in the files in the order of their appends, across file boundaries. The records
    /// have any number of parts, and there may be flushes in between.
    #[test]
    fn the_files_hold_what_was_put_in() {
        for (block, file, prefill) in
            [(1, 0, Prefill::None), (512, 70_000, Prefill::None), (8192, 1 << 20, Prefill::Zeros)]
        {
            let dir = tempfile::tempdir().unwrap();
            let old = if file == 0 { OldJournal::Truncate } else { OldJournal::Remove };
            let mut profile = Profile::parse(&choose_profile("postgres").unwrap().text).unwrap();
            let rule = &mut profile.journal;
            (rule.file.value, rule.prefill.value, rule.old.value, rule.keep.value) = (file, prefill, old, 1000);
            (rule.block.value, rule.buffer.value) = (block as u64, 32_768);
            if block == 1 {
                rule.image_calls.value = true;
                rule.image_header.value = 487;
            }
            let files = JournalFiles::open(dir.path(), "journal".into(), &profile, 512).unwrap();
            let journal = Journal::new(profile.into(), 512, files, Arc::default());
            let (mut appended, mut state) = (Vec::new(), 9u64);
            for n in 0..2000u64 {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(n | 1);
                let record = vec![(state >> 33) as u8; (state >> 40) as usize % 700 + 1];
                let (from, end) = journal.append(&[&record[..1], &record[1..]]).unwrap();
                assert_eq!((from, end), (appended.len() as u64, (appended.len() + record.len()) as u64));
                appended.extend(record);
                if state >> 60 == 0 {
                    journal.flush(end, state & (1 << 30) == 0).unwrap();
                }
            }
            journal.flush(journal.end(), true).unwrap();
            let mut read: Vec<u8> = Vec::new();
            for path in JournalFiles::paths(dir.path()).unwrap() {
                let bytes = std::fs::read(path).unwrap();
                let most = if file == 0 { u64::MAX } else { file };
                read.extend(bytes[HEADER as usize..].iter().take(most as usize));
            }
            assert!(
                read.len() >= appended.len() && read[..appended.len()] == appended[..],
                "block {block}, file {file}"
            );
        }
    }
}
