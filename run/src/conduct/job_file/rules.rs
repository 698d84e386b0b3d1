//! Rules that end the jobs of a job file early: other jobs, minimum rates, steadiness, full file systems.

use super::steady::Steady;
use crate::sampling::RateSnapshot;
use crate::sink::{JobsProgress, Progress, Sink};
use crate::wave::{WaveRules, note};
use crate::workers::{Decision, Live, LoadEnd};
use messages::sentence;
use model::measured::{Phase, Window};
use model::plan::{ExitWhat, Rate};
use model::{BytesPerSecond, Interval, Iops, Nanos, Op, Plan, Sentence, Stage, record::StepStop};

/// Interval between updates of the display, in nanoseconds.
const REFRESH: u64 = Nanos::from_millis(250).as_nanos();

/// Rules for the jobs of one wave.
pub(in crate::conduct) struct JobRules<'p> {
    plan: &'p Plan,
    wave: &'p [Stage],
    /// Stage of the wave's first job.
    first: usize,
    jobs: Vec<JobState>,
    groups: Vec<SteadyGroup>,
    last_shown: u64,
    /// True if the following waves are to be skipped.
    leave: bool,
    /// True if a job has filled its file system, as requested.
    filled: bool,
}

/// State of one job.
#[derive(Default)]
struct JobState {
    recent: Vec<Window>,
    phase: Option<Phase>,
    ended: bool,
    /// Reason to stop the job, if another job or the job's group requires it.
    stop: Option<StepStop>,
    /// Number of measured windows already checked against the minimum rate.
    judged: usize,
    stuck: Option<Nanos>,
    began: u64,
    /// Index of the group of jobs whose steadiness ends this job.
    group: Option<usize>,
}

/// Time after the start of a job from which its rate is checked against the minimum, as in fio.
const SETTLE: Nanos = Nanos::from_secs(2);

/// Jobs whose steadiness is judged together (fio's steadystate).
struct SteadyGroup {
    members: Vec<usize>,
    steady: Steady,
}

impl<'p> JobRules<'p> {
    /// Creates the rules for `wave`, whose first stage is `first`; `filled` is true if an earlier job has filled its
    /// file system, as requested.
    pub fn new(plan: &'p Plan, wave: &'p [Stage], first: usize, filled: bool) -> Self {
        let mut jobs: Vec<JobState> = wave.iter().map(|_| JobState::default()).collect();
        let mut groups: Vec<(Option<u32>, SteadyGroup)> = Vec::new();
        for (which, stage) in wave.iter().enumerate() {
            let Some(rule) = stage.job.tuning.ends.steady else { continue };
            let section = plan.section_of(stage);
            let key = section.filter(|s| s.one_report).map(|s| s.group);
            let at = groups.iter().position(|(k, _)| key.is_some() && *k == key).unwrap_or_else(|| {
                groups.push((key, SteadyGroup { members: Vec::new(), steady: Steady::new(rule) }));
                groups.len() - 1
            });
            groups[at].1.members.push(which);
            jobs[which].group = Some(at);
        }
        let groups = groups.into_iter().map(|(_, group)| group).collect();
        JobRules { plan, wave, first, jobs, groups, last_shown: 0, leave: false, filled }
    }

    /// Returns `true` if the following waves are to be skipped.
    pub fn leave(&self) -> bool {
        self.leave
    }

    /// Returns `true` if a job has filled its file system, as requested.
    pub fn filled(&self) -> bool {
        self.filled
    }

    /// Stops other jobs according to the job's `exitall`.
    fn exit_all(&mut self, which: usize, end: &LoadEnd) {
        let ends = &self.wave[which].job.tuning.ends;
        let failed = end.stop == StepStop::Errors;
        let Some(what) = ends.exit_all.filter(|_| failed || !ends.exit_all_on_error) else { return };
        let section = |stage: &Stage| self.plan.section_of(stage).map(|s| s.group);
        let group = section(&self.wave[which]);
        for (other, stage) in self.jobs.iter_mut().zip(self.wave) {
            if what != ExitWhat::Group || section(stage) == group {
                other.stop.get_or_insert(StepStop::Time);
            }
        }
        self.leave |= what == ExitWhat::All;
    }

    /// Returns a failure if the job's rate is below the required minimum (fio's rate_min).
    fn below_floor(&mut self, which: usize, before: usize, windows: &[Window]) -> Option<Sentence> {
        let ends = &self.wave[which].job.tuning.ends;
        if ends.floor.iter().all(Option::is_none) {
            return None;
        }
        let judged = self.jobs[which].judged.max(before);
        let windows = windows.get(judged - before..).unwrap_or_default();
        let settled = self.jobs[which].began.saturating_add(SETTLE.as_nanos());
        let (young, windows) = windows.split_at(windows.iter().take_while(|w| w.start.as_nanos() < settled).count());
        let before = judged + young.len();
        self.jobs[which].judged = before;
        let length: u64 = windows.iter().map(|w| w.length.as_nanos()).sum();
        if length < ends.floor_cycle.as_nanos().max(1) {
            return None;
        }
        self.jobs[which].judged = before + windows.len();
        let seconds = Nanos(length).secs();
        for (op, floor) in [Op::Read, Op::Write, Op::Trim].into_iter().zip(ends.floor) {
            let sum = |count: fn(&Window, usize) -> u64| -> f64 {
                windows.iter().map(|w| count(w, op.index())).sum::<u64>() as f64 / seconds
            };
            let job = &self.wave[which].job.name;
            let missed = match floor {
                Some(Rate::Iops(least)) => {
                    let rate = Iops(sum(|w, op| w.ops[op]));
                    let (missed, rate, least) = (rate < least, format!("{rate} IOPS"), least.to_string());
                    missed.then(|| sentence!("end-below-iops", job, op, rate, least))
                }
                Some(Rate::Bytes(least)) => {
                    let rate = BytesPerSecond(sum(|w, op| w.bytes[op]));
                    let (missed, rate, least) = (rate < least, rate.to_string(), least.to_string());
                    missed.then(|| sentence!("end-below-bandwidth", job, op, rate, least))
                }
                None => None,
            };
            if missed.is_some() {
                return missed;
            }
        }
        None
    }

    /// Stops jobs that should run only as long as others do I/O, once no job with I/O is left in this wave or a later
    /// one. As in fio, they run for their full time if the plan has no job with I/O.
    fn end_idle(&mut self) {
        let does_io = |stage: &Stage| stage.job.tuning.work.does_io();
        let later = self.later().iter().any(does_io);
        let here = self.wave.iter().zip(&self.jobs).any(|(stage, job)| does_io(stage) && !job.ended);
        if later || here || !self.plan.stages.iter().any(does_io) {
            return;
        }
        for (job, stage) in self.jobs.iter_mut().zip(self.wave) {
            if stage.job.tuning.burn().is_some_and(|burn| burn.until_io_ends) {
                job.stop.get_or_insert(StepStop::Count);
            }
        }
    }

    /// Returns the stages after the wave.
    fn later(&self) -> &'p [Stage] {
        &self.plan.stages[self.first + self.wave.len()..]
    }
}

/// Returns fio's letter for the state of a job.
fn letter(job: &JobState, stage: &Stage) -> char {
    let mix = stage.job.workload.mix;
    let random = stage.job.workload.access.is_random();
    match (job.ended, job.began, job.phase) {
        (true, ..) => '_',
        (_, 0, _) => 'P',
        (_, _, Some(Phase::Ramp)) => '/',
        (_, _, Some(Phase::Drain)) => 'f',
        _ => match (mix.read_percent(), mix.write_percent, random) {
            (100, _, false) => 'R',
            (100, _, true) => 'r',
            (_, 100, false) => 'W',
            (_, 100, true) => 'w',
            (_, _, false) if mix.trim_percent > 0 => 'D',
            (_, _, true) if mix.trim_percent > 0 => 'd',
            (_, _, false) => 'M',
            (_, _, true) => 'm',
        },
    }
}

impl WaveRules for JobRules<'_> {
    fn interval(&mut self, which: usize, interval: &Interval) {
        if let Some(group) = self.jobs[which].group {
            let group = &mut self.groups[group];
            let member = group.members.iter().position(|m| *m == which).unwrap_or(0);
            group.steady.add(member, group.members.len(), interval);
        }
    }

    fn decide(&mut self, which: usize, live: &Live<'_>) -> (Decision, Option<Sentence>) {
        let job = &mut self.jobs[which];
        if job.began == 0 {
            job.began = live.now.as_nanos();
        }
        job.recent = live.recent.to_vec();
        // Jobs without I/O have no windows.
        let ramps = live.windows.is_empty() && self.wave[which].job.tuning.work.does_io();
        job.phase = Some(if ramps { Phase::Ramp } else { Phase::Measure });
        job.stuck = live.stuck;
        if let Some(why) = job.stop {
            return (Decision::Stop(why), None);
        }
        if job.group.is_some_and(|g| self.groups[g].steady.attained()) {
            return (Decision::Stop(StepStop::Steady), None);
        }
        match self.below_floor(which, live.before, live.windows) {
            Some(why) => (Decision::Stop(StepStop::Errors), Some(why)),
            None => (Decision::GoOn, None),
        }
    }

    fn progress(&mut self, now: Nanos) -> Option<Progress> {
        if now.as_nanos() < self.last_shown + REFRESH {
            return None;
        }
        self.last_shown = now.as_nanos();
        let alive = || self.jobs.iter().zip(self.wave).filter(|(j, _)| !j.ended);
        let mut rates = [(Iops(0.0), BytesPerSecond(0.0)); 3];
        let mut total = RateSnapshot::default();
        for (job, _) in alive() {
            let seconds = job.recent.iter().map(|w| w.length).sum::<Nanos>().secs();
            if seconds <= 0.0 {
                continue;
            }
            for (op, rate) in rates.iter_mut().enumerate() {
                rate.0 += Iops(job.recent.iter().map(|w| w.ops[op]).sum::<u64>() as f64 / seconds);
                rate.1 += BytesPerSecond(job.recent.iter().map(|w| w.bytes[op]).sum::<u64>() as f64 / seconds);
            }
            let snapshot = RateSnapshot::over(&job.recent);
            total.iops += snapshot.iops;
            total.bandwidth += snapshot.bandwidth;
            total.latency = total.latency.max(snapshot.latency);
        }
        let states = self.jobs.iter().zip(self.wave).map(|(job, stage)| letter(job, stage)).collect();
        let left_of = |(job, stage): (&JobState, &Stage)| {
            let planned = stage.expected_time().as_nanos().saturating_add(stage.place.delay.as_nanos());
            if job.began == 0 { planned } else { planned.saturating_sub(now.as_nanos().saturating_sub(job.began)) }
        };
        let left = alive().map(left_of).max().unwrap_or(0);
        let after: u64 = self
            .later()
            .chunk_by(|_, next| next.place.with_previous)
            .map(|w| w.iter().map(|s| s.expected_time().as_nanos()).max().unwrap_or(0))
            .sum();
        let stuck = self.jobs.iter().filter_map(|j| j.stuck).max();
        Some(Progress {
            label: self.wave.first().map(|s| s.job.workload.label()).unwrap_or_default(),
            concurrency: alive().map(|(_, s)| s.job.concurrency()).sum(),
            phase: self.jobs.iter().find_map(|j| j.phase.filter(|_| !j.ended)).unwrap_or_default(),
            iops: total.iops,
            bandwidth: total.bandwidth,
            latency: total.latency,
            step: self.first + 1,
            steps: self.plan.stages.len(),
            elapsed: now,
            left: Nanos(left.saturating_add(after)),
            warning: stuck.map(|age| format!("an operation has been in flight for {age}")),
            jobs: Some(JobsProgress {
                running: alive().count() as u32,
                files: alive().map(|(_, s)| s.job.targets().count() as u32).sum(),
                states,
                rates,
            }),
            ..Progress::default()
        })
    }

    /// Ends a job with `fill_device`, which is meant to fill the file system. No other job then fails for lack of
    /// space.
    fn no_room(&mut self, why: String, now: Nanos, sink: &mut dyn Sink) -> Option<String> {
        for (job, stage) in self.jobs.iter_mut().zip(self.wave) {
            if !stage.job.tuning.ends.until_full {
                continue;
            }
            self.filled = true;
            if !job.ended && job.stop.is_none() {
                job.stop = Some(StepStop::Count);
                // For databases, the implementation of `Files` reports the lack of space once for all sessions.
                if stage.job.tuning.work.session().is_none() {
                    sink.event(note(now, sentence!("note-file-system-full", job = &stage.job.name)));
                }
            }
        }
        (!self.filled).then_some(why)
    }

    fn steadiness(&self, which: usize) -> Option<model::record::SteadyResult> {
        self.jobs[which].group.map(|g| self.groups[g].steady.result())
    }

    fn ended(&mut self, which: usize, end: &LoadEnd) {
        self.jobs[which].ended = true;
        self.jobs[which].recent.clear();
        self.filled |= end.workers.full;
        self.exit_all(which, end);
        self.end_idle();
    }
}
