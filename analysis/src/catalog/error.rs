//! Why something that was bought could not be turned into limits.

use model::{UnitError, clip, thousands};
use std::fmt;

/// What a name in the catalogue stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RowKind {
    /// A kind of volume.
    Volume,
    /// A type of instance.
    Instance,
}

impl fmt::Display for RowKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            RowKind::Volume => "volume",
            RowKind::Instance => "instance",
        })
    }
}

/// Where other rows are found.
const OTHERS: &str = "(`secchi limits list` shows all; --catalog FILE adds more)";

/// Why a name is not that of one row.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LookupError {
    /// No row has this name.
    #[error("{kind} `{}` is not in the catalogue{} {OTHERS}", clip(name), suggestion(nearest.as_deref()))]
    Unknown {
        /// What was looked for.
        kind: RowKind,
        /// The name as given.
        name: String,
        /// The name most like it, if one is.
        nearest: Option<String>,
    },
    /// No row has this name alone, and several have it with something behind an `@`.
    #[error("{kind} `{}` is not in the catalogue; which of {}? {OTHERS}", clip(name), variants.join(", "))]
    Variants {
        /// What was looked for.
        kind: RowKind,
        /// The name as given.
        name: String,
        /// The names that begin with it.
        variants: Vec<String>,
    },
    /// Several providers have a row of this name.
    #[error("{kind} `{}`: which of {}?", clip(name), names.join(", "))]
    Ambiguous {
        /// What was looked for.
        kind: RowKind,
        /// The name as given.
        name: String,
        /// The names with their providers.
        names: Vec<String>,
    },
}

impl LookupError {
    /// Whether it says which names may have been meant: such a name is known, but not by itself.
    #[must_use]
    pub fn names_candidates(&self) -> bool {
        matches!(self, LookupError::Variants { .. } | LookupError::Ambiguous { .. })
    }
}

/// Why something bought has no limits.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ResolveError {
    /// Its name is not that of one row.
    #[error(transparent)]
    Lookup(#[from] LookupError),
    /// What stands behind the name does not fit the row.
    #[error("{kind} `{}`: {why}", clip(text))]
    Settings {
        /// What was looked for.
        kind: RowKind,
        /// The whole text as given.
        text: String,
        /// What is wrong with it.
        why: SettingsError,
    },
}

/// What is wrong with the settings behind a name, as a clause that follows a colon.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum SettingsError {
    /// A part has no `=`.
    #[error("`{}`: KEY=VALUE is expected behind the colon", clip(.0))]
    NoPair(String),
    /// This key is there more than once.
    #[error("`{}` is given twice", clip(.0))]
    Twice(String),
    /// This key is given, and the row has none.
    #[error("`{}=`: nothing is set here", clip(.0))]
    NothingToSet(String),
    /// The row has other keys.
    #[error("`{}=` is not known here: {} are{}", clip(key), known.join(", "), suggestion(nearest.as_deref()))]
    UnknownKey {
        /// The key as given.
        key: String,
        /// The keys of the row.
        known: Vec<String>,
        /// The key most like it, if one is.
        nearest: Option<String>,
    },
    /// This figure of the row is not for the buyer to choose.
    #[error("its {figure} cannot be set: {why}")]
    NotChosen {
        /// `IOPS`, `bandwidth`.
        figure: &'static str,
        /// What decides it instead.
        why: String,
    },
    /// The size cannot be read.
    #[error("size: {0}")]
    Size(UnitError),
    /// The operations cannot be read.
    #[error("{0}")]
    Iops(UnitError),
    /// The bandwidth cannot be read.
    #[error("mbps: {0}")]
    Bandwidth(UnitError),
    /// No size is given, and limits depend on it.
    #[error("its size decides: size=N (in {unit})")]
    NoSize {
        /// The unit of a bare number.
        unit: &'static str,
    },
    /// The row has one size, and another is given.
    #[error("size {given}: it has {only} only")]
    OtherSize {
        /// The size as given, in the row's unit.
        given: String,
        /// The size there is.
        only: String,
    },
    /// The size is less than the smallest on offer.
    #[error("size {given}: at least {least}")]
    TooSmall {
        /// The size as given, in the row's unit.
        given: String,
        /// The smallest.
        least: String,
    },
    /// The size is more than the largest that is published.
    #[error("size {given}: at most {most}{published}")]
    TooLarge {
        /// The size as given, in the row's unit.
        given: String,
        /// The largest.
        most: String,
        /// When that was published.
        published: Published,
    },
    /// The size is zero.
    #[error("size 0: nothing")]
    SizeZero,
    /// A parameter of the row is not given.
    #[error("its {name} decides: {name}= one of {}", listed(offered))]
    NoParameter {
        /// Its name.
        name: String,
        /// The values there are.
        offered: Vec<f64>,
    },
    /// A parameter has a value that is not on offer.
    #[error("{name} `{}`: {} are offered", clip(given), listed(offered))]
    Parameter {
        /// Its name.
        name: String,
        /// The value as given.
        given: String,
        /// The values there are.
        offered: Vec<f64>,
    },
    /// A figure has no usual value and is not given.
    #[error("{key}= is to be set: {offered}")]
    NoFigure {
        /// Its key.
        key: &'static str,
        /// What can be had.
        offered: Offered,
    },
    /// A figure is outside what can be had.
    #[error("{key}={}: {offered}{at}{published}", thousands(*value))]
    Figure {
        /// Its key.
        key: &'static str,
        /// The value as given.
        value: f64,
        /// What can be had.
        offered: Offered,
        /// What that depends on, as ` at 10 GiB`; may be empty.
        at: String,
        /// When that was published.
        published: Published,
    },
    /// The part of an instance's bandwidth that volumes have is none.
    #[error("share `{}`: above 0 and at most 1", clip(.0))]
    Share(String),
    /// The instance has no such weighting.
    #[error("weighting `{}`: {} are offered{}", clip(given), offered.join(", "), suggestion(nearest.as_deref()))]
    Weighting {
        /// The name as given.
        given: String,
        /// The names there are.
        offered: Vec<String>,
        /// The name most like it, if one is.
        nearest: Option<String>,
    },
    /// The row's own formula gives no positive number.
    #[error("a cap comes out as {cap}: see {file}:{line}")]
    Cap {
        /// What it gives.
        cap: f64,
        /// The catalogue file of the row.
        file: String,
        /// The line of the row in it.
        line: usize,
    },
}

/// The least and the most of a figure that can be chosen.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Offered {
    /// The least.
    pub least: f64,
    /// The most.
    pub most: f64,
}

impl fmt::Display for Offered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} to {} are offered", thousands(self.least), thousands(self.most))
    }
}

/// The day on which the vendor's document of a row was published; may be empty. Shown as what to do where newer figures
/// are known: ` by what was published on 2023-05-11 (--catalog FILE adds newer)`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Published(pub String);

impl fmt::Display for Published {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(" by what was published")?;
        if !self.0.is_empty() {
            write!(f, " on {}", self.0)?;
        }
        f.write_str(" (--catalog FILE adds newer)")
    }
}

/// `; did you mean ...?`, if something is like what was typed.
pub(super) fn suggestion(nearest: Option<&str>) -> String {
    nearest.map(|n| format!("; did you mean `{n}`?")).unwrap_or_default()
}

/// Values in one line.
fn listed(values: &[f64]) -> String {
    values.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}
