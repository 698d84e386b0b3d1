//! Combines clones of a fio job that were reported one by one (`numjobs` without `group_reporting`) into one result.
//!
//! Clones of one reporting group start together and run at the same time; fio starts another group for jobs that run
//! later. A load's rate is the operations of all clones divided by the time of the longest. Its means are weighted by
//! operations, and its percentiles come from merged histograms. Without histograms a percentile lies between those of
//! the best and the worst clone.

use model::foreign::{ForeignFile, ForeignLatency, ForeignTest, ForeignValue, Quantity, Statistic, Way};
use model::{LatencyHistogram, distinct};
use std::borrow::Cow;

/// Number of clones whose words are quoted for a sum.
const QUOTED: usize = 2;

/// Returns the files with one test for each load; the files themselves if no file has clones.
pub(super) fn gather(files: &[ForeignFile]) -> Cow<'_, [ForeignFile]> {
    let groups: Vec<Vec<Vec<usize>>> = files.iter().map(groups).collect();
    if groups.iter().zip(files).all(|(groups, file)| groups.len() == file.tests.len()) {
        return Cow::Borrowed(files);
    }
    let gathered = files.iter().zip(groups).map(|(file, groups)| ForeignFile {
        tests: groups.iter().map(|group| load(&group.iter().map(|i| &file.tests[*i]).collect::<Vec<_>>())).collect(),
        ..file.clone()
    });
    Cow::Owned(gathered.collect())
}

/// Returns the tests of a file grouped by load, ordered by the first test of each.
fn groups(file: &ForeignFile) -> Vec<Vec<usize>> {
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for (i, test) in file.tests.iter().enumerate() {
        let is_clone = |group: &&mut Vec<usize>| are_clones(&file.tests[group[0]], test);
        match groups.iter_mut().filter(|_| file.format.starts_with("fio")).find(is_clone) {
            Some(group) => group.push(i),
            None => groups.push(vec![i]),
        }
    }
    groups
}

/// Returns `true` if fio reports both tests as single jobs of one section and one reporting group, in one report.
fn are_clones(a: &ForeignTest, b: &ForeignTest) -> bool {
    let other = |test: &'_ ForeignTest, names: &[&str]| {
        test.asked.others.iter().find(|(name, _)| names.contains(&name.as_str())).map(|(_, value)| value.clone())
    };
    let parameters = |t: &ForeignTest| {
        let asked = &t.asked;
        (asked.rw.clone(), asked.block, asked.depth, asked.engine.clone(), asked.jobs.unwrap_or(1))
    };
    let group = other(a, &["group", "groupid"]);
    group.is_some()
        && group == other(b, &["group", "groupid"])
        && a.name == b.name
        && parameters(a) == parameters(b)
        && a.asked.jobs.unwrap_or(1) == 1
        && other(a, &["reported"]) == other(b, &["reported"])
}

/// Returns the sum of clones.
fn load(clones: &[&ForeignTest]) -> ForeignTest {
    let first = clones[0];
    if clones.len() == 1 {
        return first.clone();
    }
    let mut sum = ForeignTest {
        name: first.name.clone(),
        line: first.line,
        asked: first.asked.clone(),
        clones: clones.iter().map(|c| (*c).clone()).collect(),
        ..ForeignTest::default()
    };
    sum.asked.jobs = u32::try_from(clones.len()).ok();
    sum.asked.others.retain(|other| clones.iter().all(|c| c.asked.others.contains(other)));
    sum.histograms = histograms(clones);
    for (way, of) in distinct(clones.iter().flat_map(|c| &c.values).map(|v| (v.way, v.of))) {
        sum.values.extend(value(clones, way, of, &sum.histograms));
    }
    for way in [Way::Read, Way::Write, Way::Trim, Way::Sync, Way::All] {
        sum.values.extend(shortest(clones, way));
    }
    sum
}

type Histograms = Vec<(Way, ForeignLatency, LatencyHistogram)>;

/// Returns the merged histograms of each direction in which all active clones have one.
fn histograms(clones: &[&ForeignTest]) -> Histograms {
    let mut merged: Histograms = Vec::new();
    for (way, kind) in distinct(clones.iter().flat_map(|c| &c.histograms).map(|(way, kind, _)| (way, kind))) {
        let histogram_of =
            |c: &&ForeignTest| c.histograms.iter().find(|(w, k, _)| (w, k) == (way, kind)).map(|(_, _, h)| h.clone());
        let active = clones.iter().filter(|c| operations(c, *way) > 0.0);
        let Some(parts) = active.map(histogram_of).collect::<Option<Vec<_>>>() else { continue };
        let mut sum = LatencyHistogram::default();
        parts.iter().for_each(|h| sum.merge(h));
        merged.push((*way, *kind, sum));
    }
    merged
}

/// Returns the operations of a clone in a direction: as counted, otherwise its rate times its run time.
fn operations(clone: &ForeignTest, way: Way) -> f64 {
    let by_rate = || Some(clone.value(way, Quantity::Iops(Statistic::Overall))? * clone.value(way, Quantity::Runtime)?);
    match way {
        Way::All if clone.value(way, Quantity::Operations).is_none() => {
            [Way::Read, Way::Write, Way::Trim].iter().map(|way| operations(clone, *way)).sum()
        }
        _ => clone.value(way, Quantity::Operations).or_else(by_rate).unwrap_or(0.0),
    }
}

/// Returns the seconds that a clone ran.
fn runtime(clone: &ForeignTest) -> f64 {
    let runtimes = clone.values.iter().filter(|v| v.of == Quantity::Runtime);
    runtimes.filter_map(|v| v.value).fold(0.0, f64::max)
}

/// Returns one figure of a load; `None` if it does not follow from the figures of its clones.
fn value(clones: &[&ForeignTest], way: Way, of: Quantity, histograms: &Histograms) -> Option<ForeignValue> {
    let values: Vec<(&ForeignTest, &ForeignValue)> =
        clones.iter().filter_map(|c| Some((*c, c.get(way, of)?))).collect();
    let Some((_, first)) = values.first() else {
        // None of the clones measured this figure.
        return clones.iter().flat_map(|c| &c.values).find(|v| (v.way, v.of) == (way, of)).cloned();
    };
    let quoted: Vec<&str> = values.iter().take(QUOTED).map(|(_, v)| v.words.as_str()).collect();
    let words = if values.len() > QUOTED { format!("{} + ...", quoted.join(" + ")) } else { quoted.join(" + ") };
    let new = |value: f64, between| ForeignValue { value: Some(value), between, words, ..(*first).clone() };
    let known = |v: &ForeignValue| v.value.unwrap_or_default();
    let sum = |weight: &dyn Fn(&ForeignTest) -> f64| {
        let total = |figure: fn(&ForeignValue) -> f64| values.iter().map(|(c, v)| weight(c) * figure(v)).sum::<f64>();
        (total(|v| v.value.unwrap_or_default()), (total(|v| v.between.0), total(|v| v.between.1)))
    };
    let active = || clones.iter().filter(|c| operations(c, way) > 0.0);
    let is_complete = active().all(|c| c.get(way, of).is_some());
    // Shares of a quantity that each clone has, such as its operations or its time.
    let mean = |weight: &dyn Fn(&ForeignTest) -> f64, of: &dyn Fn() -> f64| {
        let total = of();
        (total > 0.0).then(|| sum(&|c| weight(c) / total))
    };
    let extreme = |is_worst: bool| {
        let by =
            |a: &&(&ForeignTest, &ForeignValue), b: &&(&ForeignTest, &ForeignValue)| known(a.1).total_cmp(&known(b.1));
        let chosen = if is_worst { values.iter().max_by(by) } else { values.iter().min_by(by) };
        chosen.map(|(_, v)| (*v).clone())
    };
    let longest = clones.iter().map(|c| runtime(c)).fold(0.0, f64::max);
    match of {
        Quantity::Errors => match first.words.starts_with("total") {
            true => Some(sum(&|_| 1.0)).map(|(v, b)| new(v, b)),
            false => Some((*first).clone()),
        },
        Quantity::Operations
        | Quantity::Moved
        | Quantity::ContextSwitches
        | Quantity::Merges
        | Quantity::DeviceTime
        | Quantity::InFlight
        | Quantity::Work(..)
        | Quantity::OfBlocks(..) => Some(sum(&|_| 1.0)).map(|(v, b)| new(v, b)),
        Quantity::Runtime => extreme(true),
        Quantity::ShortestRuntime => extreme(false),
        // Over the time of the longest clone, like the operations.
        Quantity::Iops(Statistic::Overall) | Quantity::Bandwidth(Statistic::Overall) => {
            let share = |c: &ForeignTest| if longest > 0.0 && runtime(c) > 0.0 { runtime(c) / longest } else { 1.0 };
            Some(sum(&share)).map(|(v, b)| new(v, b))
        }
        Quantity::Iops(Statistic::Mean | Statistic::Samples)
        | Quantity::Bandwidth(Statistic::Mean | Statistic::Samples) => {
            is_complete.then(|| sum(&|_| 1.0)).map(|(v, b)| new(v, b))
        }
        Quantity::Latency(_, _) if !is_complete => None,
        Quantity::Latency(_, Statistic::Samples) => Some(sum(&|_| 1.0)).map(|(v, b)| new(v, b)),
        Quantity::Latency(_, Statistic::Max) => extreme(true),
        Quantity::Latency(_, Statistic::Min) => extreme(false),
        Quantity::Latency(_, Statistic::Mean | Statistic::Overall) => {
            let total = || values.iter().map(|(c, _)| operations(c, way)).sum();
            mean(&|c| operations(c, way), &total).map(|(v, b)| new(v, b))
        }
        Quantity::Latency(kind, Statistic::Percentile(p)) => {
            let merged = histograms.iter().find(|(w, k, _)| (*w, *k) == (way, kind));
            let exact = merged.and_then(|(_, _, h)| h.quantile(p / 100.0)).map(|n| n.secs());
            let (low, high) = (extreme(false)?, extreme(true)?);
            match exact {
                Some(exact) => Some(new(exact, (exact, exact))),
                None => Some(ForeignValue { between: (low.between.0, high.between.1), ..high }),
            }
        }
        Quantity::LatencyShare(..) | Quantity::DepthShare(_) => {
            let total = || clones.iter().map(|c| operations(c, way)).sum();
            mean(&|c| operations(c, way), &total).map(|(v, b)| new(v, b))
        }
        Quantity::CpuUser | Quantity::CpuSystem => {
            let total = || values.iter().map(|(c, _)| runtime(c)).sum();
            mean(&runtime, &total).map(|(v, b)| new(v, b))
        }
        // Extremes and deviations of samples do not add up.
        Quantity::Iops(_)
        | Quantity::Bandwidth(_)
        | Quantity::Latency(..)
        | Quantity::Utilisation
        | Quantity::Exceeded(..) => None,
    }
}

/// Returns the run time of the clone that ended first, if the clones ended at different times.
fn shortest(clones: &[&ForeignTest], way: Way) -> Option<ForeignValue> {
    let times = || clones.iter().filter_map(|c| c.get(way, Quantity::Runtime));
    let by = |a: &&ForeignValue, b: &&ForeignValue| a.value.unwrap_or(0.0).total_cmp(&b.value.unwrap_or(0.0));
    let (low, high) = (times().min_by(by)?, times().max_by(by)?);
    (low.value < high.value).then(|| ForeignValue { of: Quantity::ShortestRuntime, ..low.clone() })
}
