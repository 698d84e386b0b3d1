//! Results of a trace of the block layer: sizes and times of the requests at each device by role of the files, and the
//! same I/O at every layer with explanations of the differences.

use crate::Style;
use crate::widgets::figures::{count, latency, percent};
use crate::widgets::ink::Ink;
use crate::widgets::page::Page;
use crate::widgets::table::{Column, Table};
use crate::widgets::text::{Hue, Line, Paint};
use messages::{Message, message};
use model::CompactSort;
use model::{
    BlockTrace, Bytes, LayerFigures, LayerSide, LayersSeen, RequestKind, RequestSizes, RunRecord, SIZE_BUCKETS,
    StackLayer, TracedOps, UNMAPPED,
};
use std::io::{self, Write};

/// Maximum number of step groups shown in full; with more, only the I/O that reached the devices is shown.
const WHOLE: usize = 3;
/// Number of histograms side by side.
const BESIDE: usize = 3;

/// Writes the tables of all step groups for which the block layer was traced; writes nothing without a trace.
///
/// # Errors
/// Returns an error if writing to `out` fails.
pub fn write_traced(record: &RunRecord, layers: &[LayersSeen], style: &Style, out: &mut dyn Write) -> io::Result<()> {
    write(&mut Page::new(style, out), record, layers)
}

pub(crate) fn write(page: &mut Page, record: &RunRecord, layers: &[LayersSeen]) -> io::Result<()> {
    let trace = |seen: &LayersSeen| record.blocks.iter().find(|b| b.steps == seen.steps).map(|b| &b.trace);
    for untraced in layers.iter().filter(|l| trace(l).is_none()) {
        page.blank()?;
        let title = page.ink.format(&message!("traced-layers", label = &untraced.label));
        page.heading(&title, &untraced.length.to_string())?;
        side_by_side(page, untraced, true)?;
        write_findings(page, untraced)?;
    }
    let traced: Vec<(&LayersSeen, &BlockTrace)> = layers.iter().filter_map(|l| Some((l, trace(l)?))).collect();
    // I/O between steps is shown only if the trace has no I/O of steps.
    let steps: Vec<_> = traced.iter().copied().filter(|(l, _)| !l.steps.is_empty()).collect();
    let shown = if steps.is_empty() { traced } else { steps };
    for (seen, trace) in &shown {
        page.blank()?;
        let title = page.ink.format(&message!("traced-device", label = &seen.label));
        let aside = page.ink.format(&aside(trace));
        page.heading(&title, &aside)?;
        let streams = streams(trace);
        sizes(page, &streams)?;
        if shown.len() <= WHOLE {
            histogram(page, &streams)?;
            side_by_side(page, seen, false)?;
        }
        write_findings(page, seen)?;
    }
    if shown.len() > WHOLE {
        page.hanging(Line::plain(" "), 1, page.ink.word("traced-more"), Paint::DIM)?;
    }
    Ok(())
}

fn write_findings(page: &mut Page, seen: &LayersSeen) -> io::Result<()> {
    let ink = page.ink;
    seen.says.iter().try_for_each(|text| page.hanging(Line::plain(" "), 1, &ink.translate(text), Paint::PLAIN))
}

/// Writes sizes and times of the requests on one device, or on all: the same two tables without a heading, for the live
/// view.
///
/// # Errors
/// Returns an error if writing to `out` fails.
pub(crate) fn write_sizes(
    trace: &BlockTrace,
    device: Option<&str>,
    style: &Style,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut page = Page::new(style, out);
    let of_device = |s: &Stream| device.is_none_or(|name| s.device == name);
    let streams: Vec<Stream> = streams(trace).into_iter().filter(of_device).collect();
    sizes(&mut page, &streams)?;
    histogram(&mut page, &streams)
}

/// Returns the duration of the trace and its cost.
fn aside(trace: &BlockTrace) -> Message {
    let share = percent(trace.cpu.as_nanos() as f64 / trace.length.as_nanos().max(1) as f64);
    message!("traced-aside", length = trace.length, share)
}

/// Requests of one kind, for one role on one device.
struct Stream<'a> {
    device: &'a str,
    role: &'a str,
    kind: RequestKind,
    ops: &'a TracedOps,
}

/// Returns the streams sorted by device, in the order of the stack, then by role and kind.
fn streams(trace: &BlockTrace) -> Vec<Stream<'_>> {
    let mut rows = Vec::new();
    for device in &trace.devices {
        for role in &device.roles {
            for kind in RequestKind::ALL {
                if let Some(ops) = role.kind(kind) {
                    // Flushes belong to the device, regardless of the role that caused them.
                    let name = if kind == RequestKind::Flush { "" } else { &role.role };
                    rows.push(Stream { device: &device.name, role: name, kind, ops });
                }
            }
        }
    }
    rows
}

fn sizes(page: &mut Page, streams: &[Stream]) -> io::Result<()> {
    if streams.is_empty() {
        return page.hanging(Line::plain(" "), 1, page.ink.word("traced-none"), Paint::DIM);
    }
    let ink = page.ink;
    let mut table = Table::new(
        vec![
            Column::left(ink.word("head-device")),
            Column::left(ink.word("page-role")),
            Column::left(""),
            Column::right(ink.word("page-requests")),
            Column::right(ink.word("traced-head-bytes")).droppable(3),
            Column::right(ink.word("traced-head-size")),
            Column::right(ink.word("traced-head-mostly")),
            Column::right(ink.word("traced-head-order")).droppable(2),
            Column::right(ink.word("traced-head-time")),
            Column::right("p99").droppable(1),
            Column::right(ink.word("traced-head-queued")).droppable(4),
            Column::right(ink.word("board-errors")),
        ],
        1,
    );
    let (mut device, mut role) = ("", "");
    for s in streams {
        let blank = |text: &str, same: bool| if same { String::new() } else { text.to_owned() };
        let same = s.device == device;
        let role_cell = blank(s.role, same && s.role == role);
        let paint = if s.role == UNMAPPED { Paint::DIM } else { Paint::PLAIN };
        let sized = s.ops.sizes.count() > 0;
        table.row(vec![
            Line::new().with(ink.clipped(&blank(s.device, same), 14), Paint::BOLD),
            Line::new().with(ink.clipped(&role_cell, 18), paint),
            Line::plain(kind(s.kind, ink)),
            Line::plain(count(s.ops.ops)),
            if sized { Line::plain(s.ops.sizes.bytes().to_string()) } else { Line::new() },
            s.ops.sizes.mean().filter(|_| sized).map_or_else(Line::new, |b| Line::plain(kib(b))),
            if sized { mostly(&s.ops.sizes, ink) } else { Line::new() },
            if sized { Line::plain(percent(share(s.ops.sequential, s.ops.ops))) } else { Line::new() },
            s.ops.service.mean().map_or_else(Line::new, |t| latency(t, Paint::PLAIN)),
            s.ops.service.percentile(99.0).value().map_or_else(Line::new, |t| latency(t, Paint::PLAIN)),
            s.ops.queued.mean().map_or_else(Line::new, |t| latency(t, Paint::PLAIN)),
            if s.ops.errors > 0 { Line::new().with(count(s.ops.errors), Paint::new(Hue::Fail)) } else { Line::new() },
        ]);
        // Flushes have no role, so the role of the previous row is kept.
        (device, role) = (s.device, if s.role.is_empty() { role } else { s.role });
    }
    table.write(page)
}

/// Returns the most frequent size and its share, such as `8 KiB 99 %`.
pub(super) fn mostly(sizes: &RequestSizes, ink: Ink) -> Line {
    match sizes.commonest().first() {
        Some((size, n)) => {
            Line::plain(size.to_string()).with(format!(" {:>5}", percent(share(*n, sizes.count()))), Paint::DIM)
        }
        None => Line::plain(ink.word("traced-4m")),
    }
}

/// Returns the word for a kind of request.
pub(super) fn kind(kind: RequestKind, ink: Ink) -> &'static str {
    kind_id(kind).map_or(kind.name(), |id| ink.word(id))
}

/// Returns the message ID for a kind of request; `None` for kinds that use the established term in every language.
pub(super) fn kind_id(kind: RequestKind) -> Option<&'static str> {
    match kind {
        RequestKind::Read => Some("op-read"),
        RequestKind::Write => Some("op-write"),
        RequestKind::Flush => Some("op-flush"),
        _ => None,
    }
}

/// Formats a mean size with one decimal, because means are rarely whole.
fn kib(bytes: Bytes) -> String {
    if bytes.as_u64().is_multiple_of(1024) || bytes.as_u64() < 1024 {
        return bytes.to_string();
    }
    match bytes.as_u64() {
        0..1_048_576 => format!("{:.1} KiB", bytes.as_u64() as f64 / 1024.0),
        _ => format!("{:.2} MiB", bytes.as_u64() as f64 / 1_048_576.0),
    }
}

fn share(part: u64, of: u64) -> f64 {
    if of == 0 { 0.0 } else { part as f64 / of as f64 }
}

/// Writes the distribution of sizes in powers of two, for the streams with the most requests, side by side.
fn histogram(page: &mut Page, streams: &[Stream]) -> io::Result<()> {
    let mut sized: Vec<&Stream> = streams.iter().filter(|s| s.ops.sizes.count() > 0).collect();
    sized.compact_sort_by_key(|s| std::cmp::Reverse(s.ops.ops));
    let left_out = sized.len().saturating_sub(BESIDE);
    sized.truncate(BESIDE);
    if sized.is_empty() {
        return Ok(());
    }
    let buckets: Vec<_> = sized.iter().map(|s| s.ops.sizes.buckets()).collect();
    let used = |i: usize| buckets.iter().any(|b| b[i].0 > 0);
    let (Some(first), Some(last)) =
        ((0..SIZE_BUCKETS.len()).find(|i| used(*i)), (0..SIZE_BUCKETS.len()).rfind(|i| used(*i)))
    else {
        return Ok(());
    };
    page.blank()?;
    let width = (page.ink.width.saturating_sub(14) / sized.len()).min(38);
    let mut head = Line::new();
    head.pad_to(13);
    for (i, s) in sized.iter().enumerate() {
        let name = [s.device, s.role, kind(s.kind, page.ink)]
            .iter()
            .filter(|w| !w.is_empty())
            .copied()
            .collect::<Vec<_>>()
            .join(" ");
        head.push(page.ink.clipped(&name, width.saturating_sub(2)), Paint::DIM);
        head.pad_to(13 + (i + 1) * width);
    }
    page.line(head)?;
    for bucket in first..=last {
        let mut line = Line::plain(format!(" {:>10}", bucket_name(bucket)));
        line.pad_to(13);
        for (i, (stream, counts)) in sized.iter().zip(&buckets).enumerate() {
            let part = share(counts[bucket].0, stream.ops.sizes.count());
            if counts[bucket].0 > 0 {
                let text = format!("{:>9} ", count(counts[bucket].0));
                line.push(text, Paint::PLAIN);
                line.push(format!("{:>6} ", percent(part)), Paint::DIM);
                line.append(page.ink.bar(part, width.saturating_sub(19), Paint::new(Hue::Measured)));
            }
            line.pad_to(13 + (i + 1) * width);
        }
        page.line(line)?;
    }
    if left_out > 0 {
        page.hanging(Line::plain(" "), 1, &page.ink.format(&message!("traced-fewer", n = left_out)), Paint::DIM)?;
    }
    Ok(())
}

/// Returns the name of a bucket: its lower bound, which is the size of most of its requests.
fn bucket_name(bucket: usize) -> String {
    let open = bucket + 1 == SIZE_BUCKETS.len();
    format!("{}{}", SIZE_BUCKETS[bucket], if open { "+" } else { "" })
}

fn side_by_side(page: &mut Page, seen: &LayersSeen, headed: bool) -> io::Result<()> {
    if !headed {
        page.blank()?;
    }
    let reads = seen.layers.iter().any(|l| !l.reads.is_empty());
    let writes = seen.layers.iter().any(|l| !l.writes.is_empty());
    let sides = |l: &LayerFigures| [(reads, l.reads), (writes, l.writes)].into_iter().filter(|s| s.0).map(|s| s.1);
    let ink = page.ink;
    let mut columns = vec![Column::left(ink.word("traced-head-layer")), Column::left("")];
    for name in [(reads, "op-reads"), (writes, "op-writes")].into_iter().filter(|s| s.0).map(|s| s.1) {
        columns.extend([
            Column::right(ink.word(name)),
            Column::right(ink.word("traced-head-bytes")),
            Column::right(ink.word("page-mean")).droppable(2),
            Column::right(ink.word("head-time")).droppable(1),
        ]);
    }
    columns.push(Column::left(ink.word("dbview-counted-by")).droppable(3));
    let mut table = Table::new(columns, 1);
    for l in &seen.layers {
        let device = Line::plain(page.ink.clipped(&l.device, 14));
        let mut cells = vec![Line::new().with(ink.word(layer(l.layer)), Paint::BOLD), device];
        cells.extend(sides(l).flat_map(|side| cells_of(&side)));
        cells.push(Line::new().with(page.ink.clipped(&l.source, 24), Paint::DIM));
        table.row(cells);
    }
    table.write(page)
}

/// Returns the message ID for a layer.
fn layer(layer: StackLayer) -> &'static str {
    match layer {
        StackLayer::Application => "layer-application",
        StackLayer::SystemCalls => "layer-calls",
        StackLayer::Process => "layer-process",
        StackLayer::Dirtied => "layer-dirtied",
        StackLayer::WrittenBack => "layer-written-back",
        StackLayer::Queued => "layer-queued",
        StackLayer::Requests => "layer-requests",
        StackLayer::Device => "kind-device",
    }
}

fn cells_of(side: &LayerSide) -> [Line; 4] {
    let dash = || Line::new().with("-", Paint::DIM);
    if side.is_empty() {
        return [dash(), dash(), dash(), dash()];
    }
    [
        side.ops.map_or_else(dash, |n| Line::plain(count(n))),
        side.bytes.map_or_else(dash, |b| Line::plain(b.to_string())),
        side.mean_size().map_or_else(dash, |b| Line::plain(kib(b))),
        side.latency.map_or_else(dash, |t| latency(t, Paint::PLAIN)),
    ]
}

#[cfg(test)]
mod tests;
