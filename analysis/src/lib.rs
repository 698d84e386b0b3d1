//! Judgement, pure: steady state, knees, binding limits, needs, verdict.
//!
//! [`judge`] turns a [`model::RunRecord`] into a [`model::Judgement`]. It does no I/O and reads no clock, and it
//! cannot tell a live run from a stored one. The rules that stop a step or a ramp while it runs ([`settled`],
//! [`ramp_continues`], [`undecided`], [`level_to_hold`]) are the rules that judge it afterwards; they are `statistics`', as is all
//! that is said of numbers alone.
//!
//! | folder | question |
//! |---|---|
//! | `levels` | steps -> figures of a level; seconds in which others disturbed it; when nothing completed |
//! | `limits` | which caps were there, which binds by its rates over block sizes, does it last? |
//! | `validity` | may the figures be believed: the cache, the tool itself, others, Little's law, repeats, the layers below? |
//! | `catalog` | what was sold as what, what should it do, what would do? |
//! | `verdict` | what binds, needs, findings, the first sentence, the answer |
//! | `compare` | did it change between runs? key figures of a run, one plan over time |
//! | `database` | what did the engine and the devices do for a database run? does it last? |
//! | `durability` | what did each way to make writes durable become at each layer? |
//! | `foreign` | what do the figures of other tools' files show? |
//! | `metadata` | how fast are files made, looked at, read and removed? |
//! | `purchase` | what would carry a recorded demand, second by second? |
//! | `watch` | devices, caps and processes of a watch |
//! | `contract`, `judge` | which needs does a file, or a preset, hold? all of it together |

pub mod catalog;
mod compare;
mod contract;
mod database;
#[cfg(any(test, feature = "test-support"))]
pub mod database_fixture;
mod demand;
mod durability;
mod foreign;
mod judge;
mod levels;
mod limits;
mod metadata;
mod purchase;
mod replay;
#[cfg(test)]
mod scenarios;
#[cfg(test)]
mod testkit;
mod validity;
mod verdict;
mod watch;

pub use compare::digest::{trend_lines, workload_figures};
pub use compare::{Incomparable, Question, compare, compare_layouts, reduce};
pub use contract::{CONTRACTS, Contract, contract, near_preset, preset};
pub use database::{missed_need, wave_keeps};
pub use demand::{DemandBuilder, demand_contract, sampled_demand};
pub use foreign::{ForeignRequest, foreign_rules, judge_foreign, unjudged};
pub use judge::{judge, judge_by};
pub use levels::verification::load_only;
pub use purchase::{PurchaseBuilder, PurchaseRequest, PurchaseTerms};
pub use replay::{MadeOperation, ReplayAsked, ReplayLoad, ReplayPlan, ReplayTally, RoleReplay, plan_replay};
pub use statistics::ramp::{
    MeasuredLevel, RampWatch, best_level, level_to_hold, ramp_continues, still_rises, undecided,
};
pub use statistics::series::{MIN_ESS, Spread, spread};
pub use statistics::steady::{conclusive, settled};
pub use validity::caveats::{file_system_full, ramp_bounded};
pub use validity::cpu::starved::ID as HOST_BUSY;
pub use validity::sampling::sampling;
pub use watch::{AlertWatch, fullness};
