//! What is made of the sections, and how far that is.

use super::facts::Facts;
use crate::file::{JobFile, Section};
use model::{Bytes, Layout, Recording, Replay, Stage};
use std::path::PathBuf;
use std::rc::Rc;

/// What is to be run, as far as the language knows: targets, preflight and consent are the caller's.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Lowered {
    /// Stages, clone by clone.
    pub stages: Vec<Stage>,
    /// Sections as the report tells them.
    pub sections: Vec<model::Section>,
    /// Files to be made ready.
    pub layout: Vec<Layout>,
    /// Paths that writing jobs with `overwrite=1` name: consent to write over them.
    pub overwrite: Vec<PathBuf>,
    /// Recordings that jobs put together (`merge_blktrace_file`), and where they are to be kept.
    pub merged: Vec<(PathBuf, Rc<Recording>)>,
    /// Make the files and end.
    pub create_only: bool,
}

/// A section whose operations are recorded, as a section that asks for them.
pub(super) struct Replayed {
    /// With the files, the directions and the sizes of the recording.
    pub section: Section,
    /// Where the last operation on each file ends.
    pub ends: Vec<Bytes>,
    pub replay: Replay,
    /// Most operations that were in flight; `None` = not known, or the job says how many are to be.
    pub depth: Option<u32>,
}

pub(super) struct Lowering<'a> {
    pub(super) file: &'a JobFile,
    pub(super) facts: &'a dyn Facts,
    pub(super) out: Lowered,
    /// Clones so far: every one has a seed of its own.
    pub(super) clones: u64,
    /// What servers said, by what they were asked.
    pub(super) served: Vec<(Vec<(String, String)>, Bytes)>,
    /// What the recordings of a section became, by section and recording: clones share them.
    pub(super) replays: Vec<((usize, usize), Rc<Replayed>)>,
}
