//! secchi's side of the connection to a session's process: start, communication, end.

use super::install::{ENGINE, Install};
use super::wire::{Reader, Verb, begin, receive, send};
use crate::{DbError, Environment, Marker, SERVE_COMMAND};
use std::fs::File;
use std::io;
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};
use sys::locks::ENDING;

/// Number of the signal `SIGTERM` (signal(7)).
const SIGTERM: i32 = 15;
/// Maximum time that a process may take to write back its data when it ends.
const PATIENCE: Duration = Duration::from_secs(600);

/// Returns the path of the log of all sessions. Each process holds a shared lock on it.
fn log_path(marker: &Marker) -> PathBuf {
    marker.directories.work.join("sessions.log")
}

fn open_log(marker: &Marker) -> Result<File, DbError> {
    File::options().create(true).append(true).open(log_path(marker)).map_err(DbError::io("open", log_path(marker)))
}

/// A secchi process that has loaded the engine.
pub struct Link {
    child: Child,
    input: Option<ChildStdin>,
    output: ChildStdout,
    /// Buffer for requests; holds the last request.
    pub frame: Vec<u8>,
    /// Last answer that was received.
    pub answer: Vec<u8>,
}

impl Link {
    /// Starts a child process and waits until it has loaded the engine. The child ends when its input is closed, so it
    /// never outlives this process. With `with_thread`, it also ends when the calling thread ends, even during an
    /// operation. Updates maintain `indexes` secondary indexes.
    ///
    /// # Errors
    /// Returns an error with the reason if the engine does not start.
    pub fn open(
        surroundings: &Environment,
        install: &Install,
        marker: &Marker,
        (durable, indexes): (bool, u32),
        with_thread: bool,
    ) -> Result<Link, DbError> {
        let failed = |reason: String| DbError::engine(ENGINE, "open a session", reason);
        let mut command = Command::new(&surroundings.program);
        install.settings(&mut command, marker);
        command.args([SERVE_COMMAND, ENGINE]).arg(&install.library).arg(if durable { "durable" } else { "lazy" });
        command.arg(indexes.to_string());
        if with_thread {
            // On SIGTERM, the engine leaves its shared memory consistent.
            sys::process::signal_with_parent(&mut command, SIGTERM);
        }
        let log = open_log(marker)?;
        // The child holds this lock until it ends. Only `wait_for_others` locks exclusively, before a run begins.
        sys::locks::try_lock(&log, false).map_err(DbError::io("lock", log_path(marker)))?;
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(log);
        let mut child = command.spawn().map_err(|e| failed(format!("{}: {e}", surroundings.program.display())))?;
        let input = child.stdin.take();
        let output = child.stdout.take().expect("asked for a pipe");
        let mut link = Link { child, input, output, frame: Vec::new(), answer: Vec::new() };
        link.receive_answer()
            .and_then(|()| Reader::answer(&link.answer).map(|_| ()))
            .map_err(|e| failed(e.to_string()))?;
        Ok(link)
    }

    /// Waits until no session of this database has a process.
    ///
    /// # Errors
    /// Returns an error if there is one after [`ENDING`].
    pub fn wait_for_others(marker: &Marker) -> Result<(), DbError> {
        let log = open_log(marker)?;
        let locked = sys::locks::lock_within(&log, true, ENDING).map_err(DbError::io("lock", log_path(marker)))?;
        let reason = || format!("they have not ended within {} s", ENDING.as_secs());
        locked.then_some(()).ok_or_else(|| DbError::engine(ENGINE, "wait for the processes of a killed run", reason()))
    }

    /// Sends the request in `frame` and receives the answer into `answer`.
    ///
    /// # Errors
    /// Returns an error if the process has ended.
    pub fn exchange(&mut self) -> io::Result<()> {
        let Some(input) = &mut self.input else { return Err(io::ErrorKind::BrokenPipe.into()) };
        match send(input, &mut self.frame) {
            // The process may have sent the reason before it ended.
            Err(e) if e.kind() == io::ErrorKind::BrokenPipe => self.receive_answer(),
            Err(e) => Err(e),
            Ok(()) => self.receive_answer(),
        }
    }

    fn receive_answer(&mut self) -> io::Result<()> {
        match receive(&mut self.output, &mut self.answer) {
            Ok(true) => Ok(()),
            Ok(false) => Err(self.process_gone()),
            Err(e) if e.kind() == io::ErrorKind::UnexpectedEof => Err(self.process_gone()),
            Err(e) => Err(e),
        }
    }

    #[cold]
    fn process_gone(&mut self) -> io::Error {
        let how = self.child.wait().map_or_else(|e| e.to_string(), |status| status.to_string());
        io::Error::other(format!("the process of a {ENGINE} session ended: {how}"))
    }

    /// Calls an entry of the routine, and returns its answer.
    ///
    /// # Errors
    /// Returns the error that the engine reported. In that case, the process has ended.
    pub fn ask(&mut self, entry: &str, args: [i64; 2], text: &str) -> io::Result<&str> {
        begin(&mut self.frame, Verb::Ask as u8);
        self.frame.extend_from_slice(&(entry.len() as u32).to_le_bytes());
        self.frame.extend_from_slice(entry.as_bytes());
        for arg in args {
            self.frame.extend_from_slice(&arg.to_le_bytes());
        }
        self.frame.extend_from_slice(text.as_bytes());
        self.exchange()?;
        let rest = Reader::answer(&self.answer)?.rest();
        std::str::from_utf8(rest).map_err(|_| io::ErrorKind::InvalidData.into())
    }

    /// Ends the process cleanly. The last process of a database writes everything back.
    ///
    /// # Errors
    /// Returns an error if the process does not end, or ends with an error.
    pub fn close(mut self) -> io::Result<()> {
        self.finish()
    }

    fn finish(&mut self) -> io::Result<()> {
        if self.input.take().is_none() {
            return Ok(());
        }
        let deadline = Instant::now() + PATIENCE;
        let mut nap = Duration::from_micros(200);
        loop {
            if let Some(status) = self.child.try_wait()? {
                return if status.success() { Ok(()) } else { Err(io::Error::other(status.to_string())) };
            }
            if Instant::now() > deadline {
                return Err(io::Error::other(format!(
                    "process {} is still writing back after {} s",
                    self.child.id(),
                    PATIENCE.as_secs()
                )));
            }
            std::thread::sleep(nap);
            nap = (nap * 2).min(Duration::from_millis(20));
        }
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        // Callers that need the result call `close`.
        let _ = self.finish();
    }
}
