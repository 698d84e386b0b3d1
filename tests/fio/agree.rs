//! Comparison of the results of one case: one row for each check.

use super::case::{Case, Check};
use super::fio_json::{FioJson, Job};
use super::programs::Outcome;
use super::table::{Row, short};

/// Runs of one case by each program, in chronological order.
#[derive(Default)]
pub struct Runs {
    pub fio: Vec<Outcome>,
    pub ours: Vec<Outcome>,
}

/// Returns every row of a case.
pub fn rows(case: &Case, runs: &Runs) -> Vec<Row> {
    let (Some(fio), Some(ours)) = (runs.fio.last(), runs.ours.last()) else { return Vec::new() };
    let mut rows = Vec::new();
    if case.checks.contains(&Check::Exit) {
        rows.push(exit(fio, ours));
    }
    if let Some(Check::Refused(word)) = case.checks.first() {
        rows.push(refused(fio, ours, word));
        return named(case, rows);
    }
    let fails_on_purpose = case.checks == [Check::Exit] && !fio.ended.good;
    if !fails_on_purpose {
        let (theirs, own) = match (&fio.told, &ours.told) {
            (Ok(theirs), Ok(own)) => (theirs, own),
            (theirs, own) => {
                let said = |told: &Result<FioJson, String>| told.as_ref().err().cloned().unwrap_or("told".to_owned());
                rows.push(
                    Row::agreed("document", clip(&said(theirs)), clip(&said(own))).wrong_unless(false, "no answer"),
                );
                return named(case, rows);
            }
        };
        rows.extend(shape(case, theirs, own));
        for check in &case.checks {
            match check {
                Check::Counts(within) => rows.extend(counts(theirs, own, *within)),
                Check::Split(asked) => rows.push(split(theirs, own, *asked)),
                Check::Rate(within) => rows.extend(rate(runs, *within)),
                Check::RateAsked { asked, bytes } => rows.push(rate_asked(theirs, own, *asked, *bytes)),
                Check::Runtime(within) => rows.extend(runtime(runs, *within)),
                Check::Latency { within, mean_only } => rows.extend(latency(runs, *within, *mean_only)),
                Check::Files => rows.push(files(fio, ours)),
                Check::Logs => rows.extend(logs(fio, ours)),
                Check::Depth => rows.push(depth(theirs, own)),
                Check::Syncs => rows.push(syncs(theirs, own)),
                Check::Percentiles => rows.push(percentiles(theirs, own)),
                Check::Steady => rows.push(steady(theirs, own)),
                Check::Exit | Check::Refused(_) => {}
            }
        }
    }
    named(case, rows)
}

fn named(case: &Case, mut rows: Vec<Row>) -> Vec<Row> {
    for row in &mut rows {
        row.case.clone_from(&case.name);
        if row.wrong.is_some() && !case.expects(row.what.split_whitespace().next().unwrap_or_default()) {
            row.wrong = None;
            row.what.push_str(" (aside)");
        }
    }
    rows
}

fn clip(text: &str) -> String {
    let line = text.replace('\n', " ");
    if line.chars().count() > 120 { line.chars().take(117).chain("...".chars()).collect() } else { line }
}

fn exit(fio: &Outcome, ours: &Outcome) -> Row {
    let describe = |o: &Outcome| {
        let errors: Vec<String> = o.told.iter().flat_map(|t| &t.jobs).map(|j| j.error.to_string()).collect();
        let code = o.ended.code.map_or("killed".to_owned(), |c| c.to_string());
        if errors.is_empty() { code } else { format!("{code}, errors {}", errors.join(" ")) }
    };
    let errors = |o: &Outcome| -> Vec<i64> { o.told.iter().flat_map(|t| &t.jobs).map(|j| j.error).collect() };
    let good = fio.ended.good == ours.ended.good;
    let same = fio.told.is_err() || ours.told.is_err() || errors(fio) == errors(ours);
    let reason = if good { "errors of jobs".to_owned() } else { clip(&ours.ended.output()) };
    Row::agreed("exit", describe(fio), describe(ours)).wrong_unless(good && same, reason)
}

fn refused(fio: &Outcome, ours: &Outcome, word: &str) -> Row {
    let said = &ours.ended.stderr;
    let good =
        ours.ended.code == Some(64) && said.lines().count() == 1 && said.contains(word) && ours.files == fio.made;
    let fio_exit = format!("exit {}", fio.ended.code.unwrap_or(-1));
    Row::agreed("refused", fio_exit, clip(said.trim())).wrong_unless(good, format!("exit {:?}", ours.ended.code))
}

/// Compares the keys: every key that fio writes must exist with the same type; additional keys are allowed.
fn shape(case: &Case, fio: &FioJson, ours: &FioJson) -> Vec<Row> {
    // Percentile lists are compared only if the case expects it; empty parts have no keys.
    let matters = |key: &&String| !key.contains(".percentile") || case.checks.contains(&Check::Percentiles);
    let missing: Vec<&String> = fio.shape.difference(&ours.shape).filter(matters).collect();
    if missing.is_empty() {
        return Vec::new();
    }
    let names = missing.iter().take(4).map(|k| k.as_str()).collect::<Vec<_>>().join(", ");
    let row = Row::agreed("keys", fio.shape.len().to_string(), ours.shape.len().to_string());
    vec![row.wrong_unless(false, format!("{} not there: {names}", missing.len()))]
}

/// Returns the jobs in pairs by position, in the order of the documents; `None` if they differ in number, name or
/// group.
fn pairs<'a>(fio: &'a FioJson, ours: &'a FioJson) -> Option<Vec<(&'a Job, &'a Job)>> {
    let alike = fio.jobs.len() == ours.jobs.len();
    let pairs: Vec<_> = fio.jobs.iter().zip(&ours.jobs).collect();
    (alike && pairs.iter().all(|(a, b)| a.name == b.name && a.group == b.group)).then_some(pairs)
}

fn counts(fio: &FioJson, ours: &FioJson, within: Option<f64>) -> Vec<Row> {
    let Some(pairs) = pairs(fio, ours) else {
        let list = |t: &FioJson| t.jobs.iter().map(|j| format!("{}/{}", j.name, j.group)).collect::<Vec<_>>().join(" ");
        return vec![Row::agreed("jobs", list(fio), list(ours)).wrong_unless(false, "other jobs or groups")];
    };
    let describe = |j: &Job| {
        let parts = j.directions().map(|(name, d)| (name, d.ios, d.bytes));
        let parts = parts.iter().filter(|p| p.1 > 0.0).map(|(n, ios, bytes)| format!("{n} {ios} ios {bytes} B"));
        let text = parts.collect::<Vec<_>>().join(", ");
        if text.is_empty() { "nothing".to_owned() } else { text }
    };
    let near = |a: f64, b: f64| (a - b).abs() <= within.unwrap_or(0.0) * a.max(b);
    let mut rows = Vec::new();
    for (a, b) in &pairs {
        let good = a
            .directions()
            .iter()
            .zip(b.directions())
            .all(|((_, x), (_, y))| near(x.ios, y.ios) && near(x.bytes, y.bytes));
        let ios = |j: &Job| j.directions().iter().map(|(_, d)| d.ios).sum::<f64>();
        let row = Row::agreed(format!("counts {}", a.name), describe(a), describe(b)).ratio(ios(a), ios(b));
        rows.push(row.wrong_unless(good, "other counts"));
    }
    // If all jobs agree, one row is enough.
    if rows.len() > 1 && rows.iter().all(|r| r.wrong.is_none()) {
        let total = |t: &FioJson| {
            let sum = |pick: fn(&Job) -> f64| t.jobs.iter().map(pick).sum::<f64>();
            let (reads, writes, trims) = (sum(|j| j.reads.ios), sum(|j| j.writes.ios), sum(|j| j.trims.ios));
            (format!("{} jobs: {reads} r, {writes} w, {trims} t", t.jobs.len()), reads + writes + trims)
        };
        let ((a, x), (b, y)) = (total(fio), total(ours));
        return vec![Row::agreed("counts", a, b).ratio(x, y)];
    }
    rows
}

fn sum(told: &FioJson, pick: fn(&Job) -> f64) -> f64 {
    told.jobs.iter().map(pick).sum()
}

/// Compares the share of reads with the other program's and with the expected one, within four standard errors.
fn split(fio: &FioJson, ours: &FioJson, asked: Option<f64>) -> Row {
    let share = |t: &FioJson| {
        let (reads, writes) = (sum(t, |j| j.reads.ios), sum(t, |j| j.writes.ios));
        (reads / (reads + writes).max(1.0), reads + writes)
    };
    let ((a, n), (b, m)) = (share(fio), share(ours));
    let p = (a * n + b * m) / (n + m).max(1.0);
    let error = 4.0 * (p * (1.0 - p) * (1.0 / n.max(1.0) + 1.0 / m.max(1.0))).sqrt();
    let near =
        |share: f64, n: f64| asked.is_none_or(|p| (share - p).abs() <= 4.0 * (p * (1.0 - p) / n.max(1.0)).sqrt());
    let percent = |p: f64| format!("{:.2} % reads", p * 100.0);
    let row = Row::agreed("split", percent(a), percent(b)).ratio(a, b);
    // fio's share may deviate from the expected one because of rates or seeds; ours may not deviate from both.
    row.wrong_unless((a - b).abs() <= error || (near(b, m) && !near(a, n)), format!("more than {:.2} %", error * 100.0))
}

/// Median of the figures of all runs, their range, and the range relative to the median.
struct Spread {
    median: f64,
    lowest: f64,
    highest: f64,
    apart: f64,
}

fn spread(mut figures: Vec<f64>) -> Option<Spread> {
    figures.retain(|f| f.is_finite() && *f > 0.0);
    figures.sort_by(f64::total_cmp);
    let (first, last) = (*figures.first()?, *figures.last()?);
    let (low, high) = (figures[(figures.len() - 1) / 2], figures[figures.len() / 2]);
    let median = f64::midpoint(low, high);
    Some(Spread { median, lowest: first, highest: last, apart: (last - first) / median })
}

fn compare(what: &str, runs: &Runs, within: f64, pick: impl Fn(&FioJson) -> f64) -> Option<Row> {
    let figures =
        |outcomes: &[Outcome]| spread(outcomes.iter().filter_map(|o| Some(pick(o.told.as_ref().ok()?))).collect());
    let (a, b) = match (figures(&runs.fio), figures(&runs.ours)) {
        (None, None) => return None,
        (Some(a), Some(b)) => (a, b),
        (a, b) => {
            let text = |s: Option<Spread>| s.map_or("none".to_owned(), |s| short(s.median));
            let row = Row { gross: true, ..Row::agreed(what, text(a), text(b)) };
            return Some(row.wrong_unless(false, "only one tells a figure"));
        }
    };
    let describe = |s: &Spread| format!("{} ±{:.0} %", short(s.median), s.apart * 50.0);
    let allowed = within.max(a.apart.max(b.apart) / 2.0);
    let good = (b.median / a.median).ln().abs() <= (1.0 + allowed).ln();
    let row = Row::agreed(what, describe(&a), describe(&b)).ratio(a.median, b.median);
    // A disk that stalls in one run is no difference between the programs.
    let row = Row { gross: b.lowest > 2.0 * a.highest || a.lowest > 2.0 * b.highest, ..row };
    Some(row.wrong_unless(good, format!("more than {:.0} %", allowed * 100.0)))
}

fn rate(runs: &Runs, within: f64) -> Vec<Row> {
    let total = |t: &FioJson, pick: fn(&super::fio_json::Direction) -> f64| -> f64 {
        t.jobs.iter().flat_map(|j| j.directions().map(|(_, d)| pick(d))).sum()
    };
    let iops = compare("iops", runs, within, |t| total(t, |d| d.iops));
    let bandwidth = compare("bytes/s", runs, within, |t| total(t, |d| d.bytes_a_second));
    iops.into_iter().chain(bandwidth).collect()
}

fn rate_asked(fio: &FioJson, ours: &FioJson, asked: f64, bytes: bool) -> Row {
    let total = |t: &FioJson| -> f64 {
        let directions = t.jobs.iter().flat_map(|j| j.directions().map(|(_, d)| d.clone()));
        directions.map(|d| if bytes { d.bytes_a_second } else { d.iops }).sum()
    };
    let (a, b) = (total(fio), total(ours));
    let near = |figure: f64| (figure / asked - 1.0).abs() <= 0.02;
    let row = Row::agreed(format!("rate-asked {}", short(asked)), short(a), short(b)).ratio(a, b);
    // Even if fio itself does not hold the rate, the requested rate is known.
    row.wrong_unless(near(b), "more than 2 % from what was asked")
}

/// Compares the two runs whose runtimes are most similar: a disk that stalls prolongs single runs of either program.
fn runtime(runs: &Runs, within: f64) -> Option<Row> {
    let runtimes = |outcomes: &[Outcome]| -> Vec<f64> {
        let documents = outcomes.iter().filter_map(|o| o.told.as_ref().ok());
        let longest =
            |t: &FioJson| t.jobs.iter().flat_map(|j| j.directions().map(|(_, d)| d.runtime_ms)).fold(0.0, f64::max);
        documents.map(longest).collect()
    };
    let ours = runtimes(&runs.ours);
    let pairs = runtimes(&runs.fio).into_iter().flat_map(|a| ours.iter().map(move |b| (a, *b)));
    let (a, b) = pairs.min_by(|x, y| (x.0 - x.1).abs().total_cmp(&(y.0 - y.1).abs()))?;
    let good = (a - b).abs() <= (0.05 * a).max(within);
    let row = Row::agreed("runtime", format!("{a} ms"), format!("{b} ms")).ratio(a, b);
    Some(row.wrong_unless(good, format!("more than 5 % and {within} ms")))
}

fn latency(runs: &Runs, within: f64, mean_only: bool) -> Vec<Row> {
    let mut rows = Vec::new();
    let pick = |t: &FioJson, write: bool, key: &str| -> f64 {
        let direction = t.jobs.iter().map(|j| if write { &j.writes } else { &j.reads }).find(|d| d.ios > 0.0);
        direction.map_or(0.0, |d| match key {
            "" => d.mean_ns,
            key => d.percentiles.iter().find(|(k, _)| k == key).map_or(0.0, |(_, v)| *v),
        })
    };
    for (write, way) in [(false, "read"), (true, "write")] {
        // A tail of few operations is random: it may differ more.
        for (key, name, times) in [("", "mean", 1.0), ("50.000000", "p50", 1.0), ("99.000000", "p99", 2.0)] {
            if mean_only && name != "mean" {
                continue;
            }
            let what = format!("latency {way} {name}, ns");
            rows.extend(compare(&what, runs, within * times, |t| pick(t, write, key)));
        }
    }
    rows
}

fn files(fio: &Outcome, ours: &Outcome) -> Row {
    let describe = |o: &Outcome| {
        let bytes: u64 = o.files.values().sum();
        format!("{} files, {bytes} B", o.files.len())
    };
    let other = |a: &Outcome, b: &Outcome| -> Option<String> {
        a.files.iter().find(|(name, size)| b.files.get(*name) != Some(size)).map(|(n, s)| format!("{n} {s}"))
    };
    let reason = match (other(fio, ours), other(ours, fio)) {
        (Some(theirs), Some(own)) => format!("fio's {theirs}, our {own}"),
        (Some(theirs), None) => format!("fio's {theirs} is missing"),
        (None, own) => format!("our {} is too much", own.unwrap_or_default()),
    };
    Row::agreed("files", describe(fio), describe(ours)).wrong_unless(fio.files == ours.files, reason)
}

fn logs(fio: &Outcome, ours: &Outcome) -> Vec<Row> {
    let names = |o: &Outcome| o.logs.keys().cloned().collect::<Vec<_>>();
    let (a, b) = (names(fio), names(ours));
    let missing = a.iter().find(|n| !b.contains(n)).map(|n| format!("{n} is missing"));
    let excess = b.iter().find(|n| !a.contains(n)).map(|n| format!("{n} is too much"));
    let reason = missing.or(excess).unwrap_or_default();
    let none = if a.is_empty() { "fio wrote none".to_owned() } else { reason };
    let row = Row::agreed("logs", format!("{} logs", a.len()), format!("{} logs", b.len()));
    let mut rows = vec![row.wrong_unless(a == b && !a.is_empty(), none)];
    let columns = |lines: &[String]| lines.first().map_or(0, |l| l.split(", ").count());
    for (name, theirs) in &fio.logs {
        let Some(own) = ours.logs.get(name) else { continue };
        let (a, b) = (theirs.len() as f64, own.len() as f64);
        let good = columns(theirs) == columns(own) && (a - b).abs() <= (0.1 * a).max(2.0);
        let describe = |lines: &[String]| format!("{} rows of {}", lines.len(), columns(lines));
        let reason = format!("fio's first `{}`, ours `{}`", first(theirs), first(own));
        rows.push(
            Row::agreed(format!("logs {name}"), describe(theirs), describe(own)).ratio(a, b).wrong_unless(good, reason),
        );
    }
    if rows.iter().all(|r| r.wrong.is_none()) {
        let count = |o: &Outcome| o.logs.values().map(Vec::len).sum::<usize>() as f64;
        let (a, b) = (count(fio), count(ours));
        let describe = |o: &Outcome, rows: f64| format!("{} logs, {rows} rows", o.logs.len());
        return vec![Row::agreed("logs", describe(fio, a), describe(ours, b)).ratio(a, b)];
    }
    rows
}

fn first(lines: &[String]) -> String {
    lines.first().map_or(String::new(), |l| l.chars().take(60).collect())
}

fn depth(fio: &FioJson, ours: &FioJson) -> Row {
    let mut worst = 0.0_f64;
    for (a, b) in fio.jobs.iter().zip(&ours.jobs) {
        let share = |job: &Job, key: &str| job.depths.iter().find(|(k, _)| k == key).map_or(0.0, |(_, v)| *v);
        let apart: f64 = a.depths.iter().map(|(k, v)| (v - share(b, k)).abs()).sum();
        worst = worst.max(apart / 2.0);
    }
    let most = |t: &FioJson| {
        let job = t.jobs.first();
        let deepest = job.and_then(|j| j.depths.iter().max_by(|a, b| a.1.total_cmp(&b.1)));
        deepest.map_or("none".to_owned(), |(k, v)| format!("{k}: {v:.1} %"))
    };
    Row::agreed("depth", most(fio), most(ours)).wrong_unless(worst <= 10.0, format!("{worst:.1} points apart"))
}

fn syncs(fio: &FioJson, ours: &FioJson) -> Row {
    let (a, b) = (sum(fio, |j| j.syncs), sum(ours, |j| j.syncs));
    Row::agreed("syncs", a.to_string(), b.to_string()).ratio(a, b).wrong_unless(a == b, "other flushes")
}

fn percentiles(fio: &FioJson, ours: &FioJson) -> Row {
    let keys = |t: &FioJson| -> Vec<String> {
        let directions = t.jobs.iter().flat_map(|j| j.directions().map(|(_, d)| d.percentiles.clone()));
        directions.flatten().map(|(k, _)| k).collect()
    };
    let (a, b) = (keys(fio), keys(ours));
    let describe = |k: &[String]| format!("{} keys", k.len());
    Row::agreed("percentiles", describe(&a), describe(&b)).wrong_unless(a == b, "other percentiles")
}

fn steady(fio: &FioJson, ours: &FioJson) -> Row {
    let states = |t: &FioJson| t.jobs.iter().map(|j| j.steady.clone()).collect::<Vec<_>>();
    let (a, b) = (states(fio), states(ours));
    let describe = |s: &[Option<(bool, String)>]| match s.first() {
        Some(Some((attained, criterion))) => {
            format!("{} {criterion}", if *attained { "reached" } else { "not reached" })
        }
        _ => "none told".to_owned(),
    };
    let attained = |s: &[Option<(bool, String)>]| s.iter().map(|s| s.as_ref().map(|s| s.0)).collect::<Vec<_>>();
    let row = Row::agreed("steady", describe(&a), describe(&b));
    row.wrong_unless(attained(&a) == attained(&b) && a.iter().any(Option::is_some), "other states")
}

/// Checks that neighbours on the machine can affect.
const NOISY: [&str; 8] = ["iops", "bytes/s", "rate-asked", "runtime", "latency", "logs", "depth", "steady"];

/// Returns `true` if further runs might separate noise from a difference: only noisy checks disagree.
pub fn may_be_chance(rows: &[Row]) -> bool {
    let wrong: Vec<&Row> = rows.iter().filter(|r| r.wrong.is_some()).collect();
    // A disk that delays reads for seconds has only operations of one kind in flight.
    !wrong.is_empty() && wrong.iter().all(|r| is_noisy(r) || r.what.starts_with("split"))
}

fn is_noisy(row: &Row) -> bool {
    NOISY.iter().any(|n| row.what.starts_with(n))
}

/// Returns `true` if a row that still disagrees after all rounds fails the test. Counts, names and exit codes always
/// do. Noisy checks fail only if they differ by a factor of two or are missing: smaller differences are printed in the
/// table, and fail with `SECCHI_FIO_STRICT` on a quiet machine.
pub fn fails(row: &Row) -> bool {
    row.wrong.is_some() && (!is_noisy(row) || row.gross || std::env::var_os("SECCHI_FIO_STRICT").is_some())
}
