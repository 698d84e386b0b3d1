//! What the engine and the devices did for it: by role of the files, in ratios, under mgstat's names.

use crate::figures::{count, percent};
use crate::page::Page;
use crate::table::{Column, Table};
use crate::text::{Hue, Line, Paint};
use model::{Below, Bytes, CountedBy, DatabaseUse, DbJudgement, DeviceFigures, Ratio, thousands};
use std::io;

/// Columns of the name before a ratio.
const NAME: usize = 34;

pub(super) fn write(page: &mut Page, used: &DatabaseUse, judged: &DbJudgement) -> io::Result<()> {
    roles(page, used, judged)?;
    judged.ratios.iter().try_for_each(|r| ratio(page, r))?;
    engine(page, used, judged)
}

/// Reads or writes of one role.
struct Side {
    ops: Option<u64>,
    bytes: Option<u64>,
}

impl Side {
    fn cells(&self) -> [Line; 3] {
        let dash = || Line::new().with("-", Paint::DIM);
        let size = match (self.ops, self.bytes) {
            (Some(ops), Some(bytes)) if ops > 0 => Line::plain(Bytes(bytes / ops).to_string()),
            _ => dash(),
        };
        let bytes = self.bytes.map_or_else(dash, |b| Line::plain(Bytes(b).to_string()));
        [self.ops.map_or_else(dash, |n| Line::plain(count(n))), bytes, size]
    }
}

fn roles(page: &mut Page, used: &DatabaseUse, judged: &DbJudgement) -> io::Result<()> {
    let device = &judged.device;
    let counted = *device != DeviceFigures::default();
    if used.roles.is_empty() && !counted {
        return Ok(());
    }
    page.blank()?;
    page.heading("what was read and written below", "")?;
    let mut table = Table::new(
        vec![
            Column::left(""),
            Column::right("reads"),
            Column::right("bytes"),
            Column::right("mean").droppable(2),
            Column::right("writes"),
            Column::right("bytes"),
            Column::right("mean").droppable(1),
            Column::right("flushes"),
            Column::left("counted by").droppable(3),
        ],
        1,
    );
    let flushes = |n: Option<u64>| n.map_or_else(|| Line::new().with("-", Paint::DIM), |n| Line::plain(count(n)));
    let mut row = |name: &str, reads: Side, writes: Side, flushed: Option<u64>, source: &str, ink: crate::ink::Ink| {
        let mut cells = vec![Line::new().with(name, Paint::BOLD)];
        cells.extend(reads.cells());
        cells.extend(writes.cells());
        cells.push(flushes(flushed));
        cells.push(Line::new().with(ink.clipped(source, 24), Paint::DIM));
        table.row(cells);
    };
    let ink = page.ink;
    for r in &used.roles {
        let (reads, writes) =
            (Side { ops: r.reads, bytes: r.read_bytes }, Side { ops: r.writes, bytes: r.write_bytes });
        row(r.role.name(), reads, writes, r.flushes, &r.source, ink);
    }
    let ours = device.by != CountedBy::Device;
    if counted && (used.roles.len() != 1 || used.below.is_some()) {
        let (reads, writes) = (
            Side { ops: device.reads, bytes: device.read_bytes },
            Side { ops: device.writes, bytes: device.write_bytes },
        );
        // Nobody counts flushes by process.
        row("all", reads, writes, device.flushes.filter(|_| !ours), &device.source, ink);
    }
    if let Some(whole) = used.below.as_ref().and_then(Below::device).filter(|_| ours) {
        let (reads, writes) = (
            Side { ops: whole.reads, bytes: Some(whole.read_bytes) },
            Side { ops: whole.writes, bytes: Some(whole.write_bytes) },
        );
        let names = used.below.as_ref().map(Below::names).unwrap_or_default();
        row("everybody", reads, writes, whole.flushes, &format!("the whole of {names}"), ink);
    }
    let laid = table.lay(page.ink);
    page.lines(laid.lines)?;
    if !laid.dropped.is_empty() {
        let text = format!("no room for: {}", laid.dropped.join(", "));
        page.hanging(Line::plain(" "), 1, &text, Paint::DIM)?;
    }
    for text in remarks(used, device) {
        page.hanging(Line::plain(" "), 1, &text, Paint::DIM)?;
    }
    page.blank()
}

/// Who counted, how much of it is others', and what was written after the end.
fn remarks(used: &DatabaseUse, device: &DeviceFigures) -> Vec<String> {
    let Some(below) = &used.below else { return Vec::new() };
    let mut told = Vec::new();
    let counted = match device.by {
        CountedBy::Group => "counted for the control group of the engine's processes",
        CountedBy::Processes => {
            "counted for the engine's processes by the kernel's accounts, written bytes as they are sent"
        }
        CountedBy::Device => "counted for whole devices, whoever used them",
    };
    let seconds = crate::duration(below.length);
    let others = match (device.by, device.others) {
        (CountedBy::Device, Some(share)) => format!("; {} estimated to be others'", percent(share)),
        (CountedBy::Device, None) => "; the share of others is not known".to_owned(),
        (_, Some(share)) => {
            format!("; {} of the device's bytes are others' and the file system's journal's", percent(share))
        }
        (_, None) => String::new(),
    };
    told.push(format!("{counted}, in the {seconds} measured{others}"));
    if let (CountedBy::Group, Some(group), Some(sent)) = (device.by, below.group(), below.processes) {
        let left = sent.write_bytes.saturating_sub(group.write_bytes);
        if left > group.write_bytes / 10 {
            let left = Bytes(left);
            told.push(format!(
                "{left} more were sent by the processes and left to the kernel, which writes them back later"
            ));
        }
    }
    if device.by == CountedBy::Device && !below.missing.is_empty() {
        told.push(format!("not told apart: {}", below.missing.join("; ")));
    }
    if let Some(after) = &used.after {
        let (ours, whose) = match after.ours() {
            Some(ours) => (Some(ours), "by its processes"),
            None => (after.device(), "on the whole devices"),
        };
        if let Some(counts) = ours {
            let (written, read) = (Bytes(counts.write_bytes), Bytes(counts.read_bytes));
            told.push(format!("after the end: {written} written and {read} read {whose} in {}", after.length));
        }
    }
    told
}

fn ratio(page: &mut Page, r: &Ratio) -> io::Result<()> {
    let mut lead = Line::new().with(format!(" {}", r.name), Paint::DIM);
    lead.pad_to(NAME);
    let value = format!("{:>7}", short(r.value));
    lead.push(value, if r.doubtful { Paint::of(Hue::Doubt).bold() } else { Paint::BOLD });
    if r.remark.is_empty() {
        return page.line(lead);
    }
    let hang = lead.width() + 2;
    page.hanging(lead, hang, &r.remark, if r.doubtful { Paint::of(Hue::Doubt) } else { Paint::DIM })
}

/// Two decimals below ten thousand, three digits at least of what is small.
fn short(value: f64) -> String {
    if value.abs() < 0.1 && value != 0.0 { format!("{value:.3}") } else { thousands(value) }
}

/// mgstat's names as columns would have them, each a row; then whatever else the engine counted.
fn engine(page: &mut Page, used: &DatabaseUse, judged: &DbJudgement) -> io::Result<()> {
    if !judged.engine.is_empty() {
        page.blank()?;
        page.heading("engine, as mgstat names it", "")?;
        let mut table = Table::new(
            vec![Column::left(""), Column::right("mean"), Column::right("most"), Column::right("in the run")],
            1,
        );
        for e in &judged.engine {
            let total = e.total.map_or_else(String::new, |t| count(t.round().max(0.0) as u64));
            let unit = if e.total.is_some() { "/s" } else { "" };
            table.row(vec![
                Line::new().with(page.ink.clipped(&e.name, 24), Paint::BOLD),
                Line::plain(format!("{}{unit}", thousands(e.mean))),
                Line::plain(format!("{}{unit}", thousands(e.max))),
                Line::plain(total),
            ]);
        }
        let laid = table.lay(page.ink);
        page.lines(laid.lines)?;
    }
    let told: Vec<String> =
        used.counters.iter().filter(|(_, v)| *v != 0.0).map(|(n, v)| format!("{n} {}", whole(*v))).collect();
    if told.is_empty() {
        return Ok(());
    }
    if judged.engine.is_empty() {
        page.blank()?;
        page.heading("engine", "")?;
    }
    page.hanging(Line::new().with(" counted", Paint::DIM), 10, &told.join(", "), Paint::DIM)
}

/// A count in full, anything else as a figure.
fn whole(value: f64) -> String {
    if value.fract() == 0.0 && value >= 0.0 { count(value as u64) } else { thousands(value) }
}
