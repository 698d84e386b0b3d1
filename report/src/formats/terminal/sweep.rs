//! Block sizes side by side: equal IOPS indicate an IOPS cap, equal MB/s a bandwidth cap.

use super::levels::{binds_in_short, change_mark, singles_table};
use super::pattern::aside;
use crate::overview::level;
use crate::widgets::figures::megabytes;
use crate::widgets::page::Page;
use crate::widgets::table::{Column, Table};
use crate::widgets::text::{Hue, Line, Paint, width};
use messages::{Sentence, message};
use model::CompactSort;
use model::{BindingKind, Caveat, Judgement, LevelFigures, PatternJudgement, RunRecord, StageRole, thousands};
use std::io;

/// Writes all sweeps, each with the ramp that it follows.
pub(super) fn write(page: &mut Page, record: &RunRecord, judgement: &Judgement) -> io::Result<()> {
    let follows =
        |p: &PatternJudgement| record.plan.stages.iter().find(|s| s.name == p.stage).and_then(|s| s.follows.as_deref());
    let mut families: Vec<(Option<&str>, Vec<&PatternJudgement>)> = Vec::new();
    for p in judgement.patterns.iter().filter(|p| p.role == StageRole::Sweep) {
        match families.iter_mut().find(|(f, _)| *f == follows(p)) {
            Some((_, members)) => members.push(p),
            None => families.push((follows(p), vec![p])),
        }
    }
    for (parent, members) in families {
        let ramp = judgement.patterns.iter().find(|p| parent == Some(p.stage.as_str()));
        family(page, ramp, &members, &judgement.caveats)?;
    }
    Ok(())
}

fn family(
    page: &mut Page,
    ramp: Option<&PatternJudgement>,
    members: &[&PatternJudgement],
    caveats: &[Caveat],
) -> io::Result<()> {
    let mut patterns: Vec<&PatternJudgement> = ramp.into_iter().chain(members.iter().copied()).collect();
    patterns.compact_sort_by_key(|p| p.mean_size);
    let levels: Vec<&LevelFigures> = members.iter().flat_map(|p| &p.levels).collect();
    let mode = members[0].label.split_once(' ').map_or("", |(_, mode)| mode);
    page.blank()?;
    let title = page.ink.format(&message!("show-block-sizes", mode));
    page.heading(&title, &aside(page.ink, None, &levels))?;
    bars(page, &patterns)?;
    unclear(page, members)?;
    page.blank()?;
    singles_table(page, members, caveats)
}

fn bars(page: &mut Page, all: &[&PatternJudgement]) -> io::Result<()> {
    let greatest = |f: &dyn Fn(&LevelFigures) -> f64| {
        all.iter().filter_map(|p| level(p)).map(f).filter(|v| v.is_finite()).fold(0.0, f64::max)
    };
    let top_iops = greatest(&|l| l.iops.value);
    let top_bytes = greatest(&|l| l.bandwidth.per_second());
    let binds = |p: &PatternJudgement| page.ink.text(&binds_in_short(p, page.ink));
    let names = all.iter().map(|p| width(&binds(p))).max().unwrap_or(0).clamp(6, 30);
    // The bars share the width that is left by figures and names.
    let bar = (page.ink.width.saturating_sub(38 + names) / 2).clamp(4, 24);
    let mut table = Table::new(
        vec![
            Column::right(page.ink.word("page-block")),
            Column::right("IOPS"),
            Column::left(""),
            Column::right("MB/s"),
            Column::left(""),
            Column::left(page.ink.word("head-what-binds")),
        ],
        1,
    );
    for p in all {
        let Some(l) = level(p) else { continue };
        let (by_iops, by_bytes) = axes(p.binding.kind, p);
        let hue = |binds: bool| Paint::new(if binds { Hue::Limit } else { Hue::Measured });
        let figure = |text: String| {
            if l.struck.is_none() {
                let mut line = change_mark(l, page.ink);
                let paint = if line.spans.is_empty() { Paint::PLAIN } else { Paint::new(Hue::Doubt) };
                line.push(text, paint);
                line
            } else if page.ink.color {
                Line::new().with(text, Paint::STRUCK)
            } else {
                Line::plain(format!("({text})"))
            }
        };
        table.row(vec![
            Line::new().with(p.mean_size.short(), Paint::BOLD),
            figure(thousands(l.iops.value)),
            page.ink.bar(l.iops.value / top_iops, bar, hue(by_iops)),
            figure(megabytes(l.bandwidth)),
            page.ink.bar(l.bandwidth.per_second() / top_bytes, bar, hue(by_bytes)),
            Line::plain(page.ink.clipped(&binds(p), 30)),
        ]);
    }
    let laid = table.lay(page.ink);
    page.lines(laid.lines)
}

/// Writes explanations that do not fit into the table: which measurement would decide between limits, and why the load
/// generator itself is the limit.
fn unclear(page: &mut Page, members: &[&PatternJudgement]) -> io::Result<()> {
    use BindingKind::{Generator, Undecidable};
    let mut said: Vec<(&Sentence, Vec<String>)> = Vec::new();
    for p in members.iter().filter(|p| matches!(p.binding.kind, Generator | Undecidable)) {
        let size = p.mean_size.short();
        match said.iter_mut().find(|(statement, _)| **statement == p.binding.statement) {
            Some((_, sizes)) => sizes.push(size),
            None => said.push((&p.binding.statement, vec![size])),
        }
    }
    for (statement, sizes) in said {
        let lead = Line::new().with(format!(" {}: ", sizes.join(", ")), Paint::BOLD);
        let hang = lead.width();
        page.hanging(lead, hang, &page.ink.translate(statement), Paint::DIM)?;
    }
    Ok(())
}

/// Returns two flags: true if the binding limit counts operations, and true if it counts bytes.
fn axes(kind: BindingKind, p: &PatternJudgement) -> (bool, bool) {
    match kind {
        BindingKind::LimitIops | BindingKind::IopsCap => (true, false),
        BindingKind::LimitBandwidth | BindingKind::BandwidthCap => (false, true),
        BindingKind::Undecidable | BindingKind::Cap => {
            let named = |word: &str| p.binding.names.iter().any(|n| n.contains(word));
            (named("IOPS"), named("bandwidth"))
        }
        BindingKind::Latency
        | BindingKind::Generator
        | BindingKind::Device
        | BindingKind::CapOrDevice
        | BindingKind::VirtualDisk
        | BindingKind::Unknown => (false, false),
    }
}
