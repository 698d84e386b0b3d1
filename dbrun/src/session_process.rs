//! `secchi db-session ...`, hidden: a process that hosts a session of a database, because an M engine takes over the
//! process that loads it. The caller communicates with it over its standard input and output.

use anyhow::Result;
use cli::DbSession;
use session::console::{StandardStream, writer};
use session::exit::{self, Code, coded};
use session::measure::check_system;

/// Serves a session until its caller ends it.
///
/// # Errors
/// If the words of the session are unknown, or the engine fails.
pub fn run(options: &DbSession) -> Result<Code> {
    check_system("db")?;
    // No buffers are needed: the protocol has frames.
    let (mut input, mut output) = (std::io::stdin(), writer(StandardStream::Output));
    db::serve_session(&options.words, &mut input, &mut output).map_err(|e| match e {
        db::DbError::Refused { .. } => coded(exit::BAD_INPUT, e),
        _ => coded(exit::CANNOT, e),
    })?;
    Ok(exit::OK)
}
