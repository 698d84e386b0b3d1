//! Engines of M, which are libraries for Linux: starting one returns an error that explains this.

use crate::common::foreign;
use crate::platform::instead;
use std::io;
use std::path::Path;

/// Maximum length of a string of M, in bytes.
pub const M_STRING: usize = 1 << 20;

/// Type that an entry returns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MReturns {
    /// Integer.
    Number,
    /// String of at most [`M_STRING`] bytes.
    Text,
}

/// Returns an error: there are no engines of M for this system.
///
/// # Errors
/// Always.
pub fn m_engines() -> io::Result<()> {
    Err(foreign("GT.M and YottaDB run on Linux only", instead::M))
}

enum Never {}

/// Engine of M: cannot be created on this system.
pub struct MEngine(Never);

/// Entry of a routine.
#[derive(Debug, Clone, Copy)]
pub struct MEntry(());

impl MEngine {
    /// Returns an error: there are no engines of M for this system.
    ///
    /// # Errors
    /// Always.
    pub fn start(_library: &Path, _entries: &[(&str, &str, MReturns)]) -> io::Result<(MEngine, Vec<MEntry>)> {
        m_engines().map(|()| unreachable!("no M engine is available"))
    }

    /// See [`MEngine`].
    ///
    /// # Errors
    /// None: there is no engine.
    pub fn number(&mut self, _entry: MEntry, _args: [i64; 3], _text: &[u8]) -> io::Result<i64> {
        match self.0 {}
    }

    /// See [`MEngine`].
    ///
    /// # Errors
    /// None: there is no engine.
    pub fn text(&mut self, _entry: MEntry, _args: [i64; 3], _text: &[u8]) -> io::Result<&[u8]> {
        match self.0 {}
    }
}
