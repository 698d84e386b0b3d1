//! The journal of one run, the truth: its form ([`frame`], [`head`]), writing it ([`writer`]), reading it whatever befell it
//! ([`recover`]), and reading on while it grows ([`follow`]).

pub(crate) mod error;
pub(crate) mod follow;
pub(crate) mod frame;
pub(crate) mod head;
#[cfg(test)]
mod power_cut;
pub(crate) mod recover;
pub(crate) mod writer;
