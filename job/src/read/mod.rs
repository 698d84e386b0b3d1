//! Parsing of arguments and job files into entries. Each entry has an option, its value as written, and its location.

mod arguments;
mod clients;
mod files;
mod lookup;
mod reader;
mod resolve;
mod table;
mod values;

pub use lookup::{Lookup, Machine};
pub(crate) use reader::Reader;
pub(crate) use resolve::resolve;
pub(crate) use table::Table;
