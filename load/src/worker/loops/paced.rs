//! Paced loop: one operation at a time, at regular intervals, as in ioping (`secchi ping`).
//!
//! Only the operation itself is timed. Choosing it, dropping its range from the page cache and filling the buffer come
//! before the first timestamp; recording comes after the second. The thread sleeps between operations. Before sleeping,
//! the thread sends its results to the collector, because the user is waiting to see them.

use crate::engine::Request;
use crate::pacer::Metronome;
use crate::pattern::NextIo;
use crate::recorder::Entry;
use crate::stamp::Stamp;
use crate::worker::{END_OF_FILE, Worker, sleep_or_spin};
use model::plan::{FlushKind, RequestInterval};
use model::{Nanos, Op};
use std::io;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;
use sys::clock::Clock;

/// Interval at which a sleeping thread checks whether it should stop, in nanoseconds.
const NAP: u64 = Nanos::from_millis(50).as_nanos();
/// Minimum pause before which results are sent immediately, in nanoseconds. Before a shorter pause, the results are
/// kept until the window ends.
const BREATH: u64 = Nanos::from_millis(2).as_nanos();

/// State of a paced loop.
pub struct PacedLoop {
    request_interval: RequestInterval,
    metronome: Metronome,
    /// Number of operations that have been started.
    begun: u64,
}

impl PacedLoop {
    /// Creates a loop with this interval between requests.
    pub(in crate::worker) fn new(request_interval: RequestInterval) -> Self {
        PacedLoop { request_interval, metronome: Metronome::new(request_interval, Nanos(0)), begun: 0 }
    }

    #[inline]
    fn due(&self) -> u64 {
        self.metronome.due().as_nanos()
    }
}

impl<K: Clock, S: Stamp, const PARTS: bool, const EVERY: bool, const RANKED: bool> Worker<K, S, PARTS, EVERY, RANKED> {
    pub(in crate::worker) fn paced_loop(&mut self, beating: &mut PacedLoop) -> io::Result<()> {
        beating.metronome = Metronome::new(beating.request_interval, Nanos(self.timeline.start));
        while !self.stopped {
            if self.left == 0 && !self.replenish() {
                break;
            }
            // Do not wait for an operation that is due after the end.
            if beating.due() >= self.shared.stop_at.load(Relaxed) {
                break;
            }
            let Some(looked) = self.await_due(beating) else { break };
            self.left -= 1;
            let place = self.next_of(beating)?;
            let now = self.perform_one(beating, place, looked)?;
            beating.metronome.ended(Nanos(now));
            if EVERY && beating.due() > now + BREATH {
                self.spill(now);
            }
        }
        Ok(())
    }

    /// Sleeps until the next operation is due. Returns the current time when the operation is due, or `None` if the
    /// loop should end.
    fn await_due(&mut self, beating: &PacedLoop) -> Option<u64> {
        loop {
            let now = self.clock.now();
            if now >= self.edge {
                self.roll(now);
            }
            if self.stopped || now >= self.shared.stop_at.load(Relaxed) {
                return None;
            }
            let left = beating.due().saturating_sub(now);
            match left {
                0 => return Some(now),
                // If latency counts from the due time, a late wake-up would count as storage latency.
                _ if left <= NAP && beating.request_interval.from_due => sleep_or_spin(&self.clock, left),
                _ => self.clock.sleep(left.min(NAP)),
            }
        }
    }

    /// Returns the next operation, after doing all work that must not be timed.
    #[inline]
    fn next_of(&mut self, beating: &mut PacedLoop) -> io::Result<NextIo> {
        let mut place = self.pattern.next_io();
        if beating.request_interval.by_turns {
            place.op = if beating.begun.is_multiple_of(2) { Op::Write } else { Op::Read };
        }
        beating.begun += 1;
        if beating.request_interval.uncached
            && let Some(file) = self.files.get(usize::from(place.file))
        {
            sys::storage::drop_cache(file, place.at..place.at + u64::from(place.len)).map_err(|e| {
                io::Error::new(e.kind(), format!("cannot drop a range from the page cache: {e}; use -C to keep it"))
            })?;
        }
        if S::WRITES && place.op == Op::Write {
            let buffer = self.engine.buffer(0);
            self.stamp.stamp(&mut buffer[..place.len as usize], &place);
        }
        Ok(place)
    }

    /// Performs and records one operation. Returns its completion time.
    #[inline]
    fn perform_one(&mut self, beating: &PacedLoop, place: NextIo, looked: u64) -> io::Result<u64> {
        let request = place.request(0);
        self.end.submitted += 1;
        // The watchdog is informed before the first timestamp, and results are recorded after the second, so neither
        // counts as storage latency.
        self.pulse.entered.store(looked, Relaxed);
        self.pulse.submitted.store(self.end.submitted, Relaxed);
        let issued = self.clock.now();
        let mut result = self.engine.single(&request, &mut self.done)?;
        let mut failed_flush = false;
        if beating.request_interval.durable && place.op == Op::Write && result > 0 {
            let flush = Request { op: Op::Flush, flush: FlushKind::Data, len: 0, ..request };
            let synced = self.engine.single(&flush, &mut self.done)?;
            failed_flush = synced < 0;
            result = if failed_flush { synced } else { result };
        }
        let now = self.clock.now();
        self.account_alone(issued, now);
        self.pulse.returned.store(self.end.submitted, Relaxed);
        self.book_one(beating, &request, place, result, (issued, now));
        if failed_flush && self.end.broken.is_none() {
            let error = io::Error::from_raw_os_error(-result);
            // The data that the flush should have made durable is lost, and yet the next flush would succeed.
            return Err(io::Error::new(error.kind(), format!("a flush failed: {error}")));
        }
        Ok(now)
    }

    #[inline]
    fn book_one(
        &mut self,
        beating: &PacedLoop,
        request: &Request,
        place: NextIo,
        result: i32,
        (issued, now): (u64, u64),
    ) {
        let latency = now.saturating_sub(issued);
        let waited = issued.saturating_sub(beating.due());
        let mut entry = Entry { time: now, latency, ..Entry::new(request, place.len) };
        if result > 0 {
            // A short operation is reported as short and not continued, because its latency would then include two
            // operations.
            let moved = result as u32;
            if moved < place.len {
                self.recorder.short(place.op);
            }
            self.recorder.done(place.op, moved, latency);
            if beating.request_interval.from_due {
                self.recorder.late_max = self.recorder.late_max.max(waited);
                self.recorder.responded(place.op, now.saturating_sub(beating.due()));
            }
            entry.len = moved;
        } else {
            self.fail(request, place.len, result, now, latency);
            entry.len = 0;
            entry.errno = if result == 0 { END_OF_FILE as u16 } else { result.unsigned_abs() as u16 };
        }
        if EVERY {
            entry.submission = waited;
            self.keep_surely(entry);
        }
    }

    /// Logs an operation. If the collector is late, this function waits, because the statistics are calculated from the
    /// log and no entry may be lost. Nothing is being timed meanwhile.
    #[inline]
    fn keep_surely(&mut self, entry: Entry) {
        while self.recorder.is_full() && !self.draining {
            self.spill(entry.time);
            if !self.recorder.is_full() || self.exchange.empty.is_abandoned() || self.shared.abandon.load(Relaxed) {
                break;
            }
            std::thread::sleep(Duration::from_micros(200));
        }
        self.recorder.keep(entry);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::{Blocking, Inline};
    use crate::worker::jobs_tests::{Ran, run};
    use crate::worker::tests::SimClock;
    use model::plan::{Access, ErrorPolicy, JobTuning, Mix, StopRule, TargetKind, Workload};
    use model::{Bytes, Job, Nanos, Target};

    const MS: u64 = Nanos::from_millis(1).as_nanos();

    /// Simulated device whose latency may depend on the number of completed operations.
    struct Device<F> {
        clock: SimClock,
        answered: u64,
        answer: F,
        buffer: Vec<u8>,
    }

    impl<F: FnMut(u64, &Request) -> (u64, i32)> Blocking for Device<F> {
        fn perform(&mut self, request: &Request) -> i32 {
            let (time, result) = (self.answer)(self.answered, request);
            self.answered += 1;
            self.clock.advance(time);
            result
        }
        fn buffer(&mut self) -> &mut [u8] {
            &mut self.buffer
        }
    }

    fn job(request_interval: RequestInterval, max_ops: Option<u64>, time: u64) -> Job {
        let mix = if request_interval.durable { Mix::WRITE } else { Mix::READ };
        Job {
            name: "ping".into(),
            workload: Workload::new(mix, Bytes(4096), Access::RANDOM),
            target: Target {
                kind: TargetKind::Null,
                path: "/none".into(),
                size: Bytes::from_mib(1),
                offset: Bytes(0),
                direct: false,
                align: Bytes(1),
                uuid: None,
            },
            more: Vec::new(),
            engine: "null".into(),
            queue_depth: 1,
            threads: 1,
            stop: StopRule { ramp: Nanos(0), time: Nanos(time), steady_after: None, max_ops },
            on_error: ErrorPolicy::Stop,
            seed: 1,
            faults: None,
            tuning: JobTuning {
                every_op: true,
                work: model::plan::Work::Paced(request_interval),
                ..JobTuning::default()
            },
        }
    }

    const SECOND: RequestInterval = RequestInterval {
        interval: Nanos(1000 * MS),
        burst: 0,
        from_due: false,
        uncached: false,
        durable: false,
        by_turns: false,
    };

    fn ping(job: &Job, answer: impl FnMut(u64, &Request) -> (u64, i32) + 'static) -> Ran {
        let clock = SimClock::new();
        run(job, clock, Box::new(Inline::new(Device { clock, answered: 0, answer, buffer: vec![0; 4096] })))
    }

    fn begins(ran: &Ran) -> Vec<u64> {
        ran.log.iter().map(|e| (e.time - e.latency) / MS).collect()
    }

    fn whole(time: u64) -> impl FnMut(u64, &Request) -> (u64, i32) {
        move |_, request| (time, request.len as i32)
    }

    #[test]
    fn requests_begin_at_the_beat_and_nothing_is_slept_after_the_last() {
        let ran = ping(&job(SECOND, Some(4), u64::MAX / 4), whole(MS));
        assert_eq!(begins(&ran), [0, 1000, 2000, 3000]);
        assert!(ran.log.iter().all(|e| e.latency == MS && e.len == 4096));
        assert_eq!(ran.end.completed, 4);
    }

    #[test]
    fn a_late_request_moves_the_beat_unless_it_counts_from_due() {
        let stall = |n: u64, r: &Request| (if n == 1 { 2500 * MS } else { MS }, r.len as i32);
        let ran = ping(&job(SECOND, Some(5), u64::MAX / 4), stall);
        assert_eq!(begins(&ran), [0, 1000, 3500, 4500, 5500]);
        let due = RequestInterval { from_due: true, ..SECOND };
        let ran = ping(&job(due, Some(5), u64::MAX / 4), stall);
        assert_eq!(begins(&ran), [0, 1000, 3500, 3501, 4000]);
        let response: Vec<u64> = ran.log.iter().map(|e| (e.submission + e.latency) / MS).collect();
        assert_eq!(response, [1, 2500, 1501, 502, 1], "the stall shows in every request it delayed");
        assert_eq!(ran.end.late_max, Nanos(1500 * MS));
    }

    #[test]
    fn a_burst_goes_without_pause_and_the_beat_follows_it() {
        let ran = ping(&job(RequestInterval { burst: 3, ..SECOND }, Some(7), u64::MAX / 4), whole(10 * MS));
        // As in ioping, the interval begins with the last operation of the burst.
        assert_eq!(begins(&ran), [0, 10, 20, 1020, 1030, 1040, 2040]);
    }

    #[test]
    fn a_time_limit_ends_it_when_the_next_one_would_come_later() {
        let ran = ping(&job(SECOND, None, 2500 * MS), whole(MS));
        assert_eq!(begins(&ran), [0, 1000, 2000]);
        let ran = ping(&job(SECOND, None, 2000 * MS), whole(MS));
        assert_eq!(begins(&ran), [0, 1000]);
    }

    #[test]
    fn a_write_is_timed_with_its_flush_and_ways_alternate() {
        let request_interval = RequestInterval { durable: true, by_turns: true, ..SECOND };
        let ran = ping(&job(request_interval, Some(4), u64::MAX / 4), |_, request| match request.op {
            Op::Flush => (5 * MS, 0),
            _ => (MS, request.len as i32),
        });
        let ways: Vec<(Op, u64)> = ran.log.iter().map(|e| (e.op, e.latency / MS)).collect();
        assert_eq!(ways, [(Op::Write, 6), (Op::Read, 1), (Op::Write, 6), (Op::Read, 1)]);
    }

    #[test]
    fn a_failed_flush_ends_everything() {
        let request_interval = RequestInterval { durable: true, ..SECOND };
        let ran = ping(&job(request_interval, Some(4), u64::MAX / 4), |_, request| match request.op {
            Op::Flush => (MS, -5),
            _ => (MS, request.len as i32),
        });
        assert!(ran.end.broken.is_some_and(|reason| reason.contains("flush")), "{:?}", ran.end.submitted);
        assert_eq!((ran.log.len(), ran.log[0].errno, ran.end.completed), (1, 5, 0));
    }

    #[test]
    fn what_would_block_is_told_and_goes_on_and_another_error_ends_it() {
        let mut job = job(SECOND, Some(4), u64::MAX / 4);
        job.tuning.ignore_errors[0] = vec![11];
        let ran = ping(&job, |n, request| (MS, if n == 1 { -11 } else { request.len as i32 }));
        assert_eq!(ran.log.iter().map(|e| (e.errno, e.len)).collect::<Vec<_>>()[..2], [(0, 4096), (11, 0)]);
        assert_eq!((ran.log.len(), ran.end.completed, ran.end.ignored), (4, 3, 1));
        let ran = ping(&job, |n, request| (MS, if n == 1 { -5 } else { request.len as i32 }));
        assert_eq!((ran.log.len(), ran.end.first_error), (2, 5));
    }

    #[test]
    fn a_short_request_counts_with_what_it_moved() {
        let ran = ping(&job(SECOND, Some(2), u64::MAX / 4), |n, r| (MS, if n == 0 { 512 } else { r.len as i32 }));
        assert_eq!(ran.log.iter().map(|e| e.len).collect::<Vec<_>>(), [512, 4096]);
        assert_eq!((ran.end.completed, ran.end.read_bytes), (2, 4608));
    }
}
