//! Judgement, pure: steady state, knees, binding limits, needs, verdict.
//!
//! [`judge`] turns a [`model::RunRecord`] into a [`model::Judgement`]. It does no I/O and reads no clock, and it
//! cannot tell a live run from a stored one. The rules that stop a step or a ramp while it runs ([`settled`],
//! [`ramp_continues`], [`undecided`], [`level_to_hold`]) are the rules that judge it afterwards, so they live here too.
//!
//! | file | question |
//! |---|---|
//! | `series` | how well is a mean known? |
//! | `steady`, `changes` | is a series one level? where does it change? |
//! | `figures` | steps -> figures of a level |
//! | `tail`, `shaper`, `gaps` | how sure is a percentile? which bucket is behind a burst? when did nothing complete? |
//! | `ramp` | when to stop, what to hold, where the gain ends |
//! | `little`, `cache`, `generator`, `repeats` | may the figures be believed? |
//! | `limits`, `blocks`, `binding`, `burst` | which limit binds? does it last? |
//! | `catalog`, `expect`, `solve` | what was sold as what, what should it do, what would do? |
//! | `compare` | did it change between runs? |
//! | `digest` | key figures of a run; one plan over time |
//! | `database` | what did the engine and the devices do for a database run? does it last? |
//! | `foreign` | what do the figures of other tools' files show? |
//! | `contract` | which needs does a file, or a preset, hold? |
//! | `needs`, `caveats`, `findings`, `verdict`, `answer`, `judge` | what is said |

mod answer;
mod binding;
mod blocks;
mod burst;
mod cache;
pub mod catalog;
mod caveats;
mod changes;
mod clones;
mod compare;
mod contract;
mod database;
mod digest;
mod disturbance;
mod drive;
pub mod expect;
mod figures;
mod findings;
mod foreign;
mod gaps;
mod generator;
mod judge;
mod layers;
mod limits;
mod little;
mod needs;
mod ramp;
mod repeats;
mod sampling;
#[cfg(test)]
mod scenarios;
mod series;
mod shaper;
mod shares;
mod single;
pub mod solve;
mod starved;
mod steady;
#[cfg(test)]
mod steady_shapes;
mod tail;
#[cfg(test)]
mod testkit;
mod verdict;
mod watch;

pub use compare::{Incomparable, Question, compare, reduce};
pub use contract::{CONTRACTS, Contract, contract, near_preset, preset};
pub use database::wave_keeps;
pub use digest::{trend_lines, workload_figures};
pub use foreign::{ForeignRequest, foreign_rules, judge_foreign, unjudged};
pub use judge::{judge, judge_by};
pub use ramp::{MeasuredLevel, RampWatch, best_level, level_to_hold, ramp_continues, still_rises, undecided};
pub use sampling::sampling;
pub use series::{MIN_ESS, Spread, spread};
pub use starved::ID as HOST_BUSY;
pub use steady::{conclusive, settled};
pub use watch::{AlertWatch, fullness};
