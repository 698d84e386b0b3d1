//! Result and intermediate state of lowering.

use super::facts::Facts;
use crate::file::{JobFile, Section};
use model::plan::{Layout, Replay};
use model::{Bytes, Stage, recording::Recording};
use std::path::PathBuf;
use std::rc::Rc;

/// Plan for the run, as far as the job language determines it. The caller adds checks of the targets, preflight checks
/// and consent.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Lowered {
    /// Stages of the run, one for each clone.
    pub stages: Vec<Stage>,
    /// Sections in the form used by the report.
    pub sections: Vec<model::plan::Section>,
    /// Files to prepare.
    pub layout: Vec<Layout>,
    /// Paths that jobs with `overwrite=1` write. The option is consent to overwrite them.
    pub overwrite: Vec<PathBuf>,
    /// Merged recordings (`merge_blktrace_file`), each with the file in which it is stored.
    pub merged: Vec<(PathBuf, Rc<Recording>)>,
    /// True if the run ends after creating the files.
    pub create_only: bool,
}

/// Section that replays a recording.
pub(super) struct Replayed {
    /// Section whose files, directions and sizes are taken from the recording.
    pub section: Section,
    /// End of the part of each file that the recorded operations use.
    pub ends: Vec<Bytes>,
    pub replay: Replay,
    /// Largest number of operations in flight in the recording. `None` if this number is unknown, or if the job sets
    /// the depth.
    pub depth: Option<u32>,
}

pub(super) struct Lowering<'a> {
    pub(super) file: &'a JobFile,
    pub(super) facts: &'a dyn Facts,
    pub(super) out: Lowered,
    /// Number of clones so far; each gets a different seed.
    pub(super) clones: u64,
    /// Engine options of each query that was sent to a server, and the size that the server reported.
    pub(super) served: Vec<(Vec<(String, String)>, Bytes)>,
    /// Converted recordings, shared by clones. The key is the index of the section and the index of the recording.
    pub(super) replays: Vec<((usize, usize), Rc<Replayed>)>,
}
