//! Time that the threads of a load waited for a CPU, read by the collector, because a measuring thread must not open
//! files.

use load::worker::{Pulse, WorkerEnd};
use model::{Interval, Nanos, measured::CpuWait};
use std::sync::atomic::Ordering::Relaxed;

/// Returns the total wait of a thread of this process for a CPU, if the kernel reports it.
pub(crate) fn of_thread(thread: u32) -> Option<CpuWait> {
    let wait = sys::threads::run_queue_wait(thread)?;
    Some(CpuWait { time: Nanos(wait.ns), times: wait.times })
}

/// Waits of one thread.
#[derive(Default)]
pub(crate) struct Waits {
    /// Total wait before the load began.
    base: Option<CpuWait>,
    /// Wait since then, at the last reading.
    last: CpuWait,
}

impl Waits {
    /// Records the total wait before the load begins.
    pub(crate) fn begin(&mut self, pulse: &Pulse) {
        self.base = of_thread(pulse.thread.load(Relaxed));
    }

    /// Returns the wait since the load began: as reported by the thread if it has ended, otherwise from the kernel. If
    /// the thread has ended without a report, returns the last reading.
    pub(crate) fn so_far(&mut self, pulse: &Pulse, end: Option<&WorkerEnd>) -> Option<CpuWait> {
        let taken = match end {
            Some(end) => end.cpu_wait,
            None => of_thread(pulse.thread.load(Relaxed)).zip(self.base).map(|(now, base)| now.since(base)),
        };
        self.base?;
        self.take(taken);
        Some(self.last)
    }

    /// Updates the last reading, which never decreases: a thread continues to wait after its own final report, so an
    /// earlier value from the kernel may be higher and already be part of intervals.
    fn take(&mut self, taken: Option<CpuWait>) {
        let CpuWait { time, times } = taken.unwrap_or_default();
        self.last = CpuWait { time: self.last.time.max(time), times: self.last.times.max(times) };
    }
}

/// Distributes a wait over intervals in proportion to their lengths.
pub(crate) fn spread(waited: CpuWait, intervals: &mut [Interval]) {
    let whole: u64 = intervals.iter().map(|i| i.length.as_nanos()).sum();
    let (mut length, mut taken) = (0, CpuWait::default());
    let last = intervals.len().saturating_sub(1);
    for (n, interval) in intervals.iter_mut().enumerate() {
        length += interval.length.as_nanos();
        let part = |total: u64| (u128::from(total) * u128::from(length) / u128::from(whole.max(1))) as u64;
        let up_to_here = CpuWait { time: Nanos(part(waited.time.as_nanos())), times: part(waited.times) };
        let up_to_here = if n == last { waited } else { up_to_here };
        interval.cpu_wait = Some(up_to_here.since(taken));
        taken = up_to_here;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_threads_last_word_takes_nothing_back_that_was_told() {
        let waited = |ns: u64, times: u64| CpuWait { time: Nanos(ns), times };
        let mut waits = Waits { base: Some(CpuWait::default()), ..Waits::default() };
        waits.take(Some(waited(24_897_495, 646)));
        waits.take(Some(waited(24_894_942, 645)));
        assert_eq!(waits.last, waited(24_897_495, 646));
        waits.take(None);
        assert_eq!(waits.last, waited(24_897_495, 646));
    }

    #[test]
    fn waits_are_spread_over_time_and_none_is_lost() {
        let interval_of = |ms: u64| Interval { length: Nanos::from_millis(ms), ..Interval::default() };
        let spread_over = |lengths: &[u64]| -> Vec<(u64, u64)> {
            let mut intervals: Vec<Interval> = lengths.iter().map(|ms| interval_of(*ms)).collect();
            spread(CpuWait { time: Nanos(1000), times: 10 }, &mut intervals);
            intervals.iter().filter_map(|i| i.cpu_wait).map(|w| (w.time.as_nanos(), w.times)).collect()
        };
        assert_eq!(spread_over(&[1000, 500, 500]), [(500, 5), (250, 2), (250, 3)]);
        assert_eq!(spread_over(&[0]), [(1000, 10)]);
        assert_eq!(spread_over(&[]), []);
    }
}
