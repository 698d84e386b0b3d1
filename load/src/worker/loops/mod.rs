//! Loops that send operations, one for each kind of pacing, and the rate limits and depth search that they use.

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
