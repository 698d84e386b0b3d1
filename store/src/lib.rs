//! Runs kept: the journal is the truth, the SQL index beside it can be rebuilt.
//!
//! A store is a directory handed in by the caller: `runs/<uuid>.journal`, one append-only file per run, beside it
//! `<uuid>.labels` where somebody tagged it, and `index.sqlite`, one row per run for a quick listing. Whatever befalls the index (locked, corrupt, full, read-only,
//! deleted), a run goes on and nothing is lost: [`Store::list`] makes the rows again from the journals.
//! This crate reads no environment, prints nothing, and stands on `model` alone.

mod bundle;
mod error;
pub mod filter;
#[cfg(test)]
mod fixture;
mod follow;
mod frame;
mod id;
mod index;
mod journal;
mod labels;
mod listing;
mod os;
mod plan_key;
#[cfg(test)]
mod power_cut;
mod query;
mod recover;
mod rows;
mod run_list_cache;
mod schema;
mod store;
mod summary;
mod team;
mod time;
mod whose;
mod writer;

pub use bundle::{BundleError, Exported, Imported};
pub use error::{JournalError, RecoverError, StoreError, Unreadable};
pub use filter::{Filter, FilterError, Now};
pub use follow::{Follower, Pace};
pub use frame::{Damage, FORMAT_VERSION, MAX_FRAME, MAX_JOURNAL};
pub use journal::JournalWriter;
pub use labels::Relabel;
pub use listing::Listing;
pub use query::{QueryError, SqlAnswer, SqlTable, SqlValue, query};
pub use recover::{Harm, Recovered, recover, recover_from};
pub use run_list_cache::RunListCache;
pub use store::{Indexed, Store};
pub use summary::{RunStatus, RunSummary};
pub use team::{Pushed, TeamAccess, TeamError, TeamView, is_team};
pub use whose::{is_journal, store_of};
pub use writer::{Finished, RunWriter};
