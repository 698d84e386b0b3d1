//! What a replay made, beside what the recording had.

use crate::{Bytes, LatencyHistogram, Nanos, Op};
use serde::{Deserialize, Serialize};

/// Operations, and the latencies they had.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct OperationLatencies {
    /// Operations that did not fail.
    pub operations: u64,
    /// Their bytes.
    pub bytes: Bytes,
    /// From when they were issued to their end; of a recording without latencies it is empty.
    pub latency: LatencyHistogram,
}

impl OperationLatencies {
    /// Takes one.
    pub fn add(&mut self, bytes: Bytes, latency: Option<Nanos>) {
        self.operations += 1;
        self.bytes = self.bytes.saturating_add(bytes);
        if let Some(latency) = latency {
            self.latency.record(latency);
        }
    }
}

/// Operations of about one size.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct ReplayedSize {
    /// They are as large as this, and larger than half of it.
    pub up_to: Bytes,
    /// As the recording has them.
    pub recorded: OperationLatencies,
    /// As they were made.
    pub made: OperationLatencies,
}

/// Operations of one kind.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ReplayedKind {
    /// Which kind.
    pub op: Op,
    /// As the recording has them.
    pub recorded: OperationLatencies,
    /// As they were made.
    pub made: OperationLatencies,
    /// From when they were due to their end.
    pub from_due: LatencyHistogram,
    /// By size; none of flushes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sizes: Vec<ReplayedSize>,
}

/// One second of a replay, by when operations were due.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ReplaySecond {
    /// Operations that were due in it, and were made.
    pub operations: u64,
    /// Of them those that were sent more than [`LATE`] after they were due.
    pub late: u64,
    /// The longest time from due to sent.
    pub longest: Nanos,
}

/// What is sent so long after it was due is late: a busy machine alone is not.
pub const LATE: Nanos = Nanos::from_millis(10);

/// What was asked of one role's files, and made of it.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct ReplayedRole {
    /// The role.
    pub role: String,
    /// Operations of the list.
    pub operations: u64,
    /// Of them those that wait for another's end.
    pub following: u64,
    /// From the beginning to the end of the last one, as recorded; at the speed of the replay.
    pub recorded_length: Nanos,
    /// The same as it was made.
    pub made_length: Nanos,
    /// By kind.
    pub kinds: Vec<ReplayedKind>,
    /// By the second in which operations were due.
    pub seconds: Vec<ReplaySecond>,
}

impl ReplayedRole {
    /// Seconds in which something was sent late.
    #[must_use]
    pub fn late_seconds(&self) -> usize {
        self.seconds.iter().filter(|s| s.late > 0).count()
    }

    /// The longest time that an operation was sent after it was due.
    #[must_use]
    pub fn longest_lag(&self) -> Nanos {
        self.seconds.iter().map(|s| s.longest).max().unwrap_or(Nanos(0))
    }

    /// Operations that were made, of all kinds.
    #[must_use]
    pub fn made(&self) -> u64 {
        self.kinds.iter().map(|k| k.made.operations).sum()
    }
}

/// A replay, role by role, in the order of the plan's stages.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Replayed {
    /// The recording, as it was named.
    pub recording: String,
    /// Times of the recording are divided by this; 0 = as fast as possible.
    pub speed: f64,
    /// The roles.
    pub roles: Vec<ReplayedRole>,
}
