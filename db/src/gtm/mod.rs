//! GT.M and YottaDB: native globals, a journal with before-images, and epochs. This is the reference engine for M.
//!
//! The user installs the engine. secchi starts its programs. Separate secchi processes (`gtm/serve.rs`) load its
//! library at run time, because the engine takes over the process that loads it. A batch is one call to secchi's M
//! routine, so that a transaction begins and ends in M, and its commit is timed there.
//!
//! This code was tested with GT.M 7.0, but not with YottaDB. YottaDB has the same programs and entry points under other
//! names, for which secchi also searches.

mod control;
mod counters;
mod database;
mod header;
mod install;
mod layout;
mod link;
mod memory;
mod serve;
mod session;
mod watch;
mod wire;

use crate::{DbError, EngineEntry, Environment};
use std::ffi::OsString;
use std::io::{Read, Write};
use std::path::Path;

/// GT.M's entry in the table of engines.
pub const ENTRY: EngineEntry = EngineEntry {
    name: install::ENGINE,
    summary: "GT.M or YottaDB: M globals with a before-image journal, files opened with direct I/O",
    pages: &[8192, 4096, 16384, 32768],
    separate_directories: true,
    takes_profile: false,
    probe,
    create: database::create,
    open: database::open,
    owns: layout::owns,
    variables: &["gtm_dist", "ydb_dist"],
    takes_url: false,
    serve: Some(serve_words),
};

/// Returns the directory of the installed engine.
///
/// # Errors
/// Returns an error if the engine is not found. The error lists the directories that were searched, and the package to
/// install.
pub fn installed(surroundings: &Environment) -> Result<std::path::PathBuf, DbError> {
    Ok(install::Install::find(surroundings)?.dist)
}

/// Serves a session with the arguments that [`link::Link`] passes: the library, `durable` or `lazy` commits, and the
/// number of secondary indexes.
fn serve_words(words: &[OsString], input: &mut dyn Read, output: &mut dyn Write) -> Option<Result<(), DbError>> {
    let [library, how, indexes] = words else { return None };
    let indexes = indexes.to_str()?.parse().ok()?;
    let durable = how == "durable";
    if !durable && how != "lazy" {
        return None;
    }
    let library = Path::new(library);
    Some(serve::serve(library, durable, indexes, input, output).map_err(DbError::io("serve a session of", library)))
}

fn probe(surroundings: &Environment) -> Result<String, DbError> {
    install::Install::find(surroundings)?.version()
}
