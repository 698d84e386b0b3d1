//! The table of levels: one row of figures for each level of concurrency, and the notes on its rows.
//!
//! Every figure can be marked as doubtful in place (docs/design/results.md, "Doubted figures"): an invalid one is
//! struck and gives the reason, a missing percentile is a dash, and a missing interval, an unsteady series, an error or a
//! caveat gets a note on the row.

use super::changed;
use crate::document::{Cell, Column, NoteId, Notes, Only, Repeat, Sign, Table, Text, Tone, Value, Word};
use crate::kinds::columns;
use crate::overview::Entry;
use crate::widgets::figures::{cpu, duration};
use crate::widgets::ink::{listed, op_word};
use messages::{Message, Sentence, message, sentence};
use model::{
    Caveat, Knee, LevelFigures, Nanos, Op, OpLatency, PatternJudgement, Percentile, Severity, StageRole, Steadiness,
    told_course,
};

/// Deviation of X*R/N (Little's law) from 1 above which a row gets a note about it.
const LITTLE_TOLERANCE: f64 = 0.05;
/// Caveats that the row of a standalone level already expresses by text or sign.
const SHOWN_IN_PLACE: [&str; 1] = ["too-short"];

// Indices into `columns`.
const WORKLOAD: usize = 1;
const IOPS: usize = 5;
const MEAN: usize = 8;
const P99: usize = 10;

fn columns() -> Vec<Column> {
    let first = [
        Column::signs(),
        Column::text("workload", "page-workload").most(28).repeat(Repeat::Blank),
        Column::figure("in_flight", "page-in-flight").short("N"),
        Column::text("shape", Word::Term("QxT")).rank(6),
        Column::text("engine", "head-engine").rank(5).most(12),
        Column::term("iops", "IOPS"),
        Column::text("interval", Word::Term("95% CI")).rank(4),
        Column::term("bytes_per_s", "MB/s"),
    ];
    let last = [
        Column::figure("cpu_ns", "head-cpu-each").only(Only::NarrowScreen),
        Column::term("cpu", "CPU usr+sys").only(Only::WideScreen),
        Column::figure("operations", "head-operations").extra(9),
        Column::figure("time_ns", "head-time").extra(8),
        Column::signs(),
    ];
    first.into_iter().chain(columns::times(3, 1, 2)).chain(last).collect()
}

/// Returns the table of levels. Its rows differ in workload if `by_workload` is true, otherwise in concurrency.
/// `caveats` are those of the run.
pub(super) fn table(notes: &mut Notes, entries: &[Entry], by_workload: bool, caveats: &[Caveat]) -> Table {
    let (engine, shape) = common(entries);
    let mut table = Table::new("levels", columns());
    table.stacked = by_workload.then_some(WORKLOAD);
    let mut mixed: &[OpLatency] = &[];
    for entry @ (pattern, level) in entries {
        let name = if by_workload { Value::name(&pattern.label) } else { Value::Blank };
        let row = Row { level, is_best: !by_workload && is_best(pattern, level) };
        let depth = (!by_workload || shape.is_none()).then(|| level.concurrency());
        let shape = depth.map(|_| Value::Name(format!("{}×{}", level.queue_depth, level.threads)));
        let first = [
            marks(pattern, level).into(),
            Cell::from(name.clone()).strong(),
            Cell { strong: row.is_best, ..Cell::or_blank(depth.map(|n| Value::Setting(n.into()))) },
            Cell::or_blank(shape).tone(Tone::Dim),
            Cell::from(if engine.is_none() { Value::name(&level.engine) } else { Value::Blank }).tone(Tone::Dim),
        ];
        let cells = first.into_iter().chain(row.cells()).chain([Value::Signs(vec![series_sign(*entry)]).into()]);
        *table.row(cells) = row_notes(*entry, caveats, notes);
        // The levels of a ramp are not split into kinds, except the held level, or the best level if none was held.
        let is_split = alone(*entry) || (is_best(pattern, level) && !pattern.levels.iter().any(|l| l.hold));
        if is_split && !level.apart.is_empty() {
            mixed = &level.apart;
            for a in &level.apart {
                table.sub_row(row.only(&name, a.op, a.mean, a.p99));
            }
        }
        if let Some((mean, p99)) = level.flush {
            table.sub_row(row.only(&name, Op::Flush, mean, p99));
        }
    }
    explain(&mut table, entries, mixed);
    table
}

/// Adds the meaning of signs and dashes.
fn explain(table: &mut Table, entries: &[Entry], mixed: &[OpLatency]) {
    if let [first @ .., last] = mixed {
        let ops = message!("list-and", first = listed(first.iter().map(|a| plural(a.op))), last = plural(last.op));
        table.remark(sentence!("level-mix", ops));
    }
    let is_imprecise = |e: &Entry| e.1.steadiness == Steadiness::TooShort && lacks_interval(*e);
    let too_short = entries.iter().any(is_imprecise).then_some((Sign::TooShort, message!("level-too-short")));
    let lacks_figure = table.cells().flatten().any(|cell| cell.value == Value::TooFew);
    let too_few = lacks_figure.then_some((Sign::Dash, message!("level-too-few")));
    for (sign, text) in too_short.into_iter().chain(too_few) {
        table.legend.push(Text::new(messages::sentence(text)).tone(Tone::Dim).sign(sign));
    }
    let is_ramp = |e: &&Entry| e.0.role == StageRole::Ramp;
    let mut sign = |is_present: bool, sign: Option<Sign>, tone: Tone, text: Message| {
        if is_present {
            table.signs.push(Text::new(messages::sentence(text)).tone(tone).sign(sign));
        }
    };
    let any = |f: &dyn Fn(&Entry) -> bool| entries.iter().filter(is_ramp).any(f);
    sign(any(&|(p, l)| is_best(p, l)), Some(Sign::Best), Tone::Pass, message!("level-best"));
    sign(any(&|(p, l)| is_knee(p, l)), Some(Sign::Knee), Tone::Measured, message!("knee-label"));
    if let Some((_, held)) = entries.iter().filter(is_ramp).find(|(_, l)| l.hold) {
        let time = duration(held.time);
        let text = if changed(held) { message!("level-held-changed", time) } else { message!("level-held", time) };
        sign(true, Some(Sign::Held), Tone::Measured, text);
    }
    sign(any(&|e| e.1.steadiness == Steadiness::Steady), Some(Sign::Steady), Tone::Pass, message!("level-steady"));
    let is_short = |e: &Entry| e.1.steadiness == Steadiness::TooShort && !alone(*e);
    sign(any(&is_short), None, Tone::Dim, message!("level-no-sign"));
}

/// Returns `true` if the figures of a level count by themselves. Levels of a ramp only serve to find the level to hold:
/// they are short by design, and a row does not mention that they are imprecise.
fn alone((pattern, level): Entry) -> bool {
    level.hold || pattern.role != StageRole::Ramp
}

fn lacks_interval(entry: Entry) -> bool {
    alone(entry) && entry.1.iops.ci.is_none() && !entry.1.iops.ci_missing.is_empty()
}

/// Returns the engine and shape (queue depth and threads) that all rows share; the heading shows them once.
pub(super) fn common(entries: &[Entry]) -> (Option<String>, Option<(u32, u32)>) {
    let Some((_, first)) = entries.first() else { return (None, None) };
    let shape = |l: &LevelFigures| (l.queue_depth, l.threads);
    let engine = entries.iter().all(|(_, l)| l.engine == first.engine).then(|| first.engine.clone());
    (engine, entries.iter().all(|(_, l)| shape(l) == shape(first)).then(|| shape(first)))
}

fn is_best(pattern: &PatternJudgement, level: &LevelFigures) -> bool {
    pattern.best.and_then(|i| pattern.levels.get(i)).is_some_and(|best| std::ptr::eq(best, level))
}

fn is_knee(pattern: &PatternJudgement, level: &LevelFigures) -> bool {
    let concurrency = level.concurrency();
    !level.hold && matches!(pattern.knee, Knee::Between { at, .. } if at == concurrency)
}

fn marks(pattern: &PatternJudgement, level: &LevelFigures) -> Value {
    if pattern.role != StageRole::Ramp {
        return Value::Blank;
    }
    let place = if level.hold { Some(Sign::Held) } else { is_knee(pattern, level).then_some(Sign::Knee) };
    let best = is_best(pattern, level).then_some((Sign::Best, Tone::Pass));
    Value::Signs(vec![best, place.map(|sign| (sign, Tone::Measured))])
}

/// Settings for one row of figures.
struct Row<'a> {
    level: &'a LevelFigures,
    is_best: bool,
}

impl Row<'_> {
    fn figure(&self, value: impl Into<Value>) -> Cell {
        let tone = if changed(self.level) { Tone::Doubt } else { Tone::Plain };
        Cell { strong: self.is_best, ..value.into().into() }.tone(tone).struck(self.level.struck.is_some())
    }

    /// Returns the cells from `IOPS` to `time`.
    fn cells(&self) -> Vec<Cell> {
        let l = self.level;
        // A note on the row gives the reason for a missing interval.
        let has_interval = l.struck.is_none() && l.iops.ci.is_some();
        let interval = if has_interval { Value::Interval(l.iops.clone()) } else { Value::Blank };
        let total = l.cpu_user.zip(l.cpu_system).map(|(u, s)| Nanos(u.as_nanos().saturating_add(s.as_nanos())));
        let mut cells = vec![
            self.figure(Value::Number(l.iops.value)).sign(changed(l).then_some(Sign::Changed)),
            Cell::from(interval).tone(Tone::Dim),
            self.figure(l.bandwidth),
        ];
        cells.extend(columns::time_cells(l).map(|cell| self.figure(cell.value)));
        cells.extend([
            self.figure(Value::or_blank(total)),
            self.figure(Value::or_blank(cpu(l.cpu_user, l.cpu_system).map(Value::Name))),
            Cell::from(Value::Count(l.ops)).tone(Tone::Dim),
            Cell::from(Value::Length(l.time)).tone(Tone::Dim),
        ]);
        cells
    }

    /// Returns the row of a single kind of operation, struck if its level is invalid.
    fn only(&self, name: &Value, op: Op, mean: Nanos, p99: Percentile) -> Vec<Cell> {
        // Bold is reserved for rates.
        let row = Row { is_best: false, ..*self };
        let mut cells = vec![Cell::default(); columns().len()];
        cells[WORKLOAD] = name.clone().into();
        cells[IOPS] = Cell::from(Value::Text(op_word(op))).tone(Tone::Dim);
        (cells[MEAN], cells[P99]) = (row.figure(mean), row.figure(p99));
        cells
    }
}

/// Returns the plural name of an operation.
fn plural(op: Op) -> Sentence {
    match op {
        Op::Read => sentence!("op-reads"),
        Op::Write => sentence!("op-writes"),
        Op::Trim => sentence!("op-trims"),
        Op::Flush => sentence!("op-flushes"),
    }
}

/// Returns the sign for the steadiness of a level.
fn series_sign(entry: Entry) -> Option<(Sign, Tone)> {
    Some(match &entry.1.steadiness {
        Steadiness::Steady => (Sign::Steady, Tone::Pass),
        Steadiness::Settled { .. } => (Sign::Settled, Tone::Pass),
        Steadiness::TwoRegimes { .. } | Steadiness::Changed { .. } => (Sign::Changed, Tone::Doubt),
        Steadiness::NotSettled { .. } => (Sign::Unsettled, Tone::Doubt),
        Steadiness::TooShort if alone(entry) => (Sign::TooShort, Tone::Dim),
        Steadiness::TooShort => return None,
    })
}

/// Returns the note on the steadiness of a level, if it needs one.
fn series_note(entry: Entry) -> Option<(Message, Tone)> {
    match &entry.1.steadiness {
        Steadiness::Settled { after } => Some((message!("level-settled", after = duration(*after)), Tone::Pass)),
        Steadiness::TwoRegimes { .. } | Steadiness::Changed { .. } => {
            Some((message!("level-changed", course = told_course(&entry.1.course)), Tone::Doubt))
        }
        Steadiness::NotSettled { why } => Some((message!("level-not-settled", why), Tone::Doubt)),
        Steadiness::TooShort if alone(entry) && !lacks_interval(entry) => {
            Some((message!("level-few-windows"), Tone::Dim))
        }
        Steadiness::Steady | Steadiness::TooShort => None,
    }
}

/// Returns the notes on a row.
fn row_notes(entry: Entry, caveats: &[Caveat], notes: &mut Notes) -> Vec<NoteId> {
    let level = entry.1;
    let mut ids = Vec::new();
    let mut add = |is_present: bool, text: Message, tone: Tone| {
        if is_present {
            ids.push(notes.footnote(messages::sentence(text), tone));
        }
    };
    if let Some(reason) = &level.struck {
        add(true, message!("level-struck", why = reason), Tone::Fail);
    }
    if let Some((text, tone)) = series_note(entry) {
        add(true, text, tone);
    }
    add(lacks_interval(entry), message!("level-no-interval", why = &level.iops.ci_missing), Tone::Dim);
    add(level.errors > 0, message!("level-failed", n = level.errors), Tone::Fail);
    let off = level.little.is_finite() && (level.little - 1.0).abs() > LITTLE_TOLERANCE;
    add(off, message!("level-little", share = format!("{:.2}", level.little)), Tone::Doubt);
    let gravest = |id: &str| caveats.iter().filter(|c| c.id == id).map(|c| c.severity).max();
    // An invalid row already gives the reason.
    let is_shown = |id: &&String| match gravest(id) {
        Some(Severity::Invalid) => level.struck.is_none(),
        Some(Severity::Note) => alone(entry),
        Some(Severity::Doubt) | None => true,
    };
    let others = level.caveats.iter().filter(|id| !SHOWN_IN_PLACE.contains(&id.as_str())).filter(is_shown);
    let others: Vec<&str> = others.map(String::as_str).collect();
    add(!others.is_empty(), message!("level-see", ids = others.join(", ")), Tone::Doubt);
    ids
}
