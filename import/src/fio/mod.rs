//! fio's outputs: JSON, normal, terse, logs and histogram logs. `options.rs` contains the shared parts.

pub(crate) mod histogram_log;
pub(crate) mod json;
pub(crate) mod log;
pub(crate) mod options;
pub(crate) mod terse;
pub(crate) mod text;
