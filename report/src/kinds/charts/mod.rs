//! Charts of runs and demands, as data for pages. A chart that a run should have but cannot, because its
//! levels are invalid or too few, contains the reason.

mod asked;
mod bars;
mod counters;
mod database;
mod devices;
mod heat;
pub(crate) mod percentiles;
mod ramp;
mod requests;
mod sizes;
pub(crate) mod time;

pub(crate) use asked::charts as demand;
pub(crate) use requests::{Stream, chart as request_sizes, kind_word, streams};

use crate::ReportedRun;
use crate::document::chart::{Axis, Cap, Chart, Choice, Plot, Scale, Series};
use crate::document::{Block, Document, Unit, View, Word};
use crate::grouping::{distinct, grouped};
use crate::overview::mode;
use messages::Sentence;
use model::judged::{LevelFigures, PatternJudgement};
use model::plan::{KindName, MarkDirection, MarkTest, StageRole};
use model::{Judgement, Limit, Nanos, RunRecord, bounds::LimitAxis};
use std::borrow::Cow;
use time::round;

/// Adds the charts of a run for its page, those that readers look for first.
pub(crate) fn add(d: &mut Document, run: &ReportedRun<'_>, view: View) {
    if view == View::Page {
        let charts = draw(run.record.plan.kind.name(), &[Source::new(run, None)]);
        d.part("charts", "", charts.into_iter().map(Block::Chart)).views(&[]);
    }
}

/// Adds the charts of several runs for their page, each drawn over those of the first.
pub(crate) fn add_several(d: &mut Document, runs: &[ReportedRun<'_>], view: View) {
    if let Some(first) = runs.first().filter(|_| view == View::Page) {
        let sources: Vec<Source> = runs.iter().enumerate().map(|(i, run)| Source::new(run, Some(i))).collect();
        let workloads = bars::workloads_of_runs(&sources).into_iter();
        let charts = workloads.chain(draw(first.record.plan.kind.name(), &sources));
        d.part("charts", "", charts.map(Block::Chart)).views(&[]);
    }
}

/// Returns the charts of runs in the order of a kind.
fn draw(kind: KindName, runs: &[Source<'_>]) -> Vec<Chart> {
    type Draw = fn(&[Source<'_>]) -> Option<Chart>;
    let order: &[Draw] = match kind {
        KindName::Ping => &[heat::map, heat::histogram, percentiles::curves, time::course, counters::series],
        KindName::Database => &[
            time::course,
            database::by_workers,
            percentiles::curves,
            requests::sizes,
            counters::series,
            heat::map,
            heat::histogram,
        ],
        KindName::JobFile => &[
            time::course,
            percentiles::curves,
            ramp::by_concurrency,
            ramp::by_rate,
            sizes::by_size,
            requests::sizes,
            counters::series,
            heat::map,
        ],
        KindName::Mark => {
            &[percentiles::curves, sizes::by_size, time::course, requests::sizes, counters::series, heat::map]
        }
        KindName::Watch => &[requests::sizes, counters::series],
        _ => &[
            ramp::by_concurrency,
            ramp::by_rate,
            sizes::by_size,
            percentiles::curves,
            requests::sizes,
            bars::shares,
            time::course,
            counters::series,
            heat::map,
        ],
    };
    let devices = if kind == KindName::Watch { devices::rates(runs) } else { Vec::new() };
    devices.into_iter().chain(order.iter().filter_map(|draw| draw(runs))).collect()
}

/// A run, with all its targets combined.
struct Source<'a> {
    /// Short name.
    name: String,
    record: Cow<'a, RunRecord>,
    judgement: &'a Judgement,
    /// Position among several runs; `None` for a single run.
    place: Option<usize>,
}

/// A workload of a run, under a name that is unique within the run.
struct Workload<'a> {
    /// Name: `8k randread`, `SEQ1M Q8T1 read`, `8k randread (job2)`.
    name: String,
    /// Name of the group whose workloads have one colour: the mode (`randread`), or the test of a mark.
    group: String,
    /// True if the workload writes.
    writes: bool,
    pattern: &'a PatternJudgement,
}

impl<'a> Source<'a> {
    fn new(run: &ReportedRun<'a>, place: Option<usize>) -> Source<'a> {
        Source { name: run.name(), record: run.record.joint(), judgement: run.judgement, place }
    }

    /// Returns the name of a series: after the name of the run, if there are several.
    fn label(&self, name: impl Into<Sentence>) -> Sentence {
        let name = name.into();
        match (self.place, name.is_empty()) {
            (None, _) => name,
            (Some(_), true) => self.name.as_str().into(),
            (Some(_), false) => Sentence::concat([format!("{}: ", self.name).into(), name]),
        }
    }

    /// Returns the colour of a series: that of the run if there are several, else `alone`.
    fn family(&self, alone: usize) -> usize {
        self.place.unwrap_or(alone)
    }

    /// Returns the workloads, probes last. A probe adds nothing to a ramp of the same workload.
    fn workloads<'s>(&'s self) -> Vec<Workload<'s>> {
        let patterns = &self.judgement.patterns;
        let probe = |p: &PatternJudgement| p.role == StageRole::Probe;
        let repeats = |p: &PatternJudgement| probe(p) && patterns.iter().any(|q| !probe(q) && q.label == p.label);
        let mut shown: Vec<&PatternJudgement> = patterns.iter().filter(|p| !repeats(p)).collect();
        shown.sort_by_key(|p| probe(p));
        let is_mark = self.record.plan.kind.name() == KindName::Mark;
        let workload = |pattern: &'s PatternJudgement| {
            let stage = self.record.plan.stages.iter().find(|s| s.name == pattern.stage);
            let mix = stage.map(|s| s.job.workload.mix);
            let test = stage.filter(|_| is_mark).and_then(|s| MarkTest::from_job(&s.job));
            let (name, group) = match test.zip(mix) {
                Some((test, mix)) => (format!("{test} {}", MarkDirection::from_mix(mix).name()), test.to_string()),
                None if shown.iter().filter(|p| p.label == pattern.label).count() > 1 => {
                    (format!("{} ({})", pattern.label, pattern.stage), mode(pattern).to_owned())
                }
                None => (pattern.label.clone(), mode(pattern).to_owned()),
            };
            Workload { name, group, writes: mix.is_some_and(|mix| mix.write_percent > 0), pattern }
        };
        shown.iter().copied().map(workload).collect()
    }

    /// Returns the known limits on an axis, the first three.
    fn limits(&self, axis: LimitAxis) -> Vec<(String, f64)> {
        let limits = self.record.plan.limits.iter().chain(&self.record.preflight.limits);
        limits.filter_map(|l: &Limit| Some((l.name.clone(), l.cap(axis)?))).take(MOST_LIMITS).collect()
    }
}

/// A workload and its run.
type Entry<'r, 'a> = (&'r Source<'a>, Workload<'r>);

/// Returns the workloads of all runs.
fn workloads<'r, 'a>(runs: &'r [Source<'a>]) -> Vec<Entry<'r, 'a>> {
    runs.iter().flat_map(|run| run.workloads().into_iter().map(move |w| (run, w))).collect()
}

/// Maximum number of limits in a chart.
const MOST_LIMITS: usize = 3;

/// Returns the levels of a ramp with valid figures, without the held level.
fn rising(pattern: &PatternJudgement) -> Vec<&LevelFigures> {
    pattern.levels.iter().filter(|l| !l.hold && l.struck.is_none()).collect()
}

/// Returns the reason why a workload has no curve: that of an invalid level, or that there are too few levels.
fn missing<'p>(patterns: impl IntoIterator<Item = &'p PatternJudgement>) -> Sentence {
    let struck = patterns.into_iter().flat_map(|p| &p.levels).find_map(|l| l.struck.clone());
    struck.unwrap_or_else(|| word("chart-one-level"))
}

/// Returns the representative level of a workload: the held level, or the fastest valid one; the last if none is valid.
fn representative(pattern: &PatternJudgement) -> Option<&LevelFigures> {
    pattern.levels.iter().find(|l| l.hold).or_else(|| fastest(&pattern.levels)).or(pattern.levels.last())
}

/// Returns the fastest valid level.
fn fastest<'l>(levels: impl IntoIterator<Item = &'l LevelFigures>) -> Option<&'l LevelFigures> {
    let valid = levels.into_iter().filter(|l| l.struck.is_none());
    valid.max_by(|a, b| a.iops.value.total_cmp(&b.iops.value))
}

/// Returns the text of a message without placeholders.
pub(super) fn word(id: &'static str) -> Sentence {
    messages::sentence(messages::Message::new(id))
}

/// Returns limits as lines of a chart; limits with the same value are one line.
fn caps(limits: impl IntoIterator<Item = (String, f64)>, axis: (usize, usize), is_upright: bool) -> Vec<Cap> {
    let cap = |(at, names)| Cap { axis, at, names: distinct(names), is_upright };
    grouped(limits.into_iter().map(|(name, at)| (at, name))).into_iter().map(cap).collect()
}

pub(super) fn iops_axis() -> Axis {
    Axis::new(Word::Term("IOPS"), Unit::PerSecond, Scale::Zero)
}

fn bandwidth_axis() -> Axis {
    Axis::new("page-bandwidth", Unit::BytesPerSecond, Scale::Zero)
}

fn latency_axis() -> Axis {
    Axis::new("page-latency", Unit::Nanos, Scale::Log10)
}

/// Returns the axis of operations in flight, or of workers.
fn concurrency_axis(levels: impl IntoIterator<Item = u32>) -> Axis {
    let (least, most) = levels.into_iter().fold((u32::MAX, 0), |(least, most), n| (least.min(n), most.max(n)));
    let range = (least < most).then_some((f64::from(least), f64::from(most)));
    Axis { range, ..Axis::new("page-in-flight", Unit::Count, Scale::Log2) }
}

/// Returns a time in nanoseconds, or not a number if it is unknown.
fn nanos(time: Option<Nanos>) -> f64 {
    time.map_or(f64::NAN, |n| n.as_nanos() as f64)
}

/// Maximum number of lines in a chart before the reader chooses a group.
const MOST_LINES: usize = 6;

/// Returns the plots of lines with their groups: one plot, or one for each group if there are too many lines. The lines
/// of a group have the same hue, from light to dark; a few lines of one group have different hues.
fn by_group(lines: Vec<(Sentence, Series)>, plot: &dyn Fn(Vec<Series>) -> Plot) -> Vec<Choice> {
    let are_many = lines.len() > MOST_LINES;
    let groups = grouped(lines);
    let has_hues = groups.len() == 1 || are_many;
    let coloured = groups.into_iter().enumerate().map(|(place, (group, members))| {
        let is_alone = has_hues && members.len() <= MOST_LINES;
        let coloured = |(i, series): (usize, Series)| {
            let (family, shade) = if is_alone { (i, 0) } else { (place, i) };
            Series { family, shade, ..series }
        };
        (group, members.into_iter().enumerate().map(coloured).collect::<Vec<_>>())
    });
    if are_many {
        return coloured.map(|(group, series)| Choice::new(group, plot(series))).collect();
    }
    let series: Vec<Series> = coloured.flat_map(|(_, series)| series).collect();
    if series.is_empty() { Vec::new() } else { vec![Choice::new("", plot(series))] }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;
    use crate::kinds::{durability, metadata};
    use model::record::Labels;
    use std::collections::BTreeSet;

    fn for_run(run: &ReportedRun<'_>) -> Vec<Chart> {
        let mut d = Document::default();
        add(&mut d, run, View::Page);
        d.charts().cloned().collect()
    }

    fn for_runs(runs: &[ReportedRun<'_>]) -> Vec<Chart> {
        let mut d = Document::default();
        add_several(&mut d, runs, View::Page);
        d.charts().cloned().collect()
    }

    /// Returns runs whose charts differ: sound, with every trouble, of other kinds, and a ping.
    fn runs() -> Vec<(RunRecord, Judgement)> {
        let mark = crate::formats::mark::testkit::record();
        let judged = analysis::judge(&mark);
        let mut runs = vec![
            fixture::capped(),
            fixture::troubled(),
            metadata::tests::run(),
            durability::tests::troubled(),
            (mark, judged),
        ];
        let (mut record, judgement) = fixture::capped();
        record.plan.kind = model::RunKind::Ping;
        record.results = Some(model::record::Results::Ping(Box::new(model::record::Pinged {
            total: model::record::PingStats { count: 1, ..model::record::PingStats::default() },
            ..model::record::Pinged::default()
        })));
        runs.push((record, judgement));
        runs
    }

    fn all_charts() -> Vec<Chart> {
        let (runs, labels) = (runs(), Labels::default());
        let names = ["a", "b", "c", "d", "e", "f"];
        let reported = |(i, (record, judgement))| ReportedRun {
            label: names[i],
            record,
            judgement,
            labels: &labels,
            earlier: &[],
        };
        let runs: Vec<ReportedRun<'_>> =
            runs.iter().map(|(record, judgement)| (record, judgement)).enumerate().map(reported).collect();
        let mut charts: Vec<Chart> = runs.iter().flat_map(for_run).collect();
        charts.extend(for_runs(&runs));
        charts.extend(for_runs(&[runs[0], ReportedRun { label: "again", ..runs[0] }]));
        charts
    }

    #[test]
    fn no_chart_is_empty() {
        for chart in all_charts() {
            assert!(!chart.choices.is_empty(), "{}", chart.id);
            for Choice { name, plot } in &chart.choices {
                let is_drawn = match plot {
                    Plot::Lines(lines) => lines.series.iter().any(|s| s.points.iter().any(|p| p[1].is_finite())),
                    Plot::Bars(bars) => bars.series.iter().any(|(_, values)| values.iter().any(Option::is_some)),
                    Plot::Heat(heat) => !heat.cells.is_empty(),
                    Plot::Intervals(intervals) => !intervals.is_empty(),
                    Plot::Nothing(reason) => !reason.is_empty(),
                };
                assert!(is_drawn, "{} {name}: {plot:?}", chart.id);
            }
        }
    }

    #[test]
    fn names_of_series_are_unique() {
        for chart in all_charts() {
            let names: BTreeSet<&str> = chart.choices.iter().map(|c| c.name.as_str()).collect();
            assert_eq!(names.len(), chart.choices.len(), "{}: {names:?}", chart.id);
            for Choice { plot, .. } in &chart.choices {
                let names: Vec<&str> = match plot {
                    Plot::Lines(lines) => lines.series.iter().map(|s| s.name.as_str()).collect(),
                    Plot::Bars(bars) => bars.series.iter().map(|(name, _)| name.as_str()).collect(),
                    Plot::Heat(_) | Plot::Intervals(_) | Plot::Nothing(_) => Vec::new(),
                };
                assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), names.len(), "{}: {names:?}", chart.id);
            }
        }
    }

    #[test]
    fn figures_keep_five_digits() {
        assert_eq!(
            [123_456.0, 0.001_234_567, -7.0, 0.0, f64::NAN].map(round),
            [123_460.0, 0.001_234_6, -7.0, 0.0, 0.0]
        );
    }

    #[test]
    fn every_measured_operation_is_in_the_heat_map_once() {
        let (record, judgement) = fixture::capped();
        let run =
            ReportedRun { label: "", record: &record, judgement: &judgement, labels: &Labels::default(), earlier: &[] };
        let charts = for_run(&run);
        let heat = charts.iter().find(|c| c.id == "heat").expect("a heat map");
        let Plot::Heat(heat) = &heat.choices[0].plot else { panic!("{heat:?}") };
        let intervals =
            record.steps.iter().flat_map(|s| &s.intervals).filter(|i| i.phase == model::measured::Phase::Measure);
        let counted: u64 = intervals.map(|i| i.latency().count()).sum();
        assert_eq!(heat.cells.iter().map(|c| c.2).sum::<u64>(), counted);
    }

    #[test]
    fn the_second_with_the_warm_up_of_a_ping_is_left_out() {
        let (record, judgement) = runs().pop().expect("a ping");
        let run =
            ReportedRun { label: "", record: &record, judgement: &judgement, labels: &Labels::default(), earlier: &[] };
        assert_eq!(time::warm_up(&record), 1);
        let groups = record.simultaneous();
        let measured =
            record.seconds_of(&groups[0]).iter().filter(|i| i.phase == model::measured::Phase::Measure).count();
        assert_eq!(time::measured(&record, &groups[0]).len() + 1, measured);
        let heat = for_run(&run).remove(0);
        assert!(heat.hint.text(messages::Language::English).contains("the first request,"), "{heat:?}");
    }
}
