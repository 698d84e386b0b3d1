//! fio's outputs: JSON, normal, terse, logs, logs of histograms; `options.rs` holds what they share.

pub(crate) mod histogram_log;
pub(crate) mod json;
pub(crate) mod log;
pub(crate) mod options;
pub(crate) mod terse;
pub(crate) mod text;
