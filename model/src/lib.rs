//! The nouns secchi talks about, and their arithmetic.
//!
//! Ground floor: this crate imports nothing of ours, does no I/O and reads no clock, so every other room may use it.
//! Input side: [`Plan`], [`Stage`], [`Job`], [`Workload`]. Output side: [`LatencyHistogram`], [`Interval`],
//! [`RunRecord`], [`Caveat`], [`Limit`], [`Judgement`].

mod below;
mod caveat;
mod coarse;
mod comparison;
mod database;
mod database_judged;
mod detail;
mod disk;
mod event;
mod facts;
mod foreign;
mod foreign_judged;
mod histogram;
mod interval;
mod job;
mod joint;
mod judgement;
mod layers;
mod limit;
mod listed;
mod look;
mod manner;
mod mark;
mod naming;
mod need;
mod packed;
mod ping;
mod plan;
mod record;
mod redact;
mod samples;
mod section;
mod series;
mod small;
mod stats;
#[cfg(test)]
mod testkit;
mod traced;
mod trend;
mod units;
mod watch;
mod wave;
mod workload;

pub use below::*;
pub use caveat::*;
pub use comparison::*;
pub use database::*;
pub use database_judged::*;
pub use detail::*;
pub use disk::*;
pub use event::*;
pub use facts::*;
pub use foreign::*;
pub use foreign_judged::*;
pub use histogram::*;
pub use interval::*;
pub use job::*;
pub use judgement::*;
pub use layers::*;
pub use limit::*;
pub use listed::*;
pub use look::*;
pub use manner::*;
pub use mark::*;
pub use naming::*;
pub use need::*;
pub use packed::PackedTrace;
pub use ping::*;
pub use plan::*;
pub use record::*;
pub use redact::*;
pub use samples::*;
pub use section::*;
pub use series::*;
pub use stats::*;
pub use traced::*;
pub use trend::*;
pub use units::*;
pub use watch::*;
pub use wave::*;
pub use workload::*;
