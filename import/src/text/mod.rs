//! Helpers shared by the format readers: lines of a file, numbers as written, dates, JSON, fields, samples over time.

pub(crate) mod dates;
pub(crate) mod delimited;
pub(crate) mod figure;
pub(crate) mod json;
pub(crate) mod series;
pub(crate) mod source;
