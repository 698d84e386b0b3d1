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
use model::judged::{Knee, LevelFigures, OpLatency, PatternJudgement, Steadiness, told_course};
use model::{Caveat, Nanos, Op, Severity, measured::Percentile, plan::StageRole};

/// Deviation of X*R/N (Little's law) from 1 above which a row gets a note about it.
const LITTLE_TOLERANCE: f64 = 0.05;
/// Index of the column of workloads.
const WORKLOAD: usize = 1;
/// Caveats that the row of a standalone level already expresses by text or sign.
const SHOWN_IN_PLACE: [&str; 1] = ["too-short"];

/// A row: a level, or one kind of its operations.
#[derive(Clone, Copy)]
struct Line<'a> {
    pattern: &'a PatternJudgement,
    level: &'a LevelFigures,
    /// Kind of operation with its mean and p99; `None` for the row of the level.
    only: Option<(Op, Nanos, Percentile)>,
    /// True if the rate of the level is the highest, among levels of one workload.
    is_best: bool,
}

impl<'a> Line<'a> {
    fn entry(self) -> Entry<'a> {
        (self.pattern, self.level)
    }

    /// Returns a figure; struck if its level is invalid.
    fn figure(self, value: impl Into<Value>) -> Cell {
        let level = self.level;
        let tone = if changed(level) { Tone::Doubt } else { Tone::Plain };
        // Bold is reserved for rates.
        let cell = Cell { strong: self.is_best && self.only.is_none(), ..value.into().into() };
        cell.tone(tone).struck(level.struck.is_some())
    }

    /// Returns a cell that only the row of a level has.
    fn whole(self, cell: impl Into<Cell>) -> Cell {
        if self.only.is_none() { cell.into() } else { Cell::default() }
    }

    fn dim(self, value: impl Into<Value>) -> Cell {
        let value: Value = value.into();
        self.whole(Cell::from(value).tone(Tone::Dim))
    }
}

/// Returns the table of levels. Its rows differ in workload if `by_workload` is true, otherwise in concurrency.
/// `caveats` are those of the run.
pub(super) fn table(notes: &mut Notes, entries: &[Entry], by_workload: bool, caveats: &[Caveat]) -> Table {
    let (engine, shape) = common(entries);
    // The levels of a ramp are not split into kinds, except the held level, or the best level if none was held.
    let is_split = |entry @ (pattern, level): Entry| {
        alone(entry) || (is_best(pattern, level) && !pattern.levels.iter().any(|l| l.hold))
    };
    let lines = entries.iter().flat_map(|entry| {
        let (pattern, level) = *entry;
        let line = |only| Line { pattern, level, only, is_best: !by_workload && is_best(pattern, level) };
        let apart = level.apart.iter().filter(|_| is_split(*entry)).map(|a| (a.op, a.mean, a.p99));
        let flush = level.flush.map(|flush| (Op::Flush, flush.mean, flush.p99));
        std::iter::once(None).chain(apart.chain(flush).map(Some)).map(line).collect::<Vec<_>>()
    });
    let depth = |level: &LevelFigures| (!by_workload || shape.is_none()).then(|| level.concurrency());
    let shape =
        |level: &LevelFigures| depth(level).map(|_| Value::Name(format!("{}×{}", level.queue_depth, level.threads)));
    // A note on the row gives the reason for a missing interval.
    let interval = |level: &LevelFigures| match level.struck.is_none() && level.iops.ci.is_some() {
        true => Value::Interval(level.iops.clone()),
        false => Value::Blank,
    };
    let total = |level: &LevelFigures| {
        let cpu = level.cpu_user.zip(level.cpu_system);
        cpu.map(|(user, system)| Nanos(user.as_nanos().saturating_add(system.as_nanos())))
    };
    let table = Table::builder("levels", lines)
        .column(Column::signs(), |l| l.whole(marks(l.pattern, l.level)))
        .column(Column::text("workload", "page-workload").most(28).repeat(Repeat::Blank), |l| {
            let name = if by_workload { Value::name(&l.pattern.label) } else { Value::Blank };
            Cell { strong: l.only.is_none(), ..name.into() }
        })
        .column(Column::figure("in_flight", "page-in-flight").short("N"), |l| {
            let depth = Cell::or_blank(depth(l.level).map(|n| Value::Setting(n.into())));
            l.whole(Cell { strong: l.is_best, ..depth })
        })
        .column(Column::text("shape", Word::Term("QxT")).rank(6), |l| l.dim(Value::or_blank(shape(l.level))))
        .column(Column::text("engine", "head-engine").rank(5).most(12), |l| {
            l.dim(if engine.is_none() { Value::name(&l.level.engine) } else { Value::Blank })
        })
        .column(Column::term("iops", "IOPS"), |l| match l.only {
            Some((op, ..)) => Cell::from(op_word(op)).tone(Tone::Dim),
            None => {
                let is_changed = changed(l.level).then_some(Sign::CHANGED);
                l.figure(Value::Number(l.level.iops.value)).sign(is_changed)
            }
        })
        .column(Column::text("interval", Word::Term("95% CI")).rank(4), |l| l.dim(interval(l.level)))
        .column(Column::term("bytes_per_s", "MB/s"), |l| l.whole(l.figure(l.level.bandwidth)))
        .columns(columns::times(3, 1, 2), |l| match l.only {
            None => columns::time_cells(l.level).map(|cell| l.figure(cell.value)),
            Some((_, mean, p99)) => [l.figure(mean), Cell::default(), l.figure(p99), Cell::default(), Cell::default()],
        })
        .column(Column::figure("cpu_ns", "head-cpu-each").only(Only::NarrowScreen), |l| {
            l.whole(l.figure(Value::or_blank(total(l.level))))
        })
        .column(Column::term("cpu", "CPU usr+sys").only(Only::WideScreen), |l| {
            let cpu = cpu(l.level.cpu_user, l.level.cpu_system);
            l.whole(l.figure(Value::or_blank(cpu.map(Value::Name))))
        })
        .column(Column::figure("operations", "head-operations").extra(9), |l| l.dim(Value::Count(l.level.ops)))
        .column(Column::figure("time_ns", "head-time").extra(8), |l| l.dim(Value::Length(l.level.time)))
        .column(Column::signs(), |l| l.whole(Value::Signs(vec![series_sign(l.entry())])))
        .notes(|l| if l.only.is_none() { row_notes(l.entry(), caveats, notes) } else { Vec::new() });
    let mut table = table.build_with_subs(|l| l.only.is_some());
    table.stacked = by_workload.then_some(WORKLOAD);
    let mixed = entries.iter().rev().find(|entry| is_split(**entry) && !entry.1.apart.is_empty());
    explain(&mut table, entries, mixed.map_or(&[], |(_, level)| level.apart.as_slice()));
    table
}

/// Adds the meaning of signs and dashes.
fn explain(table: &mut Table, entries: &[Entry], mixed: &[OpLatency]) {
    if let [first @ .., last] = mixed {
        let ops = message!("list-and", first = listed(first.iter().map(|a| plural(a.op))), last = plural(last.op));
        table.remark(sentence!("level-mix", ops));
    }
    let is_imprecise = |e: &Entry| e.1.steadiness == Steadiness::TooShort && lacks_interval(*e);
    let too_short = entries.iter().any(is_imprecise).then_some((Sign::TOO_SHORT, message!("level-too-short")));
    let lacks_figure = table.cells().flatten().any(|cell| cell.value == Value::TooFew);
    let too_few = lacks_figure.then_some((Sign::DASH, message!("level-too-few")));
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
    sign(any(&|(p, l)| is_best(p, l)), Some(Sign::BEST), Tone::Pass, message!("level-best"));
    sign(any(&|(p, l)| is_knee(p, l)), Some(Sign::KNEE), Tone::Measured, message!("knee-label"));
    if let Some((_, held)) = entries.iter().filter(is_ramp).find(|(_, l)| l.hold) {
        let time = duration(held.time);
        let text = if changed(held) { message!("level-held-changed", time) } else { message!("level-held", time) };
        sign(true, Some(Sign::HELD), Tone::Measured, text);
    }
    sign(any(&|e| e.1.steadiness == Steadiness::Steady), Some(Sign::STEADY), Tone::Pass, message!("level-steady"));
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
    let place = if level.hold { Some(Sign::HELD) } else { is_knee(pattern, level).then_some(Sign::KNEE) };
    let best = is_best(pattern, level).then_some((Sign::BEST, Tone::Pass));
    Value::Signs(vec![best, place.map(|sign| (sign, Tone::Measured))])
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
        Steadiness::Steady => (Sign::STEADY, Tone::Pass),
        Steadiness::Settled { .. } => (Sign::SETTLED, Tone::Pass),
        Steadiness::TwoRegimes { .. } | Steadiness::Changed { .. } => (Sign::CHANGED, Tone::Doubt),
        Steadiness::NotSettled { .. } => (Sign::UNSETTLED, Tone::Doubt),
        Steadiness::TooShort if alone(entry) => (Sign::TOO_SHORT, Tone::Dim),
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
