//! Result of lowering, and its intermediate state.

use super::facts::Facts;
use crate::file::{JobFile, Section};
use model::{Bytes, Layout, Recording, Replay, Stage};
use std::path::PathBuf;
use std::rc::Rc;

/// Plan of the run, as far as the language determines it. The caller adds checks of targets, preflight and consent.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Lowered {
    /// Stages, one for each clone.
    pub stages: Vec<Stage>,
    /// Sections in the form used by the report.
    pub sections: Vec<model::Section>,
    /// Files to prepare.
    pub layout: Vec<Layout>,
    /// Paths of writing jobs with `overwrite=1`, which is consent to overwrite them.
    pub overwrite: Vec<PathBuf>,
    /// Recordings that jobs merge (`merge_blktrace_file`), and the files to keep them in.
    pub merged: Vec<(PathBuf, Rc<Recording>)>,
    /// True if the run ends after creating the files.
    pub create_only: bool,
}

/// Section that replays a recording.
pub(super) struct Replayed {
    /// Section with the files, directions and sizes of the recording.
    pub section: Section,
    /// Offset up to which the recorded operations use each file.
    pub ends: Vec<Bytes>,
    pub replay: Replay,
    /// Largest number of operations in flight in the recording; `None` = unknown, or the job sets the depth.
    pub depth: Option<u32>,
}

pub(super) struct Lowering<'a> {
    pub(super) file: &'a JobFile,
    pub(super) facts: &'a dyn Facts,
    pub(super) out: Lowered,
    /// Number of clones so far; each gets a different seed.
    pub(super) clones: u64,
    /// Sizes reported by servers, by the engine options of the query.
    pub(super) served: Vec<(Vec<(String, String)>, Bytes)>,
    /// Converted recordings by section and recording, shared by clones.
    pub(super) replays: Vec<((usize, usize), Rc<Replayed>)>,
}
