//! What is found on the way.

use model::Caveat;

/// What is found on the way and told beside the files.
#[derive(Default)]
pub(super) struct Remarks {
    pub notes: Vec<String>,
    pub caveats: Vec<Caveat>,
}
