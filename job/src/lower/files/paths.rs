//! Names of the files that a job uses.

use crate::file::Section;
use std::path::{Path, PathBuf};

/// Returns `true` if the job has a single file that is named after the job.
pub(in crate::lower) fn names_one_file(section: &Section) -> bool {
    section.options.files.filenames.is_empty() && section.options.files.nrfiles == 1
}

/// Returns the device that the job is named after, if it exists. As in fio, the job then uses this device.
pub(in crate::lower) fn named_device(section: &Section, is_device: &dyn Fn(&Path) -> bool) -> Option<PathBuf> {
    let named = Path::new(&section.name);
    (names_one_file(section) && is_device(named)).then(|| named.to_owned())
}

/// Returns the paths that a clone opens: the device that the job is named after, or otherwise the clone's files.
pub(crate) fn paths_on(section: &Section, clone: u32, is_device: &dyn Fn(&Path) -> bool) -> Vec<PathBuf> {
    match named_device(section, is_device) {
        Some(device) => vec![device],
        None => file_names(section, clone),
    }
}

/// Returns the names of a clone's files, whether or not they exist.
pub(in crate::lower) fn file_names(section: &Section, clone: u32) -> Vec<PathBuf> {
    let f = &section.options.files;
    let directory = f.directories.get((clone as usize).checked_rem(f.directories.len()).unwrap_or(0));
    let place = |name: &Path| match directory {
        // As in fio, the directory is prepended to every name, even to an absolute one.
        Some(dir) => dir.join(name.strip_prefix("/").unwrap_or(name)),
        None => name.to_owned(),
    };
    if !f.filenames.is_empty() {
        return f.filenames.iter().map(|name| place(name)).collect();
    }
    let format = if f.filename_format.is_empty() { "$jobname.$jobnum.$filenum" } else { &f.filename_format };
    let name = |number: u32| {
        format
            .replace("$jobname", &section.name)
            // Like fio, secchi inserts an empty text, because the run was not started by a client.
            .replace("$clientuid", "")
            .replace("$jobnum", &clone.to_string())
            .replace("$filenum", &number.to_string())
    };
    (0..f.nrfiles).map(|number| place(Path::new(&name(number)))).collect()
}
