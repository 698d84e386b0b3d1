//! Tests of whole runs without a disk: with the null engine, also with injected faults.

mod null_target;

use model::plan::{Access, ErrorPolicy, FaultPlan, Mix, NamedTarget, RampRule, StageRole, StopRule, Workload};
use model::record::{Preflight, StepStop};
use model::{Bytes, Job, Nanos, Op, Plan, RunEvent, RunKind, RunRecord, RunState, Stage, Target, measured::Phase};
use null_target::NullTarget;
use run::{Ending, Identity, Interrupt, Progress, RunInputs, Sink, Targets, conduct};
use std::sync::atomic::Ordering::Relaxed;
use sys::clock::RunClock;

#[derive(Default)]
struct Record {
    events: Vec<RunEvent>,
    progress: Vec<Progress>,
    /// Number of intervals after which the run is interrupted.
    stop_after: Option<(usize, Interrupt)>,
    /// Number of updates during a pause after which the run is interrupted.
    stop_pause_after: Option<(usize, Interrupt)>,
}

impl Sink for Record {
    fn event(&mut self, event: RunEvent) {
        self.events.push(event);
        if let Some((n, interrupt)) = &self.stop_after {
            let seen = self.events.iter().filter(|e| matches!(e, RunEvent::Interval { .. })).count();
            if seen >= *n {
                interrupt.0.store(2, Relaxed);
            }
        }
    }
    fn progress(&mut self, progress: &Progress) {
        self.progress.push(progress.clone());
        if let Some((n, interrupt)) = &self.stop_pause_after
            && self.progress.iter().filter(|p| p.pausing).count() >= *n
        {
            interrupt.0.store(2, Relaxed);
        }
    }
}

const NO_FAULT: FaultPlan =
    FaultPlan { error_rate: 0.0, errno: 5, short_rate: 0.0, delay_rate: 0.0, delay: Nanos(0), hang_after: None };

fn ms(n: u64) -> Nanos {
    Nanos::from_millis(n)
}

fn target() -> Target {
    Target::null("null", Bytes::from_gib(1))
}

fn job(name: &str, time: Nanos) -> Job {
    Job {
        tuning: model::plan::JobTuning::default(),
        more: Vec::new(),
        name: name.into(),
        workload: Workload::new(Mix { write_percent: 30, trim_percent: 0 }, Bytes(4096), Access::RANDOM),
        target: target(),
        engine: "null".into(),
        queue_depth: 4,
        threads: 1,
        stop: StopRule { ramp: ms(100), time, steady_after: None, max_ops: None },
        on_error: ErrorPolicy::Stop,
        seed: 1,
        faults: None,
    }
}

fn stage(job: Job) -> Stage {
    let name = job.name.clone();
    Stage::fixed(name, job)
}

fn plan(stages: Vec<Stage>) -> Plan {
    Plan { args: vec![], limits: vec![], needs: vec![], ..Plan::new(RunKind::Blocks, target(), stages, ms(1500)) }
}

fn run(plan: &Plan, mut sink: Record, interrupt: &Interrupt) -> (Ending, RunRecord, Record) {
    let identity =
        Identity { id: "test".into(), tool: "test".into(), started: "2026-11-21T00:00:00+00:00".into(), notes: vec![] };
    let clock = RunClock::start();
    let inputs = RunInputs { plan, preflight: &Preflight::default(), identity: &identity, caveats: &[] };
    let ending = conduct(clock, &inputs, Targets::TestAreas(&mut [&mut NullTarget]), &mut sink, interrupt);
    let record = RunRecord::from_events(sink.events.clone()).expect("events of one run");
    (ending, record, sink)
}

#[test]
fn targets_side_by_side_are_measured_in_the_same_seconds_and_added_up() {
    let side = |name: &str, side: usize| {
        let mut stage = stage(job(name, ms(2300)));
        stage.place =
            model::plan::StagePlacement { with_previous: side > 0, side, ..model::plan::StagePlacement::default() };
        stage
    };
    let mut both = plan(vec![side("r", 0), side("r@b", 1), side("s", 0), side("s@b", 1)]);
    let named = |name: &str| NamedTarget { name: name.into(), target: target(), fill: Bytes(0) };
    both.targets = vec![named("a"), named("b")];
    let mut sink = Record::default();
    let identity =
        Identity { id: "test".into(), tool: "test".into(), started: "2026-11-21T00:00:00+00:00".into(), notes: vec![] };
    let (clock, facts) = (RunClock::start(), Preflight::default());
    let mut sites: [&mut dyn run::OpenTarget; 2] = [&mut NullTarget, &mut NullTarget];
    let inputs = RunInputs { plan: &both, preflight: &facts, identity: &identity, caveats: &[] };
    let ending = conduct(clock, &inputs, Targets::TestAreas(&mut sites), &mut sink, &Interrupt::default());
    assert_eq!(ending.state, RunState::Complete, "{}", ending.reason);
    let record = RunRecord::from_events(sink.events.clone()).expect("events of one run");
    assert_eq!(record.steps.iter().map(|s| s.stage).collect::<Vec<_>>(), [0, 1, 2, 3]);
    let joint = record.joint();
    assert_eq!(joint.steps.len(), 2);
    for (sum, parts) in joint.steps.iter().zip(record.steps.chunks(2)) {
        let ops = |step: &model::record::Step| step.intervals.iter().map(model::Interval::ops).sum::<u64>();
        assert_eq!(ops(sum), ops(&parts[0]) + ops(&parts[1]), "no operation is lost in the sum");
        assert_eq!(sum.end.as_ref().map(|e| e.completed), Some(ops(sum)));
        assert_eq!(sum.job.concurrency(), 8);
        assert_eq!(sum.total().length, ms(2300), "time does not add");
        assert!(sum.accounting.is_some(), "the kernel counted both together");
        let same = parts[0].intervals.iter().zip(&parts[1].intervals).filter(|(a, _)| a.phase == Phase::Measure);
        assert!(same.clone().count() >= 2 && same.clone().all(|(a, b)| a.start == b.start), "the same seconds");
        let rate = |step: &model::record::Step| step.total().iops().per_second();
        assert!((rate(sum) / (rate(&parts[0]) + rate(&parts[1])) - 1.0).abs() < 1e-6);
    }
    let alone = record.only(&[1]);
    assert_eq!(
        alone.steps,
        [&record.steps[1], &record.steps[3]].map(|s| model::record::Step {
            accounting: None,
            stage: s.stage / 2,
            ..s.clone()
        })
    );
    assert_eq!(alone.plan.stages[0].name, "r");
}

#[test]
fn every_operation_is_in_the_books_once() {
    let mut two = job("two-threads", ms(1250));
    two.threads = 2;
    let (ending, record, sink) =
        run(&plan(vec![stage(job("one", ms(2300))), stage(two)]), Record::default(), &Interrupt::default());
    assert_eq!(ending.state, RunState::Complete, "{}", ending.reason);
    assert_eq!(record.steps.len(), 2);
    for step in &record.steps {
        let end = step.end.as_ref().expect("the step ended");
        assert_eq!(end.submitted, end.completed + end.failed + end.pending);
        let in_intervals: u64 = step.intervals.iter().map(model::Interval::ops).sum();
        assert_eq!(in_intervals, end.completed, "ramp, measured and drained operations are all in intervals");
        let bytes: u64 = step.intervals.iter().map(|i| i.bytes().as_u64()).sum();
        assert_eq!(bytes, end.bytes);
        let waits = step.intervals.iter().filter_map(|i| i.cpu_wait);
        let waited = waits.fold(None, |sum: Option<model::measured::CpuWait>, wait| {
            let mut sum = sum.unwrap_or_default();
            sum.merge(wait);
            Some(sum)
        });
        assert_eq!(waited, end.cpu_wait, "waits for a CPU, too, are all in intervals");
        for interval in &step.intervals {
            if interval.phase == Phase::Drain {
                continue;
            }
            let windows: u64 = interval.windows.iter().map(model::measured::Window::total_ops).sum();
            assert_eq!(windows, interval.ops(), "windows sum to their interval");
            let length: u64 = interval.windows.iter().map(|w| w.length.as_nanos()).sum();
            assert_eq!(length, interval.length.as_nanos());
        }
        let total = step.total();
        assert_eq!(total.length, step.job.stop.time, "measured exactly as long as asked");
        let (read, write) = (total.op(Op::Read).tally.ops as f64, total.op(Op::Write).tally.ops as f64);
        assert!((write / (read + write) - 0.3).abs() < 0.02);
        // Little's law: X * R = N, with both sides from different counters.
        let latency: u128 = total.latency().summary().sum;
        let ratio = latency as f64 / total.in_flight_ns as f64;
        // At the start and at the end, operations in flight are included in only one of the counters. On a busy
        // machine, this may amount to a whole time slice.
        let job = &step.job;
        let slots = f64::from(job.queue_depth * job.threads);
        let edges =
            2.0 * slots * total.latency().max().map_or(0.0, |n| n.as_nanos() as f64) / total.in_flight_ns as f64;
        assert!((ratio - 1.0).abs() < 0.02 + edges, "{ratio}, edges {edges}");
    }
    assert!(!sink.progress.is_empty());
    let left: Vec<f64> = sink.progress.iter().map(|p| p.left.secs()).collect();
    assert!(left[0] > *left.last().expect("not empty"), "the estimate shrinks");
}

#[test]
fn intervals_follow_each_other_without_gap() {
    let (_, record, _) = run(&plan(vec![stage(job("one", ms(2200)))]), Record::default(), &Interrupt::default());
    let measured: Vec<_> = record.steps[0].intervals.iter().filter(|i| i.phase != Phase::Drain).collect();
    assert!(measured.windows(2).all(|w| w[0].start.as_nanos() + w[0].length.as_nanos() == w[1].start.as_nanos()));
    assert_eq!(measured[0].phase, Phase::Ramp);
    assert_eq!(measured.iter().filter(|i| i.phase == Phase::Measure).count(), 3);
}

#[test]
fn a_ramp_stops_when_the_gain_ends_and_holds_its_best_level() {
    let mut stage = stage(Job { queue_depth: 1, ..job("ramp", ms(200)) });
    stage.role = StageRole::Ramp;
    let depths = vec![1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048];
    stage.ramp = Some(RampRule {
        depths: depths.clone(),
        gain: 0.5,
        patience: 2,
        hold: ms(400),
        passes: 2,
        repeats: 0,
        further: Vec::new(),
    });
    let (ending, record, _) = run(&plan(vec![stage]), Record::default(), &Interrupt::default());
    assert_eq!(ending.state, RunState::Complete);
    let levels = |pass: u32| -> Vec<u32> {
        let is_level = |s: &&model::record::Step| s.pass == pass && !s.hold;
        record.steps.iter().filter(is_level).map(|s| s.job.concurrency()).collect()
    };
    // The null engine gains from batching, but not from further concurrency.
    assert!(levels(0).len() < depths.len(), "{:?}", levels(0));
    assert_eq!(levels(0), levels(1), "later passes repeat the levels of the first");
    let held: Vec<_> = record.steps.iter().filter(|s| s.hold).collect();
    assert_eq!(held.len(), 1);
    assert_eq!(held[0].total().length, ms(600), "too short for an interval: held for half as long again");
    let mut seeds: Vec<u64> = record.steps.iter().map(|s| s.job.seed).collect();
    seeds.sort_unstable();
    seeds.dedup();
    assert_eq!(seeds.len(), record.steps.len(), "no step asks for the places of another");
}

#[test]
fn a_ramp_whose_rate_still_grows_goes_deeper_while_there_is_time() {
    let levels = |hold: Nanos| -> Vec<u32> {
        // Each operation takes one millisecond, at any queue depth.
        let faults = Some(FaultPlan { delay_rate: 1.0, delay: ms(1), ..NO_FAULT });
        let mut stage = stage(Job { queue_depth: 1, faults, ..job("ramp", ms(200)) });
        stage.role = StageRole::Ramp;
        stage.ramp = Some(RampRule {
            depths: vec![1, 2, 4],
            gain: 0.05,
            patience: 2,
            hold,
            passes: 1,
            repeats: 0,
            further: vec![8, 16],
        });
        let (_, record, _) = run(&plan(vec![stage]), Record::default(), &Interrupt::default());
        record.steps.iter().filter(|s| !s.hold).map(|s| s.job.concurrency()).collect()
    };
    // A neighbour may keep the rate of a single ramp from growing: fail only if it does so three times.
    let wanted = [1, 2, 4, 8, 16];
    let deep: Vec<_> = (0..3).map(|_| levels(ms(2400))).take_while(|levels| *levels != wanted).collect();
    assert!(deep.len() < 3, "the second half of a longer hold is time to spare: {deep:?}");
    assert_eq!(levels(ms(100)), [1, 2, 4], "there is none");
}

#[test]
fn no_more_is_written_than_may_be_and_what_reads_goes_on() {
    let slow = |name: &str, mix: Mix| {
        let mut job = job(name, ms(1500));
        job.workload.mix = mix;
        job.faults = Some(FaultPlan { delay_rate: 1.0, delay: ms(1), ..NO_FAULT });
        stage(job)
    };
    let most = Bytes::from_mib(8);
    let stages = vec![slow("w", Mix::WRITE), slow("r", Mix::READ), slow("w2", Mix::WRITE)];
    let bounded = Plan { max_written: Some(most), ..plan(stages) };
    let (ending, record, _) = run(&bounded, Record::default(), &Interrupt::default());
    assert_eq!(ending.state, RunState::Complete, "{}", ending.reason);
    let stops: Vec<(usize, StepStop)> = record.steps.iter().map(|s| (s.stage, s.end.as_ref().unwrap().stop)).collect();
    assert_eq!(
        stops,
        [(0, StepStop::Written), (1, StepStop::Time), (2, StepStop::Written)],
        "both that write get a part"
    );
    let written = record.written();
    assert!(written.as_u64() > most.as_u64() / 2 && written <= most, "{written} of {most}");
    let judged = analysis::judge(&record);
    let caveat = judged.caveats.iter().find(|c| c.id == "max-written").expect("it is told");
    assert!(caveat.evidence.contains("cut short"), "{}", caveat.evidence);
}

#[test]
fn a_ramp_keeps_half_of_its_part_of_the_bound_for_the_held_level() {
    let faults = Some(FaultPlan { delay_rate: 1.0, delay: ms(1), ..NO_FAULT });
    let mut ramp = stage(Job { queue_depth: 1, faults, ..job("ramp", ms(400)) });
    ramp.job.workload.mix = Mix::WRITE;
    ramp.role = StageRole::Ramp;
    let depths = vec![1, 2, 4, 8, 16];
    let rule = RampRule { depths, gain: 0.05, patience: 2, hold: ms(2000), passes: 1, repeats: 0, further: Vec::new() };
    ramp.ramp = Some(rule);
    let mut last = stage(job("last", ms(200)));
    last.job.workload.mix = Mix::WRITE;
    let most = Bytes::from_mib(24);
    let bounded = Plan { max_written: Some(most), ..plan(vec![ramp, last]) };
    let (ending, record, _) = run(&bounded, Record::default(), &Interrupt::default());
    assert_eq!(ending.state, RunState::Complete, "{}", ending.reason);
    let held = record.steps.iter().find(|s| s.hold).expect("the best level is held");
    assert!(held.intervals.iter().map(|i| i.op(Op::Write).tally.bytes).sum::<u64>() > 0);
    assert!(record.steps.iter().any(|s| s.stage == 1), "the stage after it has its part");
    assert!(record.written() <= most, "{}", record.written());
    // A level begins only if at least as many bytes are left as the previous one wrote.
    let levels: Vec<&model::record::Step> = record.steps.iter().filter(|s| s.stage == 0 && !s.hold).collect();
    let written = |s: &model::record::Step| s.end.as_ref().map_or(0, |e| e.completed);
    let enough = |pair: &[&model::record::Step]| pair[1].job.stop.max_ops >= Some(written(pair[0]));
    assert!(levels.len() < 5 && levels.windows(2).all(enough), "{} levels", levels.len());
    let (last, judged) = (levels[levels.len() - 1], analysis::judge(&record));
    let deepest = format!("at most {}", last.job.concurrency());
    let bounded = judged.caveats.iter().any(|c| c.id == "max-written" && c.evidence.contains(&deepest));
    let cut = last.end.as_ref().is_some_and(|e| e.stop == StepStop::Written);
    assert!(bounded != cut, "one of both is reported: {:?}", judged.caveats);
}

#[test]
fn a_run_that_measures_nothing_within_its_bound_is_undecided() {
    // Without a device, all bytes are written before the ramp of the step is over.
    let mut job = job("w", ms(400));
    job.workload.mix = Mix::WRITE;
    let bounded = Plan { max_written: Some(Bytes::from_mib(1)), ..plan(vec![stage(job)]) };
    let (ending, record, _) = run(&bounded, Record::default(), &Interrupt::default());
    assert_eq!(ending.state, RunState::Complete, "{}", ending.reason);
    let judged = analysis::judge(&record);
    assert_eq!((judged.outcome, judged.exit_code), (model::judged::Outcome::Undecided, 2));
    let first = &judged.answer.lines[0].text;
    assert!(first.contains("nothing was measured") && first.contains("1 MiB"), "{first}");
    assert!(first.contains("--max-written") && first.contains("--yes"), "{first}");
}

#[test]
fn what_writes_ends_by_itself_where_the_looks_would_come_late() {
    // Without a device, the bound is reached long before the first check. The time is never reached, even if the machine
    // is busy.
    for write_percent in [100, 50, 1] {
        let mut job = job("w", ms(60_000));
        job.workload.mix = Mix { write_percent, trim_percent: 0 };
        let most = Bytes::from_mib(64);
        let bounded = Plan { max_written: Some(most), ..plan(vec![stage(job)]) };
        let (ending, record, _) = run(&bounded, Record::default(), &Interrupt::default());
        assert_eq!(ending.state, RunState::Complete, "{}", ending.reason);
        assert_eq!(record.steps[0].end.as_ref().unwrap().stop, StepStop::Written, "{write_percent} %");
        let written = record.written();
        assert!(written.as_u64() > most.as_u64() / 4 && written <= most, "{write_percent} %: {written} of {most}");
    }
}

#[test]
fn an_error_ends_the_run_and_says_which() {
    let faults = Some(FaultPlan { error_rate: 1e-4, errno: 5, ..NO_FAULT });
    let (ending, record, _) =
        run(&plan(vec![stage(Job { faults, ..job("bad", ms(5000)) })]), Record::default(), &Interrupt::default());
    assert_eq!(ending.state, RunState::Failed);
    assert!(
        ending.reason.contains("Input/output error")
            || ending.reason.contains("operation failed")
            || ending.reason.contains("operations failed"),
        "{}",
        ending.reason
    );
    let end = record.steps[0].end.as_ref().expect("the step ended");
    assert_eq!(end.stop, StepStop::Errors);
    assert!(end.failed >= 1);
    assert_eq!(end.submitted, end.completed + end.failed);
}

#[test]
fn a_hung_device_ends_in_a_partial_result() {
    let faults = Some(FaultPlan { hang_after: Some(1000), ..NO_FAULT });
    let (ending, record, sink) =
        run(&plan(vec![stage(Job { faults, ..job("hung", ms(60_000)) })]), Record::default(), &Interrupt::default());
    assert_eq!(ending.state, RunState::Hung);
    assert!(ending.stuck);
    let end = record.steps[0].end.as_ref().expect("the step was closed");
    assert_eq!((end.stop, end.pending), (StepStop::Hung, 4), "{end:?}");
    assert!(end.pending_ages[0] >= ms(1400), "censored latencies are kept: {:?}", end.pending_ages);
    assert!(matches!(sink.events.last(), Some(RunEvent::End { state: RunState::Hung, .. })));
}

#[test]
fn a_signal_stops_drains_and_keeps_what_there_is() {
    let interrupt = Interrupt::default();
    let sink = Record { stop_after: Some((2, interrupt.clone())), ..Record::default() };
    let (ending, record, _) =
        run(&plan(vec![stage(job("long", ms(60_000))), stage(job("never", ms(60_000)))]), sink, &interrupt);
    assert_eq!(ending.state, RunState::Stopped);
    assert_eq!(record.steps.len(), 1, "nothing new is begun");
    let end = record.steps[0].end.as_ref().expect("the step was closed");
    assert_eq!((end.stop, end.pending), (StepStop::Signal, 0));
    assert!(record.steps[0].total().ops() > 0);
}

#[test]
fn short_operations_and_delays_are_survived() {
    let faults = Some(FaultPlan { short_rate: 0.01, delay_rate: 0.001, delay: ms(20), ..NO_FAULT });
    let (ending, record, _) =
        run(&plan(vec![stage(Job { faults, ..job("odd", ms(1000)) })]), Record::default(), &Interrupt::default());
    assert_eq!(ending.state, RunState::Complete, "{}", ending.reason);
    let total = record.steps[0].total();
    assert!(total.op(Op::Read).tally.short > 0);
    assert!(total.latency().max().expect("operations") >= ms(20));
}

#[test]
fn an_engine_that_cannot_do_the_job_ends_the_run_before_anything_is_sent() {
    let wrong = Job { engine: "psync".into(), queue_depth: 1, ..job("wrong", ms(1000)) };
    let (ending, record, _) = run(&plan(vec![stage(wrong)]), Record::default(), &Interrupt::default());
    assert_eq!(ending.state, RunState::Failed);
    assert!(ending.reason.contains("needs a file"), "{}", ending.reason);
    assert!(record.steps[0].intervals.is_empty());
}

#[test]
fn errors_below_the_count_allowed_do_not_end_a_step() {
    let faults = Some(FaultPlan { error_rate: 1e-3, errno: 5, ..NO_FAULT });
    let some = Job { faults, on_error: ErrorPolicy::Count(u64::MAX), ..job("some", ms(500)) };
    let (ending, record, _) = run(&plan(vec![stage(some.clone())]), Record::default(), &Interrupt::default());
    assert_eq!(ending.state, RunState::Complete, "{}", ending.reason);
    let end = record.steps[0].end.as_ref().expect("the step ended");
    assert!(end.stop == StepStop::Time && end.failed > 0, "{end:?}");
    let few = Job { on_error: ErrorPolicy::Count(5), ..some };
    let (ending, record, _) = run(&plan(vec![stage(few)]), Record::default(), &Interrupt::default());
    assert_eq!(ending.state, RunState::Failed);
    assert_eq!(record.steps[0].end.as_ref().map(|e| e.stop), Some(StepStop::Errors));
}

#[test]
fn a_short_step_shows_a_rate_before_it_counts() {
    let mut short = job("short", ms(300));
    short.stop.ramp = ms(400);
    let (_, _, sink) = run(&plan(vec![stage(short)]), Record::default(), &Interrupt::default());
    let first = sink.progress.first().expect("progress");
    assert!(first.iops.per_second() > 0.0 && first.phase == Phase::Ramp, "{first:?}");
}

#[test]
fn a_signal_is_obeyed_while_a_load_ended_earlier_does_not_drain() {
    let faults = Some(FaultPlan { hang_after: Some(1000), ..NO_FAULT });
    let job = Job { faults, ..job("hung", ms(60_000)) };
    let load = run::Load { patience: ms(200), ..run::Load::new(job, ms(600_000)) };
    let clock = RunClock::start();
    let since = sys::clock::Clock::now(&clock);
    // Ends the load as steady, then requests a stop while the load still waits for operations in flight.
    let mut watch = |live: &run::Live<'_>| match (live.now.as_nanos() - since) / 1_000_000 {
        0..300 => run::Decision::GoOn,
        300..600 => run::Decision::Stop(StepStop::Steady),
        _ => run::Decision::Stop(StepStop::Signal),
    };
    let end = run::run_load(clock, &load, &mut watch).expect("it starts");
    assert_eq!((end.stop, end.workers.pending), (StepStop::Signal, 4));
}

#[test]
fn a_signal_ends_a_pause_that_would_last_an_hour() {
    let mut after = stage(job("after", ms(300)));
    after.place.delay = Nanos::from_secs(3_600);
    let interrupt = Interrupt::default();
    let sink = Record { stop_pause_after: Some((2, interrupt.clone())), ..Record::default() };
    let (ending, record, sink) = run(&plan(vec![stage(job("first", ms(300))), after]), sink, &interrupt);
    assert_eq!((ending.state, ending.stuck), (RunState::Stopped, false));
    assert_eq!(record.steps.len(), 1, "what was paused before is not run");
    let pauses: Vec<&Progress> = sink.progress.iter().filter(|p| p.pausing).collect();
    assert_eq!(pauses.len(), 2);
    assert!(pauses[0].label.contains("4k") && pauses[0].left.secs() > 3590.0, "{:?}", pauses[0]);
}
