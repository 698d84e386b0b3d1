//! Why a name is that of no option or engine.

use model::{clip, nearest};

/// Why a name names no option or engine; one line, with what is near.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NameError {
    /// Help is asked for an option that is not there.
    #[error("no option `{name}`{}", did_you_mean(*nearest))]
    NoOption {
        /// What was typed.
        name: String,
        /// The name that is nearest to it, if one is near.
        nearest: Option<&'static str>,
    },
    /// Help is asked for an engine that is not there.
    #[error("no engine `{name}`{}", did_you_mean(*nearest))]
    NoEngine {
        /// What was typed.
        name: String,
        /// The name that is nearest to it, if one is near.
        nearest: Option<&'static str>,
    },
    /// Help is asked for an option that an engine does not have.
    #[error("engine {engine} has no option `{name}`")]
    NotOfEngine {
        /// The engine.
        engine: String,
        /// What was typed.
        name: String,
    },
    /// An option is used that is not there.
    #[error("unknown option `{name}`{}", nearest.map_or("; --cmdhelp=all lists them".into(), |near| did_you_mean(Some(near))))]
    UnknownOption {
        /// What was typed.
        name: String,
        /// The name that is nearest to it, if one is near.
        nearest: Option<&'static str>,
    },
    /// The beginning of several options.
    #[error("`{name}` may be any of: {}{}", candidates.join(" "), if *more { " ..." } else { "" })]
    Ambiguous {
        /// What was typed.
        name: String,
        /// Names that begin with it, the first ones.
        candidates: Vec<&'static str>,
        /// Whether there are more.
        more: bool,
    },
}

impl NameError {
    /// Of an option that help is asked for, among these names.
    pub(crate) fn no_option(name: &str, names: impl IntoIterator<Item = &'static str>) -> Self {
        NameError::NoOption { name: clip(name), nearest: nearest(name, names) }
    }

    /// Of an engine that help is asked for, among these names.
    pub(crate) fn no_engine(name: &str, names: impl IntoIterator<Item = &'static str>) -> Self {
        NameError::NoEngine { name: clip(name), nearest: nearest(name, names) }
    }

    /// Of an option that is used, among these names.
    pub(crate) fn unknown_option(name: &str, names: impl IntoIterator<Item = &'static str>) -> Self {
        NameError::UnknownOption { name: clip(name), nearest: nearest(name, names) }
    }
}

fn did_you_mean(nearest: Option<&str>) -> String {
    nearest.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default()
}
