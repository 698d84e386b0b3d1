//! Results of a trace of the block layer: sizes and times of the requests at each device by role of the files, and the
//! same I/O at every layer with explanations of the differences.

use super::charts::{self, Stream, streams};
use crate::document::{Block, Cell, Column, Document, Repeat, Table, Tone, Value, View};
use crate::widgets::figures::percent;
use messages::{message, sentence};
use model::judged::{LayerSide, LayersSeen, StackLayer};
use model::measured::{BlockTrace, RequestSizes, TracedDevice};
use model::{Bytes, CompactSort, RunRecord, plan::UNMAPPED};

/// Maximum number of step groups shown in full; with more, only the I/O that reached the devices is shown.
const WHOLE: usize = 3;
/// Maximum number of processes shown for each device.
const MOST_PROCESSES: usize = 10;

/// Returns sizes and times of the requests on one device, or on all, without a heading.
pub(crate) fn sizes(trace: &BlockTrace, device: Option<&str>) -> Vec<Block> {
    let has_name = |s: &Stream| device.is_none_or(|name| s.device == name);
    let shown: Vec<Stream> = streams(trace).into_iter().filter(has_name).collect();
    [requests(&shown)].into_iter().chain(histogram(&shown)).collect()
}

/// Adds a part for each step group.
pub(crate) fn add(d: &mut Document, record: &RunRecord, layers: &[LayersSeen], view: View) {
    let trace = |seen: &LayersSeen| record.blocks.iter().find(|b| b.steps == seen.steps).map(|b| &b.trace);
    for untraced in layers.iter().filter(|l| trace(l).is_none()) {
        let blocks = [Block::Table(table(untraced))].into_iter().chain(explanations(untraced));
        let title = message!("traced-layers", label = &untraced.label);
        d.part("layers", title, blocks).aside(untraced.length.to_string()).views(View::DETAIL);
    }
    let traced: Vec<(&LayersSeen, &BlockTrace)> = layers.iter().filter_map(|l| Some((l, trace(l)?))).collect();
    // I/O between steps is shown only if the trace has no I/O of steps.
    let steps: Vec<_> = traced.iter().copied().filter(|(l, _)| !l.steps.is_empty()).collect();
    let shown = if steps.is_empty() { traced } else { steps };
    for (seen, trace) in &shown {
        let streams = streams(trace);
        let mut blocks = vec![requests(&streams)];
        if shown.len() <= WHOLE {
            // Pages have a chart of all step groups together.
            blocks.extend(histogram(&streams).filter(|_| view == View::Full));
            blocks.extend(processes(trace));
            blocks.extend([Block::Blank, Block::Table(table(seen))]);
        }
        blocks.extend(explanations(seen));
        // The duration of the trace and its cost.
        let share = percent(trace.cpu.as_nanos() as f64 / trace.length.as_nanos().max(1) as f64);
        let aside = message!("traced-aside", length = trace.length, share);
        d.part("requests", message!("traced-device", label = &seen.label), blocks).aside(aside).views(View::DETAIL);
    }
    if shown.len() > WHOLE
        && let Some(last) = d.parts.last_mut()
    {
        last.blocks.push(Block::remark(sentence!("traced-more")));
    }
}

fn explanations(seen: &LayersSeen) -> impl Iterator<Item = Block> {
    seen.says.iter().map(|text| Block::text(text.clone()))
}

/// Returns sizes and times of the requests.
fn requests(streams: &[Stream<'_>]) -> Block {
    if streams.is_empty() {
        return Block::remark(sentence!("traced-none"));
    }
    let order = |s: &Stream<'_>| sizes_of(s).map(|_| Value::Share(share(s.ops.sequential, s.ops.ops)));
    let table = Table::builder("requests", streams)
        .column(Column::text("device", "head-device").most(14).repeat(Repeat::Blank), |s| Cell::name(s.device))
        .column(Column::text("role", "page-role").most(18).repeat(Repeat::Blank), |s| {
            let role = if s.role.is_empty() { Value::Blank } else { Value::name(s.role) };
            Cell::from(role).tone(if s.role == UNMAPPED { Tone::Dim } else { Tone::Plain })
        })
        .column(Column::text("operation", ""), |s| charts::kind_word(s.kind))
        .column(Column::figure("requests", "page-requests"), |s| Value::Count(s.ops.ops))
        .column(Column::figure("bytes", "traced-head-bytes").rank(3), |s| {
            Cell::or_blank(sizes_of(s).map(RequestSizes::bytes))
        })
        .column(Column::figure("mean_bytes", "traced-head-size"), |s| {
            Cell::or_blank(sizes_of(s).and_then(RequestSizes::mean).map(mean_size))
        })
        .column(Column::figure("most_frequent_bytes", "traced-head-mostly"), |s| {
            Cell::or_blank(sizes_of(s).map(most_frequent))
        })
        .column(Column::figure("in_order", "traced-head-order").rank(2), |s| Cell::or_blank(order(s)))
        .column(Column::figure("mean_ns", "traced-head-time"), |s| Cell::or_blank(s.ops.service.mean()))
        .column(Column::term("p99_ns", "p99").rank(1), |s| Cell::or_blank(s.ops.service.percentile(99.0).value()))
        .column(Column::figure("queued_ns", "traced-head-queued").rank(4), |s| Cell::or_blank(s.ops.queued.mean()))
        .column(Column::figure("errors", "board-errors"), |s| {
            Cell::or_blank(Some(s.ops.errors).filter(|n| *n > 0).map(Value::Count)).tone(Tone::Fail)
        });
    Block::Table(table.build())
}

/// Returns the processes that submitted the I/O of each device, after a blank line.
fn processes<'t>(trace: &'t BlockTrace) -> Vec<Block> {
    let first = |device: &'t TracedDevice| {
        device.first_processes(MOST_PROCESSES).into_iter().map(move |process| (device, process))
    };
    let rows: Vec<_> = trace.devices.iter().flat_map(first).collect();
    if rows.is_empty() {
        return Vec::new();
    }
    let table = Table::builder("device_processes", rows)
        .column(Column::text("device", "head-device").most(14).repeat(Repeat::Blank), |(d, _)| Cell::name(&d.name))
        .column(Column::text("program", "view-head-program").most(24), |(_, p)| match p.is_sum() {
            true => Cell::from(Value::word("view-top-others")).tone(Tone::Dim),
            false => Value::name(&p.program).into(),
        })
        .column(Column::term("pid", "PID"), |(_, p)| Value::or_blank(p.pid.map(Value::name)))
        .column(Column::text("group", "view-head-group").most(28).rank(3), |(_, p)| {
            Cell::or_blank(p.group().map(Value::name))
        })
        .column(Column::figure("reads", "op-reads"), |(_, p)| Value::Count(p.ops[0]))
        .column(Column::figure("read_bytes", "view-head-read"), |(_, p)| Bytes(p.bytes[0]))
        .column(Column::figure("writes", "op-writes"), |(_, p)| Value::Count(p.ops[1]))
        .column(Column::figure("written_bytes", "view-head-written"), |(_, p)| Bytes(p.bytes[1]))
        .build();
    let named = |device: &TracedDevice| device.processes.iter().filter(|process| !process.is_sum()).count();
    let more = trace.devices.iter().map(|device| named(device).saturating_sub(MOST_PROCESSES)).sum();
    let table = Table { more, ..table };
    vec![Block::Blank, Block::Table(table), Block::remark(sentence!("traced-processes-legend"))]
}

/// Returns the sizes of requests that have any.
fn sizes_of<'s>(stream: &'s Stream<'_>) -> Option<&'s RequestSizes> {
    Some(&stream.ops.sizes).filter(|sizes| sizes.count() > 0)
}

/// Returns the most frequent size and its share.
pub(super) fn most_frequent(sizes: &RequestSizes) -> Value {
    match sizes.commonest().first() {
        Some((size, n)) => Value::SizeShare(*size, share(*n, sizes.count())),
        None => Value::word("traced-4m"),
    }
}

/// Returns a mean size; a whole one has no decimals.
fn mean_size(bytes: Bytes) -> Value {
    if bytes.as_u64().is_multiple_of(1024) { Value::Bytes(bytes) } else { Value::MeanSize(bytes) }
}

fn share(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

/// Returns the distribution of sizes in powers of two, those with the most requests first.
fn histogram(streams: &[Stream<'_>]) -> Option<Block> {
    let mut sized: Vec<&Stream> = streams.iter().collect();
    sized.compact_sort_by_key(|s| std::cmp::Reverse(s.ops.ops));
    let mut chart = charts::request_sizes(sized.into_iter().map(|s| (s.name(), s.ops.sizes.clone())).collect())?;
    chart.is_on_screen = true;
    Some(Block::Chart(chart))
}

/// Returns a row for each layer, with reads and writes next to each other if there are both.
fn table(seen: &LayersSeen) -> Table {
    let reads = seen.layers.iter().any(|l| !l.reads.is_empty());
    let writes = seen.layers.iter().any(|l| !l.writes.is_empty());
    let side = |keys: [&'static str; 4], name: &'static str| {
        [
            Column::figure(keys[0], name),
            Column::figure(keys[1], "traced-head-bytes"),
            Column::figure(keys[2], "page-mean").rank(2),
            Column::figure(keys[3], "head-time").rank(1),
        ]
    };
    let mut table = Table::builder("layers", &seen.layers)
        .column(Column::text("layer", "traced-head-layer"), |l| Cell::from(Value::word(layer(l.layer))).strong())
        .column(Column::text("device", "").most(14), |l| Value::name(&l.device));
    if reads {
        let keys = ["reads", "read_bytes", "read_mean_bytes", "read_mean_ns"];
        table = table.columns(side(keys, "op-reads"), |l| cells(l.reads));
    }
    if writes {
        let keys = ["writes", "written_bytes", "write_mean_bytes", "write_mean_ns"];
        table = table.columns(side(keys, "op-writes"), |l| cells(l.writes));
    }
    let source = Column::text("source", "dbview-counted-by").rank(3).most(24);
    table.column(source, |l| Cell::from(Value::name(&l.source)).tone(Tone::Dim)).build()
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

fn cells(side: LayerSide) -> [Cell; 4] {
    if side.is_empty() {
        return std::array::from_fn(|_| Value::Unknown.into());
    }
    [side.ops.map(Value::Count).into(), side.bytes.into(), side.mean_size().map(mean_size).into(), side.latency.into()]
}

#[cfg(test)]
mod tests;
