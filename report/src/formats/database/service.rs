//! How sessions fare while the engine writes back behind them, and whether it keeps up.

use super::operations::{columns, row};
use crate::figures::percent;
use crate::page::Page;
use crate::table::Table;
use crate::text::{Hue, Line, Paint};
use model::{Backlog, BacklogTrend, DatabaseUse, DbJudgement, EnginePhase, Nanos, RunRecord, thousands};
use std::io;

/// Columns of the label before a line.
const LABEL: usize = 12;

pub(super) fn write(page: &mut Page, record: &RunRecord, used: &DatabaseUse, judged: &DbJudgement) -> io::Result<()> {
    let inside = judged.waves.iter().any(|w| w.inside.is_some());
    if used.phases.is_empty() && judged.backlog.is_none() && !inside {
        return Ok(());
    }
    page.blank()?;
    page.heading("while it writes back", "")?;
    for wave in &judged.waves {
        // Without a phase there is nothing to set it apart from.
        let (Some(outside), Some(inside)) = (&wave.outside, &wave.inside) else { continue };
        let mut table = Table::new(columns(), 1);
        table.row(row("transactions between", outside));
        table.row(row("transactions during", inside));
        if judged.waves.len() > 1 {
            page.line(Line::new().with(format!(" {} workers", wave.processes), Paint::BOLD))?;
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
        let of: Vec<&EnginePhase> = used.phases.iter().filter(|p| p.name == name).collect();
        said(page, name, &phases(&of, record.ended), false)?;
    }
    match &judged.backlog {
        Some(b) => said(page, "backlog", &backlog(b), b.trend == BacklogTrend::Grows),
        None => Ok(()),
    }
}

fn said(page: &mut Page, label: &str, text: &str, doubtful: bool) -> io::Result<()> {
    let lead = Line::new().with(format!(" {label}"), Paint::DIM);
    let hang = LABEL.max(lead.width() + 2);
    let paint = if doubtful { Paint::of(Hue::Doubt) } else { Paint::PLAIN };
    page.hanging(lead, hang, text, paint)
}

/// `6 times, 480 ms on average, 480 ms at most, 22 % of the run; 5,236 pages each`.
fn phases(of: &[&EnginePhase], ended: Nanos) -> String {
    let lengths = of.iter().map(|p| p.end.since(p.start).0);
    let (sum, most) = lengths.fold((0u64, 0), |(sum, most), l| (sum.saturating_add(l), u64::max(most, l)));
    let n = of.len() as u64;
    let share = percent(sum as f64 / ended.0.max(1) as f64);
    let times = if n == 1 { "once".to_owned() } else { format!("{n} times") };
    let mut text =
        format!("{times}, {} on average, {} at most, {share} of the run", Nanos(sum / n.max(1)), Nanos(most));
    let pages: Vec<u64> = of.iter().filter_map(|p| p.pages).collect();
    if !pages.is_empty() {
        let mean = pages.iter().sum::<u64>() as f64 / pages.len() as f64;
        text.push_str(&format!("; {} pages each", thousands(mean)));
    }
    text
}

fn backlog(b: &Backlog) -> String {
    let most = format!("{} pages at most, {} at the end", thousands(b.most), thousands(b.last));
    match b.trend {
        BacklogTrend::Level => format!("{most}: what is written back keeps up"),
        BacklogTrend::Grows => format!("{most}: it grows by {} pages/s, which cannot go on", thousands(b.slope)),
        BacklogTrend::Gathers => format!("{most}: nothing was written back within the run"),
        BacklogTrend::TooShort => format!("{most}; too few samples to tell whether it grows"),
    }
}
