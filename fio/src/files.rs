//! Files that the stages need. They are held open during the run.

use job::{JobFile, Lowered};
use load::target::{JobsRequest, NameRequest};
use model::plan::TargetKind;
use session::directories::MadeDirectories;
use session::measure::provenance;
use std::io;
use std::path::PathBuf;

/// Returns the request for the files of the jobs.
pub fn request(file: &JobFile, lowered: &Lowered) -> JobsRequest {
    let mut request = JobsRequest::from_stages(&lowered.stages, &lowered.layout, &lowered.overwrite, provenance());
    for wanted in &mut request.files {
        let stage = wanted.stages.first().map(|s| &lowered.stages[*s]);
        let section = stage.and_then(|s| s.place.section).map(|s| &file.sections[s].options);
        let Some(files) = section.map(|o| &o.files) else { continue };
        wanted.create = files.allow_file_create;
        // A memory mapping cannot extend a file.
        wanted.fill |= stage.is_some_and(|s| s.job.engine == "mmap");
        wanted.grows |= files.file_append;
        if files.create_on_open {
            // The file is empty until it is written.
            wanted.size = None;
            wanted.grows = true;
        }
        wanted.default_name = files.filenames.is_empty();
        if wanted.default_name {
            // A name without a directory has no separator, so it cannot leave the working directory.
            wanted.within = wanted.path.parent().filter(|d| !d.as_os_str().is_empty()).map(PathBuf::from);
        }
    }
    request
}

/// Returns the names that jobs create, look up or remove, without duplicates.
pub fn names(file: &JobFile, lowered: &Lowered) -> Vec<NameRequest> {
    let mut requests: Vec<NameRequest> = Vec::new();
    let mut known = std::collections::HashSet::new();
    for stage in &lowered.stages {
        let Some(work) = load::engines::name_work(&stage.job.engine) else { continue };
        let section = stage.place.section.map(|s| &file.sections[s].options.files);
        for target in stage.job.targets().filter(|t| known.insert((t.path.clone(), work))) {
            requests.push(NameRequest {
                path: target.path.clone(),
                work,
                default_name: section.is_some_and(|files| files.filenames.is_empty()),
                unlink: stage.job.tuning.closing.unlink,
            });
        }
    }
    requests
}

/// Creates the directories for files to be written that fio creates as well: those in `filename` and in the name of a
/// job, but never `directory` itself.
///
/// # Errors
/// When a directory cannot be created.
pub fn make_directories(made: &mut MadeDirectories, file: &JobFile, lowered: &Lowered) -> io::Result<()> {
    for stage in &lowered.stages {
        let section = stage.place.section.map(|s| &file.sections[s].options.files);
        // The inspection reports errors of `directory`.
        if section.is_some_and(|files| files.directories.iter().any(|d| !d.is_dir())) {
            continue;
        }
        let named = load::engines::name_work(&stage.job.engine).is_some();
        let missing = |t: &&model::Target| (t.kind == TargetKind::File || named) && !t.path.exists();
        for target in stage.job.targets().filter(missing) {
            made.make(target.path.parent())?;
        }
    }
    Ok(())
}
