//! Needs against the rows of the table. A row whose rounding straddles a bound decides nothing; nor does one that is not usable.

use super::case::{Case, DirectionResult, Test};
use messages::sentence;
use model::{
    Bound, Clause, ClauseResult, ForeignLatency, ForeignRow, ForeignValue, ForeignWork, Iops, Metric, Nanos, Need,
    NeedResult, Outcome, Quantity, Sentence, Statistic, Way,
};

/// Checks one need against all rows of its workload.
pub(super) fn check(need: &Need, case: &Case, rows: &[ForeignRow]) -> NeedResult {
    let result =
        |outcome, depth, clauses, why: Sentence| NeedResult { text: need.text.clone(), outcome, depth, clauses, why };
    let of: Vec<&Test> = case.tests.iter().filter(|t| matches(need, t)).collect();
    let usable: Vec<&&Test> = of.iter().filter(|t| rows[t.index].struck.is_none() && long_enough(need, t)).collect();
    if usable.is_empty() {
        let why = match of.first() {
            None => sentence!("need-of-no-result", workload = need.workload()),
            Some(t) => match &rows[t.index].struck {
                Some(id) => sentence!("need-of-unusable", result = t.title(), id),
                None => sentence!("need-ran-shorter", result = t.title()),
            },
        };
        return result(Outcome::Undecided, None, Vec::new(), why);
    }
    // Every clause at the same row; the best row counts.
    let checked = usable.iter().map(|t| (t, need.clauses.iter().map(|c| clause(c, t)).collect::<Vec<_>>()));
    let rank = |all: &[ClauseResult]| {
        let has = |o: Outcome| all.iter().any(|c| c.outcome == o);
        if has(Outcome::Fail) {
            (0, Outcome::Fail)
        } else if has(Outcome::Undecided) {
            (1, Outcome::Undecided)
        } else {
            (2, Outcome::Pass)
        }
    };
    let Some((test, clauses)) = checked.max_by_key(|(_, all)| rank(all).0) else {
        return result(Outcome::Undecided, None, Vec::new(), Sentence::default());
    };
    let outcome = rank(&clauses).1;
    let depth = test.concurrency().map(|n| n as u32);
    result(outcome, depth, clauses, sentence!("need-by", result = test.title()))
}

fn matches(need: &Need, test: &Test) -> bool {
    if let Some((shape, phase)) = need.metadata() {
        // IO500's names; mdtest's own text does not say of which shape its files are.
        return test.test.name == format!("{}-{}", shape.name(), phase.io500_name());
    }
    let share = || test.reads().map(|r| r * 100.0);
    let mix = need.read_percent.is_none_or(|p| share().is_some_and(|r| (r - f64::from(p)).abs() <= 2.0));
    let rw = |word: &str| if word == "readwrite" { "rw".to_owned() } else { word.to_owned() };
    test.one_block() == Some(need.block.as_u64()) && rw(test.rw()) == rw(&need.rw) && mix && test.rate().is_some()
}

fn long_enough(need: &Need, test: &Test) -> bool {
    need.lasting.is_none_or(|l| test.seconds().is_some_and(|s| s >= l.secs() * 0.999))
}

fn clause(clause: &Clause, test: &Test) -> ClauseResult {
    let (between, measured): (_, Option<Sentence>) = match clause.bound {
        Bound::Iops(_) => {
            let files = Quantity::Work(ForeignWork::Entries, Statistic::Overall);
            let files = || test.test.get(Way::All, files).map(|v| v.between);
            let between = test.corrected().map(|r| (r, r)).or_else(|| test.rate_between()).or_else(files);
            (between, between.map(|b| format!("{} IOPS", Iops((b.0 + b.1) / 2.0)).into()))
        }
        Bound::Bandwidth(_) => {
            let all: Vec<f64> = test.sides().iter().filter_map(DirectionResult::bandwidth).collect();
            let sum = all.iter().sum::<f64>();
            // Exact where operations of one size were counted, else to the digits that the tool printed.
            let slack = if test.sides().iter().all(|s| s.ops().is_some()) { 1e-4 } else { 5e-3 };
            let between = (!all.is_empty()).then_some((sum * (1.0 - slack), sum * (1.0 + slack)));
            (between, between.map(|_| super::format::rate(sum).into()))
        }
        Bound::Latency(_) => {
            let values = latencies(clause.metric, test);
            let between = spread(clause.metric, &values, test);
            let is_open = !test.test.clones.is_empty() && matches!(clause.metric, Metric::Percentile(_));
            let text = |(low, high): (f64, f64)| match [low, high].map(|s| Nanos::from_secs_f64(s).to_string()) {
                [low, high] if is_open && low != high => sentence!("need-between", low, high),
                _ => Nanos::from_secs_f64((low + high) / 2.0).to_string().into(),
            };
            (between, between.map(text))
        }
    };
    // A percentile of too few operations is chance, whatever side of the bound it is on.
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

/// The figure of each direction.
fn latencies<'a>(metric: Metric, test: &Test<'a>) -> Vec<&'a ForeignValue> {
    let statistic = match metric {
        Metric::Mean => Statistic::Mean,
        Metric::Max => Statistic::Max,
        Metric::Percentile(p) => Statistic::Percentile(p),
        Metric::Iops | Metric::Bandwidth | Metric::DeviceWrites => return Vec::new(),
    };
    let of = |way: Way, kind| test.test.get(way, Quantity::Latency(kind, statistic));
    let kinds = [ForeignLatency::Total, ForeignLatency::Completion];
    test.sides().iter().filter_map(|s| kinds.into_iter().find_map(|k| of(s.way, k))).collect()
}

/// Of several directions the mean is weighed with their rates; of percentiles and maxima the worst counts.
fn spread(metric: Metric, values: &[&ForeignValue], test: &Test) -> Option<(f64, f64)> {
    let sides = test.sides();
    if values.is_empty() || values.len() != sides.len() {
        return None;
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
