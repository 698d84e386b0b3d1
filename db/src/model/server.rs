//! A model of a server process, for engines whose sessions are clients of a server. Each statement is a message through
//! a pipe, followed by an answer. The server only spends the CPU time that the model does not otherwise include, and
//! waits for the journal at commits. Thus, as in the engine, the device wakes the server first, and the server then
//! wakes its client. The session does all other work.

use super::counts::Counts;
use super::journal::Journal;
use crate::locked;
use model::measured::Waiter;
use std::io::{self, PipeReader, PipeWriter, Read, Write};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Statement that does not use the journal.
const PLAIN: u8 = 0;
/// Statement that writes the journal up to a place.
const WRITE: u8 = 1;
/// Statement that writes the journal up to a place and makes it durable.
const SYNC: u8 = 2;
/// Answer: the statement is done.
const DONE: u8 = 0;
/// Answer: another session's sync did the work.
const SHARED: u8 = 1;
/// Answer: the statement failed.
const FAILED: u8 = 2;

/// A thread that models a server process.
pub(super) struct ServerProcess {
    /// Pipe for statements. The thread ends when the pipe is closed.
    ask: Option<PipeWriter>,
    answer: PipeReader,
    /// Error of the last failed statement.
    failure: Arc<Mutex<Option<io::Error>>>,
    thread: Option<JoinHandle<()>>,
}

impl ServerProcess {
    /// Starts a server that uses the CPU for the duration `computes` per statement.
    pub fn start(computes: Duration, journal: Option<Arc<Journal>>, counts: Arc<Counts>) -> io::Result<ServerProcess> {
        let (mut asked, ask) = io::pipe()?;
        let (answer, mut answers) = io::pipe()?;
        let failure = Arc::<Mutex<Option<io::Error>>>::default();
        let error_slot = Arc::clone(&failure);
        let flush = move |place, durable| {
            let flush = || journal.as_ref().map_or(Ok(false), |journal| journal.flush(place, durable));
            counts.journal.timed(Waiter::Sessions, flush)
        };
        let serve = move || {
            let mut message = [0; 9];
            while asked.read_exact(&mut message).is_ok() {
                let begun = Instant::now();
                while begun.elapsed() < computes {
                    std::hint::spin_loop();
                }
                let (kind, place) = message.split_at(1);
                let done = match kind[0] {
                    PLAIN => Ok(false),
                    kind => flush(u64::from_le_bytes(place.try_into().expect("8 bytes")), kind == SYNC),
                };
                let answer = match done {
                    Ok(false) => DONE,
                    Ok(true) => SHARED,
                    Err(error) => {
                        *locked(&error_slot) = Some(error);
                        FAILED
                    }
                };
                if answers.write_all(&[answer]).is_err() {
                    break;
                }
            }
        };
        let thread = std::thread::Builder::new().name("server".to_owned()).spawn(serve)?;
        Ok(ServerProcess { ask: Some(ask), answer, failure, thread: Some(thread) })
    }

    /// Executes a statement that does not use the journal.
    pub fn call(&mut self) -> io::Result<()> {
        self.send(PLAIN, 0).map(|_| ())
    }

    /// Writes the journal up to this place, and makes it durable if requested. Returns `true` if another session's sync
    /// did that.
    pub fn flush(&mut self, place: u64, durable: bool) -> io::Result<bool> {
        self.send(if durable { SYNC } else { WRITE }, place)
    }

    fn send(&mut self, kind: u8, place: u64) -> io::Result<bool> {
        let Some(ask) = &mut self.ask else { return Ok(false) };
        let mut message = [kind; 9];
        message[1..].copy_from_slice(&place.to_le_bytes());
        ask.write_all(&message)?;
        let mut answer = [0];
        self.answer.read_exact(&mut answer)?;
        if answer[0] == FAILED {
            let error = locked(&self.failure).take();
            return Err(error.unwrap_or_else(|| io::Error::other("the journal cannot be written")));
        }
        Ok(answer[0] == SHARED)
    }
}

impl Drop for ServerProcess {
    fn drop(&mut self) {
        self.ask = None;
        if let Some(thread) = self.thread.take() {
            // The thread does nothing that could fail.
            let _ = thread.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_message_is_answered_until_it_is_dropped() {
        let mut server = ServerProcess::start(Duration::from_micros(1), None, Arc::default()).unwrap();
        (0..1000).for_each(|_| server.call().unwrap());
        assert!(!server.flush(7, true).unwrap());
        drop(server);
    }
}
