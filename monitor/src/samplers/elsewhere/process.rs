//! Processes: not sampled on this system.

use super::{Process, ProcessIdentity, ProcessTotals, ProcessTree};
use crate::Roots;

/// Returns a source that yields nothing.
pub(super) fn source(_roots: &Roots, _process: &Process) -> impl FnMut() -> Option<ProcessTree> + Send + use<> {
    || None
}

/// Returns `None`: not supported on this system.
#[must_use]
pub fn process_identity(_roots: &Roots, _pid: u32) -> Option<ProcessIdentity> {
    None
}

/// Returns `None`: not supported on this system.
#[must_use]
pub fn process_totals(_roots: &Roots, _pid: u32) -> Option<ProcessTotals> {
    None
}
