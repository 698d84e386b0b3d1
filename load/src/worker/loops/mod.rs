//! The loops that send: one for each way, and what paces and shapes them.

pub(super) mod closed;
pub(super) mod depth_search;
pub(super) mod flow;
pub(super) mod open;
pub(super) mod paced;
pub(super) mod rate_limiter;
pub(super) mod replay;
pub(super) mod session_loop;
pub(super) mod shaped;
pub(super) mod single;
