//! The types that describe a benchmark and its results, with their arithmetic.
//!
//! This is the lowest crate: it imports no other crate of secchi, does no I/O and reads no clock, so every other crate
//! may use it. Input types: [`Plan`], [`Stage`], [`Job`], [`Workload`]. Output types: [`LatencyHistogram`],
//! [`Interval`], [`RunRecord`], [`Caveat`], [`Limit`], [`Judgement`]. Everything is exported from the crate root; the
//! folders only organise the source. Of `bounds`, `plan`, `measured`, `record` and `judged`, each uses only those before
//! it.

mod bounds;
mod foreign;
mod judged;
mod keyed;
mod measured;
mod metadata;
mod op;
mod parallel;
mod path_bytes;
mod plan;
mod record;
mod recording;
mod sorting;
#[cfg(test)]
mod testkit;
mod text;
mod units;

pub use bounds::*;
pub use foreign::*;
pub use judged::*;
pub use measured::*;
pub use metadata::*;
pub use op::*;
pub use parallel::map_on_all_cpus;
pub use path_bytes::path_of_bytes;
pub use plan::*;
pub use record::*;
pub use recording::*;
pub use sorting::CompactSort;
pub use text::*;
pub use units::*;
