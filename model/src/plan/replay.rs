//! Operations that are made again as a recording has them.

use crate::{FlushKind, Nanos, Op};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::sync::Arc;

/// When the operations of a recording are sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReplayPace {
    /// When they are due.
    #[default]
    Recorded,
    /// In their order, as soon as there is room in the queue.
    Unpaced,
}

/// One operation to be made again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReplayRequest {
    /// When it is due, from the start of the load; of one that follows another, from that one's end.
    pub due: Nanos,
    /// Byte offset in its file.
    pub at: u64,
    /// Length in bytes; 0 of a flush.
    pub len: u32,
    /// Which of the job's files, in the order of [`crate::Job::targets`].
    pub file: u16,
    /// The kind of operation.
    pub op: Op,
    /// How much a flush makes durable; without meaning for the others.
    pub flush: FlushKind,
    /// The operation whose end it waits for, by its place in the list; [`ReplayRequest::FREE`] = none.
    pub follows: u32,
}

impl ReplayRequest {
    /// It waits for no other operation.
    pub const FREE: u32 = u32::MAX;

    /// Whether it waits for another's end.
    #[must_use]
    pub const fn is_following(&self) -> bool {
        self.follows != Self::FREE
    }
}

/// The operations of a replay, in the order in which they were issued; what one follows comes before it.
#[derive(Clone, PartialEq, Default)]
pub struct ReplayList(pub Arc<[ReplayRequest]>);

impl fmt::Debug for ReplayList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ReplayList of {}", self.0.len())
    }
}

/// What a job makes again instead of what its workload says. The workload tells what is in it: its mix and its sizes.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Replay {
    /// The recording, as it was named.
    pub source: String,
    /// When operations are sent.
    pub pace: ReplayPace,
    /// How many there are.
    pub operations: u64,
    /// Of them those that wait for another's end.
    pub following: u64,
    /// Flushes among them.
    pub flushes: u64,
    /// The operations. No record keeps them: it names the recording.
    #[serde(skip)]
    pub list: ReplayList,
}

impl Replay {
    /// These operations, in the order in which they were issued.
    #[must_use]
    pub fn new(source: impl Into<String>, pace: ReplayPace, list: Vec<ReplayRequest>) -> Self {
        let count = |of: fn(&ReplayRequest) -> bool| list.iter().filter(|r| of(r)).count() as u64;
        Replay {
            source: source.into(),
            pace,
            operations: list.len() as u64,
            following: count(ReplayRequest::is_following),
            flushes: count(|r| r.op == Op::Flush),
            list: ReplayList(list.into()),
        }
    }
}
