//! Metrics of a store of runs: for each plan, the figures and the outcome of the last run that ended.

use crate::formats::metrics::{Metrics, Named, declare};
use model::Nanos;
use model::record::WorkloadFigures;

/// Maximum number of plans with metrics.
const PLANS: usize = 100;
/// Maximum number of workloads of a plan with metrics.
const WORKLOADS: usize = 20;

/// Last run of a plan.
#[derive(Debug, Clone)]
pub struct LastRun<'a> {
    /// Key of the plan.
    pub plan: &'a str,
    /// Command that started the run.
    pub command: &'a str,
    /// Path of the target; for a test file of secchi, its directory.
    pub target: &'a str,
    /// Name of the host.
    pub host: &'a str,
    /// Wall-clock start, in seconds since 1970.
    pub started: f64,
    /// Duration of the run.
    pub duration: Nanos,
    /// Exit code of the judgement.
    pub exit: Option<u8>,
    /// Key figures.
    pub workloads: &'a [WorkloadFigures],
}

declare! {
    RUNS = gauge "secchi_runs": "Number of stored runs by state.";
    PLANS_LEFT_OUT = gauge "secchi_plans_left_out":
        "Number of plans without metrics, because newer plans exceed the maximum number.";
    RUN = info "secchi_run": "Information about the last run of a plan.";
    STARTED = gauge "secchi_run_start_timestamp_seconds": "Start of the last run of the plan, as Unix time.";
    DURATION = gauge "secchi_run_duration_seconds": "Duration of the last run of the plan.";
    EXIT = gauge "secchi_run_exit_code":
        "Exit code of the judgement of the last run: 0 = passed, 1 = a need was not met, 2 = undecided.";
    IOPS = gauge "secchi_run_io_per_second":
        "Requests per second of a workload, at the sustained level or else the fastest.";
    BYTES = gauge "secchi_run_bytes_per_second":
        "Bytes per second of a workload, at the sustained level or else the fastest.";
    MEAN = gauge "secchi_run_mean_latency_seconds": "Mean latency of a workload at that level.";
    P99 = gauge "secchi_run_p99_latency_seconds": "99th percentile of the latency of a workload at that level.";
}

/// Returns the metrics of the last runs, newest first, and the number of runs in each state.
#[must_use]
pub fn runs_metrics(runs: &[LastRun<'_>], states: &[(&str, usize)]) -> Metrics {
    let mut metrics = Metrics::default();
    for (state, n) in states {
        metrics.row(&RUNS, &[("state", state)], *n as f64);
    }
    metrics.row(&PLANS_LEFT_OUT, &[], runs.len().saturating_sub(PLANS) as f64);
    for run in runs.iter().take(PLANS) {
        let plan = [("plan", run.plan)];
        let [command, target, host] = [("command", run.command), ("target", run.target), ("host", run.host)];
        metrics.row(&RUN, &[plan[0], command, target, host], 1.0);
        metrics.row(&STARTED, &plan, run.started);
        metrics.row(&DURATION, &plan, run.duration.secs());
        metrics.row(&EXIT, &plan, run.exit.map(f64::from));
        for (at, workload) in run.workloads.iter().enumerate().take(WORKLOADS) {
            // Several jobs may have the same name, but samples may not have the same labels.
            if run.workloads[..at].iter().any(|earlier| earlier.name == workload.name) {
                continue;
            }
            let labels = [plan[0], ("workload", workload.name.as_str())];
            metrics.row(&IOPS, &labels, workload.iops.map(|iops| iops.per_second()));
            metrics.row(&BYTES, &labels, workload.bandwidth.map(|bandwidth| bandwidth.per_second()));
            metrics.row(&MEAN, &labels, workload.mean.map(|mean| mean.secs()));
            metrics.row(&P99, &labels, workload.p99.map(|p99| p99.secs()));
        }
    }
    metrics
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::metrics::MetricsFormat;
    use model::{BytesPerSecond, Iops};

    fn run<'a>(plan: &'a str, workloads: &'a [WorkloadFigures]) -> LastRun<'a> {
        LastRun {
            plan,
            command: "qualify",
            target: "/srv/db",
            host: "db1",
            started: 1.8e9,
            duration: Nanos::from_secs(90),
            exit: Some(1),
            workloads,
        }
    }

    fn text(runs: &[LastRun<'_>]) -> String {
        String::from_utf8(runs_metrics(runs, &[("complete", 3)]).format(MetricsFormat::Text)).expect("text")
    }

    #[test]
    fn a_plan_has_the_figures_of_its_last_run() {
        let workload = WorkloadFigures {
            name: "8k randread".into(),
            iops: Some(Iops(5998.0)),
            bandwidth: Some(BytesPerSecond(5998.0 * 8192.0)),
            mean: Some(Nanos::from_micros(900)),
            p99: Some(Nanos::from_millis(3)),
            ..WorkloadFigures::default()
        };
        let twice = [workload.clone(), workload];
        let text = text(&[run("0a1b2c3d4e5f", &twice)]);
        let samples = text.lines().filter(|line| !line.starts_with('#'));
        for name in samples.map(|line| line.split(['{', ' ']).next().expect("a name")) {
            assert!(metric_names().iter().any(|known| known == name), "{name}");
        }
        insta::assert_snapshot!(text);
    }

    #[test]
    fn the_number_of_plans_is_bounded() {
        let plans: Vec<String> = (0..PLANS + 3).map(|i| format!("{i:012}")).collect();
        let text = text(&plans.iter().map(|plan| run(plan, &[])).collect::<Vec<_>>());
        assert_eq!(text.matches("secchi_run_exit_code{").count(), PLANS);
        assert!(text.contains("\nsecchi_plans_left_out 3\n"));
    }
}
