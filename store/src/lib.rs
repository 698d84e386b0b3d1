//! Storage of runs: the journals are authoritative, and the SQL index can be rebuilt from them.
//!
//! A store is a directory that the caller names. It contains `runs/<uuid>.journal`, one append-only file per run;
//! `runs/<uuid>.labels` if the run has tags or a note; and `index.sqlite`, one row per run for a quick listing. If the
//! index is locked, corrupt, full, read-only or deleted, runs continue and nothing is lost: [`Store::list`] rebuilds
//! the rows from the journals. This crate reads no environment variables and prints nothing.
//!
//! # Example
//!
//! ```
//! use model::{Bytes, Nanos, Plan, RunEvent, RunKind, RunState, Target, record::RECORD_VERSION};
//! use store::{Digest, RunStatus, Store};
//!
//! let directory = tempfile::tempdir()?;
//! let store = Store::open(directory.path())?;
//!
//! let target = Target::null("data", Bytes::from_gib(1));
//! let plan = Plan::new(RunKind::Blocks, target, Vec::new(), Nanos::from_secs(60));
//! let [tool, id, started] =
//!     ["0.2.0", "3f2a9c1b-77d1-4d21-9e01-8844aa105c7f", "2026-11-21T10:00:00Z"].map(str::to_owned);
//! let begin = RunEvent::Begin { version: RECORD_VERSION, tool, id, started, plan, preflight: Box::default() };
//! let (state, at) = (RunState::Complete, Nanos::from_secs(5));
//! let mut writer = store.create_run(&begin)?;
//! writer.append(&RunEvent::End { state, at, reason: "".into(), signal: None })?;
//! writer.finish(Digest::default())?;
//!
//! assert_eq!(store.list()?.runs[0].state, RunStatus::Complete);
//! assert_eq!(store.read("last")?.ended, at);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod filter;
#[cfg(any(test, feature = "test-support"))]
pub mod fixture;
mod hex;
mod index;
mod journal;
mod os;
mod plan_key;
mod runs;
mod sql_value;
mod summary;
mod team;
mod time;

pub use filter::{Filter, FilterError, Now};
pub use index::query::{QueryError, SqlAnswer, SqlTable, query};
pub use journal::error::{JournalError, RecoverError, Unreadable};
pub use journal::follow::{FollowState, Follower};
pub use journal::frame::Damage;
pub use journal::recover::{Harm, Recovered, recover, recover_from};
pub use runs::bundle::{BundleError, Exported, Imported};
pub use runs::document::{DocumentError, RunDocument};
pub use runs::error::StoreError;
pub use runs::labels_file::LabelChange;
pub use runs::listing::Listing;
pub use runs::paths::{find_store, is_journal};
pub use runs::run_list_cache::RunListCache;
pub use runs::run_writer::{Finished, RunWriter};
pub use runs::store::{Indexed, Store};
pub use runs::team_error::TeamError;
pub use sql_value::SqlValue;
pub use summary::{Digest, RunList, RunStatus, RunSummary};
pub use team::{Pushed, TeamAccess, TeamView, is_team, without_passwords};
