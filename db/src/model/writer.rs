//! The write daemon: writes back what was updated, in the phases of the engine that is modelled.

use super::buffer::AlignedBuffer;
use super::counts::add;
use super::journal::Journal;
use super::journal_files::ImageFile;
use super::page::PageId;
use super::pool::{OpenGlobal, Scratch, Wake, Woken};
use super::profile::TrickleOrder;
use super::shared::Shared;
use model::{EnginePhase, Nanos, Waiter};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use sys::{DeepQueue, FileSet, IoKind, Reaped, Submission, Wait};

/// The run's clock.
pub(super) type Clock = Arc<dyn Fn() -> u64 + Send + Sync>;

/// Looks so often whether so much is updated that it begins early.
const LOOK: Duration = Duration::from_millis(100);

/// Phases of a cycle by mgstat's numbers: 5 = writing the image journal, 8 = writing databases.
const IMAGE_PHASE: &str = "WDphase 5";
const DATA_PHASE: &str = "WDphase 8";

/// What writes back.
pub(super) struct WriteBack {
    pub shared: Arc<Shared>,
    pub clock: Clock,
    /// Directory of the image journal; `None` = there is none.
    pub image: Option<PathBuf>,
    pub wake: Arc<Wake>,
    /// One at a time, and its image journal.
    pub one: Mutex<Option<ImageFile>>,
}

impl WriteBack {
    fn counts(&self) -> &super::counts::Counts {
        &self.shared.counts
    }

    /// Writes back all there is now; over so long a time.
    pub fn run(&self, spread: Duration) -> io::Result<()> {
        let mut image = self.one.lock().unwrap_or_else(PoisonError::into_inner);
        let began = (self.clock)();
        self.shared.writing_back.store(true, Relaxed);
        let done = self.write_back(spread, &mut image);
        self.shared.writing_back.store(false, Relaxed);
        let pages = done?;
        if pages > 0 {
            add(&self.counts().write_backs, 1);
            self.tell_phase(&self.shared.profile.write_back.name.value, began, (self.clock)(), pages);
        }
        Ok(())
    }

    fn tell_phase(&self, name: &str, start: u64, end: u64, pages: u64) {
        let phase = EnginePhase { name: name.to_owned(), start: Nanos(start), end: Nanos(end), pages: Some(pages) };
        self.shared.phases.lock().unwrap_or_else(PoisonError::into_inner).push(phase);
    }

    fn write_back(&self, spread: Duration, image: &mut Option<ImageFile>) -> io::Result<u64> {
        let shared = &self.shared;
        let redo = shared.journal.as_ref().map(|j| j.end());
        shared.next_epoch();
        let mut moved = 0;
        for of in shared.all().iter().filter(|g| g.newest.is_some()) {
            moved += self.move_journal(of)?;
        }
        let mut pages = shared.pool.dirty_pages();
        pages.sort_unstable();
        let batch = match shared.profile.write_back.batch.value {
            0 => pages.len().max(1),
            n => n as usize,
        };
        let (began, all) = (Instant::now(), pages.len());
        let written = AtomicU64::new(0);
        for part in pages.chunks(batch) {
            let (from, length) = ((self.clock)(), part.len() as u64);
            self.images(part, image)?;
            let between = (self.clock)();
            self.data(part, &written, &|done| {
                let due = spread.mul_f64(done as f64 / all.max(1) as f64);
                // A stop, and a session that needs a buffer, are not kept waiting.
                self.wake.wait(due.saturating_sub(began.elapsed()), true) == Woken::Time
            })?;
            // One of each in a cycle; where they alternate all the time, they tell nothing.
            if self.image.is_some() && batch >= all && all > 0 {
                self.tell_phase(IMAGE_PHASE, from, between, length);
                self.tell_phase(DATA_PHASE, between, (self.clock)(), length);
            }
            if batch < all {
                self.sync_data()?;
            }
        }
        if all > 0 {
            if let Some(journal) = &shared.journal {
                self.flush_journal(journal, redo.unwrap_or(0))?;
            }
            self.sync_data()?;
        }
        if let (Some(journal), Some(redo)) = (&shared.journal, redo) {
            journal.with_files(|files, counts| files.written_back(redo, counts))?;
        }
        Ok(moved + written.load(Relaxed))
    }

    fn sync_data(&self) -> io::Result<()> {
        if self.shared.profile.pages.durable_writes.value {
            return Ok(());
        }
        let sync = || self.shared.all().iter().try_for_each(|of| of.global.sync(self.counts()));
        self.counts().data.timed(Waiter::Writers, sync)
    }

    fn flush_journal(&self, journal: &Journal, place: u64) -> io::Result<()> {
        self.counts().journal.timed(Waiter::Writers, || journal.flush(place, true).map(|_| ()))
    }

    /// First phase: all pages to the image journal, and that durable.
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
        let mut scratch = Scratch::new(page);
        for id in pages {
            if self.shared.pool.copy_dirty(*id, &mut scratch.page) {
                image.add(&scratch.page, self.counts())?;
            }
        }
        image.end(self.counts())
    }

    /// Second phase: all pages to their places, by several writers. `pace` is told how many are written, and waits until
    /// more are due; `false` = nobody waits any more.
    fn data(&self, pages: &[PageId], written: &AtomicU64, pace: &(dyn Fn(u64) -> bool + Sync)) -> io::Result<()> {
        if self.shared.profile.write_back.in_flight.value > 0 {
            return self.counts().data.timed(Waiter::Writers, || self.write_side_by_side(pages, written, pace));
        }
        let writers = (self.shared.profile.write_back.writers.value as usize).min(pages.len().max(1));
        if writers == 1 {
            return self.write_pages(pages, written, pace);
        }
        let part = pages.len().div_ceil(writers);
        std::thread::scope(|scope| {
            let started: Vec<_> =
                pages.chunks(part).map(|part| scope.spawn(move || self.write_pages(part, written, pace))).collect();
            let ended = started.into_iter().map(|w| w.join().unwrap_or_else(|_| Err(io::Error::other("it panicked"))));
            ended.fold(Ok(()), Result::and)
        })
    }

    /// All pages by one writer, with as many writes in flight as the profile says.
    fn write_side_by_side(
        &self,
        pages: &[PageId],
        written: &AtomicU64,
        pace: &(dyn Fn(u64) -> bool + Sync),
    ) -> io::Result<()> {
        let (shared, counts) = (&self.shared, self.counts());
        let depth = (shared.profile.write_back.in_flight.value as usize).min(pages.len());
        if depth == 0 {
            return Ok(());
        }
        let globals = shared.all();
        let files = globals.iter().map(|of| of.global.own_file()).collect::<io::Result<Vec<_>>>()?;
        let mut queue = DeepQueue::new(FileSet::new(files)?, depth as u32, shared.page)?;
        let mut free: Vec<u32> = (0..depth as u32).rev().collect();
        // What is under way: its page, its changes, and the place of its global.
        let mut under: Vec<(PageId, u64, usize)> = vec![(PageId { global: 0, page: 0 }, 0, 0); depth];
        let (mut next, mut paced, mut done) = (pages.iter().copied(), true, Ok(()));
        loop {
            while let Some(slot) = free.last().copied().filter(|_| done.is_ok()) {
                let Some(id) = next.next() else { break };
                let Some(at) = globals.iter().position(|of| of.global.number == id.global) else { continue };
                let Some((place, changes)) = shared.pool.begin_write(id, queue.buffer(slot)) else { continue };
                let of = &globals[at];
                if let Some(Err(error)) = of.journal.as_ref().map(|journal| self.flush_journal(journal, place)) {
                    shared.pool.written(id, changes, false);
                    done = Err(error);
                    break;
                }
                free.pop();
                under[slot as usize] = (id, changes, at);
                let (at, len) = (of.global.offset(id.page), shared.page as u32);
                let file = under[slot as usize].2 as u16;
                queue.push(std::iter::once(Submission { slot, kind: IoKind::Write, file, at, len, skip: 0 }));
            }
            if free.len() == depth {
                return done;
            }
            let mut ended = Vec::new();
            queue.reap(1, Wait::Forever, |answer| ended.push(answer))?;
            for Reaped { slot, result } in ended {
                let (id, changes, at) = under[slot as usize];
                let well = result == shared.page as i32;
                shared.pool.written(id, changes, well);
                free.push(slot);
                if !well {
                    let short = || io::Error::other(format!("{result} bytes of a page were written"));
                    done = Err(if result < 0 { io::Error::from_raw_os_error(-result) } else { short() });
                    continue;
                }
                globals[at].global.wrote(shared.page, counts);
                add(&counts.written_by_daemon, 1);
                let all = written.fetch_add(1, Relaxed) + 1;
                if paced {
                    paced = pace(all);
                }
            }
        }
    }

    fn write_pages(
        &self,
        pages: &[PageId],
        written: &AtomicU64,
        pace: &(dyn Fn(u64) -> bool + Sync),
    ) -> io::Result<()> {
        let (shared, rule) = (&self.shared, &self.shared.profile.write_back);
        let most = rule.pages_a_write.value as usize;
        let mut buffer = AlignedBuffer::new(most * shared.page);
        let mut run: Vec<(PageId, u64)> = Vec::with_capacity(most);
        let mut paced = true;
        // Runs of pages that the page cache has and was not told to write: where each begins, and how many.
        let mut waiting: Vec<(PageId, u64)> = Vec::new();
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
            let Some(of) = shared.global(first.global) else { continue };
            let journaled = of.journal.as_ref().map_or(Ok(()), |journal| self.flush_journal(journal, place));
            let bytes = &buffer[..run.len() * shared.page];
            let write = || of.global.write(first.page, bytes, self.counts());
            let done = journaled.and_then(|()| self.counts().data.timed(Waiter::Writers, write));
            for (id, changes) in &run {
                shared.pool.written(*id, *changes, done.is_ok());
            }
            done?;
            add(&self.counts().written_by_daemon, run.len() as u64);
            let all = written.fetch_add(run.len() as u64, Relaxed) + run.len() as u64;
            if rule.flush_after.value > 0 {
                match waiting.last_mut() {
                    Some((id, n)) if id.global == first.global && id.page + *n == first.page => *n += run.len() as u64,
                    _ => waiting.push((first, run.len() as u64)),
                }
                if waiting.iter().map(|(_, n)| n).sum::<u64>() >= rule.flush_after.value {
                    self.write_out(&mut waiting)?;
                }
            }
            if paced {
                paced = pace(all);
            }
        }
        self.write_out(&mut waiting)
    }

    /// Has the page cache begin to write these, and nothing between them.
    fn write_out(&self, waiting: &mut Vec<(PageId, u64)>) -> io::Result<()> {
        for (first, pages) in waiting.drain(..) {
            if let Some(of) = self.shared.global(first.global) {
                of.global.write_out(first.page, pages)?;
            }
        }
        Ok(())
    }

    /// Moves what the journal of a global holds to its pages: most of it beside the writer, the rest with the writer held up,
    /// and then the journal is cut to nothing.
    fn move_journal(&self, of: &OpenGlobal) -> io::Result<u64> {
        let (Some(newest), Some(journal)) = (&of.newest, &of.journal) else { return Ok(0) };
        let taken: Vec<(u64, u64)> = of.places().map(|p| p.iter().map(|(a, b)| (*a, *b)).collect()).unwrap_or_default();
        if taken.is_empty() {
            return Ok(0);
        }
        let mut moved = self.move_pages(of, taken.clone())?;
        let _alone = newest.writer.lock().unwrap_or_else(PoisonError::into_inner);
        let before: std::collections::HashMap<u64, u64> = taken.into_iter().collect();
        let rest: Vec<(u64, u64)> = of
            .places()
            .map(|p| p.iter().filter(|(page, place)| before.get(page) != Some(place)).map(|(a, b)| (*a, *b)).collect())
            .unwrap_or_default();
        moved += self.move_pages(of, rest)?;
        if let Some(mut places) = of.places() {
            places.clear();
            journal.truncate()?;
            newest.begin.store(journal.end(), Relaxed);
        }
        Ok(moved)
    }

    fn move_pages(&self, of: &OpenGlobal, mut pages: Vec<(u64, u64)>) -> io::Result<u64> {
        let (Some(newest), Some(journal)) = (&of.newest, &of.journal) else { return Ok(0) };
        if pages.is_empty() {
            return Ok(0);
        }
        pages.sort_unstable();
        self.flush_journal(journal, journal.end())?;
        let mut scratch = Scratch::new(self.shared.page);
        let data = &self.counts().data;
        for (page, place) in &pages {
            let read = || journal.read(*place, &mut scratch.page, &newest.reader, newest.begin.load(Relaxed));
            self.counts().journal.timed(Waiter::Writers, read)?;
            data.timed(Waiter::Writers, || of.global.write(*page, &scratch.page, self.counts()))?;
            add(&self.counts().written_by_daemon, 1);
        }
        data.timed(Waiter::Writers, || of.global.sync(self.counts()))?;
        Ok(pages.len() as u64)
    }

    /// Writes some of the updated pages, between two write-backs.
    fn trickle(&self, from: &mut Option<PageId>, taken: &mut u64) -> io::Result<()> {
        let most = self.shared.profile.write_back.trickle_pages.value as usize;
        let mut image = self.one.lock().unwrap_or_else(PoisonError::into_inner);
        if self.shared.profile.write_back.trickle_order.value == TrickleOrder::Buffers {
            let ahead = self.shared.profile.write_back.trickle_ahead_percent.value;
            let since = self.shared.pool.taken() - std::mem::replace(taken, self.shared.pool.taken());
            let free = (ahead > 0).then(|| (since * ahead / 100) as usize);
            let mut pages = self.shared.pool.next_to_go(most, free);
            // The page cache is told to write those side by side at once.
            pages.sort_unstable();
            return self.write_some(&pages, &mut image);
        }
        let mut pages = self.shared.pool.dirty_pages();
        pages.sort_unstable();
        // On from where the last one ended, round and round.
        let begin = from.map_or(0, |from| pages.partition_point(|id| *id <= from));
        pages.rotate_left(begin);
        pages.truncate(most);
        *from = pages.last().copied();
        pages.sort_unstable();
        self.write_some(&pages, &mut image)
    }

    fn write_some(&self, pages: &[PageId], image: &mut Option<ImageFile>) -> io::Result<()> {
        self.images(pages, image)?;
        self.data(pages, &AtomicU64::new(0), &|_| true)?;
        // Images are written over by the next ones.
        if self.image.is_some() && !pages.is_empty() { self.sync_data() } else { Ok(()) }
    }
}

/// The threads.
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
        Ok(daemon)
    }

    fn spawn(&mut self, name: &str, what: fn(&WriteBack) -> io::Result<()>) -> io::Result<()> {
        let work = Arc::clone(&self.work);
        let body = move || {
            let done = what(&work);
            if let Err(why) = &done {
                work.wake.fail(why);
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

    /// Ends the threads, and writes back all there is.
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
        // Early ones are as fast as they can be: somebody waits for buffers.
        work.run(if woken == Woken::Time && now >= next { spread } else { Duration::ZERO })?;
        // Where each global has its own, what was written back is gone from it.
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

fn trickle(work: &WriteBack) -> io::Result<()> {
    let every = Duration::from_millis(work.shared.profile.write_back.trickle_every_ms.value);
    let (mut from, mut taken) = (None, work.shared.pool.taken());
    while work.wake.wait(every, false) != Woken::Stop {
        // Beside a write-back there is nothing to do.
        if !work.shared.writing_back.load(Relaxed) {
            work.trickle(&mut from, &mut taken)?;
        }
    }
    Ok(())
}
