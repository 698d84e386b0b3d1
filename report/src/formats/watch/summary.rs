//! The summary of a watch: one sentence, then devices, limits, the command, processes and the machine.

use crate::Style;
use crate::figures::{count, duration, latency, megabytes, percent};
use crate::formats::{head, measured_on};
use crate::page::Page;
use crate::table::{Column, Table};
use crate::text::{Hue, Line, Paint};
use model::{
    Bytes, BytesPerSecond, CapUse, CommandExit, CommandUse, DiskFigures, GroupIoFigures, HostFigure, Iops, Judgement,
    LimitAxis, Nanos, RunRecord, WatchJudgement,
};
use std::io::{self, Write};

/// Writes it.
///
/// # Errors
/// Those of `out`.
pub fn write(record: &RunRecord, judgement: &Judgement, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let mut page = Page::new(style, out);
    head(&mut page, record, judgement)?;
    if let Some(watch) = &judgement.watch {
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

/// Alarms shown; of a flapping alert there may be hundreds.
const MOST_ALARMS: usize = 20;

fn alarms(page: &mut Page, record: &RunRecord) -> io::Result<()> {
    if record.alarms.is_empty() {
        return Ok(());
    }
    page.blank()?;
    page.heading("alarms", "")?;
    let mut table = Table::new(
        vec![
            Column::left("alert"),
            Column::left("of"),
            Column::right("worst"),
            Column::right("since"),
            Column::right("lasted"),
        ],
        1,
    );
    for alarm in record.alarms.iter().take(MOST_ALARMS) {
        let lasted = alarm.until.map_or_else(|| "to the end".to_owned(), |end| duration(end.since(alarm.since)));
        table.row(vec![
            Line::new().with(page.ink.text(&alarm.alert), Paint::of(Hue::Fail)),
            Line::new().with(page.ink.text(&alarm.of), Paint::BOLD),
            Line::new().with(alarm.figure.shown(alarm.worst), Paint::of(Hue::Measured)),
            Line::plain(duration(alarm.since)),
            Line::plain(lasted),
        ]);
    }
    page.lines(table.lay(page.ink).lines)?;
    match record.alarms.len().saturating_sub(MOST_ALARMS) {
        0 => Ok(()),
        more => page.line(Line::new().with(format!(" and {more} more"), Paint::DIM)),
    }
}

fn devices(page: &mut Page, watch: &WatchJudgement) -> io::Result<()> {
    if watch.devices.is_empty() {
        return Ok(());
    }
    page.blank()?;
    let looks = if watch.looks == 1 { "1 look".to_owned() } else { format!("{} looks", count(watch.looks)) };
    page.heading("devices, everybody's I/O", &format!("{looks} over {}", duration(watch.covered)))?;
    let mut table = Table::new(
        vec![
            Column::left("device"),
            Column::left(""),
            Column::right("requests"),
            Column::right("IOPS"),
            Column::right("MB/s"),
            Column::right("mean size").droppable(3),
            Column::right("mean time"),
            Column::right("slowest").droppable(2),
            Column::right("merged").droppable(5),
            Column::right("queue").droppable(1),
            Column::right("busy").droppable(4),
        ],
        1,
    );
    for device in &watch.devices {
        rows(page, &mut table, device, watch.covered);
    }
    let laid = table.lay(page.ink);
    page.lines(laid.lines)?;
    if !laid.dropped.is_empty() {
        page.line(Line::new().with(format!(" no room for: {}", laid.dropped.join(", ")), Paint::DIM))?;
    }
    let text = "mean time: from queueing to completion, weighed by requests; slowest: the worst mean of one stretch; busy: \
                time with a request in flight, which is not how full the device is: one that serves many at once shows \
                100 % long before its limit";
    page.hanging(Line::plain(" "), 1, text, Paint::DIM)
}

/// A device: reads, writes, and both with the most of one stretch.
fn rows(page: &Page, table: &mut Table, d: &DiskFigures, covered: Nanos) {
    let name = page.ink.clipped(&d.shown, (page.ink.width / 4).max(12));
    if d.all_ops() == 0.0 {
        let mut cells = vec![Line::new(); 11];
        cells[0] = Line::new().with(name, Paint::BOLD);
        cells[1] = Line::new().with("idle", Paint::DIM);
        return table.row(cells);
    }
    let seconds = covered.secs().max(1e-9);
    let mut first = true;
    for (i, what) in ["read", "write"].into_iter().enumerate().filter(|(i, _)| d.ops[*i] > 0.0) {
        let (ops, bytes) = (d.ops[i], d.bytes[i]);
        table.row(vec![
            Line::new().with(if std::mem::take(&mut first) { name.as_str() } else { "" }, Paint::BOLD),
            Line::plain(what),
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
    for (n, word) in [(d.flushes, "flushes"), (d.discards, "discards")] {
        if n >= 0.5 {
            extra.push(format!("{} {word}", count(n.round() as u64)));
        }
    }
    let blank = || Line::new();
    table.row(vec![
        Line::new().with(extra.join(", "), Paint::DIM),
        Line::plain("most"),
        blank(),
        Line::new().with(d.iops.1.to_string(), Paint::of(Hue::Measured)),
        Line::new().with(megabytes(d.bandwidth.1), Paint::of(Hue::Measured)),
        blank(),
        blank(),
        blank(),
        blank(),
        Line::plain(model::thousands(d.queue)),
        Line::plain(percent(d.busy)),
    ]);
}

/// `8 KiB`, `11.3 KiB`: a mean is rarely a round one.
fn size(bytes: Bytes) -> String {
    match bytes.0 {
        0..1024 => format!("{} B", bytes.0),
        1024..1_048_576 => format!("{:.1} KiB", bytes.0 as f64 / 1024.0),
        _ => format!("{:.2} MiB", bytes.0 as f64 / 1_048_576.0),
    }
}

fn caps(page: &mut Page, watch: &WatchJudgement) -> io::Result<()> {
    if watch.caps.is_empty() {
        return Ok(());
    }
    page.blank()?;
    page.heading("limits, summed at the same second", "full: 97 % or more")?;
    let mut table = Table::new(
        vec![
            Column::left("limit"),
            Column::right("cap"),
            Column::right("mean").droppable(2),
            Column::right("most"),
            Column::right(""),
            Column::right("full for"),
            Column::right("in one piece").droppable(1),
        ],
        1,
    );
    for cap in &watch.caps {
        let paint = if cap.full.0 > 0 { Paint::of(Hue::Limit).bold() } else { Paint::PLAIN };
        table.row(vec![
            Line::new().with(page.ink.clipped(&cap.name, 24), Paint::BOLD),
            Line::plain(figure(cap.axis, cap.cap)),
            Line::plain(percent(cap.mean / cap.cap)),
            Line::plain(figure(cap.axis, cap.most.0)),
            Line::new().with(percent(cap.most.0 / cap.cap), paint),
            Line::new().with(if cap.full.0 > 0 { duration(cap.full) } else { "never".into() }, paint),
            Line::plain(if cap.full.0 > 0 { duration(cap.longest) } else { String::new() }),
        ]);
    }
    let laid = table.lay(page.ink);
    page.lines(laid.lines)?;
    for cap in watch.caps.iter().filter(|c| c.over.len() > 1 || !c.left_out.is_empty()) {
        page.hanging(Line::plain(" "), 3, &shares(cap), Paint::DIM)?;
    }
    Ok(())
}

fn figure(axis: LimitAxis, value: f64) -> String {
    match axis {
        LimitAxis::Iops => format!("{} IOPS", Iops(value)),
        LimitAxis::Bandwidth => BytesPerSecond(value).to_string(),
    }
}

/// Who had which share, and what adding up maxima would have said.
fn shares(cap: &CapUse) -> String {
    let when = if cap.full.0 > 0 { "while it was full" } else { "over the whole time" };
    let each: Vec<String> =
        cap.over.iter().zip(&cap.shares).map(|(name, share)| format!("{name} {}", percent(*share))).collect();
    let mut text = format!("{} {}, {when}: {}", cap.name, figure(cap.axis, cap.cap), each.join(", "));
    if cap.over.len() > 1 && cap.sum_of_maxima > cap.most.0 * 1.02 {
        let sum = figure(cap.axis, cap.sum_of_maxima);
        text.push_str(&format!("; each one's own largest would add up to {sum}, but they were at different times"));
    }
    if !cap.left_out.is_empty() {
        let out = cap.left_out.join(", ");
        text.push_str(&format!("; without {out}: what it does is in the counts of the device it stands on"));
    }
    text
}

fn command(page: &mut Page, record: &RunRecord) -> io::Result<()> {
    let (Some(command), Some(plan)) = (&record.command, &record.plan.watch) else { return Ok(()) };
    page.blank()?;
    page.heading("command", &format!("process {}", command.pid))?;
    page.labelled("command", Paint::DIM, &plan.command.join(" "), Paint::BOLD)?;
    let paint = match command.exit {
        Some(CommandExit::Code(0)) => Hue::Pass,
        Some(_) if command.told_to_end.is_none() => Hue::Fail,
        Some(_) => Hue::Pass,
        None => Hue::Doubt,
    };
    page.labelled("", Paint::DIM, &page.ink.read(&messages::sentence(command.ending())), Paint::of(paint))?;
    if command.exit.is_some() {
        page.labelled("used", Paint::DIM, &used(command), Paint::PLAIN)?;
    }
    Ok(())
}

/// What the kernel says of it, once it had ended: exact, and its children's too.
fn used(c: &CommandUse) -> String {
    let mut words = Vec::new();
    if let Some((read, write)) = c.read.zip(c.write) {
        let (inblock, oublock) = (c.blocks.0.saturating_mul(512), c.blocks.1.saturating_mul(512));
        words.push(format!("{} read from and {} written to block devices", Bytes(read), Bytes(write)));
        if (read, write) != (inblock, oublock) {
            words.push(format!("by wait4 {} and {}", Bytes(inblock), Bytes(oublock)));
        }
    }
    words.push(format!("{} user and {} system CPU time", c.user, c.system));
    words.push(format!("{} context switches", count(c.switches)));
    words.push(format!("at most {} resident", c.max_resident));
    format!("{}, with the children it waited for", words.join(", "))
}

fn processes(page: &mut Page, watch: &WatchJudgement) -> io::Result<()> {
    if watch.processes.is_empty() {
        return Ok(());
    }
    page.blank()?;
    page.heading("processes, each with its children", "")?;
    let mut table = Table::new(
        vec![
            Column::left("process"),
            Column::right("read"),
            Column::right("written"),
            Column::right("CPU user"),
            Column::right("system"),
            Column::right("switches/s").droppable(1),
        ],
        1,
    );
    for p in &watch.processes {
        let bytes = |i: usize| p.bytes.map_or_else(|| "hidden".to_owned(), |b| Bytes(b[i].round() as u64).to_string());
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
    let text = "bytes the kernel sent to block devices for it; CPU in percent of one core";
    page.hanging(Line::plain(" "), 1, text, Paint::DIM)
}

/// Control groups of the processes: what they were charged, and what they are allowed.
fn groups(page: &mut Page, record: &RunRecord, watch: &WatchJudgement) -> io::Result<()> {
    if watch.groups.is_empty() {
        return Ok(());
    }
    page.blank()?;
    page.heading("control groups of the processes", "I/O as charged, before merging")?;
    let mut table = Table::new(
        vec![
            Column::left("group"),
            Column::left("device"),
            Column::right("reads"),
            Column::right("read"),
            Column::right("writes"),
            Column::right("written"),
            Column::right("most IOPS").droppable(2),
            Column::right("CPU"),
            Column::right("stopped").droppable(1),
            Column::right("memory").droppable(3),
        ],
        1,
    );
    for group in &watch.groups {
        let dash = || Line::new().with("-", Paint::DIM);
        let whole = [
            group.cpus.map_or_else(dash, |cpus| Line::plain(percent(cpus))),
            group
                .stopped
                .map_or_else(dash, |time| Line::plain(if time.0 > 0 { duration(time) } else { "never".into() })),
            group.memory.map_or_else(dash, |(_, most)| Line::plain(most.to_string())),
        ];
        let name = Line::new().with(page.ink.clipped(&group.name, 28), Paint::BOLD);
        let mut rows: Vec<Vec<Line>> = group.io.iter().filter(|io| io.ops != [0.0, 0.0]).map(charged).collect();
        if rows.is_empty() {
            rows.push(vec![Line::new().with("no I/O counted", Paint::DIM), dash(), dash(), dash(), dash(), dash()]);
        }
        for (i, row) in rows.into_iter().enumerate() {
            let (lead, tail) =
                if i == 0 { (name.clone(), whole.to_vec()) } else { (Line::new(), vec![Line::new(); 3]) };
            table.row(std::iter::once(lead).chain(row).chain(tail).collect());
        }
    }
    let laid = table.lay(page.ink);
    page.lines(laid.lines)?;
    let planned = record.plan.watch.iter().flat_map(|w| &w.groups);
    for group in planned {
        let allowed = group.allowed();
        let allowed = if allowed.is_empty() { "nothing is limited".to_owned() } else { format!("allowed: {allowed}") };
        let text = format!("{}: process {}; {allowed}", group.name, group.processes.join(", "));
        page.hanging(Line::plain(" "), 3, &text, Paint::DIM)?;
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
    page.heading("machine", "mean, and most of one stretch")?;
    let find = |name: &str| watch.host.iter().find(|h| h.name == name);
    let share = |h: &HostFigure| format!("{} (most {})", percent(h.mean / 100.0), percent(h.most / 100.0));
    let line = |names: &[(&str, &str)], show: &dyn Fn(&HostFigure) -> String| {
        let parts = names.iter().filter_map(|(name, word)| Some(format!("{word} {}", show(find(name)?))));
        parts.collect::<Vec<_>>().join(", ")
    };
    let cpu =
        [("cpu.user", "user"), ("cpu.system", "system"), ("cpu.iowait", "waiting for I/O"), ("cpu.steal", "stolen")];
    let bytes = |h: &HostFigure| format!("{} (most {})", Bytes(h.mean as u64), Bytes(h.most as u64));
    let memory =
        [("memory.dirty", "dirty"), ("memory.writeback", "being written back"), ("memory.available", "available")];
    let stalls = [
        ("pressure.io.some", "some task for I/O"),
        ("pressure.io.full", "all for I/O"),
        ("pressure.memory.some", "some for memory"),
        ("pressure.cpu.some", "some for a CPU"),
    ];
    for (label, text) in
        [("CPU", line(&cpu, &share)), ("memory", line(&memory, &bytes)), ("waiting", line(&stalls, &share))]
    {
        if !text.is_empty() {
            page.labelled(label, Paint::DIM, &text, Paint::PLAIN)?;
        }
    }
    Ok(())
}

/// What was said on the way.
fn notes(page: &mut Page, record: &RunRecord) -> io::Result<()> {
    const SHOWN: usize = 12;
    if record.notes.is_empty() {
        return Ok(());
    }
    page.blank()?;
    page.heading("on the way", "")?;
    for (at, text) in record.notes.iter().take(SHOWN) {
        page.hanging(
            Line::new().with(format!(" {:>8}  ", crate::figures::clock(*at)), Paint::DIM),
            11,
            text,
            Paint::PLAIN,
        )?;
    }
    if record.notes.len() > SHOWN {
        let text = format!("and {} more: secchi show --json has them all", record.notes.len() - SHOWN);
        page.hanging(Line::plain(" "), 11, &text, Paint::DIM)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::Style;
    use crate::formats::watch::testkit::watched;
    use crate::text::width;

    fn shown(columns: usize, unicode: bool) -> String {
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
        insta::assert_snapshot!(shown(110, true));
    }

    #[test]
    fn the_summary_fits_any_screen_and_any_alphabet() {
        for columns in 40..130 {
            for unicode in [false, true] {
                let text = shown(columns, unicode);
                assert!(text.lines().all(|l| width(l) <= columns), "{columns}");
                assert!(unicode || text.is_ascii());
            }
        }
    }
}
