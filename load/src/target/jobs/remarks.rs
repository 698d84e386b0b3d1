//! Remarks from inspections.

use model::Caveat;

/// Remarks from inspecting files, reported along with them.
#[derive(Default)]
pub(super) struct Remarks {
    pub notes: Vec<String>,
    pub caveats: Vec<Caveat>,
}
