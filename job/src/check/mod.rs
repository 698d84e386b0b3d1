//! What does not go together, and what has no effect: found before anything is opened.
//!
//! Errors are those rows that concern several options at once (docs/design/bad-input.md, "The forty rows"). A setting
//! without effect is a note, not an error: job files that set `rwmixread` for a pure read are everywhere, and harm
//! nobody.

mod doubts;
mod effects;
mod file;
mod sections;

pub(crate) use doubts::SHORTEST_LOG;
pub(crate) use file::{check, check_scope, reads_otherwise};
