//! Checks for conflicting settings, and for settings that have no effect, before any file is opened.
//!
//! Conflicts between options are errors (docs/design/bad-input.md, "The forty rows"). A setting that has no effect
//! only gets a note: many job files set `rwmixread` for a pure read, which does no harm.

mod doubts;
mod effects;
mod file;
mod sections;

pub(crate) use doubts::SHORTEST_LOG;
pub(crate) use file::{check, check_scope, reads_otherwise};
