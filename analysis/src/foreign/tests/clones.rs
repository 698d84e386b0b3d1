//! Clones that fio 3.33 reported one by one form one load. `clones.txt` and `clones.json` contain three such clones,
//! and after them two clones or one of a section with the same name that ran later.

use super::*;

const TEXT: &str = include_str!("recorded/clones/clones.txt");
const JSON: &str = include_str!("recorded/clones/clones.json");
const BINS: &str = include_str!("recorded/clones/clones-plus.json");
const TERSE: &str = include_str!("recorded/clones/clones.terse");
const GROUPED: &str = include_str!("recorded/clones/grouped.txt");

fn rows(judgement: &ForeignJudgement) -> Vec<(u32, Option<u32>, i64)> {
    let row = |r: &ForeignRow| (r.line, r.jobs, (r.iops.unwrap_or_default() / 100.0).round() as i64);
    let mut rows: Vec<_> = judgement.rows.iter().map(row).collect();
    rows.sort_unstable();
    rows
}

fn outcome(files: &[ForeignFile], need: &str) -> model::judged::NeedResult {
    let needs = needs(&[need]);
    judge_foreign(files, &ForeignRequest { needs: &needs, ..ForeignRequest::default() }).needs.remove(0)
}

#[test]
fn a_load_is_the_sum_of_clones_of_one_group_and_of_one_report() {
    assert_eq!(rows(&judged(&[read("t", TEXT)], &[])), [(8, Some(3), 527), (74, Some(2), 415)]);
    assert_eq!(rows(&judged(&[read("g", GROUPED)], &[])), [(6, Some(3), 527)]);
    assert_eq!(judged(&[read("t", TERSE)], &[]).rows.len(), 1);
    // Two reports in one file, and the same jobs in two files, are separate loads.
    let twice = format!("{TERSE}{}", TERSE.replace(";vda;", ";vdb;"));
    assert_eq!(judged(&[read("t", &twice)], &[]).rows.len(), 2);
    assert_eq!(judged(&[read("a", JSON), read("b", JSON)], &[]).rows.len(), 4);
    // Without device counts it is unknown whether lines with one name belong to one run.
    let bare: Vec<&str> = TERSE.lines().map(|l| l.split(";vda;").next().unwrap_or(l)).collect();
    assert_eq!(judged(&[read("t", &bare.join("\n"))], &[]).rows.len(), 3);
}

#[test]
fn needs_and_limits_are_judged_by_the_load() {
    for text in [TEXT, JSON, GROUPED] {
        let file = [read("x", text)];
        assert_eq!(outcome(&file, "8k randread: iops>=45000").outcome, Outcome::Pass);
        assert_eq!(outcome(&file, "8k randread: iops>=60000").outcome, Outcome::Fail);
        assert_eq!(outcome(&file, "8k randread: iops>=45000").depth, Some(12));
    }
    let judgement = judged(&[read("x", TEXT)], &["volume iops=52600"]);
    let row = judgement.rows.iter().find(|r| r.jobs == Some(3)).expect("the load");
    assert!(row.binds.contains("IOPS"), "{}", row.binds);
    assert!((row.in_flight.expect("a mean latency") - 12.0).abs() < 0.1, "{row:?}");
}

#[test]
fn a_percentile_of_clones_is_decided_by_the_best_and_the_worst_only() {
    let mut file = read("x", TEXT);
    let p99 = Quantity::Latency(ForeignLatency::Completion, Statistic::Percentile(99.0));
    for (test, value) in file.tests.iter_mut().zip([0.001, 0.002, 0.003, 0.009, 0.009]) {
        let percentile = test.values.iter_mut().find(|v| v.of == p99).expect("a percentile");
        (percentile.value, percentile.between) = (Some(value), (value, value));
    }
    let files = [file];
    let decided = |need: &str| outcome(&files, need);
    assert_eq!(decided("8k randread: p99<=3ms").outcome, Outcome::Pass, "the worst clone meets it");
    let open = decided("8k randread: p99<=2ms");
    assert_eq!((open.outcome, &*open.clauses[0].measured), (Outcome::Undecided, "1.00 ms to 3.00 ms"));
    let j = judged(&files, &[]);
    let row = j.rows.iter().find(|r| r.jobs == Some(3)).expect("the load");
    assert_eq!((row.p99_least, row.p99), (Some(0.001), Some(0.003)));
}

#[test]
fn bins_of_clones_give_the_percentile_of_the_load() {
    let file = read("x", BINS);
    let judgement = judged(std::slice::from_ref(&file), &[]);
    let row = &judgement.rows[0];
    assert_eq!((judgement.rows.len(), row.p99_least), (1, None));
    let mut latencies = model::LatencyHistogram::default();
    let completion = |h: &&(Way, ForeignLatency, _)| h.1 == ForeignLatency::Completion;
    file.tests.iter().flat_map(|t| &t.histograms).filter(completion).for_each(|(_, _, h)| latencies.merge(h));
    assert_eq!(row.p99, latencies.quantile(0.99).map(|n| n.secs()));
}

#[test]
fn a_clone_that_failed_makes_its_load_unusable() {
    let at = TEXT.match_indices("err= 0").nth(1).expect("a second clone").0;
    let broken = format!("{}err= 5{}", &TEXT[..at], &TEXT[at + 6..]);
    let judgement = judged(&[read("x", &broken)], &[]);
    let row = judgement.rows.iter().find(|r| r.jobs == Some(3)).expect("the load");
    assert!(row.struck.is_some(), "{row:?}");
}

fn any_clone() -> impl Strategy<Value = Vec<u32>> {
    proptest::collection::vec(1u32..5_000_000, 20..200)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, ..ProptestConfig::default() })]

    /// Means, sums and bounds of a load match those of all operations of its clones.
    #[test]
    fn a_load_has_the_figures_of_all_its_operations(clones in proptest::collection::vec(any_clone(), 2..9)) {
        let exact = |sorted: &[u32], p: f64| f64::from(sorted[((p / 100.0 * sorted.len() as f64).ceil() as usize).max(1) - 1]) * 1e-9;
        let percentile = Quantity::Latency(ForeignLatency::Total, Statistic::Percentile(90.0));
        let mean = Quantity::Latency(ForeignLatency::Total, Statistic::Mean);
        let mut file = ForeignFile { source: "x".into(), format: "fio-json".into(), ..ForeignFile::default() };
        for times in &clones {
            let mut sorted = times.clone();
            sorted.sort_unstable();
            let sum: f64 = times.iter().map(|t| f64::from(*t) * 1e-9).sum();
            let value = |of, value: f64| ForeignValue {
                way: Way::Read, of, value: Some(value), between: (value, value), line: 1, words: String::new(), doubt: None,
            };
            let mut test = ForeignTest { name: "r".into(), line: 1, ..ForeignTest::default() };
            test.asked.others.push(("groupid".into(), "0".into()));
            test.values = vec![
                value(Quantity::Operations, times.len() as f64),
                value(Quantity::Runtime, 10.0),
                value(mean, sum / times.len() as f64),
                value(percentile, exact(&sorted, 90.0)),
            ];
            file.tests.push(test);
        }
        let gathered = loads::gather(std::slice::from_ref(&file));
        prop_assert_eq!(gathered[0].tests.len(), 1);
        let load = &gathered[0].tests[0];
        let mut values: Vec<u32> = clones.concat();
        values.sort_unstable();
        let figure = |of| load.get(Way::Read, of).expect("a figure");
        prop_assert_eq!(figure(Quantity::Operations).value, Some(values.len() as f64));
        let expected = values.iter().map(|t| f64::from(*t) * 1e-9).sum::<f64>() / values.len() as f64;
        prop_assert!((figure(mean).value.unwrap() / expected - 1.0).abs() < 1e-9);
        let (low, high) = figure(percentile).between;
        let whole = exact(&values, 90.0);
        prop_assert!(low <= whole && whole <= high, "{} <= {} <= {}", low, whole, high);
    }
}
