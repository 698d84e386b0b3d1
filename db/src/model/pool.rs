//! The buffer pool: pages in memory, found by their number, replaced by the clock, read where they are missing and written
//! where their buffer is needed.

use super::buffer::AlignedBuffer;
use super::counts::{Counts, add};
use super::globals::Global;
use super::journal::Journal;
use super::page::{self, Layout, PageId};
use super::profile::Eviction;
use super::tree::Tree;
use model::Waiter;
use std::collections::HashMap;
use std::fs::File;
use std::io;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Parts that are locked by themselves, at most.
const SHARDS: usize = 16;
/// Least buffers of each, and of a pool.
pub(super) const LEAST: usize = 64;
/// How long a session waits for a buffer before it looks again.
const LOOK: Duration = Duration::from_millis(20);

/// The newest form of pages where the journal holds it: the place of each.
pub(super) struct Newest {
    pub places: Mutex<HashMap<u64, u64>>,
    pub reader: File,
    /// Place of the first byte in the file.
    pub begin: AtomicU64,
    /// One transaction at a time.
    pub writer: Mutex<()>,
}

/// A global, and the journal of its updates.
pub(super) struct OpenGlobal {
    pub global: Global,
    pub journal: Option<Arc<Journal>>,
    /// Where the journal holds whole pages.
    pub newest: Option<Newest>,
    /// Nodes inserted in random order when it was opened.
    pub scattered: u64,
    /// Where they lie; grown when the first is asked for.
    pub tree: Mutex<Option<Tree>>,
}

impl OpenGlobal {
    pub fn places(&self) -> Option<MutexGuard<'_, HashMap<u64, u64>>> {
        self.newest.as_ref().map(|n| n.places.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Reads the newest form of a page; `false` where there is none yet.
    fn read(&self, page: u64, into: &mut [u8], counts: &Counts) -> io::Result<bool> {
        if let (Some(newest), Some(journal)) = (&self.newest, &self.journal) {
            // Held while it is read: what is written back goes out of the journal.
            let places = newest.places.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(place) = places.get(&page) {
                journal.read(*place, into, &newest.reader, newest.begin.load(Relaxed))?;
                return Ok(true);
            }
        }
        self.global.read(page, into, counts)
    }
}

/// Whom to wake when there is no buffer to be had.
#[derive(Default)]
pub(super) struct Wake {
    state: Mutex<WakeState>,
    changed: Condvar,
}

#[derive(Default)]
struct WakeState {
    urgent: bool,
    stop: bool,
    /// Why nothing is written back any more.
    failed: Option<String>,
}

/// Why a wait ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Woken {
    Time,
    Urgent,
    Stop,
}

impl Wake {
    fn lock(&self) -> MutexGuard<'_, WakeState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn urgent(&self) {
        self.lock().urgent = true;
        self.changed.notify_all();
    }

    /// Nobody writes back any more: who waits for a buffer is not left waiting.
    pub fn fail(&self, why: &io::Error) {
        self.lock().failed = Some(why.to_string());
        self.changed.notify_all();
    }

    fn failure(&self) -> Option<String> {
        self.lock().failed.clone()
    }

    pub fn stop(&self) {
        self.lock().stop = true;
        self.changed.notify_all();
    }

    /// Waits so long, or until it is woken.
    pub fn wait(&self, at_most: Duration, heeds_urgent: bool) -> Woken {
        let due = std::time::Instant::now() + at_most;
        let mut state = self.lock();
        loop {
            if state.stop {
                return Woken::Stop;
            }
            if state.urgent && heeds_urgent {
                state.urgent = false;
                return Woken::Urgent;
            }
            let left = due.saturating_duration_since(std::time::Instant::now());
            if left.is_zero() {
                return Woken::Time;
            }
            state = self.changed.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

/// What is known of the page in a buffer.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Frame {
    page: Option<PageId>,
    /// Somebody reads it from its file.
    loading: bool,
    /// Somebody writes it.
    writing: bool,
    /// Turns of the hand that pass it over.
    used: u8,
    /// Updated, and not in its file yet.
    pub dirty: bool,
    /// Its journal must be written to this place before it is.
    pub place: u64,
    /// Write-back with which the journal last got an image of it.
    pub imaged: u64,
    /// Times it was updated.
    pub changes: u64,
}

struct Buffers {
    bytes: AlignedBuffer,
    frames: Vec<Frame>,
    found: HashMap<PageId, usize>,
    hand: usize,
}

struct Shard {
    buffers: Mutex<Buffers>,
    changed: Condvar,
}

/// How a pool works.
#[derive(Debug, Clone, Copy)]
pub(super) struct PoolRule {
    pub eviction: Eviction,
    /// Turns of the hand that a page used often is passed over.
    pub most_used: u8,
    /// A page that is added is written at once, empty.
    pub extends: bool,
}

/// The pool.
pub(super) struct Pool {
    shards: Vec<Shard>,
    page: usize,
    frames: u64,
    dirty: AtomicU64,
    taken: AtomicU64,
    rule: PoolRule,
    /// The write daemon is at its image journal.
    pub writes_image: AtomicBool,
    pub wake: Arc<Wake>,
    counts: Arc<Counts>,
}

/// Memory of a session or a writer for pages on their way.
pub(super) struct Scratch {
    pub page: AlignedBuffer,
}

impl Scratch {
    pub fn new(page: usize) -> Scratch {
        Scratch { page: AlignedBuffer::new(page) }
    }
}

/// Finds a global by its number, for pages that are written for others.
pub(super) type FindGlobal<'a> = &'a dyn Fn(u32) -> Option<Arc<OpenGlobal>>;

impl Pool {
    /// So many bytes of pages of this size.
    pub fn new(bytes: u64, page: usize, rule: PoolRule, wake: Arc<Wake>, counts: Arc<Counts>) -> Pool {
        let frames = (bytes / page as u64).max(LEAST as u64) as usize;
        let shards = (frames / LEAST).clamp(1, SHARDS);
        let each = frames / shards;
        let shard = |_| Shard {
            buffers: Mutex::new(Buffers {
                bytes: AlignedBuffer::new(each * page),
                frames: vec![Frame::default(); each],
                found: HashMap::with_capacity(2 * each),
                hand: 0,
            }),
            changed: Condvar::new(),
        };
        let frames = (each * shards) as u64;
        let (shards, writes_image) = ((0..shards).map(shard).collect(), false.into());
        Pool { shards, page, frames, dirty: 0.into(), taken: 0.into(), rule, writes_image, wake, counts }
    }

    /// Buffers in all.
    pub fn frames(&self) -> u64 {
        self.frames
    }

    /// Of these, updated ones.
    pub fn dirty(&self) -> u64 {
        self.dirty.load(Relaxed)
    }

    fn shard(&self, id: PageId) -> &Shard {
        let mixed = (id.page ^ (u64::from(id.global) << 32)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        &self.shards[(mixed >> 40) as usize % self.shards.len()]
    }

    fn lock(shard: &Shard) -> MutexGuard<'_, Buffers> {
        shard.buffers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Does something with a page while nobody else does. `make` = make it where it is not there; otherwise `None`.
    ///
    /// # Errors
    /// When it cannot be read, is damaged, or another could not be written to make room; and what `what` fails with.
    pub fn with_page<T>(
        &self,
        of: &OpenGlobal,
        number: u64,
        make: Option<Layout>,
        scratch: &mut Scratch,
        find: FindGlobal<'_>,
        what: impl FnOnce(&mut [u8], &mut Frame, bool) -> io::Result<T>,
    ) -> io::Result<Option<T>> {
        let id = of.global.id(number);
        let shard = self.shard(id);
        let mut buffers = Pool::lock(shard);
        let (at, fresh) = loop {
            if let Some(at) = buffers.found.get(&id).copied() {
                if buffers.frames[at].loading {
                    let wait = || shard.changed.wait(buffers).unwrap_or_else(PoisonError::into_inner);
                    buffers = self.counts.data.timed(Waiter::Sessions, wait);
                    continue;
                }
                add(&self.counts.hits, 1);
                break (at, false);
            }
            if make.is_none() && number >= of.global.pages() {
                return Ok(None);
            }
            let (again, free) = self.free_buffer(shard, buffers, scratch, find)?;
            buffers = again;
            let Some(at) = free else { continue };
            if buffers.found.contains_key(&id) {
                // Another was faster while this one made room.
                continue;
            }
            add(&self.taken, 1);
            buffers.frames[at] = Frame { page: Some(id), loading: true, ..Frame::default() };
            buffers.found.insert(id, at);
            drop(buffers);
            let read = self.counts.data.timed(Waiter::Sessions, || {
                let there = self.read(of, id, scratch)?;
                if !there && make.is_some() && self.rule.extends {
                    // Nobody else writes it meanwhile: it is being loaded.
                    scratch.page.fill(0);
                    of.global.write(id.page, &scratch.page, &self.counts)?;
                }
                Ok(there)
            });
            buffers = Pool::lock(shard);
            shard.changed.notify_all();
            let there = match read {
                Ok(true) => true,
                Ok(false) if make.is_some() => false,
                other => {
                    buffers.frames[at] = Frame::default();
                    buffers.found.remove(&id);
                    return other.map(|_| None);
                }
            };
            let Buffers { bytes, frames, .. } = &mut *buffers;
            let bytes = &mut bytes[at * self.page..(at + 1) * self.page];
            match make.filter(|_| !there) {
                Some(layout) => {
                    page::make(bytes, id, layout);
                    of.global.grow(number + 1);
                }
                None => bytes.copy_from_slice(&scratch.page),
            }
            frames[at].loading = false;
            frames[at].imaged = page::version(bytes);
            break (at, !there);
        };
        let Buffers { bytes, frames, .. } = &mut *buffers;
        let frame = &mut frames[at];
        frame.used = (frame.used + 1).min(self.rule.most_used);
        let before = frame.dirty;
        let done = what(&mut bytes[at * self.page..(at + 1) * self.page], frame, fresh);
        match (before, frame.dirty) {
            (false, true) => _ = self.dirty.fetch_add(1, Relaxed),
            (true, false) => _ = self.dirty.fetch_sub(1, Relaxed),
            _ => {}
        }
        done.map(Some)
    }

    fn read(&self, of: &OpenGlobal, id: PageId, scratch: &mut Scratch) -> io::Result<bool> {
        if id.page >= of.global.pages() {
            return Ok(false);
        }
        add(&self.counts.misses, 1);
        Ok(of.read(id.page, &mut scratch.page, &self.counts)?
            && page::verify(&mut scratch.page, id).map_err(io::Error::other)?)
    }

    /// A buffer that nothing is in, or none yet: then it is to be looked again.
    fn free_buffer<'a>(
        &'a self,
        shard: &'a Shard,
        mut buffers: MutexGuard<'a, Buffers>,
        scratch: &mut Scratch,
        find: FindGlobal<'_>,
    ) -> io::Result<(MutexGuard<'a, Buffers>, Option<usize>)> {
        let count = buffers.frames.len();
        for _ in 0..(usize::from(self.rule.most_used) + 1) * count + 1 {
            let at = buffers.hand;
            buffers.hand = (at + 1) % count;
            let frame = &mut buffers.frames[at];
            let Some(id) = frame.page else { return Ok((buffers, Some(at))) };
            if frame.loading || frame.writing {
                continue;
            }
            if frame.used > 0 {
                frame.used -= 1;
                continue;
            }
            if !frame.dirty {
                buffers.found.remove(&id);
                buffers.frames[at] = Frame::default();
                return Ok((buffers, Some(at)));
            }
            let Some(of) = find(id.global) else { continue };
            if self.rule.eviction == Eviction::Daemon || of.newest.is_some() {
                continue;
            }
            let (place, changes) = (frame.place, frame.changes);
            frame.writing = true;
            self.copy_sealed(&mut buffers, at, &mut scratch.page);
            drop(buffers);
            let journaled = of.journal.as_ref().map_or(Ok(()), |journal| {
                self.counts.journal.timed(Waiter::Sessions, || journal.flush(place, true).map(|_| ()))
            });
            let write = || of.global.write(id.page, &scratch.page, &self.counts);
            let written = journaled.and_then(|()| self.counts.data.timed(Waiter::Sessions, write));
            add(&self.counts.written_by_sessions, 1);
            self.written(id, changes, written.is_ok());
            written?;
            let mut buffers = Pool::lock(shard);
            let frame = &buffers.frames[at];
            // Unless somebody took it up meanwhile.
            if frame.page != Some(id) || frame.dirty || frame.writing || frame.used > 0 {
                return Ok((buffers, None));
            }
            buffers.found.remove(&id);
            buffers.frames[at] = Frame::default();
            return Ok((buffers, Some(at)));
        }
        if let Some(why) = self.wake.failure() {
            return Err(io::Error::other(format!(
                "the write daemon has ended, and there is no buffer to be had: {why}"
            )));
        }
        self.wake.urgent();
        // What the daemon writes while it is waited for: no wait is longer than a look.
        let role = if self.writes_image.load(Relaxed) { &self.counts.image } else { &self.counts.data };
        let wait = || shard.changed.wait_timeout(buffers, LOOK).unwrap_or_else(PoisonError::into_inner);
        Ok((role.timed(Waiter::Sessions, wait).0, None))
    }

    fn copy_sealed(&self, buffers: &mut Buffers, at: usize, into: &mut [u8]) {
        let imaged = buffers.frames[at].imaged;
        into.copy_from_slice(&buffers.bytes[at * self.page..(at + 1) * self.page]);
        page::seal(into, imaged);
    }

    /// Updated pages, in no order.
    pub fn dirty_pages(&self) -> Vec<PageId> {
        let mut all = Vec::with_capacity(self.dirty() as usize + 64);
        for shard in &self.shards {
            let buffers = Pool::lock(shard);
            all.extend(buffers.frames.iter().filter(|f| f.dirty && !f.writing).filter_map(|f| f.page));
        }
        all
    }

    /// Up to so many updated pages, those first whose buffers are needed next; no more of them than make `free` buffers ready to be
    /// used, where that is asked.
    pub fn next_to_go(&self, most: usize, free: Option<usize>) -> Vec<PageId> {
        let each = most.div_ceil(self.shards.len());
        let mut all = Vec::with_capacity(most + self.shards.len());
        for shard in &self.shards {
            let buffers = Pool::lock(shard);
            let (behind, ahead) = buffers.frames.split_at(buffers.hand);
            let in_turn = ahead.iter().chain(behind);
            let Some(free) = free else {
                let goes = |f: &&Frame| f.dirty && f.used == 0 && !f.writing;
                // What was used since the hand came by is passed over once.
                let found = in_turn.clone().filter(goes).chain(in_turn.filter(|f| f.dirty && f.used > 0 && !f.writing));
                all.extend(found.take(each).filter_map(|f| f.page));
                continue;
            };
            let ready = in_turn.filter(|f| f.used == 0 && !f.writing && !f.loading);
            all.extend(ready.take(free.div_ceil(self.shards.len())).filter(|f| f.dirty).filter_map(|f| f.page));
        }
        all.truncate(most);
        all
    }

    /// Buffers taken for other pages so far.
    pub fn taken(&self) -> u64 {
        self.taken.load(Relaxed)
    }

    /// Copies a page that is to be written, if it still is to be: what its journal must be written to, and its changes.
    /// [`Pool::written`] must follow.
    pub fn begin_write(&self, id: PageId, into: &mut [u8]) -> Option<(u64, u64)> {
        let mut buffers = Pool::lock(self.shard(id));
        let at = *buffers.found.get(&id)?;
        let frame = &mut buffers.frames[at];
        if !frame.dirty || frame.writing || frame.loading {
            return None;
        }
        frame.writing = true;
        let told = (frame.place, frame.changes);
        self.copy_sealed(&mut buffers, at, into);
        Some(told)
    }

    /// Copies a page that is updated, without writing it.
    pub fn copy_dirty(&self, id: PageId, into: &mut [u8]) -> bool {
        let mut buffers = Pool::lock(self.shard(id));
        let Some(at) = buffers.found.get(&id).copied().filter(|at| buffers.frames[*at].dirty) else { return false };
        self.copy_sealed(&mut buffers, at, into);
        true
    }

    /// It was written as it was after so many changes.
    pub fn written(&self, id: PageId, changes: u64, well: bool) {
        let shard = self.shard(id);
        let mut buffers = Pool::lock(shard);
        if let Some(at) = buffers.found.get(&id).copied() {
            let frame = &mut buffers.frames[at];
            frame.writing = false;
            if well && frame.changes == changes && frame.dirty {
                frame.dirty = false;
                self.dirty.fetch_sub(1, Relaxed);
            }
        }
        shard.changed.notify_all();
    }

    /// Forgets what is in no need to be written: all of a global, its updates too, or of all globals what is clean.
    pub fn forget(&self, global: Option<u32>) {
        for shard in &self.shards {
            let mut buffers = Pool::lock(shard);
            let Buffers { frames, found, .. } = &mut *buffers;
            for frame in frames.iter_mut() {
                let Some(id) = frame.page else { continue };
                let gone = global.map_or(!frame.dirty, |number| number == id.global);
                if gone && !frame.writing && !frame.loading {
                    if frame.dirty {
                        self.dirty.fetch_sub(1, Relaxed);
                    }
                    found.remove(&id);
                    *frame = Frame::default();
                }
            }
        }
    }
}
