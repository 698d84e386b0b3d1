//! Databases driven by their own engines (`secchi db`).
//!
//! Here: the marker by which a database is known to be ours, the trait an engine fills, and the engines. Verbs (RanRead,
//! RanWrite, RanIO, ...) are not here: they are jobs like any other, run by the conductor of jobs and booked by the worker;
//! an engine only opens sessions ([`load::session::Session`]), makes and counts globals, and tells its counters.
//!
//! A *global* is InterSystems' word for an ordered persistent array: `^RanWriteGlobal3(1)`, ... is global 3 here, a table or a
//! file of its own in other engines. Global 0 is filler: what `setup --size` makes, only ever read block by block.

mod block_files;
mod databases;
mod engine;
mod engines;
mod error;
#[cfg(feature = "gtm")]
pub mod gtm;
mod marker;
#[cfg(feature = "model")]
mod model;
#[cfg(feature = "postgres")]
mod postgres;
pub mod scripts;
#[cfg(feature = "sqlite")]
mod sqlite;

#[cfg(feature = "model")]
pub use self::model::{ChosenProfile, ProfileError, choose_profile, copy_globals, profile_has_image, size_of_globals};
pub use block_files::BlockFiles;
pub use engine::{
    Counters, Creation, DataFile, Database, EngineEntry, EngineFacts, EngineSettings, Environment, IoLocation,
    SERVE_COMMAND, ServeSession,
};
pub use engines::{ENGINES, find_engine, serve_session};
pub use error::{DbError, Refusal};
pub use marker::{
    DatabaseDirectory, Directories, DirectoryEntry, DirectoryIdentity, EntryKind, Inserting, LOCK, MARKER, Marker,
    OwnsEntry, STAMP,
};
