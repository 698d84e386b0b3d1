//! Verdict of a run of workloads: what binds, which needs are met, findings, the first sentence and the answer.

pub(crate) mod answer;
pub(crate) mod binding;
pub(crate) mod commands;
pub(crate) mod findings;
mod measured;
pub(crate) mod needs;
mod rising;
pub(crate) mod sentences;
pub(crate) mod shares;
pub(crate) mod workloads;
