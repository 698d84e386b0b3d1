//! Engines of M, which are libraries of Linux: none can be started, and the error says so.

use crate::common::foreign;
use crate::platform::instead;
use std::io;
use std::path::Path;

/// Longest string of M, in bytes.
pub const M_STRING: usize = 1 << 20;

/// What an entry returns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MReturns {
    /// A whole number.
    Number,
    /// A string of at most [`M_STRING`] bytes.
    Text,
}

/// Whether engines of M can be here at all.
///
/// # Errors
/// Always: there is none for this system.
pub fn m_engines() -> io::Result<()> {
    Err(foreign("GT.M and YottaDB are engines of Linux", instead::M))
}

enum Never {}

/// An engine: never is one here.
pub struct MEngine(Never);

/// An entry of a routine.
#[derive(Debug, Clone, Copy)]
pub struct MEntry(());

impl MEngine {
    /// There is none here.
    ///
    /// # Errors
    /// Always.
    pub fn start(_library: &Path, _entries: &[(&str, &str, MReturns)]) -> io::Result<(MEngine, Vec<MEntry>)> {
        m_engines().map(|()| unreachable!("there is none"))
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
