//! The table of stored runs, and the list of runs as comma-separated values.

use crate::Style;
use crate::document::{Cell, Column, Table, Tone, Value};
use crate::render::{csv, terminal};
use crate::widgets::page::Page;
use crate::widgets::text::{Line, Paint};
use messages::{Message, Sentence, message};
use model::plan::{KindName, WatchPlan};
use model::record::{Labels, WorkloadFigures};
use model::{Bytes, Nanos};
use std::io::{self, Write};

/// Number of characters shown of a run's ID; enough to identify it.
pub(crate) const ID_SHOWN: usize = 8;
/// Minimum width for a verdict next to the other columns; with less room it gets a separate line.
const VERDICT_LEAST: usize = 30;

/// One stored run, with the data for the table.
#[derive(Debug, Clone, PartialEq)]
pub struct RunRow {
    /// UUID, hyphenated; the table shows its first eight characters.
    pub id: String,
    /// Wall-clock start, RFC 3339.
    pub started: String,
    /// Kind of the run; `None` if it cannot be read.
    pub kind: Option<KindName>,
    /// Command: `qualify`, `fio`, ...
    pub command: String,
    /// Path of the target.
    pub target: String,
    /// State of the run: `complete`, `running`, `interrupted`, ...
    pub state: &'static str,
    /// Duration of the run.
    pub duration: Nanos,
    /// Sentence of the verdict; empty if there is none.
    pub verdict: Sentence,
    /// Exit code of the run's judgement.
    pub exit: Option<u8>,
    /// Host name.
    pub host: String,
    /// Size under test, in bytes.
    pub size: Bytes,
    /// Key of the plan.
    pub plan: String,
    /// Tags and note.
    pub labels: Labels,
    /// Key figures.
    pub workloads: Vec<WorkloadFigures>,
}

/// Writes the runs as comma-separated values, a line for each workload; a run without workloads has one line. Values
/// are in base units; a value that was not measured is empty.
///
/// # Errors
/// Returns an error if writing to `out` fails.
pub fn write_runs_csv(rows: &[RunRow], out: &mut dyn Write) -> io::Result<()> {
    type Figure = fn(&WorkloadFigures) -> Value;
    let lines = rows.iter().flat_map(|run| {
        let none = run.workloads.is_empty().then_some(None);
        run.workloads.iter().map(Some).chain(none).map(move |workload| (run, workload))
    });
    let key = |key| Column::text(key, "");
    let mut table = Table::builder("runs", lines)
        .column(key("run"), |(r, _)| Value::name(&r.id))
        .column(key("started"), |(r, _)| Value::name(&r.started))
        .column(key("command"), |(r, _)| Value::name(&r.command))
        .column(key("target"), |(r, _)| Value::name(&r.target))
        .column(key("host"), |(r, _)| Value::name(&r.host))
        .column(key("state"), |(r, _)| Value::name(r.state))
        .column(key("exit"), |(r, _)| Value::or_blank(r.exit.map(|exit| Value::Setting(exit.into()))))
        .column(key("took_ns"), |(r, _)| r.duration)
        .column(key("size"), |(r, _)| r.size)
        .column(key("plan"), |(r, _)| Value::name(&r.plan))
        .column(key("tags"), |(r, _)| Value::Name(tags(&r.labels)))
        .column(key("note"), |(r, _)| Value::name(&r.labels.note));
    let figures: [(&str, Figure); 11] = [
        ("workload", |w| Value::name(&w.name)),
        ("pattern", |w| Value::name(&w.pattern)),
        ("bs", |w| w.bs.into()),
        ("engine", |w| Value::name(&w.engine)),
        ("in_flight", |w| Value::Setting(w.depth)),
        ("jobs", |w| Value::or_blank(w.jobs.map(Value::Setting))),
        ("iops", |w| w.iops.into()),
        ("bytes_per_s", |w| w.bandwidth.into()),
        ("mean_ns", |w| w.mean.into()),
        ("p99_ns", |w| w.p99.into()),
        ("latency_from", |w| Value::name(w.latency_from.name())),
    ];
    for (name, figure) in figures {
        table = table.column(key(name), |(_, w)| w.map_or(Value::Blank, figure));
    }
    csv::table(&table.column(key("verdict"), |(r, _)| r.verdict.clone()).build(), out)
}

/// Writes the runs as an aligned table in the given order, or a line saying that there are none. A verdict has a
/// separate line if there is no room for it next to the other columns.
///
/// # Errors
/// Returns an error if writing to `out` fails.
pub fn write_runs(rows: &[RunRow], style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let mut page = Page::new(style, out);
    if rows.is_empty() {
        return page.line(Line::plain(page.ink.word("runs-none")));
    }
    let ink = page.ink;
    let target_room = u8::try_from((ink.width / 4).max(12)).unwrap_or(u8::MAX);
    let short = |r: &RunRow| r.id.chars().take(ID_SHOWN).collect::<String>();
    let table = Table::builder("runs", rows)
        .column(Column::text("run", "label-run"), |r| Cell::name(short(r)))
        .column(Column::text("started", "page-started").rank(3).most(19), |r| Value::Name(started(&r.started)))
        .column(Column::text("command", "runs-head-command").rank(1).most(10), |r| Value::name(&r.command))
        .column(Column::text("target", "head-target").rank(2).middle(target_room), target)
        .column(Column::text("state", "page-state"), |r| Cell::from(state(r.state)).tone(tone(r.state)))
        .column(Column::figure("took_ns", "runs-head-took").rank(4), |r| Value::Length(r.duration))
        .column(Column::text("tags", "runs-head-tags").rank(1).most(20), |r| Value::Name(tags(&r.labels)))
        .build();
    let lines = terminal::lines(&Table { indent: 0, ..table }, ink);
    let used = lines.iter().map(Line::width).max().unwrap_or(0);
    let room = ink.width.saturating_sub(used + 2);
    let head = ink.word("page-verdict").to_owned();
    let verdicts = std::iter::once(head).chain(rows.iter().map(|r| ink.translate(&r.verdict)));
    let hang = ID_SHOWN + 1;
    let below = |text: String, paint| Line::plain(" ".repeat(hang)).with(text, paint);
    for (i, (mut line, verdict)) in lines.into_iter().zip(verdicts).enumerate() {
        let row = i.checked_sub(1).and_then(|i| rows.get(i));
        let beside = room >= VERDICT_LEAST;
        if beside {
            line.pad_to(used + 2);
            line.push(ink.clipped_at_word(&verdict, room), if i == 0 { Paint::DIM } else { Paint::PLAIN });
        }
        page.line(line)?;
        if !beside && i > 0 && !verdict.is_empty() {
            page.line(below(ink.clipped_at_word(&verdict, ink.width - hang), Paint::DIM))?;
        }
        if let Some(row) = row.filter(|r| !r.labels.note.is_empty()) {
            let note = ink.format(&message!("runs-note", note = &row.labels.note));
            page.line(below(ink.clipped(&note, ink.width - hang), Paint::PLAIN))?;
        }
    }
    Ok(())
}

/// Returns the target of a run. For a watch of all devices, returns a phrase in the reader's language.
fn target(row: &RunRow) -> Value {
    match row.target.strip_prefix(WatchPlan::ALL_DEVICES) {
        Some(rest) if row.kind == Some(KindName::Watch) => {
            Value::Text(Sentence::concat([messages::sentence(Message::new("watch-all-disks")), rest.into()]))
        }
        _ => Value::name(&row.target),
    }
}

fn tone(state: &str) -> Tone {
    match state {
        "complete" => Tone::Plain,
        "running" => Tone::Pass,
        "interrupted" | "stopped" => Tone::Doubt,
        _ => Tone::Fail,
    }
}

/// Returns the state of a run; unknown states are returned unchanged.
pub(crate) fn state(state: &str) -> Sentence {
    let id = match state {
        "complete" => "board-complete",
        "running" => "board-running",
        "interrupted" => "board-interrupted",
        "stopped" => "board-stopped",
        "hung" => "board-hung",
        "failed" => "board-failed",
        "damaged" => "board-damaged-run",
        "unreadable" => "board-unreadable",
        other => return other.into(),
    };
    messages::sentence(Message::new(id))
}

fn tags(labels: &Labels) -> String {
    labels.tags.iter().map(String::as_str).collect::<Vec<_>>().join(" ")
}

/// Shortens an RFC 3339 time to `2026-11-21 09:41:07`; any other text is returned unchanged.
pub(crate) fn started(text: &str) -> String {
    match (text.get(..10), text.get(11..19), text.as_bytes().get(10)) {
        (Some(date), Some(time), Some(b'T')) => format!("{date} {time}"),
        _ => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(target: &str, state: &'static str) -> RunRow {
        RunRow {
            id: "3f2a9c1b-77d1-4d21-9e01-8844aa105c7f".into(),
            started: "2026-11-21T09:41:07+00:00".into(),
            kind: Some(model::plan::KindName::Blocks),
            command: "qualify".into(),
            target: target.into(),
            state,
            duration: Nanos::from_secs(291),
            verdict: "8k randread is limited by the volume's IOPS: 5,998 of 6,000 (100 %)".into(),
            exit: Some(0),
            host: "a".into(),
            size: Bytes::from_gib(1),
            plan: "1f2e3d4c5b6a".into(),
            labels: Labels::default(),
            workloads: Vec::new(),
        }
    }

    fn screen(rows: &[RunRow], width: usize) -> String {
        let mut out = Vec::new();
        write_runs(
            rows,
            &Style { color: false, unicode: true, width, language: messages::Language::English },
            &mut out,
        )
        .unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn runs_stand_in_columns_and_verdicts_are_cut_to_the_screen() {
        let rows =
            [row("/data/secchi/test.dat", "complete"), row("/srv/a/very/long/path/to/some/where/file", "interrupted")];
        insta::assert_snapshot!(screen(&rows, 110));
    }

    #[test]
    fn a_narrow_screen_keeps_what_names_a_run_and_how_it_ended() {
        let text = screen(&[row("/data/secchi/test.dat", "hung")], 40);
        assert!(text.contains("3f2a9c1b") && text.contains("hung"), "{text}");
        assert!(text.lines().all(|l| crate::widgets::text::width(l) <= 40));
    }

    #[test]
    fn tags_have_a_column_where_there_are_any_and_a_note_a_line() {
        let mut tagged = row("/data", "complete");
        tagged.labels.tags = ["gp3", "nightly"].map(str::to_owned).into();
        tagged.labels.note = "after the \u{1b}[31mchange\nof the disk".into();
        let text = screen(&[tagged.clone(), row("/data", "complete")], 120);
        assert!(text.contains("tags") && text.contains("gp3 nightly") && text.contains("note: after the"), "{text}");
        assert!(!text.contains('\u{1b}'));
        assert!(!screen(&[row("/data", "complete")], 120).contains("tags"));
        let mut out = Vec::new();
        crate::write_labels(&tagged.labels, &Style::default(), &mut out).unwrap();
        assert!(String::from_utf8(out).unwrap().starts_with("TAGS     gp3 nightly\nNOTE"));
    }

    #[test]
    fn csv_has_a_line_for_each_workload_and_no_formulas() {
        let mut r = row("=cmd|' /C calc'!A0", "complete");
        let figures = |name: &str| WorkloadFigures {
            name: name.into(),
            pattern: "randread".into(),
            bs: Some(Bytes(8192)),
            engine: "io_uring".into(),
            depth: 32,
            jobs: Some(8),
            iops: Some(model::Iops(5998.5)),
            p99: Some(Nanos(5)),
            ..WorkloadFigures::default()
        };
        r.workloads = vec![figures("8k randread"), figures("a")];
        let mut out = Vec::new();
        write_runs_csv(&[r, row("/data", "stopped")], &mut out).unwrap();
        let text = String::from_utf8(out).unwrap();
        assert_eq!(text.lines().count(), 4);
        assert!(text.contains(",'=cmd|") && text.contains(",5998.5,,,5,submission,"), "{text}");
        // The verdict contains two commas, which are inside its quotes.
        assert!(text.lines().skip(1).all(|l| l.split(',').count() == 24 + 2), "{text}");
    }

    #[test]
    fn an_empty_store_says_so() {
        assert!(screen(&[], 80).contains("no runs are stored yet"));
    }

    #[test]
    fn a_strange_start_is_shown_as_it_is() {
        assert_eq!(started("yesterday"), "yesterday");
        assert_eq!(started("2026-11-21T09:41:07Z"), "2026-11-21 09:41:07");
        assert_eq!(started("ééééééééééééééé"), "ééééééééééééééé");
    }
}
