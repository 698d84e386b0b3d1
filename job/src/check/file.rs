//! Checks of a whole job file or command line.

use super::doubts::{doubtful_verify, short_logs};
use super::effects::{of_other_engines, without_effect};
use super::sections::section_errors;
use crate::engines::Engines;
use crate::entry::Entry;
use crate::error::{JobError, Note, SourceLocation};
use crate::file::JobFile;
use crate::units::{self, Units};
use crate::value::Kind;
use messages::sentence;
use model::{CompactSort, units::suggestion};

/// Returns `true` if a size has a unit that fio interprets differently from secchi.
pub(crate) fn reads_otherwise(kind: &Kind, value: &str, units: Units) -> bool {
    let sizes = matches!(kind, Kind::Size { .. } | Kind::Extent | Kind::PerDirection(Kind::Size { .. }))
        || matches!(kind, Kind::Form(form) if form.contains("size"));
    sizes && units.kb_base == 1024 && !units.fio_compat && units::spells_binary_unit(value)
}

/// Checks for conflicts between the lines of one section.
pub(crate) fn check_scope(entries: &[Entry]) -> Result<(), JobError> {
    let last = |name: &str| entries.iter().rev().find(|e| e.spec.name == name);
    if let (Some(read), Some(write)) = (last("rwmixread"), last("rwmixwrite")) {
        let percent = |e: &Entry| e.value.as_deref().and_then(|v| units::count(v).ok()).unwrap_or(0);
        let (r, w) = (percent(read), percent(write));
        if r + w != 100 {
            let at = if read.at > write.at { &read.at } else { &write.at };
            let reason =
                format!("rwmixread={r} and rwmixwrite={w} contradict each other: they sum to {}, not 100", r + w);
            return Err(JobError::new(at, reason));
        }
    }
    Ok(())
}

/// Checks every section and the run's options, and adds notes.
pub(crate) fn check(file: &mut JobFile, engines: &Engines) -> Result<(), JobError> {
    let asks_help = file.run.help || file.run.version || file.run.cmdhelp.is_some() || file.run.enghelp.is_some();
    // As in fio, these options need no jobs. Tools such as blktests use them to find out whether other options are
    // known.
    let asks_help = asks_help || file.run.parse_only || file.run.inflate_log.is_some();
    if file.sections.is_empty() && !asks_help {
        return Err(JobError::new(&SourceLocation::Whole, "no jobs: start one with --name=NAME, or give a job file"));
    }
    let mut clones = 0u64;
    let mut notes = Vec::new();
    let mut earlier: Vec<&str> = Vec::new();
    for section in &file.sections {
        clones += u64::from(section.options.job.numjobs);
        if clones > u64::from(file.run.max_jobs) {
            let reason = format!("the jobs have more than {} clones in total (--max-jobs)", file.run.max_jobs);
            return Err(JobError::new(section.place_of("numjobs"), reason));
        }
        if let Some(name) = &section.options.process.wait_for
            && !earlier.contains(&name.as_str())
        {
            let hint = suggestion(name, earlier.iter().copied());
            let reason = format!("wait_for: no job `{}` precedes this one{hint}", model::clip(name));
            return Err(JobError::new(section.place_of("wait_for"), reason));
        }
        section_errors(section, &file.run, &mut notes)?;
        if section.options.process.flow != 0 && file.has_older_flow(section.options.process.flow_id) {
            notes.push(Note::new(section.place_of("flow"), sentence!("job-flow-older")));
        }
        of_other_engines(section, file, engines, &mut notes);
        without_effect(section, &mut notes);
        short_logs(section, &mut notes);
        doubtful_verify(section, &mut notes);
        earlier.push(&section.name);
    }
    // An option in [global] that has no effect gets one note, not one for every job.
    notes.compact_sort_by(|a: &Note, b: &Note| a.at.cmp(&b.at).then_with(|| a.text.cmp(&b.text)));
    notes.dedup();
    file.notes.append(&mut notes);
    if file.run.warnings_fatal
        && let Some(note) = file.notes.first()
    {
        return Err(JobError::new(&note.at, format!("{} (--warnings-fatal)", note.text)));
    }
    Ok(())
}
