//! Session latencies while the engine writes back in the background, and a statement on whether write-back keeps up.

use super::operations::{columns, row};
use crate::widgets::figures::percent;
use crate::widgets::ink::clauses;
use crate::widgets::page::Page;
use crate::widgets::table::Table;
use crate::widgets::text::{Hue, Line, Paint};
use messages::{Sentence, message, sentence};
use model::{Backlog, BacklogTrend, DatabaseUse, DbJudgement, EnginePhase, Nanos, RunRecord, thousands};
use std::io;

/// Width of the label before a line, in columns.
const LABEL: usize = 12;

pub(super) fn write(page: &mut Page, record: &RunRecord, used: &DatabaseUse, judged: &DbJudgement) -> io::Result<()> {
    let inside = judged.waves.iter().any(|w| w.inside.is_some());
    if used.phases.is_empty() && judged.backlog.is_none() && !inside {
        return Ok(());
    }
    page.blank()?;
    let ink = page.ink;
    page.heading(ink.word("dbview-write-back"), "")?;
    for wave in &judged.waves {
        // Without a write-back phase there is nothing to compare with.
        let (Some(outside), Some(inside)) = (&wave.outside, &wave.inside) else { continue };
        let mut table = Table::new(columns(ink), 1);
        table.row(row(ink.word("dbview-between"), outside));
        table.row(row(ink.word("dbview-during"), inside));
        if let (Some(outside), Some(inside)) = (&wave.commits_outside, &wave.commits_inside) {
            table.row(row(ink.word("dbview-commits-between"), outside));
            table.row(row(ink.word("dbview-commits-during"), inside));
        }
        if judged.waves.len() > 1 {
            let text = format!(" {}", ink.format(&message!("dbview-workers", n = wave.processes)));
            page.line(Line::new().with(text, Paint::BOLD))?;
        }
        let laid = table.lay(page.ink);
        page.lines(laid.lines)?;
    }
    let mut names: Vec<&str> = Vec::new();
    for phase in &used.phases {
        if !names.contains(&phase.name.as_str()) {
            names.push(&phase.name);
        }
    }
    for name in names {
        let same_name: Vec<&EnginePhase> = used.phases.iter().filter(|p| p.name == name).collect();
        write_labelled(page, name, &phases(&same_name, record.ended), false)?;
    }
    match &judged.backlog {
        Some(b) => write_labelled(page, ink.word("dbview-backlog"), &backlog(b), b.trend == BacklogTrend::Grows),
        None => Ok(()),
    }
}

fn write_labelled(page: &mut Page, label: &str, text: &Sentence, doubtful: bool) -> io::Result<()> {
    let lead = Line::new().with(format!(" {label}"), Paint::DIM);
    let hang = LABEL.max(lead.width() + 2);
    let paint = if doubtful { Paint::new(Hue::Doubt) } else { Paint::PLAIN };
    page.hanging(lead, hang, &page.ink.translate(text), paint)
}

/// Summarizes phases: `6 times, 480 ms on average, 480 ms at most, 22 % of the run; 5,236 pages each`.
fn phases(of: &[&EnginePhase], ended: Nanos) -> Sentence {
    let lengths = of.iter().map(|p| p.end.since(p.start).as_nanos());
    let (sum, most) = lengths.fold((0u64, 0), |(sum, most), l| (sum.saturating_add(l), u64::max(most, l)));
    let n = of.len() as u64;
    let share = percent(sum as f64 / ended.as_nanos().max(1) as f64);
    let mut parts = vec![sentence!("dbview-times", n, mean = Nanos(sum / n.max(1)), most = Nanos(most), share)];
    let pages: Vec<u64> = of.iter().filter_map(|p| p.pages).collect();
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
