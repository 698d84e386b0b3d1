//! The summary of a watch: one sentence, then devices, limits, the command, processes and the machine.

use crate::Style;
use crate::formats::{head, measured_on};
use crate::widgets::figures::{count, duration, latency, megabytes, percent};
use crate::widgets::ink::{clauses, listed};
use crate::widgets::page::Page;
use crate::widgets::table::{Column, Table};
use crate::widgets::text::{Hue, Line, Paint};
use messages::{Message, Sentence, message, sentence};
use model::{
    Bytes, BytesPerSecond, CapUse, CommandExit, CommandUse, DiskFigures, GroupIoFigures, HostFigure, Iops, Judgement,
    LimitAxis, Nanos, RunRecord, WatchJudgement,
};
use std::io::{self, Write};

/// Writes the summary.
///
/// # Errors
/// Returns an error if writing to `out` fails.
pub fn write(record: &RunRecord, judgement: &Judgement, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let mut page = Page::new(style, out);
    head(&mut page, record, judgement)?;
    if let Some(watch) = judgement.watch() {
        alarms(&mut page, record)?;
        devices(&mut page, watch)?;
        caps(&mut page, watch)?;
        command(&mut page, record)?;
        processes(&mut page, watch)?;
        groups(&mut page, record, watch)?;
        host(&mut page, watch)?;
        crate::formats::traced::write(&mut page, record, &judgement.layers)?;
        notes(&mut page, record)?;
    }
    measured_on(&mut page, record, judgement)
}

/// Maximum number of alarms shown; a flapping alert may raise hundreds.
const MOST_ALARMS: usize = 20;

fn alarms(page: &mut Page, record: &RunRecord) -> io::Result<()> {
    if record.alarms().is_empty() {
        return Ok(());
    }
    page.blank()?;
    let ink = page.ink;
    page.heading(ink.word("view-alarms"), "")?;
    let mut table = Table::new(
        vec![
            Column::left(ink.word("view-head-alert")),
            Column::left(ink.word("view-head-of")),
            Column::right(ink.word("view-head-worst")),
            Column::right(ink.word("view-head-since")),
            Column::right(ink.word("page-lasted")),
        ],
        1,
    );
    for alarm in record.alarms().iter().take(MOST_ALARMS) {
        let open = || ink.word("view-to-the-end").to_owned();
        let lasted = alarm.until.map_or_else(open, |end| duration(end.since(alarm.since)));
        table.row(vec![
            Line::new().with(page.ink.text(&alarm.alert), Paint::new(Hue::Fail)),
            Line::new().with(page.ink.text(&alarm.of), Paint::BOLD),
            Line::new().with(alarm.figure.format(alarm.worst), Paint::new(Hue::Measured)),
            Line::plain(duration(alarm.since)),
            Line::plain(lasted),
        ]);
    }
    page.lines(table.lay(page.ink).lines)?;
    match record.alarms().len().saturating_sub(MOST_ALARMS) {
        0 => Ok(()),
        n => page.line(Line::new().with(format!(" {}", ink.format(&message!("list-and-more", n))), Paint::DIM)),
    }
}

fn devices(page: &mut Page, watch: &WatchJudgement) -> io::Result<()> {
    if watch.devices.is_empty() {
        return Ok(());
    }
    page.blank()?;
    let ink = page.ink;
    let looks = ink.format(&message!("view-looks", looks = count(watch.looks), time = duration(watch.covered)));
    page.heading(ink.word("view-devices"), &looks)?;
    let mut table = Table::new(
        vec![
            Column::left(ink.word("head-device")),
            Column::left(""),
            Column::right(ink.word("page-requests")),
            Column::right("IOPS"),
            Column::right("MB/s"),
            Column::right(ink.word("traced-head-size")).droppable(3),
            Column::right(ink.word("traced-head-time")),
            Column::right(ink.word("view-head-slowest")).droppable(2),
            Column::right(ink.word("view-head-merged")).droppable(5),
            Column::right(ink.word("view-head-queue")).droppable(1),
            Column::right(ink.word("view-head-busy")).droppable(4),
        ],
        1,
    );
    for device in &watch.devices {
        rows(page, &mut table, device, watch.covered);
    }
    let laid = table.lay(page.ink);
    page.lines(laid.lines)?;
    if !laid.dropped.is_empty() {
        let text = ink.format(&message!("no-room", heads = laid.dropped.join(", ")));
        page.line(Line::new().with(format!(" {text}"), Paint::DIM))?;
    }
    page.hanging(Line::plain(" "), 1, ink.word("view-devices-legend"), Paint::DIM)
}

/// Adds the rows of a device: reads, writes, and the maximum of their sum in one interval.
fn rows(page: &Page, table: &mut Table, d: &DiskFigures, covered: Nanos) {
    let ink = page.ink;
    let name = page.ink.clipped(&d.shown, (page.ink.width / 4).max(12));
    if d.all_ops() == 0.0 {
        let mut cells = vec![Line::new(); 11];
        cells[0] = Line::new().with(name, Paint::BOLD);
        cells[1] = Line::new().with(ink.word("view-idle"), Paint::DIM);
        return table.row(cells);
    }
    let seconds = covered.secs().max(1e-9);
    let mut first = true;
    for (i, what) in ["op-read", "op-write"].into_iter().enumerate().filter(|(i, _)| d.ops[*i] > 0.0) {
        let (ops, bytes) = (d.ops[i], d.bytes[i]);
        table.row(vec![
            Line::new().with(if std::mem::take(&mut first) { name.as_str() } else { "" }, Paint::BOLD),
            Line::plain(ink.word(what)),
            Line::plain(count(ops as u64)),
            Line::plain(Iops(ops / seconds).to_string()),
            Line::plain(megabytes(BytesPerSecond(bytes / seconds))),
            Line::plain(d.size[i].map_or_else(String::new, size)),
            d.latency[i].map_or_else(Line::new, |l| latency(l, Paint::PLAIN)),
            d.slowest[i].map_or_else(Line::new, |(l, _)| latency(l, Paint::PLAIN)),
            Line::plain(percent(d.merges[i] / (d.ops[i] + d.merges[i]).max(1.0))),
            Line::new(),
            Line::new(),
        ]);
    }
    let mut extra = Vec::new();
    let whole = |n: f64| count(n.round() as u64);
    extra.extend((d.flushes >= 0.5).then(|| ink.format(&message!("view-flushes", n = whole(d.flushes)))));
    extra.extend((d.discards >= 0.5).then(|| ink.format(&message!("view-discards", n = whole(d.discards)))));
    let blank = || Line::new();
    table.row(vec![
        Line::new().with(ink.list(extra), Paint::DIM),
        Line::plain(ink.word("dbview-most")),
        blank(),
        Line::new().with(d.iops.1.to_string(), Paint::new(Hue::Measured)),
        Line::new().with(megabytes(d.bandwidth.1), Paint::new(Hue::Measured)),
        blank(),
        blank(),
        blank(),
        blank(),
        Line::plain(model::thousands(d.queue)),
        Line::plain(percent(d.busy)),
    ]);
}

/// Formats a mean size such as `11.3 KiB`; means are rarely round.
fn size(bytes: Bytes) -> String {
    match bytes.as_u64() {
        0..1024 => format!("{} B", bytes.as_u64()),
        1024..1_048_576 => format!("{:.1} KiB", bytes.as_u64() as f64 / 1024.0),
        _ => format!("{:.2} MiB", bytes.as_u64() as f64 / 1_048_576.0),
    }
}

fn caps(page: &mut Page, watch: &WatchJudgement) -> io::Result<()> {
    if watch.caps.is_empty() {
        return Ok(());
    }
    page.blank()?;
    let ink = page.ink;
    page.heading(ink.word("view-limits"), ink.word("view-full-from"))?;
    let mut table = Table::new(
        vec![
            Column::left(ink.word("head-limit")),
            Column::right(ink.word("view-head-cap")),
            Column::right(ink.word("page-mean")).droppable(2),
            Column::right(ink.word("dbview-most")),
            Column::right(""),
            Column::right(ink.word("view-head-full")),
            Column::right(ink.word("view-head-longest")).droppable(1),
        ],
        1,
    );
    for cap in &watch.caps {
        let paint = if !cap.full.is_zero() { Paint::new(Hue::Limit).bold() } else { Paint::PLAIN };
        table.row(vec![
            Line::new().with(page.ink.clipped(&cap.name, 24), Paint::BOLD),
            Line::plain(figure(cap.axis, cap.cap)),
            Line::plain(percent(cap.mean / cap.cap)),
            Line::plain(figure(cap.axis, cap.most.0)),
            Line::new().with(percent(cap.most.0 / cap.cap), paint),
            Line::new()
                .with(if !cap.full.is_zero() { duration(cap.full) } else { ink.word("view-never").into() }, paint),
            Line::plain(if !cap.full.is_zero() { duration(cap.longest) } else { String::new() }),
        ]);
    }
    let laid = table.lay(page.ink);
    page.lines(laid.lines)?;
    for cap in watch.caps.iter().filter(|c| c.over.len() > 1 || !c.left_out.is_empty()) {
        page.hanging(Line::plain(" "), 3, &ink.translate(shares(cap)), Paint::DIM)?;
    }
    Ok(())
}

fn figure(axis: LimitAxis, value: f64) -> String {
    match axis {
        LimitAxis::Iops => format!("{} IOPS", Iops(value)),
        LimitAxis::Bandwidth => BytesPerSecond(value).to_string(),
    }
}

/// Returns each device's share of a cap's use, and for comparison the sum of the devices' maxima.
fn shares(cap: &CapUse) -> Sentence {
    let shares = listed(cap.over.iter().zip(&cap.shares).map(|(name, share)| format!("{name} {}", percent(*share))));
    let name = format!("{} {}", cap.name, figure(cap.axis, cap.cap));
    let mut parts = vec![match !cap.full.is_zero() {
        true => sentence!("view-shares-full", cap = name, shares),
        false => sentence!("view-shares-all", cap = name, shares),
    }];
    if cap.over.len() > 1 && cap.sum_of_maxima > cap.most.0 * 1.02 {
        parts.push(sentence!("view-sum-of-maxima", sum = figure(cap.axis, cap.sum_of_maxima)));
    }
    if !cap.left_out.is_empty() {
        parts.push(sentence!("view-left-out", names = listed(&cap.left_out)));
    }
    clauses(parts)
}

fn command(page: &mut Page, record: &RunRecord) -> io::Result<()> {
    let (Some(command), Some(plan)) = (record.command(), record.plan.watch()) else { return Ok(()) };
    page.blank()?;
    let ink = page.ink;
    page.heading(ink.word("view-command"), &ink.format(&message!("view-process", pid = command.pid.to_string())))?;
    page.labelled(ink.word("label-command"), Paint::DIM, &plan.command.join(" "), Paint::BOLD)?;
    let paint = match command.exit {
        Some(CommandExit::Code(0)) => Hue::Pass,
        Some(_) if command.told_to_end.is_none() => Hue::Fail,
        Some(_) => Hue::Pass,
        None => Hue::Doubt,
    };
    page.labelled("", Paint::DIM, &ink.translate(messages::sentence(command.ending())), Paint::new(paint))?;
    if command.exit.is_some() {
        page.labelled(ink.word("label-used"), Paint::DIM, &ink.format(&used(command)), Paint::PLAIN)?;
    }
    Ok(())
}

/// Returns the kernel's exact figures for the command after its end, including its children.
fn used(c: &CommandUse) -> Message {
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
    message!("view-used-with-children", told = listed(words))
}

fn processes(page: &mut Page, watch: &WatchJudgement) -> io::Result<()> {
    if watch.processes.is_empty() {
        return Ok(());
    }
    page.blank()?;
    let ink = page.ink;
    page.heading(ink.word("view-processes"), "")?;
    let mut table = Table::new(
        vec![
            Column::left(ink.word("view-head-process")),
            Column::right(ink.word("view-head-read")),
            Column::right(ink.word("view-head-written")),
            Column::right(ink.word("view-head-user")),
            Column::right(ink.word("view-head-system")),
            Column::right(ink.word("view-head-switches")).droppable(1),
        ],
        1,
    );
    for p in &watch.processes {
        let hidden = || ink.word("view-hidden").to_owned();
        let bytes = |i: usize| p.bytes.map_or_else(hidden, |b| Bytes(b[i].round() as u64).to_string());
        table.row(vec![
            Line::new().with(page.ink.clipped(&p.name, 32), Paint::BOLD),
            Line::plain(bytes(0)),
            Line::plain(bytes(1)),
            Line::plain(percent(p.cpu[0])),
            Line::plain(percent(p.cpu[1])),
            Line::plain(model::thousands(p.switches)),
        ]);
    }
    let laid = table.lay(page.ink);
    page.lines(laid.lines)?;
    page.hanging(Line::plain(" "), 1, ink.word("view-processes-legend"), Paint::DIM)
}

/// Writes the control groups of the processes, each with its charged I/O and its limits.
fn groups(page: &mut Page, record: &RunRecord, watch: &WatchJudgement) -> io::Result<()> {
    if watch.groups.is_empty() {
        return Ok(());
    }
    page.blank()?;
    let ink = page.ink;
    page.heading(ink.word("view-groups"), ink.word("view-charged"))?;
    let mut table = Table::new(
        vec![
            Column::left(ink.word("view-head-group")),
            Column::left(ink.word("head-device")),
            Column::right(ink.word("op-reads")),
            Column::right(ink.word("view-head-read")),
            Column::right(ink.word("op-writes")),
            Column::right(ink.word("view-head-written")),
            Column::right(ink.word("view-head-most-iops")).droppable(2),
            Column::right(ink.word("label-cpu")),
            Column::right(ink.word("view-head-stopped")).droppable(1),
            Column::right(ink.word("view-head-memory")).droppable(3),
        ],
        1,
    );
    for group in &watch.groups {
        let dash = || Line::new().with("-", Paint::DIM);
        let whole = [
            group.cpus.map_or_else(dash, |cpus| Line::plain(percent(cpus))),
            group.stopped.map_or_else(dash, |time| {
                Line::plain(if !time.is_zero() { duration(time) } else { ink.word("view-never").into() })
            }),
            group.memory.map_or_else(dash, |(_, most)| Line::plain(most.to_string())),
        ];
        let name = Line::new().with(page.ink.clipped(&group.name, 28), Paint::BOLD);
        let mut rows: Vec<Vec<Line>> = group.io.iter().filter(|io| io.ops != [0.0, 0.0]).map(charged).collect();
        if rows.is_empty() {
            rows.push(vec![
                Line::new().with(ink.word("view-no-io"), Paint::DIM),
                dash(),
                dash(),
                dash(),
                dash(),
                dash(),
            ]);
        }
        for (i, row) in rows.into_iter().enumerate() {
            let (lead, tail) =
                if i == 0 { (name.clone(), whole.to_vec()) } else { (Line::new(), vec![Line::new(); 3]) };
            table.row(std::iter::once(lead).chain(row).chain(tail).collect());
        }
    }
    let laid = table.lay(page.ink);
    page.lines(laid.lines)?;
    let planned = record.plan.watch().into_iter().flat_map(|w| &w.groups);
    for group in planned {
        let allowed = group.allowed();
        let (name, processes) = (&group.name, listed(&group.processes));
        let text = match allowed.is_empty() {
            true => message!("view-group-free", name, processes),
            false => message!("view-group-allowed", name, processes, allowed),
        };
        page.hanging(Line::plain(" "), 3, &ink.format(&text), Paint::DIM)?;
    }
    Ok(())
}

fn charged(io: &GroupIoFigures) -> Vec<Line> {
    let n = |value: f64| Line::plain(count(value.round() as u64));
    let bytes = |value: f64| Line::plain(Bytes(value.round() as u64).to_string());
    vec![
        Line::plain(&io.device),
        n(io.ops[0]),
        bytes(io.bytes[0]),
        n(io.ops[1]),
        bytes(io.bytes[1]),
        Line::plain(io.most.to_string()),
    ]
}

fn host(page: &mut Page, watch: &WatchJudgement) -> io::Result<()> {
    if watch.host.is_empty() {
        return Ok(());
    }
    page.blank()?;
    let ink = page.ink;
    page.heading(ink.word("view-machine"), ink.word("view-machine-aside"))?;
    let mut hosts: Vec<&str> = watch.host.iter().filter_map(|h| Some(h.name.split_once('/')?.0)).collect();
    hosts.dedup();
    if hosts.is_empty() {
        return machine(page, watch, "");
    }
    hosts.into_iter().try_for_each(|host| machine(page, watch, host))
}

/// Writes the figures of the machine, or of one of several hosts.
fn machine(page: &mut Page, watch: &WatchJudgement, host: &str) -> io::Result<()> {
    let ink = page.ink;
    if !host.is_empty() {
        page.line(Line::new().with(format!(" {}", ink.clipped(host, 40)), Paint::BOLD))?;
    }
    let find = |name: &str| {
        let named = |h: &&HostFigure| match host {
            "" => h.name == name,
            _ => h.name.strip_prefix(host).and_then(|own| own.strip_prefix('/')) == Some(name),
        };
        watch.host.iter().find(named)
    };
    let share = |name: &str| {
        let h: &HostFigure = find(name)?;
        Some(message!("view-and-most", mean = percent(h.mean / 100.0), most = percent(h.most / 100.0)))
    };
    let bytes = |name: &str| {
        let h = find(name)?;
        Some(message!("view-and-most", mean = Bytes(h.mean as u64), most = Bytes(h.most as u64)))
    };
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
    for (label, text) in [
        ("label-cpu", ink.list(cpu.into_iter().flatten())),
        ("label-memory", ink.list(memory.into_iter().flatten())),
        ("label-waiting", ink.list(stalls.into_iter().flatten())),
    ] {
        if !text.is_empty() {
            page.labelled(ink.word(label), Paint::DIM, &text, Paint::PLAIN)?;
        }
    }
    Ok(())
}

/// Writes the notes recorded during the watch.
fn notes(page: &mut Page, record: &RunRecord) -> io::Result<()> {
    const SHOWN: usize = 12;
    if record.notes.is_empty() {
        return Ok(());
    }
    page.blank()?;
    let ink = page.ink;
    page.heading(ink.word("view-on-the-way"), "")?;
    for (at, text) in record.notes.iter().take(SHOWN) {
        page.hanging(
            Line::new().with(format!(" {:>8}  ", crate::widgets::figures::clock(*at)), Paint::DIM),
            11,
            &ink.translate(text),
            Paint::PLAIN,
        )?;
    }
    if record.notes.len() > SHOWN {
        let text = ink.format(&message!("view-more-notes", n = record.notes.len() - SHOWN));
        page.hanging(Line::plain(" "), 11, &text, Paint::DIM)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::Style;
    use crate::formats::watch::testkit::watched;
    use crate::widgets::text::width;

    fn written(columns: usize, unicode: bool) -> String {
        let (record, judgement) = watched();
        let mut out = Vec::new();
        super::write(
            &record,
            &judgement,
            &Style { color: false, unicode, width: columns, language: messages::Language::English },
            &mut out,
        )
        .unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn the_summary_says_the_limit_first_and_then_the_figures() {
        insta::assert_snapshot!(written(110, true));
    }

    #[test]
    fn the_summary_fits_any_screen_and_any_alphabet() {
        for columns in 40..130 {
            for unicode in [false, true] {
                let text = written(columns, unicode);
                assert!(text.lines().all(|l| width(l) <= columns), "{columns}");
                assert!(unicode || text.is_ascii());
            }
        }
    }
}
