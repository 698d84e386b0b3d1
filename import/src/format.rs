//! A format: its name, how a file of it is recognised, and what reads it.

use crate::text::source::{ImportError, Source};
use model::ForeignFile;

/// A format that is read.
pub struct Format {
    /// As it stands in [`ForeignFile::format`].
    pub name: &'static str,
    /// What writes it.
    pub about: &'static str,
    /// Whether logs of a terminal hold such output together with that of other tools; all of them are read.
    pub shares_a_log: bool,
    /// Whether a file's content is of it.
    pub recognise: fn(&Source<'_>) -> bool,
    /// Reads it.
    pub read: fn(&Source<'_>) -> Result<Vec<ForeignFile>, ImportError>,
}
