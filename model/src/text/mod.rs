//! Translatable sentences, and parameters in names.

pub(crate) mod message;
mod naming;

pub use message::*;
pub use naming::*;
