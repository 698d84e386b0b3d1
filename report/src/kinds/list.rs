//! The table of stored runs, and the list of runs as comma-separated values.

use crate::Style;
use crate::widgets::escape::csv_field;
use crate::widgets::figures::duration;
use crate::widgets::ink::Ink;
use crate::widgets::page::Page;
use crate::widgets::table::{Column, Table};
use crate::widgets::text::{Hue, Line, Paint};
use messages::{Message, Sentence, message};
use model::{Bytes, KindName, Labels, Nanos, WatchPlan, WorkloadFigures};
use std::borrow::Cow;
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

const HEAD: &str = "run,started,command,target,host,state,exit,took_ns,size,plan,tags,note,workload,pattern,bs,engine,in_flight,jobs,\
                    iops,bytes_per_s,mean_ns,p99_ns,latency_from,verdict";

/// Writes the runs as comma-separated values, a line for each workload; a run without workloads has one line. Values
/// are in base units; a value that was not measured is empty.
///
/// # Errors
/// Returns an error if writing to `out` fails.
pub fn write_runs_csv(rows: &[RunRow], out: &mut dyn Write) -> io::Result<()> {
    fn maybe<T: ToString>(value: Option<T>) -> String {
        value.map_or_else(String::new, |v| v.to_string())
    }
    writeln!(out, "{HEAD}")?;
    for r in rows {
        let tags: Vec<&str> = r.labels.tags.iter().map(String::as_str).collect();
        let run = [
            csv_field(&r.id),
            csv_field(&r.started),
            csv_field(&r.command),
            csv_field(&r.target),
            csv_field(&r.host),
            r.state.to_owned(),
            maybe(r.exit),
            r.duration.as_nanos().to_string(),
            r.size.as_u64().to_string(),
            csv_field(&r.plan),
            csv_field(&tags.join(" ")),
            csv_field(&r.labels.note),
        ]
        .join(",");
        let verdict = csv_field(&r.verdict);
        if r.workloads.is_empty() {
            writeln!(out, "{run},,,,,,,,,,,,{verdict}")?;
        }
        for w in &r.workloads {
            let figures = [
                csv_field(&w.name),
                csv_field(&w.pattern),
                maybe(w.bs.map(|b| b.as_u64())),
                csv_field(&w.engine),
                w.depth.to_string(),
                maybe(w.jobs),
                maybe(w.iops.map(|i| i.per_second())),
                maybe(w.bandwidth.map(|b| b.per_second())),
                maybe(w.mean.map(|n| n.as_nanos())),
                maybe(w.p99.map(|n| n.as_nanos())),
                w.latency_from.name().to_owned(),
            ];
            writeln!(out, "{run},{},{verdict}", figures.join(","))?;
        }
    }
    Ok(())
}

/// Writes the runs as an aligned table in the given order, or a line saying that there are none.
///
/// # Errors
/// Returns an error if writing to `out` fails.
pub fn write_runs(rows: &[RunRow], style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let mut page = Page::new(style, out);
    if rows.is_empty() {
        return page.line(Line::plain(page.ink.word("runs-none")));
    }
    let ink = page.ink;
    let mut table = Table::new(
        vec![
            Column::left(ink.word("label-run")),
            Column::left(ink.word("page-started")).droppable(3),
            Column::left(ink.word("runs-head-command")).droppable(1),
            Column::left(ink.word("head-target")).droppable(2),
            Column::left(ink.word("page-state")),
            Column::right(ink.word("runs-head-took")).droppable(4),
            Column::left(ink.word("runs-head-tags")).droppable(1),
        ],
        0,
    );
    let target_room = (ink.width / 4).max(12);
    for row in rows {
        let hue = match row.state {
            "complete" => Hue::Plain,
            "running" => Hue::Pass,
            "interrupted" | "stopped" => Hue::Doubt,
            _ => Hue::Fail,
        };
        table.row(vec![
            Line::new().with(ink.text(&row.id).chars().take(ID_SHOWN).collect::<String>(), Paint::BOLD),
            Line::plain(ink.clipped(&started(&row.started), 19)),
            Line::plain(ink.clipped(&row.command, 10)),
            Line::plain(tail(&ink.text(&target(row, ink)), target_room, ink.glyphs().ellipsis)),
            Line::new().with(ink.translate(state(row.state)), Paint::new(hue)),
            Line::plain(duration(row.duration)),
            Line::plain(ink.clipped(&tags(&row.labels), 20)),
        ]);
    }
    let laid = table.lay(ink);
    let used = laid.lines.iter().map(Line::width).max().unwrap_or(0);
    let room = ink.width.saturating_sub(used + 2);
    let head = ink.word("page-verdict").to_owned();
    let verdicts = std::iter::once(head).chain(rows.iter().map(|r| ink.translate(&r.verdict)));
    for (i, (mut line, verdict)) in laid.lines.into_iter().zip(verdicts).enumerate() {
        let row = i.checked_sub(1).and_then(|i| rows.get(i));
        let beside = room >= VERDICT_LEAST;
        if beside {
            line.pad_to(used + 2);
            line.push(ink.clipped_at_word(&verdict, room), if i == 0 { Paint::DIM } else { Paint::PLAIN });
        }
        page.line(line)?;
        if !beside && i > 0 && !verdict.is_empty() {
            let hang = ID_SHOWN + 1;
            let text = ink.clipped_at_word(&verdict, ink.width - hang);
            page.line(Line::plain(" ".repeat(hang)).with(text, Paint::DIM))?;
        }
        if let Some(row) = row.filter(|r| !r.labels.note.is_empty()) {
            let hang = ID_SHOWN + 1;
            let text = ink.clipped(&ink.format(&message!("runs-note", note = &row.labels.note)), ink.width - hang);
            page.line(Line::plain(" ".repeat(hang)).with(text, Paint::PLAIN))?;
        }
    }
    Ok(())
}

/// Returns the target of a run. For a watch of all devices, returns a phrase in the reader's language.
fn target(row: &RunRow, ink: Ink) -> Cow<'_, str> {
    match row.target.strip_prefix(WatchPlan::ALL_DEVICES) {
        Some(rest) if row.kind == Some(KindName::Watch) => Cow::Owned(ink.word("watch-all-disks").to_owned() + rest),
        _ => Cow::Borrowed(&row.target),
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

/// Returns the end of a path, which is more informative than its beginning.
fn tail(path: &str, room: usize, ellipsis: &str) -> String {
    if crate::widgets::text::width(path) <= room {
        return path.to_owned();
    }
    let mut kept = String::new();
    for c in path.chars().rev() {
        let longer = format!("{c}{kept}");
        if crate::widgets::text::width(&longer) + crate::widgets::text::width(ellipsis) > room {
            break;
        }
        kept = longer;
    }
    format!("{ellipsis}{kept}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(target: &str, state: &'static str) -> RunRow {
        RunRow {
            id: "3f2a9c1b-77d1-4d21-9e01-8844aa105c7f".into(),
            started: "2026-11-21T09:41:07+00:00".into(),
            kind: Some(model::KindName::Blocks),
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
            bandwidth: None,
            mean: None,
            p99: Some(Nanos(5)),
            latency_from: model::LatencyFrom::Submission,
        };
        r.workloads = vec![figures("8k randread"), figures("a")];
        let mut out = Vec::new();
        write_runs_csv(&[r, row("/data", "stopped")], &mut out).unwrap();
        let text = String::from_utf8(out).unwrap();
        assert_eq!(text.lines().count(), 4);
        assert!(text.contains(",'=cmd|") && text.contains(",5998.5,,,5,submission,"), "{text}");
        // The verdict contains two commas, which are inside its quotes.
        assert!(text.lines().skip(1).all(|l| l.split(',').count() == HEAD.split(',').count() + 2), "{text}");
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
