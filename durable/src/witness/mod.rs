//! The witness: what it keeps ([`log`]), what it answers ([`Witness::get`], [`Witness::post`]), who asks it ([`client`]), and what was learnt of one
//! run ([`Knowledge`]). An acknowledgement counts when the witness has synced it.

pub mod client;
pub mod log;
pub mod teller;

use crate::experiment::Marker;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// Writes of which the syncs returned, as a writer tells them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Acknowledgement {
    /// The experiment.
    pub run: Uuid,
    /// Its generation.
    pub generation: u32,
    /// Writers, each with its last write that was synced: all before it were, too.
    pub reached: Vec<(u16, u64)>,
}

/// Acknowledgements that came together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Batch {
    /// When, by the witness' clock: nanoseconds of Unix time.
    pub at_ns: u64,
    /// Writers, each with its last write that was synced.
    pub reached: Vec<(u16, u64)>,
}

/// What a witness knows of one run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Knowledge {
    /// As it was told when writing began.
    pub marker: Marker,
    /// In the order in which they came.
    pub batches: Vec<Batch>,
}

impl Knowledge {
    /// The last write of a writer that was acknowledged; 0 = none.
    #[must_use]
    pub fn reached(&self, writer: u16) -> u64 {
        let told = self.batches.iter().rev().find_map(|b| b.reached.iter().find(|(w, _)| *w == writer));
        told.map_or(0, |(_, sequence)| *sequence)
    }

    /// When a write was known to be acknowledged, by the witness' clock: nanoseconds of Unix time, at the latest.
    #[must_use]
    pub fn instant(&self, writer: u16, sequence: u64) -> Option<u64> {
        let holds = |b: &&Batch| b.reached.iter().any(|(w, s)| *w == writer && *s >= sequence);
        self.batches.iter().find(holds).map(|b| b.at_ns)
    }
}

/// Why a witness did not answer as it should.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ClientError {
    /// It cannot be reached, or broke off: it may be there again later.
    #[error("the witness at {shown} does not answer: {why}")]
    Away {
        /// As it was named.
        shown: String,
        /// The reason.
        why: String,
    },
    /// It answers, and says no.
    #[error("the witness at {shown} refuses ({status}): {why}")]
    Refused {
        /// As it was named.
        shown: String,
        /// Status of HTTP.
        status: u16,
        /// Its own words.
        why: String,
    },
}

impl ClientError {
    /// Whether it knows nothing of what was asked for.
    #[must_use]
    pub fn is_unknown(&self) -> bool {
        matches!(self, ClientError::Refused { status: 404, .. })
    }
}

/// Who takes acknowledgements.
pub trait Acknowledge {
    /// Takes them: they count when this returns.
    ///
    /// # Errors
    /// [`ClientError`].
    fn acknowledge(&mut self, told: &Acknowledgement) -> Result<(), ClientError>;
}

/// Why a witness does not count what it was told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Denial {
    /// Status of HTTP.
    pub status: u16,
    /// One sentence.
    pub why: String,
}

pub(crate) fn denial(status: u16, why: impl Into<String>) -> Denial {
    Denial { status, why: why.into() }
}

pub use log::Witness;
