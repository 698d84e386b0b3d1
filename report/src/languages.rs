//! Tests of screens in every language: they fit, their tables stay aligned, and no English text remains except names.

use crate::formats::mark::{Mark, mark_format};
use crate::formats::{format, watch};
use crate::widgets::text::width;
use crate::{RunRow, Style, fixture};
use messages::{Language, Sentence, sentence};
use model::judged::{Steadiness, Trend, TrendLevel, TrendLine, TrendRun};
use model::{Caveat, Judgement, RunRecord};
use std::io::{self, Write};

/// Languages that do not use Latin letters.
const OTHERS: [Language; 3] = [Language::Japanese, Language::Chinese, Language::Russian];

fn written(style: &Style, write: impl FnOnce(&Style, &mut dyn Write) -> io::Result<()>) -> String {
    let mut out = Vec::new();
    write(style, &mut out).expect("a vector takes every byte");
    String::from_utf8(out).expect("only text is written")
}

/// Replaces every sentence of the judgement by one from the catalogues, so that the test checks only the text around
/// them.
fn with_catalogue_sentences(mut judgement: Judgement) -> Judgement {
    let from_catalogue = || sentence!("level-few-windows");
    let none = |s: &mut Sentence| {
        if !s.is_empty() {
            *s = from_catalogue();
        }
    };
    judgement.verdict = from_catalogue();
    for Caveat { statement, evidence, remedy, .. } in &mut judgement.caveats {
        [statement, evidence, remedy].into_iter().for_each(none);
    }
    for finding in &mut judgement.findings {
        [&mut finding.statement, &mut finding.remedy].into_iter().for_each(none);
        finding.evidence.iter_mut().for_each(none);
    }
    for need in &mut judgement.needs {
        none(&mut need.why);
        need.clauses.iter_mut().for_each(|c| none(&mut c.measured));
    }
    for pattern in &mut judgement.patterns {
        none(&mut pattern.binding.statement);
        pattern.binding.evidence.iter_mut().for_each(none);
        for level in &mut pattern.levels {
            level.struck.iter_mut().for_each(none);
            none(&mut level.iops.ci_missing);
            if let Steadiness::NotSettled { why: reason } = &mut level.steadiness {
                none(reason);
            }
            level.course.clear();
        }
    }
    judgement.answer.lines.retain(|line| line.text.message().is_some());
    judgement.layers.iter_mut().for_each(|l| l.label = model::Sentence::default());
    judgement.layers.iter_mut().flat_map(|l| &mut l.says).for_each(none);
    if let Some(model::judged::KindFigures::Database(database)) = &mut judgement.figures {
        database.ratios.clear();
        database.device.source = Default::default();
        for wave in &mut database.waves {
            none(&mut wave.rate.ci_missing);
            wave.moved = None;
        }
    }
    judgement
}

/// Removes text written at recording time from the record.
fn unwritten(mut record: RunRecord) -> RunRecord {
    record.notes.clear();
    record.reason = model::Sentence::default();
    let facts = &mut record.preflight;
    facts.engine_choice = "io_uring".into();
    facts.engines.iter_mut().for_each(|e| e.unavailable = None);
    if let Some(database) = record.database_mut() {
        database.checks.clear();
        database.roles.iter_mut().for_each(|r| r.source = model::measured::RoleSource::from(""));
    }
    record
}

/// Returns every screen of the fixtures.
fn screens(style: &Style) -> Vec<(&'static str, String)> {
    let mut texts = Vec::new();
    for (name, of) in [("capped", fixture::capped as fn() -> (RunRecord, Judgement)), ("troubled", fixture::troubled)] {
        let (record, judgement) = of();
        let (record, judgement) = (unwritten(record), with_catalogue_sentences(judgement));
        texts.push((name, written(style, |s, out| crate::write_terminal(&record, &judgement, s, out))));
        texts.push((name, written(style, |s, out| crate::write_answer(&record, &judgement, s, out))));
        texts.push((
            "plan",
            written(style, |s, out| crate::write_plan(&record.plan, &record.preflight, &[], &[], s, out)),
        ));
        texts.push(("judged", written(style, |s, out| crate::write_judged(&record, &judgement, s, out))));
    }
    for record in
        [analysis::database_fixture::reads(), analysis::database_fixture::updates(), analysis::database_fixture::ramp()]
    {
        let judgement = with_catalogue_sentences(analysis::judge(&record));
        let record = unwritten(record);
        texts.push(("database", written(style, |s, out| crate::write_terminal(&record, &judgement, s, out))));
    }
    let (record, judgement) = watch::testkit::watched();
    let (record, judgement) = (unwritten(record), with_catalogue_sentences(judgement));
    texts.push(("watch", written(style, |s, out| crate::write_terminal(&record, &judgement, s, out))));
    let mark = Mark::from_record(&crate::formats::mark::testkit::record(), &[]);
    let table = mark_format("table").expect("it is registered");
    texts.push(("mark", written(style, |s, out| table.write(&mark, s, out))));
    texts.push(("runs", written(style, |s, out| crate::write_runs(&[run()], s, out))));
    let mut comparison = crate::kinds::comparison::tests::comparison();
    let terminal = format("terminal").expect("it is registered");
    comparison.remarks.clear();
    comparison.figures.iter_mut().for_each(|f| f.why = Default::default());
    texts.push((
        "comparison",
        written(style, |s, out| terminal.write(crate::Subject::Comparison(&comparison, [&[], &[]]), s, out)),
    ));
    texts.push(("trend", written(style, |s, out| crate::FORMATS[1].write(crate::Subject::Trend(&trend()), s, out))));
    texts
}

fn run() -> RunRow {
    RunRow {
        id: "3f2a9c1b-77d1-4d21-9e01-8844aa105c7f".into(),
        started: "2026-11-21T09:41:07+00:00".into(),
        kind: Some(model::plan::KindName::Blocks),
        command: "qualify".into(),
        target: "/data/secchi/test.dat".into(),
        state: "interrupted",
        duration: model::Nanos::from_secs(291),
        verdict: sentence!("level-few-windows"),
        exit: Some(0),
        host: "a".into(),
        size: model::Bytes::from_gib(1),
        plan: "1f2e3d4c5b6a".into(),
        labels: model::record::Labels { tags: ["gp3".to_owned()].into(), note: "磁盘".into() },
        workloads: Vec::new(),
    }
}

fn trend() -> Trend {
    let run = |i: usize| TrendRun {
        id: format!("{i:08x}-77d1-4d21-9e01-8844aa105c7f"),
        started: format!("2026-11-{:02}T09:41:07+00:00", i + 1),
        host: "a".into(),
        tool: "0.1.0".into(),
        state: "stopped".into(),
        exit: Some(0),
        verdict: String::new(),
        tags: vec!["nightly".into()],
    };
    let level = |from, to, mean| TrendLevel { from, to, count: to - from + 1, mean: Some(mean), low: 4e3, high: 6e3 };
    Trend {
        plan: "1f2e3d4c5b6a".into(),
        command: "qualify".into(),
        target: "/mnt/data".into(),
        runs: (0..20).map(run).collect(),
        lines: vec![TrendLine {
            subject: "8k randread".into(),
            metric: model::bounds::Metric::Iops,
            values: (0..20).map(|i| Some(if i < 10 { 6e3 } else { 4e3 })).collect(),
            levels: vec![level(0, 9, 6e3), level(10, 19, 4e3)],
            why: String::new().into(),
        }],
        remarks: Vec::new(),
    }
}

/// Returns the length of the longest sequence of English words, which are lower-case and longer than a unit.
fn english(line: &str) -> usize {
    let word = |text: &str| {
        let text = text.trim_matches(|c: char| ",;:.()".contains(c));
        text.len() > 2 && text.bytes().all(|b| b.is_ascii_lowercase())
    };
    let runs = line.split_whitespace().map(word).collect::<Vec<_>>();
    runs.split(|is| !is).map(<[bool]>::len).max().unwrap_or(0)
}

#[test]
fn a_screen_in_any_language_fits_and_has_no_english_left() {
    for language in OTHERS {
        for columns in [80, 100] {
            let style = Style { language, width: columns, ..Style::default() };
            for (name, text) in screens(&style) {
                for line in text.lines() {
                    assert!(width(line) <= columns, "{name} in {}: {line}", language.code());
                    assert!(english(line) < 3, "{name} in {}: {line}\n{text}", language.code());
                }
            }
        }
    }
}

#[test]
fn markdown_in_any_language_has_no_english_left() {
    for language in OTHERS {
        let style = Style { language, ..Style::default() };
        for of in [fixture::capped, fixture::troubled] {
            let (record, judgement) = of();
            let (record, judgement) = (unwritten(record), with_catalogue_sentences(judgement));
            let markdown = format("markdown").expect("it is registered");
            let labels = model::record::Labels::default();
            let run =
                crate::ReportedRun { label: "", record: &record, judgement: &judgement, labels: &labels, earlier: &[] };
            let text = written(&style, |s, out| markdown.write(&[run], s, out));
            // The first line identifies the file, the last one is the command; neither is translated.
            let lines = text.lines().skip(1).filter(|l| !l.starts_with('`'));
            let left: Vec<&str> = lines.filter(|l| english(l) > 2).collect();
            assert!(left.is_empty(), "{}: {left:#?}", language.code());
        }
    }
}

#[test]
fn every_screen_fits_any_width_in_any_language() {
    for language in OTHERS {
        for columns in (40..140).step_by(13) {
            for (name, text) in screens(&Style { language, width: columns, ..Style::default() }) {
                let wide = text.lines().find(|l| width(l) > columns);
                assert_eq!(wide, None, "{name} in {} at {columns}", language.code());
            }
        }
    }
}

#[test]
fn the_answer_fits_one_screen_in_any_language() {
    for language in OTHERS {
        let style = Style { language, width: 80, ..Style::default() };
        for (_, text) in screens(&style).into_iter().filter(|(_, text)| text.contains("--full")) {
            assert!(text.lines().count() <= 24, "{text}");
        }
    }
}

#[test]
fn no_russian_figure_has_a_comma_between_its_digits() {
    let style = Style { language: Language::Russian, width: 100, ..Style::default() };
    for (name, text) in screens(&style) {
        let is_group = |w: &[u8]| w[0].is_ascii_digit() && w[1] == b',' && w[2..].iter().all(u8::is_ascii_digit);
        let left: Vec<&str> = text.lines().filter(|l| l.as_bytes().windows(5).any(is_group)).collect();
        assert!(left.is_empty(), "{name}: {left:#?}");
    }
}

#[test]
fn figures_stand_under_their_heads_in_any_language() {
    for language in Language::ALL {
        let style = Style { language, width: 100, ..Style::default() };
        let (record, judgement) = fixture::capped();
        let text =
            written(&style, |s, out| crate::write_terminal(&record, &with_catalogue_sentences(judgement), s, out));
        let lines: Vec<&str> = text.lines().skip_while(|l| !l.contains("── 8k randread ")).skip(1).collect();
        // Right-aligned: the header of the rates and the rates end in the same column.
        let end = |line: &str, text: &str| line.find(text).map(|at| width(&line[..at]) + width(text));
        let head = end(lines[0], "IOPS").expect("a head");
        let figure = |text| messages::group_digits(language, text);
        assert_eq!(end(lines[1], &figure("1,579")), Some(head), "{}: {:#?}", language.code(), &lines[..3]);
        let held = lines.iter().find(|l| l.contains('■')).expect("the held level");
        assert_eq!(end(held, &figure("5,994")), Some(head), "{}: {held}", language.code());
    }
}
