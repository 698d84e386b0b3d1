//! The write daemon, which writes back dirty pages in the phases of the modelled engine.

use super::buffer::AlignedBuffer;
use super::counts::add;
use super::further::FurtherFiles;
use super::journal::Journal;
use super::journal_files::ImageFile;
use super::page::{self, PageId};
use super::pool::{OpenGlobal, Wake, Woken};
use super::profile::TrickleOrder;
use super::shared::Shared;
use crate::{Clock, locked};
use model::Nanos;
use model::measured::{EnginePhase, Waiter};
use std::collections::VecDeque;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use sys::queues::{DeepQueue, FileSet, IoKind, Reaped, Submission, Wait};

/// Interval at which the daemon checks if a write-back must start early.
const LOOK: Duration = Duration::from_millis(100);

/// Interval at which a writer checks for new requests while it waits for its writes, in nanoseconds.
const ASKED_AGAIN: u64 = 500_000;

/// Name of the phase in which the image journal is written, with mgstat's number for this phase.
const IMAGE_PHASE: &str = "WDphase 5";
/// Name of the phase in which the data files are written, with mgstat's number for this phase.
const DATA_PHASE: &str = "WDphase 8";

/// Data and settings that a write-back needs.
pub(super) struct WriteBack {
    pub shared: Arc<Shared>,
    pub clock: Clock,
    /// Directory of the image journal; `None` if there is no image journal.
    pub image: Option<PathBuf>,
    pub wake: Arc<Wake>,
    /// Image journal. Its lock ensures that only one write-back runs at a time.
    pub one: Mutex<Option<ImageFile>>,
    /// Additional files that are written with each write-back.
    pub further: FurtherFiles,
    /// Pages that were written between two write-backs and are only in the page cache, because their write-out has not
    /// been requested yet.
    pub trickled: Mutex<Vec<PageId>>,
}

/// Reason for writing pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Writing {
    WriteBack,
    Trickle,
}

impl WriteBack {
    fn counts(&self) -> &super::counts::Counts {
        &self.shared.counts
    }

    /// Writes back all current updates, spread over this duration.
    pub fn run(&self, spread: Duration) -> io::Result<()> {
        let mut image = locked(&self.one);
        let began = (self.clock)();
        self.shared.writing_back.store(true, Relaxed);
        let done = self.write_back(spread, &mut image);
        self.shared.writing_back.store(false, Relaxed);
        let pages = done?;
        if pages > 0 {
            add(&self.counts().write_backs, 1);
            self.record_phase(&self.shared.profile.write_back.name.value, began, (self.clock)(), pages);
        }
        Ok(())
    }

    fn record_phase(&self, name: &str, start: u64, end: u64, pages: u64) {
        let phase = EnginePhase { name: name.to_owned(), start: Nanos(start), end: Nanos(end), pages: Some(pages) };
        locked(&self.shared.phases).push(phase);
    }

    fn write_back(&self, spread: Duration, image: &mut Option<ImageFile>) -> io::Result<u64> {
        let shared = &self.shared;
        let redo = shared.journal.as_ref().map(|j| j.end());
        shared.next_epoch();
        let mut moved = 0;
        for opened in shared.pool.all_globals().iter().filter(|g| g.newest.is_some()) {
            moved += self.move_journal(opened)?;
        }
        let mut pages = shared.pool.dirty_pages();
        pages.sort_unstable();
        let batch = match shared.profile.write_back.batch.value {
            0 => pages.len().max(1),
            n => n as usize,
        };
        let (began, total) = (Instant::now(), pages.len());
        let written = AtomicU64::new(0);
        for part in pages.chunks(batch) {
            let (from, length) = ((self.clock)(), part.len() as u64);
            self.images(part, image)?;
            let between = (self.clock)();
            self.data(Writing::WriteBack, part, &written, &|done| {
                let due = spread.mul_f64(done as f64 / total.max(1) as f64);
                // After a stop request, or if a session needs a buffer, the write-back continues without waiting.
                self.wake.wait(due.saturating_sub(began.elapsed()), true) == Woken::Time
            })?;
            // Phases are recorded only if a cycle has one phase of each kind. If phases alternate constantly, they
            // carry no information.
            if self.image.is_some() && batch >= total && total > 0 {
                self.record_phase(IMAGE_PHASE, from, between, length);
                self.record_phase(DATA_PHASE, between, (self.clock)(), length);
            }
            if batch < total {
                self.sync_data()?;
            }
        }
        if total > 0 {
            if let Some(journal) = &shared.journal {
                self.flush_journal(journal, redo.unwrap_or(0))?;
            }
            self.sync_data()?;
            self.counts().data.timed(Waiter::Writers, || self.further.write_back(self.counts()))?;
        }
        if let (Some(journal), Some(redo)) = (&shared.journal, redo) {
            let end = journal.end();
            journal.with_files(|files, counts| files.written_back(redo, end, counts))?;
        }
        Ok(moved + written.load(Relaxed))
    }

    fn sync_data(&self) -> io::Result<()> {
        if self.shared.profile.pages.durable_writes.value {
            return Ok(());
        }
        let sync = || self.shared.pool.all_globals().iter().try_for_each(|opened| opened.global.sync(self.counts()));
        self.counts().data.timed(Waiter::Writers, sync)
    }

    fn flush_journal(&self, journal: &Journal, place: u64) -> io::Result<()> {
        self.counts().journal.timed(Waiter::Writers, || journal.flush(place, true).map(|_| ()))
    }

    /// Runs phase one: writes all pages to the image journal and syncs it.
    fn images(&self, pages: &[PageId], image: &mut Option<ImageFile>) -> io::Result<()> {
        let (Some(directory), false) = (&self.image, pages.is_empty()) else { return Ok(()) };
        self.shared.pool.writes_image.store(true, Relaxed);
        let done = self.counts().image.timed(Waiter::Writers, || self.write_images(pages, directory, image));
        self.shared.pool.writes_image.store(false, Relaxed);
        done
    }

    fn write_images(&self, pages: &[PageId], directory: &Path, image: &mut Option<ImageFile>) -> io::Result<()> {
        let piece = self.shared.profile.write_back.image_write.value as usize;
        let page = self.shared.page;
        if image.is_none() {
            let piece = (piece / page).max(1) * page;
            *image = Some(ImageFile::open(directory, self.shared.profile.pages.direct.value, piece)?);
        }
        let Some(image) = image else { return Ok(()) };
        let mut scratch = AlignedBuffer::new(page);
        for id in pages {
            if self.shared.pool.copy_dirty(*id, &mut scratch) {
                image.add(&scratch, self.counts())?;
            }
        }
        image.end(self.counts())
    }

    /// Runs phase two: writes all pages to the data files, with several writers. `pace` is called with the number of
    /// written pages and waits until more pages are due. `pace` returns `false` once it no longer waits.
    fn data(
        &self,
        writing: Writing,
        pages: &[PageId],
        written: &AtomicU64,
        pace: &(dyn Fn(u64) -> bool + Sync),
    ) -> io::Result<()> {
        if self.shared.profile.write_back.in_flight.value > 0 {
            return self.counts().data.timed(Waiter::Writers, || self.write_side_by_side(pages, written, pace));
        }
        let writers = (self.shared.profile.write_back.writers.value as usize).min(pages.len().max(1));
        if writers == 1 {
            return self.write_pages(writing, pages, written, pace);
        }
        let part = pages.len().div_ceil(writers);
        std::thread::scope(|scope| {
            let write = |part| scope.spawn(move || self.write_pages(writing, part, written, pace));
            let started: Vec<_> = pages.chunks(part).map(write).collect();
            let ended = started.into_iter().map(|w| w.join().unwrap_or_else(|_| Err(io::Error::other("it panicked"))));
            ended.fold(Ok(()), Result::and)
        })
    }

    /// Writes all pages with one writer, with as many writes in flight as the profile specifies.
    fn write_side_by_side(
        &self,
        pages: &[PageId],
        written: &AtomicU64,
        pace: &(dyn Fn(u64) -> bool + Sync),
    ) -> io::Result<()> {
        let depth = (self.shared.profile.write_back.in_flight.value as usize).min(pages.len());
        if depth == 0 {
            return Ok(());
        }
        let mut flight = InFlight::new(&self.shared, depth)?;
        let mut next = pages.iter().copied();
        let mut paced = true;
        loop {
            while flight.has_room()
                && let Some(id) = next.next()
            {
                self.submit(&mut flight, id)?;
            }
            if flight.is_empty() {
                return Ok(());
            }
            for _ in 0..self.reap(&mut flight, Wait::Forever)? {
                let count = written.fetch_add(1, Relaxed) + 1;
                if paced {
                    paced = pace(count);
                }
            }
        }
    }

    /// Starts to write a page, if it is still dirty. On failure, waits for the writes in flight before returning.
    fn submit(&self, flight: &mut InFlight, id: PageId) -> io::Result<()> {
        let Some(at) = flight.globals.iter().position(|opened| opened.global.number == id.global) else {
            return Ok(());
        };
        let Some(slot) = flight.free.last().copied() else { return Ok(()) };
        let Some((place, changes)) = self.shared.pool.begin_write(id, flight.queue.buffer(slot)) else {
            return Ok(());
        };
        let opened = &flight.globals[at];
        if let Some(Err(error)) = opened.journal.as_ref().map(|journal| self.flush_journal(journal, place)) {
            self.shared.pool.written(id, changes, false);
            // The writes in flight use their buffers until they have ended.
            while !flight.is_empty() {
                self.reap(flight, Wait::Forever)?;
            }
            return Err(error);
        }
        let (place, len) = (opened.global.offset(id.page), page::sealed(flight.queue.buffer(slot)) as u32);
        flight.free.pop();
        flight.under[slot as usize] = (id, changes, at, len);
        let write = Submission { slot, kind: IoKind::Write, file: at as u16, at: place, len, skip: 0 };
        flight.queue.push(std::iter::once(write));
        Ok(())
    }

    /// Waits for writes in flight to end and returns their number.
    fn reap(&self, flight: &mut InFlight, wait: Wait) -> io::Result<usize> {
        let (shared, counts) = (&self.shared, self.counts());
        let mut ended = Vec::new();
        let mut done = flight.queue.reap(1, wait, |answer| ended.push(answer));
        for Reaped { slot, result } in &ended {
            let (id, changes, at, len) = flight.under[*slot as usize];
            let well = *result == len as i32;
            shared.pool.written(id, changes, well);
            shared.pool.unreaped(id);
            flight.free.push(*slot);
            if well {
                flight.globals[at].global.wrote(len as usize, counts);
                add(&counts.written_by_daemon, 1);
                continue;
            }
            let short = || io::Error::other(format!("only {result} bytes of a page were written"));
            done = Err(if *result < 0 { io::Error::from_raw_os_error(-result) } else { short() });
        }
        done.map(|()| ended.len())
    }

    fn write_pages(
        &self,
        writing: Writing,
        pages: &[PageId],
        written: &AtomicU64,
        pace: &(dyn Fn(u64) -> bool + Sync),
    ) -> io::Result<()> {
        let (shared, rule) = (&self.shared, &self.shared.profile.write_back);
        let most = rule.pages_a_write.value as usize;
        let mut buffer = AlignedBuffer::new(most * shared.page);
        let mut run: Vec<(PageId, u64)> = Vec::with_capacity(most);
        let mut paced = true;
        let (flush_after, mut waiting) = match writing {
            Writing::WriteBack => (rule.flush_after.value, Vec::new()),
            Writing::Trickle => (rule.trickle_flush_after(), std::mem::take(&mut *locked(&self.trickled))),
        };
        let mut at = 0;
        while at < pages.len() {
            run.clear();
            let mut place = 0;
            while at < pages.len() && run.len() < most {
                let id = pages[at];
                let follows = run.last().is_none_or(|(last, _)| last.global == id.global && last.page + 1 == id.page);
                if !follows {
                    break;
                }
                let room = &mut buffer[run.len() * shared.page..(run.len() + 1) * shared.page];
                at += 1;
                match shared.pool.begin_write(id, room) {
                    Some((behind, changes)) => {
                        place = place.max(behind);
                        run.push((id, changes));
                    }
                    None if run.is_empty() => {}
                    None => break,
                }
            }
            let Some((first, _)) = run.first().copied() else { continue };
            let Some(opened) = shared.pool.global(first.global) else { continue };
            let journaled = opened.journal.as_ref().map_or(Ok(()), |journal| self.flush_journal(journal, place));
            let length = if run.len() == 1 { page::sealed(&buffer[..shared.page]) } else { run.len() * shared.page };
            let bytes = &buffer[..length];
            let write = || opened.global.write(first.page, bytes, self.counts());
            let done = journaled.and_then(|()| self.counts().data.timed(Waiter::Writers, write));
            for (id, changes) in &run {
                shared.pool.written(*id, *changes, done.is_ok());
            }
            done?;
            add(&self.counts().written_by_daemon, run.len() as u64);
            let count = written.fetch_add(run.len() as u64, Relaxed) + run.len() as u64;
            if flush_after > 0 {
                waiting.extend(run.iter().map(|(id, _)| *id));
                if waiting.len() as u64 >= flush_after {
                    self.write_out(&mut waiting)?;
                }
            }
            if paced {
                paced = pace(count);
            }
        }
        match writing {
            Writing::WriteBack => self.write_out(&mut waiting),
            Writing::Trickle => {
                locked(&self.trickled).append(&mut waiting);
                Ok(())
            }
        }
    }

    /// Requests the write-out of exactly these pages from the page cache, with one call for each contiguous range.
    fn write_out(&self, waiting: &mut Vec<PageId>) -> io::Result<()> {
        waiting.sort_unstable();
        waiting.dedup();
        for run in waiting.chunk_by(|one, next| one.global == next.global && one.page + 1 == next.page) {
            if let Some(opened) = self.shared.pool.global(run[0].global) {
                opened.global.write_out(run[0].page, run.len() as u64)?;
            }
        }
        waiting.clear();
        Ok(())
    }

    /// Moves the contents of a global's journal to its pages, then truncates the journal. Most of the contents are
    /// moved while the writer continues, the rest while the writer waits.
    fn move_journal(&self, opened: &OpenGlobal) -> io::Result<u64> {
        let (Some(newest), Some(journal)) = (&opened.newest, &opened.journal) else { return Ok(0) };
        let taken: Vec<(u64, u64)> =
            opened.places().map(|p| p.iter().map(|(a, b)| (*a, *b)).collect()).unwrap_or_default();
        if taken.is_empty() {
            return Ok(0);
        }
        let mut moved = self.move_pages(opened, taken.clone())?;
        let _alone = locked(&newest.writer);
        let before: std::collections::HashMap<u64, u64> = taken.into_iter().collect();
        let rest: Vec<(u64, u64)> = opened
            .places()
            .map(|p| p.iter().filter(|(page, place)| before.get(page) != Some(place)).map(|(a, b)| (*a, *b)).collect())
            .unwrap_or_default();
        moved += self.move_pages(opened, rest)?;
        if let Some(mut places) = opened.places() {
            places.clear();
            journal.truncate()?;
            newest.begin.store(journal.end(), Relaxed);
        }
        Ok(moved)
    }

    fn move_pages(&self, opened: &OpenGlobal, mut pages: Vec<(u64, u64)>) -> io::Result<u64> {
        let (Some(newest), Some(journal)) = (&opened.newest, &opened.journal) else { return Ok(0) };
        if pages.is_empty() {
            return Ok(0);
        }
        pages.sort_unstable();
        self.flush_journal(journal, journal.end())?;
        let mut scratch = AlignedBuffer::new(self.shared.page);
        let data = &self.counts().data;
        for (page, place) in &pages {
            let read = || journal.read(*place, &mut scratch, &newest.reader, newest.begin.load(Relaxed));
            self.counts().journal.timed(Waiter::Writers, read)?;
            data.timed(Waiter::Writers, || opened.global.write(*page, &scratch, self.counts()))?;
            add(&self.counts().written_by_daemon, 1);
        }
        data.timed(Waiter::Writers, || opened.global.sync(self.counts()))?;
        Ok(pages.len() as u64)
    }

    /// Writes some of the dirty pages between two write-backs.
    fn trickle(&self, from: &mut Option<PageId>, taken: &mut u64) -> io::Result<()> {
        let most = self.shared.profile.write_back.trickle_pages.value as usize;
        let mut image = locked(&self.one);
        let (rule, pool) = (&self.shared.profile.write_back, &self.shared.pool);
        let pages = match rule.trickle_order.value {
            TrickleOrder::Age => pool.oldest(most),
            TrickleOrder::Buffers => {
                let (ahead, now) = (rule.trickle_ahead_percent.value, pool.taken());
                let since = now - std::mem::replace(taken, now);
                let free = (ahead > 0).then(|| (since * ahead / 100) as usize);
                let mut pages = pool.next_to_go(most, free);
                // One call requests the write-out of contiguous pages from the page cache.
                pages.sort_unstable();
                pages
            }
            TrickleOrder::Place => {
                let mut pages = pool.dirty_pages();
                pages.sort_unstable();
                // Continues after the last page of the previous call, and wraps around.
                let begin = from.map_or(0, |from| pages.partition_point(|id| *id <= from));
                pages.rotate_left(begin);
                pages.truncate(most);
                *from = pages.last().copied();
                pages.sort_unstable();
                pages
            }
        };
        self.images(&pages, &mut image)?;
        self.data(Writing::Trickle, &pages, &AtomicU64::new(0), &|_| true)?;
        // The next images overwrite the current ones, so the pages must be durable first.
        if self.image.is_some() && !pages.is_empty() { self.sync_data() } else { Ok(()) }
    }
}

/// One writer's concurrent writes, of one page each.
struct InFlight {
    globals: Vec<Arc<OpenGlobal>>,
    queue: DeepQueue,
    free: Vec<u32>,
    /// Writes in flight: the page, its number of changes, the index of its global, and the number of bytes.
    under: Vec<(PageId, u64, usize, u32)>,
}

impl InFlight {
    fn new(shared: &Shared, depth: usize) -> io::Result<InFlight> {
        let globals = shared.pool.all_globals();
        let files = globals.iter().map(|opened| opened.global.own_file()).collect::<io::Result<Vec<_>>>()?;
        let queue = DeepQueue::new(FileSet::new(files)?, depth as u32, shared.page)?;
        let free = (0..depth as u32).rev().collect();
        Ok(InFlight { globals, queue, free, under: vec![(PageId { global: 0, page: 0 }, 0, 0, 0); depth] })
    }

    fn has_room(&self) -> bool {
        !self.free.is_empty()
    }

    fn is_empty(&self) -> bool {
        self.free.len() == self.under.len()
    }

    /// Returns `true` if the file that was opened here still belongs to the current global with this number.
    fn knows(&self, shared: &Shared, number: u32) -> bool {
        let now = shared.pool.global(number);
        let known = self.globals.iter().find(|opened| opened.global.number == number);
        matches!((now, known), (Some(now), Some(known)) if Arc::ptr_eq(&now, known))
    }
}

/// The background threads of the model.
pub(super) struct Daemon {
    work: Arc<WriteBack>,
    threads: Vec<JoinHandle<io::Result<()>>>,
}

impl Daemon {
    pub fn start(work: WriteBack) -> io::Result<Daemon> {
        let work = Arc::new(work);
        let mut daemon = Daemon { work: Arc::clone(&work), threads: Vec::new() };
        let profile = &work.shared.profile;
        daemon.spawn("write-daemon", write_daemon)?;
        let lazy = profile.commits.lazy_every_ms.value;
        if lazy > 0 && !work.shared.how.durable && work.shared.journal.is_some() {
            daemon.spawn("journal-daemon", journal_daemon)?;
        }
        if profile.write_back.trickle_pages.value > 0 {
            daemon.spawn("trickle", trickle)?;
        }
        if profile.write_back.has_trigger() {
            daemon.spawn("trigger", write_asked)?;
        }
        Ok(daemon)
    }

    fn spawn(&mut self, name: &str, what: fn(&WriteBack) -> io::Result<()>) -> io::Result<()> {
        let work = Arc::clone(&self.work);
        let body = move || {
            let done = what(&work);
            if let Err(error) = &done {
                work.wake.fail(error);
            }
            done
        };
        match std::thread::Builder::new().name(name.to_owned()).spawn(body) {
            Ok(thread) => self.threads.push(thread),
            Err(error) => {
                self.work.wake.stop();
                return Err(error);
            }
        }
        Ok(())
    }

    pub fn write_back_now(&self) -> io::Result<()> {
        self.work.run(Duration::ZERO)
    }

    /// Ends the threads and writes everything back.
    pub fn stop(self) -> io::Result<()> {
        self.work.wake.stop();
        let mut done = Ok(());
        for thread in self.threads {
            done = done.and(thread.join().unwrap_or_else(|_| Err(io::Error::other("its thread panicked"))));
        }
        let last = self.work.run(Duration::ZERO);
        done.and(last)
    }
}

fn write_daemon(work: &WriteBack) -> io::Result<()> {
    let shared = &work.shared;
    let every = Duration::from_nanos(shared.how.write_back_every.as_nanos());
    let rule = &shared.profile.write_back;
    let spread = every.mul_f64(rule.spread_percent.value as f64 / 100.0);
    let early = |since: u64| {
        let (percent, most) = (rule.early_percent.value, rule.journal_bytes.value);
        (percent > 0 && shared.pool.dirty() * 100 >= shared.pool.frames() * percent)
            || (most > 0 && shared.journal_bytes(since) >= most)
    };
    let mut since = shared.journal.as_ref().map_or(0, |j| j.end());
    let mut next = Instant::now() + every;
    loop {
        let woken = work.wake.wait(next.saturating_duration_since(Instant::now()).min(LOOK), true);
        let now = Instant::now();
        match woken {
            Woken::Stop => return Ok(()),
            Woken::Time if now < next && !early(since) => continue,
            Woken::Time | Woken::Urgent => {}
        }
        // Early write-backs run at full speed, because sessions wait for buffers.
        work.run(if woken == Woken::Time && now >= next { spread } else { Duration::ZERO })?;
        // The journals of individual globals no longer contain updates that were written back.
        since = shared.journal.as_ref().map_or(0, |j| j.end());
        if now >= next {
            next += every;
            next = next.max(Instant::now());
        }
    }
}

fn journal_daemon(work: &WriteBack) -> io::Result<()> {
    let every = Duration::from_millis(work.shared.profile.commits.lazy_every_ms.value);
    while work.wake.wait(every, false) != Woken::Stop {
        if let Some(journal) = &work.shared.journal {
            work.flush_journal(journal, journal.end())?;
        }
    }
    Ok(())
}

/// Starts the writes that sessions request without waiting, regardless of how many are in flight.
fn write_asked(work: &WriteBack) -> io::Result<()> {
    let shared = &work.shared;
    let depth = shared.profile.write_back.in_flight.value as usize;
    if depth == 0 {
        while let Some(pages) = work.wake.asked(true) {
            work.data(Writing::Trickle, &pages, &AtomicU64::new(0), &|_| true)?;
        }
        return Ok(());
    }
    let mut flight: Option<InFlight> = None;
    let mut next = VecDeque::new();
    loop {
        let idle = flight.as_ref().is_none_or(InFlight::is_empty);
        match work.wake.asked(next.is_empty() && idle) {
            Some(pages) => next.extend(pages),
            None => next.clear(),
        }
        if next.is_empty() && idle {
            return Ok(());
        }
        while let Some(id) = next.front().copied() {
            if shared.pool.global(id.global).is_none() {
                next.pop_front();
                continue;
            }
            let known = flight.as_ref().is_some_and(|flight| flight.knows(shared, id.global));
            let under = match &mut flight {
                Some(under) if known && under.has_room() => under,
                // The writes in flight must end first.
                Some(under) if !under.is_empty() => break,
                other => other.insert(InFlight::new(shared, depth)?),
            };
            next.pop_front();
            work.submit(under, id)?;
        }
        if let Some(under) = flight.as_mut().filter(|flight| !flight.is_empty()) {
            work.counts().data.timed(Waiter::Writers, || work.reap(under, Wait::AtMost(ASKED_AGAIN)))?;
        }
    }
}

fn trickle(work: &WriteBack) -> io::Result<()> {
    let every = Duration::from_millis(work.shared.profile.write_back.trickle_every_ms.value);
    let (mut from, mut taken) = (None, work.shared.pool.taken());
    while work.wake.wait(every, false) != Woken::Stop {
        // There is nothing to do during a write-back.
        if !work.shared.writing_back.load(Relaxed) {
            work.trickle(&mut from, &mut taken)?;
        }
    }
    Ok(())
}
