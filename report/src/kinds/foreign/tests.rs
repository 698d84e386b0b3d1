use super::*;
use crate::fixture::text;
use crate::{Style, Subject};
use analysis::{ForeignRequest, judge_foreign};
use model::foreign::{
    ForeignAsked, ForeignFile, ForeignLatency, ForeignRemark, ForeignTest, ForeignValue, Quantity, Statistic, Way,
};
use model::{Bytes, Limit, bounds::Need};

/// Returns a fio result with `ops` operations in two minutes.
fn result(source: &str, block: u64, ops: f64, slat: f64, clat: f64) -> ForeignFile {
    let value = |of, value: f64, words: &str| ForeignValue {
        way: Way::Write,
        of,
        value: Some(value),
        between: (value * 0.999, value * 1.001),
        line: 7,
        words: words.to_owned(),
        doubt: None,
    };
    let latency = |kind, s| Quantity::Latency(kind, s);
    ForeignFile {
        source: source.into(),
        format: "fio-text".into(),
        tool: "fio-3.30".into(),
        tests: vec![ForeignTest {
            name: "job".into(),
            line: 5,
            asked: ForeignAsked {
                rw: Some("randwrite".into()),
                block: [None, Some((Bytes(block), Bytes(block)))],
                depth: Some(8),
                jobs: Some(1),
                engine: Some("windowsaio".into()),
                ..ForeignAsked::default()
            },
            values: vec![
                value(Quantity::Operations, ops, "total=0,1,0,0"),
                value(Quantity::Runtime, 120.0, "120000msec"),
                value(latency(ForeignLatency::Submission, Statistic::Mean), slat, "slat avg=700"),
                value(latency(ForeignLatency::Completion, Statistic::Mean), clat, "clat avg=15"),
                value(latency(ForeignLatency::Total, Statistic::Mean), slat + clat, "lat avg=715"),
                value(latency(ForeignLatency::Total, Statistic::Max), 0.02, "max=20"),
                value(latency(ForeignLatency::Completion, Statistic::Percentile(99.0)), clat * 2.0, "99.00th=[30]"),
            ],
            ..ForeignTest::default()
        }],
        remarks: vec![ForeignRemark {
            line: 3,
            text: "passed over: \u{1b}[31mfio: a message".into(),
            not_understood: false,
        }],
        ..ForeignFile::default()
    }
}

pub(crate) fn judged() -> ForeignJudgement {
    let files = [
        result("results/write-extended.txt", 8192, 132_000.0, 700e-6, 15e-6),
        result("results/write-a-long-name-that-does-not-fit-the-column.txt", 8192, 720_400.0, 9e-6, 1_300e-6),
        result("results/write-large.txt", 65536, 90_000.0, 20e-6, 10_600e-6),
    ];
    let limits: Vec<Limit> = vec!["volume iops=6000 mbps=125MiB".parse().unwrap()];
    let needs: Vec<Need> = vec!["8k randwrite: iops>=6000, p99<=1ms".parse().unwrap()];
    judge_foreign(&files, &ForeignRequest { limits: &limits, needs: &needs, memory: None })
}

fn screen(width: usize, unicode: bool) -> String {
    let style = Style { color: false, unicode, width, language: messages::Language::English };
    written(&judged(), "terminal", &style)
}

/// Returns a judgement in a format.
fn written(judgement: &ForeignJudgement, format: &str, style: &Style) -> String {
    let format = crate::format(format).expect("it is registered");
    text(|out| format.write(Subject::Foreign(judgement), style, out))
}

#[test]
fn the_screen_says_the_verdict_first_and_why() {
    insta::assert_snapshot!(screen(120, true));
}

#[test]
fn a_narrow_screen_in_ascii_keeps_what_matters() {
    let text = screen(72, false);
    assert!(text.is_ascii() && text.lines().all(|l| l.len() <= 72), "{text}");
    insta::assert_snapshot!(text);
}

#[test]
fn remarks_are_told_in_the_language_of_the_reader() {
    let mut judgement = judged();
    judgement.remarks = vec![model::judged::SourceLine::new(
        "a.txt",
        3,
        messages::sentence!("import-passed-over", text = "fio: hello"),
    )];
    let written_in = |language| written(&judgement, "terminal", &Style { language, ..Style::default() });
    assert!(written_in(messages::Language::English).contains("a.txt:3: skipped: fio: hello"));
    assert!(written_in(messages::Language::Russian).contains("a.txt:3: пропущено: fio: hello"));
}

#[test]
fn rows_of_one_line_and_one_load_have_the_names_of_their_tests() {
    let mut file = result("summary.txt", 8192, 100_000.0, 9e-6, 1_300e-6);
    let mut second = file.tests[0].clone();
    (file.tests[0].name, second.name) = ("Local-Path".into(), "Longhorn".into());
    file.tests.push(second);
    let judgement = judge_foreign(&[file], &ForeignRequest::default());
    let text = written(&judgement, "terminal", &Style { width: 140, ..Style::default() });
    assert!(text.contains("8k randwrite Local-Path") && text.contains("8k randwrite Longhorn"), "{text}");
}

#[test]
fn the_csv_has_as_many_fields_as_its_head() {
    let text = written(&judged(), "csv", &Style::default());
    let counts: Vec<usize> = text.lines().map(|l| l.matches(',').count()).collect();
    assert!(counts.len() == 4 && counts.iter().all(|c| *c == counts[0]), "{text}");
}

#[test]
fn the_document_reads_back_as_the_judgement() {
    let judgement = judged();
    let out = written(&judgement, "json", &Style::default());
    let document: serde_json::Value = serde_json::from_str(&out).unwrap();
    let back: ForeignJudgement = serde_json::from_value(document["foreign"].clone()).unwrap();
    assert_eq!(back, judgement);
    assert_eq!(document["foreign"]["findings"][0]["id"], "B04-extension");
    assert!(!out.contains('\u{1b}'));
}

#[test]
fn needs_go_into_junit() {
    let text = written(&judged(), "junit", &Style::default());
    assert!(text.contains(r#"failures="1""#) && text.contains("p99 &lt;= 1"), "{text}");
    roxmltree::Document::parse(&text).unwrap();
}

#[test]
fn every_format_has_the_results_and_their_findings() {
    for format in ["terminal", "markdown", "html"].iter().filter(|f| cfg!(feature = "html") || **f != "html") {
        let text = written(&judged(), format, &Style { width: 140, ..Style::default() });
        for part in ["write-large.txt", "B04-extension", "6,003", "slat avg=700"] {
            assert!(text.contains(part), "{format} lacks {part}:\n{text}");
        }
        assert!(!text.contains('\u{1b}'), "{format}");
    }
}

#[test]
fn a_counter_of_windows_keeps_its_drive() {
    let name = "\\\\MYPC\\PhysicalDisk(4 H:)\\Disk Write Bytes/sec";
    assert_eq!(without_machine(name), ("MYPC", "PhysicalDisk(4 H:)\\Disk Write Bytes/sec"));
    assert!(without_machine(name).1.chars().count() <= usize::from(SERIES));
    assert_eq!(without_machine("sda r/s"), ("", "sda r/s"));
}
