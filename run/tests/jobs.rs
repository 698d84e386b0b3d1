//! Tests of job files on the null engine: waves, delays, and jobs whose end affects others. They use no disk.

use load::target::TargetError;
use model::plan::{
    Access, Ends, ErrorPolicy, ExitWhat, JobTuning, Mix, StagePlacement, SteadyOf, SteadyRule, StopRule, Workload,
};
use model::record::{Preflight, StepStop};
use model::{Bytes, Job, Nanos, Plan, RunEvent, RunKind, RunRecord, RunState, Sentence, Stage, Target};
use run::{Files, Identity, Interrupt, Progress, RunInputs, Sink, Targets, conduct};
use std::fs::File;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use sys::clock::RunClock;

struct Record {
    events: Vec<RunEvent>,
    interrupt: Interrupt,
    /// Number of intervals after which the run is interrupted.
    after: usize,
    /// CPUs and niceness of the load threads while they ran.
    threads: Vec<(String, String)>,
}

/// Returns the allowed CPUs and the niceness of this process's load threads.
fn load_threads() -> Vec<(String, String)> {
    let tasks = std::fs::read_dir("/proc/self/task").expect("a process has threads").flatten();
    let text = |dir: &std::path::Path, name: &str| std::fs::read_to_string(dir.join(name)).unwrap_or_default();
    tasks
        .map(|task| task.path())
        .filter(|task| text(task, "comm").starts_with("load-"))
        .filter_map(|task| {
            let status = text(&task, "status");
            let cpus = status.lines().find_map(|l| l.strip_prefix("Cpus_allowed_list:"))?.trim().to_owned();
            // See proc(5): counted after the name in parentheses, niceness is the 17th field.
            let stat = text(&task, "stat");
            let nice = stat.rsplit_once(')')?.1.split_whitespace().nth(16)?.to_owned();
            Some((cpus, nice))
        })
        .collect()
}

impl Sink for Record {
    fn event(&mut self, event: RunEvent) {
        self.events.push(event);
        let seen = self.events.iter().filter(|e| matches!(e, RunEvent::Interval { .. })).count();
        if seen >= self.after {
            self.interrupt.0.store(1, Relaxed);
        }
    }
    fn progress(&mut self, progress: &Progress) {
        self.threads.extend(load_threads());
        let jobs = progress.jobs.as_ref().expect("job files show their jobs");
        assert!(!jobs.states.is_empty());
    }
}

struct NoFiles;

impl Files for NoFiles {
    fn open(&self, _job: &Job) -> Result<Vec<Arc<File>>, Sentence> {
        Ok(Vec::new())
    }
    fn present(&self) -> Result<(), TargetError> {
        Ok(())
    }
}

fn ms(n: u64) -> Nanos {
    Nanos::from_millis(n)
}

fn target() -> Target {
    Target::null("null", Bytes::from_gib(1))
}

fn stage(name: &str, time: Nanos, place: StagePlacement, ends: Ends) -> Stage {
    let job = Job {
        name: name.into(),
        workload: Workload::new(Mix::READ, Bytes(4096), Access::RANDOM),
        target: target(),
        more: Vec::new(),
        engine: "null".into(),
        queue_depth: 4,
        threads: 1,
        stop: StopRule { ramp: Nanos(0), time, steady_after: None, max_ops: None },
        on_error: ErrorPolicy::Stop,
        seed: 1,
        faults: None,
        tuning: JobTuning { ends, ..JobTuning::default() },
    };
    Stage { place, ..Stage::fixed(name, job) }
}

const AFTER: StagePlacement =
    StagePlacement { with_previous: false, delay: Nanos(0), section: None, clone: 0, after: None, side: 0 };
const WITH: StagePlacement = StagePlacement { with_previous: true, ..AFTER };

fn run_until(stages: Vec<Stage>, after: usize) -> RunRecord {
    let sink = sink_of(stages, after);
    RunRecord::from_events(sink.events).expect("the events are those of one run")
}

/// Returns the CPUs and the niceness of the load threads of these stages.
fn threads_of(stages: Vec<Stage>) -> Vec<(String, String)> {
    sink_of(stages, usize::MAX).threads
}

fn sink_of(stages: Vec<Stage>, after: usize) -> Record {
    let plan =
        Plan { keep: true, ..Plan::new(RunKind::JobFile { sections: Vec::new() }, target(), stages, ms(10_000)) };
    let identity = Identity { id: "x".into(), tool: "t".into(), started: "now".into(), notes: Vec::new() };
    let interrupt = Interrupt::default();
    let mut sink = Record { events: Vec::new(), interrupt: interrupt.clone(), after, threads: Vec::new() };
    let clock = RunClock::start();
    let inputs = RunInputs { plan: &plan, preflight: &Preflight::default(), identity: &identity, caveats: &[] };
    conduct(clock, &inputs, Targets::JobFiles(&mut NoFiles), &mut sink, &interrupt);
    sink
}

fn run_all(stages: Vec<Stage>) -> RunRecord {
    run_until(stages, usize::MAX)
}

fn span(record: &RunRecord, step: usize) -> (u64, u64) {
    let total = record.steps[step].total();
    (total.start.as_nanos(), total.start.as_nanos() + total.length.as_nanos())
}

#[test]
fn jobs_of_a_wave_run_together_and_the_next_wave_after_all_of_them() {
    let ends = Ends::default();
    let record = run_all(vec![
        stage("a", ms(400), AFTER, ends),
        stage("b", ms(700), WITH, ends),
        stage("c", ms(300), AFTER, ends),
    ]);
    assert_eq!(record.state, RunState::Complete, "{}", record.reason);
    let (a, b, c) = (span(&record, 0), span(&record, 1), span(&record, 2));
    assert!(a.0 == b.0 && c.0 >= b.1, "{a:?} {b:?} {c:?}");
    assert!(record.steps.iter().all(|s| s.end.as_ref().is_some_and(|e| e.submitted == e.completed && e.completed > 0)));
    // Kernel counters for two concurrent jobs apply to both together, not to either of them alone.
    assert_eq!(record.together.len(), 1);
    assert_eq!(record.together[0].0, vec![0, 1]);
    assert!(record.steps[2].accounting.is_some());
}

#[test]
fn a_delayed_job_begins_later_on_the_same_clock() {
    let ends = Ends::default();
    let late = StagePlacement { delay: ms(500), ..WITH };
    let record = run_all(vec![stage("a", ms(300), AFTER, ends), stage("b", ms(300), late, ends)]);
    let (a, b) = (span(&record, 0), span(&record, 1));
    assert_eq!(b.0 - a.0, 500_000_000);
}

#[test]
fn a_job_waits_for_the_one_it_names_and_for_no_other() {
    let ends = Ends::default();
    let named = |section| StagePlacement { section: Some(section), ..WITH };
    let record = run_all(vec![
        stage("a", ms(300), StagePlacement { section: Some(0), ..AFTER }, ends),
        stage("b", ms(1500), named(1), ends),
        stage("c", ms(300), StagePlacement { after: Some(0), ..named(2) }, ends),
    ]);
    let (a, b, c) = (span(&record, 0), span(&record, 1), span(&record, 2));
    assert!(c.0 >= a.1 && c.0 < b.1, "{a:?} {b:?} {c:?}");
    assert_eq!(record.state, RunState::Complete);
}

#[test]
fn a_signal_ends_jobs_that_have_not_begun_yet() {
    let ends = Ends::default();
    let late = StagePlacement { delay: ms(60_000), ..WITH };
    let record = run_until(vec![stage("a", ms(60_000), AFTER, ends), stage("b", ms(1000), late, ends)], 1);
    assert_eq!(record.state, RunState::Stopped);
    assert_eq!(record.steps[1].end.as_ref().map(|e| (e.submitted, e.stop)), Some((0, StepStop::Signal)));
}

#[test]
fn the_end_of_one_takes_the_others_along_as_far_as_it_says() {
    let exit_all = Ends { exit_all: Some(ExitWhat::All), ..Ends::default() };
    let none = Ends::default();
    let stages = || {
        vec![stage("a", ms(300), AFTER, exit_all), stage("b", ms(60_000), WITH, none), stage("c", ms(300), AFTER, none)]
    };
    let record = run_all(stages());
    assert_eq!((record.steps.len(), record.state), (2, RunState::Complete));
    let mut stages = stages();
    stages[0].job.tuning.ends.exit_all = Some(ExitWhat::Stonewall);
    assert_eq!(run_all(stages).steps.len(), 3, "the next wave runs");
}

#[test]
fn a_steady_job_ends_before_its_time() {
    let rule = SteadyRule {
        of: SteadyOf::Iops,
        slope: false,
        limit: 1000.0,
        percent: true,
        duration: ms(2000),
        ramp: Nanos(0),
        check: ms(1000),
    };
    let ends = Ends { steady: Some(rule), ..Ends::default() };
    let record = run_all(vec![stage("a", ms(60_000), AFTER, ends)]);
    let end = record.steps[0].end.as_ref().expect("it ended");
    assert_eq!(end.stop, StepStop::Steady);
    assert!(end.steady.as_ref().is_some_and(|s| s.attained && s.iops.len() == 2), "{:?}", end.steady);
}

#[test]
fn a_rate_below_the_floor_fails_the_job_and_the_others_go_on() {
    let floor = Some(model::plan::Rate::Iops(model::Iops(1e12)));
    let ends = Ends { floor: [floor, None, None], floor_cycle: ms(200), ..Ends::default() };
    let record = run_all(vec![stage("a", ms(60_000), AFTER, ends), stage("b", ms(600), WITH, Ends::default())]);
    assert_eq!(record.state, RunState::Failed);
    assert!(record.reason.contains("below the required minimum"), "{}", record.reason);
    let lasted = record.steps[0].end.as_ref().map(|e| e.at.since(record.steps[0].start));
    assert!(lasted.is_some_and(|l| l >= ms(2000)), "as fio, nothing is asked of the first two seconds: {lasted:?}");
    assert_eq!(record.steps[1].end.as_ref().map(|e| e.stop), Some(StepStop::Time));
}

#[test]
fn threads_run_where_the_job_says_and_as_nice() {
    let cpu = *sys::threads::allowed_cpus().last().expect("there is a CPU") as u32;
    let mut stage = stage("a", ms(900), AFTER, Ends::default());
    stage.job.tuning.thread =
        model::plan::ThreadRule { cpus: vec![cpu], nice: 7, io_priority: Some((3, 0)), ..Default::default() };
    // Tests of this file run concurrently, but only this one uses that niceness.
    let seen = threads_of(vec![stage]);
    assert!(seen.contains(&(cpu.to_string(), "7".to_owned())), "{seen:?}");
}
