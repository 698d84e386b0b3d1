//! The control session, which answers queries about the database and is separate from the load's sessions.

use super::counters::Counts;
use super::install::ENGINE;
use super::layout::Region;
use super::link::Link;
use crate::DbError;
use std::io;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The control session. It keeps the engine's shared memory alive between loads.
pub struct Control {
    regions: Vec<Region>,
    session: Mutex<Option<Link>>,
    /// Value of [`Counts::dirty`] when no block was dirty.
    clean: Mutex<f64>,
}

impl Control {
    /// Creates the control session's state for these regions, without opening a session yet.
    pub fn new(regions: Vec<Region>) -> Control {
        Control { regions, session: Mutex::new(None), clean: Mutex::new(0.0) }
    }

    fn session(&self) -> MutexGuard<'_, Option<Link>> {
        self.session.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Uses this session for queries from now on.
    pub fn keep(&self, session: Link) {
        *self.session() = Some(session);
    }

    /// Closes the session and opens the next one, with no query in between.
    ///
    /// # Errors
    /// Returns an error if the session fails to end cleanly, or if the next session cannot be opened.
    pub fn reopen(&self, open: impl FnOnce() -> Result<Link, DbError>) -> Result<(), DbError> {
        let mut session = self.session();
        if let Some(old) = session.take() {
            let failed = |e: io::Error| DbError::Engine { engine: ENGINE, what: "close".into(), why: e.to_string() };
            old.close().map_err(failed)?;
        }
        *session = Some(open()?);
        Ok(())
    }

    /// Returns the value of [`Counts::dirty`] when no block was dirty.
    pub fn clean(&self) -> f64 {
        *self.clean.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Records the value of [`Counts::dirty`] at a time when no block is dirty.
    pub fn set_clean(&self, dirty: f64) {
        *self.clean.lock().unwrap_or_else(PoisonError::into_inner) = dirty;
    }

    /// Calls `ask` with the session; `what` names the engine's task in error messages.
    ///
    /// # Errors
    /// Returns an error if there is no session, or if the engine does not answer.
    pub fn with<T>(&self, what: &str, ask: impl FnOnce(&mut Link) -> io::Result<T>) -> Result<T, DbError> {
        let failed = |reason: String| DbError::Engine { engine: ENGINE, what: what.to_owned(), why: reason };
        let mut link = self.session();
        ask(link.as_mut().ok_or_else(|| failed("the engine is not running".into()))?).map_err(|e| failed(e.to_string()))
    }

    /// Queries an entry of the routine that returns a number.
    ///
    /// # Errors
    /// Returns an error in the cases listed at [`Control::with`], and if the answer is not a number.
    pub fn number(&self, what: &str, entry: &str, args: [i64; 2]) -> Result<i64, DbError> {
        let parse =
            |text: &str| text.parse::<i64>().map_err(|_| io::Error::other(format!("unexpected answer: {text}")));
        self.with(what, |link| parse(link.ask(entry, args, "")?))
    }

    /// Returns the counters of all regions, added up.
    ///
    /// # Errors
    /// Returns an error if the engine does not answer.
    pub fn counts(&self) -> Result<Counts, DbError> {
        self.with("read its counters", |link| {
            let mut counts = Counts::default();
            for region in &self.regions {
                counts.add(link.ask("stat", [0; 2], &region.name)?);
            }
            Ok(counts)
        })
    }

    /// Returns `true` if a session is open.
    pub fn is_open(&self) -> bool {
        self.session().is_some()
    }

    /// Ends the session, if there is one.
    ///
    /// # Errors
    /// Returns an error if the session fails to end cleanly.
    pub fn close(&self) -> io::Result<()> {
        let link = self.session().take();
        link.map_or(Ok(()), Link::close)
    }
}
