//! The buffer pool. Pages in memory are found by number and replaced by the clock algorithm. Missing pages are read,
//! and dirty pages (updated in memory, but not in their file yet) are written when their buffer is needed.

use super::buffer::AlignedBuffer;
use super::counts::{Counts, add};
use super::globals::Global;
use super::journal::Journal;
use super::page::{self, Layout, PageId};
use super::profile::{Eviction, Profile};
use super::tree::Tree;
use crate::locked;
use model::measured::Waiter;
use std::collections::{BTreeMap, HashMap};
use std::fs::File;
use std::io;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, RwLock};
use std::time::Duration;

/// Minimum number of buffers in the pool and in each of its parts.
pub(super) const LEAST: usize = 64;
/// Interval at which a session checks for a free buffer while it waits for one.
const LOOK: Duration = Duration::from_millis(20);

/// Journal places of the latest page versions.
pub(super) struct Newest {
    pub places: Mutex<HashMap<u64, u64>>,
    pub reader: File,
    /// Place in the journal of the first byte in `reader`'s file.
    pub begin: AtomicU64,
    /// Lock that allows only one transaction at a time.
    pub writer: Mutex<()>,
}

/// A global and the journal of its updates.
pub(super) struct OpenGlobal {
    pub global: Global,
    pub journal: Option<Arc<Journal>>,
    /// Places of whole pages in the journal, if the journal contains whole pages.
    pub newest: Option<Newest>,
    /// Number of randomly inserted nodes when the global was opened.
    pub scattered: u64,
    /// Tree of the randomly inserted nodes. It is built when it is first needed.
    pub tree: Mutex<Option<Tree>>,
}

impl OpenGlobal {
    pub fn places(&self) -> Option<MutexGuard<'_, HashMap<u64, u64>>> {
        self.newest.as_ref().map(|n| locked(&n.places))
    }

    /// Reads the latest version of a page. Returns `false` if it does not exist yet.
    fn read(&self, page: u64, into: &mut [u8], counts: &Counts) -> io::Result<bool> {
        if let (Some(newest), Some(journal)) = (&self.newest, &self.journal) {
            // The lock is held during the read, because a write-back removes pages from the journal.
            let places = locked(&newest.places);
            if let Some(place) = places.get(&page) {
                journal.read(*place, into, &newest.reader, newest.begin.load(Relaxed))?;
                return Ok(true);
            }
        }
        self.global.read(page, into, counts)
    }
}

/// Signal that wakes the writer when no buffer is available, or when pages must be written immediately.
#[derive(Default)]
pub(super) struct Wake {
    state: Mutex<WakeState>,
    changed: Condvar,
}

#[derive(Default)]
struct WakeState {
    urgent: bool,
    stop: bool,
    /// Pages to be written, requested by sessions that do not wait for the writes.
    asked: Vec<PageId>,
    /// Error that ended all write-backs.
    failed: Option<String>,
}

/// Reason why a wait ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Woken {
    Time,
    Urgent,
    Stop,
}

impl Wake {
    fn change(&self, how: impl FnOnce(&mut WakeState)) {
        how(&mut locked(&self.state));
        self.changed.notify_all();
    }

    pub fn urgent(&self) {
        self.change(|state| state.urgent = true);
    }

    /// Requests writes of these pages without waiting for the writes.
    fn ask(&self, pages: Vec<PageId>) {
        self.change(|state| state.asked.extend(pages));
    }

    /// Takes the pages to be written. With `waits`, waits until there are some. Returns `None` after a stop.
    pub fn asked(&self, waits: bool) -> Option<Vec<PageId>> {
        let mut state = locked(&self.state);
        while waits && !state.stop && state.asked.is_empty() {
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        (!state.stop).then(|| std::mem::take(&mut state.asked))
    }

    /// Records that pages are no longer written back, so that no session waits for a buffer forever.
    pub fn fail(&self, error: &io::Error) {
        self.change(|state| state.failed = Some(error.to_string()));
    }

    /// Returns `true` if pages are no longer written, because of a stop or a failure.
    fn has_ended(&self) -> bool {
        let state = locked(&self.state);
        state.stop || state.failed.is_some()
    }

    fn failure(&self) -> Option<String> {
        locked(&self.state).failed.clone()
    }

    pub fn stop(&self) {
        self.change(|state| state.stop = true);
    }

    /// Waits until another thread wakes the writer, but for at most this time.
    pub fn wait(&self, at_most: Duration, heeds_urgent: bool) -> Woken {
        let due = std::time::Instant::now() + at_most;
        let mut state = locked(&self.state);
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

/// State of a buffer and the page in it.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Frame {
    page: Option<PageId>,
    /// True while a session reads the page from its file.
    loading: bool,
    /// True while the page is being written.
    writing: bool,
    /// Number of times that the clock hand will skip this buffer.
    used: u8,
    /// True if the page was updated and is not in its file yet.
    pub dirty: bool,
    /// Place up to which the journal must be written before this page is written.
    pub place: u64,
    /// Epoch (number of the write-back) in which the page's image was last written to the journal.
    pub imaged: u64,
    /// Number of updates of the page.
    pub changes: u64,
    /// Sequence number that orders dirty pages by age; 0 if the page is not tracked, or if the page is being written
    /// and has not changed since the write began.
    age: u64,
    /// True if no session waited for the last write of the page, and the write's completion has not been processed
    /// yet.
    unreaped: bool,
    /// True if the file has an earlier version of the page.
    in_file: bool,
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

/// Dirty pages by age, and the trigger: the number of dirty pages above which the oldest pages are written.
#[derive(Default)]
struct Aged {
    pages: Mutex<BTreeMap<u64, PageId>>,
    next: AtomicU64,
    /// Number of dirty pages.
    level: AtomicU64,
    trigger: AtomicU64,
    /// Number of buffers taken since the last buffer with a dirty page.
    hits: AtomicU64,
}

impl Aged {
    fn change<T>(&self, how: impl FnOnce(&mut BTreeMap<u64, PageId>) -> T) -> T {
        let mut pages = locked(&self.pages);
        let done = how(&mut pages);
        self.level.store(pages.len() as u64, Relaxed);
        done
    }
}

/// A buffer pool.
pub(super) struct Pool {
    shards: Vec<Shard>,
    page: usize,
    frames: u64,
    dirty: AtomicU64,
    taken: AtomicU64,
    profile: Arc<Profile>,
    aged: Aged,
    /// Globals by number.
    pub globals: RwLock<BTreeMap<u32, Arc<OpenGlobal>>>,
    /// Common journal of all globals, if there is one.
    journal: Option<Arc<Journal>>,
    /// True while the write daemon writes the image journal.
    pub writes_image: AtomicBool,
    pub wake: Arc<Wake>,
    counts: Arc<Counts>,
}

impl Pool {
    /// Creates a pool of this size in bytes, with pages of `page` bytes. The number of its parts is limited so that each
    /// has at least [`LEAST`] buffers.
    pub fn new(
        bytes: u64,
        page: usize,
        profile: Arc<Profile>,
        journal: Option<Arc<Journal>>,
        wake: Arc<Wake>,
        counts: Arc<Counts>,
    ) -> Pool {
        let frames = (bytes / page as u64).max(LEAST as u64) as usize;
        let shards = (frames / LEAST).clamp(1, profile.pages.clocks.value as usize);
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
        let trigger = frames * profile.write_back.trigger_percent.value / 100;
        Pool {
            shards: (0..shards).map(shard).collect(),
            page,
            frames,
            dirty: 0.into(),
            taken: 0.into(),
            profile,
            aged: Aged { trigger: trigger.into(), ..Aged::default() },
            globals: RwLock::default(),
            journal,
            writes_image: false.into(),
            wake,
            counts,
        }
    }

    /// Returns the global with this number.
    pub fn global(&self, number: u32) -> Option<Arc<OpenGlobal>> {
        self.globals.read().unwrap_or_else(PoisonError::into_inner).get(&number).cloned()
    }

    /// Returns all globals, in the order of their numbers.
    pub fn all_globals(&self) -> Vec<Arc<OpenGlobal>> {
        self.globals.read().unwrap_or_else(PoisonError::into_inner).values().cloned().collect()
    }

    /// Adds a dirty page to the pages tracked by age.
    fn add_by_age(&self, frame: &mut Frame) {
        let Some(id) = frame.page.filter(|_| self.profile.write_back.tracks_age() && frame.age == 0) else { return };
        frame.age = self.aged.next.fetch_add(1, Relaxed) + 1;
        self.aged.change(|pages| pages.insert(frame.age, id));
    }

    /// Removes a page that is being written or dropped from the pages tracked by age. A later update adds it again as
    /// the youngest page.
    fn take_by_age(&self, frame: &mut Frame) {
        if frame.age > 0 {
            self.aged.change(|pages| pages.remove(&std::mem::take(&mut frame.age)));
        }
    }

    /// Takes up to `most` of the oldest dirty pages from the pages tracked by age. These pages are added again at their
    /// next update. A page whose journal is not written yet, or is being synced, becomes the youngest page (GT.M's
    /// wcs_wtstart).
    pub fn oldest(&self, most: usize) -> Vec<PageId> {
        let mut ids = Vec::with_capacity(most);
        let ready = self.journal.as_ref().map_or(u64::MAX, |journal| journal.ready());
        let behind = self.aged.next.load(Relaxed);
        while ids.len() < most {
            let oldest =
                self.aged.change(|pages| pages.first_entry().filter(|e| *e.key() <= behind).map(|e| e.remove_entry()));
            let Some((age, id)) = oldest else { break };
            let mut buffers = locked(&self.shard(id).buffers);
            if let Some(at) = buffers.found.get(&id).copied().filter(|at| buffers.frames[*at].age == age) {
                let frame = &mut buffers.frames[at];
                frame.age = 0;
                if frame.place > ready {
                    self.add_by_age(frame);
                } else {
                    ids.push(id);
                }
            }
        }
        ids
    }

    /// Makes room when a transaction that updated `pages` pages commits. If `pages` or fewer buffers are clean,
    /// requests writes of the oldest pages, lowers the trigger, and waits until enough buffers are clean (GT.M's
    /// wcs_get_space). `durable` is true if commits write the journal.
    ///
    /// # Errors
    /// Returns an error if the journal, which is written first, cannot be written.
    pub fn make_room(&self, pages: usize, durable: bool) -> io::Result<()> {
        let needed = pages as u64 + 1;
        let is_short = || self.frames.saturating_sub(self.dirty()) < needed.min(self.frames / 4);
        if !self.profile.write_back.has_trigger() || !is_short() {
            return Ok(());
        }
        self.wake.ask(self.oldest(needed as usize));
        if is_short() {
            self.move_trigger(true, false);
        }
        self.counts.data.timed(Waiter::Sessions, || {
            while is_short() && !self.wake.has_ended() {
                let more = self.oldest(needed as usize);
                match &self.journal {
                    // All dirty pages wait for the journal, which no commit writes.
                    Some(journal) if more.is_empty() && !durable => _ = journal.flush(journal.end(), false)?,
                    _ if more.is_empty() => {}
                    _ => self.wake.ask(more),
                }
                std::thread::sleep(Duration::from_millis(1));
            }
            Ok(())
        })
    }

    /// Requests writes of the oldest pages, without waiting for them, if more pages are dirty than the trigger allows.
    pub fn heed_trigger(&self) {
        let rule = &self.profile.write_back;
        if rule.has_trigger() && self.aged.level.load(Relaxed) >= self.aged.trigger.load(Relaxed) {
            let pages = self.oldest(rule.trigger_pages.value as usize);
            if !pages.is_empty() {
                self.wake.ask(pages);
            }
        }
    }

    /// Adjusts the trigger after a buffer was taken. `updated` is true if the page in the buffer had to be written.
    /// `round` is true if the clock hand had made a full round.
    fn move_trigger(&self, updated: bool, round: bool) {
        let (rule, aged) = (&self.profile.write_back, &self.aged);
        if !rule.has_trigger() {
            return;
        }
        let moved = |change: &dyn Fn(u64) -> u64| {
            _ = aged.trigger.fetch_update(Relaxed, Relaxed, |now| Some(change(now)));
        };
        let step = |now: u64| (now / rule.trigger_step.value.max(1)).max(1);
        if updated {
            moved(&|now| now.saturating_sub(step(now)).max(self.frames * rule.trigger_least_percent.value / 100));
        }
        if round {
            aged.hits.store(0, Relaxed);
        }
        if aged.hits.fetch_add(1, Relaxed) + 1 > self.frames {
            moved(&|now| (now + step(now)).min(self.frames * rule.trigger_percent.value / 100));
            aged.hits.store(0, Relaxed);
        }
    }

    /// Returns the number of buffers.
    pub fn frames(&self) -> u64 {
        self.frames
    }

    /// Returns the number of buffers with dirty pages.
    pub fn dirty(&self) -> u64 {
        self.dirty.load(Relaxed)
    }

    /// Returns the part of the pool for a page. Adjacent pages are in adjacent parts. Pages that are added in sequence
    /// therefore take buffers from the parts in turn and are replaced at about the same time, as if one clock served
    /// the whole pool. In each row of adjacent pages, the part for the first page is chosen by a hash, so that no
    /// stride of page numbers uses only a few parts.
    fn shard(&self, id: PageId) -> &Shard {
        let parts = self.shards.len() as u64;
        let row = (id.page / parts) ^ (u64::from(id.global) << 32);
        let begins = row.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40;
        &self.shards[((id.page % parts + begins) % parts) as usize]
    }

    /// Runs an action on a page with exclusive access. With `make`, a missing page is created. Without `make`, the
    /// result for a missing page is `None`.
    ///
    /// # Errors
    /// Returns an error if the page cannot be read or is damaged, if another page could not be written to make room, or
    /// if `what` fails.
    pub fn with_page<T>(
        &self,
        opened: &OpenGlobal,
        number: u64,
        make: Option<Layout>,
        scratch: &mut AlignedBuffer,
        what: impl FnOnce(&mut [u8], &mut Frame, bool) -> io::Result<T>,
    ) -> io::Result<Option<T>> {
        let id = opened.global.id(number);
        let shard = self.shard(id);
        let mut buffers = locked(&shard.buffers);
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
            if make.is_none() && number >= opened.global.pages() {
                return Ok(None);
            }
            let (again, free) = self.free_buffer(shard, buffers, scratch)?;
            buffers = again;
            let Some(at) = free else { continue };
            if buffers.found.contains_key(&id) {
                // Another session loaded the page while this session made room.
                continue;
            }
            add(&self.taken, 1);
            buffers.frames[at] = Frame { page: Some(id), loading: true, ..Frame::default() };
            buffers.found.insert(id, at);
            drop(buffers);
            if make.is_none() || number < opened.global.pages() {
                self.heed_trigger();
            }
            let read = self.counts.data.timed(Waiter::Sessions, || {
                let is_read = self.read(opened, id, scratch)?;
                if !is_read && make.is_some() && self.profile.pages.extends.value {
                    // No other thread writes the page in the meantime, because it is marked as loading.
                    scratch.fill(0);
                    opened.global.write(id.page, scratch, &self.counts)?;
                }
                Ok(is_read)
            });
            buffers = locked(&shard.buffers);
            shard.changed.notify_all();
            let in_file = match read {
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
            match make.filter(|_| !in_file) {
                Some(layout) => {
                    page::make(bytes, id, layout);
                    opened.global.grow(number + 1);
                }
                None => bytes.copy_from_slice(scratch),
            }
            frames[at].loading = false;
            frames[at].in_file = in_file;
            frames[at].imaged = page::version(bytes);
            break (at, !in_file);
        };
        let Buffers { bytes, frames, .. } = &mut *buffers;
        let frame = &mut frames[at];
        frame.used = (frame.used + 1).min(self.profile.pages.most_used.value as u8);
        let before = frame.dirty;
        let done = what(&mut bytes[at * self.page..(at + 1) * self.page], frame, fresh);
        match (before, frame.dirty) {
            (false, true) => _ = self.dirty.fetch_add(1, Relaxed),
            (true, false) => _ = self.dirty.fetch_sub(1, Relaxed),
            _ => {}
        }
        if frame.dirty {
            frame.unreaped = false;
            self.add_by_age(frame);
        } else {
            self.take_by_age(frame);
        }
        done.map(Some)
    }

    fn read(&self, opened: &OpenGlobal, id: PageId, scratch: &mut AlignedBuffer) -> io::Result<bool> {
        if id.page >= opened.global.pages() {
            return Ok(false);
        }
        add(&self.counts.misses, 1);
        Ok(opened.read(id.page, scratch, &self.counts)? && page::verify(scratch, id).map_err(io::Error::other)?)
    }

    /// Returns a free buffer, or `None` if the caller must search again because the lock was released in the meantime.
    fn free_buffer<'a>(
        &'a self,
        shard: &'a Shard,
        mut buffers: MutexGuard<'a, Buffers>,
        scratch: &mut AlignedBuffer,
    ) -> io::Result<(MutexGuard<'a, Buffers>, Option<usize>)> {
        let (count, pages) = (buffers.frames.len(), &self.profile.pages);
        for step in 0..(pages.most_used.value as usize + 1) * count + 1 {
            let at = buffers.hand;
            buffers.hand = (at + 1) % count;
            let Some(id) = buffers.frames[at].page else {
                self.move_trigger(false, false);
                return Ok((buffers, Some(at)));
            };
            if step == count && self.profile.write_back.reaps_late() {
                buffers.frames.iter_mut().for_each(|frame| frame.unreaped = false);
            }
            let frame = &mut buffers.frames[at];
            if frame.loading || frame.writing {
                continue;
            }
            if frame.used > 0 {
                frame.used -= 1;
                continue;
            }
            if frame.unreaped && step < count {
                continue;
            }
            if !frame.dirty {
                self.move_trigger(false, step > count);
                buffers.found.remove(&id);
                buffers.frames[at] = Frame::default();
                return Ok((buffers, Some(at)));
            }
            if pages.clean_first.value && step < count {
                continue;
            }
            let Some(opened) = self.global(id.global) else { continue };
            if pages.eviction.value == Eviction::Daemon || opened.newest.is_some() {
                continue;
            }
            let (place, changes) = (frame.place, frame.changes);
            frame.writing = true;
            self.take_by_age(frame);
            self.move_trigger(true, step > count);
            self.copy_sealed(&mut buffers, at, scratch);
            drop(buffers);
            let journaled = opened.journal.as_ref().map_or(Ok(()), |journal| {
                self.counts.journal.timed(Waiter::Sessions, || journal.flush(place, true).map(|_| ()))
            });
            let part = &scratch[..page::sealed(scratch)];
            let write = || opened.global.write(id.page, part, &self.counts);
            let written = journaled.and_then(|()| self.counts.data.timed(Waiter::Sessions, write));
            add(&self.counts.written_by_sessions, 1);
            self.written(id, changes, written.is_ok());
            written?;
            let mut buffers = locked(&shard.buffers);
            let frame = &buffers.frames[at];
            // The buffer is kept if another session used or updated the page in the meantime.
            if frame.page != Some(id) || frame.dirty || frame.writing || frame.used > 0 {
                return Ok((buffers, None));
            }
            buffers.found.remove(&id);
            buffers.frames[at] = Frame::default();
            return Ok((buffers, Some(at)));
        }
        if let Some(reason) = self.wake.failure() {
            return Err(io::Error::other(format!("the write daemon has ended, so no buffer can be freed: {reason}")));
        }
        self.wake.urgent();
        // The wait is attributed to the file that the daemon writes when the wait begins; no wait is longer than
        // `LOOK`.
        let role = if self.writes_image.load(Relaxed) { &self.counts.image } else { &self.counts.data };
        let wait = || shard.changed.wait_timeout(buffers, LOOK).unwrap_or_else(PoisonError::into_inner);
        Ok((role.timed(Waiter::Sessions, wait).0, None))
    }

    fn copy_sealed(&self, buffers: &mut Buffers, at: usize, into: &mut [u8]) {
        let Frame { imaged, in_file, .. } = buffers.frames[at];
        into.copy_from_slice(&buffers.bytes[at * self.page..(at + 1) * self.page]);
        let part = self.profile.pages.part_write.value as usize;
        let written = if part > 0 && in_file { page::used(into).next_multiple_of(part) } else { self.page };
        page::seal(into, imaged, written);
    }

    /// Returns the dirty pages, in no particular order.
    pub fn dirty_pages(&self) -> Vec<PageId> {
        let mut pages = Vec::with_capacity(self.dirty() as usize + 64);
        for shard in &self.shards {
            let buffers = locked(&shard.buffers);
            pages.extend(buffers.frames.iter().filter(|f| f.dirty && !f.writing).filter_map(|f| f.page));
        }
        pages
    }

    /// Returns up to `most` dirty pages, starting with the pages whose buffers are needed next. If `free` is given,
    /// returns only as many pages as needed to make `free` buffers available.
    pub fn next_to_go(&self, most: usize, free: Option<usize>) -> Vec<PageId> {
        let each = most.div_ceil(self.shards.len());
        let mut parts = Vec::with_capacity(self.shards.len());
        for shard in &self.shards {
            let buffers = locked(&shard.buffers);
            let (behind, ahead) = buffers.frames.split_at(buffers.hand);
            let in_turn = ahead.iter().chain(behind);
            let Some(free) = free else {
                let goes = |f: &&Frame| f.dirty && f.used == 0 && !f.writing;
                // The hand skips a page once if it was used since the hand last passed.
                let candidates =
                    in_turn.clone().filter(goes).chain(in_turn.filter(|f| f.dirty && f.used > 0 && !f.writing));
                parts.push(candidates.take(each).filter_map(|f| f.page).collect::<Vec<_>>());
                continue;
            };
            let ready = in_turn.filter(|f| f.used == 0 && !f.writing && !f.loading);
            let taken = ready.take(free.div_ceil(self.shards.len()));
            parts.push(taken.filter(|f| f.dirty).filter_map(|f| f.page).collect());
        }
        // The pages are taken from the parts in turn, so that no part is neglected if there are more pages than `most`.
        let longest = parts.iter().map(Vec::len).max().unwrap_or(0);
        (0..longest).flat_map(|i| parts.iter().filter_map(move |part| part.get(i).copied())).take(most).collect()
    }

    /// Returns the number of buffers that have been reassigned to other pages so far.
    pub fn taken(&self) -> u64 {
        self.taken.load(Relaxed)
    }

    /// Copies a dirty page so that it can be written. Returns the place up to which the journal must be written first,
    /// and the page's number of changes. The caller must call [`Pool::written`] afterwards. Returns `None` if the page
    /// is clean, or is being read or written.
    pub fn begin_write(&self, id: PageId, into: &mut [u8]) -> Option<(u64, u64)> {
        let mut buffers = locked(&self.shard(id).buffers);
        let at = *buffers.found.get(&id)?;
        let frame = &mut buffers.frames[at];
        if !frame.dirty || frame.writing || frame.loading {
            return None;
        }
        frame.writing = true;
        self.take_by_age(frame);
        let state = (frame.place, frame.changes);
        self.copy_sealed(&mut buffers, at, into);
        Some(state)
    }

    /// Copies a dirty page without marking it as being written.
    pub fn copy_dirty(&self, id: PageId, into: &mut [u8]) -> bool {
        let mut buffers = locked(&self.shard(id).buffers);
        let Some(at) = buffers.found.get(&id).copied().filter(|at| buffers.frames[*at].dirty) else { return false };
        self.copy_sealed(&mut buffers, at, into);
        true
    }

    /// Records the end of a write that no session waits for.
    pub fn unreaped(&self, id: PageId) {
        if self.profile.write_back.reaps_late() {
            let mut buffers = locked(&self.shard(id).buffers);
            if let Some(at) = buffers.found.get(&id).copied() {
                buffers.frames[at].unreaped = !buffers.frames[at].dirty;
            }
        }
    }

    /// Records that a write of the page has ended. `changes` is the number of changes in the written version. `well` is
    /// true if the write succeeded.
    pub fn written(&self, id: PageId, changes: u64, well: bool) {
        let shard = self.shard(id);
        let mut buffers = locked(&shard.buffers);
        if let Some(at) = buffers.found.get(&id).copied() {
            let frame = &mut buffers.frames[at];
            frame.writing = false;
            frame.in_file |= well;
            if well && frame.changes == changes && frame.dirty {
                frame.dirty = false;
                self.dirty.fetch_sub(1, Relaxed);
                self.take_by_age(frame);
            } else if frame.dirty {
                self.add_by_age(frame);
            }
        }
        shard.changed.notify_all();
    }

    /// Drops all pages of one global, including dirty pages. With `None`, drops the clean pages of all globals.
    pub fn forget(&self, global: Option<u32>) {
        for shard in &self.shards {
            let mut buffers = locked(&shard.buffers);
            let Buffers { frames, found, .. } = &mut *buffers;
            for frame in frames.iter_mut() {
                let Some(id) = frame.page else { continue };
                let gone = global.map_or(!frame.dirty, |number| number == id.global);
                if gone && !frame.writing && !frame.loading {
                    if frame.dirty {
                        self.dirty.fetch_sub(1, Relaxed);
                    }
                    self.take_by_age(frame);
                    found.remove(&id);
                    *frame = Frame::default();
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::profile::{TrickleOrder, choose_profile};
    use super::*;
    use proptest::prelude::*;

    const PAGE: usize = 512;

    fn profile(clocks: u64, trigger: bool) -> Profile {
        let mut profile = Profile::parse(&choose_profile("postgres").unwrap().text).unwrap();
        let (pages, back) = (&mut profile.pages, &mut profile.write_back);
        (pages.eviction.value, pages.clocks.value, pages.clean_first.value) = (Eviction::Session, clocks, trigger);
        (pages.most_used.value, pages.extends.value, pages.part_write.value) = (1, false, 0);
        back.in_flight.value = u64::from(trigger);
        back.trickle_order.value = TrickleOrder::Place;
        let [percent, least, step, most] = if trigger { [50, 25, 4, 7] } else { [0; 4] };
        (back.trigger_percent.value, back.trigger_least_percent.value) = (percent, least);
        (back.trigger_step.value, back.trigger_pages.value) = (step, most);
        profile
    }

    /// Creates a global and a pool with this global.
    fn opened(at: &std::path::Path, frames: u64, profile: Profile) -> (Arc<OpenGlobal>, Pool, Arc<Wake>) {
        let global = Global::make(at, 1, PAGE, &profile.pages).unwrap();
        let opened = OpenGlobal { global, journal: None, newest: None, scattered: 0, tree: Mutex::default() };
        let (opened, wake) = (Arc::new(opened), Arc::<Wake>::default());
        let pool = Pool::new(frames * PAGE as u64, PAGE, profile.into(), None, Arc::clone(&wake), Arc::default());
        pool.globals.write().unwrap().insert(1, Arc::clone(&opened));
        (opened, pool, wake)
    }

    const LAYOUT: Layout = Layout { nodes: 4, place: 40 };

    fn update(pool: &Pool, opened: &Arc<OpenGlobal>, page: u64) {
        let mut scratch = AlignedBuffer::new(PAGE);
        let change = |bytes: &mut [u8], frame: &mut Frame, _| {
            page::set(bytes, LAYOUT, 0, &page.to_le_bytes());
            frame.dirty = true;
            frame.changes += 1;
            Ok(())
        };
        pool.with_page(opened, page, Some(LAYOUT), &mut scratch, change).unwrap().unwrap();
    }

    fn write(pool: &Pool, opened: &OpenGlobal, id: PageId) {
        let mut bytes = vec![0; PAGE];
        if let Some((_, changes)) = pool.begin_write(id, &mut bytes) {
            opened.global.write(id.page, &bytes, &pool.counts).unwrap();
            pool.written(id, changes, true);
        }
    }

    #[test]
    fn pages_side_by_side_come_to_their_turn_together() {
        let dir = tempfile::tempdir().unwrap();
        for clocks in [1, 4, 16] {
            let at = dir.path().join(clocks.to_string());
            std::fs::create_dir(&at).unwrap();
            let (opened, pool, _) = opened(&at, 1024, profile(clocks, false));
            for page in 0..1500 {
                update(&pool, &opened, page);
            }
            // The next pages to be replaced are the oldest ones in the pool.
            let mut next: Vec<u64> = pool.next_to_go(64, None).iter().map(|id| id.page).collect();
            next.sort_unstable();
            let (first, last) = (next[0], next[next.len() - 1]);
            assert_eq!(next.len(), 64, "{clocks}");
            assert!(last - first < if clocks == 1 { 64 } else { 160 }, "{clocks}: {first} to {last}");
        }
    }

    #[test]
    fn above_the_trigger_the_oldest_are_written_and_it_falls_and_rises() {
        let dir = tempfile::tempdir().unwrap();
        let (opened, pool, wake) = opened(dir.path(), 128, profile(1, true));
        for page in 0..63 {
            update(&pool, &opened, page);
        }
        pool.heed_trigger();
        assert_eq!(wake.asked(false), Some(vec![]), "63 of 64");
        update(&pool, &opened, 63);
        // A second update does not make the page younger.
        update(&pool, &opened, 0);
        pool.heed_trigger();
        let asked: Vec<u64> = wake.asked(false).unwrap().iter().map(|id| id.page).collect();
        assert_eq!(asked, [0, 1, 2, 3, 4, 5, 6]);
        // The pages no longer count as dirty pages until their next update.
        pool.heed_trigger();
        assert_eq!(wake.asked(false), Some(vec![]));
        update(&pool, &opened, 3);
        assert_eq!(pool.oldest(100).iter().map(|id| id.page).collect::<Vec<_>>().last(), Some(&3));
        assert_eq!(pool.aged.trigger.load(Relaxed), 64);
        // There are more dirty pages than buffers: sessions write, and the trigger falls to its lower bound.
        for page in 64..400 {
            update(&pool, &opened, page);
        }
        assert_eq!(pool.aged.trigger.load(Relaxed), 32);
        for page in pool.dirty_pages() {
            write(&pool, &opened, page);
        }
        assert_eq!((pool.dirty(), pool.aged.level.load(Relaxed)), (0, 0));
        // While no page has to be written, the trigger rises again.
        for turn in 0..20 {
            for page in 0..200 {
                let touch = |_: &mut [u8], _: &mut Frame, _| Ok(());
                let mut scratch = AlignedBuffer::new(PAGE);
                pool.with_page(&opened, (page + turn) % 300, None, &mut scratch, touch).unwrap();
            }
        }
        assert_eq!(pool.aged.trigger.load(Relaxed), 64);
    }

    proptest! {
        /// Checks any sequence of updates, writes and drops. Each dirty page must be tracked by age exactly once, no
        /// other page may be tracked, and every update must be read back.
        #[test]
        fn updated_pages_are_kept_by_age_once(steps in prop::collection::vec((0_u8..5, 0_u64..120), 1..400), clocks in 1_u64..4) {
            let dir = tempfile::tempdir().unwrap();
            let (opened, pool, wake) = opened(dir.path(), 64, profile(clocks, true));
            let mut updated = std::collections::BTreeSet::new();
            // Pages that were taken to be written, but whose writes have not been started yet.
            let mut taken = Vec::new();
            for (step, page) in steps {
                match step {
                    0..=2 => {
                        update(&pool, &opened, page);
                        updated.insert(page);
                    }
                    3 => taken.extend(pool.oldest(3)),
                    _ => {
                        pool.heed_trigger();
                        taken.extend(wake.asked(false).unwrap());
                        taken.drain(..).for_each(|id| write(&pool, &opened, id));
                    }
                }
                // Reads of pages also request writes.
                taken.extend(wake.asked(false).unwrap());
                let kept = pool.aged.pages.lock().unwrap().values().copied().collect::<Vec<_>>();
                let distinct: std::collections::BTreeSet<PageId> = kept.iter().copied().collect();
                prop_assert_eq!((distinct.len(), pool.aged.level.load(Relaxed)), (kept.len(), kept.len() as u64));
                let dirty: std::collections::BTreeSet<PageId> = pool.dirty_pages().into_iter().collect();
                prop_assert!(distinct.is_subset(&dirty));
                prop_assert!(dirty.iter().all(|id| distinct.contains(id) || taken.contains(id)));
            }
            for page in updated {
                let read_value = |bytes: &mut [u8], _: &mut Frame, _| Ok(page::value(bytes, LAYOUT, 0).map(<[u8]>::to_vec));
                let mut scratch = AlignedBuffer::new(PAGE);
                let read = pool.with_page(&opened, page, None, &mut scratch, read_value).unwrap().flatten();
                prop_assert_eq!(read, Some(page.to_le_bytes().to_vec()));
            }
        }
    }
}
