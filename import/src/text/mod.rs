//! What readers of formats share: lines of a file, numbers as they are written, dates, JSON, fields, samples over time.

pub(crate) mod dates;
pub(crate) mod delimited;
pub(crate) mod figure;
pub(crate) mod json;
pub(crate) mod series;
pub(crate) mod source;
