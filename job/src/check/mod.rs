//! Checks for conflicting settings and settings without effect, before anything is opened.
//!
//! Errors are the rules for several options at once (docs/design/bad-input.md, "The forty rows"). A setting without
//! effect is a note, not an error: many job files set `rwmixread` for a pure read, which does no harm.

mod doubts;
mod effects;
mod file;
mod sections;

pub(crate) use doubts::SHORTEST_LOG;
pub(crate) use file::{check, check_scope, reads_otherwise};
