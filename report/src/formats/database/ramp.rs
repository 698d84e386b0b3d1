//! Several waves: a table with a row for each number of workers, and charts of rate and latency.

use super::operations;
use crate::formats::{latency_tick, latency_title, pair, rate_tick};
use crate::widgets::chart::{Chart, Curve, Scale};
use crate::widgets::figures::percent;
use crate::widgets::ink::{clauses, listed};
use crate::widgets::page::Page;
use crate::widgets::table::{Column, Table};
use crate::widgets::text::{Hue, Line, Paint};
use messages::{message, sentence};
use model::{DbJudgement, OpFigures, Outcome, WaveFigures, thousands};
use std::io;

pub(super) fn write(page: &mut Page, judged: &DbJudgement) -> io::Result<()> {
    page.blank()?;
    let waves = page.ink.format(&message!("dbview-waves", n = judged.waves.len()));
    page.heading(&judged.title, &waves)?;
    let laid = table(page, judged).lay(page.ink);
    page.lines(laid.lines)?;
    legend(page, judged, &laid.dropped)?;
    if judged.ramp.is_some() {
        charts(page, judged)?;
    }
    Ok(())
}

pub(super) fn table(page: &Page, judged: &DbJudgement) -> Table {
    let by_rate = judged.waves.iter().any(|w| w.arrivals.is_some());
    let asked = by_rate.then(|| Column::right(page.ink.word("dbview-head-asked")));
    let first = [Column::left(""), Column::right(page.ink.word("dbview-head-processes"))];
    let rest = vec![
        Column::right(page.ink.word("dbview-head-reads")),
        Column::right(page.ink.word("dbview-head-updates")),
        Column::right(page.ink.word("dbview-head-gain")).droppable(2),
        Column::right(page.ink.word("page-mean")),
        Column::right("p50").droppable(3),
        Column::right("p99"),
        Column::right("p99.9").droppable(1),
        Column::right(page.ink.word("page-maximum")),
    ];
    let mut table = Table::new(first.into_iter().chain(asked).chain(rest).collect(), 1);
    for (at, wave) in judged.waves.iter().enumerate() {
        let ramp = judged.ramp.as_ref();
        let best = ramp.is_some_and(|r| r.best == wave.processes);
        let paint = if best { Paint::BOLD } else { Paint::PLAIN };
        let rate = |f: &Option<OpFigures>| match f.as_ref().map(|f| f.rate) {
            None => Line::new(),
            Some(None) => Line::new().with("-  ", Paint::DIM),
            Some(Some(rate)) => Line::new().with(thousands(rate.per_second()), paint),
        };
        let mut row = vec![marks(page, judged, at, wave), Line::new().with(wave.processes.to_string(), Paint::BOLD)];
        if by_rate {
            let asked = wave.arrivals.as_ref().and_then(|a| a.asked.rate());
            row.push(Line::plain(asked.map_or_else(String::new, |rate| thousands(rate.per_second()))));
        }
        row.extend([
            rate(&wave.reads),
            rate(&wave.updates),
            wave.gain.map_or_else(Line::new, |g| Line::plain(gain(g))),
        ]);
        let none = || Line::new().with("-  ", Paint::DIM);
        match wave.waited() {
            // The columns from the mean on apply to any operation.
            Some(f) => row.extend(operations::row("", f).into_iter().skip(3)),
            None => row.extend((0..5).map(|_| none())),
        }
        table.row(row);
    }
    table
}

/// Formats a gain with its sign: `+278 %`, `-2.1 %`.
fn gain(share: f64) -> String {
    let text = percent(share);
    if share >= 0.0 { format!("+{text}") } else { text }
}

fn marks(page: &Page, judged: &DbJudgement, at: usize, wave: &WaveFigures) -> Line {
    let g = page.ink.glyphs();
    let mut line = Line::new();
    let met = judged.need_limit.as_ref().and_then(|limit| limit.outcomes.get(at).copied());
    match wave.accepted.or(met) {
        Some(Outcome::Pass) => line.push(g.yes, Paint::new(Hue::Pass)),
        Some(Outcome::Fail) => line.push(g.no, Paint::new(Hue::Fail)),
        Some(Outcome::Undecided) => line.push(g.maybe, Paint::new(Hue::Doubt)),
        None => {}
    }
    if let Some(ramp) = &judged.ramp {
        let knee = ramp.gain_until == wave.processes;
        line.push(if knee { g.knee } else { " " }, Paint::new(Hue::Measured));
        line.push(if ramp.best == wave.processes { g.best } else { " " }, Paint::new(Hue::Pass));
    }
    line
}

fn legend(page: &mut Page, judged: &DbJudgement, dropped: &[&str]) -> io::Result<()> {
    let g = page.ink.glyphs();
    let mut words = Vec::new();
    if let Some(ramp) = &judged.ramp {
        words.push(sentence!("dbview-last-gain", sign = g.knee));
        words.push(sentence!("dbview-best", sign = g.best));
        if !ramp.accept.is_empty() {
            let wanted = listed(ramp.accept.iter().map(ToString::to_string));
            words.push(sentence!("dbview-accepted", sign = g.yes, wanted));
        }
    }
    if let Some(limit) = judged.need_limit.as_ref().filter(|_| judged.waves.iter().all(|w| w.accepted.is_none())) {
        words.push(sentence!("dbview-met", sign = g.yes, needs = limit.needs.join(", ")));
    }
    let operations = judged.waves.first().map(|w| match (&w.reads, &w.transactions) {
        (Some(_), _) => sentence!("dbview-of-reads"),
        (None, Some(_)) => sentence!("dbview-of-transactions"),
        (None, None) => sentence!("dbview-of-updates"),
    });
    words.extend(operations);
    words.extend((!dropped.is_empty()).then(|| sentence!("no-room", heads = dropped.join(", "))));
    page.hanging(Line::plain(" "), 1, &page.ink.translate(clauses(words)), Paint::DIM)?;
    let Some(ramp) = &judged.ramp else { return Ok(()) };
    let text = match (ramp.accept.is_empty(), ramp.accepted) {
        (true, _) => return Ok(()),
        (false, Some(n)) => page.ink.format(&message!("dbview-accepted-up-to", n)),
        (false, None) => page.ink.word("dbview-none-accepted").to_owned(),
    };
    page.line(Line::plain(" ").with(text, Paint::BOLD))
}

fn charts(page: &mut Page, judged: &DbJudgement) -> io::Result<()> {
    let points = |f: &dyn Fn(&WaveFigures) -> Option<f64>| -> Vec<(u32, f64)> {
        judged.waves.iter().filter_map(|w| Some((w.processes, f(w)?))).collect()
    };
    let signs = page.ink.glyphs().points;
    let chart = |title: Line, curves: Vec<Curve>, scale: Scale, tick: fn(f64) -> String| Chart {
        title,
        curves,
        struck: Vec::new(),
        cap: None,
        upright: None,
        scale,
        tick,
    };
    let curve = |points, hue, mark| Curve { points, hue, mark };
    let rate = chart(
        Line::new()
            .with(signs[0], Paint::new(Hue::Measured))
            .with(format!(" {}", page.ink.word("dbview-chart-rate")), Paint::DIM),
        vec![curve(points(&|w| Some(w.rate.value)), Hue::Measured, 0)],
        Scale::FromZero,
        rate_tick,
    );
    let waited = chart(
        latency_title(page.ink),
        vec![
            curve(points(&|w| Some(w.waited()?.mean?.as_nanos() as f64)), Hue::Measured, 0),
            curve(points(&|w| Some(w.waited()?.p99.value()?.as_nanos() as f64)), Hue::Plain, 1),
        ],
        Scale::Log,
        latency_tick,
    );
    pair(page, &rate, &waited)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gain_has_its_sign() {
        assert_eq!((gain(2.784).as_str(), gain(-0.021).as_str(), gain(0.004).as_str()), ("+278 %", "-2.1 %", "+0.4 %"));
    }
}
