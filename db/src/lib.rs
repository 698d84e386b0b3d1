//! Databases driven by their own engines (`secchi db`).
//!
//! This crate contains the marker that identifies a database created by secchi, the trait for engines, and the engines
//! themselves. It does not contain the verbs (RanRead, RanWrite, RanIO, ...): they are ordinary jobs, which the
//! conductor runs and the worker records. An engine only opens sessions ([`load::session::Session`]), creates and
//! counts globals, and reports its counters.
//!
//! A *global* is InterSystems' term for an ordered persistent array: `^RanWriteGlobal3(1)`, ... is global 3 here. Other
//! engines store it as a table or a file. Global 0 is filler that `setup --size` creates. It is only read block by
//! block.
//!
//! # Example
//!
//! ```
//! use db::{Creation, EngineSettings, Environment, Marker, find_engine};
//! use model::{Bytes, Nanos};
//! use std::sync::Arc;
//!
//! let temporary = tempfile::tempdir()?;
//! let directory = temporary.path().join("ran");
//! let (page, created) = (Bytes::from_kib(8), "2026-11-21T10:00:00Z".to_owned());
//! let marker = Marker::create(&directory, "sqlite", "RAN", created, page, &[], None, None, true)?;
//! let creation = Creation { marker, directory, environment: Environment::default() };
//! let mut database = (find_engine("sqlite")?.create)(&creation)?;
//!
//! let (cache, write_back_every) = (Bytes::from_mib(16), Nanos::from_secs(30));
//! let settings = EngineSettings { journal: true, durable: true, cache, write_back_every };
//! database.start(&settings, Arc::new(sys::clock::monotonic_ns))?;
//! database.create_global(1, None, 0)?;
//! assert_eq!(database.count(1, None)?, 0);
//! database.stop()?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod block_files;
mod databases;
mod engine;
mod engines;
mod error;
#[cfg(any(feature = "model", feature = "sqlite"))]
mod global_files;
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
    Clock, Counters, Creation, DataFile, Database, EngineEntry, EngineFacts, EngineSettings, Environment, IoLocation,
    SERVE_COMMAND, ServeSession,
};
pub use engines::{ENGINES, find_engine, serve_session};
pub use error::DbError;
pub use marker::{
    DatabaseDirectory, Directories, DirectoryEntry, DirectoryIdentity, EntryKind, Inserting, LOCK, MARKER, Marker,
    OwnsEntry, STAMP,
};

/// Locks a mutex, even if a thread that held it panicked: no thread leaves incomplete data in one.
fn locked<T>(mutex: &std::sync::Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// Removes a file, if it exists.
fn remove_if_exists(path: &std::path::Path) -> Result<(), DbError> {
    match std::fs::remove_file(path) {
        Err(e) if e.kind() != std::io::ErrorKind::NotFound => Err(DbError::io("remove", path)(e)),
        _ => Ok(()),
    }
}
