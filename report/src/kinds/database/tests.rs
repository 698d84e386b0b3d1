//! The screens of database runs: snapshots, and properties that hold at any width.

use super::*;
use crate::Style;
use crate::formats::perftools::{Cell, history};
use crate::formats::{write_json, write_terminal};
use crate::screens::history::{HistoryAnswer, write_history, write_history_answer};
use crate::widgets::text::width;
use analysis::database_fixture::{self as fixture, mixed, ramp, reads, updates};
use model::Judgement;

fn screen(record: &RunRecord, width: usize, color: bool, unicode: bool) -> String {
    let judgement = analysis::judge(record);
    let mut out = Vec::new();
    let style = Style { color, unicode, width, language: messages::Language::English };
    write_terminal(record, &judgement, &style, &mut out).expect("a vector takes every byte");
    String::from_utf8(out).expect("only text is written")
}

#[test]
fn block_reads_at_80_columns() {
    insta::assert_snapshot!(screen(&reads(), 80, false, true));
}

#[test]
fn updates_at_80_columns() {
    insta::assert_snapshot!(screen(&updates(), 80, false, true));
}

#[test]
fn updates_at_100_columns() {
    insta::assert_snapshot!(screen(&updates(), 100, false, true));
}

#[test]
fn updates_in_ascii() {
    insta::assert_snapshot!(screen(&updates(), 80, false, false));
}

#[test]
fn updates_in_colour() {
    insta::assert_snapshot!(screen(&updates(), 80, true, true));
}

#[test]
fn a_ramp_at_100_columns() {
    insta::assert_snapshot!(screen(&ramp(), 100, false, true));
}

#[test]
fn a_ramp_at_80_columns_in_ascii() {
    insta::assert_snapshot!(screen(&ramp(), 80, false, false));
}

#[test]
fn reads_and_updates_together_from_memory() {
    let mut record = mixed();
    record.disks = vec![model::measured::DiskUse {
        name: "vda".into(),
        ops: [900, 10_000],
        ..model::measured::DiskUse::default()
    }];
    let used = record.database_mut().expect("a database");
    used.data = model::Bytes::from_mib(300);
    used.journal = false;
    used.commit = "journal_mode=OFF, synchronous=OFF".into();
    insta::assert_snapshot!(screen(&record, 100, false, true));
}

#[test]
fn a_screen_fits_any_width_and_any_alphabet() {
    for record in [reads(), updates(), ramp(), mixed()] {
        let mut record = record;
        record.database_mut().expect("a database").directory =
            "/data/\x1b[2J\u{202e}/very/long/name/of/a/directory".into();
        for columns in (40..120).step_by(7) {
            for unicode in [false, true] {
                let text = screen(&record, columns, false, unicode);
                assert!(text.lines().all(|l| width(l) <= columns), "{columns}: {text}");
                assert!(!text.contains('\x1b') && !text.contains('\u{202e}') && (unicode || text.is_ascii()));
            }
        }
    }
}

#[test]
fn the_answer_fits_a_screen_of_24_lines_and_names_the_rest() {
    let many: Vec<(u32, fixture::Worker)> = (1..30).map(|n| (n, fixture::reader(100, 9_000_000))).collect();
    for mut record in [reads(), updates(), ramp(), mixed(), fixture::run("ranread", &many, 2)] {
        record.plan.needs =
            vec!["read: p99<=1us".parse().expect("a need"), "commit: p99<=1us".parse().expect("a need")];
        let judgement = analysis::judge(&record);
        for columns in [80, 100, 140] {
            let style = Style { color: false, unicode: true, width: columns, language: messages::Language::English };
            let mut out = Vec::new();
            crate::formats::write_answer(&record, &judgement, &style, &mut out).expect("a vector takes every byte");
            let text = String::from_utf8(out).expect("text");
            assert!(text.lines().count() <= 24, "{}:\n{text}", text.lines().count());
            assert!(text.starts_with("NEEDS") && text.contains("VERDICT") && text.contains("--full"), "{text}");
        }
    }
}

#[test]
fn the_record_as_json_reads_back_with_its_judgement() {
    let record = updates();
    let judgement = analysis::judge(&record);
    let mut out = Vec::new();
    write_json(&record, &judgement, None, &mut out).expect("written");
    #[derive(serde::Deserialize)]
    struct Back {
        record: RunRecord,
        judgement: Judgement,
    }
    let back: Back = serde_json::from_slice(&out).expect("it reads back");
    assert_eq!(back.record, record);
    assert_eq!(back.judgement, judgement);
}

fn written(write: impl FnOnce(&Style, &mut Vec<u8>), width: usize) -> String {
    let mut out = Vec::new();
    write(&Style { width, ..Style::default() }, &mut out);
    String::from_utf8(out).expect("text")
}

#[test]
fn a_history_is_a_table() {
    let mut stopped = mixed();
    stopped.state = model::RunState::Stopped;
    let runs: Vec<(RunRecord, Judgement)> =
        [reads(), updates(), ramp(), stopped].into_iter().map(|r| (r.clone(), analysis::judge(&r))).collect();
    let batches = history(&runs);
    insta::assert_snapshot!(written(|s, out| write_history(&batches, true, s, out).expect("written"), 100));
    let narrow = written(|s, out| write_history(&batches, true, s, out).expect("written"), 60);
    assert!(narrow.lines().all(|l| width(l) <= 60) && narrow.contains("omitted for lack of"), "{narrow}");
    assert!(written(|s, out| write_history(&[], true, s, out).expect("written"), 80).contains("no runs on this"));
}

#[test]
fn an_answer_is_a_table_commas_or_objects() {
    let answer = HistoryAnswer {
        columns: ["Processes", "Name", "rate"].map(String::from).to_vec(),
        rows: vec![
            vec![Cell::Integer(4), Cell::Text("a, \"b\"".into()), Cell::Real(6011.25)],
            vec![Cell::Integer(16), Cell::Null, Cell::Real(0.000_25)],
        ],
    };
    let shown = |format: &str| written(|s, out| write_history_answer(&answer, format, s, out).expect("written"), 80);
    assert_eq!(
        shown("table"),
        "Processes  Name       rate\n        4  a, \"b\"  6011.25\n       16                0\n2 rows\n"
    );
    assert_eq!(shown("csv"), "Processes,Name,rate\n4,\"a, \"\"b\"\"\",6011.25\n16,,0.00025\n");
    let back: serde_json::Value = serde_json::from_str(&shown("json")).expect("JSON");
    assert_eq!(back[0]["Name"], "a, \"b\"");
    assert!(back[1]["Name"].is_null());
}
