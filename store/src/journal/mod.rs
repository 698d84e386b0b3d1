//! The journal of one run, which is the authoritative data. Submodules: its format ([`frame`], [`head`]), writing
//! ([`writer`]), reading in any state ([`recover`]), and following while it grows ([`follow`]).

pub(crate) mod error;
pub(crate) mod follow;
pub(crate) mod frame;
pub(crate) mod head;
#[cfg(test)]
mod power_cut;
pub(crate) mod recover;
pub(crate) mod writer;
