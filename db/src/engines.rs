//! The table of engines. A new engine needs a line here; everything else is in its own folder.

use crate::DbError;
use crate::engine::{EngineEntry, SERVE_COMMAND};
use std::ffi::OsString;
use std::io::{Read, Write};

/// Engines of this build, the default first.
pub const ENGINES: &[EngineEntry] = &[
    #[cfg(feature = "sqlite")]
    crate::sqlite::ENTRY,
    #[cfg(feature = "gtm")]
    crate::gtm::ENTRY,
    #[cfg(feature = "postgres")]
    crate::postgres::ENTRY,
    #[cfg(feature = "model")]
    crate::model::ENTRY,
];

/// Engines that this build leaves out. Each name is also the name of the feature that adds the engine.
const LEFT_OUT: &[&str] = &[
    #[cfg(not(feature = "sqlite"))]
    "sqlite",
    #[cfg(not(feature = "gtm"))]
    "gtm",
    #[cfg(not(feature = "postgres"))]
    "postgres",
    #[cfg(not(feature = "model"))]
    "model",
];

/// Returns the engine with this name.
///
/// # Errors
/// Returns an error if there is no such engine. The error lists the names of all engines, and suggests the most similar
/// name.
pub fn find_engine(name: &str) -> Result<&'static EngineEntry, DbError> {
    ENGINES.iter().find(|e| e.name == name).ok_or_else(|| {
        if LEFT_OUT.contains(&name) {
            let allowed = format!("build it with --features {name}");
            return DbError::refused(format!("--engine {name}"), "this build does not include it", allowed);
        }
        let known = ENGINES.iter().map(|e| e.name).collect::<Vec<_>>().join(", ");
        let near = || model::units::suggestion(name, ENGINES.iter().map(|e| e.name));
        let hint = modelled(name).unwrap_or_else(near);
        DbError::refused(format!("--engine {}", model::clip(name)), "unknown engine", known + &hint)
    })
}

/// Returns advice for an engine that secchi does not drive but has a profile for.
fn modelled(name: &str) -> Option<String> {
    let profile = match name {
        "iris" | "cache" => "iris",
        "mysql" | "mariadb" | "innodb" => "innodb",
        _ => return None,
    };
    let scripts = match profile {
        "iris" => "; `secchi db script --engine iris` writes these tests as scripts for your own server",
        _ => "",
    };
    Some(format!("; `--engine model --profile {profile}` reproduces its I/O{scripts}"))
}

/// Serves an engine's session until the input ends. `words` are the arguments after [`SERVE_COMMAND`]: the name of the
/// engine and the engine's own arguments. The process must have only one thread, and do nothing else afterwards.
///
/// # Errors
/// Returns an error if the arguments are unknown, or if a pipe breaks. The engine's errors are sent to the other side
/// of the pipe.
pub fn serve_session(words: &[OsString], input: &mut dyn Read, output: &mut dyn Write) -> Result<(), DbError> {
    let served = words.split_first().and_then(|(name, words)| {
        let entry = ENGINES.iter().find(|entry| name == entry.name)?;
        entry.serve?(words, input, output)
    });
    served.unwrap_or_else(|| {
        Err(DbError::refused(
            SERVE_COMMAND,
            "only secchi itself starts this command",
            "use another command of `secchi db`",
        ))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_engine_that_only_the_model_knows_is_answered_with_its_profile() {
        let refusal = |name: &str| find_engine(name).err().expect("unknown engine").to_string();
        assert!(refusal("iris").contains("`--engine model --profile iris`"), "{}", refusal("iris"));
        assert!(refusal("iris").contains("`secchi db script --engine iris`"));
        assert!(refusal("mariadb").contains("`--engine model --profile innodb`"));
        assert!(refusal("sqlit").contains("did you mean `sqlite`?"));
    }
}
