//! Errors that occur when a purchased volume or instance is resolved into limits.

use model::clip;
use model::units::{UnitError, thousands};
use std::fmt;

/// Kind of a row of the catalogue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RowKind {
    /// A type of volume.
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

/// Hint about other rows, for error messages.
const OTHERS: &str = "(`secchi limits list` shows all; --catalog FILE adds more)";

/// Error of looking up a name that does not identify exactly one row.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LookupError {
    /// No row has this name.
    #[error("{kind} `{}` is not in the catalogue{} {OTHERS}", clip(name), suggestion(nearest.as_deref()))]
    Unknown {
        /// Kind of row that was requested.
        kind: RowKind,
        /// Name as given.
        name: String,
        /// Most similar name, if any.
        nearest: Option<String>,
    },
    /// No row has this exact name, but several have it followed by `@` and a variant.
    #[error("{kind} `{}` is not in the catalogue; which of {}? {OTHERS}", clip(name), variants.join(", "))]
    Variants {
        /// Kind of row that was requested.
        kind: RowKind,
        /// Name as given.
        name: String,
        /// Names of the variants.
        variants: Vec<String>,
    },
    /// Several providers have a row of this name.
    #[error("{kind} `{}`: which of {}?", clip(name), names.join(", "))]
    Ambiguous {
        /// Kind of row that was requested.
        kind: RowKind,
        /// Name as given.
        name: String,
        /// Names with their providers.
        names: Vec<String>,
    },
}

impl LookupError {
    /// Returns `true` if the error lists candidates: the name is known, but ambiguous.
    #[must_use]
    pub fn names_candidates(&self) -> bool {
        matches!(self, LookupError::Variants { .. } | LookupError::Ambiguous { .. })
    }
}

/// Error of resolving a purchase into limits.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ResolveError {
    /// The name does not identify exactly one row.
    #[error(transparent)]
    Lookup(#[from] LookupError),
    /// The settings after the name do not fit the row.
    #[error("{kind} `{}`: {why}", clip(text))]
    Settings {
        /// Kind of row that was requested.
        kind: RowKind,
        /// The whole text as given.
        text: String,
        /// Reason why the settings are invalid.
        why: SettingsError,
    },
}

/// Error in the settings after a name, as a clause that follows a colon.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum SettingsError {
    /// A part has no `=`.
    #[error("`{}`: expected KEY=VALUE after the colon", clip(.0))]
    NoPair(String),
    /// This key is given more than once.
    #[error("`{}` is given twice", clip(.0))]
    Twice(String),
    /// This key is given, but the row has no keys.
    #[error("`{}=`: it has no settings", clip(.0))]
    NothingToSet(String),
    /// The number of volumes before `*` is not one.
    #[error("`{}*`: expected a number of volumes from 1 to {}", clip(.0), super::stripe::MOST_VOLUMES)]
    Volumes(String),
    /// Several volumes have no higher caps than one.
    #[error("volumes of this kind on an instance share their caps: give one with their total size")]
    Shared,
    /// A stripe unit is given for a single volume.
    #[error("stripe= applies to several volumes, such as 4*gp3:size=250GiB")]
    StripeOfOne,
    /// The stripe unit cannot be parsed.
    #[error("stripe: {0}")]
    Stripe(UnitError),
    /// The stripe unit is not possible.
    #[error("stripe={0}: must be a power of two of at least 512 bytes")]
    StripeUnit(model::Bytes),
    /// The row has no such key.
    #[error("`{}=` is unknown; allowed: {}{}", clip(key), known.join(", "), suggestion(nearest.as_deref()))]
    UnknownKey {
        /// Key as given.
        key: String,
        /// Keys of the row.
        known: Vec<String>,
        /// Most similar key, if any.
        nearest: Option<String>,
    },
    /// The buyer cannot choose this figure.
    #[error("its {figure} cannot be set: {why}")]
    NotChosen {
        /// Name of the figure: `IOPS` or `bandwidth`.
        figure: &'static str,
        /// Reason why the figure is fixed.
        why: String,
    },
    /// The size cannot be parsed.
    #[error("size: {0}")]
    Size(UnitError),
    /// The operations per second cannot be parsed.
    #[error("{0}")]
    Iops(UnitError),
    /// The bandwidth cannot be parsed.
    #[error("mbps: {0}")]
    Bandwidth(UnitError),
    /// No size is given, but the limits depend on it.
    #[error("its limits depend on its size: set size=N (in {unit})")]
    NoSize {
        /// Unit of a bare number.
        unit: &'static str,
    },
    /// The row has a fixed size, but a different one is given.
    #[error("size {given}: it is available with {only} only")]
    OtherSize {
        /// Size as given, in the row's unit.
        given: String,
        /// The fixed size.
        only: String,
    },
    /// The size is less than the smallest on offer.
    #[error("size {given}: at least {least}")]
    TooSmall {
        /// Size as given, in the row's unit.
        given: String,
        /// Smallest size.
        least: String,
    },
    /// The size is more than the largest published size.
    #[error("size {given}: at most {most}{published}")]
    TooLarge {
        /// Size as given, in the row's unit.
        given: String,
        /// Largest size.
        most: String,
        /// Date of publication.
        published: Published,
    },
    /// The size is zero.
    #[error("size 0: must be above 0")]
    SizeZero,
    /// A parameter of the row is missing.
    #[error("its limits depend on {name}: set {name}= to one of {}", listed(offered))]
    NoParameter {
        /// Name of the parameter.
        name: String,
        /// Values on offer.
        offered: Vec<f64>,
    },
    /// A parameter has a value that is not on offer.
    #[error("{name} `{}`: the vendor offers {}", clip(given), listed(offered))]
    Parameter {
        /// Name of the parameter.
        name: String,
        /// Value as given.
        given: String,
        /// Values on offer.
        offered: Vec<f64>,
    },
    /// A figure is missing and has no default.
    #[error("{key}= must be set: {offered}")]
    NoFigure {
        /// Key of the figure.
        key: &'static str,
        /// Range on offer.
        offered: Offered,
    },
    /// A figure is outside the range on offer.
    #[error("{key}={}: {offered}{at}{published}", thousands(*value))]
    Figure {
        /// Key of the figure.
        key: &'static str,
        /// Value as given.
        value: f64,
        /// Range on offer.
        offered: Offered,
        /// Condition of the range, such as ` at 10 GiB`; may be empty.
        at: String,
        /// Date of publication.
        published: Published,
    },
    /// The volumes' share of an instance's bandwidth must be greater than 0 and at most 1.
    #[error("share `{}`: must be above 0 and at most 1", clip(.0))]
    Share(String),
    /// The instance does not offer this weighting.
    #[error("weighting `{}`: the vendor offers {}{}", clip(given), offered.join(", "), suggestion(nearest.as_deref()))]
    Weighting {
        /// Name as given.
        given: String,
        /// Names on offer.
        offered: Vec<String>,
        /// Most similar name, if any.
        nearest: Option<String>,
    },
    /// The row's own formula does not yield a positive number.
    #[error("the formula of a cap yields {cap}: see {file}:{line}")]
    Cap {
        /// Result of the formula.
        cap: f64,
        /// Catalogue file of the row.
        file: String,
        /// Line of the row in that file.
        line: usize,
    },
}

/// Range of a figure that the buyer can choose.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Offered {
    /// Minimum.
    pub least: f64,
    /// Maximum.
    pub most: f64,
}

impl fmt::Display for Offered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the vendor offers {} to {}", thousands(self.least), thousands(self.most))
    }
}

/// Publication date of the vendor's document for a row; may be empty.
///
/// Displayed with a hint for users who know newer figures:
/// ` according to the publication of 2023-05-11 (--catalog FILE adds newer)`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Published(pub String);

impl fmt::Display for Published {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(" according to the publication")?;
        if !self.0.is_empty() {
            write!(f, " of {}", self.0)?;
        }
        f.write_str(" (--catalog FILE adds newer)")
    }
}

/// Returns `; did you mean ...?` if there is a similar name.
pub(super) fn suggestion(nearest: Option<&str>) -> String {
    nearest.map(|n| format!("; did you mean `{n}`?")).unwrap_or_default()
}

/// Returns the values in one line.
fn listed(values: &[f64]) -> String {
    values.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}
