//! The fio language: job files and command lines, from text to typed sections.
//!
//! Pure: nothing is opened, no environment is read; files, variables and facts of the machine come through a
//! [`Lookup`] that is handed in. The one option table ([`GROUPS`]) serves the parser, the help, the man page and the
//! reference. Where fio is unsafe or wrong (docs/design/bad-input.md, "Rules") the answer is an error or a [`Note`],
//! never silence.

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

/// Reads a command line, the program's name not among the arguments, and the job files it names.
///
/// `extra` are options of the caller, understood on the command line and handed back in [`JobFile::extra`].
///
/// # Errors
/// The first thing that is wrong, with its place.
pub fn parse_arguments<S: AsRef<OsStr>>(
    args: &[S],
    extra: &[OptionSpec],
    lookup: &dyn Lookup,
) -> Result<JobFile, JobError> {
    let table = Table::new(lookup.engines(), extra);
    read::resolve(Reader::new(lookup, &table).arguments(args)?, lookup.engines())
}

/// As [`parse_arguments`], for a plan that is looked at and not run: fio's consent to write to what is mounted, which is
/// refused there, is read wherever it stands and counts as not given.
///
/// # Errors
/// As [`parse_arguments`].
pub fn parse_plan<S: AsRef<OsStr>>(args: &[S], extra: &[OptionSpec], lookup: &dyn Lookup) -> Result<JobFile, JobError> {
    let table = Table::new(lookup.engines(), extra);
    read::resolve(Reader::new(lookup, &table).without_consent().arguments(args)?, lookup.engines())
}

/// Reads one job file given as bytes; `name` stands in messages.
///
/// # Errors
/// The first thing that is wrong, with its place.
pub fn parse_text(name: &str, bytes: &[u8], lookup: &dyn Lookup) -> Result<JobFile, JobError> {
    let table = Table::new(lookup.engines(), &[]);
    read::resolve(Reader::new(lookup, &table).job_text(name, bytes)?, lookup.engines())
}
