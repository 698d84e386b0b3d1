//! No process is looked at.

use super::{Process, ProcessIdentity, ProcessTotals, ProcessTree};
use crate::Roots;

/// Asks for a process: it is not told.
pub(super) fn source(_roots: &Roots, _process: &Process) -> impl FnMut() -> Option<ProcessTree> + Send + use<> {
    || None
}

/// Who has this number now: not told.
#[must_use]
pub fn process_identity(_roots: &Roots, _pid: u32) -> Option<ProcessIdentity> {
    None
}

/// The totals of a process: not told.
#[must_use]
pub fn process_totals(_roots: &Roots, _pid: u32) -> Option<ProcessTotals> {
    None
}
