//! Rules over several commands side by side: scripts and batches.

use super::{Linted, Saw};
use crate::resolve::{JobFile, Section};
use model::{RuleText, Severity, SourceLine, file_name, file_stem};

pub(super) static RULES: &[&RuleText] = &[&OUTPUT, &DUPLICATE, &OVERWRITTEN, &BACKGROUND];

static OUTPUT: RuleText = RuleText {
    id: "L08-output-label",
    severity: Severity::Invalid,
    title: "the output's name says other parameters than the command",
    explanation: "In a matrix of commands each output is named for its parameters. A line that was copied and kept an option makes a \
        file, and a row of a table, that claims what was not run: the sixth command of a published benchmark wrote one job's \
        result into write-2.txt, and three tables were wrong by it.",
    remedy: "mend the option or the name; better, let the tool name its results",
};

static DUPLICATE: RuleText = RuleText {
    id: "L20-duplicate",
    severity: Severity::Doubt,
    title: "two commands of a matrix do the same",
    explanation: "Commands whose options are equal but for names and outputs are either repeats, or one of them was not changed as it \
        was meant to be.",
    remedy: "change the one that was forgotten; name repeats as such",
};

static OVERWRITTEN: RuleText = RuleText {
    id: "L21-output-twice",
    severity: Severity::Doubt,
    title: "two commands write the same output",
    explanation: "The later result replaces the earlier one, which is lost.",
    remedy: "give each its own file",
};

static BACKGROUND: RuleText = RuleText {
    id: "L19-background",
    severity: Severity::Doubt,
    title: "commands run beside each other",
    explanation: "A command that ends with `&` (or begins with `start`) runs while the next one does: both measure the other's load, and \
        nothing in their outputs tells of it.",
    remedy: "run one after the other; to load several targets at once take one command (secchi qualify --target A=... --target B=...)",
};

pub(super) fn look(plans: &[Linted]) -> Vec<Saw> {
    // What is not known of a command may be what tells it from another.
    let plans: Vec<&Linted> = plans.iter().filter(|p| p.unknown.is_empty()).collect();
    let mut saw: Vec<Saw> = plans.iter().copied().filter_map(labelled).collect();
    saw.extend(
        plans
            .iter()
            .filter(|p| p.background && plans.len() > 1)
            .map(|p| tell(&BACKGROUND, p, "it is left running while the next begins".to_owned(), None)),
    );
    for (i, later) in plans.iter().enumerate() {
        for earlier in &plans[..i] {
            if let (Some(a), Some(b)) = (&earlier.output, &later.output)
                && a.eq_ignore_ascii_case(b)
            {
                let what =
                    format!("{} is written on line {} and again on line {}", model::clip(a), earlier.line, later.line);
                saw.push(tell(&OVERWRITTEN, later, what, None));
            }
        }
        let Ok(own) = &later.jobs else { continue };
        let twin = plans[..i].iter().find(|p| p.jobs.as_ref().is_ok_and(|other| same(own, other)));
        if let Some(twin) = twin {
            let what = format!("{} does the same as {}", called(later), called(twin));
            saw.push(tell(&DUPLICATE, later, what, None));
        }
    }
    saw
}

fn tell(rule: &'static RuleText, plan: &Linted, statement: String, severity: Option<Severity>) -> Saw {
    let line = SourceLine { source: plan.source.clone(), line: plan.line, words: model::clip(&plan.words) };
    Saw { rule, severity, statement, line }
}

/// `line 7 (write-2.txt)`.
fn called(plan: &Linted) -> String {
    match (&plan.output, plan.line) {
        (Some(output), 0) => model::clip(output),
        (Some(output), line) => format!("line {line} ({})", model::clip(output)),
        (None, line) => format!("line {line}"),
    }
}

/// The name of the output against the one job of the command.
fn labelled(plan: &Linted) -> Option<Saw> {
    let (output, Ok(jobs)) = (plan.output.as_ref()?, &plan.jobs) else { return None };
    let [section] = jobs.sections.as_slice() else { return None };
    let name = file_name(output);
    let what = super::section::says_otherwise(file_stem(name), section)?;
    Some(tell(&OUTPUT, plan, format!("{} {what}", model::clip(name)), None))
}

/// Whether both do the same, names and outputs left out.
fn same(a: &JobFile, b: &JobFile) -> bool {
    let equal = |(x, y): (&Section, &Section)| x.options == y.options;
    !a.sections.is_empty() && a.sections.len() == b.sections.len() && a.sections.iter().zip(&b.sections).all(equal)
}
