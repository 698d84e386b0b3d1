//! Rules that compare several commands: scripts and batches.

use super::{Linted, Saw};
use crate::file::{JobFile, Section};
use messages::sentence;
use model::judged::{RuleText, SourceLine};
use model::text::{file_name, file_stem};
use model::{Sentence, Severity};

pub(super) static RULES: &[&RuleText] = &[&OUTPUT, &DUPLICATE, &OVERWRITTEN, &BACKGROUND];

static OUTPUT: RuleText = RuleText { id: "L08-output-label", severity: Severity::Invalid };

static DUPLICATE: RuleText = RuleText { id: "L20-duplicate", severity: Severity::Doubt };

static OVERWRITTEN: RuleText = RuleText { id: "L21-output-twice", severity: Severity::Doubt };

static BACKGROUND: RuleText = RuleText { id: "L19-background", severity: Severity::Doubt };

pub(super) fn check(plans: &[Linted]) -> Vec<Saw> {
    // The unknown part of a command may be its only difference from another command.
    let plans: Vec<&Linted> = plans.iter().filter(|p| p.unknown.is_empty()).collect();
    let mut saw: Vec<Saw> = plans.iter().copied().filter_map(labelled).collect();
    saw.extend(
        plans
            .iter()
            .filter(|p| p.background && plans.len() > 1)
            .map(|p| finding(&BACKGROUND, p, sentence!("lint-left-running"))),
    );
    for (i, later) in plans.iter().enumerate() {
        for earlier in &plans[..i] {
            if let (Some(a), Some(b)) = (&earlier.output, &later.output)
                && a.eq_ignore_ascii_case(b)
            {
                let what =
                    sentence!("lint-written-twice", name = model::clip(a), first = earlier.line, again = later.line);
                saw.push(finding(&OVERWRITTEN, later, what));
            }
        }
        let Ok(jobs) = &later.jobs else { continue };
        let twin = plans[..i].iter().find(|p| p.jobs.as_ref().is_ok_and(|other| same(jobs, other)));
        if let Some(twin) = twin {
            let what = sentence!("lint-does-the-same", later = called(later), earlier = called(twin));
            saw.push(finding(&DUPLICATE, later, what));
        }
    }
    saw
}

fn finding(rule: &'static RuleText, plan: &Linted, statement: Sentence) -> Saw {
    let line = SourceLine::new(&plan.source, plan.line, model::clip(&plan.words));
    Saw { rule, severity: None, statement, line }
}

/// Returns a sentence such as `line 7 (write-2.txt)`.
fn called(plan: &Linted) -> Sentence {
    let line = sentence!("lint-line", line = plan.line);
    match (&plan.output, plan.line) {
        (Some(output), 0) => model::clip(output).into(),
        (Some(output), _) => sentence!("saw-by", what = line, evidence = model::clip(output)),
        (None, _) => line,
    }
}

/// Compares the name of the output file with the options of the command's job, if the command has only one job.
fn labelled(plan: &Linted) -> Option<Saw> {
    let (output, Ok(jobs)) = (plan.output.as_ref()?, &plan.jobs) else { return None };
    let [section] = jobs.sections.as_slice() else { return None };
    let name = file_name(output);
    let what = super::section::says_otherwise(file_stem(name), model::clip(name), section)?;
    Some(finding(&OUTPUT, plan, what))
}

/// Returns `true` if both plans do the same work. Names and outputs are ignored.
fn same(a: &JobFile, b: &JobFile) -> bool {
    let equal = |(x, y): (&Section, &Section)| x.options == y.options;
    !a.sections.is_empty() && a.sections.len() == b.sections.len() && a.sections.iter().zip(&b.sections).all(equal)
}
