//! What is made of the sections, and how far that is.

use super::facts::Facts;
use crate::file::JobFile;
use model::{Bytes, Layout, Stage};
use std::path::PathBuf;

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
    /// Make the files and end.
    pub create_only: bool,
}

pub(super) struct Lowering<'a> {
    pub(super) file: &'a JobFile,
    pub(super) facts: &'a dyn Facts,
    pub(super) out: Lowered,
    /// Clones so far: every one has a seed of its own.
    pub(super) clones: u64,
    /// What servers said, by what they were asked.
    pub(super) served: Vec<(Vec<(String, String)>, Bytes)>,
}
