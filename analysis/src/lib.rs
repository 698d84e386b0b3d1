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

pub mod catalog;
mod compare;
mod contract;
mod database;
mod foreign;
mod judge;
mod levels;
mod limits;
#[cfg(test)]
mod scenarios;
mod statistics;
#[cfg(test)]
mod testkit;
mod validity;
mod verdict;
mod watch;

pub use compare::digest::{trend_lines, workload_figures};
pub use compare::{Incomparable, Question, compare, reduce};
pub use contract::{CONTRACTS, Contract, contract, near_preset, preset};
pub use database::wave_keeps;
pub use foreign::{ForeignRequest, foreign_rules, judge_foreign, unjudged};
pub use judge::{judge, judge_by};
pub use statistics::ramp::{
    MeasuredLevel, RampWatch, best_level, level_to_hold, ramp_continues, still_rises, undecided,
};
pub use statistics::series::{MIN_ESS, Spread, spread};
pub use statistics::steady::{conclusive, settled};
pub use validity::sampling::sampling;
pub use validity::starved::ID as HOST_BUSY;
pub use watch::{AlertWatch, fullness};
