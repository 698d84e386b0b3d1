//! From typed sections to stages of a plan: clones, files, sizes, waves. Everything that must be known of files and of
//! the machine is asked of [`Facts`], handed in.

mod contents;
mod ends;
mod engine;
mod facts;
mod lowered;
mod paths;
mod report;
mod sizes;
mod stages;
mod targets;
mod tuning;
mod workload;
mod zones;

pub use facts::{Facts, PathKind};
pub use lowered::Lowered;
pub(crate) use paths::paths_on;
pub use stages::lower;
