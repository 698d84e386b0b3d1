//! Rules for data that a plan would destroy: devices and files in use (L24), and existing data that secchi did not
//! create (L25). The findings of these rules come first: a wrong figure can be measured again, but lost data is gone.

use super::section::touches_storage;
use super::{LintFacts, Linted, Saw, finding};
use crate::file::JobFile;
use crate::options::Rw;
use messages::sentence;
use model::{Sentence, Severity, clip, judged::RuleText};
use std::path::Path;

pub(super) static RULES: &[&RuleText] = &[&IN_USE, &OVERWRITES];

pub(super) static IN_USE: RuleText = RuleText { id: "L24-in-use", severity: Severity::Invalid };

pub(super) static OVERWRITES: RuleText = RuleText { id: "L25-overwrites", severity: Severity::Doubt };

/// Data that a write to a path would destroy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Hazard {
    /// The path is in use. Each text describes one use, such as `vda1 is mounted on /`.
    InUse(Vec<String>),
    /// A device that is not known to be in use, with a description of its contents if they could be determined.
    Device(Option<String>),
    /// A regular file that secchi did not create.
    Foreign,
    /// A Windows drive, given by name. It cannot be examined on this system.
    Drive,
}

/// Maximum number of clones of a section whose files are checked. Clones differ only in their numbers.
const CLONES: u32 = 16;

pub(super) fn check(plan: &Linted, jobs: &JobFile, facts: &LintFacts) -> Vec<Saw> {
    let mut saw: Vec<Saw> = Vec::new();
    for section in &jobs.sections {
        let rw = section.options.pattern.rw;
        if !touches_storage(section) || !(rw.writes() || rw.trims()) {
            continue;
        }
        let option = if section.options.files.filenames.is_empty() { "rw" } else { "filename" };
        let mut files: Vec<_> =
            (0..section.options.job.numjobs.clamp(1, CLONES)).flat_map(|n| facts.paths(section, n)).collect();
        files.sort();
        files.dedup();
        for path in files {
            let harm = judge(&path, facts).map(|(rule, severity, what)| {
                let (job, name) = (clip(&section.name), clip(&path.display().to_string()));
                let statement = match rw {
                    Rw::Trim | Rw::RandTrim => sentence!("lint-job-discards", job, name, what),
                    _ => sentence!("lint-job-writes", job, name, what),
                };
                Saw { severity: Some(severity), ..finding(plan, rule, section.place_of(option), statement) }
            });
            saw.extend(harm);
        }
    }
    if let Some(output) = &jobs.run.output
        && let Some((rule, severity, what)) = judge(output, facts).filter(|found| found.0.id == IN_USE.id)
    {
        let statement = sentence!("lint-output-goes-to", name = clip(&output.display().to_string()), what);
        saw.push(Saw {
            severity: Some(severity),
            ..finding(plan, rule, &crate::error::SourceLocation::Argument(0), statement)
        });
    }
    saw
}

/// Words of `rw` that write or discard.
const WRITES: [&str; 10] = [
    "write",
    "randwrite",
    "rw",
    "readwrite",
    "randrw",
    "trim",
    "randtrim",
    "trimwrite",
    "randtrimwrite",
    "randreadwrite",
];

/// Iterates over the values of the named options in a plan that failed to parse. Recognizes `--filename=x`,
/// `--filename x` and `filename = x`.
fn typed<'a>(plan: &'a Linted, names: &'a [&'a str]) -> impl Iterator<Item = &'a str> {
    let words = plan.arguments.iter().enumerate().filter_map(move |(i, word)| {
        let bare = word.trim_start_matches(['-', '\u{2013}', '\u{2014}']);
        match bare.split_once('=') {
            Some((name, value)) => names.contains(&name.trim()).then(|| value.trim()),
            None => names.contains(&bare).then(|| plan.arguments.get(i + 1).map(String::as_str))?,
        }
    });
    let lines = plan.lines.iter().filter_map(move |line| {
        let (name, value) = line.trim().split_once('=')?;
        names.contains(&name.trim()).then(|| value.split('#').next().unwrap_or(value).trim())
    });
    words.chain(lines)
}

/// Reports data that a plan would destroy, as far as this can be determined for a plan that failed to parse. fio may
/// accept an option that secchi does not know, and would then run the plan.
pub(super) fn look_unread(plan: &Linted, facts: &LintFacts) -> Vec<Saw> {
    let writes = typed(plan, &["rw", "readwrite"]).any(|rw| WRITES.contains(&rw.split(':').next().unwrap_or(rw)));
    if !writes {
        return Vec::new();
    }
    let files = typed(plan, &["filename"]).flat_map(|list| list.split(':')).filter(|name| !name.is_empty());
    // A job may be named after its device.
    let sections = plan.lines.iter().filter_map(|line| line.trim().strip_prefix('[')?.strip_suffix(']'));
    let devices = typed(plan, &["name"]).chain(sections).filter(|name| name.starts_with("/dev/"));
    let doubts = files.chain(devices).filter_map(|name| {
        let (rule, severity, what) = judge(Path::new(name), facts).filter(|found| found.0.id == IN_USE.id)?;
        let statement = sentence!("lint-unread-writes", name = clip(name), what);
        Some(Saw { severity: Some(severity), ..finding(plan, rule, &crate::error::SourceLocation::Whole, statement) })
    });
    doubts.collect()
}

/// Returns the rule, severity and sentence for a write to a path.
pub(super) fn judge(path: &Path, facts: &LintFacts) -> Option<(&'static RuleText, Severity, Sentence)> {
    Some(match (facts.hazard)(path)? {
        Hazard::InUse(uses) => (&IN_USE, Severity::Invalid, sentence!("lint-in-use", uses = uses.join(", "))),
        Hazard::Device(Some(holds)) => (&OVERWRITES, Severity::Doubt, sentence!("lint-device-holds", holds)),
        Hazard::Device(None) => (&OVERWRITES, Severity::Note, sentence!("lint-device-lost")),
        Hazard::Drive => (&OVERWRITES, Severity::Doubt, sentence!("lint-drive-unseen")),
        Hazard::Foreign => (&OVERWRITES, Severity::Note, sentence!("lint-not-ours")),
    })
}
