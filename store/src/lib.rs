//! Runs kept: the journal is the truth, the SQL index beside it can be rebuilt.
//!
//! A store is a directory handed in by the caller: `runs/<uuid>.journal`, one append-only file per run, and
//! `index.sqlite`, one row per run for a quick listing. Whatever befalls the index (locked, corrupt, full, read-only,
//! deleted), a run goes on and nothing is lost: [`Store::list`] makes the rows again from the journals.
//! This crate reads no environment, prints nothing, and stands on `model` alone.

mod error;
#[cfg(test)]
mod fixture;
mod follow;
mod frame;
mod id;
mod index;
mod journal;
mod listing;
mod lookout;
mod os;
#[cfg(test)]
mod power_cut;
mod query;
mod recover;
mod schema;
mod store;
mod summary;
mod time;
mod writer;

pub use error::{JournalError, RecoverError, StoreError, Unreadable};
pub use follow::{Follower, Pace};
pub use frame::{Damage, FORMAT_VERSION, MAX_FRAME, MAX_JOURNAL};
pub use journal::JournalWriter;
pub use listing::Listing;
pub use lookout::Lookout;
pub use query::{QueryError, SqlAnswer, SqlTable, SqlValue, query};
pub use recover::{Recovered, recover, recover_from};
pub use store::{Indexed, Store};
pub use summary::{RunStatus, RunSummary};
pub use writer::{Finished, RunWriter};
