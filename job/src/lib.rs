//! The fio job language: parses job files and command lines into typed sections.
//!
//! The crate does no I/O: it opens no file and reads no environment. Files, variables and facts about the machine come
//! through a [`Lookup`] that the caller passes in. One option table ([`GROUPS`]) serves the parser, the help, the man
//! page and the reference. If fio would do something unsafe or wrong (docs/design/bad-input.md, "Rules"), the result is
//! an error or a [`Note`].

mod check;
mod debug;
mod engines;
mod error;
mod file;
pub mod lint;
mod lower;
mod name_error;
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
/// `extra` lists options of the caller. They are accepted on the command line and returned in [`JobFile::extra`].
///
/// # Errors
/// The first error found, with its location.
pub fn parse_arguments<S: AsRef<OsStr>>(
    args: &[S],
    extra: &[OptionSpec],
    lookup: &dyn Lookup,
) -> Result<JobFile, JobError> {
    let table = Table::new(lookup.engines(), extra);
    read::resolve(Reader::new(lookup, &table).arguments(args)?, lookup.engines())
}

/// Like [`parse_arguments`], for a plan that is checked and not run. fio's consent to write to mounted devices, which
/// [`parse_arguments`] refuses, is accepted in every place and counts as not given.
///
/// # Errors
/// See [`parse_arguments`].
pub fn parse_plan<S: AsRef<OsStr>>(args: &[S], extra: &[OptionSpec], lookup: &dyn Lookup) -> Result<JobFile, JobError> {
    let table = Table::new(lookup.engines(), extra);
    read::resolve(Reader::new(lookup, &table).without_consent().arguments(args)?, lookup.engines())
}

/// Parses one job file given as bytes; `name` is its name in messages.
///
/// # Errors
/// The first error found, with its location.
pub fn parse_text(name: &str, bytes: &[u8], lookup: &dyn Lookup) -> Result<JobFile, JobError> {
    let table = Table::new(lookup.engines(), &[]);
    read::resolve(Reader::new(lookup, &table).job_text(name, bytes)?, lookup.engines())
}
