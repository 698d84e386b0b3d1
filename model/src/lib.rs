//! The types that describe a benchmark and its results, with their arithmetic.
//!
//! This is the lowest crate: it imports no other crate of secchi, does no I/O and reads no clock, so every other crate
//! may use it. Each module has one subject, and a type is named with its module: `plan::Workload`, `record::Step`.
//! Below, a module uses only modules above it:
//!
//! - [`units`], [`text`]: sizes, times and rates; sentences that can be translated
//! - [`metadata`], [`bounds`]: phases of mdtest; limits of the storage, needs of the user, alerts of a watch
//! - [`plan`]: input of a run, a [`Plan`] of stages, each with a [`Job`]
//! - [`measured`], [`recording`]: latencies, intervals and series; requests of a recording
//! - [`record`]: output of a run, a [`RunRecord`] folded from its events
//! - [`foreign`]: results in files of other tools
//! - [`judged`]: the [`Judgement`] of a record, and comparisons, trends and purchases
//!
//! The root exports only the names that nearly every crate uses.
//!
//! # Example
//!
//! ```
//! use model::{Bytes, LatencyHistogram, Nanos};
//!
//! let block: Bytes = "64KiB".parse()?;
//! assert_eq!(block, Bytes::from_kib(64));
//!
//! let mut latencies = LatencyHistogram::default();
//! for micros in 1..=2_000 {
//!     latencies.record(Nanos::from_micros(micros));
//! }
//! let p99 = latencies.percentile(99.0).value().ok_or("too few requests")?;
//! assert_eq!(p99.to_string(), "1.98 ms");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod bounds;
pub mod foreign;
mod grouping;
pub mod judged;
mod keyed;
pub mod measured;
pub mod metadata;
mod op;
mod parallel;
mod path_bytes;
pub mod plan;
pub mod record;
pub mod recording;
mod sorting;
#[cfg(test)]
mod testkit;
pub mod text;
pub mod units;

pub use bounds::Limit;
pub use grouping::{distinct, grouped};
pub use judged::Judgement;
pub use measured::{Interval, LatencyHistogram};
pub use op::Op;
pub use parallel::map_on_all_cpus;
pub use path_bytes::path_of_bytes;
pub use plan::{Job, Plan, RunKind, Stage, Target};
pub use record::{Caveat, RunEvent, RunRecord, RunState, Severity};
pub use sorting::CompactSort;
pub use text::Sentence;
pub use units::{Bytes, BytesPerSecond, Iops, Nanos, clip};
