//! The fio job language: parses job files and command lines into typed sections.
//!
//! The crate does no I/O: it does not open files or read environment variables. The caller passes in a [`Lookup`] that
//! supplies files, variables and facts about the machine. The parser, the help, the man page and the reference share
//! one option table ([`GROUPS`]). Where fio would do something unsafe or wrong (docs/design/bad-input.md, "Rules"), the
//! result is an error or a [`Note`].
//!
//! # Example
//!
//! ```
//! use job::{Engines, Lookup, LookupError, Machine, parse_text};
//! use std::path::Path;
//!
//! struct NoFiles(Engines);
//!
//! impl Lookup for NoFiles {
//!     fn read(&self, _: &Path, _: Option<&str>) -> Result<Vec<u8>, LookupError> { Err("no such file".into()) }
//!     fn variable(&self, _: &str) -> Option<String> { None }
//!     fn engines(&self) -> &Engines { &self.0 }
//!     fn machine(&self) -> Machine { Machine { cpus: 4, page_size: 4096, memory_mb: 8192 } }
//! }
//!
//! let lookup = NoFiles(Engines::new(load::engines::specs()));
//! let file = parse_text("reads.fio", b"[reads]\nrw=randread\nbs=8k\niodepth=16\nsize=1g\n", &lookup)?;
//! assert_eq!(file.sections[0].name, "reads");
//! assert_eq!(file.sections[0].options.depth.iodepth, 16);
//! # Ok::<(), job::JobError>(())
//! ```

mod check;
mod debug;
mod engines;
mod entry;
mod error;
mod file;
pub mod lint;
mod lower;
mod name_error;
mod names;
mod options;
mod read;
mod render;
mod text;
mod units;
mod value;
mod value_error;

pub use debug::parse_lines;
pub use engines::{Engines, IoEngine};
pub use error::{JobError, LookupError, Note, SourceLocation};
pub use file::{JobFile, Section, TypedOption};
pub use lower::{Facts, Lowered, PathKind, lower};
pub use name_error::NameError;
pub use options::*;
pub use read::{Lookup, Machine};
pub use render::{cmdhelp, command_help, command_line, enghelp, man_page, reference};
pub use units::{Extent, Units, count, extent, signed, size, time};
pub use value::{Kind, RefusedWord, Value, Word};
pub use value_error::ValueError;

use read::{Reader, Table};
use std::ffi::OsStr;

/// Parses a command line, without the program name, and the job files that it names.
///
/// `extra` lists options that the caller adds. They are accepted on the command line and returned in
/// [`JobFile::extra`].
///
/// # Errors
/// Returns the first error found, with its location.
pub fn parse_arguments<S: AsRef<OsStr>>(
    args: &[S],
    extra: &[OptionSpec],
    lookup: &dyn Lookup,
) -> Result<JobFile, JobError> {
    let table = Table { engines: lookup.engines(), extra };
    read::resolve(Reader::new(lookup, &table).arguments(args)?, lookup.engines())
}

/// Parses a plan like [`parse_arguments`], but only to check it, not to run it. fio's consent option
/// `allow_mounted_write`, which [`parse_arguments`] refuses, is accepted and ignored.
///
/// # Errors
/// Returns an error in the same cases as [`parse_arguments`].
pub fn parse_plan<S: AsRef<OsStr>>(args: &[S], extra: &[OptionSpec], lookup: &dyn Lookup) -> Result<JobFile, JobError> {
    let table = Table { engines: lookup.engines(), extra };
    let mut reader = Reader::new(lookup, &table);
    reader.no_consent = true;
    read::resolve(reader.arguments(args)?, lookup.engines())
}

/// Parses one job file given as bytes. `name` identifies the file in messages.
///
/// # Errors
/// Returns the first error found, with its location.
pub fn parse_text(name: &str, bytes: &[u8], lookup: &dyn Lookup) -> Result<JobFile, JobError> {
    let table = Table { engines: lookup.engines(), extra: &[] };
    read::resolve(Reader::new(lookup, &table).job_text(name, bytes)?, lookup.engines())
}
