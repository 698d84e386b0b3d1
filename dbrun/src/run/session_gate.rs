//! Gate that keeps sessions open until the counters of the measured time have been read. Closing a session may write: a
//! GT.M process writes back its cache, and the last connection of SQLite writes back its log. These writes are not part
//! of the measured time.

use load::session::{Batch, BatchResult, Session, Sessions};
use model::Job;
use session::locked::locked;
use std::io;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Maximum time for which sessions wait.
const PATIENCE: Duration = Duration::from_secs(5);

/// Gate at which the sessions of a wave wait after their work.
#[derive(Default)]
pub struct Gate {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    sessions: u32,
    waiting: u32,
    /// True once measuring has begun: from then on, sessions wait until the gate opens.
    armed: bool,
    open: bool,
}

impl Gate {
    /// Makes sessions wait from now on.
    pub fn arm(&self) {
        locked(&self.state).armed = true;
    }

    /// Returns `true` if all sessions have finished their work.
    pub fn all_wait(&self) -> bool {
        let state = locked(&self.state);
        state.armed && state.sessions > 0 && state.waiting == state.sessions
    }

    /// Releases the sessions.
    pub fn open(&self) {
        locked(&self.state).open = true;
        self.changed.notify_all();
    }

    fn wait(&self) {
        let mut state = locked(&self.state);
        state.waiting += 1;
        let deadline = Instant::now() + PATIENCE;
        while state.armed && !state.open {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return;
            }
            state = self.changed.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

/// Sessions of an engine that wait at the gate before they are closed.
pub struct Gated {
    pub inner: Arc<dyn Sessions>,
    pub gate: Arc<Gate>,
}

impl Sessions for Gated {
    fn open(&self, job: &Job, worker: u32) -> Result<Box<dyn Session>, String> {
        let inner = self.inner.open(job, worker)?;
        locked(&self.gate.state).sessions += 1;
        Ok(Box::new(Held { inner, gate: Arc::clone(&self.gate) }))
    }

    fn writing_back(&self) -> Arc<AtomicBool> {
        self.inner.writing_back()
    }
}

struct Held {
    inner: Box<dyn Session>,
    gate: Arc<Gate>,
}

impl Session for Held {
    fn perform(&mut self, batch: &Batch<'_>, result: &mut BatchResult) -> io::Result<()> {
        self.inner.perform(batch, result)
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        // The session itself is dropped after this wait.
        self.gate.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Nothing(Arc<AtomicBool>);

    impl Session for Nothing {
        fn perform(&mut self, _: &Batch<'_>, _: &mut BatchResult) -> io::Result<()> {
            Ok(())
        }
    }

    impl Drop for Nothing {
        fn drop(&mut self) {
            self.0.store(true, std::sync::atomic::Ordering::SeqCst);
        }
    }

    #[test]
    fn a_session_is_closed_only_when_its_counts_were_read() {
        let (gate, closed) = (Arc::new(Gate::default()), Arc::new(AtomicBool::new(false)));
        let held = |gate: &Arc<Gate>, closed: &Arc<AtomicBool>| {
            locked(&gate.state).sessions += 1;
            Held { inner: Box::new(Nothing(Arc::clone(closed))), gate: Arc::clone(gate) }
        };
        // Measuring has not begun, so a session that could not be used is closed immediately.
        drop(held(&gate, &closed));
        assert!(closed.swap(false, std::sync::atomic::Ordering::SeqCst) && !gate.all_wait());
        *locked(&gate.state) = State::default();
        gate.arm();
        let (worker_gate, worker_closed) = (Arc::clone(&gate), Arc::clone(&closed));
        let worker = std::thread::spawn(move || drop(held(&worker_gate, &worker_closed)));
        while !gate.all_wait() {
            std::thread::yield_now();
        }
        assert!(!closed.load(std::sync::atomic::Ordering::SeqCst));
        gate.open();
        worker.join().expect("no panic");
        assert!(closed.load(std::sync::atomic::Ordering::SeqCst));
    }
}
