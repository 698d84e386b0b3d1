//! Rules for the files of jobs: first writes (L09), reads of data that was never written (L22), and preparation by
//! writing the whole file (L26).

use super::section::{is_about_contents, touches_storage};
use super::{FileFact, LintFacts, Linted, Saw, finding, of_job};
use crate::file::{JobFile, Section};
use crate::units::Extent;
use messages::sentence;
use model::{Bytes, Nanos, Sentence, Severity, clip, judged::RuleText};
use std::path::{Path, PathBuf};

pub(super) static RULES: &[&RuleText] = &[&FIRST_TOUCH, &NEVER_WRITTEN, &FILL];

static FIRST_TOUCH: RuleText = RuleText { id: "L09-first-touch", severity: Severity::Doubt };

static NEVER_WRITTEN: RuleText = RuleText { id: "L22-never-written", severity: Severity::Doubt };

static FILL: RuleText = RuleText { id: "L26-fill", severity: Severity::Note };

/// Minimum share of a file's used part that must have been written. The rest may be unwritten, for example because a
/// copied file or a database file has holes.
const WRITTEN: f64 = 0.9;

pub(super) fn check(plan: &Linted, jobs: &JobFile, facts: &LintFacts) -> Vec<Saw> {
    let mut saw = Vec::new();
    let mut filled: Vec<PathBuf> = Vec::new();
    for (i, section) in jobs.sections.iter().enumerate() {
        if !touches_storage(section) {
            continue;
        }
        let files = facts.paths(section, 0);
        let is_fill = is_preparation(section, &jobs.sections[i + 1..], facts);
        // A fill before a job that measures with the same files needs no finding.
        if is_fill && !self::is_fill(section, &jobs.sections[i + 1..], facts) {
            let option = if section.is_set("loops") { "loops" } else { "rw" };
            saw.push(finding(plan, &FILL, section.place_of(option), of_job(section, filling(section, &files))));
        }
        let open = files.iter().filter(|path| !filled.contains(path));
        if let Some((rule, what, option)) = open.filter(|_| !is_fill).find_map(|path| judge(section, path, facts)) {
            saw.push(finding(plan, rule, section.place_of(option), of_job(section, what)));
        }
        if section.options.pattern.rw.writes() {
            filled.extend(files);
        }
    }
    saw
}

/// Returns `true` if a job writes its files once, sequentially, for later jobs. This is recommended and not a mistake.
pub(super) fn is_fill(s: &Section, rest: &[Section], facts: &LintFacts) -> bool {
    let (p, t) = (&s.options.pattern, &s.options.time);
    let once = p.rw.writes() && !p.rw.reads() && !p.rw.is_random() && !t.time_based && t.runtime == Nanos(0);
    once && facts.paths(s, 0).iter().all(|path| rest.iter().any(|later| facts.paths(later, 0).contains(path)))
}

/// Returns `true` if a job only prepares files or devices. It either fills files for later jobs, or it preconditions
/// its files by writing each of them completely, once or several times.
pub(super) fn is_preparation(s: &Section, rest: &[Section], facts: &LintFacts) -> bool {
    is_fill(s, rest, facts) || is_preconditioning(s)
}

/// Parts of job names that indicate preparation.
const PREPARES: [&str; 4] = ["precond", "prefill", "fill", "prep"];

fn is_preconditioning(s: &Section) -> bool {
    let (p, t, f) = (&s.options.pattern, &s.options.time, &s.options.files);
    let writes = p.rw.writes() && !p.rw.reads() && !p.rw.trims();
    let to_the_end = !t.time_based && t.runtime == Nanos(0) && p.number_ios == 0 && f.io_size.is_none();
    let name = s.name.to_ascii_lowercase();
    let prepares = PREPARES.iter().any(|word| name.contains(word));
    let whole = !p.rw.is_random() && matches!(f.size, Some(Extent::Percent(100)));
    writes && to_the_end && !is_about_contents(s) && (prepares || whole || s.options.job.loops > 1)
}

/// Returns a sentence such as `writes /dev/nvme1n1 through 2 times, in order`.
fn filling(s: &Section, files: &[PathBuf]) -> Sentence {
    let name = files.first().map_or_else(String::new, |f| clip(&f.display().to_string()));
    let times = s.options.job.loops.max(1);
    match s.options.pattern.rw.is_random() {
        true => sentence!("lint-fills-randomly", name, times),
        false => sentence!("lint-fills", name, times),
    }
}

fn judge(s: &Section, path: &Path, facts: &LintFacts) -> Option<(&'static RuleText, Sentence, &'static str)> {
    let (o, rw) = (&s.options, s.options.pattern.rw);
    let name = clip(&path.display().to_string());
    let option = if o.files.filenames.is_empty() { "rw" } else { "filename" };
    let touches = rw.writes() && !rw.reads() && !o.files.overwrite && !is_about_contents(s);
    match (facts.file)(path) {
        FileFact::Absent if touches => Some((&FIRST_TOUCH, sentence!("lint-not-there", name), option)),
        FileFact::There { size: Some(size), .. } if touches && need(s).is_some_and(|n| n > size) => {
            let what = sentence!("lint-extends", name, size, need = need(s).unwrap_or(size));
            Some((&FIRST_TOUCH, what, option))
        }
        FileFact::There { size: Some(size), written: Some(written) } => {
            let used = need(s).map_or(size, |n| n.min(size));
            if written.as_u64() as f64 >= WRITTEN * used.as_u64() as f64 {
                return None;
            }
            let what = sentence!("lint-ever-written", used, name, written);
            match (rw.reads(), touches) {
                (true, _) => Some((&NEVER_WRITTEN, what, option)),
                (false, true) => Some((&FIRST_TOUCH, what, option)),
                (false, false) => None,
            }
        }
        _ => None,
    }
}

/// Returns the number of bytes of one file that the job uses, if its options specify a size.
fn need(s: &Section) -> Option<Bytes> {
    let f = &s.options.files;
    match (f.filesize, f.size) {
        (Some((_, most)), _) => Some(most),
        (None, Some(Extent::Bytes(size))) => {
            let files = if f.filenames.is_empty() { u64::from(f.nrfiles.max(1)) } else { f.filenames.len() as u64 };
            Some(size / files)
        }
        _ => None,
    }
}
