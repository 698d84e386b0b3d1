//! Threads beside the sessions: one that asks for checkpoints more often than the server would by itself, one that watches
//! the checkpointer of a server whose log is not ours to read.

use super::link::{Link, error_text};
use super::watch::{Watch, since_1970};
use std::io;
use std::sync::Arc;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread::JoinHandle;
use std::time::Duration;

/// How often a checkpointer is looked at.
const POLL_INTERVAL: Duration = Duration::from_millis(100);

/// Why such a thread does not run.
#[derive(Debug, thiserror::Error)]
pub enum DaemonError {
    /// The server does not take its connection or its question.
    #[error("{}", error_text(.0))]
    Server(postgres::Error),
    /// The machine has no thread to give.
    #[error("{0}")]
    Thread(io::Error),
}

/// A thread that does something every so often until it is dropped.
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
    ) -> io::Result<Daemon> {
        let (end, ended) = mpsc::channel();
        let what = name.to_owned();
        let thread = std::thread::Builder::new().name(name.into()).spawn(move || {
            while ended.recv_timeout(every) == Err(RecvTimeoutError::Timeout) {
                if let Err(e) = work() {
                    watch.failed(format!("{what}: {}", error_text(&e)));
                    return;
                }
            }
        })?;
        Ok(Daemon { end: Some(end), thread: Some(thread) })
    }

    /// Has the server make a checkpoint every so often.
    pub fn checkpoints(link: &Link, every: Duration, watch: &Arc<Watch>) -> Result<Daemon, DaemonError> {
        let mut client = link.connect("checkpoints").map_err(DaemonError::Server)?;
        let work = move || client.batch_execute("CHECKPOINT");
        Daemon::start("checkpoints", every, Arc::clone(watch), work).map_err(DaemonError::Thread)
    }

    /// Watches what the checkpointer waits for: it sleeps in `CheckpointerMain` between two checkpoints.
    pub fn watch_checkpointer(link: &Link, watch: &Arc<Watch>) -> Result<Daemon, DaemonError> {
        let mut client = link.connect("watch").map_err(DaemonError::Server)?;
        let at_work = client
            .prepare(
                "SELECT coalesce(bool_or(wait_event IS DISTINCT FROM 'CheckpointerMain'), false) FROM pg_stat_activity \
                 WHERE backend_type = 'checkpointer'",
            )
            .map_err(DaemonError::Server)?;
        let (theirs, mut before) = (Arc::clone(watch), false);
        let work = move || {
            let now: bool = client.query_one(&at_work, &[])?.get(0);
            match (before, now) {
                (false, true) => theirs.checkpoint_began(since_1970(), "checkpoint".into()),
                (true, false) => theirs.checkpoint_ended(since_1970(), None),
                _ => {}
            }
            before = now;
            Ok(())
        };
        Daemon::start("checkpointer-watch", POLL_INTERVAL, Arc::clone(watch), work).map_err(DaemonError::Thread)
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        self.end = None;
        if let Some(thread) = self.thread.take() {
            // It has told of its own trouble.
            let _ = thread.join();
        }
    }
}
