//! The nouns secchi talks about, and their arithmetic.
//!
//! Ground floor: this crate imports nothing of ours, does no I/O and reads no clock, so every other room may use it.
//! Input side: [`Plan`], [`Stage`], [`Job`], [`Workload`]. Output side: [`LatencyHistogram`], [`Interval`],
//! [`RunRecord`], [`Caveat`], [`Limit`], [`Judgement`]. Users name everything by this crate: folders are for the reader.

mod bounds;
mod foreign;
mod judged;
mod measured;
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
pub use parallel::map_on_all_cpus;
pub use path_bytes::path_of_bytes;
pub use plan::*;
pub use record::*;
pub use recording::*;
pub use sorting::CompactSort;
pub use text::*;
pub use units::*;
