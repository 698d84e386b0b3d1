//! Tests: each rule with a case in which it fires, clean files in which none does, published results, and arbitrary
//! files.

use super::*;
use model::bounds::{LimitAxis, LimitScope};
use model::foreign::{
    ForeignAsked, ForeignLatency, ForeignPoint, ForeignSeries, ForeignTest, ForeignValue, Quantity, Statistic, Way,
};
use model::judged::Outcome;
use proptest::prelude::*;
use std::path::Path;

mod clones;
mod every_rule;
mod false_alarms;
mod published;
mod recorded;
mod syncs;

/// Judges files; the limits are given as text.
pub(super) fn judged(files: &[ForeignFile], limits: &[&str]) -> ForeignJudgement {
    let limits: Vec<Limit> = limits.iter().map(|l| l.parse().unwrap()).collect();
    judge_foreign(files, &ForeignRequest { limits: &limits, ..ForeignRequest::default() })
}

pub(super) fn read(name: &str, text: &str) -> ForeignFile {
    import::read(name, text.as_bytes()).unwrap().remove(0)
}

pub(super) fn ids(judgement: &ForeignJudgement) -> Vec<&str> {
    judgement.findings.iter().map(|f| f.finding.id.as_str()).collect()
}

pub(super) fn finding<'a>(judgement: &'a ForeignJudgement, id: &str) -> &'a ForeignFinding {
    let finding = judgement.findings.iter().find(|f| f.finding.id == id);
    finding.unwrap_or_else(|| panic!("no {id} among {:?}", ids(judgement)))
}

/// Returns the whole text of a finding.
pub(super) fn finding_text(judgement: &ForeignJudgement, id: &str) -> String {
    let f = &finding(judgement, id).finding;
    format!("{}\n{}", f.statement, model::Sentence::join(f.evidence.clone(), "\n"))
}

fn needs(lines: &[&str]) -> Vec<Need> {
    lines.iter().map(|l| l.parse().unwrap()).collect()
}

#[test]
fn needs_are_judged_by_intervals_of_usable_rows() {
    let file = every_rule::Fio::default().file();
    let outcome = |line: &str| {
        let needs = needs(&[line]);
        let j =
            judge_foreign(std::slice::from_ref(&file), &ForeignRequest { needs: &needs, ..ForeignRequest::default() });
        (j.needs[0].outcome, j.exit_code)
    };
    assert_eq!(outcome("8k randread: iops>=4900, avg<=2ms"), (Outcome::Pass, 0));
    assert_eq!(outcome("8k randread: iops>=5100"), (Outcome::Fail, 1));
    assert_eq!(outcome("8k randread: p99<=1ms"), (Outcome::Fail, 1));
    assert_eq!(outcome("8k randread: p99.7<=1ms"), (Outcome::Undecided, 2));
    assert_eq!(outcome("4k randread: iops>=1"), (Outcome::Undecided, 2));
    assert_eq!(outcome("8k randread for 2h: iops>=1"), (Outcome::Undecided, 2));
}

#[test]
fn a_need_is_not_judged_by_a_row_that_is_not_usable() {
    let file = every_rule::Fio::stalled().file();
    let needs = needs(&["8k randwrite: iops>=100"]);
    let j = judge_foreign(&[file], &ForeignRequest { needs: &needs, ..ForeignRequest::default() });
    assert_eq!(j.needs[0].outcome, Outcome::Undecided);
    assert!(j.needs[0].why.contains("B01"), "{}", j.needs[0].why);
}

#[test]
fn nothing_at_all_is_judged_in_peace() {
    let j = judged(&[], &["volume iops=1"]);
    assert!(j.rows.is_empty() && j.findings.is_empty() && j.exit_code == 0, "{j:?}");
}

#[test]
fn identifiers_are_unique_and_every_rule_explains_itself() {
    let mut seen = std::collections::BTreeSet::new();
    for rule in foreign_rules() {
        assert!(seen.insert(rule.id), "{} twice", rule.id);
        let [title, explanation, remedy] = [rule.title(), rule.explanation(), rule.remedy()].map(messages::sentence);
        assert!(explanation.len() > 80 && !remedy.is_empty() && !title.ends_with('.'), "{}", rule.id);
        assert!(explanation.ends_with('.') && !remedy.ends_with('.'), "{}", rule.id);
    }
}

fn any_value() -> impl Strategy<Value = ForeignValue> {
    let way = prop_oneof![Just(Way::Read), Just(Way::Write), Just(Way::All)];
    let stat = prop_oneof![
        Just(Statistic::Overall),
        Just(Statistic::Mean),
        Just(Statistic::Min),
        Just(Statistic::Max),
        Just(Statistic::Samples),
        (0.0..100.0).prop_map(Statistic::Percentile)
    ];
    let kind = prop_oneof![
        Just(ForeignLatency::Submission),
        Just(ForeignLatency::Completion),
        Just(ForeignLatency::Total),
        Just(ForeignLatency::Device)
    ];
    let quantity = (stat, kind, 0usize..12).prop_map(|(stat, kind, which)| match which {
        0 => Quantity::Operations,
        1 => Quantity::Moved,
        2 => Quantity::Runtime,
        3 => Quantity::Bandwidth(stat),
        4 | 5 => Quantity::Iops(stat),
        6 => Quantity::CpuUser,
        7 => Quantity::CpuSystem,
        8 => Quantity::LatencyShare(0.0, 1e-4),
        9 => Quantity::OfBlocks(16, true),
        _ => Quantity::Latency(kind, stat),
    });
    let number = prop_oneof![
        Just(0.0),
        Just(-1.0),
        Just(f64::NAN),
        Just(f64::INFINITY),
        Just(1e300),
        1e-9..1e12f64,
        (1u32..1_000_000).prop_map(f64::from)
    ];
    (way, quantity, proptest::option::of(number)).prop_map(|(way, quantity, value)| ForeignValue {
        way,
        of: quantity,
        value,
        between: (value.unwrap_or(0.0), value.unwrap_or(0.0)),
        line: 1,
        words: "x".into(),
        doubt: None,
    })
}

fn any_file() -> impl Strategy<Value = ForeignFile> {
    let format = prop_oneof![Just("fio-text"), Just("perftools"), Just("ioping-text"), Just("mgstat"), Just("x")];
    let name = prop_oneof![
        Just("PhyWrs"),
        Just("Glorefs"),
        Just("WDQsz"),
        Just("PhyRds"),
        Just("request"),
        Just("fast"),
        Just("w")
    ];
    let point = (prop_oneof![Just(f64::NAN), -10.0..1e6f64], prop_oneof![Just(0.0), Just(f64::NAN), -1.0..1e12f64]);
    let series = (name, proptest::collection::vec(point, 0..12), any::<bool>()).prop_map(|(name, points, known)| {
        ForeignSeries {
            name: name.into(),
            instance: known.then(|| "sda".into()),
            of: known.then_some((Way::Write, Quantity::Bandwidth(Statistic::Overall))),
            unit: "B/s".into(),
            period: None,
            points: points.into_iter().map(|(at, value)| ForeignPoint { at, value, line: 1 }).collect(),
        }
    });
    let word = prop_oneof![Just("libaio"), Just("windowsaio"), Just("psync"), Just("")];
    let rw = prop_oneof![Just("read"), Just("randread"), Just("write"), Just("randrw"), Just("")];
    let asked = (
        word,
        rw,
        proptest::option::of(any::<u32>()),
        proptest::option::of(any::<u32>()),
        proptest::option::of(any::<u64>()),
    )
        .prop_map(|(engine, rw, depth, jobs, size)| ForeignAsked {
            engine: Some(engine.into()),
            rw: Some(rw.into()),
            depth,
            jobs,
            size: size.map(Bytes),
            count: size,
            block: [size.map(|s| (Bytes(s), Bytes(s))), None],
            ..ForeignAsked::default()
        });
    let test =
        (asked, proptest::collection::vec(any_value(), 0..25), "[a-z0-9-]{0,12}").prop_map(|(asked, values, name)| {
            ForeignTest { name, line: 1, asked, values, histograms: Vec::new(), ..ForeignTest::default() }
        });
    (
        format,
        proptest::collection::vec(test, 0..4),
        proptest::collection::vec(series, 0..5),
        "[a-zA-Z0-9./-]{0,20}",
        proptest::option::of(any::<i32>()),
    )
        .prop_map(|(format, tests, series, source, began)| ForeignFile {
            source,
            format: format.into(),
            tests,
            series,
            began: began.map(i64::from),
            ..ForeignFile::default()
        })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    /// For arbitrary files, rules return evidence from the files and only valid row indices.
    #[test]
    fn no_rule_panics_and_every_finding_has_evidence(files in proptest::collection::vec(any_file(), 0..5)) {
        let needs = needs(&["8k randread: iops>=1, avg<=1ms, p99<=1ms, mbps>=1MB"]);
        let limits: Vec<Limit> = ["instance iops=6000 mbps=93.75MB", "volume read iops=3000"].iter().map(|l| l.parse().unwrap()).collect();
        let j = judge_foreign(&files, &ForeignRequest { limits: &limits, needs: &needs, memory: Some(Bytes::from_gib(1)) });
        prop_assert!(j.rows.len() <= files.iter().map(|f| f.tests.len()).sum::<usize>());
        for f in &j.findings {
            prop_assert!(!f.finding.statement.is_empty());
            prop_assert!(!f.lines.is_empty() || !f.finding.evidence.is_empty(), "{} without evidence", f.finding.id);
            prop_assert!(f.rows.iter().all(|r| *r < j.rows.len()));
        }
    }
}

#[test]
fn the_time_to_judge_is_proportional_to_the_number_of_results() {
    let shortest = |n: usize| {
        let text = every_rule::Fio::default().text();
        let files: Vec<ForeignFile> = (0..n).map(|i| read(&format!("randread-{i}.txt"), &text)).collect();
        let time = || {
            let begun = std::time::Instant::now();
            assert_eq!(judged(&files, &[]).rows.len(), n);
            begun.elapsed()
        };
        (0..3).map(|_| time()).min().unwrap()
    };
    let (few, many) = (shortest(100), shortest(1600));
    // 16 times as many results; rules that compare all pairs would take 256 times as long.
    assert!(many < few * 64, "{few:?} for 100 results, {many:?} for 1600");
}
