//! Parsing of arguments and job files into entries. Each entry has an option, its value as written, and its location.

mod arguments;
mod clients;
mod entry;
mod files;
mod lookup;
mod names;
mod reader;
mod resolve;
mod table;
mod values;

pub(crate) use entry::{Entry, Head, Raw, RawSection};
pub use lookup::{Lookup, Machine};
pub(crate) use names::{LEADS_AWAY, check_name};
pub(crate) use reader::Reader;
pub(crate) use resolve::resolve;
pub(crate) use table::Table;
