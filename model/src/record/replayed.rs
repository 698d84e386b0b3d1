//! Results of a replay, compared with the recording.

use crate::{Bytes, LatencyHistogram, Nanos, Op};
use serde::{Deserialize, Serialize};

/// Operations and their latencies.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct OperationLatencies {
    /// Number of operations that did not fail.
    pub operations: u64,
    /// Number of bytes of these operations.
    pub bytes: Bytes,
    /// Latencies from issue to completion; empty if a recording has no latencies.
    pub latency: LatencyHistogram,
}

impl OperationLatencies {
    /// Adds an operation.
    pub fn add(&mut self, bytes: Bytes, latency: Option<Nanos>) {
        self.operations += 1;
        self.bytes = self.bytes.saturating_add(bytes);
        if let Some(latency) = latency {
            self.latency.record(latency);
        }
    }
}

/// Operations of similar size.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ReplayedSize {
    /// Upper bound of the sizes; the lower bound is half of it (exclusive).
    pub up_to: Bytes,
    /// Operations in the recording.
    pub recorded: OperationLatencies,
    /// Operations in the replay.
    pub made: OperationLatencies,
}

/// Operations of one kind.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ReplayedKind {
    /// Kind of the operations.
    pub op: Op,
    /// Operations in the recording.
    pub recorded: OperationLatencies,
    /// Operations in the replay.
    pub made: OperationLatencies,
    /// Latencies from the due time to completion.
    pub from_due: LatencyHistogram,
    /// The operations by size; empty for flushes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sizes: Vec<ReplayedSize>,
}

/// Operations that were due in one second of a replay.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ReplaySecond {
    /// Number of operations that were due in this second and were sent.
    pub operations: u64,
    /// Number of these operations that were sent more than 10 ms after they were due.
    pub late: u64,
    /// Maximum delay between the due time and the submission.
    pub longest: Nanos,
}

/// Operations on the files of one role, in the recording and in the replay.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ReplayedRole {
    /// Name of the role.
    pub role: String,
    /// Number of operations in the list.
    pub operations: u64,
    /// Number of operations that wait for another operation to complete.
    pub following: u64,
    /// Time from the start of the first operation to the end of the last one in the recording, at the speed of the
    /// replay.
    pub recorded_length: Nanos,
    /// The same time in the replay.
    pub made_length: Nanos,
    /// The operations by kind.
    pub kinds: Vec<ReplayedKind>,
    /// The operations by the second in which they were due.
    pub seconds: Vec<ReplaySecond>,
}

impl ReplayedRole {
    /// Returns the number of seconds in which an operation was sent late.
    #[must_use]
    pub fn late_seconds(&self) -> usize {
        self.seconds.iter().filter(|s| s.late > 0).count()
    }

    /// Returns the maximum delay between the due time and the submission.
    #[must_use]
    pub fn longest_lag(&self) -> Nanos {
        self.seconds.iter().map(|s| s.longest).max().unwrap_or(Nanos(0))
    }

    /// Returns the number of replayed operations of all kinds.
    #[must_use]
    pub fn made(&self) -> u64 {
        self.kinds.iter().map(|k| k.made.operations).sum()
    }
}

/// Results of a replay by role, in the order of the plan's stages.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Replayed {
    /// Recording, as the user named it.
    pub recording: String,
    /// Factor by which times of the recording are divided; 0 = as fast as possible.
    pub speed: f64,
    /// Results of each role.
    pub roles: Vec<ReplayedRole>,
}
