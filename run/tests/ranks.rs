//! Tests of runs with several ranks in one process: threads connected by channels, the null engine.

mod channels;
mod null_target;

use channels::{ChannelLink, links};
use load::recorder::Entry;
use load::target::TargetError;
use model::plan::{
    Access, ErrorPolicy, JobTuning, MarkDirection, Mix, RequestInterval, StagePlacement, StopRule, Work, Workload,
};
use model::record::{HostFacts, Preflight, StepStop};
use model::{
    Bytes, Interval, Job, Nanos, Plan, RunEvent, RunKind, RunRecord, RunState, Sentence, Stage, Target, measured::Phase,
};
use null_target::NullTarget;
use run::ranks::{JoinError, Refusal, Team, join_parts};
use run::{Ending, Files, Identity, Interrupt, LayoutError, OpenTarget, Progress, RunInputs, Sink, Targets, mark};
use std::fs::File;
use std::sync::Arc;
use std::time::{Duration, Instant};
use sys::clock::RunClock;

#[derive(Default)]
struct Record {
    events: Vec<RunEvent>,
    /// Individual operations, with their steps.
    operations: Vec<(usize, Entry)>,
    /// Times of progress updates.
    shown: Vec<Instant>,
    /// Number of intervals after which the link falls silent.
    silent_after: Option<(usize, Arc<ChannelLink>)>,
}

impl Sink for Record {
    fn event(&mut self, event: RunEvent) {
        self.events.push(event);
        if let Some((after, link)) = &self.silent_after {
            let seen = self.events.iter().filter(|e| matches!(e, RunEvent::Interval { .. })).count();
            if seen >= *after {
                link.fall_silent();
            }
        }
    }
    fn progress(&mut self, _progress: &Progress) {
        self.shown.push(Instant::now());
    }
    fn operations(&mut self, step: usize, entries: &[Entry]) {
        self.operations.extend(entries.iter().map(|entry| (step, *entry)));
    }
}

struct NoFiles {
    refused: Option<&'static str>,
}

impl Files for NoFiles {
    fn lay_out(&mut self, _progress: &mut dyn FnMut(u64, u64) -> bool) -> Result<u64, LayoutError> {
        Ok(4096)
    }
    fn open(&self, _job: &Job) -> Result<Vec<Arc<File>>, Sentence> {
        self.refused.map_or(Ok(Vec::new()), |why| Err(why.into()))
    }
    fn present(&self) -> Result<(), TargetError> {
        Ok(())
    }
}

fn target() -> Target {
    Target::null("null", Bytes::from_gib(1))
}

fn stage(name: &str, time: u64, with_previous: bool) -> Stage {
    let job = Job {
        name: name.into(),
        workload: Workload::new(Mix::READ, Bytes(4096), Access::RANDOM),
        target: target(),
        more: Vec::new(),
        engine: "null".into(),
        queue_depth: 4,
        threads: 1,
        stop: StopRule { ramp: Nanos(0), time: Nanos::from_millis(time), steady_after: None, max_ops: None },
        on_error: ErrorPolicy::Stop,
        seed: 1,
        faults: None,
        tuning: JobTuning::default(),
    };
    Stage { place: StagePlacement { with_previous, ..StagePlacement::default() }, ..Stage::fixed(name, job) }
}

fn plan(stages: Vec<Stage>) -> Plan {
    Plan::new(RunKind::JobFile { sections: Vec::new() }, target(), stages, Nanos::from_secs(10))
}

/// Events and result of one rank.
struct Did {
    record: Record,
    ending: Result<Ending, Refusal>,
}

/// Settings of one rank.
struct Part {
    version: &'static str,
    plan: Plan,
    refuses: Option<&'static str>,
    cannot_open: Option<&'static str>,
    silent_after: Option<usize>,
    /// Delay of its messages.
    delay: Duration,
    /// True if all ranks report the same host.
    one_host: bool,
}

impl Part {
    fn new(plan: Plan) -> Part {
        Part {
            version: "1",
            plan,
            refuses: None,
            cannot_open: None,
            silent_after: None,
            delay: Duration::ZERO,
            one_host: false,
        }
    }
}

fn rank(link: ChannelLink, part: Part) -> Did {
    let link = if part.delay.is_zero() { link } else { link.delayed_by(part.delay) };
    let link = Arc::new(link);
    let mut record = Record { silent_after: part.silent_after.map(|n| (n, Arc::clone(&link))), ..Record::default() };
    let host = if part.one_host { "host".to_owned() } else { format!("host{}", run::ranks::Link::rank(&*link)) };
    let facts =
        Preflight { host: HostFacts { hostname: host.clone(), ..HostFacts::default() }, ..Preflight::default() };
    let ending = (|| {
        let clock = RunClock::start();
        let mut team = Team::join(link, &host, part.version, "the-run".to_owned(), clock)?;
        if let Some(why) = part.refuses {
            return Err(team.refuse(3, why));
        }
        team.agree(&part.plan, &facts)?;
        let id = if team.leads() { team.run().to_owned() } else { format!("of-{host}") };
        let identity = Identity { id, tool: "t".into(), started: "now".into(), notes: Vec::new() };
        let inputs = RunInputs { plan: &part.plan, preflight: &facts, identity: &identity, caveats: &[] };
        let mut files = NoFiles { refused: part.cannot_open };
        assert_eq!(team.clock().now_is_close(clock), Ok(()));
        let mut area = NullTarget;
        let mut areas: [&mut dyn OpenTarget; 1] = [&mut area];
        let targets = match part.plan.kind {
            RunKind::Mark { .. } => Targets::TestAreas(&mut areas),
            _ => Targets::JobFiles(&mut files),
        };
        Ok(team.conduct(&inputs, targets, &mut record, &Interrupt::default()))
    })();
    Did { record, ending }
}

/// Comparison of two clocks.
trait Close {
    fn now_is_close(&self, other: RunClock) -> Result<(), u64>;
}

impl Close for RunClock {
    fn now_is_close(&self, other: RunClock) -> Result<(), u64> {
        let apart = sys::clock::Clock::now(self).abs_diff(sys::clock::Clock::now(&other));
        if apart < 1_000_000_000 { Ok(()) } else { Err(apart) }
    }
}

/// Runs these parts together, rank 0 first.
fn together(parts: Vec<Part>) -> Vec<Did> {
    let ends = links(parts.len());
    std::thread::scope(|scope| {
        let threads: Vec<_> =
            ends.into_iter().zip(parts).map(|(link, part)| scope.spawn(move || rank(link, part))).collect();
        threads.into_iter().map(|t| t.join().expect("a rank does not panic")).collect()
    })
}

fn record_of(did: &Did) -> RunRecord {
    RunRecord::from_events(did.record.events.clone()).expect("the events are those of one run")
}

fn intervals_of(record: &Record) -> Vec<(usize, Interval)> {
    let interval_of = |e: &RunEvent| match e {
        RunEvent::Interval { step, interval } => Some((*step, interval.clone())),
        _ => None,
    };
    record.events.iter().filter_map(interval_of).collect()
}

#[test]
fn rank_0_keeps_to_the_bit_what_every_rank_saw() {
    let stages = || vec![stage("a", 2_300, false), stage("b", 1_200, true), stage("c", 600, false)];
    let outcomes = together((0..4).map(|_| Part::new(plan(stages()))).collect());
    for did in &outcomes {
        let ending = did.ending.as_ref().expect("nobody refuses");
        assert_eq!(ending.state, RunState::Complete, "{}", ending.reason);
    }
    let record = record_of(&outcomes[0]);
    assert_eq!(record.preflight.ranks.len(), 4);
    let names: Vec<&str> = record.plan.targets.iter().map(|t| t.name.as_str()).collect();
    assert_eq!(names, ["host0", "host1", "host2", "host3"]);
    // The steps of all ranks for a stage are adjacent.
    let sides: Vec<usize> = record.steps.iter().map(|s| record.plan.stages[s.stage].place.side).collect();
    assert_eq!(sides, [0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3]);
    for (side, did) in outcomes.iter().enumerate().skip(1) {
        let own_intervals = intervals_of(&did.record);
        for job in 0..3 {
            let kept: Vec<Interval> = intervals_of(&outcomes[0].record)
                .into_iter()
                .filter(|(step, _)| *step == 4 * job + side)
                .map(|(_, interval)| interval)
                .collect();
            let seen: Vec<Interval> =
                own_intervals.iter().filter(|(step, _)| *step == job).map(|(_, i)| i.clone()).collect();
            assert!(!seen.is_empty() && kept == seen, "rank {side}, job {job}");
        }
    }
    // The sum contains every operation of all ranks, in one histogram.
    let joint = record.joint();
    assert_eq!(joint.steps.len(), 3);
    for (job, sum) in joint.steps.iter().enumerate() {
        let parts = &record.steps[4 * job..4 * job + 4];
        let ops = |s: &model::record::Step| s.intervals.iter().map(Interval::ops).sum::<u64>();
        assert_eq!(ops(sum), parts.iter().map(ops).sum::<u64>());
        assert_eq!(sum.total().latency().count(), sum.total().ops());
        let ends: Vec<_> = parts.iter().map(|s| s.end.as_ref().expect("it ended")).collect();
        assert!(ends.iter().all(|e| e.stop == StepStop::Time && e.submitted == e.completed && e.completed > 0));
    }
    // All jobs of a wave begin at the same time.
    let starts: Vec<u64> = record.steps[..4].iter().map(|s| s.intervals[0].start.as_nanos()).collect();
    let spread = starts.iter().max().unwrap() - starts.iter().min().unwrap();
    assert!(spread < 1_000, "{starts:?}");
    // The counters of each kernel belong to the steps of its rank.
    let counted: Vec<Vec<usize>> = record.together.iter().map(|(steps, _)| steps.clone()).collect();
    assert!(counted.contains(&vec![0, 4]) && counted.contains(&vec![3, 7]), "{counted:?}");
}

#[test]
fn what_is_steady_in_sum_ends_on_all_before_its_time() {
    let level = || {
        let mut stage = stage("a", 60_000, false);
        stage.job.stop.steady_after = Some(Nanos::from_millis(1_500));
        // A fixed rate is steady on a busy machine, too.
        stage.job.workload.pacing = model::plan::Pacing::Fixed(model::Iops(500.0));
        Plan::new(RunKind::Mark { profile: None }, target(), vec![stage], Nanos::from_secs(10))
    };
    let began = Instant::now();
    let outcomes = together((0..3).map(|_| Part::new(level())).collect());
    assert!(began.elapsed() < Duration::from_secs(40), "{:?}", began.elapsed());
    let record = record_of(&outcomes[0]);
    let stops: Vec<StepStop> = record.steps.iter().map(|s| s.end.as_ref().expect("it ended").stop).collect();
    assert_eq!(stops, [StepStop::Steady; 3]);
}

#[test]
fn a_slow_network_of_one_shows_in_no_latency_and_keeps_nobody_from_beginning_together() {
    let delay = Duration::from_millis(60);
    let mut parts: Vec<Part> = (0..3)
        .map(|_| {
            let mut stage = stage("a", 2_300, false);
            stage.job.workload.pacing = model::plan::Pacing::Fixed(model::Iops(500.0));
            Part::new(plan(vec![stage]))
        })
        .collect();
    parts[1].delay = delay;
    let outcomes = together(parts);
    let record = record_of(&outcomes[0]);
    for (side, step) in record.steps.iter().enumerate() {
        let usual = step.total().response().quantile(0.5).expect("it was measured");
        assert!(usual < Nanos::from_millis(delay.as_millis() as u64 / 2), "rank {side}: {usual}");
        assert_eq!(step.total().latency().count(), step.total().ops());
    }
    let starts: Vec<u64> = record.steps.iter().map(|s| s.intervals[0].start.as_nanos()).collect();
    let spread = starts.iter().max().unwrap() - starts.iter().min().unwrap();
    assert!(spread < 1_000, "{starts:?}");
    let own_intervals: Vec<Interval> =
        intervals_of(&outcomes[1].record).into_iter().map(|(_, interval)| interval).collect();
    assert!(record.steps[1].intervals == own_intervals, "what was late is all there");
}

#[test]
fn one_file_under_two_names_is_refused_before_anything_is_opened() {
    let place = tempfile::tempdir().expect("a directory");
    let (file, name) = (place.path().join("file"), place.path().join("another-name"));
    std::fs::write(&file, [0; 4096]).expect("a file");
    std::fs::hard_link(&file, &name).expect("a second name");
    let on = |path: &std::path::Path| {
        let target = Target { kind: model::plan::TargetKind::File, path: path.to_owned(), ..target() };
        let mut stage = stage("a", 500, false);
        stage.job.workload.mix = Mix::WRITE;
        stage.job.target = target.clone();
        Part {
            one_host: true,
            ..Part::new(Plan::new(RunKind::JobFile { sections: Vec::new() }, target, vec![stage], Nanos::from_secs(10)))
        }
    };
    let outcomes = together(vec![on(&file), on(&name)]);
    let refusal = outcomes[0].ending.clone().expect_err("nobody runs");
    let text = refusal.text.map(|t| t.to_string()).unwrap_or_default();
    assert!(refusal.code == 3 && text.contains("would both write"), "{text}");
    assert!(outcomes.iter().all(|did| did.record.events.is_empty()), "nothing began anywhere");
}

#[test]
fn one_that_refuses_ends_all_and_rank_0_says_why() {
    let mut parts: Vec<Part> = (0..3).map(|_| Part::new(plan(vec![stage("a", 500, false)]))).collect();
    parts[2].refuses = Some("/mnt/x: no such directory");
    let outcomes = together(parts);
    let refusals: Vec<Refusal> = outcomes.iter().map(|did| did.ending.clone().expect_err("nobody runs")).collect();
    assert_eq!(refusals[0].code, 3);
    assert_eq!(refusals[0].text.as_ref().map(ToString::to_string).as_deref(), Some("host2: /mnt/x: no such directory"));
    assert!(refusals[1..].iter().all(|r| r.text.is_none()));
    assert!(outcomes.iter().all(|did| did.record.events.is_empty()), "nothing began anywhere");
}

#[test]
fn a_word_of_each_is_told_to_all_and_one_that_refuses_ends_them() {
    let said = |refuses: bool| -> Vec<Result<Vec<String>, Refusal>> {
        let one = move |link: ChannelLink| {
            let rank = run::ranks::Link::rank(&link);
            let mut team =
                Team::join(Arc::new(link), &format!("host{rank}"), "1", "the-run".to_owned(), RunClock::start())?;
            let first = team.exchange(&format!("first of {rank}"))?;
            assert_eq!(first, ["first of 0", "first of 1", "first of 2"]);
            if refuses && rank == 1 {
                return Err(team.refuse(3, "no room"));
            }
            team.exchange(&rank.to_string())
        };
        std::thread::scope(|scope| {
            let threads: Vec<_> = links(3).into_iter().map(|link| scope.spawn(move || one(link))).collect();
            threads.into_iter().map(|t| t.join().expect("a rank does not panic")).collect()
        })
    };
    for words in said(false) {
        assert_eq!(words.expect("nobody refuses"), ["0", "1", "2"]);
    }
    let refusals: Vec<Refusal> = said(true).into_iter().map(|all| all.expect_err("nobody goes on")).collect();
    assert_eq!(
        (refusals[0].code, refusals[0].text.as_ref().map(ToString::to_string).as_deref()),
        (3, Some("host1: no room"))
    );
    assert!(refusals[1..].iter().all(|r| r.text.is_none()));
}

#[test]
fn different_builds_and_different_plans_do_not_run_together() {
    let mut parts: Vec<Part> = (0..2).map(|_| Part::new(plan(vec![stage("a", 500, false)]))).collect();
    parts[1].version = "2";
    let text = |all: &[Did]| all[0].ending.clone().expect_err("nobody runs").text.map(|t| t.to_string());
    assert!(text(&together(parts)).is_some_and(|t| t.contains("host1 runs secchi 2") && t.contains("rank 0 runs 1")));
    let parts = vec![
        Part::new(plan(vec![stage("a", 500, false)])),
        Part::new(plan(vec![stage("a", 500, false), stage("b", 500, true)])),
    ];
    assert!(text(&together(parts)).is_some_and(|t| t.contains("stages differ")));
}

#[test]
fn one_that_cannot_open_its_files_ends_the_run_by_name() {
    let mut parts: Vec<Part> = (0..3).map(|_| Part::new(plan(vec![stage("a", 5_000, false)]))).collect();
    parts[1].cannot_open = Some("cannot open /mnt/f: Permission denied");
    let began = Instant::now();
    let outcomes = together(parts);
    assert!(began.elapsed() < Duration::from_secs(4), "nobody runs for its whole time");
    let ending = outcomes[0].ending.as_ref().expect("the run began");
    assert_eq!(ending.state, RunState::Failed);
    assert!(ending.reason.contains("host1: cannot open /mnt/f"), "{}", ending.reason);
}

#[test]
fn one_that_falls_silent_ends_the_run_within_ten_seconds_and_what_was_measured_is_kept() {
    let mut parts: Vec<Part> = (0..3).map(|_| Part::new(plan(vec![stage("a", 60_000, false)]))).collect();
    parts[2].silent_after = Some(3);
    let began = Instant::now();
    let outcomes = together(parts);
    let took = began.elapsed();
    assert!(took < Duration::from_secs(3 + 9), "{took:?}");
    let ending = outcomes[0].ending.as_ref().expect("the run began");
    assert_eq!(ending.state, RunState::Hung);
    assert!(ending.reason.contains("host2 is gone"), "{}", ending.reason);
    let record = record_of(&outcomes[0]);
    let measured = |side: usize| record.steps[side].intervals.iter().filter(|i| i.phase == Phase::Measure).count();
    assert!(measured(2) >= 2 && measured(0) > measured(2), "{} {} {}", measured(0), measured(1), measured(2));
    let lost = record.steps[2].end.as_ref().expect("its step is closed");
    assert_eq!(lost.stop, StepStop::Hung);
    assert_eq!(lost.completed, record.steps[2].total().ops());
}

#[test]
fn what_ranks_kept_of_a_run_whose_rank_0_was_lost_is_put_together() {
    let stages = || vec![stage("a", 900, false), stage("b", 900, true), stage("c", 60_000, false)];
    let mut parts: Vec<Part> = (0..3).map(|_| Part::new(plan(stages()))).collect();
    parts[0].silent_after = Some(16);
    let outcomes = together(parts);
    let [lead, one, two] = [0, 1, 2].map(|rank| record_of(&outcomes[rank]));
    for part in [&one, &two] {
        assert_eq!(part.state, RunState::Hung);
        assert!(part.reason.contains("rank 0 is gone"), "{}", part.reason);
        assert_eq!(part.preflight.part.as_ref().map(|p| (p.run.as_str(), p.ranks)), Some(("the-run", 3)));
    }

    // With the record of rank 0, the result has rank 0's own seconds and all seconds of the other ranks, although rank
    // 0 had not received the last ones.
    let joined = join_parts(Some(lead.clone()), vec![two.clone(), one.clone()]).expect("they are of one run");
    assert_eq!((joined.id.as_str(), &joined.plan, joined.steps.len()), ("the-run", &lead.plan, lead.steps.len()));
    for (number, step) in joined.steps.iter().enumerate() {
        let (side, job) = (joined.plan.stages[step.stage].place.side, number / 3);
        let expected = if side == 0 { &lead.steps[number] } else { &[&one, &two][side - 1].steps[job] };
        assert!(!expected.intervals.is_empty(), "step {number}");
        assert!(step.intervals == expected.intervals, "step {number}");
        assert_eq!(step.end, expected.end, "step {number}");
    }
    let missed = |record: &RunRecord| record.steps[7..].iter().map(|s| s.intervals.len()).sum::<usize>();
    assert!(missed(&joined) > missed(&lead), "rank 0 was not told of the last seconds");
    let by_host = |record: &RunRecord, host: &str| record.series.iter().filter(|s| s.name.starts_with(host)).count();
    assert!(by_host(&joined, "host1/") == one.series.len() && by_host(&joined, "host0/") == 0);

    // Without rank 0: the run of the two others.
    let joined = join_parts(None, vec![one.clone(), two.clone()]).expect("they are of one run");
    assert_eq!((joined.id.as_str(), joined.state), ("the-run", RunState::Interrupted));
    let names: Vec<&str> = joined.plan.targets.iter().map(|t| t.name.as_str()).collect();
    assert_eq!(names, ["host1", "host2"]);
    let sides: Vec<usize> = joined.steps.iter().map(|s| joined.plan.stages[s.stage].place.side).collect();
    assert_eq!(sides, [0, 1, 0, 1, 0, 1]);
    for (number, step) in joined.steps.iter().enumerate() {
        assert!(step.intervals == [&one, &two][number % 2].steps[number / 2].intervals, "step {number}");
    }
    assert_eq!(joined.joint().steps.len(), 3);
    let filled = [&lead, &one, &joined].map(|record| record.fill.map(|fill| fill.bytes));
    assert_eq!(filled, [12288, 4096, 8192].map(|bytes| Some(Bytes(bytes))));
    let again = |record: RunRecord| {
        let mut events = Vec::new();
        let ended = record.retell(|event| {
            events.push(event);
            Ok::<(), ()>(())
        });
        assert_eq!(ended, Ok(()));
        RunRecord::from_events(events).expect("a run can be told again")
    };
    let retold = again(joined.clone());
    assert!(retold.steps == joined.steps && retold.plan == joined.plan && retold.caveats == joined.caveats);

    assert!(matches!(join_parts(None, vec![one.clone(), one.clone()]), Err(JoinError::Twice(..))));
    let stranger = RunRecord { preflight: lead.preflight.clone(), ..one.clone() };
    assert!(matches!(join_parts(None, vec![one.clone(), stranger]), Err(JoinError::Stranger(..))));
    let whole = RunRecord { state: RunState::Complete, ..lead };
    assert!(matches!(join_parts(Some(whole), vec![one]), Err(JoinError::Whole(..))));
    assert_eq!(join_parts(None, Vec::new()), Err(JoinError::NoPart));
}

#[test]
fn a_mark_runs_its_loops_on_all_ranks_and_none_seems_dead_in_a_pause() {
    let asked = mark::Request {
        args: Vec::new(),
        profile: None,
        tests: ["SEQ1M-Q2T1", "RND4K-Q4T1"].map(|test| test.parse().expect("a test")).to_vec(),
        directions: vec![MarkDirection::Read],
        loops: 2,
        time: Nanos::from_millis(300),
        interval: Nanos::from_millis(1_500),
        zero: false,
        max_written: None,
        engine: "null".into(),
        hang: Nanos::from_secs(10),
        keep: false,
        may_write: true,
        seed: 1,
    };
    let plan = mark::plan(&asked, &target(), Bytes(0)).expect("a plan");
    let outcomes = together((0..3).map(|_| Part::new(plan.clone())).collect());
    let ending = outcomes[0].ending.as_ref().expect("nobody refuses");
    assert_eq!(ending.state, RunState::Complete, "{}", ending.reason);
    let record = record_of(&outcomes[0]);
    let joint = record.joint();
    assert_eq!((record.steps.len(), joint.steps.len()), (12, 4));
    for (group, sum) in record.steps.chunks(3).zip(&joint.steps) {
        let seeds: Vec<u64> = group.iter().map(|step| step.job.seed).collect();
        assert!(seeds[0] != seeds[1] && seeds[1] != seeds[2], "no two read the same places: {seeds:?}");
        let ops = |step: &model::record::Step| step.intervals.iter().map(Interval::ops).sum::<u64>();
        assert_eq!(group.iter().map(ops).sum::<u64>(), ops(sum));
    }
    // Rank 0 controls the pause, but the other ranks also send updates to their watchdogs.
    for did in &outcomes[1..] {
        let gaps = did.record.shown.windows(2).map(|two| two[1] - two[0]);
        assert!(gaps.max().is_some_and(|longest| longest < Duration::from_millis(900)));
    }
}

#[test]
fn single_operations_of_all_ranks_are_told_with_their_steps() {
    let beat = RequestInterval {
        interval: Nanos::from_millis(20),
        burst: 1,
        from_due: false,
        uncached: false,
        durable: false,
        by_turns: false,
    };
    let ping = || {
        let mut stage = stage("ping", 60_000, false);
        stage.job.queue_depth = 1;
        stage.job.stop.max_ops = Some(25);
        stage.job.tuning = JobTuning { every_op: true, work: Work::Paced(beat), ..JobTuning::default() };
        Part::new(Plan::new(RunKind::Ping, target(), vec![stage], Nanos::from_secs(10)))
    };
    let outcomes = together((0..3).map(|_| ping()).collect());
    let ending = outcomes[0].ending.as_ref().expect("nobody refuses");
    assert_eq!(ending.state, RunState::Complete, "{}", ending.reason);
    for (side, did) in outcomes.iter().enumerate() {
        let times_of = |record: &Record, step| -> Vec<u64> {
            record.operations.iter().filter(|(s, _)| *s == step).map(|(_, entry)| entry.time).collect()
        };
        // The rank has only this step, so it is its first one.
        let times = times_of(&outcomes[0].record, side);
        assert_eq!((times.len(), &times), (25, &times_of(&did.record, 0)), "rank {side}");
        assert!(times.is_sorted(), "in their order");
    }
}
