//! What the engine did: write-back and the latencies during it, growth of the files, and its counters.

use super::operations;
use crate::document::{Block, Cell, Column, Document, Field, Margin, Table, Tone, Value, View};
use crate::grouping::grouped;
use crate::widgets::figures::{count, percent};
use crate::widgets::ink::{clauses, listed};
use messages::{Sentence, message, sentence};
use model::judged::{Backlog, BacklogTrend, DbJudgement, EngineFigures, GrowthFigures};
use model::measured::{CountedBy, DatabaseUse, EnginePhase, Growth, MGSTAT_COLUMNS};
use model::{Bytes, Nanos, units::thousands};

/// Adds latencies during write-back, its phases, and a statement on whether it keeps up.
pub(super) fn write_back(d: &mut Document, used: &DatabaseUse, judged: &DbJudgement, ended: Nanos) {
    let mut blocks = Vec::new();
    for wave in &judged.waves {
        // Without a write-back phase there is nothing to compare with.
        let (Some(outside), Some(inside)) = (&wave.outside, &wave.inside) else { continue };
        let mut table = operations::table("write_back", &[]);
        table.row(operations::cells("dbview-between", outside));
        table.row(operations::cells("dbview-during", inside));
        if let (Some(outside), Some(inside)) = (&wave.commits_outside, &wave.commits_inside) {
            table.row(operations::cells("dbview-commits-between", outside));
            table.row(operations::cells("dbview-commits-during", inside));
        }
        if judged.waves.len() > 1 {
            blocks.push(Block::Subheading(sentence!("dbview-workers", n = wave.processes)));
        }
        blocks.push(Block::Table(table));
    }
    let by_name = grouped(used.phases.iter().map(|phase| (&phase.name, phase))).into_iter();
    let mut fields: Vec<Field> = by_name.map(|(name, same)| Field::new(name.clone(), phases(&same, ended))).collect();
    fields.extend(judged.backlog.as_ref().map(|b| {
        let tone = if b.trend == BacklogTrend::Grows { Tone::Doubt } else { Tone::Plain };
        Field::new("dbview-backlog", backlog(b)).tone(tone)
    }));
    if !fields.is_empty() {
        blocks.push(Block::Fields(Margin::Fitted, fields));
    }
    if !blocks.is_empty() || judged.waves.iter().any(|w| w.inside.is_some()) {
        d.part("write-back", "dbview-write-back", blocks).views(View::DETAIL);
    }
}

/// Summarizes phases: `6 times, 480 ms on average, 480 ms at most, 22 % of the run; 5,236 pages each`.
fn phases(phases: &[&EnginePhase], ended: Nanos) -> Sentence {
    let lengths = phases.iter().map(|p| p.end.since(p.start).as_nanos());
    let (sum, most) = lengths.fold((0u64, 0), |(sum, most), l| (sum.saturating_add(l), u64::max(most, l)));
    let n = phases.len() as u64;
    let share = percent(sum as f64 / ended.as_nanos().max(1) as f64);
    let mut parts = vec![sentence!("dbview-times", n, mean = Nanos(sum / n.max(1)), most = Nanos(most), share)];
    let pages: Vec<u64> = phases.iter().filter_map(|p| p.pages).collect();
    if !pages.is_empty() {
        let mean = pages.iter().sum::<u64>() as f64 / pages.len() as f64;
        parts.push(sentence!("dbview-pages", pages = thousands(mean)));
    }
    clauses(parts)
}

fn backlog(b: &Backlog) -> Sentence {
    let backlog = message!("dbview-backlog-is", most = thousands(b.most), last = thousands(b.last));
    match b.trend {
        BacklogTrend::Level => sentence!("dbview-backlog-level", told = backlog),
        BacklogTrend::Grows => sentence!("dbview-backlog-grows", told = backlog, slope = thousands(b.slope)),
        BacklogTrend::Gathers => sentence!("dbview-backlog-gathers", told = backlog),
        BacklogTrend::TooShort => sentence!("dbview-backlog-short", told = backlog),
    }
}

/// Adds the growth in a run of inserts: files by role, and the total of all files, which is counted separately.
pub(super) fn growth(d: &mut Document, growth: &Growth, figures: &GrowthFigures) {
    let columns = [
        Column::text("role", "page-role").bare(),
        Column::figure("before", "dbview-before"),
        Column::figure("after", "dbview-after-growth"),
        Column::figure("length", "dbview-grown"),
        Column::figure("allocated", "dbview-allocated"),
    ];
    let mut table = Table::new("growth", columns);
    let grown =
        |before: Bytes, after: Bytes| Value::Growth(after.as_u64().cast_signed() - before.as_u64().cast_signed());
    for files in &growth.files {
        table.row([
            Cell::name(files.role.name()),
            files.length_before.into(),
            files.length_after.into(),
            Cell::from(grown(files.length_before, files.length_after)).strong(),
            grown(files.allocated_before, files.allocated_after).into(),
        ]);
    }
    if !growth.files.is_empty() {
        table.row([
            Cell::from(Value::word("dbview-all-files")).strong(),
            growth.allocated_before.into(),
            growth.allocated_after.into(),
            Cell::default(),
            grown(growth.allocated_before, growth.allocated_after).into(),
        ]);
    }
    let mut blocks = vec![Block::Table(table)];
    blocks.push(Block::remark(match growth.scattered {
        true => sentence!("dbview-inserted-anywhere"),
        false => sentence!("dbview-inserted-in-order"),
    }));
    if let (Some(written), Some(factor), Some(by)) = (figures.written, figures.factor, figures.by) {
        let (bytes, factor) = (figures.bytes, format!("{factor:.2}"));
        blocks.push(Block::remark(match by {
            CountedBy::Device => sentence!("dbview-amplified-device", written, bytes, factor),
            CountedBy::Group | CountedBy::Processes => sentence!("dbview-amplified", written, bytes, factor),
        }));
    }
    let nodes = message!("dbview-new-nodes", n = count(growth.nodes()));
    d.part("growth", "dbview-growth", blocks).views(View::DETAIL).aside(nodes);
}

/// Adds the counters that mgstat has, under mgstat's names, one per row, followed by all other counters.
pub(super) fn counters(d: &mut Document, used: &DatabaseUse, judged: &DbJudgement) {
    let mut blocks = Vec::new();
    if !judged.engine.is_empty() {
        let unit = |f: &EngineFigures| if f.total.is_some() { "/s" } else { "" };
        let total = |total: f64| Value::Count(total.round().max(0.0) as u64);
        let mut table = Table::builder("engine", &judged.engine)
            .column(Column::text("counter", "dbview-counted").bare().most(24), |f| Cell::name(&f.name))
            .column(Column::figure("mean", "page-mean"), |f| Cell::from(Value::Number(f.mean)).suffix(unit(f)))
            .column(Column::figure("max", "dbview-most"), |f| Cell::from(Value::Number(f.max)).suffix(unit(f)))
            .column(Column::figure("total", "dbview-in-run"), |f| Cell::or_blank(f.total.map(total)))
            .build();
        let absent: Vec<&str> = MGSTAT_COLUMNS.into_iter().filter(|name| !is_shown(name, used, judged)).collect();
        if !absent.is_empty() {
            table.remark(sentence!("dbview-mgstat-absent", names = absent.join(", ")));
        }
        blocks.push(Block::Table(table));
    }
    let whole = |v: f64| if v.fract() == 0.0 && v >= 0.0 { count(v as u64) } else { thousands(v) };
    let others: Vec<String> =
        used.counters.iter().filter(|(_, v)| *v != 0.0).map(|(name, v)| format!("{name} {}", whole(*v))).collect();
    if !others.is_empty() {
        let field = Field::new("dbview-counted", listed(others)).tone(Tone::Dim);
        blocks.push(Block::Fields(Margin::Fitted, vec![field]));
    }
    if !blocks.is_empty() {
        let title = if judged.engine.is_empty() { "dbview-engine" } else { "dbview-mgstat" };
        d.part("engine", title, blocks).views(View::DETAIL);
    }
}

/// Returns `true` if the report already shows a column of mgstat, for one host or for several. The times of the phases
/// of a write daemon also count as shown.
fn is_shown(name: &str, used: &DatabaseUse, judged: &DbJudgement) -> bool {
    judged.engine.iter().any(|e| e.name.split(' ').next_back() == Some(name))
        || used.phases.iter().any(|p| p.name.starts_with(name))
}
