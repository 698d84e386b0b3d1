//! The screen that compares a replay with its recording: the verdict, then recorded and replayed latencies of each kind
//! of operation of each role, latencies by size, and the seconds with late requests.

use crate::Style;
use crate::formats::op_name;
use crate::widgets::doubts::{grouped, write_counts, write_doubt};
use crate::widgets::figures::{count, duration, latency};
use crate::widgets::page::Page;
use crate::widgets::table::{Column, Table};
use crate::widgets::text::{Line, Paint};
use messages::message;
use model::{Judgement, LatencyHistogram, OperationLatencies, Replayed, RunRecord};
use std::io::{self, Write};

/// Maximum number of seconds with late operations that are listed individually.
pub(super) const SECONDS: usize = 12;

/// Writes a replay.
///
/// # Errors
/// Returns an error if writing to `out` fails.
pub fn write_replay(
    record: &RunRecord,
    judgement: &Judgement,
    replayed: &Replayed,
    style: &Style,
    out: &mut dyn Write,
) -> io::Result<()> {
    let page = &mut Page::new(style, out);
    let ink = page.ink;
    let length = replayed.roles.iter().map(|r| r.made_length).max().unwrap_or_default();
    page.heading(&ink.format(&message!("replay-title", name = &replayed.recording)), &duration(length))?;
    page.hanging(Line::plain(" "), 1, &ink.translate(&judgement.verdict), Paint::BOLD)?;
    let operations = count(replayed.roles.iter().map(|r| r.made()).sum());
    let target = model::named_place(&record.plan.target.path).display().to_string();
    page.hanging(Line::plain(" "), 1, &ink.format(&message!("replay-summary", operations, target)), Paint::PLAIN)?;
    page.blank()?;
    page.heading(ink.word("replay-page"), "")?;
    table(page, replayed)?;
    lags(page, replayed)?;
    doubts(page, judgement)
}

fn table(page: &mut Page, replayed: &Replayed) -> io::Result<()> {
    let ink = page.ink;
    let mut table = Table::new(
        vec![
            Column::left(ink.word("page-role")),
            Column::left(ink.word("replay-kind")),
            Column::right(ink.word("replay-size")),
            Column::right(ink.word("replay-was")),
            Column::right(ink.word("replay-is")),
            Column::right(ink.word("replay-p50")),
            Column::right(ink.word("replay-p50-now")),
            Column::right(ink.word("replay-p99")),
            Column::right(ink.word("replay-p99-now")),
            Column::right(ink.word("replay-due")).droppable(1),
        ],
        1,
    );
    for role in &replayed.roles {
        let mut name = role.role.as_str();
        for kind in &role.kinds {
            let mut row = |name: &str,
                           op: &str,
                           size: String,
                           was: &OperationLatencies,
                           is: &OperationLatencies,
                           due: Option<&LatencyHistogram>| {
                let p = |of: &LatencyHistogram, p: f64| {
                    of.percentile(p).value().map_or_else(Line::new, |t| latency(t, Paint::PLAIN))
                };
                table.row(vec![
                    Line::new().with(ink.clipped(name, 18), Paint::BOLD),
                    Line::plain(op),
                    Line::plain(size),
                    Line::plain(count(was.operations)),
                    Line::plain(count(is.operations)),
                    p(&was.latency, 50.0),
                    p(&is.latency, 50.0),
                    p(&was.latency, 99.0),
                    p(&is.latency, 99.0),
                    due.map_or_else(Line::new, |due| p(due, 99.0)),
                ]);
            };
            row(name, ink.word(op_name(kind.op)), String::new(), &kind.recorded, &kind.made, Some(&kind.from_due));
            name = "";
            if kind.sizes.len() > 1 {
                for size in &kind.sizes {
                    row("", "", size.up_to.short(), &size.recorded, &size.made, None);
                }
            }
        }
    }
    table.write(page)
}

/// Writes the seconds in which requests were sent late, by role.
fn lags(page: &mut Page, replayed: &Replayed) -> io::Result<()> {
    let ink = page.ink;
    for role in replayed.roles.iter().filter(|r| r.late_seconds() > 0) {
        page.blank()?;
        page.heading(ink.word("replay-lag"), &role.role)?;
        let late = role.seconds.iter().enumerate().filter(|(_, s)| s.late > 0);
        for (second, told) in late.clone().take(SECONDS) {
            let (late, operations) = (count(told.late), count(told.operations));
            let row =
                message!("replay-lag-row", second = count(second as u64), late, operations, longest = told.longest);
            page.hanging(Line::plain(" "), 1, &ink.format(&row), Paint::PLAIN)?;
        }
        let more = late.count().saturating_sub(SECONDS);
        if more > 0 {
            page.hanging(
                Line::plain(" "),
                1,
                &ink.format(&message!("replay-lag-more", n = count(more as u64))),
                Paint::DIM,
            )?;
        }
    }
    Ok(())
}

fn doubts(page: &mut Page, judgement: &Judgement) -> io::Result<()> {
    let groups = grouped(&judgement.caveats);
    if groups.is_empty() {
        return Ok(());
    }
    page.blank()?;
    write_counts(page, &groups)?;
    for group in groups {
        let evidence = page.ink.list(group.iter().map(|c| c.evidence.clone()));
        write_doubt(page, group[0], &evidence)?;
    }
    Ok(())
}
