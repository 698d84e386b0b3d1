//! Rules that need the rate that a known limit allows: passes over the same data (L27) and duration (L28).

use super::section::{is_about_contents, touches_storage};
use super::{LintFacts, Linted, Saw, finding, of_job};
use crate::file::{JobFile, Section};
use crate::units::Extent;
use messages::sentence;
use model::{Bytes, Nanos, Sentence, Severity, bounds::LimitAxis, judged::RuleText};

pub(super) static RULES: &[&RuleText] = &[&WRAPS, &LASTS];

static WRAPS: RuleText = RuleText { id: "L27-wraps", severity: Severity::Note };

static LASTS: RuleText = RuleText { id: "L28-duration", severity: Severity::Doubt };

/// Number of passes over the data at or above which caches between the job and the medium may serve most requests.
const MANY: f64 = 10.0;

/// Expected duration above which the rule reports a job that has no time limit.
const LONG: Nanos = Nanos::from_secs(86_400);

pub(super) fn check(plan: &Linted, jobs: &JobFile, facts: &LintFacts) -> Vec<Saw> {
    let judged = jobs.sections.iter().filter(|s| touches_storage(s)).filter_map(|section| {
        let (rule, what) = judge(section, facts)?;
        Some(finding(plan, rule, section.place_of("size"), of_job(section, what)))
    });
    judged.collect()
}

/// Returns the rate that the tightest known limit allows, in operations per second, and the name of that limit.
fn allowed(block: f64, facts: &LintFacts) -> Option<(f64, String)> {
    let rates = facts.limits.iter().flat_map(|limit| {
        let iops = limit.cap(LimitAxis::Iops);
        let bandwidth = limit.cap(LimitAxis::Bandwidth).map(|bytes| bytes / block);
        [iops, bandwidth].into_iter().flatten().map(|rate| (rate, limit.name.clone()))
    });
    rates.filter(|(rate, _)| *rate > 0.0).min_by(|a, b| a.0.total_cmp(&b.0))
}

fn judge(section: &Section, facts: &LintFacts) -> Option<(&'static RuleText, Sentence)> {
    let o = &section.options;
    let block = o.block.bs[usize::from(!o.pattern.rw.reads())].max().as_u64().max(1) as f64;
    let clones = u64::from(o.job.numjobs.max(1));
    let (rate, name) = allowed(block, facts)?;
    // Clones that use the same file share its bytes. All clones together share the rate.
    let Some(Extent::Bytes(size)) = o.files.size else { return None };
    let files = if o.files.filenames.is_empty() { clones } else { 1 };
    let set = size.as_u64().saturating_mul(files);
    let is_timed = o.time.runtime > Nanos(0);
    let shown = format!("{rate:.0}");
    if o.time.time_based && is_timed {
        let seconds = o.time.runtime.secs();
        let passes = rate * seconds * block / set.max(1) as f64;
        return (passes >= MANY && !is_about_contents(section)).then(|| {
            let (times, seconds) = (format!("{passes:.0}"), format!("{seconds:.0}"));
            (&WRAPS, sentence!("lint-wraps", set = Bytes(set), rate = shown, name, times, seconds))
        });
    }
    if is_timed {
        return None;
    }
    let each = match o.files.io_size {
        Some(Extent::Bytes(bytes)) => bytes.as_u64(),
        _ => size.as_u64(),
    };
    let mut operations = each as f64 / block;
    if o.pattern.number_ios > 0 {
        operations = operations.min(o.pattern.number_ios as f64);
    }
    let operations = operations * clones as f64 * f64::from(o.job.loops.max(1));
    let seconds = operations / rate;
    (seconds > LONG.secs()).then(|| {
        let days = seconds / LONG.secs();
        let days = if days < 10.0 { format!("{days:.1}") } else { format!("{days:.0}") };
        let total = Bytes((operations * block) as u64);
        (&LASTS, sentence!("lint-lasts", total, rate = shown, name, days))
    })
}
