//! A format: its name, how a file is recognised and the function that reads it.

use crate::text::source::{ImportError, Source};
use model::ForeignFile;

/// A format that secchi reads.
pub struct Format {
    /// Name of the format, as stored in [`ForeignFile::format`].
    pub name: &'static str,
    /// Tool or command that writes the format.
    pub about: &'static str,
    /// True if terminal logs may contain this output together with output of other tools. All of these outputs are
    /// read.
    pub shares_a_log: bool,
    /// Returns `true` if the content of a file has this format.
    pub recognise: fn(&Source<'_>) -> bool,
    /// Reads a file of this format.
    pub read: fn(&Source<'_>) -> Result<Vec<ForeignFile>, ImportError>,
}
