//! A replay: recorded and replayed latencies of each kind of operation of each role, latencies by size, and the seconds
//! with late requests; then the workloads of its load.

use super::charts::{percentiles, word};
use super::{blocks, common};
use crate::ReportedRun;
use crate::document::chart::{Chart, Choice, Series};
use crate::document::figure::Times;
use crate::document::{Block, Cell, Column, Document, FigureRow, Head, Repeat, Table, Text, Tile, Value, View};
use crate::widgets::figures::{count, duration};
use crate::widgets::ink::op_word;
use messages::{Sentence, sentence};
use model::record::{OperationLatencies, Replayed, ReplayedKind, ReplayedRole};
use model::{Bytes, LatencyHistogram};

/// Maximum number of seconds with late operations that are listed individually.
const MOST_SECONDS: usize = 12;

/// Returns the document of a replay. The one-screen answer has no environment and no workloads.
pub(super) fn document(run: &ReportedRun<'_>, replayed: &Replayed, view: View) -> Document {
    let is_brief = view == View::Answer;
    let mut d = if is_brief { common::begin(run) } else { blocks::document(run, view) };
    d.kind = "replay";
    d.is_whole = true;
    d.tiles.splice(0..0, tiles(replayed));
    d.figures.splice(0..0, kinds(replayed).flat_map(|(role, kind)| rows(role, kind)));
    let load = std::mem::take(&mut d.parts);
    let length = replayed.roles.iter().map(|r| r.made_length).max().unwrap_or_default();
    let title = Some((sentence!("replay-title", name = &replayed.recording), duration(length).into()));
    if is_brief {
        let operations = count(replayed.roles.iter().map(ReplayedRole::made).sum());
        let verdict = Text::new(run.judgement.verdict.clone()).strong();
        let summary = sentence!("replay-summary", operations, target = &d.head.place);
        d.part("summary", "", [Block::Text(verdict), Block::text(summary)]);
        d.head = Head::default();
    }
    d.head.title = title;
    d.part("replayed", "replay-page", [Block::Table(table(replayed))]);
    for role in replayed.roles.iter().filter(|r| r.late_seconds() > 0) {
        d.part("late", "replay-lag", [late(role)]).aside(role.role.clone());
    }
    if is_brief && d.notes.doubts().next().is_some() {
        d.parts.last_mut().into_iter().for_each(|part| part.blocks.push(Block::Doubts));
    }
    if view == View::Page {
        d.part("then_and_now", "", then_and_now(replayed).map(Block::Chart)).views(&[]);
    }
    d.parts.extend(load);
    d
}

/// Returns the kinds of operations of all roles.
fn kinds(replayed: &Replayed) -> impl Iterator<Item = (&ReplayedRole, &ReplayedKind)> {
    replayed.roles.iter().flat_map(|role| role.kinds.iter().map(move |kind| (role, kind)))
}

/// Returns the name of a kind of operation of a role: `data: read`.
fn label((role, kind): (&ReplayedRole, &ReplayedKind)) -> Sentence {
    Sentence::join([role.role.as_str().into(), op_word(kind.op)], ": ")
}

/// Returns the recorded and the replayed curve of each kind of operation.
fn then_and_now(replayed: &Replayed) -> Option<Chart> {
    let choice = |(role, kind): (&ReplayedRole, &ReplayedKind)| {
        let recorded = Series { is_dashed: true, ..percentiles::series(word("replay-was"), &kind.recorded.latency) };
        let made = Series { shade: 1, ..percentiles::series(word("replay-is"), &kind.made.latency) };
        Choice::new(label((role, kind)), percentiles::plot(vec![recorded, made], word("page-too-few")))
    };
    let choices = kinds(replayed).map(choice).collect();
    Chart::new("then-and-now", "replay-page", "chart-percentiles-hint", choices)
}

/// Returns the number of operations, and the p99 of the kind with the most replayed operations.
fn tiles(replayed: &Replayed) -> Vec<Tile> {
    let operations = Value::Count(replayed.roles.iter().map(ReplayedRole::made).sum());
    let mut tiles = vec![Tile::new(replayed.recording.clone(), operations, "page-operations")];
    if let Some(most) = kinds(replayed).max_by_key(|(_, kind)| kind.made.operations) {
        let p99 = |latencies: &OperationLatencies| latencies.latency.percentile(99.0).value();
        tiles.extend(p99(&most.1.recorded).map(|p99| Tile::new(label(most), p99, "replay-p99")));
        tiles.extend(p99(&most.1.made).map(|p99| Tile::new(label(most), p99, "replay-p99-now")));
    }
    tiles
}

fn table(replayed: &Replayed) -> Table {
    // A row: role, kind, size, recorded and replayed operations, and the latencies since the requests were due.
    type Line<'r> =
        (&'r ReplayedRole, &'r ReplayedKind, Option<Bytes>, [&'r OperationLatencies; 2], Option<&'r LatencyHistogram>);
    let lines = kinds(replayed).flat_map(|(role, kind)| -> Vec<Line<'_>> {
        let whole: Line<'_> = (role, kind, None, [&kind.recorded, &kind.made], Some(&kind.from_due));
        let sizes = kind.sizes.iter().filter(|_| kind.sizes.len() > 1);
        let sizes = sizes.map(|size| (role, kind, Some(size.up_to), [&size.recorded, &size.made], None));
        std::iter::once(whole).chain(sizes).collect()
    });
    let p = |latencies: &OperationLatencies, p: f64| latencies.latency.percentile(p);
    Table::builder("replayed", lines)
        .column(Column::text("role", "page-role").most(18).repeat(Repeat::Blank), |(role, ..)| Cell::name(&role.role))
        .column(Column::text("kind", "replay-kind").repeat(Repeat::Blank), |(_, kind, ..)| op_word(kind.op))
        .column(Column::figure("up_to", "replay-size"), |(_, _, size, ..)| {
            Value::or_blank(size.map(|size| Value::Name(size.short())))
        })
        .column(Column::figure("recorded", "replay-was"), |(.., [was, _], _)| Value::Count(was.operations))
        .column(Column::figure("replayed", "replay-is"), |(.., [_, is], _)| Value::Count(is.operations))
        .column(Column::figure("recorded_p50_ns", "replay-p50").rank(4), |(.., [was, _], _)| p(was, 50.0))
        .column(Column::figure("replayed_p50_ns", "replay-p50-now").rank(3), |(.., [_, is], _)| p(is, 50.0))
        .column(Column::figure("recorded_p99_ns", "replay-p99").rank(2), |(.., [was, _], _)| p(was, 99.0))
        .column(Column::figure("replayed_p99_ns", "replay-p99-now").rank(1), |(.., [_, is], _)| p(is, 99.0))
        .column(Column::figure("due_p99_ns", "replay-due").rank(5), |(.., due)| {
            Cell::or_blank(due.map(|due| due.percentile(99.0)))
        })
        .build_with_subs(|(_, _, size, ..)| size.is_some())
}

/// Returns the seconds in which requests of a role were sent late.
fn late(role: &ReplayedRole) -> Block {
    let late = role.seconds.iter().enumerate().filter(|(_, s)| s.late > 0);
    let item = |(second, s): (usize, &model::record::ReplaySecond)| {
        let (late, operations, second) = (count(s.late), count(s.operations), count(second as u64));
        Text::new(sentence!("replay-lag-row", second, late, operations, longest = s.longest))
    };
    Block::List { items: late.map(item).collect(), most: MOST_SECONDS }
}

/// Returns the rows of CSV for a kind of operation: recorded and replayed.
fn rows(role: &ReplayedRole, kind: &ReplayedKind) -> [FigureRow; 2] {
    let row = |stage: &str, made: &OperationLatencies, length: model::Nanos| FigureRow {
        workload: role.role.clone(),
        stage: stage.to_owned(),
        role: kind.op.name().to_owned(),
        operations: made.operations,
        rate: Some(made.operations as f64 / length.secs().max(1e-9)),
        bytes: Some(made.bytes.as_u64() as f64 / length.secs().max(1e-9)),
        times: made.latency.figures(),
        ..FigureRow::default()
    };
    [row("recorded", &kind.recorded, role.recorded_length), row("replayed", &kind.made, role.made_length)]
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::document::chart::Plot;
    use crate::fixture::{self, text};
    use crate::{Style, write_answer};
    use model::record::{Labels, ReplaySecond, ReplayedSize, Results};
    use model::{Bytes, Caveat, Judgement, Nanos, Op, RunKind, RunRecord, Severity, judged::RunAnswer};

    fn latencies(n: u64, from: u64) -> OperationLatencies {
        let mut latencies = OperationLatencies::default();
        (0..n).for_each(|i| latencies.add(Bytes(8192), Some(Nanos::from_micros(from + i))));
        latencies
    }

    fn kind(op: Op, n: u64, sizes: &[(u64, u64)]) -> ReplayedKind {
        let size = |(kib, n): &(u64, u64)| ReplayedSize {
            up_to: Bytes::from_kib(*kib),
            recorded: latencies(*n, 70),
            made: latencies(*n, 90),
        };
        let (recorded, made, from_due) = (latencies(n, 100), latencies(n, 300), latencies(n, 400).latency);
        ReplayedKind { op, recorded, made, from_due, sizes: sizes.iter().map(size).collect() }
    }

    /// Returns a replay that did not keep up.
    pub(crate) fn run() -> (RunRecord, Judgement) {
        let (mut record, mut judgement) = fixture::capped();
        let second = |late| ReplaySecond { operations: 90, late, longest: Nanos::from_millis(late * 11) };
        let role = |name: &str, kinds, seconds: Vec<u64>| ReplayedRole {
            role: name.to_owned(),
            recorded_length: Nanos::from_secs(20),
            made_length: Nanos::from_secs(25),
            kinds,
            seconds: seconds.into_iter().map(second).collect(),
            ..ReplayedRole::default()
        };
        let data = vec![kind(Op::Read, 2000, &[(4, 5), (8, 1995)]), kind(Op::Write, 1500, &[(8, 1500)])];
        let journal = vec![kind(Op::Write, 1200, &[(8, 1200)]), kind(Op::Flush, 3, &[])];
        let roles =
            vec![role("data", data, (0..20).map(|i| i % 17).collect()), role("journal <b>", journal, vec![0; 20])];
        record.plan.kind = RunKind::Replay;
        record.results = Some(Results::Replay(Box::new(Replayed { recording: "db.sqio".into(), speed: 1.0, roles })));
        judgement.answer = RunAnswer::default();
        judgement.verdict = "data does not keep up".into();
        judgement.caveats = vec![Caveat::new("x", Severity::Doubt, "a doubt", "seen").remedy("do this")];
        (record, judgement)
    }

    #[test]
    fn the_screen_has_both_latencies_then_late_seconds_then_doubts() {
        let (record, judgement) = run();
        let screen = text(|out| write_answer(&record, &judgement, &Style::default(), out));
        let row = screen.lines().find(|l| l.starts_with(" data  ")).unwrap_or_else(|| panic!("{screen}"));
        let cells: Vec<&str> = row.split("  ").map(str::trim).filter(|cell| !cell.is_empty()).collect();
        assert_eq!(cells[1..5], ["read", "2,000", "2,000", "1.10 ms"], "{row}");
        assert_eq!(cells[5..], ["1.30 ms", "2.08 ms", "2.29 ms", "2.38 ms"], "{row}");
        let order =
            ["Replay of db.sqio", "data does not keep up", "4,703 operations", "second 12:", "and 6 more", "a doubt"];
        let places: Vec<Option<usize>> = order.iter().map(|text| screen.find(text)).collect();
        assert!(places.iter().all(Option::is_some) && places.is_sorted(), "{places:?}\n{screen}");
    }

    #[test]
    fn the_chart_has_a_dashed_and_a_solid_curve_for_each_kind() {
        let (record, judgement) = run();
        let run =
            ReportedRun { label: "", record: &record, judgement: &judgement, labels: &Labels::default(), earlier: &[] };
        let d = crate::kinds::document(&run, View::Page);
        let chart = d.charts().next().expect("a chart");
        assert_eq!((chart.id, chart.choices.len()), ("then-and-now", 4));
        for choice in &chart.choices[..3] {
            let Plot::Lines(lines) = &choice.plot else { panic!("{choice:?}") };
            assert_eq!(lines.series.iter().map(|s| s.is_dashed).collect::<Vec<_>>(), [true, false]);
        }
        assert!(matches!(chart.choices[3].plot, Plot::Nothing(_)), "three flushes have no percentiles");
    }
}
