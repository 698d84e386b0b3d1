//! Remarks from inspections.

use model::Caveat;

/// Notes and doubts from the inspection of files.
#[derive(Default)]
pub(super) struct Remarks {
    pub notes: Vec<String>,
    pub caveats: Vec<Caveat>,
}
