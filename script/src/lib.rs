//! Shell scripts and batch files: finds the commands that do I/O, without running anything.
//!
//! A script is parsed ([`read`], [`follow_line`]) and followed: variables, loops, substitutions, here-documents, and
//! programs that run a command among their arguments. All work on a script counts towards one bound. The crate does no
//! I/O: the caller passes in the text.
//!
//! # Example
//!
//! ```
//! use script::{Program, read};
//! use std::path::Path;
//!
//! let text = "DEVICE=/dev/vda
//! for depth in 1 8; do
//!     fio --name=reads --filename=$DEVICE --iodepth=$depth
//! done
//! ";
//! let Ok(Some(followed)) = read(Path::new("bench.sh"), text) else { panic!("not a script") };
//! assert_eq!(followed.plans.len(), 2);
//! assert_eq!((followed.plans[0].program, followed.plans[0].line), (Program::Fio, 3));
//! assert_eq!(followed.plans[1].words, ["--name=reads", "--filename=/dev/vda", "--iodepth=8"]);
//! ```

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
