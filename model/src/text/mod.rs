//! Sentences before they are in a language, names that tell parameters, and texts without their passwords.

pub(crate) mod message;
mod naming;
mod redact;

pub use message::*;
pub use naming::*;
pub use redact::*;
