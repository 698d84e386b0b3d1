//! Reports of progress while an engine starts, writes back or stops.
//!
//! These phases are not measured and can take minutes with a large cache and a slow disk. During them, the supervisor
//! of this process receives no reports of a load, so the watch reports that the engine makes progress. If the engine
//! hangs, the watch prints a warning, and the supervisor gives up as it does for a load that hangs.

use messages::sentence;
use model::Nanos;
use monitor::BelowSources;
use session::console::remark_of;
use session::supervisor::Lifeline;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

/// Interval between readings.
const LOOK: Duration = Duration::from_millis(500);

/// Minimum time without I/O after which the engine counts as hanging: shorter pauses are normal for a slow disk.
const PAUSE: Duration = Duration::from_secs(10);
/// Maximum time for which I/O of other processes on the disk counts as progress, because the engine's requests may be
/// queued.
const QUEUED: Duration = Duration::from_secs(10 * 60);

/// Watchdog for a stuck engine.
#[derive(Clone)]
pub struct EngineWatch {
    pub engine: String,
    pub line: Lifeline,
    pub sources: BelowSources,
    /// Time without reads and writes after which a warning is printed.
    pub hang: Nanos,
}

/// Handle of an active watch; dropping it ends the watch.
pub struct Watching {
    _leave: Option<mpsc::Sender<()>>,
}

impl EngineWatch {
    pub fn begin(&self) -> Watching {
        let (leave, left) = mpsc::channel();
        let watch = self.clone();
        let looking = std::thread::Builder::new().name("engine-watch".into()).stack_size(256 << 10);
        // Without the thread, the supervisor receives no reports, as if a load hung.
        let begun = looking.spawn(move || watch.watch(&left)).is_ok();
        Watching { _leave: begun.then_some(leave) }
    }

    fn watch(self, left: &mpsc::Receiver<()>) {
        let zero = Instant::now();
        let now = || Nanos(u64::try_from(zero.elapsed().as_nanos()).unwrap_or(u64::MAX));
        let mut last = self.sources.read(now());
        let (mut ours, mut still, mut said) = (Instant::now(), Instant::now(), false);
        while left.recv_timeout(LOOK) == Err(RecvTimeoutError::Timeout) {
            let reading = self.sources.read(now());
            if reading.moved_since(&last) {
                ours = Instant::now();
            }
            if ours.elapsed() < LOOK || reading.answered_since(&last) && ours.elapsed() < QUEUED {
                self.line.moves();
                still = Instant::now();
            } else if still.elapsed() > Duration::from_nanos(self.hang.as_nanos()).max(PAUSE) && !said {
                said = true;
                let (engine, seconds) = (self.engine.as_str(), still.elapsed().as_secs());
                remark_of(&sentence!("remark-engine-silent", engine, seconds));
            }
            last = reading;
        }
    }
}
