//! Renderers: one function for each format, which writes any [`crate::document::Document`].
//!
//! A renderer knows its format and nothing about kinds of runs. All text is untrusted: each renderer escapes it once, where
//! it writes it.

pub(crate) mod csv;
#[cfg(feature = "html")]
pub(crate) mod html;
pub(crate) mod json;
pub(crate) mod junit;
pub(crate) mod markdown;
pub(crate) mod stack;
pub(crate) mod terminal;
