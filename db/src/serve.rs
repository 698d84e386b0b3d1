//! Sessions that live in a process of their own: what that process does. It is our own program, started again.

use crate::DbError;
use std::ffi::OsString;
use std::io::{Read, Write};

/// The hidden command by which our program serves a session.
pub const SERVE_COMMAND: &str = "db-session";

/// Serves a session of an engine by these words (those after [`SERVE_COMMAND`]) until the input ends. The process must have one
/// thread and do nothing else afterwards.
///
/// # Errors
/// When the words are none of ours, or a pipe breaks. What the engine says goes to the other side of the pipe.
pub fn serve(words: &[OsString], input: &mut dyn Read, output: &mut dyn Write) -> Result<(), DbError> {
    match words {
        #[cfg(feature = "gtm")]
        [engine, library, how] if engine == crate::gtm::ENTRY.name && (how == "durable" || how == "lazy") => {
            let library = std::path::Path::new(library);
            crate::gtm::serve(library, how == "durable", input, output)
                .map_err(DbError::io("serve a session of", library))
        }
        _ => {
            let _ = (input, output);
            Err(DbError::refused(SERVE_COMMAND, "secchi starts this itself", "use the other commands of `secchi db`"))
        }
    }
}
