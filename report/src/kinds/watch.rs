//! A watch: alarms, devices, use of the caps, the command, processes and their control groups, and the machine.

use super::{charts, common, traced};
use crate::ReportedRun;
use crate::document::{
    Block, Cell, Column, Document, Field, FigureRow, Margin, Only, Qualifier, Repeat, Table, Tile, Tone, Value, View,
    Word,
};
use crate::widgets::figures::{count, duration, limit, percent};
use crate::widgets::ink::{clauses, listed};
use messages::{Message, Sentence, message, sentence};
use model::judged::{CapUse, DiskFigures, GroupFigures, GroupIoFigures, HostFigure, TopFigures, WatchJudgement};
use model::measured::TopName;
use model::record::{CommandExit, CommandUse};
use model::{Bytes, BytesPerSecond, Iops, Nanos, RunRecord, plan::WatchPlan};

/// Maximum number of alarms shown; a flapping alert may raise hundreds.
const MOST_ALARMS: usize = 20;
/// Maximum number of processes with the most I/O that are shown.
const MOST_TOP: usize = 10;
/// Maximum number of notes shown.
const MOST_NOTES: usize = 12;

/// Returns the document of a watch.
pub(super) fn document(run: &ReportedRun<'_>, watch: &WatchJudgement, view: View) -> Document {
    let record = run.record;
    let mut d = common::begin(run);
    d.kind = "watch";
    d.is_whole = true;
    d.tiles = tiles(watch);
    d.figures = watch.devices.iter().flat_map(|device| rows(device, watch.covered.secs().max(1e-9))).collect();
    charts::add(&mut d, run, view);
    if !record.alarms().is_empty() {
        d.part("alarms", "view-alarms", [Block::Table(alarms(record))]);
    }
    if !watch.devices.is_empty() {
        let looks = message!("view-looks", looks = count(watch.looks), time = duration(watch.covered));
        let blocks = [Block::Table(devices(watch)), Block::remark(sentence!("view-devices-legend"))];
        d.part("devices", "view-devices", blocks).aside(looks);
    }
    if !watch.caps.is_empty() {
        d.part("caps", "view-limits", caps(&watch.caps)).aside("view-full-from");
    }
    if let (Some(command), Some(plan)) = (record.command(), record.plan.watch()) {
        let process = message!("view-process", pid = command.pid.to_string());
        let fields = Block::Fields(Margin::Page, self::command(command, plan));
        d.part("command", "view-command", [fields]).aside(process).views(View::DETAIL);
    }
    if !watch.processes.is_empty() {
        let blocks = [Block::Table(processes(watch)), Block::remark(sentence!("view-processes-legend"))];
        d.part("processes", "view-processes", blocks).views(View::DETAIL);
    }
    if !watch.top.is_empty() {
        let waits = watch.top.iter().any(|process| process.wait.is_some());
        let unknown = (!waits).then(|| Block::remark(sentence!("view-top-no-waits")));
        let blocks = [Block::Table(top(&watch.top)), Block::remark(sentence!("view-top-legend"))];
        let blocks = blocks.into_iter().chain(unknown);
        d.part("top", "view-top", blocks);
    }
    if !watch.groups.is_empty() {
        let planned = Block::Fields(Margin::Fitted, planned(record));
        let blocks = [Block::Table(groups(&watch.groups)), planned];
        d.part("groups", "view-groups", blocks).aside("view-charged").views(View::DETAIL);
    }
    if !watch.host.is_empty() {
        d.part("machine", "view-machine", machines(&watch.host)).aside("view-machine-aside").views(View::DETAIL);
    }
    traced::add(&mut d, record, &run.judgement.layers, view);
    if !record.notes.is_empty() {
        d.part("notes", "view-on-the-way", notes(record)).views(View::DETAIL);
    }
    common::end(&mut d, run);
    d
}

/// Returns the use of the fullest cap, the rates of the busiest devices, each as the maximum of one interval and the
/// mean, and the longest mean time of one interval.
fn tiles(watch: &WatchJudgement) -> Vec<Tile> {
    let pair = |label: &str, [mean, most]: [Value; 2], unit: Word| {
        let tile = |value, qualifier| Tile { qualifier, ..Tile::new(label, value, unit.clone()) };
        [tile(most, Qualifier::Maximum), tile(mean, Qualifier::Mean)]
    };
    let used = |c: &CapUse, rate: f64| rate / c.cap.max(f64::MIN_POSITIVE);
    let fullest = watch.caps.iter().max_by(|a, b| used(a, a.most.0).total_cmp(&used(b, b.most.0)));
    let shares = |c: &CapUse| [c.mean, c.most.0].map(|rate| Value::Share(used(c, rate)));
    let mut tiles: Vec<Tile> =
        fullest.into_iter().flat_map(|c| pair(&c.name, shares(c), "page-of-limit".into())).collect();
    if let Some(busiest) = watch.devices.first() {
        tiles.extend(pair(&busiest.shown, [busiest.iops.0, busiest.iops.1].map(Value::from), Word::Term("IOPS")));
        let slowest = busiest.slowest.iter().flatten().map(|s| s.0).max();
        tiles.extend(slowest.map(|time| Tile::new(&busiest.shown, time, "page-slowest")));
    }
    let widest = watch.devices.iter().max_by(|a, b| a.bandwidth.1.per_second().total_cmp(&b.bandwidth.1.per_second()));
    let bandwidth = |d: &DiskFigures| [d.bandwidth.0, d.bandwidth.1].map(Value::from);
    tiles.extend(widest.into_iter().flat_map(|d| pair(&d.shown, bandwidth(d), "page-bandwidth".into())));
    tiles
}

/// Returns the rows of CSV for a device: reads and writes, with the mean number of requests in flight of both.
fn rows(device: &DiskFigures, seconds: f64) -> impl Iterator<Item = FigureRow> {
    let row = move |i: usize, role: &str| FigureRow {
        workload: device.shown.clone(),
        role: role.to_owned(),
        in_flight: device.queue.round() as u64,
        operations: device.ops[i] as u64,
        rate: Some(device.ops[i] / seconds),
        bytes: Some(device.bytes[i] / seconds),
        times: [device.latency[i], None, None, None, None],
        ..FigureRow::default()
    };
    [(0, "read"), (1, "write")].into_iter().filter(|(i, _)| device.ops[*i] > 0.0).map(move |(i, role)| row(i, role))
}

fn alarms(record: &RunRecord) -> Table {
    let table = Table::builder("alarms", record.alarms().iter().take(MOST_ALARMS))
        .column(Column::text("alert", "view-head-alert"), |a| Cell::from(Value::name(&a.alert)).tone(Tone::Fail))
        .column(Column::text("on", "view-head-of"), |a| Cell::name(&a.of))
        .column(Column::figure("worst", "view-head-worst"), |a| {
            Cell::from(Value::Name(a.figure.format(a.worst))).tone(Tone::Measured)
        })
        .column(Column::figure("start_ns", "view-head-since"), |a| Value::Length(a.since))
        .column(Column::figure("length_ns", "page-lasted"), |a| match a.until {
            Some(end) => Value::Length(end.since(a.since)),
            None => Value::word("view-to-the-end"),
        });
    Table { more: record.alarms().len().saturating_sub(MOST_ALARMS), ..table.build() }
}

/// A row of a device: without I/O, reads or writes, or the maximum of their sum in one interval.
#[derive(Clone, Copy)]
enum DeviceRow {
    Idle,
    Operation(usize),
    Most,
}

fn devices(watch: &WatchJudgement) -> Table {
    use DeviceRow::{Idle, Most, Operation};
    let seconds = watch.covered.secs().max(1e-9);
    let rows = watch.devices.iter().flat_map(|d| {
        let operations = [0, 1].into_iter().filter(|i| d.ops[*i] > 0.0).map(Operation);
        operations.chain([if d.all_ops() == 0.0 { Idle } else { Most }]).map(move |row| (d, row))
    });
    let operation = |row| match row {
        Idle => Cell::from(Value::word("view-idle")).tone(Tone::Dim),
        Operation(i) => Value::word(["op-read", "op-write"][i]).into(),
        Most => Value::word("dbview-most").into(),
    };
    let rate = |row, each: &dyn Fn(usize) -> Value, most: Value| match row {
        Idle => Cell::default(),
        Operation(i) => each(i).into(),
        Most => Cell::from(most).tone(Tone::Measured),
    };
    let each = |row, value: &dyn Fn(usize) -> Value| match row {
        Operation(i) => value(i),
        Idle | Most => Value::Blank,
    };
    let most = |row, value: Value| if matches!(row, Most) { value } else { Value::Blank };
    let share = |d: &DiskFigures, i: usize| d.merges[i] / (d.ops[i] + d.merges[i]).max(1.0);
    Table::builder("devices", rows)
        .column(Column::text("device", "head-device").only(Only::Files), |(d, _)| Cell::name(&d.shown))
        .column(
            Column::text("", "head-device").most(28).least(20).repeat(Repeat::Blank).only(Only::Screen),
            |(d, row)| if matches!(row, Most) { others(d) } else { Cell::name(&d.shown) },
        )
        .column(Column::text("operation", ""), |(_, row)| operation(row))
        .column(Column::figure("requests", "page-requests"), |(d, row)| each(row, &|i| Value::Count(d.ops[i] as u64)))
        .column(Column::term("iops", "IOPS"), |(d, row)| {
            rate(row, &|i| Iops(d.ops[i] / seconds).into(), d.iops.1.into())
        })
        .column(Column::term("bytes_per_s", "MB/s"), |(d, row)| {
            rate(row, &|i| BytesPerSecond(d.bytes[i] / seconds).into(), d.bandwidth.1.into())
        })
        .column(Column::figure("mean_bytes", "traced-head-size").rank(3), |(d, row)| {
            each(row, &|i| Value::or_blank(d.size[i].map(Value::MeanSize)))
        })
        .column(Column::figure("mean_ns", "traced-head-time"), |(d, row)| each(row, &|i| Value::or_blank(d.latency[i])))
        .column(Column::figure("slowest_ns", "view-head-slowest").rank(2), |(d, row)| {
            each(row, &|i| Value::or_blank(d.slowest[i].map(|s| s.0)))
        })
        .column(Column::figure("merged", "view-head-merged").rank(5), |(d, row)| {
            each(row, &|i| Value::Share(share(d, i)))
        })
        .column(Column::figure("queue", "view-head-queue").rank(1), |(d, row)| most(row, Value::Number(d.queue)))
        .column(Column::figure("busy", "view-head-busy").rank(4), |(d, row)| most(row, Value::Share(d.busy)))
        .column(Column::text("others", "").only(Only::Files), |(d, row)| {
            if matches!(row, Most) { others(d) } else { Cell::default() }
        })
        .build()
}

/// Returns the number of flushes and discards of a device.
fn others(d: &DiskFigures) -> Cell {
    let whole = |n: f64| count(n.round() as u64);
    let flushes = (d.flushes >= 0.5).then(|| sentence!("view-flushes", n = whole(d.flushes)));
    let discards = (d.discards >= 0.5).then(|| sentence!("view-discards", n = whole(d.discards)));
    Cell::from(listed(flushes.into_iter().chain(discards))).tone(Tone::Dim)
}

/// Returns the use of each cap, and the shares of the devices.
fn caps(caps: &[CapUse]) -> Vec<Block> {
    let marked = |cap: &CapUse, value: Value| match cap.full.is_zero() {
        true => Cell::from(value),
        false => Cell::from(value).tone(Tone::Limit).strong(),
    };
    let table = Table::builder("caps", caps)
        .column(Column::text("limit", "head-limit").most(24), |c| Cell::name(&c.name))
        .column(Column::figure("cap", "view-head-cap"), |c| Value::Limit(c.axis, c.cap))
        .column(Column::figure("mean_share", "page-mean").rank(2), |c| Value::Share(c.mean / c.cap))
        .column(Column::figure("max", "dbview-most"), |c| Value::Limit(c.axis, c.most.0))
        .column(Column::figure("max_share", ""), |c| marked(c, Value::Share(c.most.0 / c.cap)))
        .column(Column::figure("at_limit_ns", "view-head-full"), |c| marked(c, length(c.full)))
        .column(Column::figure("longest_ns", "view-head-longest").rank(1), |c| {
            Cell::or_blank((!c.full.is_zero()).then_some(Value::Length(c.longest)))
        })
        .column(Column::text("devices", "label-devices").only(Only::Files), |c| Value::Name(c.over.join(", ")))
        .build();
    let shared = caps.iter().filter(|c| c.over.len() > 1 || !c.left_out.is_empty());
    let shares: Vec<Field> = shared.map(|c| Field::remark(shares(c))).collect();
    let shares = (!shares.is_empty()).then_some(Block::Fields(Margin::Fitted, shares));
    [Block::Table(table)].into_iter().chain(shares).collect()
}

/// Returns a length, or that the state never occurred.
fn length(time: Nanos) -> Value {
    if time.is_zero() { Value::word("view-never") } else { Value::Length(time) }
}

/// Returns each device's share of a cap's use, and for comparison the sum of the devices' maxima.
fn shares(cap: &CapUse) -> Sentence {
    let shares = listed(cap.over.iter().zip(&cap.shares).map(|(name, share)| format!("{name} {}", percent(*share))));
    let name = format!("{} {}", cap.name, limit(cap.axis, cap.cap));
    let mut parts = vec![match !cap.full.is_zero() {
        true => sentence!("view-shares-full", cap = name, shares),
        false => sentence!("view-shares-all", cap = name, shares),
    }];
    if cap.over.len() > 1 && cap.sum_of_maxima > cap.most.0 * 1.02 {
        parts.push(sentence!("view-sum-of-maxima", sum = limit(cap.axis, cap.sum_of_maxima)));
    }
    if !cap.left_out.is_empty() {
        parts.push(sentence!("view-left-out", names = listed(&cap.left_out)));
    }
    clauses(parts)
}

fn command(command: &CommandUse, plan: &WatchPlan) -> Vec<Field> {
    let tone = match command.exit {
        Some(CommandExit::Code(0)) => Tone::Pass,
        Some(_) if command.told_to_end.is_none() => Tone::Fail,
        Some(_) => Tone::Pass,
        None => Tone::Doubt,
    };
    let typed = Field::new("label-command", plan.command.join(" ")).strong();
    let mut fields = vec![typed, Field::new("", messages::sentence(command.ending())).tone(tone)];
    fields.extend(command.exit.is_some().then(|| Field::new("label-used", used(command))));
    fields
}

/// Returns the kernel's exact figures for the command after its end, including its children.
fn used(c: &CommandUse) -> Sentence {
    let mut words = Vec::new();
    if let Some((read, write)) = c.read.zip(c.write) {
        let (inblock, oublock) = (c.blocks.0.saturating_mul(512), c.blocks.1.saturating_mul(512));
        words.push(sentence!("view-used-bytes", read = Bytes(read), written = Bytes(write)));
        if (read, write) != (inblock, oublock) {
            words.push(sentence!("view-used-wait", read = Bytes(inblock), written = Bytes(oublock)));
        }
    }
    words.push(sentence!("view-used-cpu", user = c.user, system = c.system));
    words.push(sentence!("view-used-switches", n = count(c.switches)));
    words.push(sentence!("view-used-memory", memory = c.max_resident));
    sentence!("view-used-with-children", told = listed(words))
}

fn processes(watch: &WatchJudgement) -> Table {
    let bytes = |bytes: Option<f64>| bytes.map_or_else(|| Value::word("view-hidden"), whole_bytes);
    Table::builder("processes", &watch.processes)
        .column(Column::text("process", "view-head-process").most(32), |p| Cell::name(&p.name))
        .column(Column::figure("read_bytes", "view-head-read"), |p| bytes(p.bytes.map(|b| b[0])))
        .column(Column::figure("written_bytes", "view-head-written"), |p| bytes(p.bytes.map(|b| b[1])))
        .column(Column::figure("user", "view-head-user"), |p| Value::Share(p.cpu[0]))
        .column(Column::figure("system", "view-head-system"), |p| Value::Share(p.cpu[1]))
        .column(Column::figure("switches_per_s", "view-head-switches").rank(1), |p| Value::Number(p.switches))
        .build()
}

/// Returns the processes with the most I/O. The sum of the others comes last.
fn top(figures: &[TopFigures]) -> Table {
    let rows = figures.iter().map(|figures| (figures, TopName::parse(&figures.name)));
    let (mut named, others): (Vec<_>, Vec<_>) = rows.partition(|(_, name)| name.is_some());
    let more = named.len().saturating_sub(MOST_TOP);
    named.truncate(MOST_TOP);
    let count = |n: f64| Value::Count(n.round() as u64);
    let process = |name: &TopName| {
        let host = name.host.as_ref().map(|host| format!("{host}/")).unwrap_or_default();
        format!("{host}{}", name.program)
    };
    let table = Table::builder("top", named.iter().chain(&others))
        .column(Column::text("program", "view-head-program").most(24), |(_, name)| match name {
            Some(name) => Cell::name(process(name)),
            None => Cell::from(Value::word("view-top-others")).tone(Tone::Dim),
        })
        .column(Column::term("pid", "PID"), |(_, name)| {
            Value::or_blank(name.as_ref().and_then(|name| name.pid).map(|pid| Value::Name(pid.to_string())))
        })
        .column(Column::text("group", "view-head-group").most(28).rank(3), |(_, name)| {
            Cell::or_blank(name.as_ref().and_then(TopName::group).map(Value::name))
        })
        .column(Column::figure("read_bytes", "view-head-read"), |(p, _)| whole_bytes(p.bytes[0]))
        .column(Column::figure("written_bytes", "view-head-written"), |(p, _)| whole_bytes(p.bytes[1]))
        .column(Column::figure("max_bytes_per_s", "view-head-most-bytes").rank(1), |(p, _)| Value::from(p.most))
        .column(Column::figure("read_calls", "view-head-read-calls").rank(4), |(p, _)| count(p.calls[0]))
        .column(Column::figure("write_calls", "view-head-write-calls").rank(4), |(p, _)| count(p.calls[1]))
        .column(Column::figure("wait_ns", "view-head-wait").rank(2), |(p, _)| Value::or_blank(p.wait.map(length)))
        .build();
    Table { more, ..table }
}

fn whole_bytes(bytes: f64) -> Value {
    Value::Bytes(Bytes(bytes.round() as u64))
}

/// Returns the control groups of the processes, each with its charged I/O by device.
fn groups(groups: &[GroupFigures]) -> Table {
    // A row for each device with I/O, or one without; the first also has the figures of the whole group.
    let rows = groups.iter().flat_map(|group| {
        let charged = group.io.iter().filter(|io| io.ops != [0.0, 0.0]).map(Some);
        let none = group.io.iter().all(|io| io.ops == [0.0, 0.0]).then_some(None);
        charged.chain(none).enumerate().map(move |(i, io)| ((i == 0).then_some(group), group, io))
    });
    let count = |n: f64| Value::Count(n.round() as u64);
    let device = |io: Option<&GroupIoFigures>| match io {
        Some(io) => Value::name(&io.device).into(),
        None => Cell::from(Value::word("view-no-io")).tone(Tone::Dim),
    };
    Table::builder("groups", rows)
        .column(Column::text("group", "view-head-group").most(28).repeat(Repeat::Blank), |(_, g, _)| {
            Cell::name(&g.name)
        })
        .column(Column::text("device", "head-device"), |(.., io)| device(io))
        .column(Column::figure("reads", "op-reads"), |(.., io)| io.map(|io| count(io.ops[0])))
        .column(Column::figure("read_bytes", "view-head-read"), |(.., io)| io.map(|io| whole_bytes(io.bytes[0])))
        .column(Column::figure("writes", "op-writes"), |(.., io)| io.map(|io| count(io.ops[1])))
        .column(Column::figure("written_bytes", "view-head-written"), |(.., io)| io.map(|io| whole_bytes(io.bytes[1])))
        .column(Column::figure("max_iops", "view-head-most-iops").rank(2), |(.., io)| io.map(|io| io.most))
        .column(Column::figure("cpus", "label-cpu"), |(whole, ..)| {
            Cell::or_blank(whole.map(|g| Value::from(g.cpus.map(Value::Share))))
        })
        .column(Column::figure("stopped_ns", "view-head-stopped").rank(1), |(whole, ..)| {
            Cell::or_blank(whole.map(|g| Value::from(g.stopped.map(length))))
        })
        .column(Column::figure("memory_bytes", "view-head-memory").rank(3), |(whole, ..)| {
            Cell::or_blank(whole.map(|g| Value::from(g.memory.map(|(_, most)| most))))
        })
        .build()
}

/// Returns the processes and limits of each control group.
fn planned(record: &RunRecord) -> Vec<Field> {
    let planned = record.plan.watch().into_iter().flat_map(|w| &w.groups);
    let text = |group: &model::plan::WatchedGroup| {
        let (name, processes, allowed) = (&group.name, listed(&group.processes), group.allowed());
        match allowed.is_empty() {
            true => sentence!("view-group-free", name, processes),
            false => sentence!("view-group-allowed", name, processes, allowed),
        }
    };
    planned.map(|group| Field::remark(text(group))).collect()
}

/// Returns the figures of the machine, or of each host under its name.
fn machines(figures: &[HostFigure]) -> Vec<Block> {
    let mut hosts: Vec<&str> = figures.iter().filter_map(|h| Some(h.name.split_once('/')?.0)).collect();
    hosts.dedup();
    if hosts.is_empty() {
        return vec![machine(figures, "")];
    }
    let blocks = |host: &&str| [Block::Subheading((*host).into()), machine(figures, &format!("{host}/"))];
    hosts.iter().flat_map(blocks).collect()
}

/// Returns the figures whose names begin with `host`.
fn machine(figures: &[HostFigure], host: &str) -> Block {
    let shown = |name: &str, format: &dyn Fn(f64) -> String| -> Option<Message> {
        let figure = figures.iter().find(|h| h.name.strip_prefix(host) == Some(name))?;
        Some(message!("view-and-most", mean = format(figure.mean), most = format(figure.most)))
    };
    let share = |name: &str| shown(name, &|v| percent(v / 100.0));
    let bytes = |name: &str| shown(name, &|v| Bytes(v as u64).to_string());
    let cpu = [
        share("cpu.user").map(|told| sentence!("view-cpu-user", told)),
        share("cpu.system").map(|told| sentence!("view-cpu-system", told)),
        share("cpu.iowait").map(|told| sentence!("view-cpu-wait", told)),
        share("cpu.steal").map(|told| sentence!("view-cpu-stolen", told)),
    ];
    let memory = [
        bytes("memory.dirty").map(|told| sentence!("view-dirty", told)),
        bytes("memory.writeback").map(|told| sentence!("view-writeback", told)),
        bytes("memory.available").map(|told| sentence!("view-available", told)),
    ];
    let stalls = [
        share("pressure.io.some").map(|told| sentence!("view-some-io", told)),
        share("pressure.io.full").map(|told| sentence!("view-all-io", told)),
        share("pressure.memory.some").map(|told| sentence!("view-some-memory", told)),
        share("pressure.cpu.some").map(|told| sentence!("view-some-cpu", told)),
    ];
    let fields = [
        Field::new("label-cpu", listed(cpu.into_iter().flatten())),
        Field::new("label-memory", listed(memory.into_iter().flatten())),
        Field::new("label-waiting", listed(stalls.into_iter().flatten())),
    ];
    Block::Fields(Margin::Page, fields.into_iter().filter(|field| !field.text.text.is_empty()).collect())
}

/// Returns the notes recorded during the watch.
fn notes(record: &RunRecord) -> Vec<Block> {
    let table = Table::builder("notes", record.notes.iter().take(MOST_NOTES))
        .column(Column::figure("at_ns", "head-time").bare(), |(at, _)| Cell::from(Value::Clock(*at)).tone(Tone::Dim))
        .column(Column::text("note", "").wraps(), |(_, text)| text.clone());
    let table = Table { indent: 5, ..table.build() };
    let mut blocks = vec![Block::Table(table)];
    let more = record.notes.len().saturating_sub(MOST_NOTES);
    blocks.extend((more > 0).then(|| Block::remark(sentence!("view-more-notes", n = more))));
    blocks
}

#[cfg(test)]
mod tests {
    use crate::document::{Qualifier, View};
    use crate::formats::watch::testkit::{crowded, watched};
    use crate::widgets::text::width;
    use crate::{ReportedRun, Style, fixture::text, write_terminal};
    use model::record::Labels;

    #[test]
    fn the_mean_is_next_to_each_maximum_of_one_interval() {
        let (record, judgement) = watched();
        let run =
            ReportedRun { label: "", record: &record, judgement: &judgement, labels: &Labels::default(), earlier: &[] };
        let d = crate::kinds::document(&run, View::Page);
        let most = d.tiles.iter().filter(|tile| tile.qualifier == Qualifier::Maximum);
        assert_eq!(most.count(), 3);
        for pair in d.tiles.windows(2).filter(|pair| pair[0].qualifier == Qualifier::Maximum) {
            let [most, mean] = pair else { panic!("two tiles") };
            assert!(mean.qualifier == Qualifier::Mean && mean.label == most.label && mean.unit == most.unit);
        }
    }

    #[test]
    fn the_summary_says_the_limit_first_and_then_the_figures() {
        let (record, judgement) = watched();
        let style = Style { width: 110, ..Style::default() };
        insta::assert_snapshot!(text(|out| write_terminal(&record, &judgement, &style, out)));
    }

    #[test]
    fn the_summary_fits_any_screen_and_any_alphabet() {
        for (record, judgement) in [watched(), crowded()] {
            for columns in 40..130 {
                for unicode in [false, true] {
                    let style = Style { unicode, width: columns, ..Style::default() };
                    let text = text(|out| write_terminal(&record, &judgement, &style, out));
                    assert!(text.lines().all(|l| width(l) <= columns), "{columns}");
                    assert!(unicode || text.is_ascii());
                }
            }
        }
    }
}
