//! Shell scripts and batch files: finds the commands that do I/O, without running anything.
//!
//! A script is parsed ([`read`], [`follow_line`]) and followed: variables, loops, substitutions, here-documents, and
//! programs that run a command among their arguments. All work on a script counts towards one bound. The crate does no
//! I/O: the caller passes in the text.

mod arithmetic;
mod batch;
mod environment;
mod follow;
mod plan;
mod read;
mod shell;
mod syntax;
#[cfg(test)]
mod tests;
mod typed;
mod wrappers;

pub use plan::{Cause, Doubt, Followed, Planned, Program, Unknown};
pub use read::{is_batch, read};
pub use syntax::Broken;
pub use typed::{follow_line, follow_words, is_option};
