//! The journal. Records go into a buffer. A caller that needs a durable record writes the whole buffer, for itself and
//! for callers that arrive in the meantime (group commit). A place in the journal is the number of bytes before it,
//! counted from the start of the model.

use super::buffer::AlignedBuffer;
use super::counts::{Counts, add};
use super::journal_files::JournalFiles;
use model::measured::Waiter;
use std::io;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Rules for writing a journal.
#[derive(Debug, Clone, Copy)]
pub(super) struct JournalRule {
    /// Size of the blocks in which the journal is written, in bytes.
    pub block: usize,
    /// Size of the buffer, in bytes.
    pub buffer: usize,
    /// Time that a leader waits for other commits.
    pub window: Duration,
    /// Number of open transactions above which a leader waits.
    pub window_sessions: u32,
}

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
    rule: JournalRule,
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
    pub fn new(rule: JournalRule, files: JournalFiles, counts: Arc<Counts>) -> Journal {
        let room = rule.buffer.next_multiple_of(rule.block) + 2 * rule.block.max(65_536);
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
        Journal { rule, state: Mutex::new(state), changed: Condvar::new(), open: 0.into(), counts }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
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
        self.lock().end
    }

    /// Returns the place up to which the journal is ready. Pages that need the journal only up to this place can be
    /// written without waiting for another thread's sync.
    pub fn ready(&self) -> u64 {
        let state = self.lock();
        if state.files.is_none() { state.synced } else { state.written }
    }

    /// Appends a record that consists of these parts. Returns the places of the record's start and end.
    ///
    /// # Errors
    /// Returns an error if earlier records had to be written first and writing them failed.
    pub fn append(&self, parts: &[&[u8]]) -> io::Result<(u64, u64)> {
        let need: usize = parts.iter().map(|part| part.len()).sum();
        let mut state = self.lock();
        loop {
            if let Some(reason) = &state.failed {
                return Err(failed(reason));
            }
            // The last block needs space to be completed.
            let used = (state.end - state.base) as usize;
            if used + need + self.rule.block <= state.fill.len() && (used < self.rule.buffer || used < self.rule.block)
            {
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
        let mut state = self.lock();
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
            if durable && !self.rule.window.is_zero() && open > self.rule.window_sessions {
                state.gathering = true;
                drop(state);
                std::thread::sleep(self.rule.window);
                state = self.lock();
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
        let block = self.rule.block as u64;
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
        let whole = length.next_multiple_of(self.rule.block);
        out[length..whole].fill(0);
        let mut done = if fresh { files.write(base, &out[..whole], &self.counts) } else { Ok(()) };
        if durable && done.is_ok() {
            done = files.sync(&self.counts);
        }
        let mut state = self.lock();
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
        let mut state = self.lock();
        let mut files = loop {
            match state.files.take() {
                Some(files) => break files,
                None => state = self.wait(state),
            }
        };
        drop(state);
        let done = what(&mut files, &self.counts);
        self.lock().files = Some(files);
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
    use super::super::journal_files::{FilesRule, HEADER};
    use super::super::profile::{OldJournal, Prefill, SyncCall};
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
            let rule = FilesRule {
                directory: dir.path().to_owned(),
                stem: "journal".into(),
                file,
                prefill,
                old,
                keep: 1000,
                ready: 0,
                ahead_percent: 0,
                most: 0,
                piece: if block == 1 { 999 } else { 0 },
                direct: false,
                sync: SyncCall::Fdatasync,
            };
            let how = JournalRule { block, buffer: 32_768, window: Duration::ZERO, window_sessions: 0 };
            let journal = Journal::new(how, JournalFiles::open(rule).unwrap(), Arc::default());
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
