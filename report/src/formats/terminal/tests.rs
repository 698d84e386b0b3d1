//! The whole screen: snapshots, and properties that hold at any width and for any text.

use super::*;
use crate::fixture;
use crate::widgets::sanitise::is_harmful;
use crate::widgets::text::width;
use model::plan::StageRole;
use serde_json::Value;

fn written(record: &RunRecord, judgement: &Judgement, style: &Style) -> String {
    let mut out = Vec::new();
    write_terminal(record, judgement, style, &mut out).expect("a vector takes every byte");
    String::from_utf8(out).expect("only text is written")
}

fn screen(of: fn() -> (RunRecord, Judgement), width: usize, color: bool, unicode: bool) -> String {
    let (record, judgement) = of();
    written(&record, &judgement, &Style { color, unicode, width, language: messages::Language::English })
}

#[test]
fn a_capped_volume_at_80_columns() {
    insta::assert_snapshot!(screen(fixture::capped, 80, false, true));
}

#[test]
fn a_capped_volume_at_100_columns() {
    insta::assert_snapshot!(screen(fixture::capped, 100, false, true));
}

#[test]
fn a_capped_volume_at_140_columns() {
    insta::assert_snapshot!(screen(fixture::capped, 140, false, true));
}

#[test]
fn a_capped_volume_in_ascii() {
    insta::assert_snapshot!(screen(fixture::capped, 80, false, false));
}

#[test]
fn a_capped_volume_in_colour() {
    // Escape characters are replaced, so that the snapshot is plain text.
    insta::assert_snapshot!(screen(fixture::capped, 100, true, true).replace('\x1b', "^"));
}

fn answered(of: fn() -> (RunRecord, Judgement), style: &Style) -> String {
    let (record, judgement) = of();
    let mut out = Vec::new();
    write_answer(&record, &judgement, style, &mut out).expect("a vector takes every byte");
    String::from_utf8(out).expect("only text is written")
}

const NARROW: Style = Style { color: false, unicode: true, width: 80, language: messages::Language::English };

#[test]
fn the_answer_of_a_capped_volume_at_80_columns() {
    insta::assert_snapshot!(answered(fixture::capped, &NARROW));
}

#[test]
fn the_answer_of_a_run_with_every_trouble_in_ascii_at_80_columns() {
    insta::assert_snapshot!(answered(fixture::troubled, &Style { unicode: false, ..NARROW }));
}

#[test]
fn the_answer_fits_one_screen_however_much_there_is_to_say() {
    for of in [fixture::capped, fixture::troubled] {
        let (record, mut judgement) = of();
        for i in 0..40 {
            let doubt = model::Caveat::new(&format!("d{i}"), model::Severity::Doubt, format!("doubt {i}"), "seen");
            judgement.caveats.push(doubt);
            judgement.patterns.push(judgement.patterns[0].clone());
            if let Some(last) = judgement.patterns.last_mut() {
                (last.label, last.role) = (format!("{i}k randrw 70/30"), StageRole::Sweep);
            }
        }
        for line in &mut judgement.answer.lines {
            line.text = ["word"; model::judged::MOST_WORDS].join(" ").into();
        }
        let mut out = Vec::new();
        write_answer(&record, &judgement, &NARROW, &mut out).expect("a vector takes every byte");
        let text = String::from_utf8(out).expect("only text is written");
        assert!(text.lines().count() <= 24 && text.lines().all(|l| width(l) <= 80), "{text}");
        assert!(text.contains("more workloads") && text.contains("more doubts"), "{text}");
    }
}

#[test]
fn a_run_with_every_trouble() {
    insta::assert_snapshot!(screen(fixture::troubled, 100, false, true));
}

#[test]
fn a_run_with_every_trouble_in_ascii_at_80_columns() {
    insta::assert_snapshot!(screen(fixture::troubled, 80, false, false));
}

#[test]
fn a_run_with_every_trouble_in_colour() {
    insta::assert_snapshot!(screen(fixture::troubled, 100, true, true).replace('\x1b', "^"));
}

#[test]
fn colour_changes_no_character_but_how_struck_figures_are_told() {
    let (record, judgement) = fixture::capped();
    for columns in [80, 100, 140] {
        let style = Style { color: true, unicode: true, width: columns, language: messages::Language::English };
        let coloured = written(&record, &judgement, &style);
        let plain = written(&record, &judgement, &Style { color: false, ..style });
        assert_eq!(without_sgr(&coloured), plain);
    }
}

/// Returns `text` without sequences of the form `ESC [ digits and ; m`, the only ones that may occur.
fn without_sgr(text: &str) -> String {
    let mut parts = text.split("\x1b[");
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (codes, rest) = part.split_once('m').expect("an SGR sequence ends with m");
        assert!(codes.chars().all(|c| c.is_ascii_digit() || c == ';'), "{codes}");
        out.push_str(rest);
    }
    out
}

#[test]
fn no_line_is_wider_than_the_screen() {
    // The alphabets alternate: adjacent widths break the same lines.
    for (i, (record, judgement)) in [fixture::capped(), fixture::troubled()].into_iter().enumerate() {
        for columns in (40..=200).chain([1, 400]) {
            let unicode = (columns + i).is_multiple_of(2);
            let style = Style { color: false, unicode, width: columns, language: messages::Language::English };
            let text = written(&record, &judgement, &style);
            for line in text.lines() {
                assert!(width(line) <= columns.max(Style::NARROWEST), "{columns}: {line}");
                assert_eq!(line.trim_end(), line);
            }
            assert!(unicode || text.is_ascii());
        }
    }
}

/// Returns the screen of the capped volume after a change, at 100 columns.
fn changed(change: impl FnOnce(&mut RunRecord, &mut Judgement)) -> String {
    let (mut record, mut judgement) = fixture::capped();
    change(&mut record, &mut judgement);
    written(&record, &judgement, &Style::default())
}

/// Returns the lines of the screen from the one that contains `from` to the next blank one.
fn block<'a>(screen: &'a str, from: &str) -> Vec<&'a str> {
    let lines = screen.lines().skip_while(|l| !l.contains(from));
    lines.take_while(|l| !l.is_empty()).collect()
}

/// Returns a doubt for each of the first steps of the record.
fn doubts(steps: usize, evidence: impl Fn(usize) -> String) -> Vec<model::Caveat> {
    let one = |i| model::Caveat::new("foreign-load", model::Severity::Doubt, "others used it", evidence(i)).at_step(i);
    (0..steps).map(one).collect()
}

#[test]
fn the_evidence_of_a_doubt_is_three_examples_in_two_lines_and_the_rest_a_number() {
    let screen = changed(|_, j| j.caveats = doubts(9, |i| format!("bytes: {i} % more")));
    let lines = block(&screen, "others used it");
    assert_eq!(lines.len(), 3, "{lines:#?}");
    assert!(lines[1].contains("in 9 of 9 steps: 8k randread at 1: bytes: 0 % more; 8k randwrite at 2:"), "{lines:#?}");
    assert!(lines[2].ends_with("and 6 more"), "{lines:#?}");
    let long = changed(|_, j| j.caveats = doubts(9, |i| format!("no. {i} {}", "much too long ".repeat(40))));
    let lines = block(&long, "others used it");
    assert!(lines.len() <= 3 && lines[2].ends_with("and 8 more"), "{lines:#?}");
}

#[test]
fn steps_with_the_same_evidence_are_one_example() {
    let screen = changed(|record, j| {
        record.steps[1].job.workload = record.steps[0].job.workload.clone();
        j.caveats = doubts(3, |_| "7 % more bytes".into());
    });
    let lines = block(&screen, "others used it");
    assert_eq!(lines[1].trim(), "in 3 of 9 steps: 8k randread at 1, 2, 8k write + fdatasync at 4: 7 % more bytes");
}

#[test]
fn evidence_that_differs_in_its_leading_figure_is_one_example_with_a_range() {
    let screen = changed(|record, j| {
        for step in &mut record.steps {
            step.job.workload = record.plan.stages[0].job.workload.clone();
        }
        j.caveats = doubts(5, |i| format!("{} % more bytes", [12, 7, 1031, 7, 30][i]));
    });
    let lines = block(&screen, "others used it");
    assert!(lines[1].ends_with(": 7 to 1031 % more bytes"), "{lines:#?}");
}

#[test]
fn a_held_level_that_changed_is_marked_wherever_its_rate_stands() {
    let screen = changed(|_, j| {
        let held = j.patterns[3].levels.last_mut().expect("a held level");
        held.steadiness = model::judged::Steadiness::TwoRegimes {
            at: model::Nanos(1),
            before: model::Iops(9e3),
            after: model::Iops(6e3),
        };
        held.course = fixture::course(model::Iops(9e3), model::Iops(6e3));
        held.iops.ci = None;
        held.iops.ci_missing = "72 windows wanted, 49 had".into();
        j.patterns[3].sustained = Some(held.iops.clone());
        j.patterns[3].l0_doubted = Some((2, model::Nanos::from_micros(310)));
    });
    let from = screen.find("── 8k randread ──").expect("the ramp");
    let ramp: Vec<&str> = screen[from..].lines().take_while(|l| !l.contains("── 16k")).collect();
    let says = |start: &str| ramp.iter().find(|l| l.trim().starts_with(start)).copied().unwrap_or_default();
    assert!(says("■").contains("≠ 5,994") && says("■").contains("2.67 ms"), "{ramp:#?}");
    assert!(screen.contains("changed level: 9,000 IOPS until 8.00 s, then 6,000; figures are those of the last level"));
    assert!(says("sustained").contains("≠ 5,994 IOPS after a level change, single-second rates from"), "{ramp:#?}");
    assert!(says("L0").contains("! 630 us mean") && says("L0").contains("2 in flight"), "{ramp:#?}");
    assert!(says("N*").contains("computed with 310 us in place"), "{ramp:#?}");
    assert!(ramp.iter().any(|l| l.contains("■ held, measured for 20.0 s after the rate changed")), "{ramp:#?}");
}

/// Returns the screen of a ramp that has only short levels. The caveat applies to each of them and to the run.
fn short_ramp(severity: model::Severity, id: &str) -> String {
    changed(|_, judgement| {
        judgement.caveats = vec![model::Caveat::new(id, severity, "s", "e")];
        for level in judgement.patterns.iter_mut().flat_map(|p| &mut p.levels) {
            level.steadiness = model::judged::Steadiness::TooShort;
            level.iops.ci = None;
            level.iops.ci_missing = "34 windows wanted, 10 had".into();
            level.caveats = vec!["too-short".into(), id.into()];
        }
    })
}

#[test]
fn levels_on_the_way_to_the_held_one_are_short_without_a_word() {
    let screen = short_ramp(model::Severity::Note, "scheduling-noise");
    let ramp = block(&screen, "── 8k randread ──");
    let (way, held) = (&ramp[2..9], ramp[9]);
    assert!(way.iter().all(|row| row.ends_with(" s") && !row.contains('?')), "{way:#?}");
    assert!(held.ends_with("? a,b"), "{held}");
    assert!(ramp.contains(&" a  no interval: 34 windows wanted, 10 had"), "{ramp:#?}");
    assert!(ramp.contains(&" b  see TRUST: scheduling-noise"), "{ramp:#?}");
    assert!(ramp.iter().any(|l| l.ends_with("blank: too short to decide")), "{ramp:#?}");
    let probes = block(&screen, "── probes ──");
    assert!(probes[2].ends_with("? a,b"), "a probe stands alone: {}", probes[2]);
    assert!(!screen.contains("see TRUST: too-short"), "the row says it itself");
}

#[test]
fn levels_on_the_way_to_the_held_one_still_tell_what_is_worse() {
    let doubted = short_ramp(model::Severity::Doubt, "generator-bound");
    let ramp = block(&doubted, "── 8k randread ──");
    assert!(ramp[2..9].iter().all(|row| row.ends_with("  a")), "{ramp:#?}");
    assert!(ramp.contains(&" a  see TRUST: generator-bound"), "{ramp:#?}");
    let broken = changed(|_, judgement| {
        let levels = &mut judgement.patterns[3].levels;
        levels[0].errors = 3;
        levels[1].little = 0.7;
        levels[2].steadiness = model::judged::Steadiness::NotSettled { why: "the rate falls by 9 %".into() };
        levels[3].caveats = vec!["unheard-of".into()];
    });
    let ramp = block(&broken, "── 8k randread ──");
    for (row, sign) in ramp[2..6].iter().zip(["= a", "= b", "~ c", "= d"]) {
        assert!(row.ends_with(sign), "{row}");
    }
    assert!(ramp.contains(&" d  see TRUST: unheard-of"), "a caveat nobody knows is no note: {ramp:#?}");
}

#[test]
fn where_the_gain_ends_is_said_in_plain_words() {
    let knee = |below, at| {
        let knee = model::judged::Knee::Between { below, at, latency: Some(model::Nanos::from_micros(740)) };
        let screen = changed(|_, j| j.patterns[3].knee = knee);
        screen.lines().find(|l| l.starts_with(" knee")).expect("a knee").trim_start_matches(" knee").trim().to_owned()
    };
    assert_eq!(knee(0, 1), "already at 1 in flight; the mean latency at 1 is 740 us");
    assert_eq!(knee(0, 4), "at 4 in flight or fewer; the mean latency at 4 is 740 us");
    assert_eq!(knee(2, 8), "between 2 and 8 in flight; the mean latency at 8 is 740 us");
}

#[test]
fn what_binds_is_one_statement_and_its_bars_where_no_limit_is_named() {
    for kind in
        [model::judged::BindingKind::Latency, model::judged::BindingKind::Unknown, model::judged::BindingKind::Device]
    {
        let screen = changed(|_, j| j.patterns[3].binding.kind = kind);
        let binds = block(&screen, " binds ");
        assert!(binds[1].trim_start().starts_with("used"), "{kind:?}: {binds:#?}");
    }
    let screen = changed(|_, j| {
        let b = &mut j.patterns[3].binding;
        let (name, next) = (&b.constraints[0].name, &b.constraints[1].name);
        b.evidence = vec![
            messages::sentence!("constraint-used", name, allows = 6000, used = 99),
            messages::sentence!("constraint-next", name = next, allows = 1, times = 2),
            "remark: busy".into(),
        ];
    });
    let binds = block(&screen, " binds ");
    assert_eq!(binds[1].trim(), "remark: busy", "what the bars show is not said again");
    assert!(binds[2].trim_start().starts_with("used"), "{binds:#?}");
}

#[test]
fn block_sizes_nothing_is_known_about_take_no_line_of_their_own() {
    let lines = |kind| {
        let screen = changed(|_, j| {
            j.patterns.iter_mut().filter(|p| p.role == StageRole::Sweep).for_each(|p| p.binding.kind = kind);
        });
        block(&screen, "── block sizes, randread ──").len()
    };
    // Heading, column headers, and five sizes.
    assert_eq!(lines(model::judged::BindingKind::Unknown), 7);
    assert!(lines(model::judged::BindingKind::Undecidable) > 7, "what would decide is worth a line");
}

#[test]
fn a_mix_tells_reads_and_writes_apart_where_it_was_held() {
    let (record, judgement) = fixture::capped();
    let screen = written(&record, &judgement, &Style::default());
    let ramp = block(&screen, "── 16k randrw 50/50 ──");
    let at = ramp.iter().position(|l| l.trim_start().starts_with("read ")).expect("reads by themselves");
    assert!(ramp[at - 1].contains('■') && ramp[at + 1].trim_start().starts_with("write "), "{ramp:#?}");
    assert_eq!(ramp.iter().filter(|l| l.trim_start().starts_with("read ")).count(), 1, "{ramp:#?}");
    assert!(ramp.contains(&" each row combines reads and writes"), "{ramp:#?}");
    assert!(!block(&screen, "── 8k randread ──").iter().any(|l| l.contains("combines")));
}

#[test]
fn what_is_told_apart_of_a_struck_level_is_struck_too() {
    let screen = changed(|_, j| {
        for level in &mut j.patterns[2].levels {
            level.struck = Some("hung".into());
        }
        for level in &mut j.patterns[4].levels {
            level.struck = Some("hung".into());
        }
    });
    for name in ["flush ", "read ", "write "] {
        let row = screen.lines().find(|l| l.trim_start().starts_with(name)).expect("a row of its own");
        assert!(row.trim().trim_start_matches(name).split_whitespace().all(|f| f.starts_with('(')), "{row}");
    }
}

/// Returns the JSON pointers of all strings that can be replaced by any text without making the document unreadable.
pub(crate) fn free_texts(value: &Value, readable: &dyn Fn(&Value) -> bool) -> Vec<String> {
    let mut pointers = Vec::new();
    collect(value, String::new(), &mut pointers);
    let free = |pointer: &String| {
        let mut changed = value.clone();
        *changed.pointer_mut(pointer).expect("just found") = Value::from("x\u{1b}y");
        readable(&changed)
    };
    pointers.into_iter().filter(free).collect()
}

fn collect(value: &Value, at: String, into: &mut Vec<String>) {
    match value {
        Value::String(_) => into.push(at),
        Value::Array(list) => list.iter().enumerate().for_each(|(i, v)| collect(v, format!("{at}/{i}"), into)),
        Value::Object(map) => {
            for (key, v) in map {
                collect(v, format!("{at}/{}", key.replace('~', "~0").replace('/', "~1")), into);
            }
        }
        _ => {}
    }
}

/// Removes steps for speed, and shortens IDs, because a JSON value tree cannot store 128-bit integers.
pub(crate) fn shorten(record: &mut RunRecord) {
    record.steps.truncate(2);
    let stages = record.plan.stages.iter_mut().map(|s| &mut s.job.target);
    let steps = record.steps.iter_mut().map(|s| &mut s.job.target);
    for target in stages.chain(steps).chain([&mut record.plan.target]) {
        target.uuid = Some(7);
    }
}

/// Returns a function that returns the document with every free text replaced.
fn poisoner<T: serde::Serialize + serde::de::DeserializeOwned>(value: &T) -> impl Fn(&[String]) -> T {
    let document = serde_json::to_value(value).expect("it serialises");
    let readable = |v: &Value| serde_json::from_value::<T>(v.clone()).is_ok();
    let pointers = free_texts(&document, &readable);
    assert!(pointers.len() > 20, "only {} texts found", pointers.len());
    move |texts| {
        let mut document = document.clone();
        for (i, pointer) in pointers.iter().enumerate() {
            *document.pointer_mut(pointer).expect("just found") = Value::from(texts[i % texts.len()].as_str());
        }
        serde_json::from_value(document).expect("each replacement alone was readable")
    }
}

fn assert_harmless(record: &RunRecord, judgement: &Judgement, width_at: usize) {
    for unicode in [false, true] {
        let style = Style { color: false, unicode, width: width_at, language: messages::Language::English };
        let text = written(record, judgement, &style);
        for line in text.split('\n') {
            assert!(!line.contains(is_harmful), "{line:?}");
            assert!(width(line) <= width_at, "{width_at}: {line:?}");
        }
        assert!(unicode || text.is_ascii());
        let coloured = written(record, judgement, &Style { color: true, ..style });
        assert!(!without_sgr(&coloured).replace('\n', "").contains(is_harmful));
    }
}

#[test]
fn hostile_text_in_every_field_steers_nothing_and_overflows_nothing() {
    let texts: Vec<String> = [
        "\x1b[31mred\x1b[0m",
        "\x1b]0;title\x07\x1b]8;;http://x\x1b\\link",
        "one\ntwo\r\nthree\ttab",
        "\u{9b}2J\u{90}q\u{9c}",
        "\u{202e}gnp.exe\u{202c}\u{2066}x\u{2069}",
        "a\u{200b}b\u{feff}c\u{ad}d",
        "磁盘设备名称很长很长很长很长很长很长很长很长很长很长很长很长很长很长",
        "nothing-but-one-very-long-word-that-never-ends-nothing-but-one-very-long-word-that-never-ends-at-all-really",
        "",
        "e\u{301}\u{301}\u{301} 👩\u{200d}👩\u{200d}👧 \u{1F1E9}\u{1F1EA} \u{e0041}",
    ]
    .map(String::from)
    .to_vec();
    for (mut record, judgement) in [fixture::troubled(), crate::kinds::durability::tests::troubled()] {
        shorten(&mut record);
        let (poisoned_record, poisoned_judgement) = (poisoner(&record), poisoner(&judgement));
        for shift in 0..texts.len() {
            let mut turned = texts.clone();
            turned.rotate_left(shift);
            let (record, judgement) = (poisoned_record(&turned), poisoned_judgement(&turned));
            for columns in [40, 80, 101, 140] {
                assert_harmless(&record, &judgement, columns);
            }
        }
    }
}

#[test]
fn any_text_in_every_field_steers_nothing_and_overflows_nothing() {
    let (mut record, judgement) = fixture::capped();
    shorten(&mut record);
    let (poisoned_record, poisoned_judgement) = (poisoner(&record), poisoner(&judgement));
    let config = proptest::prelude::ProptestConfig { cases: 24, ..Default::default() };
    proptest::proptest!(config, |(
        texts in proptest::collection::vec("(\\PC|[\u{0}-\u{1f}\u{7f}-\u{9f}\u{200b}-\u{206f}]){0,60}", 1..8),
        columns in 40usize..160,
    )| {
        assert_harmless(&poisoned_record(&texts), &poisoned_judgement(&texts), columns);
    });
}

/// Replaces numbers by extreme values: the screen must cope with any damaged or imported record.
#[test]
fn absurd_figures_are_shown_without_panic_or_overflow() {
    let (record, base) = fixture::troubled();
    for value in [0.0, -1.0, 1e300, f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        for whole in [0, 1, u64::MAX] {
            let mut judgement = base.clone();
            for p in &mut judgement.patterns {
                p.mean_size = model::Bytes(whole);
                p.n_star = Some(value);
                p.l0 = Some(model::Nanos(whole));
                p.best = Some(whole as usize);
                for l in &mut p.levels {
                    l.iops.value = value;
                    l.iops.ci = Some((value, value));
                    l.bandwidth = model::BytesPerSecond(value);
                    l.mean = Some(model::Nanos(whole));
                    l.queue_depth = whole as u32;
                    l.threads = whole as u32;
                    l.ops = whole;
                    l.time = model::Nanos(whole);
                    l.cpu_user = Some(model::Nanos(whole));
                    l.max = Some(model::Nanos(whole));
                    l.p99 = model::measured::Percentile::Value(model::Nanos(whole));
                    l.little = value;
                }
                for c in &mut p.binding.constraints {
                    c.allows = model::Iops(value);
                    c.used = value;
                }
            }
            for columns in [40, 80, 140] {
                let text = written(
                    &record,
                    &judgement,
                    &Style { color: false, unicode: true, width: columns, language: messages::Language::English },
                );
                assert!(text.lines().all(|l| width(l) <= columns));
            }
        }
    }
}

#[test]
fn the_answer_is_in_the_readers_language_and_fits() {
    let screen_in =
        |language, width, unicode| answered(fixture::capped, &Style { color: false, unicode, width, language });
    let english = screen_in(messages::Language::English, 80, true);
    for (language, label) in [
        (messages::Language::Japanese, "律速"),
        (messages::Language::Chinese, "瓶颈"),
        (messages::Language::Russian, "ПРЕДЕЛ"),
    ] {
        let text = screen_in(language, 80, true);
        assert!(text.contains(label), "{text}");
        assert!(text.lines().all(|l| width(l) <= 80) && text.lines().count() <= 23, "{text}");
        // Figures are the same in every language, and a terminal without the language's letters shows English.
        let digits = |text: &str| text.chars().filter(char::is_ascii_digit).count();
        assert!(digits(&text) >= digits(&english) * 9 / 10, "{text}");
        assert_eq!(screen_in(language, 80, false), screen_in(messages::Language::English, 80, false));
    }
}
