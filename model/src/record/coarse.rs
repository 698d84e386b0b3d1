//! Limits the size of the record of a long run by merging intervals and samples in pairs.
//!
//! Counts, sums, histograms, minimums and maximums stay exact; only the periods that they cover become longer. Within a
//! step, all windows and intervals become 2^n times as long as measured ([`RunRecord::coarse`]). A record of a week
//! then needs no more memory than one of an hour. Periods in which nothing completed stay separate, because they show
//! stalls.

use crate::measured::{
    NamedSeries, Phase, PriorityLatency, Sampled, Series, SeriesSample, StepTrace, Transacted, Window,
};
use crate::record::{Results, Step};
use crate::{Interval, LatencyHistogram, Nanos, RunEvent, RunRecord, plan::Section};

/// Maximum memory of the intervals of all steps together, in bytes. One second of a job takes 2 to 3 KB, or 5 KB for a
/// fio job that reads and writes at a rate with separate submission and completion times. The limit is one hour of one
/// job, or six minutes of eight.
const MOST_BYTES: usize = 8 << 20;
/// Overhead of an allocation, in bytes.
const ALLOCATION: usize = 16;
/// Maximum number of points of all series together: a hundred series for 40 minutes.
const MOST_POINTS: usize = 240_000;
/// Number of points added to a series before the total is checked against that maximum.
const EVERY: usize = 64;
/// Minimum length of a silent period that stays separate.
const SILENCE: Nanos = Nanos::from_millis(250);
/// Maximum number of silent windows in an interval that stay separate.
const SILENCES: usize = 10;

impl RunRecord {
    /// Returns the length of the intervals of a long run, or `None` if all intervals have their original length.
    #[must_use]
    pub fn coarsened(&self) -> Option<Nanos> {
        let halved = self.steps.iter().zip(&self.coarse).filter(|(_, coarse)| **coarse > 0);
        halved.flat_map(|(step, _)| &step.intervals).map(|i| i.length).max()
    }

    /// Adds the next interval of a step and merges intervals if there are too many.
    pub(crate) fn take_interval(&mut self, step: usize, mut interval: Interval) {
        pack(&mut interval);
        let coarse = self.coarse.get(step).copied().unwrap_or(0);
        if let Some(sampled) = &mut self.steps[step].sampled {
            sampled.take(&interval);
        }
        let intervals = &mut self.steps[step].intervals;
        if coarse > 0 {
            let whole = intervals.iter().find(|i| i.phase == interval.phase).map_or(0, |i| i.length.as_nanos());
            let longest = interval.windows.iter().map(|w| w.length.as_nanos()).max().unwrap_or(0);
            let window = longest.saturating_mul(1 << coarse.min(62));
            let open = |last: &&mut Interval| {
                last.phase == interval.phase && last.length.as_nanos() + interval.length.as_nanos() / 2 < whole
            };
            if let Some(last) = intervals.last_mut().filter(open) {
                let windows = std::mem::take(&mut interval.windows);
                last.merge(&interval);
                windows.into_iter().for_each(|w| add_window(&mut last.windows, w, window));
                pack(last);
                return;
            }
        }
        intervals.push(interval);
        // Checked only after the number of intervals has grown by about an eighth, because a check of all intervals is
        // expensive. The intervals of a long run are large and few.
        let every = (intervals.len() / 16).next_power_of_two().max(2);
        if intervals.len().is_multiple_of(every) {
            while self.footprint() > MOST_BYTES && self.halve_intervals() {}
        }
    }

    /// Returns the memory of the intervals of all steps, in bytes.
    fn footprint(&self) -> usize {
        self.steps.iter().map(footprint).sum()
    }

    /// Halves the intervals of the step with the most intervals, and of steps with more than half as many, so that
    /// simultaneous steps keep the same interval boundaries. Returns `false` if there is nothing to halve.
    fn halve_intervals(&mut self) -> bool {
        let most = self.steps.iter().map(|s| s.intervals.len()).max().unwrap_or(0);
        self.coarse.resize(self.steps.len(), 0);
        let mut halved = false;
        for (step, coarse) in self.steps.iter_mut().zip(&mut self.coarse) {
            if step.intervals.len() > most / 2 && step.intervals.len() > 2 {
                if *coarse == 0 {
                    let stage = self.plan.stages.get(step.stage);
                    step.keep_samples(stage.and_then(|stage| self.plan.section_of(stage)));
                }
                step.halve();
                *coarse += 1;
                halved = true;
            }
        }
        halved
    }

    /// Merges samples in pairs if there are too many points. The last two are kept because the next sample may repeat
    /// their values.
    pub(crate) fn bound_points(&mut self) {
        let longest = self.series.iter().map(|s| s.points.len()).max().unwrap_or(0);
        if !longest.is_multiple_of(EVERY) || self.series.iter().map(|s| s.points.len()).sum::<usize>() <= MOST_POINTS {
            return;
        }
        let mut times: Vec<Nanos> = self.series.iter().flat_map(|s| s.points.iter().map(|p| p.0)).collect();
        times.sort_unstable();
        times.dedup();
        times.truncate(times.len().saturating_sub(2) / 2 * 2);
        let ends: Vec<Nanos> = times.chunks_exact(2).map(|two| two[1]).collect();
        self.series.iter_mut().for_each(|s| halve_points(s, &ends));
    }
}

impl RunRecord {
    /// Converts the record back into the events of a run. For a long run there are fewer events than originally.
    ///
    /// # Errors
    /// Returns the first error of `tell`, which ends the conversion.
    pub fn retell<E>(mut self, mut tell: impl FnMut(RunEvent) -> Result<(), E>) -> Result<(), E> {
        let steps = std::mem::take(&mut self.steps);
        let begin = RunEvent::Begin {
            version: self.version,
            tool: self.tool,
            id: self.id,
            started: self.started,
            plan: self.plan,
            preflight: Box::new(self.preflight),
        };
        tell(begin)?;
        if let Some(fill) = self.fill {
            tell(RunEvent::Filled { bytes: fill.bytes.as_u64(), time: fill.time })?;
        }
        for (number, step) in steps.iter().enumerate() {
            let Step { stage, pass, hold, ref job, start, .. } = *step;
            tell(RunEvent::StepBegin { stage, pass, hold, job: Box::new(job.clone()), at: start, number })?;
        }
        if !self.coarse.is_empty() {
            let sampled = steps.iter().map(|s| s.sampled.clone()).collect();
            tell(RunEvent::Coarse { steps: self.coarse.clone(), sampled, was: 0 })?;
        }
        for (number, step) in steps.into_iter().enumerate() {
            for interval in step.intervals {
                tell(RunEvent::Interval { step: number, interval })?;
            }
            if let Some(end) = step.end {
                tell(RunEvent::StepEnd { step: number, end })?;
            }
            if let Some(counts) = step.accounting {
                tell(RunEvent::Accounting { steps: vec![number], counts })?;
            }
        }
        for (steps, counts) in self.together {
            tell(RunEvent::Accounting { steps, counts })?;
        }
        retell_series(std::mem::take(&mut self.series), &mut tell)?;
        if !self.disks.is_empty() {
            tell(RunEvent::Disks(self.disks))?;
        }
        self.results.into_iter().flat_map(Results::into_events).try_for_each(&mut tell)?;
        for StepTrace { steps, trace } in self.blocks {
            tell(RunEvent::Traced { steps, trace: Box::new(trace.into()) })?;
        }
        for caveat in self.caveats {
            tell(RunEvent::Caveat(caveat))?;
        }
        for (at, text) in self.notes {
            tell(RunEvent::Note { at, text })?;
        }
        if !self.state.has_no_end() {
            let (state, at) = (self.state, self.ended);
            tell(RunEvent::End { state, at, reason: self.reason, signal: self.signal })?;
        }
        Ok(())
    }
}

/// Converts series into events with names and samples.
fn retell_series<E>(series: Vec<Series>, tell: &mut impl FnMut(RunEvent) -> Result<(), E>) -> Result<(), E> {
    if series.is_empty() {
        return Ok(());
    }
    let names = series.iter().map(|s| NamedSeries { name: s.name.clone(), unit: s.unit.clone(), layer: s.layer });
    tell(RunEvent::Series { first: 0, series: names.collect() })?;
    let mut times: Vec<Nanos> = series.iter().flat_map(|s| s.points.iter().map(|p| p.0)).collect();
    times.sort_unstable();
    times.dedup();
    let mut next = vec![0usize; series.len()];
    for at in times {
        let mut look = SeriesSample { over: 1.0, ..SeriesSample::default() };
        for (number, (s, next)) in series.iter().zip(&mut next).enumerate() {
            let Some((_, value)) = s.points.get(*next).filter(|p| p.0 == at) else { continue };
            let before = next.checked_sub(1).map(|i| s.points[i].1);
            look.put(number, *value, before);
            *next += 1;
        }
        tell(RunEvent::Look { at, look })?;
    }
    Ok(())
}

fn footprint(step: &Step) -> usize {
    let behind = step.intervals.iter().map(Interval::footprint_behind);
    step.intervals.capacity() * size_of::<Interval>() + behind.sum::<usize>()
}

impl Interval {
    /// Returns the heap memory of the interval, in bytes.
    fn footprint_behind(&self) -> usize {
        let parts =
            self.per_op.iter().flat_map(|op| [&op.latency, &op.response, &op.failed, &op.submission, &op.completion]);
        let by_priority = self.per_op.iter().flat_map(|op| op.by_priority.iter().map(|p| &p.latency));
        let transacted =
            self.transacted.iter().flat_map(|t| [&t.outside, &t.inside, &t.lag, &t.commits_outside, &t.commits_inside]);
        let histograms =
            parts.chain(by_priority).chain(transacted).map(LatencyHistogram::footprint).filter(|bytes| *bytes > 0);
        // The counts of a histogram are in a second allocation.
        let histograms: usize = histograms.map(|bytes| bytes + 2 * ALLOCATION).sum();
        let entries: usize =
            self.per_op.iter().map(|op| op.by_priority.capacity() * size_of::<PriorityLatency>()).sum();
        histograms + entries + self.windows.capacity() * size_of::<Window>() + ALLOCATION
    }
}

fn pack(interval: &mut Interval) {
    for op in &mut interval.per_op {
        let each = [&mut op.latency, &mut op.response, &mut op.failed, &mut op.submission, &mut op.completion];
        let each = each.into_iter().chain(op.by_priority.iter_mut().map(|p| &mut p.latency));
        each.for_each(LatencyHistogram::pack);
    }
    if let Some(transacted) = &mut interval.transacted {
        let Transacted { outside, inside, lag, commits_outside, commits_inside } = &mut **transacted;
        [outside, inside, lag, commits_outside, commits_inside].into_iter().for_each(LatencyHistogram::pack);
    }
    interval.windows.shrink_to_fit();
}

/// Merges the windows of an interval into windows of this length.
fn lengthen_windows(interval: &mut Interval, length: u64) {
    let mut windows = Vec::with_capacity(interval.windows.len() / 2 + 1);
    std::mem::take(&mut interval.windows).into_iter().for_each(|w| add_window(&mut windows, w, length));
    windows.shrink_to_fit();
    interval.windows = windows;
}

impl Step {
    /// Starts keeping fio's samples as sums before windows are merged. If a search for a depth, as in fio, determines
    /// only at the end which samples count, none are kept, because that is not known yet.
    fn keep_samples(&mut self, section: Option<&Section>) {
        let searched = self.job.tuning.ends.latency_target.is_some();
        if let Some(Section { report, .. }) = section.filter(|_| !searched) {
            let (bandwidth, iops) = (report.bandwidth_sample, report.iops_sample);
            self.sampled = Some(Box::new(Sampled::from_intervals(bandwidth, iops, &self.intervals)));
        }
    }

    /// Merges the intervals of the step in pairs, separately for each phase, and their windows likewise.
    fn halve(&mut self) {
        // Silent windows may be longer than other windows.
        let windows = self.intervals.iter().flat_map(|i| &i.windows).filter(|w| !is_silent(w));
        let window = windows.map(|w| w.length.as_nanos()).max().unwrap_or(0).saturating_mul(2);
        let mut halves: Vec<Interval> = Vec::with_capacity(self.intervals.len() / 2 + 3);
        // Number of original intervals merged into the last one of this phase.
        let mut within = 0;
        for interval in std::mem::take(&mut self.intervals) {
            match halves.last_mut().filter(|last| within == 1 && last.phase == interval.phase) {
                Some(last) if interval.phase != Phase::Drain => {
                    last.merge(&interval);
                    // Pack immediately, because the unpacked intervals of a whole step take tens of megabytes.
                    pack(last);
                    within = 2;
                }
                _ => {
                    halves.push(interval);
                    within = 1;
                }
            }
        }
        for interval in halves.iter_mut().filter(|i| i.phase != Phase::Drain) {
            lengthen_windows(interval, window);
        }
        halves.shrink_to_fit();
        self.intervals = halves;
    }
}

/// Adds a window to windows that should be `length` nanoseconds long.
fn add_window(windows: &mut Vec<Window>, window: Window, length: u64) {
    let apart = |last: &Window| {
        let long = if is_silent(last) { last.length } else { window.length };
        is_silent(last) != is_silent(&window) && long >= SILENCE
    };
    let few = windows.iter().filter(|w| is_silent(w)).count() < SILENCES;
    let fits = |last: &&mut Window| {
        let both_silent = is_silent(last) && is_silent(&window);
        (both_silent || last.length.as_nanos() + window.length.as_nanos() / 2 < length) && !(few && apart(last))
    };
    match windows.last_mut().filter(fits) {
        Some(last) => last.merge(&window),
        None => windows.push(window),
    }
}

fn is_silent(window: &Window) -> bool {
    window.total_ops() == 0 && window.errors == 0
}

/// Merges the points up to each of `ends` into one: rates keep the same area under the curve, times keep the same sum.
fn halve_points(series: &mut Series, ends: &[Nanos]) {
    let sums = series.name == "sampler.stretch";
    let mut points: Vec<(Nanos, f64)> = Vec::with_capacity(series.points.len() / 2 + 3);
    let mut old = std::mem::take(&mut series.points).into_iter().peekable();
    let mut before = Nanos(0);
    for end in ends {
        let (mut area, mut time, mut sum, mut some) = (0.0, 0.0, 0.0, None);
        while let Some((at, value)) = old.next_if(|p| p.0 <= *end) {
            let length = at.since(before).secs().max(1e-9);
            (area, time, sum) = (area + value * length, time + length, sum + value);
            // A constant value is kept bit for bit.
            some = Some(if some.is_none_or(|v: f64| v.to_bits() == value.to_bits()) { value } else { f64::NAN });
            before = at;
        }
        if let Some(same) = some {
            let mean = if same.is_nan() { area / time } else { same };
            points.push((*end, if sums { sum } else { mean }));
            before = *end;
        }
    }
    points.extend(old);
    series.points = points;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measured::{Layer, Sample};
    use crate::testkit::{begin, job, second};

    fn run(steps: usize) -> RunRecord {
        let mut record = RunRecord::begin(begin()).expect("it begins");
        record.plan.stages = vec![crate::Stage {
            name: "r".into(),
            role: crate::plan::StageRole::Fixed,
            job: job(),
            ramp: None,
            follows: None,
            max_threads: 1,
            place: crate::plan::StagePlacement::default(),
        }];
        for number in 0..steps {
            let begin =
                RunEvent::StepBegin { stage: 0, pass: 0, hold: false, job: Box::new(job()), at: Nanos(0), number };
            record.apply(begin).expect("it fits");
        }
        record
    }

    /// Converts the record to events and back.
    fn told_again(record: &RunRecord) -> RunRecord {
        let mut events = Vec::new();
        let converted = record.clone().retell(|e| {
            events.push(e);
            Ok::<(), ()>(())
        });
        converted.expect("nothing fails");
        RunRecord::from_events(events).expect("one run")
    }

    fn sum(intervals: &[Interval]) -> Interval {
        let mut sum = Interval::default();
        intervals.iter().for_each(|i| sum.merge(i));
        sum.windows.clear();
        sum
    }

    #[test]
    fn a_long_run_is_a_bounded_number_of_intervals_and_loses_no_operation() {
        let mut record = run(2);
        let mut intervals: Vec<Interval> = Vec::new();
        for s in 0..30_000u64 {
            let one = second(s * 1_000_000_000, 1000, s % 90);
            for step in 0..2 {
                record.apply(RunEvent::Interval { step, interval: one.clone() }).expect("it fits");
            }
            intervals.push(one);
        }
        let whole = sum(&intervals);
        assert!(record.footprint() < MOST_BYTES + MOST_BYTES / 8, "{}", record.footprint());
        for (step, coarse) in record.steps.iter().zip(&record.coarse) {
            assert!(*coarse > 0 && step.intervals.len() > 200, "{} {coarse}", step.intervals.len());
            assert_eq!(sum(&step.intervals), whole);
            assert_eq!(step.windows().map(Window::total_ops).sum::<u64>(), whole.ops());
            assert_eq!(step.windows().map(|w| w.length.as_nanos()).sum::<u64>(), whole.length.as_nanos());
            // All intervals except the last have the same length.
            let length = step.intervals[0].length;
            assert!(step.intervals.iter().rev().skip(1).all(|i| i.length == length), "{length}");
        }
        let grid = |step: usize| -> Vec<(Nanos, Nanos, u64)> {
            record.steps[step].intervals.iter().map(|i| (i.start, i.length, i.ops())).collect()
        };
        assert!(grid(0) == grid(1), "what ran together is on one grid");
        // A converted record is the same run and continues like the original.
        let mut again = told_again(&record);
        assert!(again == record);
        for s in 30_000..31_000 {
            let event = RunEvent::Interval { step: 0, interval: second(s * 1_000_000_000, 1000, 3) };
            record.apply(event.clone()).expect("it fits");
            again.apply(event).expect("it fits");
        }
        assert!(again == record);
    }

    #[test]
    fn fios_samples_are_those_of_the_windows_as_they_were_measured() {
        let mut record = run(1);
        record.plan.kind = crate::RunKind::JobFile { sections: vec![Section::default()] };
        record.plan.stages[0].place.section = Some(0);
        let lengths = (record.plan.sections()[0].report.bandwidth_sample, record.plan.sections()[0].report.iops_sample);
        let mut exact = Sampled::new(lengths.0, lengths.1);
        for s in 0..30_000u64 {
            // One second with many operations and one with few.
            let ops = match s {
                17_000 => 900,
                23_000 => 10,
                _ => 100 + s % 37,
            };
            let interval = second(s * 1_000_000_000, 1000, ops);
            exact.take(&interval);
            if s == 20_000 {
                // After a rewrite, samples from the rewritten intervals must not count twice.
                record = told_again(&record);
            }
            record.apply(RunEvent::Interval { step: 0, interval }).expect("it fits");
        }
        let kept = record.steps[0].sampled.as_deref().expect("it was long");
        assert_eq!(*kept, exact);
        let iops = kept.iops(crate::Op::Read);
        assert!(iops.max > 800.0 && iops.min < 20.0 && iops.count > 29_000, "{iops:?}");
        assert!(record.coarsened().is_some_and(|length| length >= Nanos::from_secs(4)));
    }

    #[test]
    fn short_runs_stay_as_they_were_measured() {
        let mut record = run(1);
        for s in 0..4_000u64 {
            let interval = second(s * 1_000_000_000, 1000, 30);
            record.apply(RunEvent::Interval { step: 0, interval }).expect("it fits");
        }
        assert_eq!((record.steps[0].intervals.len(), record.coarse.as_slice()), (4_000, [0u32; 0].as_slice()));
    }

    #[test]
    fn phases_are_never_put_together_and_a_stall_stays_one() {
        let mut record = run(1);
        for s in 0..20_000u64 {
            let silent = s == 9_001 || s == 9_002;
            let mut interval = second(s * 1_000_000_000, 1000, if silent { 0 } else { 30 });
            interval.phase = if s < 3 { Phase::Ramp } else { Phase::Measure };
            record.apply(RunEvent::Interval { step: 0, interval }).expect("it fits");
        }
        let step = &record.steps[0];
        let ramp: u64 = step.intervals.iter().filter(|i| i.phase == Phase::Ramp).map(|i| i.length.as_nanos()).sum();
        assert_eq!(ramp, 3_000_000_000);
        let silent: Vec<&Window> = step.windows().filter(|w| is_silent(w)).collect();
        let length: u64 = silent.iter().map(|w| w.length.as_nanos()).sum();
        assert_eq!((silent[0].start, length), (Nanos::from_secs(9_001), 2_000_000_000));
    }

    #[test]
    fn series_keep_their_area_and_their_last_value() {
        let mut record = run(0);
        let names: Vec<String> = (0..50).map(|n| format!("device.d{n}.ops")).collect();
        let sample = |name: &str, value: f64| Sample {
            name: name.to_owned(),
            unit: "ops/s".into(),
            layer: Layer::Device,
            value,
        };
        let mut area = 0.0;
        for s in 0..20_000u64 {
            let at = Nanos::from_secs(s + 1);
            let value = (s % 100) as f64;
            area += value;
            let mut samples: Vec<Sample> = names.iter().map(|n| sample(n, value)).collect();
            samples.push(sample("constant", 0.1));
            samples.push(sample("sampler.stretch", 1.0));
            for event in record.look_events(at, &samples) {
                record.apply(event).expect("it fits");
            }
        }
        assert!(record.series.iter().map(|s| s.points.len()).sum::<usize>() <= MOST_POINTS + EVERY * 60);
        let series = record.series("device.d7.ops").expect("named");
        let (mut accounted, mut before) = (0.0, Nanos(0));
        for (at, value) in &series.points {
            accounted += value * at.since(before).secs();
            before = *at;
        }
        assert!((accounted / area - 1.0).abs() < 1e-9, "{accounted} of {area}");
        assert_eq!(series.points.last(), Some(&(Nanos::from_secs(20_000), 99.0)));
        assert!(record.series("constant").expect("named").points.iter().all(|p| p.1 == 0.1));
        assert!(told_again(&record) == record);
        let stretches: f64 = record.stretches().iter().map(|s| s.1.secs()).sum();
        assert!((stretches - 20_000.0).abs() < 1e-6, "{stretches}");
    }

    #[test]
    fn packed_histograms_are_what_a_record_holds() {
        let mut record = run(1);
        record.apply(RunEvent::Interval { step: 0, interval: second(0, 500, 30) }).expect("it fits");
        let mut packed = second(0, 500, 30).per_op[0].latency.clone();
        packed.pack();
        assert_eq!(record.steps[0].intervals[0].per_op[0].latency, packed);
        assert_ne!(packed, LatencyHistogram::default());
    }
}
