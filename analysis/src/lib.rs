//! Pure judgement of runs: steady state, knees, binding limits, needs, verdict.
//!
//! [`judge`] turns a [`model::RunRecord`] into a [`model::Judgement`]. It does no I/O, reads no clock and treats a live
//! run and a stored run alike. The rules that stop a step or a ramp while it runs ([`settled`], [`ramp_continues`],
//! [`undecided`], [`level_to_hold`]) also judge it afterwards. They are part of the crate `statistics`, as is
//! everything that concerns numbers alone.
//!
//! | folder | question |
//! |---|---|
//! | `levels` | steps -> figures of a level; seconds disturbed by other processes; times when nothing completed |
//! | `limits` | which caps apply, which one binds by the rates over block sizes, and does the rate last? |
//! | `validity` | are the figures credible? cache, secchi, other processes, Little's law, repeats, lower layers |
//! | `catalog` | what was sold, what should it deliver, which offer would be enough? |
//! | `verdict` | what binds, needs, findings, the first sentence, the answer |
//! | `compare` | did it change between runs? key figures of a run, one plan over time |
//! | `database` | what did the engine and the devices do during a database run? does it last? |
//! | `durability` | what did each kind of durable write become at each layer? |
//! | `foreign` | what do the figures in other tools' files show? |
//! | `hydration` | how much of a volume is not loaded from its snapshot yet? |
//! | `metadata` | how fast are files created, stat'ed, read and removed? |
//! | `purchase` | what would carry a recorded demand, second by second? |
//! | `watch` | devices, caps and processes of a watch |
//! | `contract`, `judge` | which needs does a file or a preset contain? everything combined |
//!
//! # Example
//!
//! ```
//! use analysis::{ForeignRequest, judge_foreign};
//! use model::{bounds::Need, judged::Outcome};
//!
//! // Output of pg_test_fsync, and a requirement for commits.
//! let output = "5 seconds per test
//! Compare file sync methods using one 8kB write:
//!     fdatasync    1839.337 ops/sec    544 usecs/op
//! ";
//! let files = import::read("pg_test_fsync.txt", output.as_bytes())?;
//! let needs = ["8k fdatasync: avg<=1ms".parse::<Need>()?];
//! let judgement = judge_foreign(&files, &ForeignRequest { needs: &needs, ..ForeignRequest::default() });
//! assert_eq!(judgement.needs[0].outcome, Outcome::Pass);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod catalog;
mod compare;
mod contract;
mod database;
#[cfg(any(test, feature = "test-support"))]
pub mod database_fixture;
mod demand;
mod durability;
mod foreign;
mod hydration;
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
pub use purchase::{
    NotSold, PurchaseBuilder, PurchaseDemand, PurchaseRequest, PurchaseSearch, PurchaseSpace, PurchaseTerms,
};
pub use replay::{MadeOperation, ReplayAsked, ReplayLoad, ReplayPlan, ReplayTally, RoleReplay, plan_replay};
pub use statistics::ramp::{MeasuredLevel, best_level, level_to_hold, ramp_continues, still_rises, undecided};
pub use statistics::series::{MIN_ESS, Spread, spread};
pub use statistics::steady::{conclusive, settled};
pub use validity::caveats::{file_system_full, ramp_bounded};
pub use validity::cpu::starved::ID as HOST_BUSY;
pub use validity::sampling::sampling;
pub use watch::{AlertWatch, fullness};
