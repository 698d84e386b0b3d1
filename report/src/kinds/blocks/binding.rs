//! The limit that binds a workload, and the effect of concurrency on it, in words.

use super::changed;
use crate::Style;
use crate::document::{Block, Cell, Column, Field, Margin, Sign, Table, Tone, Value, Word};
use crate::widgets::figures::{half_width, percent};
use crate::widgets::ink::Ink;
use messages::{Message, Sentence, message, sentence};
use model::judged::{
    Binding, BindingKind, Constraint, ConstraintSource, Estimate, Knee, PatternJudgement, TargetShare, agreement,
};
use model::{Iops, Nanos, measured::Percentile, units::thousands};

/// Maximum number of constraints drawn as bars; the others are only counted.
const BARS: usize = 6;
/// Number of blanks before the tables, as wide as the labels.
const INDENT: u8 = 11;

/// Returns which limit binds and why, and how far away the next limit is. On a screen, evidence that the bars show is
/// left out.
pub(super) fn binding(pattern: &PatternJudgement, is_screen: bool) -> Vec<Block> {
    let b = &pattern.binding;
    let tone = match b.kind {
        BindingKind::Undecidable | BindingKind::Unknown | BindingKind::Generator => Tone::Doubt,
        _ => Tone::Plain,
    };
    let mut fields = vec![Field::new("head-binds", b.statement.clone()).tone(tone).strong()];
    let evidence = b.evidence.iter().filter(|line| !is_screen || !is_drawn(line, b));
    fields.extend(evidence.cloned().map(Field::remark));
    let mut blocks = vec![Block::Fields(Margin::Part, fields), Block::Table(constraints(b))];
    if b.constraints.len() > BARS {
        let more = Field::remark(sentence!("binds-wider", n = b.constraints.len() - BARS));
        blocks.push(Block::Fields(Margin::Part, vec![more]));
    }
    if !pattern.shares.is_empty() {
        blocks.extend([Block::Blank, Block::Table(shares(&pattern.shares))]);
    }
    blocks
}

/// Returns `true` if a line of evidence only repeats the statement, the bars or the lines below them.
fn is_drawn(line: &Sentence, binding: &Binding) -> bool {
    let drawn = |c: &Constraint| match line.id() {
        Some("constraint-used" | "constraint-next") => line.place("name") == Some(&c.name),
        Some("seen-generator") => c.source == ConstraintSource::Generator,
        _ => false,
    };
    matches!(
        binding.kind,
        BindingKind::Latency
            | BindingKind::Unknown
            | BindingKind::Device
            | BindingKind::VirtualDisk
            | BindingKind::CapOrDevice
    ) || binding.constraints.iter().take(BARS).any(drawn)
}

/// Returns the share of each of several targets in the rate.
fn shares(shares: &[TargetShare]) -> Table {
    let limit = |share: &TargetShare| share.at.as_ref().map(|name| sentence!("binds-at", name));
    let table = Table::builder("shares", shares)
        .column(Column::text("target", "head-target").most(16), |s| Cell::name(&s.name))
        .column(Column::text("", "").rank(3).most(16).least(8), |s| Value::Bar(s.share))
        .column(Column::figure("share", "head-share"), |s| Value::Share(s.share))
        .column(Column::term("iops", "IOPS"), |s| s.iops)
        .column(Column::term("bytes_per_s", "MB/s"), |s| s.bandwidth)
        .column(Column::figure("mean_ns", "page-mean"), |s| s.mean)
        .column(Column::term("p99_ns", "p99").rank(2), |s| s.p99)
        .column(Column::text("limit", "").rank(1), |s| Cell::or_blank(limit(s)).tone(Tone::Limit).sign(Sign::BINDS));
    Table { indent: INDENT, ..table.build() }
}

/// Returns the known constraints, the tightest first, to show which one is used up and how much room the next one
/// leaves.
fn constraints(binding: &Binding) -> Table {
    let binds = |c: &Constraint| binding.names.contains(&c.name);
    let figure = |c: &Constraint, value: Value| Cell { strong: binds(c), ..value.into() };
    let tone = |c: &Constraint| if binds(c) { Tone::Limit } else { Tone::Measured };
    let table = Table::builder("constraints", binding.constraints.iter().take(BARS))
        .column(Column::text("limit", "page-limit").bare().most(34).least(13), |c| figure(c, Value::name(&c.name)))
        .column(Column::text("", "").rank(3).most(24).least(16), |c| Cell::from(Value::Bar(c.used)).tone(tone(c)))
        .column(Column::figure("used", "head-used"), |c| figure(c, Value::Share(c.used)))
        .column(Column::figure("allows", "head-allows"), |c| figure(c, c.allows.into()))
        .column(Column::text("headroom", "").rank(2), |c| headroom(binds(c), c.used));
    Table { indent: INDENT, ..table.build() }
}

fn headroom(binds: bool, used: f64) -> Cell {
    if binds {
        return Cell::from(Value::word("binds-mark")).tone(Tone::Limit).sign(Sign::BINDS);
    }
    // At or above the allowed rate there is no room left to report.
    if !used.is_finite() || used <= 0.0 || used >= 1.0 {
        return Cell::default();
    }
    let room = 1.0 / used;
    let digits = if room < 1.995 { 2 } else { usize::from(room < 9.95) };
    Cell::from(Value::Text(sentence!("binds-headroom", room = format!("{room:.digits$}×")))).tone(Tone::Dim)
}

/// Returns knee, N*, L0 and the sustained rate.
pub(super) fn concurrency(pattern: &PatternJudgement) -> Vec<Field> {
    let field = |label: Word, text: Message| Field::new(label, messages::sentence(text));
    let mut fields = Vec::new();
    fields.extend(knee(pattern).map(|knee| field("knee-label".into(), knee)));
    fields.extend(pattern.n_star.map(|n_star| field(Word::Term("N*"), least(pattern, n_star))));
    fields.extend(pattern.l0.map(|l0| match pattern.l0_doubted {
        None => field(Word::Term("L0"), floor(l0)),
        Some((n, at_most)) => {
            let text = message!("lzero-doubted", l0, n, at_most);
            field(Word::Term("L0"), text).tone(Tone::Doubt).sign(Sign::DOUBT).strong()
        }
    }));
    fields.extend(sustained(pattern));
    fields
}

/// Describes the knee, at which more concurrency stops raising the rate, if it was determined.
fn knee(pattern: &PatternJudgement) -> Option<Message> {
    Some(match &pattern.knee {
        Knee::Between { below, at, latency } => {
            let place = match (*below, *at) {
                (0, 1) => message!("knee-at-once"),
                (0, at) => message!("knee-at-most", at),
                (below, at) => message!("knee-between", below, at),
            };
            match *latency {
                Some(mean) => message!("knee-and-mean", place, at = *at, mean),
                None => place,
            }
        }
        Knee::NotReached { deepest } => message!("knee-not-reached", deepest = *deepest),
        Knee::NotResolved => {
            let reason = match agreement(pattern.levels.iter()) {
                Some(a) => message!("knee-agree", from = a.from, to = a.to),
                None => message!("why-noisy"),
            };
            message!("knee-not-resolved", why = reason)
        }
        Knee::NotAsked => return None,
    })
}

/// Describes N*. It is X_max * L0 and only a lower bound: only a device that saturates abruptly reaches nearly its full
/// rate there, so the rate measured at that concurrency is shown as well.
fn least(pattern: &PatternJudgement, n_star: f64) -> Message {
    let best = pattern.best.and_then(|i| pattern.levels.get(i));
    let n = thousands(n_star);
    let mut statement = match pattern.knee {
        Knee::NotReached { .. } => message!("nstar-least-seen", n),
        _ => message!("nstar-least", n),
    };
    if let Some((_, at_most)) = pattern.l0_doubted {
        statement = message!("nstar-without-l0", told = statement, at_most);
    }
    if let Some((n, mean)) = pattern.at_n_star {
        let level_at = pattern.levels.iter().find(|l| !l.hold && l.concurrency() == n);
        let share = level_at.zip(best).map(|(l, b)| l.iops.value / b.iops.value).filter(|s| s.is_finite());
        statement = match share.map(percent) {
            Some(share) => message!("nstar-gave-share", told = statement, n, share, mean),
            None => message!("nstar-gave", told = statement, n, mean),
        };
    }
    if best.is_some_and(|l| l.struck.is_some()) {
        statement = message!("nstar-struck", told = statement);
    }
    statement
}

/// Returns the rate of the held level: in parentheses if the level is invalid, marked if its rate changed.
fn sustained(pattern: &PatternJudgement) -> Vec<Field> {
    let Some(s) = &pattern.sustained else { return Vec::new() };
    let rate = thousands(s.value);
    let field = |text: Sentence| Field::new("sustained-label", text);
    let held = pattern.levels.iter().find(|l| l.hold);
    if let Some(reason) = held.and_then(|l| l.struck.as_ref()) {
        let invalid = sentence!("sustained-struck", why = reason);
        return vec![field(Sentence::concat([format!("({rate}) ").into(), invalid])).tone(Tone::Dim)];
    }
    if held.is_some_and(changed) {
        let text = scatter(sentence!("sustained-changed", rate), s, pattern.sustained_seconds);
        return vec![field(text).tone(Tone::Doubt).sign(Sign::CHANGED)];
    }
    let text = scatter(format!("{rate} IOPS").into(), s, pattern.sustained_seconds);
    let p99 = match held.map(|l| (l.p99, l.p99_ci)) {
        Some((Percentile::Value(p99), Some((low, high)))) => Some(sentence!("sustained-p99", p99, low, high)),
        _ => None,
    };
    [field(text)].into_iter().chain(p99.map(|text| Field::new(Word::Term("p99"), text))).collect()
}

/// Returns a rate with its reliability: its interval, or failing that the range of its seconds. TRUST explains why an
/// interval is missing.
fn scatter(rate: Sentence, of: &Estimate, seconds: Option<(Iops, Iops)>) -> Sentence {
    match (half_width(of, Ink::new(&Style::default())), seconds) {
        (Some(half), _) => sentence!("sustained-interval", rate, half, n = of.n),
        (None, Some((low, high))) => sentence!("sustained-seconds", rate, low, high),
        (None, None) => rate,
    }
}

/// Returns the mean latency of one operation at a time, and the maximum rate at that latency.
fn floor(l0: Nanos) -> Message {
    match l0.as_nanos() {
        0 => message!("lzero-mean", l0),
        ns => message!("lzero-mean-rate", l0, rate = thousands(1e9 / ns as f64)),
    }
}
