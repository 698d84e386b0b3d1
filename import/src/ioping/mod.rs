//! The three output formats of ioping: printed lines, raw statistics, JSON.

pub(crate) mod json;
pub(crate) mod raw;
pub(crate) mod text;
