//! Translatable sentences, parameters in names, and removal of passwords from text.

pub(crate) mod message;
mod naming;
mod redact;

pub use message::*;
pub use naming::*;
pub use redact::*;
