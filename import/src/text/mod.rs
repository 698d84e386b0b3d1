//! Helpers that all format readers share: lines, numbers as printed, dates, JSON, fields, samples over time.

pub(crate) mod dates;
pub(crate) mod delimited;
pub(crate) mod figure;
pub(crate) mod json;
pub(crate) mod series;
pub(crate) mod source;
