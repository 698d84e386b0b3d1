//! Two background threads. One requests checkpoints more often than the server would perform them itself. The other
//! monitors the checkpointer of a server whose log we cannot read.

use super::link::{Link, error_text};
use super::watch::{Watch, since_1970};
use std::sync::Arc;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread::JoinHandle;
use std::time::Duration;

/// Interval between queries of the checkpointer's state.
const POLL_INTERVAL: Duration = Duration::from_millis(100);

/// A thread that repeats an action at an interval. The thread ends when this value is dropped.
pub struct Daemon {
    end: Option<mpsc::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Daemon {
    fn start(
        name: &str,
        every: Duration,
        watch: Arc<Watch>,
        mut work: impl FnMut() -> Result<(), postgres::Error> + Send + 'static,
    ) -> Result<Daemon, String> {
        let (end, ended) = mpsc::channel();
        let what = name.to_owned();
        let thread = std::thread::Builder::new().name(name.into()).spawn(move || {
            while ended.recv_timeout(every) == Err(RecvTimeoutError::Timeout) {
                if let Err(e) = work() {
                    watch.failed(format!("{what}: {}", error_text(&e)));
                    return;
                }
            }
        });
        let thread = thread.map_err(|e| e.to_string())?;
        Ok(Daemon { end: Some(end), thread: Some(thread) })
    }

    /// Starts a thread that requests a checkpoint at this interval. The error is one clause.
    pub fn checkpoints(link: &Link, every: Duration, watch: &Arc<Watch>) -> Result<Daemon, String> {
        let mut client = link.connect("checkpoints").map_err(|e| error_text(&e))?;
        let work = move || client.batch_execute("CHECKPOINT");
        Daemon::start("checkpoints", every, Arc::clone(watch), work)
    }

    /// Starts a thread that polls the checkpointer's wait event. Between two checkpoints, the event is
    /// `CheckpointerMain`. The error is one clause.
    pub fn watch_checkpointer(link: &Link, watch: &Arc<Watch>) -> Result<Daemon, String> {
        let mut client = link.connect("watch").map_err(|e| error_text(&e))?;
        let at_work = client
            .prepare(
                "SELECT coalesce(bool_or(wait_event IS DISTINCT FROM 'CheckpointerMain'), false) FROM pg_stat_activity \
                 WHERE backend_type = 'checkpointer'",
            )
            .map_err(|e| error_text(&e))?;
        let (daemon_watch, mut before) = (Arc::clone(watch), false);
        let work = move || {
            let now: bool = client.query_one(&at_work, &[])?.get(0);
            match (before, now) {
                (false, true) => daemon_watch.checkpoint_began(since_1970(), "checkpoint".into()),
                (true, false) => daemon_watch.checkpoint_ended(since_1970(), None),
                _ => {}
            }
            before = now;
            Ok(())
        };
        Daemon::start("checkpointer-watch", POLL_INTERVAL, Arc::clone(watch), work)
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        self.end = None;
        if let Some(thread) = self.thread.take() {
            // The thread has reported its own error.
            let _ = thread.join();
        }
    }
}
