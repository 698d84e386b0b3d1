//! Errors for unknown names of options and engines.

use model::{clip, units::nearest};

/// Unknown name of an option or engine. The message is one line and contains similar names.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NameError {
    /// Help was requested for an unknown option.
    #[error("unknown option `{name}`{}", did_you_mean(*nearest))]
    NoOption {
        /// Name as typed.
        name: String,
        /// Most similar known name, if any is similar.
        nearest: Option<&'static str>,
    },
    /// Help was requested for an unknown engine.
    #[error("unknown engine `{name}`{}", did_you_mean(*nearest))]
    NoEngine {
        /// Name as typed.
        name: String,
        /// Most similar known name, if any is similar.
        nearest: Option<&'static str>,
    },
    /// Help was requested for an option that the engine does not have.
    #[error("engine {engine} has no option `{name}`")]
    NotOfEngine {
        /// Name of the engine.
        engine: String,
        /// Name as typed.
        name: String,
    },
    /// An unknown option was used.
    #[error("unknown option `{name}`{}", nearest.map_or("; --cmdhelp=all lists them".into(), |near| did_you_mean(Some(near))))]
    UnknownOption {
        /// Name as typed.
        name: String,
        /// Most similar known name, if any is similar.
        nearest: Option<&'static str>,
    },
    /// The name is a prefix of several options.
    #[error("`{name}` is ambiguous: {}{}", candidates.join(" "), if *more { " ..." } else { "" })]
    Ambiguous {
        /// Name as typed.
        name: String,
        /// First few names that begin with this prefix.
        candidates: Vec<&'static str>,
        /// True if more names begin with the prefix.
        more: bool,
    },
}

impl NameError {
    /// Returns the error for a help request for an unknown option. `names` are the known options.
    pub(crate) fn no_option(name: &str, names: impl IntoIterator<Item = &'static str>) -> Self {
        NameError::NoOption { name: clip(name), nearest: nearest(name, names) }
    }

    /// Returns the error for a help request for an unknown engine. `names` are the known engines.
    pub(crate) fn no_engine(name: &str, names: impl IntoIterator<Item = &'static str>) -> Self {
        NameError::NoEngine { name: clip(name), nearest: nearest(name, names) }
    }

    /// Returns the error for the use of an unknown option. `names` are the known options.
    pub(crate) fn unknown_option(name: &str, names: impl IntoIterator<Item = &'static str>) -> Self {
        NameError::UnknownOption { name: clip(name), nearest: nearest(name, names) }
    }
}

fn did_you_mean(nearest: Option<&str>) -> String {
    nearest.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default()
}
