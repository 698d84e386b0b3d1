//! Conversion of typed sections into stages of a plan: clones, files, sizes, and waves (stages that run at the same
//! time). The caller passes in [`Facts`], which supplies all facts about files and the machine.

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
