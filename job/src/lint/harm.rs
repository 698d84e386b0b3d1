//! Rules over what a plan would destroy: devices and files in use (L24), and what is there and was made by others (L25).
//! They come first, for a wrong figure can be measured again.

use super::section::touches_storage;
use super::{LintFacts, Linted, Saw, of};
use crate::lower::paths;
use crate::options::Rw;
use crate::resolve::JobFile;
use messages::sentence;
use model::{RuleText, Sentence, Severity, clip};
use std::path::Path;

pub(super) static RULES: &[&RuleText] = &[&IN_USE, &OVERWRITES];

pub(super) static IN_USE: RuleText = RuleText { id: "L24-in-use", severity: Severity::Invalid };

pub(super) static OVERWRITES: RuleText = RuleText { id: "L25-overwrites", severity: Severity::Doubt };

/// What writing to a path would destroy here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Hazard {
    /// It is in use; who uses it, as `vda1 is mounted on /`.
    InUse(Vec<String>),
    /// A device nobody was seen to use, and what it holds, where that can be told.
    Device(Option<String>),
    /// A regular file that was not made by us.
    Foreign,
}

/// Clones of a job whose files are looked at: those of one section differ in their numbers only.
const CLONES: u32 = 16;

pub(super) fn look(plan: &Linted, jobs: &JobFile, facts: &LintFacts) -> Vec<Saw> {
    let mut saw: Vec<Saw> = Vec::new();
    for section in &jobs.sections {
        let rw = section.options.pattern.rw;
        if !touches_storage(section) || !(rw.writes() || rw.trims()) {
            continue;
        }
        let option = if section.options.files.filenames.is_empty() { "rw" } else { "filename" };
        let mut files: Vec<_> =
            (0..section.options.job.numjobs.clamp(1, CLONES)).flat_map(|n| paths(section, n)).collect();
        files.sort();
        files.dedup();
        for path in files {
            let told = judge(&path, facts).map(|(rule, severity, what)| {
                let (job, name) = (clip(&section.name), clip(&path.display().to_string()));
                let statement = match rw {
                    Rw::Trim | Rw::RandTrim => sentence!("lint-job-discards", job, name, what),
                    _ => sentence!("lint-job-writes", job, name, what),
                };
                Saw { severity: Some(severity), ..of(plan, rule, section.place_of(option), statement) }
            });
            saw.extend(told);
        }
    }
    if let Some(output) = &jobs.run.output
        && let Some((rule, severity, what)) = judge(output, facts).filter(|found| found.0.id == IN_USE.id)
    {
        let statement = sentence!("lint-output-goes-to", name = clip(&output.display().to_string()), what);
        saw.push(Saw { severity: Some(severity), ..of(plan, rule, &crate::error::Place::Argument(0), statement) });
    }
    saw
}

/// What writing to a path would do.
pub(super) fn judge(path: &Path, facts: &LintFacts) -> Option<(&'static RuleText, Severity, Sentence)> {
    Some(match (facts.hazard)(path)? {
        Hazard::InUse(uses) => (&IN_USE, Severity::Invalid, sentence!("lint-in-use", uses = uses.join(", "))),
        Hazard::Device(Some(holds)) => (&OVERWRITES, Severity::Doubt, sentence!("lint-device-holds", holds)),
        Hazard::Device(None) => (&OVERWRITES, Severity::Note, sentence!("lint-device-lost")),
        Hazard::Foreign => (&OVERWRITES, Severity::Note, sentence!("lint-not-ours")),
    })
}
