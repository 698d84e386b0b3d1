//! `/metrics`: the last run of each plan, for Prometheus.

use super::dashboard::DashboardState;
use super::source::Trouble;
use ::serve::{Answer, Request};
use model::plan::named_place;
use report::formats::metrics::MetricsFormat;
use report::formats::runs_metrics::{LastRun, runs_metrics};
use std::collections::{BTreeMap, HashSet};
use std::path::Path;
use store::{RunStatus, RunSummary};

impl DashboardState {
    /// Returns the metrics of the runs in the store.
    pub fn metrics(&self, request: &Request) -> Result<Answer, Trouble> {
        let runs = self.source.list()?;
        let mut states: BTreeMap<&str, usize> = BTreeMap::new();
        for run in &runs {
            *states.entry(run.state.name()).or_default() += 1;
        }
        let states: Vec<(&str, usize)> = states.into_iter().collect();
        let format = MetricsFormat::accepted(&request.accept);
        let body = runs_metrics(&last_runs(&runs), &states).format(format);
        Ok(Answer { status: 200, kind: format.media_type(), body, policy: None })
    }
}

/// Returns the last run of each plan among runs that are listed newest first.
fn last_runs(runs: &[RunSummary]) -> Vec<LastRun<'_>> {
    let mut plans = HashSet::new();
    let ended = runs.iter().filter(|run| !matches!(run.state, RunStatus::Running | RunStatus::Unreadable));
    let last = ended.filter(|run| plans.insert(run.plan.as_str()));
    last.filter_map(|run| {
        let started: jiff::Timestamp = run.started.parse().ok()?;
        Some(LastRun {
            plan: &run.plan,
            command: &run.command,
            // Test files have a different name in each run, which would be another label.
            target: named_place(Path::new(&run.target)).to_str().unwrap_or(&run.target),
            host: &run.host,
            started: started.as_millisecond() as f64 / 1e3,
            duration: run.duration,
            exit: run.exit,
            workloads: &run.workloads,
        })
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_ended_run_of_each_plan_counts() {
        let run = |id: &str, plan: &str, state, started: &str| RunSummary {
            id: id.into(),
            plan: plan.into(),
            target: format!("/mnt/{id}/secchi-58bd13c7.dat"),
            state,
            started: started.into(),
            ..RunSummary::default()
        };
        let runs = [
            run("4", "a", RunStatus::Running, "2026-11-21T22:13:00+00:00"),
            run("3", "a", RunStatus::Stopped, "2026-11-21T22:12:00.5+00:00"),
            run("2", "b", RunStatus::Complete, "2026-11-21T22:11:00+00:00"),
            run("1", "a", RunStatus::Complete, "2026-11-21T22:10:00+00:00"),
            run("0", "", RunStatus::Unreadable, ""),
        ];
        let last: Vec<(&str, f64)> = last_runs(&runs).iter().map(|run| (run.target, run.started)).collect();
        assert_eq!(last, [("/mnt/3", 1_795_299_120.5), ("/mnt/2", 1_795_299_060.0)]);
    }
}
