//! While an engine starts, writes back or stops nothing is measured, and whoever looks after this process hears nothing of a
//! load: for as long as it takes, which with a large cache and a slow disk is minutes. It is heard instead that something
//! moves; what hangs says so, and is given up as a load is that hangs.

use crate::session::supervisor::Lifeline;
use crate::terminal::remark;
use model::Nanos;
use monitor::BelowSources;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

/// How often it is looked at.
const LOOK: Duration = Duration::from_millis(500);

/// A pause that is shorter is a disk's that is slow.
const PAUSE: Duration = Duration::from_secs(10);
/// So long it is enough that the disk answers somebody: what the engine sent may wait in a queue.
const QUEUED: Duration = Duration::from_secs(10 * 60);

/// By what it is seen that an engine is not stuck, and who is told.
#[derive(Clone)]
pub struct EngineWatch {
    pub engine: String,
    pub line: Lifeline,
    pub sources: BelowSources,
    /// After so long without a read or a write it is said.
    pub hang: Nanos,
}

/// Looks and tells until it is dropped.
pub struct Watching {
    _leave: Option<mpsc::Sender<()>>,
}

impl EngineWatch {
    pub fn begin(&self) -> Watching {
        let (leave, left) = mpsc::channel();
        let watch = self.clone();
        let looking = std::thread::Builder::new().name("engine-watch".into()).stack_size(256 << 10);
        // Without the thread nobody is heard, as while a load hangs.
        let begun = looking.spawn(move || watch.watch(&left)).is_ok();
        Watching { _leave: begun.then_some(leave) }
    }

    fn watch(mut self, left: &mpsc::Receiver<()>) {
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
                remark(&format!(
                    "{} is not done with starting, writing back or stopping, and nothing was read or written for {} s: \
                     its disk may hang",
                    self.engine,
                    still.elapsed().as_secs()
                ));
            }
            last = reading;
        }
    }
}
