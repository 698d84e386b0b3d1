//! `secchi runs trend`: shows the results of one plan over time.

use super::place_of;
use super::selection::{filter, find, listed};
use anyhow::Result;
use cli::RunsTrend;
use model::judged::{Trend, TrendRun};
use model::record::WorkloadFigures;
use report::Subject;
use session::exit::{self, Code};
use session::outputs::Outputs;
use session::reject;
use session::result_files::{ResultFiles, print_subject};
use session::run_store::some_store;
use std::collections::BTreeSet;
use store::{RunStatus, RunSummary};

pub fn run(options: &RunsTrend) -> Result<Code> {
    let asked = options.filter.as_deref().map(filter).transpose()?;
    let store = some_store(options.store.store.as_ref())?;
    let (files, force) = (&options.results.outputs, options.results.force);
    let mut results = ResultFiles::claim(files, &mut Outputs::new(force))?;
    let stored = listed(&store, None)?;
    let plan = match stored.iter().find(|r| r.plan == options.plan) {
        Some(run) => run.plan.clone(),
        None => {
            let id = find(&store, &options.plan)?;
            stored.iter().find(|r| r.id == id).map(|r| r.plan.clone()).unwrap_or_default()
        }
    };
    if plan.is_empty() {
        reject!("that run cannot be read, so its plan is unknown");
    }
    let mut runs = if asked.is_some() { listed(&store, asked.as_ref())? } else { stored };
    runs.retain(|r| r.plan == plan && r.state != RunStatus::Running);
    runs.reverse();
    if runs.is_empty() {
        reject!("no finished run of the plan {plan} is selected");
    }
    let trend = trend(&plan, &runs);
    let subject = Subject::Trend(&trend);
    results.write_subject(subject)?;
    print_subject(subject, options.json)?;
    Ok(exit::OK)
}

fn trend(plan: &str, runs: &[RunSummary]) -> Trend {
    let figures: Vec<&[WorkloadFigures]> = runs.iter().map(|r| r.workloads.as_slice()).collect();
    let last = runs.last();
    Trend {
        plan: plan.to_owned(),
        command: last.map(|r| r.command.clone()).unwrap_or_default(),
        target: last.map(|r| place_of(&r.target)).unwrap_or_default(),
        lines: analysis::trend_lines(&figures),
        remarks: remarks(runs),
        runs: runs.iter().map(to_trend_run).collect(),
    }
}

fn to_trend_run(run: &RunSummary) -> TrendRun {
    TrendRun {
        id: run.id.clone(),
        started: run.started.clone(),
        host: run.host.clone(),
        tool: run.tool.clone(),
        state: run.state.name().to_owned(),
        exit: run.exit,
        verdict: run.verdict.to_string(),
        tags: run.labels.tags.iter().cloned().collect(),
    }
}

/// Returns remarks about differences between the runs in conditions that the plan does not specify.
fn remarks(runs: &[RunSummary]) -> Vec<String> {
    let several = |what: &str, field: &str, get: fn(&RunSummary) -> &str| {
        let names: BTreeSet<&str> = runs.iter().map(get).collect();
        let list: Vec<&str> = names.iter().copied().take(5).collect();
        let more = if names.len() > list.len() { ", ..." } else { "" };
        (names.len() > 1).then(|| {
            format!(
                "the runs have {} different {what}: {}{more}; select one with --where '{field}=...'",
                names.len(),
                list.join(", ")
            )
        })
    };
    let partial = runs.iter().filter(|r| r.state != RunStatus::Complete).count();
    let partial = (partial > 0)
        .then(|| format!("{partial} of {} runs did not complete: their figures cover the measured part", runs.len()));
    [several("hosts", "host", |r| &r.host), several("versions of secchi", "tool", |r| &r.tool), partial]
        .into_iter()
        .flatten()
        .collect()
}
