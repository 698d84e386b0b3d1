//! Selects the workloads and levels to compare, and checks that both sides did the same work.

use super::Question;
use messages::sentence;
use model::judged::{DEPTH, Differing, RunFigures, SubjectFigures};
use model::{CompactSort, Sentence, distinct, grouped};
use std::collections::BTreeSet;

/// Reason why two sides cannot be compared.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Incomparable {
    /// A side is empty.
    #[error("side {0} has no runs")]
    NoRuns(char),
    /// No workload is in all runs.
    #[error("the runs have no workload in common: A has {a}; B has {b}")]
    NothingInCommon {
        /// Names of the workloads of A.
        a: String,
        /// Names of the workloads of B.
        b: String,
    },
    /// A name that no run has.
    #[error("workload `{name}` is not in all runs; common workloads: {known}")]
    Unknown {
        /// The requested name.
        name: String,
        /// The available names.
        known: String,
    },
    /// The runs did not do the same work.
    #[error("the runs did not do the same work: {}; to compare them, use --allow {}", differences(.0), names(.0))]
    Differ(Vec<Differing>),
}

fn differences(all: &[Differing]) -> String {
    let one = |d: &Differing| {
        if d.a == d.b {
            format!("{} is {} within both sides", d.name, d.a)
        } else {
            format!("{} is {} in A and {} in B", d.name, d.a, d.b)
        }
    };
    all.iter().map(one).collect::<Vec<_>>().join(", ")
}

fn names(all: &[Differing]) -> String {
    let names: BTreeSet<&str> = all.iter().map(|d| d.name.as_str()).collect();
    names.into_iter().collect::<Vec<_>>().join(",")
}

/// A workload at the level at which it is compared, with one entry per run.
pub(super) struct Pair<'a> {
    pub name: String,
    pub a: Vec<&'a SubjectFigures>,
    pub b: Vec<&'a SubjectFigures>,
}

pub(super) struct Paired<'a> {
    pub pairs: Vec<Pair<'a>>,
    pub differing: Vec<Differing>,
    pub remarks: Vec<Sentence>,
}

pub(super) fn pair<'a>(
    a: &'a [RunFigures],
    b: &'a [RunFigures],
    question: &Question,
) -> Result<Paired<'a>, Incomparable> {
    for (side, runs) in [('A', a), ('B', b)] {
        if runs.is_empty() {
            return Err(Incomparable::NoRuns(side));
        }
    }
    let mut remarks = Vec::new();
    let mut pairs = Vec::new();
    for name in common(a, b, question, &mut remarks)? {
        let candidates = |runs: &'a [RunFigures]| -> Vec<Vec<&'a SubjectFigures>> {
            runs.iter().map(|r| r.subjects.iter().filter(|s| name.fits(&s.name)).collect::<Vec<_>>()).collect()
        };
        let (of_a, of_b) = (candidates(a), candidates(b));
        let chosen = choose(&of_a.iter().chain(&of_b).collect::<Vec<_>>(), &name.to_text(), &mut remarks);
        let (name, split) = (name.to_text(), a.len());
        pairs.push(Pair { name, a: chosen[..split].to_vec(), b: chosen[split..].to_vec() });
    }
    let differing = distinct(pairs.iter().flat_map(differences_of));
    let allowed = |d: &Differing| question.allow.iter().any(|name| name == "all" || *name == d.name);
    let refused: Vec<Differing> = differing.iter().filter(|d| !allowed(d)).cloned().collect();
    if refused.is_empty() { Ok(Paired { pairs, differing, remarks }) } else { Err(Incomparable::Differ(refused)) }
}

/// A workload in all runs: by name, or the only one of each run.
enum Name {
    One(String),
    Only(String),
}

impl Name {
    fn fits(&self, name: &str) -> bool {
        match self {
            Name::One(one) => one == name,
            Name::Only(_) => true,
        }
    }

    fn to_text(&self) -> String {
        match self {
            Name::One(name) | Name::Only(name) => name.clone(),
        }
    }
}

fn names_of(run: &RunFigures) -> Vec<&str> {
    distinct(run.subjects.iter().map(|subject| subject.name.as_str()))
}

/// Returns the workloads to compare, in the order of the first run.
fn common(
    a: &[RunFigures],
    b: &[RunFigures],
    question: &Question,
    remarks: &mut Vec<Sentence>,
) -> Result<Vec<Name>, Incomparable> {
    let named: Vec<Vec<&str>> = a.iter().chain(b).map(names_of).collect();
    if named.iter().all(|names| names.len() == 1) && question.only.is_empty() {
        let (first, other) = (named[0][0], named[a.len()][0]);
        if named.iter().any(|names| names[0] != first) {
            return Ok(vec![Name::Only(format!("{first} | {other}"))]);
        }
        return Ok(vec![Name::One(first.to_owned())]);
    }
    let shared: Vec<&str> = named[0].iter().copied().filter(|n| named.iter().all(|names| names.contains(n))).collect();
    if shared.is_empty() {
        let list = |runs: &[RunFigures]| {
            let names: BTreeSet<&str> = runs.iter().flat_map(names_of).collect();
            if names.is_empty() { "none".to_owned() } else { names.into_iter().collect::<Vec<_>>().join(", ") }
        };
        return Err(Incomparable::NothingInCommon { a: list(a), b: list(b) });
    }
    for name in &question.only {
        if !shared.contains(&name.as_str()) {
            return Err(Incomparable::Unknown { name: model::clip(name), known: shared.join(", ") });
        }
    }
    let lone: BTreeSet<&str> = named.iter().flatten().copied().filter(|n| !shared.contains(n)).collect();
    if !lone.is_empty() && question.only.is_empty() {
        let lone: Vec<&str> = lone.into_iter().collect();
        remarks.push(sentence!("compare-left-out", names = lone.join(", ")));
    }
    let wanted = |n: &&str| question.only.is_empty() || question.only.iter().any(|o| o == n);
    Ok(shared.into_iter().filter(wanted).map(|n| Name::One(n.to_owned())).collect())
}

/// Chooses the level of each run to compare: one that all runs have, preferably the sustained level. If the runs of a
/// ramp sustained different levels, chooses the ramp level that most of them sustained.
fn choose<'a>(runs: &[&Vec<&'a SubjectFigures>], name: &str, remarks: &mut Vec<Sentence>) -> Vec<&'a SubjectFigures> {
    let depth = |s: &SubjectFigures| s.parameter(DEPTH).unwrap_or_default().to_owned();
    let at = |depth_wanted: &str, held: bool| -> Option<Vec<&'a SubjectFigures>> {
        runs.iter().map(|r| r.iter().copied().find(|s| s.held == held && depth(s) == depth_wanted)).collect()
    };
    let held = runs.iter().filter_map(|r| r.iter().find(|s| s.held)).map(|s| (depth(s), ()));
    let mut by_count: Vec<(usize, String)> = grouped(held).into_iter().map(|(d, runs)| (runs.len(), d)).collect();
    by_count.compact_sort_by_key(|(n, _)| std::cmp::Reverse(*n));
    if let [(_, one)] = by_count.as_slice()
        && let Some(figures) = at(one, true)
    {
        return figures;
    }
    if let Some((d, figures)) = by_count.iter().find_map(|(_, d)| Some((d, at(d, false)?))) {
        let held = by_count.iter().map(|(n, depth)| sentence!("compare-held-at", depth, n = *n));
        remarks.push(sentence!("compare-ramp-level", what = name, held = Sentence::join(held, ", "), depth = d));
        return figures;
    }
    // No level in common: use the sustained level of each run, or else its last one. The different depths are then
    // reported.
    let best_of = |r: &&Vec<&'a SubjectFigures>| r.iter().copied().find(|s| s.held).or(r.last().copied());
    runs.iter().filter_map(best_of).collect()
}

/// Returns the parameters in which the sides, or runs of a side, differ. A parameter that is missing in some run is not
/// compared.
fn differences_of(pair: &Pair) -> Vec<Differing> {
    let Some(first) = pair.a.first() else { return Vec::new() };
    let mut differences = Vec::new();
    for (name, _) in &first.parameters {
        let values = |runs: &[&SubjectFigures]| -> Option<BTreeSet<String>> {
            runs.iter().map(|s| s.parameter(name).map(str::to_owned)).collect()
        };
        let (Some(a), Some(b)) = (values(&pair.a), values(&pair.b)) else { continue };
        if a != b || a.len() > 1 {
            let joined = |set: BTreeSet<String>| set.iter().map(|v| model::clip(v)).collect::<Vec<_>>().join(" | ");
            differences.push(Differing { name: name.clone(), a: joined(a), b: joined(b) });
        }
    }
    differences
}
