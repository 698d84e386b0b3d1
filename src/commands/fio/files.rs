//! From stages to the files they need, held while the run goes on.

use crate::measure::provenance;
use crate::terminal::remark;
use job::{JobFile, Lowered};
use load::target::{JobFiles, JobsRequest};
use model::Job;
use run::Files;
use std::fs::File;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;

/// What is asked of the guard.
pub fn request(file: &JobFile, lowered: &Lowered) -> JobsRequest {
    let mut request = JobsRequest::of(&lowered.stages, &lowered.layout, &lowered.overwrite, provenance());
    for wanted in &mut request.files {
        let stage = wanted.stages.first().map(|s| &lowered.stages[*s]);
        let section = stage.and_then(|s| s.place.section).map(|s| &file.sections[s].options);
        let Some(files) = section.map(|o| &o.files) else { continue };
        wanted.create = files.allow_file_create;
        // A mapping cannot make a file longer.
        wanted.fill |= stage.is_some_and(|s| s.job.engine == "mmap");
        wanted.grows |= files.file_append;
        if files.create_on_open {
            // Empty until it is written.
            wanted.size = None;
            wanted.grows = true;
        }
        if files.filenames.is_empty() {
            // A name without a directory cannot lead out of the working directory: it holds no separator.
            wanted.within = wanted.path.parent().filter(|d| !d.as_os_str().is_empty()).map(PathBuf::from);
        }
    }
    request
}

/// The files while the run goes on.
pub struct Held(pub JobFiles);

impl Held {
    fn tell(&mut self) {
        for note in self.0.take_notes() {
            remark(&note);
        }
    }
}

impl Files for Held {
    fn lay_out(&mut self, tell: &mut dyn FnMut(u64, u64) -> bool) -> Result<u64, String> {
        let written = self.0.lay_out(tell);
        self.tell();
        written
    }

    fn open(&self, job: &Job) -> io::Result<Vec<Arc<File>>> {
        self.0.open(job)
    }

    fn present(&self) -> Result<(), String> {
        self.0.present()
    }

    fn room(&self) -> Result<(), String> {
        self.0.room()
    }

    fn close(&mut self, job: &Job, files: &[Arc<File>]) -> io::Result<()> {
        let closed = self.0.close(job, files);
        self.tell();
        closed
    }
}
