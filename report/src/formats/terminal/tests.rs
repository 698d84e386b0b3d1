//! The whole screen: snapshots, and laws that hold at any width and for any text.

use super::*;
use crate::fixture;
use crate::sanitise::is_harmful;
use crate::text::width;
use serde_json::Value;

fn shown(record: &RunRecord, judgement: &Judgement, style: &Style) -> String {
    let mut out = Vec::new();
    Terminal.write(record, judgement, style, &mut out).expect("a vector takes every byte");
    String::from_utf8(out).expect("only text is written")
}

fn screen(of: fn() -> (RunRecord, Judgement), width: usize, color: bool, unicode: bool) -> String {
    let (record, judgement) = of();
    shown(&record, &judgement, &Style { color, unicode, width })
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
    // Escapes spelled out, so that the snapshot is text.
    insta::assert_snapshot!(screen(fixture::capped, 100, true, true).replace('\x1b', "^"));
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
        let style = Style { color: true, unicode: true, width: columns };
        let coloured = shown(&record, &judgement, &style);
        let plain = shown(&record, &judgement, &Style { color: false, ..style });
        assert_eq!(without_sgr(&coloured), plain);
    }
}

/// `text` without sequences of the form `ESC [ digits and ; m`, the only ones that may occur.
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
    for of in [fixture::capped, fixture::troubled] {
        for columns in (40..=200).chain([1, 400]) {
            for unicode in [false, true] {
                let text = screen(of, columns, false, unicode);
                for line in text.lines() {
                    assert!(width(line) <= columns.max(Style::NARROWEST), "{columns}: {line}");
                    assert_eq!(line.trim_end(), line);
                }
                assert!(unicode || text.is_ascii());
            }
        }
    }
}

/// Places of all strings in a document that may be any text: replacing them leaves it readable.
fn free_texts(value: &Value, readable: &dyn Fn(&Value) -> bool) -> Vec<String> {
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

/// Fewer steps, for speed; and small identities, for a JSON value tree holds no integer of 128 bits.
fn shorten(record: &mut RunRecord) {
    record.steps.truncate(2);
    let stages = record.plan.stages.iter_mut().map(|s| &mut s.job.target);
    let steps = record.steps.iter_mut().map(|s| &mut s.job.target);
    for target in stages.chain(steps).chain([&mut record.plan.target]) {
        target.uuid = 7;
    }
}

/// A document with every free text replaced.
fn poisoned<T: serde::Serialize + serde::de::DeserializeOwned>(value: &T, texts: &[String]) -> T {
    let mut document = serde_json::to_value(value).expect("it serialises");
    let readable = |v: &Value| serde_json::from_value::<T>(v.clone()).is_ok();
    let pointers = free_texts(&document, &readable);
    assert!(pointers.len() > 20, "only {} texts found", pointers.len());
    for (i, pointer) in pointers.iter().enumerate() {
        *document.pointer_mut(pointer).expect("just found") = Value::from(texts[i % texts.len()].as_str());
    }
    serde_json::from_value(document).expect("each replacement alone was readable")
}

fn assert_harmless(record: &RunRecord, judgement: &Judgement, width_at: usize) {
    for unicode in [false, true] {
        let style = Style { color: false, unicode, width: width_at };
        let text = shown(record, judgement, &style);
        for line in text.split('\n') {
            assert!(!line.contains(is_harmful), "{line:?}");
            assert!(width(line) <= width_at, "{width_at}: {line:?}");
        }
        assert!(unicode || text.is_ascii());
        let coloured = shown(record, judgement, &Style { color: true, ..style });
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
    let (mut record, judgement) = fixture::troubled();
    shorten(&mut record);
    for shift in 0..texts.len() {
        let mut turned = texts.clone();
        turned.rotate_left(shift);
        let (record, judgement) = (poisoned(&record, &turned), poisoned(&judgement, &turned));
        for columns in [40, 80, 101, 140] {
            assert_harmless(&record, &judgement, columns);
        }
    }
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig { cases: 24, ..Default::default() })]

    #[test]
    fn any_text_in_every_field_steers_nothing_and_overflows_nothing(
        texts in proptest::collection::vec("(\\PC|[\u{0}-\u{1f}\u{7f}-\u{9f}\u{200b}-\u{206f}]){0,60}", 1..8),
        columns in 40usize..160,
    ) {
        let (mut record, judgement) = fixture::capped();
        shorten(&mut record);
        assert_harmless(&poisoned(&record, &texts), &poisoned(&judgement, &texts), columns);
    }
}

/// Numbers replaced at random: the screen must stand whatever a damaged or imported record says.
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
                    l.p99 = model::Percentile::Value(model::Nanos(whole));
                    l.little = value;
                }
                for c in &mut p.binding.constraints {
                    c.allows = model::Iops(value);
                    c.used = value;
                }
            }
            for columns in [40, 80, 140] {
                let text = shown(&record, &judgement, &Style { color: false, unicode: true, width: columns });
                assert!(text.lines().all(|l| width(l) <= columns));
            }
        }
    }
}
