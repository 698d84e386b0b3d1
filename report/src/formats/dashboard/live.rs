//! A run in progress, second by second, built from the run's events as they arrive and drawn by the live view.
//!
//! Latency histograms are dropped as soon as their second is complete, so memory use does not grow with the number of
//! latencies measured. The final report is built from the whole record, not from this reduced data.

use crate::kinds::charts::time::{Stretch, named, round, seconds, stretches};
use messages::Language;
use model::{
    CompactSort, Interval, LatencyHistogram, Nanos, RunEvent, RunRecord, Stage, measured::Phase, record::FoldError,
};
use serde::Serialize;
use std::collections::VecDeque;

/// Maximum number of seconds and samples kept: two hours.
const KEPT: usize = 7200;
/// Time after which a second counts as complete even if some steps have not reported it.
const PATIENCE: Nanos = Nanos::from_secs(3);
/// Maximum difference between the times at which two steps end the same second, in nanoseconds.
const SLACK: u64 = Nanos::from_millis(100).as_nanos();
/// Remaining time above which the job counts as having no time limit, in nanoseconds.
const UNKNOWN: u64 = Nanos::from_days(300).as_nanos();

/// The newest items of a sequence, numbered from the first item ever added.
#[derive(Debug)]
struct Newest<T> {
    gone: usize,
    kept: VecDeque<T>,
}

impl<T> Newest<T> {
    fn new() -> Self {
        Newest { gone: 0, kept: VecDeque::new() }
    }

    fn push(&mut self, item: T) {
        if self.kept.len() == KEPT {
            self.kept.pop_front();
            self.gone += 1;
        }
        self.kept.push_back(item);
    }

    fn end(&self) -> usize {
        self.gone + self.kept.len()
    }

    fn since(&self, from: usize) -> impl Iterator<Item = &T> {
        self.kept.iter().skip(from.saturating_sub(self.gone))
    }
}

/// One second: its middle and length, in seconds; operations, bytes, failures; operations and bytes per second; mean,
/// p50, p99, p99.9 and maximum latency in nanoseconds (`null` if fewer than ten operations are slower); phase (0 =
/// ramp, 1 = measured, 2 = drain).
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Second(
    pub f64,
    pub f64,
    pub u64,
    pub u64,
    pub u64,
    pub f64,
    pub f64,
    pub Option<u64>,
    pub Option<u64>,
    pub Option<u64>,
    pub Option<u64>,
    pub Option<u64>,
    pub u8,
);

/// Time in seconds, and the values sampled at that time: number of the counter, value.
#[derive(Debug, Serialize)]
pub struct SampledValues(pub f64, pub Vec<(usize, f64)>);

/// Work of one step during a second.
#[derive(Debug, Clone, Copy)]
struct Part {
    step: usize,
    ops: u64,
    bytes: u64,
    length: u64,
}

/// A second that not all steps have reported yet.
#[derive(Debug)]
struct Open {
    start: u64,
    end: u64,
    phase: Phase,
    steps: Vec<Part>,
    failed: u64,
    latency: LatencyHistogram,
}

/// A run in progress.
#[derive(Debug)]
pub struct LiveRun {
    /// The run's record without intervals, samples and traces.
    record: RunRecord,
    /// End of the last interval reported by each step, in nanoseconds.
    told: Vec<u64>,
    open: Vec<Open>,
    newest: Nanos,
    phase: Phase,
    seconds: Newest<Second>,
    counters: Vec<(String, String)>,
    looks: Newest<SampledValues>,
}

/// Position of a viewer: seconds, samples and step changes that it has already received.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Cursor {
    seconds: usize,
    looks: usize,
    steps: usize,
}

impl Cursor {
    /// Parses a cursor such as `12.30.4`; any other text means the beginning.
    #[must_use]
    pub fn parse(text: &str) -> Cursor {
        let mut numbers = text.split('.').map(|n| n.parse::<usize>().ok());
        match (numbers.next().flatten(), numbers.next().flatten(), numbers.next().flatten(), numbers.next()) {
            (Some(seconds), Some(looks), Some(steps), None) => Cursor { seconds, looks, steps },
            _ => Cursor::default(),
        }
    }

    fn text(self) -> String {
        format!("{}.{}.{}", self.seconds, self.looks, self.steps)
    }
}

/// Data that is new to a viewer, and the state of the run.
#[derive(Debug, Serialize)]
pub struct News<'a> {
    /// `running`, or the final state.
    pub state: &'a str,
    /// Reason, if the run is not complete.
    pub reason: &'a str,
    /// Current activity: `fill`, `ramp`, `measure`, `hold`, `drain` or `between`.
    pub doing: &'static str,
    /// Workload of the running steps.
    pub label: String,
    /// Operations that the running steps have in flight.
    pub in_flight: u32,
    /// Number of steps begun so far.
    pub step: usize,
    /// Number of the stage of the newest step, from 1.
    pub stage: usize,
    /// Number of stages in the plan.
    pub stages: usize,
    /// Time on the run's clock, in seconds.
    pub at: f64,
    /// Maximum remaining time in seconds; `null` if unknown.
    pub left: Option<f64>,
    /// New seconds, in order.
    pub seconds: Vec<&'a Second>,
    /// Name and unit of each counter, indexed by its number.
    pub counters: &'a [(String, String)],
    /// New values from the samplers.
    pub looks: Vec<&'a SampledValues>,
    /// Fill, steps and write-backs; `null` if nothing changed.
    pub stretches: Option<Vec<Stretch>>,
    /// Doubts so far.
    pub doubts: Vec<String>,
    /// Cursor for the next request.
    pub next: String,
}

impl LiveRun {
    /// Creates the state of a run from its first event.
    ///
    /// # Errors
    /// As [`RunRecord::begin`].
    pub fn begin(event: RunEvent) -> Result<LiveRun, FoldError> {
        Ok(LiveRun {
            record: RunRecord::begin(event)?,
            told: Vec::new(),
            open: Vec::new(),
            newest: Nanos(0),
            phase: Phase::Ramp,
            seconds: Newest::new(),
            counters: Vec::new(),
            looks: Newest::new(),
        })
    }

    /// Returns the record without intervals, samples and traces.
    #[must_use]
    pub fn record(&self) -> &RunRecord {
        &self.record
    }

    /// Adds the next event.
    ///
    /// # Errors
    /// Returns an error if the event does not fit the current state.
    pub fn apply(&mut self, event: RunEvent) -> Result<(), FoldError> {
        match event {
            RunEvent::Interval { step, interval } => {
                let newest = self.told.get_mut(step).ok_or(FoldError::NoStep("interval"))?;
                *newest = (*newest).max(interval.start.as_nanos().saturating_add(interval.length.as_nanos()));
                self.newest = self.newest.max(Nanos(*newest));
                self.phase = interval.phase;
                self.add(step, &interval);
            }
            RunEvent::Samples { at, .. } | RunEvent::Look { at, .. } => {
                self.newest = self.newest.max(at);
                self.record.apply(event)?;
                self.counted(at);
            }
            // The view does not show these, and they would need too much memory.
            RunEvent::Blocks { .. } | RunEvent::Traced { .. } => {}
            other => {
                if let RunEvent::StepBegin { at, .. } = &other {
                    self.told.push(at.as_nanos());
                }
                self.record.apply(other)?;
                self.newest = self.newest.max(self.record.ended);
            }
        }
        self.settle(false);
        Ok(())
    }

    /// Ends the run: finishes the remaining seconds even if some steps have not reported them.
    pub fn finish(&mut self) {
        self.settle(true);
    }

    /// Moves the sampled values out of the record, which identifies series by number.
    fn counted(&mut self, at: Nanos) {
        for series in &self.record.series[self.counters.len()..] {
            self.counters.push((series.name.clone(), series.unit.clone()));
        }
        let mut values = Vec::new();
        for (number, series) in self.record.series.iter_mut().enumerate() {
            // The last point stays in the record: the next sample may only state that the value is unchanged.
            let older = series.points.len().saturating_sub(1);
            series.points.drain(..older);
            let newest = series.points.last().filter(|(sampled, _)| *sampled == at);
            values.extend(newest.map(|(_, value)| (number, round(*value))));
        }
        self.looks.push(SampledValues(seconds(at), values));
    }

    fn add(&mut self, step: usize, interval: &Interval) {
        let (start, length) = (interval.start.as_nanos(), interval.length.as_nanos());
        if length == 0 {
            return;
        }
        let middle = start + length / 2;
        let same = |o: &Open| o.start <= middle && middle < o.end && o.phase == interval.phase;
        let at = self.open.iter().position(same).unwrap_or_else(|| {
            self.open.push(Open {
                start,
                end: start + length,
                phase: interval.phase,
                steps: Vec::new(),
                failed: 0,
                latency: LatencyHistogram::default(),
            });
            self.open.len() - 1
        });
        let open = &mut self.open[at];
        let part = Part { step, ops: interval.data_ops(), bytes: interval.bytes().as_u64(), length };
        match open.steps.iter_mut().find(|s| s.step == step) {
            Some(own) => {
                (own.ops, own.bytes) = (own.ops + part.ops, own.bytes + part.bytes);
                own.length += length;
            }
            None => open.steps.push(part),
        }
        open.failed += interval.failed();
        open.latency.merge(&interval.latency());
    }

    /// Moves the seconds that every running step has reported to the finished ones. With `all`, moves all of them.
    fn settle(&mut self, all: bool) {
        let steps = self.record.steps.iter().zip(&self.told);
        let behind: Vec<u64> = steps.filter(|(s, _)| s.end.is_none()).map(|(_, told)| *told).collect();
        let late = self.newest.as_nanos().saturating_sub(PATIENCE.as_nanos());
        let whole = |o: &Open| all || o.end < late || behind.iter().all(|told| told + SLACK >= o.end);
        self.open.compact_sort_by_key(|o| o.start);
        let ready = self.open.iter().take_while(|o| whole(o)).count();
        for open in self.open.drain(..ready) {
            self.seconds.push(Second::from_open(&open));
        }
    }

    /// Returns everything that a viewer at position `from` has not seen. `state` is the state of the journal,
    /// `language` the language of the doubts.
    #[must_use]
    pub fn news<'a>(&'a self, state: &'a str, from: Cursor, language: Language) -> News<'a> {
        let steps = &self.record.steps;
        let running: Vec<usize> = (0..steps.len()).filter(|i| steps[*i].end.is_none()).collect();
        let (label, in_flight) = if running.is_empty() { (String::new(), 0) } else { named(&self.record, &running) };
        let changes = steps.len() * 2 - running.len() + usize::from(self.record.fill.is_some());
        let caveats = self.record.caveats.iter();
        let doubts = caveats.map(|c| messages::translate(language, &c.statement).into_owned());
        let next = Cursor { seconds: self.seconds.end(), looks: self.looks.end(), steps: changes };
        News {
            state,
            reason: &self.record.reason,
            doing: self.doing(&running),
            label,
            in_flight,
            step: steps.len(),
            stage: steps.last().map_or(0, |s| s.stage + 1),
            stages: self.record.plan.stages.len(),
            at: seconds(self.newest),
            left: self.left().map(seconds),
            seconds: self.seconds.since(from.seconds).collect(),
            counters: &self.counters,
            looks: self.looks.since(from.looks).collect(),
            stretches: (changes != from.steps).then(|| self.stretches(&running)),
            doubts: doubts.collect(),
            next: next.text(),
        }
    }

    fn doing(&self, running: &[usize]) -> &'static str {
        let Some(first) = running.first() else {
            let filling =
                !self.record.plan.fill.is_zero() && self.record.fill.is_none() && self.record.steps.is_empty();
            return if filling { "fill" } else { "between" };
        };
        match self.phase {
            Phase::Ramp => "ramp",
            Phase::Drain => "drain",
            Phase::Measure if self.record.steps[*first].hold => "hold",
            Phase::Measure => "measure",
        }
    }

    /// Returns the finished steps, and the running steps extended to the current time.
    fn stretches(&self, running: &[usize]) -> Vec<Stretch> {
        let mut stretches_seen = stretches(&self.record);
        if let Some(first) = running.first() {
            let (label, n) = named(&self.record, running);
            stretches_seen.push(Stretch {
                kind: "now",
                name: format!("{label} × {n}"),
                from: seconds(self.record.steps[*first].start),
                until: seconds(self.newest),
            });
        }
        stretches_seen
    }

    /// Returns the maximum remaining time, if every remaining stage takes its full length and ramps run all of their
    /// levels.
    fn left(&self) -> Option<Nanos> {
        let plan = &self.record.plan;
        if let Some(watch) = plan.watch() {
            return watch.length.map(|length| length.since(self.newest));
        }
        if self.doing(&[]) == "fill" {
            return None;
        }
        let (current, pass) = self.record.steps.last().map_or((0, 0), |s| (s.stage, s.pass));
        let mut left = 0u64;
        let mut first = 0;
        for wave in plan.waves() {
            let stages = first..first + wave.len();
            first = stages.end;
            let over = stages.end <= current && !self.record.steps.is_empty();
            let longest = wave.iter().zip(stages).map(|(stage, index)| {
                let later = if over {
                    passes_after(stage, pass)
                } else {
                    stage.place.delay.as_nanos() + stage.expected_time().as_nanos()
                };
                later.saturating_sub(if over { 0 } else { self.spent(index) })
            });
            left = left.saturating_add(longest.max().unwrap_or(0));
        }
        (left < UNKNOWN).then_some(Nanos(left))
    }

    /// Returns the time that steps of this stage have taken, in nanoseconds.
    fn spent(&self, stage: usize) -> u64 {
        let steps = self.record.steps.iter().filter(|s| s.stage == stage);
        steps.map(|s| s.end.as_ref().map_or(self.newest, |e| e.at).as_nanos().saturating_sub(s.start.as_nanos())).sum()
    }
}

/// Returns the maximum time of the ramp passes after this one, in nanoseconds.
fn passes_after(stage: &Stage, pass: u32) -> u64 {
    let Some(ramp) = &stage.ramp else { return 0 };
    let level = stage.job.stop.ramp.as_nanos() + stage.job.stop.time.as_nanos();
    level * ramp.depths.len() as u64 * u64::from(ramp.passes.saturating_sub(pass + 1))
}

impl Second {
    fn from_open(open: &Open) -> Second {
        let sum = |of: fn(&Part) -> u64| open.steps.iter().map(of).sum::<u64>();
        // Each step's rate uses the step's own length: the steps' ends differ by their reporting delay.
        let rate = |of: fn(&Part) -> u64| {
            round(open.steps.iter().map(|s| of(s) as f64 / (s.length as f64 / 1e9)).sum::<f64>())
        };
        let at = |p: f64| open.latency.percentile(p).value().map(|n| n.as_nanos());
        let length = open.end - open.start;
        Second(
            seconds(Nanos(open.start + length / 2)),
            seconds(Nanos(length)),
            sum(|s| s.ops),
            sum(|s| s.bytes),
            open.failed,
            rate(|s| s.ops),
            rate(|s| s.bytes),
            open.latency.mean().map(|n| n.as_nanos()),
            at(50.0),
            at(99.0),
            at(99.9),
            open.latency.max().map(|n| n.as_nanos()),
            match open.phase {
                Phase::Ramp => 0,
                Phase::Measure => 1,
                Phase::Drain => 2,
            },
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::Op;
    use model::record::{RECORD_VERSION, StepEnd};

    fn begin() -> (LiveRun, RunRecord) {
        let (record, _) = crate::fixture::capped();
        let event = RunEvent::Begin {
            version: RECORD_VERSION,
            tool: record.tool.clone(),
            id: record.id.clone(),
            started: record.started.clone(),
            plan: record.plan.clone(),
            preflight: Box::new(record.preflight.clone()),
        };
        (LiveRun::begin(event).expect("a begin"), record)
    }

    fn step(record: &RunRecord, number: usize) -> RunEvent {
        RunEvent::StepBegin {
            stage: 3,
            pass: 0,
            hold: false,
            job: Box::new(record.plan.stages[3].job.clone()),
            at: Nanos(0),
            number,
        }
    }

    fn second(step: usize, start: u64, ops: u64) -> RunEvent {
        let mut interval = Interval { start: Nanos(start), length: Nanos::from_secs(1), ..Interval::default() };
        let read = &mut interval.per_op[Op::Read.index()];
        (0..ops).for_each(|_| read.latency.record(Nanos::from_millis(1)));
        (read.tally.ops, read.tally.bytes) = (ops, ops * 8192);
        RunEvent::Interval { step, interval }
    }

    #[test]
    fn each_second_is_told_once() {
        let (mut live, record) = begin();
        assert_eq!(live.news("running", Cursor::default(), Language::English).doing, "fill");
        live.apply(step(&record, 0)).expect("fits");
        live.apply(second(0, 0, 100)).expect("fits");
        let first = live.news("running", Cursor::default(), Language::English);
        assert_eq!((first.seconds.len(), first.seconds[0].2, first.seconds[0].5), (1, 100, 100.0));
        assert_eq!((first.doing, first.label.as_str()), ("measure", "8k randread"));
        assert!(first.stretches.is_some() && first.left.is_some_and(|l| l > 0.0));
        let cursor = Cursor::parse(&first.next);
        assert!(live.news("running", cursor, Language::English).seconds.is_empty());
        live.apply(second(0, 1_000_000_000, 7)).expect("fits");
        let more = live.news("running", cursor, Language::English);
        assert_eq!((more.seconds.len(), more.seconds[0].2), (1, 7));
        assert!(more.stretches.is_none(), "no step began or ended");
    }

    #[test]
    fn steps_that_run_together_are_one_second_when_all_have_told() {
        let (mut live, record) = begin();
        live.apply(step(&record, 0)).expect("fits");
        live.apply(step(&record, 1)).expect("fits");
        live.apply(second(0, 0, 100)).expect("fits");
        assert!(
            live.news("running", Cursor::default(), Language::English).seconds.is_empty(),
            "the other has not told yet"
        );
        live.apply(second(1, 20_000_000, 50)).expect("fits");
        let news = live.news("running", Cursor::default(), Language::English);
        assert_eq!((news.seconds.len(), news.seconds[0].2, news.seconds[0].5), (1, 150, 150.0));
        // A hung step delays the display of the others by only a few seconds.
        (1..6).for_each(|s| live.apply(second(0, s * 1_000_000_000, 100)).expect("fits"));
        assert_eq!(live.news("running", Cursor::default(), Language::English).seconds.len(), 2);
        live.apply(RunEvent::StepEnd { step: 1, end: StepEnd::default() }).expect("fits");
        assert_eq!(live.news("running", Cursor::default(), Language::English).seconds.len(), 6);
    }

    #[test]
    fn counters_are_told_by_their_numbers_however_they_were_written() {
        let (mut live, mut record) = begin();
        record.series.clear();
        let sample = |name: &str, value| model::measured::Sample {
            name: name.into(),
            unit: "ops/s".into(),
            layer: model::measured::Layer::Device,
            value,
        };
        let samples = [sample("device.vda.read_ops", 7.0), sample("device.vda.write_ops", 8.0)];
        // The form in which a journal stores them.
        record.look_events(Nanos(1), &samples).into_iter().for_each(|e| live.apply(e).expect("fits"));
        record.series = live.record().series.clone();
        record.look_events(Nanos(2), &samples).into_iter().for_each(|e| live.apply(e).expect("the same again"));
        let later = RunEvent::Samples { at: Nanos::from_secs(2), samples: vec![sample("device.vda.write_ops", 9.0)] };
        live.apply(later).expect("fits");
        let news = live.news("running", Cursor::default(), Language::English);
        assert_eq!(news.counters[1], ("device.vda.write_ops".to_owned(), "ops/s".to_owned()));
        let samples: Vec<_> = news.looks.iter().map(|l| l.1.clone()).collect();
        assert_eq!(samples, [vec![(0, 7.0), (1, 8.0)], vec![(0, 7.0), (1, 8.0)], vec![(1, 9.0)]]);
        assert!(live.record().series.iter().all(|s| s.points.len() == 1), "only the last");
    }

    #[test]
    fn what_does_not_fit_is_refused_and_a_strange_cursor_is_the_beginning() {
        let (mut live, _) = begin();
        assert_eq!(live.apply(second(0, 0, 1)), Err(FoldError::NoStep("interval")));
        for text in ["", "1", "1.2", "1.2.3.4", "-1.2.3", "a.b.c", "99999999999999999999.1.1"] {
            assert_eq!(Cursor::parse(text), Cursor::default(), "{text}");
        }
        assert_eq!(Cursor::parse("1.2.3").text(), "1.2.3");
        let far = Cursor::parse(&format!("{0}.{0}.{0}", usize::MAX));
        assert!(live.news("running", far, Language::English).seconds.is_empty());
    }

    #[test]
    fn of_a_very_long_run_the_newest_is_kept() {
        let mut row = Newest::new();
        (0..KEPT + 5).for_each(|n| row.push(n));
        assert_eq!(
            (row.end(), row.since(0).next(), row.since(KEPT + 4).next()),
            (KEPT + 5, Some(&5), Some(&(KEPT + 4)))
        );
    }
}
