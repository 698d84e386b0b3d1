//! The control session, which answers queries about the database and is separate from the load's sessions.

use super::counters::Counts;
use super::install::ENGINE;
use super::layout::Region;
use super::link::Link;
use crate::{DbError, locked};
use std::io;
use std::sync::Mutex;

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

    /// Closes the session, if there is one, and opens the next one, with no query in between.
    ///
    /// # Errors
    /// Returns an error if the session fails to end cleanly, or if the next session cannot be opened.
    pub fn reopen(&self, open: impl FnOnce() -> Result<Link, DbError>) -> Result<(), DbError> {
        let mut session = locked(&self.session);
        if let Some(old) = session.take() {
            old.close().map_err(|e| DbError::engine(ENGINE, "close", e.to_string()))?;
        }
        *session = Some(open()?);
        Ok(())
    }

    /// Returns the value of [`Counts::dirty`] when no block was dirty.
    pub fn clean(&self) -> f64 {
        *locked(&self.clean)
    }

    /// Records the value of [`Counts::dirty`] at a time when no block is dirty.
    pub fn set_clean(&self, dirty: f64) {
        *locked(&self.clean) = dirty;
    }

    /// Calls `ask` with the session; `what` names the engine's task in error messages.
    ///
    /// # Errors
    /// Returns an error if there is no session, or if the engine does not answer.
    pub fn with<T>(&self, what: &str, ask: impl FnOnce(&mut Link) -> io::Result<T>) -> Result<T, DbError> {
        let failed = |reason: String| DbError::engine(ENGINE, what, reason);
        let mut link = locked(&self.session);
        ask(link.as_mut().ok_or_else(|| failed("the engine is not running".into()))?).map_err(|e| failed(e.to_string()))
    }

    /// Queries an entry of the routine that returns a number.
    ///
    /// # Errors
    /// Returns an error in the cases listed at [`Control::with`], and if the answer is not a number.
    pub fn number(&self, what: &str, entry: &str, args: [i64; 2]) -> Result<i64, DbError> {
        let unexpected = |text: &str| io::Error::other(format!("unexpected answer: {text}"));
        self.with(what, |link| link.ask(entry, args, "").and_then(|text| text.parse().map_err(|_| unexpected(text))))
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
        locked(&self.session).is_some()
    }

    /// Ends the session, if there is one.
    ///
    /// # Errors
    /// Returns an error if the session fails to end cleanly.
    pub fn close(&self) -> io::Result<()> {
        let link = locked(&self.session).take();
        link.map_or(Ok(()), Link::close)
    }
}
