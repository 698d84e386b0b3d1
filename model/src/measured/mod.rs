//! Measurements of a run: latencies, intervals, samples, series, counters of the kernel and of databases, block traces;
//! and their compact serialised forms (`packed`, `small`, `series_sample`).

mod below;
mod database;
mod disk;
mod error_numbers;
mod histogram;
mod interval;
pub(crate) mod packed;
pub mod percentiles;
mod samples;
mod series;
mod series_sample;
pub(crate) mod small;
mod submitters;
mod summary;
mod top;
mod traced;

pub use below::*;
pub use database::*;
pub use disk::*;
pub use error_numbers::*;
pub use histogram::*;
pub use interval::*;
pub use packed::PackedTrace;
pub use samples::*;
pub use series::*;
pub use series_sample::*;
pub use submitters::DeviceProcess;
pub use summary::*;
pub use top::{TopName, group_label};
pub use traced::*;
