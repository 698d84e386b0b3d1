//! From typed sections to stages of a plan: clones, files, sizes, waves. Everything that must be known of files and of
//! the machine is asked of [`Facts`], handed in.

mod contents;
mod ends;
mod engine;
mod facts;
mod files;
mod lowered;
mod replay;
mod report;
mod stages;
mod tuning;
mod workload;
mod zones;

pub use facts::{Facts, PathKind};
pub(crate) use files::paths::paths_on;
pub use lowered::Lowered;
pub use stages::lower;
