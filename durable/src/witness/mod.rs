//! The witness: its storage ([`log`]), its responses ([`Witness::get`], [`Witness::post`]), its client ([`client`]),
//! and its records on a run ([`Knowledge`]). An acknowledgement counts once the witness has synced it.

pub mod client;
pub mod log;
pub mod teller;

use crate::experiment::Marker;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// Report on writes whose syncs have returned.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Acknowledgement {
    /// Identifier of the experiment.
    pub run: Uuid,
    /// Generation of the experiment.
    pub generation: u32,
    /// Pairs of a writer's number and the number of its last synced write. All earlier writes of that writer are
    /// synced, too.
    pub reached: Vec<(u16, u64)>,
}

/// Acknowledgements that the witness received together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Batch {
    /// Time of arrival by the witness's clock, as a Unix time in nanoseconds.
    pub at_ns: u64,
    /// Pairs of a writer's number and the number of its last synced write, for each writer in the batch.
    pub reached: Vec<(u16, u64)>,
}

/// Records that a witness keeps for one run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Knowledge {
    /// Marker that was reported at the beginning of the run.
    pub marker: Marker,
    /// Batches, in order of arrival.
    pub batches: Vec<Batch>,
}

impl Knowledge {
    /// Returns the number of a writer's last acknowledged write, or 0 if there is none.
    #[must_use]
    pub fn reached(&self, writer: u16) -> u64 {
        let recorded = self.batches.iter().rev().find_map(|b| b.reached.iter().find(|(w, _)| *w == writer));
        recorded.map_or(0, |(_, sequence)| *sequence)
    }

    /// Returns the time by which a write was acknowledged, as a Unix time in nanoseconds by the witness's clock.
    #[must_use]
    pub fn instant(&self, writer: u16, sequence: u64) -> Option<u64> {
        let holds = |b: &&Batch| b.reached.iter().any(|(w, s)| *w == writer && *s >= sequence);
        self.batches.iter().find(holds).map(|b| b.at_ns)
    }
}

/// Error from a request to a witness.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ClientError {
    /// The witness cannot be reached, or the connection broke. A later attempt may succeed.
    #[error("the witness at {shown} does not answer: {why}")]
    Away {
        /// Address as given by the user.
        shown: String,
        /// Reason for the failure.
        why: String,
    },
    /// The witness responded with an error.
    #[error("the witness at {shown} refused the request ({status}): {why}")]
    Refused {
        /// Address as given by the user.
        shown: String,
        /// HTTP status.
        status: u16,
        /// Text of the response.
        why: String,
    },
}

impl ClientError {
    /// Returns `true` if the witness does not know the requested run.
    #[must_use]
    pub fn is_unknown(&self) -> bool {
        matches!(self, ClientError::Refused { status: 404, .. })
    }
}

/// Receiver of acknowledgements, such as a witness.
pub trait Acknowledge {
    /// Records acknowledgements. They are durable when this function returns.
    ///
    /// # Errors
    /// Returns a [`ClientError`] if the request fails.
    fn acknowledge(&mut self, told: &Acknowledgement) -> Result<(), ClientError>;
}

/// Reason why a witness rejects a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Denial {
    /// HTTP status.
    pub status: u16,
    /// Reason, in one sentence.
    pub why: String,
}

pub(crate) fn denial(status: u16, why: impl Into<String>) -> Denial {
    Denial { status, why: why.into() }
}

pub use log::Witness;
