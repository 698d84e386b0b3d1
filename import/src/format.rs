//! Description of a file format: its name, and the functions that recognise and read it.

use crate::text::source::{ImportError, Source};
use model::foreign::ForeignFile;

/// File format that secchi reads.
pub struct Format {
    /// Name of the format, as stored in [`ForeignFile::format`].
    pub name: &'static str,
    /// True if a terminal log may contain this output together with the output of other tools. All outputs in such a
    /// log are read.
    pub shares_a_log: bool,
    /// Returns `true` if the content of a file has this format.
    pub recognise: fn(&Source<'_>) -> bool,
    /// Reads a file of this format.
    pub read: fn(&Source<'_>) -> Result<Vec<ForeignFile>, ImportError>,
}
