//! `secchi db`: runs PerfTools' tests on real databases.
//!
//! # Example
//!
//! ```
//! use cli::{Db, DbScript, DbVerb};
//! use session::exit;
//!
//! // `secchi db script --engine gtm -o DIRECTORY`
//! let directory = tempfile::tempdir()?;
//! let output = directory.path().join("scripts");
//! let script = DbScript { engine: "gtm".to_owned(), output: output.clone() };
//! let code = dbrun::run(&Db { verb: DbVerb::Script(script) })?;
//! assert_eq!(code, exit::OK);
//! assert!(output.join("SECCHI.m").is_file());
//! # Ok::<(), anyhow::Error>(())
//! ```

mod layout;
mod maintenance;
pub mod open;
mod past;
mod plan;
mod ramp;
mod run;
mod script;
pub mod session_process;
mod setup;

use anyhow::Result;
use cli::{Db, DbRun, DbVerb};
use db::DbError;
use session::exit::{Code, coded};
use session::measure::check_system;

/// Executes a verb of `secchi db`.
///
/// # Errors
/// One sentence with its exit code.
pub fn run(options: &Db) -> Result<Code> {
    use DbVerb::{Export, History, Reset, Script, Sql};
    // These verbs do not use a database.
    if !matches!(options.verb, Script(_) | History(_) | Sql(_) | Export(_) | Reset(_)) {
        check_system("db")?;
    }
    match &options.verb {
        DbVerb::Setup(options) => setup::setup(options),
        DbVerb::CreateGlobals(options) => setup::create(options),
        DbVerb::AddGlobals(options) => setup::add(options),
        DbVerb::CountSubscripts(options) => maintenance::count(options),
        DbVerb::GetSizes(options) => maintenance::sizes(options),
        DbVerb::Ranread(options) => load(plan::Verb::RanRead, options),
        DbVerb::Ranwrite(options) => load(plan::Verb::RanWrite, options),
        DbVerb::Ranio(options) => load(plan::Verb::RanIo, options),
        DbVerb::Seqwrite(options) => load(plan::Verb::SeqWrite, options),
        DbVerb::Seqread(options) => load(plan::Verb::SeqRead, options),
        DbVerb::Insert(options) => run::run(plan::Verb::Insert, &options.as_run()),
        DbVerb::Tpcb(options) => run::run(plan::Verb::TpcB { scale: options.scale }, &options.as_run()),
        DbVerb::Ramp(options) => ramp::run(options),
        DbVerb::Stop(options) => maintenance::stop(options),
        DbVerb::Check(options) => maintenance::check(options),
        DbVerb::Purge(options) => maintenance::purge(options),
        DbVerb::Adopt(options) => maintenance::adopt(options),
        DbVerb::Script(options) => script::run(options),
        DbVerb::History(options) => past::history::run(options),
        DbVerb::Sql(options) => past::history::sql(options),
        DbVerb::Export(options) => past::export::run(options),
        DbVerb::Reset(options) => past::reset::run(options),
    }
}

/// Runs a verb on one database, or compares two layouts of it.
fn load(verb: plan::Verb, options: &DbRun) -> Result<Code> {
    match &options.layout.compare_layout {
        Some(layout) => layout::run(verb, options, layout),
        None => run::run(verb, options),
    }
}

/// Converts an error of an engine to a CLI error with the exit code for its kind.
fn cli_error(error: DbError) -> anyhow::Error {
    let code = match &error {
        DbError::Refused { .. } => session::exit::REFUSED,
        DbError::Absent { .. } | DbError::Engine { .. } | DbError::Io { .. } => session::exit::CANNOT,
    };
    coded(code, error)
}

/// Returns an error for valid options that the database or the machine does not allow.
fn refused<T>(reason: impl std::fmt::Display) -> Result<T> {
    Err(coded(session::exit::REFUSED, format!("refused: {reason}")))
}
