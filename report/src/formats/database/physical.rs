//! I/O of the engine and the devices: by role of the files, as ratios, and as counters with mgstat's names.

use crate::widgets::figures::{count, percent};
use crate::widgets::ink::clauses;
use crate::widgets::page::Page;
use crate::widgets::table::{Column, Table};
use crate::widgets::text::{Hue, Line, Paint};
use messages::{Sentence, message, sentence};
use model::{Below, Bytes, CountedBy, DatabaseUse, DbJudgement, DeviceFigures, MGSTAT_COLUMNS, Ratio, thousands};
use std::io;

/// Width of the name before a ratio, in columns.
const NAME: usize = 34;

pub(super) fn write(page: &mut Page, used: &DatabaseUse, judged: &DbJudgement) -> io::Result<()> {
    roles(page, used, judged)?;
    judged.ratios.iter().try_for_each(|r| ratio(page, r))?;
    engine(page, used, judged)
}

/// Reads or writes of one role.
struct RoleTraffic {
    ops: Option<u64>,
    bytes: Option<u64>,
}

impl RoleTraffic {
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
    let ink = page.ink;
    page.heading(ink.word("dbview-below"), "")?;
    let mut table = Table::new(
        vec![
            Column::left(""),
            Column::right(ink.word("op-reads")),
            Column::right(ink.word("traced-head-bytes")),
            Column::right(ink.word("page-mean")).droppable(2),
            Column::right(ink.word("op-writes")),
            Column::right(ink.word("traced-head-bytes")),
            Column::right(ink.word("page-mean")).droppable(1),
            Column::right(ink.word("op-flushes")),
            Column::left(ink.word("dbview-counted-by")).droppable(3),
        ],
        1,
    );
    let flushes = |n: Option<u64>| n.map_or_else(|| Line::new().with("-", Paint::DIM), |n| Line::plain(count(n)));
    let mut row = |name: &str,
                   reads: RoleTraffic,
                   writes: RoleTraffic,
                   flushed: Option<u64>,
                   source: &str,
                   ink: crate::widgets::ink::Ink| {
        let mut cells = vec![Line::new().with(name, Paint::BOLD)];
        cells.extend(reads.cells());
        cells.extend(writes.cells());
        cells.push(flushes(flushed));
        cells.push(Line::new().with(ink.clipped(source, 24), Paint::DIM));
        table.row(cells);
    };
    for r in &used.roles {
        let (reads, writes) =
            (RoleTraffic { ops: r.reads, bytes: r.read_bytes }, RoleTraffic { ops: r.writes, bytes: r.write_bytes });
        row(r.role.name(), reads, writes, r.flushes, &ink.translate(role_source(&r.source)), ink);
    }
    let ours = device.by != CountedBy::Device;
    if counted && (used.roles.len() != 1 || used.below.is_some()) {
        let (reads, writes) = (
            RoleTraffic { ops: device.reads, bytes: device.read_bytes },
            RoleTraffic { ops: device.writes, bytes: device.write_bytes },
        );
        // No counter attributes flushes to processes.
        let source = ink.translate(&device.source);
        row(ink.word("dbview-row-all"), reads, writes, device.flushes.filter(|_| !ours), &source, ink);
    }
    for of in &judged.hosts {
        let device = &of.device;
        let reads = RoleTraffic { ops: device.reads, bytes: device.read_bytes };
        let writes = RoleTraffic { ops: device.writes, bytes: device.write_bytes };
        let flushed = device.flushes.filter(|_| device.by == CountedBy::Device);
        row(&of.host, reads, writes, flushed, &ink.translate(&device.source), ink);
    }
    if let Some(whole) = used.below.as_ref().and_then(Below::device).filter(|_| ours) {
        let (reads, writes) = (
            RoleTraffic { ops: whole.reads, bytes: Some(whole.read_bytes) },
            RoleTraffic { ops: whole.writes, bytes: Some(whole.write_bytes) },
        );
        let names = used.below.as_ref().map(Below::names).unwrap_or_default();
        let source = ink.format(&message!("dbview-whole-of", names));
        row(ink.word("dbview-row-everybody"), reads, writes, whole.flushes, &source, ink);
    }
    table.write(page)?;
    let waits = judged.waits.iter().filter(|w| w.sessions >= 0.005 || w.writers >= 0.005);
    let waits: Vec<Sentence> = waits
        .map(|w| {
            let (sessions, writers) = (percent(w.sessions), percent(w.writers));
            sentence!("dbview-waited", role = w.role.name(), sessions, writers)
        })
        .collect();
    if !waits.is_empty() {
        let text = sentence!("dbview-waits", roles = clauses(waits));
        page.hanging(Line::plain(" "), 1, &ink.translate(text), Paint::DIM)?;
    }
    for text in remarks(used, device) {
        page.hanging(Line::plain(" "), 1, &ink.translate(text), Paint::DIM)?;
    }
    page.blank()
}

/// Returns remarks on the source of the counters, the share of other processes, and bytes written after the end of the
/// run.
fn remarks(used: &DatabaseUse, device: &DeviceFigures) -> Vec<Sentence> {
    let Some(below) = &used.below else { return Vec::new() };
    let mut parts = Vec::new();
    let time = crate::duration(below.length);
    let counted = match device.by {
        CountedBy::Group => sentence!("dbview-by-group", time),
        CountedBy::Processes => sentence!("dbview-by-processes", time),
        CountedBy::Device => sentence!("dbview-by-device", time),
    };
    let others = match (device.by, device.others.map(percent)) {
        (CountedBy::Device, Some(share)) => Some(sentence!("dbview-others-estimated", share)),
        (CountedBy::Device, None) => Some(sentence!("dbview-others-unknown")),
        (_, Some(most)) => Some(match device.others_least.map(percent).filter(|least| *least != most) {
            Some(least) => sentence!("dbview-others-range", least, most),
            None => sentence!("dbview-others", share = most),
        }),
        (_, None) => None,
    };
    parts.push(clauses([counted].into_iter().chain(others)));
    if let (Some(least), Some(most)) = (device.write_bytes, device.write_bytes_most) {
        parts.push(sentence!("dbview-sent", least = Bytes(least), most = Bytes(most)));
    }
    if device.by == CountedBy::Device && !below.missing.is_empty() {
        parts.push(sentence!("dbview-not-told-apart", why = clauses(&below.missing)));
    }
    if let Some(after) = &used.after {
        let ours = after.ours();
        if let Some(counts) = ours.or_else(|| after.device()) {
            let (written, read, time) = (Bytes(counts.write_bytes), Bytes(counts.read_bytes), after.length);
            parts.push(match ours.is_some() {
                true => sentence!("dbview-after-processes", written, read, time),
                false => sentence!("dbview-after-devices", written, read, time),
            });
        }
    }
    parts
}

fn ratio(page: &mut Page, r: &Ratio) -> io::Result<()> {
    let mut lead = Line::new().with(format!(" {}", page.ink.translate(&r.name)), Paint::DIM);
    lead.pad_to(NAME);
    let value = format!("{:>7}", short(r.value));
    lead.push(value, if r.doubtful { Paint::new(Hue::Doubt).bold() } else { Paint::BOLD });
    if r.remark.is_empty() {
        return page.line(lead);
    }
    let hang = lead.width() + 2;
    page.hanging(
        lead,
        hang,
        &page.ink.translate(&r.remark),
        if r.doubtful { Paint::new(Hue::Doubt) } else { Paint::DIM },
    )
}

/// Formats a value below ten thousand with two decimals, and small values with three.
fn short(value: f64) -> String {
    if value.abs() < 0.1 && value != 0.0 { format!("{value:.3}") } else { thousands(value) }
}

/// Writes the engine's counters that mgstat has, with mgstat's names, one per row, followed by all other counters.
fn engine(page: &mut Page, used: &DatabaseUse, judged: &DbJudgement) -> io::Result<()> {
    if !judged.engine.is_empty() {
        page.blank()?;
        let ink = page.ink;
        page.heading(ink.word("dbview-mgstat"), "")?;
        let mut table = Table::new(
            vec![
                Column::left(""),
                Column::right(ink.word("page-mean")),
                Column::right(ink.word("dbview-most")),
                Column::right(ink.word("dbview-in-run")),
            ],
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
        let absent: Vec<&str> = MGSTAT_COLUMNS.into_iter().filter(|name| !is_told(name, used, judged)).collect();
        if !absent.is_empty() {
            let text = sentence!("dbview-mgstat-absent", names = absent.join(", "));
            page.hanging(Line::plain(" "), 1, &ink.translate(text), Paint::DIM)?;
        }
    }
    let counters: Vec<String> =
        used.counters.iter().filter(|(_, v)| *v != 0.0).map(|(n, v)| format!("{n} {}", whole(*v))).collect();
    if counters.is_empty() {
        return Ok(());
    }
    if judged.engine.is_empty() {
        page.blank()?;
        page.heading(page.ink.word("dbview-engine"), "")?;
    }
    let lead = Line::new().with(format!(" {}", page.ink.word("dbview-counted")), Paint::DIM);
    let hang = lead.width() + 2;
    page.hanging(lead, hang, &page.ink.list(counters), Paint::DIM)
}

/// Returns `true` if the screen already shows a column of mgstat, for one host or for several. The times of the phases
/// of a write daemon also count as shown.
fn is_told(name: &str, used: &DatabaseUse, judged: &DbJudgement) -> bool {
    judged.engine.iter().any(|e| e.name.split(' ').next_back() == Some(name))
        || used.phases.iter().any(|p| p.name.starts_with(name))
}

/// Formats whole numbers with all digits, and other values as figures.
fn whole(value: f64) -> String {
    if value.fract() == 0.0 && value >= 0.0 { count(value as u64) } else { thousands(value) }
}

/// Returns a sentence with the source of a role's counts. The record stores the source in English.
fn role_source(source: &str) -> Sentence {
    match source.split_once(", ") {
        Some(("control group", devices)) => sentence!("db-counted-group", devices),
        Some(("device", devices)) => Sentence::new(source, message!("db-counted-device", devices)),
        _ => source.into(),
    }
}
