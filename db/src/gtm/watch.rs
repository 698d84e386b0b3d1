//! Polls the counters of the engine to detect epochs. In an epoch, the engine writes all dirty blocks and then a
//! journal record.
//!
//! GT.M does not report epochs. It counts flushes of the whole cache when they begin (DFL), and epochs when they end
//! (JRE). In between, it counts the blocks that become dirty (BTD) and the blocks that are written (DWT). The polling
//! interval limits the resolution of the times.

use super::control::Control;
use crate::{Clock, locked};
use model::{Nanos, measured::EnginePhase};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex, mpsc};
use std::thread::JoinHandle;
use std::time::Duration;

/// Polling interval.
const EVERY: Duration = Duration::from_millis(25);

/// Counters from one poll. `at` is in nanoseconds on the clock of the run.
#[derive(Debug, Clone, Copy, PartialEq)]
struct CounterReading {
    at: u64,
    flushes: f64,
    epochs: f64,
    written: f64,
}

/// Derives phases from readings.
#[derive(Debug, Default)]
struct Phases {
    last: Option<CounterReading>,
    /// Last reading before a flush that is still active.
    begun: Option<CounterReading>,
    ended: Vec<EnginePhase>,
}

impl Phases {
    /// Processes a reading. Returns `true` if the engine is writing back now.
    fn take(&mut self, reading: CounterReading) -> bool {
        let Some(last) = self.last.replace(reading) else { return false };
        if self.begun.is_none() && (reading.flushes > last.flushes || reading.epochs > last.epochs) {
            self.begun = Some(last);
        }
        if reading.epochs > last.epochs
            && let Some(begun) = self.begun.take()
        {
            self.ended.push(phase(begun, reading));
        } else if let Some(begun) = self.begun
            && reading.written == last.written
            && reading.flushes == last.flushes
        {
            // A flush without an epoch (if there is no journal) is over when no more blocks are written.
            self.begun = None;
            self.ended.push(phase(begun, last));
        }
        self.begun.is_some()
    }
}

fn phase(from: CounterReading, to: CounterReading) -> EnginePhase {
    EnginePhase {
        name: "epoch".into(),
        start: Nanos(from.at),
        end: Nanos(to.at),
        pages: Some((to.written - from.written).max(0.0) as u64),
    }
}

/// The polling thread, which ends when this value is dropped.
pub struct Watch {
    phases: Arc<Mutex<Phases>>,
    stop: Option<mpsc::Sender<()>>,
    thread: Option<JoinHandle<()>>,
    flag: Arc<AtomicBool>,
}

impl Watch {
    /// Starts polling through `control`; `flag` is set while the engine writes back.
    ///
    /// # Errors
    /// Returns an error if the thread cannot be started.
    pub fn start(control: Arc<Control>, clock: Clock, flag: Arc<AtomicBool>) -> std::io::Result<Watch> {
        let phases = Arc::new(Mutex::new(Phases::default()));
        let (stop, stopped) = mpsc::channel::<()>();
        let (seen, raised) = (Arc::clone(&phases), Arc::clone(&flag));
        let reading = move || {
            while stopped.recv_timeout(EVERY) == Err(mpsc::RecvTimeoutError::Timeout) {
                // The next query reports the error.
                let Ok(counts) = control.counts() else { return };
                let [flushes, epochs, written] = ["DFL", "JRE", "DWT"].map(|name| counts.sum(&[name]));
                let reading = CounterReading { at: clock(), flushes, epochs, written };
                raised.store(locked(&seen).take(reading), Relaxed);
            }
        };
        let thread = std::thread::Builder::new().name("gtm-watch".into()).spawn(reading)?;
        Ok(Watch { phases, stop: Some(stop), thread: Some(thread), flag })
    }

    /// Returns the phases that ended since the last call, and the current phase.
    #[must_use]
    pub fn phases(&self) -> Vec<EnginePhase> {
        let mut phases = locked(&self.phases);
        let mut phases_done = std::mem::take(&mut phases.ended);
        if let (Some(begun), Some(last)) = (phases.begun, phases.last) {
            phases_done.push(phase(begun, last));
        }
        phases_done
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            // The thread does nothing that could panic.
            let _ = thread.join();
        }
        self.flag.store(false, Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reading(at: u64, flushes: f64, epochs: f64, written: f64) -> CounterReading {
        CounterReading { at, flushes, epochs, written }
    }

    #[test]
    fn an_epoch_lasts_from_the_flush_to_its_record() {
        let mut phases = Phases::default();
        let seen: Vec<bool> = [
            reading(1, 0.0, 0.0, 0.0),
            reading(2, 0.0, 0.0, 5.0),
            reading(3, 1.0, 0.0, 50.0),
            reading(4, 1.0, 0.0, 100.0),
            reading(5, 1.0, 1.0, 120.0),
            reading(6, 1.0, 1.0, 121.0),
        ]
        .map(|l| phases.take(l))
        .to_vec();
        assert_eq!(seen, [false, false, true, true, false, false]);
        let ended = &phases.ended;
        assert_eq!(ended.len(), 1);
        assert_eq!((ended[0].start, ended[0].end, ended[0].pages), (Nanos(2), Nanos(5), Some(115)));
    }

    #[test]
    fn one_that_fits_between_two_looks_is_not_missed_and_one_without_a_journal_ends() {
        let mut phases = Phases::default();
        for l in [
            reading(1, 0.0, 0.0, 0.0),
            reading(2, 1.0, 1.0, 9.0),
            reading(3, 2.0, 1.0, 20.0),
            reading(4, 2.0, 1.0, 20.0),
        ] {
            phases.take(l);
        }
        let spans: Vec<_> = phases.ended.iter().map(|p| (p.start.as_nanos(), p.end.as_nanos())).collect();
        assert_eq!(spans, [(1, 2), (2, 3)]);
        assert!(phases.begun.is_none());
    }
}
