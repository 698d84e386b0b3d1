//! Databases driven by their own engines (`secchi db`).
//!
//! Here: the marker by which a database is known to be ours, the trait an engine fills, and the engines. Verbs (RanRead,
//! RanWrite, RanIO, ...) are not here: they are jobs like any other, run by the conductor of jobs and booked by the worker;
//! an engine only opens sessions ([`load::session::Session`]), makes and counts globals, and tells its counters.
//!
//! A *global* is InterSystems' word for an ordered persistent array: `^RanWriteGlobal3(1)`, ... is global 3 here, a table or a
//! file of its own in other engines. Global 0 is filler: what `setup --size` makes, only ever read block by block.

mod blocks;
mod engine;
mod error;
#[cfg(feature = "gtm")]
pub mod gtm;
mod marker;
#[cfg(feature = "postgres")]
mod postgres;
mod rooms;
pub mod scripts;
mod serve;
#[cfg(feature = "sqlite")]
mod sqlite;

pub use blocks::BlockFiles;
pub use engine::{
    Counters, Creation, DataFile, Database, ENGINES, EngineEntry, EngineFacts, Environment, RunHow, Whereabouts, find,
};
pub use error::DbError;
pub use marker::{DatabaseDirectory, MARKER, Marker, Rooms};
pub use rooms::{Item, Kind, LOCK, Print, STAMP};
pub use serve::{SERVE_COMMAND, serve};
