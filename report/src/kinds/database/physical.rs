//! I/O that reached the devices: by role of the files, by host, and as ratios to the operations of the engine.

use crate::document::{Block, Cell, Column, Document, Table, Tone, Value, View};
use crate::widgets::figures::{duration, percent};
use crate::widgets::ink::clauses;
use messages::{Sentence, sentence};
use model::Bytes;
use model::judged::{DbJudgement, DeviceFigures, Ratio};
use model::measured::{Below, CountedBy, DatabaseUse, RoleSource, RoleUse};

/// Adds the I/O by role, and the ratios.
pub(super) fn add(d: &mut Document, used: &DatabaseUse, judged: &DbJudgement) {
    let device = &judged.device;
    if !used.roles.is_empty() || *device != DeviceFigures::default() {
        let waits = judged.waits.iter().filter(|w| w.sessions >= 0.005 || w.writers >= 0.005).map(|w| {
            let (sessions, writers) = (percent(w.sessions), percent(w.writers));
            sentence!("dbview-waited", role = w.role.name(), sessions, writers)
        });
        let waits = clauses(waits);
        let waits = (!waits.is_empty()).then(|| sentence!("dbview-waits", roles = waits));
        let remarks = waits.into_iter().chain(remarks(used, device)).map(Block::remark);
        let blocks = [Block::Table(roles(used, judged))].into_iter().chain(remarks);
        d.part("physical", "dbview-below", blocks).views(View::DETAIL);
    }
    if !judged.ratios.is_empty() {
        d.part("ratios", "", [Block::Table(ratios(&judged.ratios))]).views(View::DETAIL);
    }
}

/// Number of operations, bytes, and mean size of the operations.
type Traffic = (Option<u64>, Option<u64>);

/// Returns a row for each role, for all of them, for each host, and for the whole devices if others use them.
fn roles(used: &DatabaseUse, judged: &DbJudgement) -> Table {
    let columns = [
        Column::text("role", "page-role").bare(),
        Column::figure("reads", "op-reads"),
        Column::figure("read_bytes", "traced-head-bytes"),
        Column::figure("read_size", "page-mean").rank(2),
        Column::figure("writes", "op-writes"),
        Column::figure("write_bytes", "traced-head-bytes"),
        Column::figure("write_size", "page-mean").rank(1),
        Column::figure("flushes", "op-flushes"),
        Column::text("source", "dbview-counted-by").rank(3).most(24),
    ];
    let mut table = Table::new("roles", columns);
    let mut row = |name: Value, reads: Traffic, writes: Traffic, flushes: Option<u64>, source: Sentence| {
        let traffic = |(ops, bytes): Traffic| {
            let size = ops.filter(|n| *n > 0).zip(bytes).map(|(n, bytes)| Bytes(bytes / n));
            [ops.map(Value::Count).into(), bytes.map(Bytes).into(), Cell::from(size)]
        };
        let flushes = Cell::from(flushes.map(Value::Count));
        let source = Cell::from(source).tone(Tone::Dim);
        let [name, reads, writes] = [vec![Cell::from(name).strong()], traffic(reads).into(), traffic(writes).into()];
        table.row([name, reads, writes, vec![flushes, source]].into_iter().flatten());
    };
    for r in &used.roles {
        let (reads, writes) = ((r.reads, r.read_bytes), (r.writes, r.write_bytes));
        row(Value::name(r.role.name()), reads, writes, r.flushes, source(r));
    }
    let device = &judged.device;
    let total = (*device != DeviceFigures::default() && (used.roles.len() != 1 || used.below.is_some()))
        .then(|| (Value::word("dbview-row-all"), device));
    let hosts = judged.hosts.iter().map(|of| (Value::name(&of.host), &of.device));
    for (name, device) in total.into_iter().chain(hosts) {
        let (reads, writes) = ((device.reads, device.read_bytes), (device.writes, device.write_bytes));
        // No counter attributes flushes to processes.
        let flushes = device.flushes.filter(|_| device.by == CountedBy::Device);
        row(name, reads, writes, flushes, device.source.clone());
    }
    if let Some((below, whole)) = used.below.as_ref().and_then(|below| Some((below, below.device()?)))
        && device.by != CountedBy::Device
    {
        let (reads, writes) = ((whole.reads, Some(whole.read_bytes)), (whole.writes, Some(whole.write_bytes)));
        let source = sentence!("dbview-whole-of", names = Below::names(below));
        row(Value::word("dbview-row-everybody"), reads, writes, whole.flushes, source);
    }
    table
}

/// Returns the source of a role's counts.
fn source(role: &RoleUse) -> Sentence {
    match &role.source {
        RoleSource::Devices { by: CountedBy::Group, devices } => sentence!("db-counted-group", devices),
        RoleSource::Devices { devices, .. } => sentence!("db-counted-device", devices),
        RoleSource::Engine(counter) => counter.as_str().into(),
    }
}

/// Returns remarks on the source of the counters, the share of other processes, and bytes written after the end of the
/// run.
fn remarks(used: &DatabaseUse, device: &DeviceFigures) -> Vec<Sentence> {
    let Some(below) = &used.below else { return Vec::new() };
    let mut parts = Vec::new();
    let time = duration(below.length);
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

fn ratios(ratios: &[Ratio]) -> Table {
    let tone = |r: &Ratio, plain| if r.doubtful { Tone::Doubt } else { plain };
    // Small values have a third decimal.
    let value = |r: &Ratio| match r.value.abs() < 0.1 && r.value != 0.0 {
        true => Value::Fixed(r.value, 3),
        false => Value::Number(r.value),
    };
    Table::builder("ratios", ratios)
        .column(Column::text("ratio", "page-name").bare(), |r| Cell::from(r.name.clone()).tone(Tone::Dim))
        .column(Column::figure("value", "page-value").bare(), |r| {
            Cell::from(value(r)).tone(tone(r, Tone::Plain)).strong()
        })
        .column(Column::text("remark", "page-note").bare().wraps(), |r| {
            Cell::from(r.remark.clone()).tone(tone(r, Tone::Dim))
        })
        .build()
}
