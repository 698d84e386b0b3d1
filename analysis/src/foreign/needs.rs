//! Checks needs against the rows of the table. A row decides nothing if its rounding straddles a bound or if it is not
//! usable.

use super::case::{Case, DirectionResult, Test};
use super::rules::contradictions::undecidable;
use messages::sentence;
use model::bounds::{Bound, Clause, Metric, Need, NeedMode, NeedSubject};
use model::foreign::{ForeignLatency, ForeignValue, ForeignWork, Quantity, Statistic, Way};
use model::judged::{ClauseResult, ForeignFinding, ForeignRow, NeedResult, Outcome};
use model::{Bytes, Iops, Nanos, Sentence};

/// A result that may decide a need, with its clauses.
struct Checked<'a, 'b> {
    test: &'b Test<'a>,
    outcome: Outcome,
    clauses: Vec<ClauseResult>,
}

/// Checks one need against all rows of its workload.
///
/// Every clause must hold at one row. The best row counts, because a need names no queue depth. Among rows with equal
/// parameters the worst counts, because those are repetitions or other machines. Differing results of other files are
/// listed in the reason.
pub(super) fn check(need: &Need, case: &Case, rows: &[ForeignRow], findings: &[ForeignFinding]) -> NeedResult {
    let result =
        |outcome, depth, clauses, why: Sentence| NeedResult { text: need.text.clone(), outcome, depth, clauses, why };
    let unusable = |t: &Test| rows[t.index].struck.as_deref().or_else(|| undecidable(t.index, findings));
    let candidates: Vec<&Test> = case.rows().filter(|t| matches(need, t)).collect();
    let decides = |t: &Test| unusable(t).is_none() && long_enough(need, t);
    let usable: Vec<&Test> = candidates.iter().copied().filter(|t| decides(t)).collect();
    // Of the syncs of one file, use the kind that the need names, otherwise the nearest kind.
    let kind = |t: &Test| if need.is_durable() { sync_rank(t.rw()) } else { 0 };
    let nearest = |t: &&Test| usable.iter().filter(|u| std::ptr::eq(u.file, t.file)).all(|u| kind(u) <= kind(t));
    let checked: Vec<Checked> = usable.iter().copied().filter(nearest).map(|t| Checked::new(need, case, t)).collect();
    let Some(best) = checked.iter().max_by_key(|c| rank(c.outcome)) else {
        let reason = match candidates.first() {
            None => sentence!("need-of-no-result", workload = need.workload()),
            Some(t) => match unusable(t) {
                Some(id) => sentence!("need-of-unusable", result = place(case, t), id),
                None => sentence!("need-ran-shorter", result = place(case, t)),
            },
        };
        return result(Outcome::Undecided, None, Vec::new(), reason);
    };
    let equal = checked.iter().filter(|c| parameters(c.test) == parameters(best.test));
    let counts = equal.min_by_key(|c| rank(c.outcome)).unwrap_or(best);
    let outcome = counts.outcome;
    let depth = counts.test.concurrency().map(|n| n as u32);
    // Rows of another file, or of an equal load, with a different outcome.
    let differs = |c: &&Checked| {
        let is_other = !std::ptr::eq(c.test.file, counts.test.file) || parameters(c.test) == parameters(counts.test);
        is_other && c.outcome != outcome
    };
    let others: Vec<&Checked> = checked.iter().filter(differs).collect();
    let mut reasons = vec![sentence!("need-by", result = place(case, counts.test))];
    reasons.extend(others.iter().take(MOST_OTHERS).map(|c| c.words(case)));
    if others.len() > MOST_OTHERS {
        reasons.push(sentence!("saw-list-rest", rest = others.len() - MOST_OTHERS));
    }
    result(outcome, depth, counts.clauses.clone(), Sentence::join(reasons, "; "))
}

/// Maximum number of other rows that are named in a reason.
const MOST_OTHERS: usize = 3;

/// Mode of needs on syncs.
const SYNC: &str = "fdatasync";

/// Returns how close a kind of sync is to `fdatasync`. A sync that fio's text does not name is preferred to `fsync`,
/// which also writes metadata.
fn sync_rank(rw: &str) -> u8 {
    match rw {
        SYNC => 3,
        "sync" => 2,
        "fsync" => 1,
        _ => 0,
    }
}

fn rank(outcome: Outcome) -> u8 {
    match outcome {
        Outcome::Fail => 0,
        Outcome::Undecided => 1,
        Outcome::Pass => 2,
    }
}

/// Parameters that are equal for two rows of the same load.
type Parameters<'a> = (&'a str, Option<u64>, Option<u32>, Option<u32>, &'a str, Option<bool>);

fn parameters<'a>(test: &Test<'a>) -> Parameters<'a> {
    let requested = test.asked();
    (test.rw(), test.one_block(), test.depth(), requested.jobs, test.engine(), requested.direct)
}

/// Returns the name of a row as in the table: `fio.txt`, `fio.txt:12` or `fio.txt:12 (fdatasync)`.
fn place(case: &Case, test: &Test) -> String {
    let rows = case.rows().filter(|t| t.file.source == test.file.source).count();
    let at = if rows > 1 { format!("{}:{}", test.called, test.test.line) } else { test.title() };
    if test.is_sync() { format!("{at} ({})", test.rw()) } else { at }
}

impl<'a, 'b> Checked<'a, 'b> {
    fn new(need: &Need, case: &Case, test: &'b Test<'a>) -> Self {
        let sync = case.syncs_of(test).filter(|sync| sync.follows_every_write());
        let clauses: Vec<ClauseResult> = need.clauses.iter().map(|c| clause(c, test, sync)).collect();
        let outcome = clauses.iter().map(|c| c.outcome).min_by_key(|o| rank(*o)).unwrap_or(Outcome::Undecided);
        Checked { test, outcome, clauses }
    }

    /// Returns a text such as `gp2.txt does not meet it: p99 300 ms`.
    fn words(&self, case: &Case) -> Sentence {
        let measured = self.clauses.iter().filter(|c| c.outcome == self.outcome);
        let figure =
            |c: &ClauseResult| Sentence::concat([c.clause.metric.to_string().into(), " ".into(), c.measured.clone()]);
        let (result, figures) =
            (place(case, self.test), Sentence::join(measured.map(figure).collect::<Vec<_>>(), ", "));
        match self.outcome {
            Outcome::Pass => sentence!("need-other-meets", result, figures),
            Outcome::Fail => sentence!("need-other-misses", result, figures),
            Outcome::Undecided => sentence!("need-other-open", result, figures),
        }
    }
}

fn matches(need: &Need, test: &Test) -> bool {
    let blocks = match need.subject {
        NeedSubject::Blocks(blocks) => blocks,
        // These are IO500's names; mdtest's own output does not state the shape of its files.
        NeedSubject::Metadata(shape, phase) => {
            return test.test.name == format!("{}-{}", shape.name(), phase.io500_name());
        }
        NeedSubject::Database(_) => return false,
    };
    if blocks.mode == NeedMode::Fdatasync {
        let known = test.mean().is_some() || test.percentile(99.0).is_some() || test.rate().is_some();
        return test.is_sync() && test.one_block().is_some_and(|b| blocks.takes_block(Bytes(b))) && known;
    }
    let share = || test.reads().map(|r| r * 100.0);
    let mix = blocks.mode.read_percent().is_none_or(|p| share().is_some_and(|r| (r - f64::from(p)).abs() <= 2.0));
    let rw = if test.rw() == "readwrite" { "rw" } else { test.rw() };
    test.one_block() == Some(blocks.block.as_u64()) && rw == blocks.mode.name() && mix && test.rate().is_some()
}

fn long_enough(need: &Need, test: &Test) -> bool {
    need.lasting.is_none_or(|l| test.seconds().is_some_and(|s| s >= l.secs() * 0.999))
}

/// Checks a clause at a row. `sync` is the row of the syncs that follow each of its writes: a write ends with its sync.
fn clause(clause: &Clause, test: &Test, sync: Option<&Test>) -> ClauseResult {
    let (between, measured): (_, Option<Sentence>) = match clause.bound {
        Bound::Iops(_) => {
            let files = Quantity::Work(ForeignWork::Entries, Statistic::Overall);
            let files = || test.test.get(Way::All, files).map(|v| v.between);
            let between = test.corrected().map(|r| (r, r)).or_else(|| test.rate_between()).or_else(files);
            (between, between.map(|b| format!("{} IOPS", Iops((b.0 + b.1) / 2.0)).into()))
        }
        Bound::Bandwidth(_) => {
            let bandwidths: Vec<f64> = test.sides().iter().filter_map(DirectionResult::bandwidth).collect();
            let sum = bandwidths.iter().sum::<f64>();
            // The figure is exact if operations of one size were counted, otherwise it has the digits that the tool
            // printed.
            let slack = if test.sides().iter().all(|s| s.ops().is_some()) { 1e-4 } else { 5e-3 };
            let between = (!bandwidths.is_empty()).then_some((sum * (1.0 - slack), sum * (1.0 + slack)));
            (between, between.map(|_| super::format::rate(sum).into()))
        }
        Bound::Latency(_) => {
            let values = latencies(clause.metric, test);
            let interval = spread(clause.metric, &values, test);
            let between = match sync {
                Some(sync) => {
                    interval.zip(spread(clause.metric, &latencies(clause.metric, sync), sync)).map(|(write, sync)| {
                        // Means add up, but the slowest writes need not be those with the slowest syncs.
                        let least = if clause.metric == Metric::Mean { write.0 + sync.0 } else { write.0.max(sync.0) };
                        (least, write.1 + sync.1)
                    })
                }
                None => interval,
            };
            let is_open = !test.test.clones.is_empty() && matches!(clause.metric, Metric::Percentile(_));
            let text = |(low, high): (f64, f64)| match [low, high].map(|s| Nanos::from_secs_f64(s).to_string()) {
                [low, high] if is_open && low != high => sentence!("need-between", low, high),
                _ => Nanos::from_secs_f64((low + high) / 2.0).to_string().into(),
            };
            (between, between.map(text))
        }
    };
    // A percentile of too few operations is due to chance, on either side of the bound.
    let is_chance = matches!(clause.metric, Metric::Percentile(p) if test.sides().iter().any(|s| !s.rests(p)));
    let (outcome, measured) = match (between, measured) {
        (Some(_), Some(measured)) if is_chance => (Outcome::Undecided, sentence!("need-of-few", measured)),
        (Some((low, high)), Some(measured)) => {
            let (least, bound) = match clause.bound {
                Bound::Iops(v) => (true, v.per_second()),
                Bound::Bandwidth(v) => (true, v.per_second()),
                Bound::Latency(v) => (false, v.secs()),
            };
            let (good, bad) = if least { (low >= bound, high < bound) } else { (high <= bound, low > bound) };
            let outcome = if good {
                Outcome::Pass
            } else if bad {
                Outcome::Fail
            } else {
                Outcome::Undecided
            };
            (outcome, measured)
        }
        _ => (Outcome::Undecided, sentence!("need-not-told")),
    };
    ClauseResult { clause: *clause, outcome, measured }
}

/// Returns the figure of a metric in each direction.
fn latencies<'a>(metric: Metric, test: &Test<'a>) -> Vec<&'a ForeignValue> {
    let statistic = match metric {
        Metric::Mean => Statistic::Mean,
        Metric::Max => Statistic::Max,
        Metric::Percentile(p) => Statistic::Percentile(p),
        Metric::Iops | Metric::Bandwidth | Metric::DeviceWrites => return Vec::new(),
    };
    let latency_of = |way: Way, kind| test.test.get(way, Quantity::Latency(kind, statistic));
    let kinds = [ForeignLatency::Total, ForeignLatency::Completion];
    test.sides().iter().filter_map(|s| kinds.into_iter().find_map(|k| latency_of(s.way, k))).collect()
}

/// Returns the bounds of a metric over all directions: means are weighted by the rates, and for percentiles and maxima
/// the worst counts.
fn spread(metric: Metric, values: &[&ForeignValue], test: &Test) -> Option<(f64, f64)> {
    let sides = test.sides();
    if values.is_empty() || values.len() != sides.len() {
        return None;
    }
    // A single direction needs no weight.
    if let (Metric::Mean, [only]) = (metric, values) {
        return Some(only.between);
    }
    if metric == Metric::Mean {
        let total = test.rate()?;
        let weigh = |f: fn(&ForeignValue) -> f64| {
            values.iter().zip(&sides).map(|(v, s)| f(v) * s.rate().unwrap_or(0.0) / total).sum::<f64>()
        };
        return Some((weigh(|v| v.between.0), weigh(|v| v.between.1)));
    }
    let worst = |f: fn(&ForeignValue) -> f64| values.iter().map(|v| f(v)).fold(0.0, f64::max);
    Some((worst(|v| v.between.0), worst(|v| v.between.1)))
}
