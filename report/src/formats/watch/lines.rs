//! Lines of a running watch, similar to those of iostat. Differences: rates use the actual time between two samples,
//! devices have roles, reads and writes are separate, and idle devices are counted instead of listed.

use super::processes::{self, or_dash};
use crate::Style;
use crate::document::{Cell, Column, Table, Tone, Value};
use crate::render::terminal;
use crate::widgets::figures::megabytes;
use crate::widgets::ink::{Ink, clauses};
use crate::widgets::page::Page;
use crate::widgets::text::{Line, Paint};
use messages::{Sentence, sentence};
use model::measured::{BlockTrace, Sample, sampled};
use model::{BytesPerSecond, Iops, Nanos, judged::CapNow, plan::WatchPlan};
use std::io::{self, Write};

/// Number of samples after which the header is repeated.
const HEAD_EVERY: u64 = 20;

/// Writes the lines of successive samples.
#[derive(Debug, Clone)]
pub struct PlainLines {
    plan: WatchPlan,
    looks: u64,
    /// Width of the widest name so far, so that columns stay aligned.
    widest: usize,
    /// Lines about the processes in the last trace, which ended at the previous sample or up to a second before it.
    submitters: Vec<Sentence>,
    /// True for one line per sample, summed over all devices.
    one: bool,
}

impl PlainLines {
    /// Creates the lines of a watch.
    #[must_use]
    pub fn new(plan: &WatchPlan) -> Self {
        PlainLines { plan: plan.clone(), looks: 0, widest: 6, submitters: Vec::new(), one: false }
    }

    /// Creates the lines of a watch with one line per sample; columns have the same positions in every line of every
    /// watch.
    #[must_use]
    pub fn with_one_line_each(plan: &WatchPlan) -> Self {
        PlainLines { one: true, ..PlainLines::new(plan) }
    }

    /// Adds one interval of the block layer's trace, whose processes appear with the next sample.
    pub fn add_trace(&mut self, trace: &BlockTrace) {
        self.submitters = processes::submitters(trace, &self.plan);
    }

    /// Writes the lines of one sample.
    ///
    /// # Errors
    /// Returns an error if writing to `out` fails.
    pub fn write(
        &mut self,
        at: Nanos,
        samples: &[Sample],
        caps: &[CapNow],
        style: &Style,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let mut page = Page::new(style, out);
        if self.one {
            if self.looks.is_multiple_of(HEAD_EVERY) {
                page.line(Line::new().with(ONE_HEAD, Paint::BOLD))?;
            }
            self.looks += 1;
            return page.line(Line::plain(one_line(at, samples, caps, &self.plan)));
        }
        let named: Vec<&str> = self.plan.devices.iter().map(|d| d.name.as_str()).collect();
        let devices = processes::things(samples, "device");
        let figure = |name: &str, what: &str| sampled(samples, &format!("device.{name}.{what}"));
        let works = |name: &str| {
            ["read_ops", "write_ops", "in_flight", "discard_ops"].iter().any(|w| figure(name, w).unwrap_or(0.0) > 0.0)
        };
        let (shown, idle): (Vec<&str>, Vec<&str>) =
            devices.into_iter().partition(|name| works(name) || (!self.plan.all_devices && named.contains(name)));
        for name in &shown {
            self.widest = self.widest.max(self.plan.device(name).label().chars().count().min(28));
        }
        let (ink, time) = (page.ink, stamp(at, self.plan.interval));
        let table = self.table(&time, samples, &shown, ink);
        let mut laid = terminal::lines(&table, page.ink).into_iter();
        let head = laid.next();
        let _measure = laid.next();
        if self.looks.is_multiple_of(HEAD_EVERY) {
            page.lines(head)?;
        }
        page.lines(laid)?;
        let lead = " ".repeat(time.chars().count().max(7) + 2);
        let lines = self.below(samples, caps, idle.len());
        for line in lines.into_iter().chain(std::mem::take(&mut self.submitters)) {
            page.hanging(Line::plain(&lead), lead.len(), &ink.translate(line), Paint::DIM)?;
        }
        self.looks += 1;
        Ok(())
    }

    /// Returns the table of the devices, with columns named as in iostat. Columns that iostat lacks get names in the same
    /// style.
    fn table(&self, time: &str, samples: &[Sample], shown: &[&str], ink: Ink) -> Table {
        let figure = |name: &str, what: &str| sampled(samples, &format!("device.{name}.{what}"));
        let text = |text: String| Cell::from(Value::Name(text));
        let shown_as =
            |what: &'static str, format: fn(f64) -> String| move |name: &str| text(or_dash(figure(name, what), format));
        let rate = |what| {
            let rate = shown_as(what, |v| Iops(v).to_string());
            move |name: &str| rate(name).tone(Tone::Measured)
        };
        let mb = |what| shown_as(what, |v| megabytes(BytesPerSecond(v)));
        let kib = |what| shown_as(what, |v| format!("{:.1}", v / 1024.0));
        let wait = |what: &'static str, ops: &'static str| {
            move |name: &str| text(or_dash(figure(name, what), |v| mean_wait(v, figure(name, ops).unwrap_or(0.0))))
        };
        let lead = |name: &str| text(if shown.first() == Some(&name) { time.to_owned() } else { String::new() });
        let widest = "9".repeat(self.widest);
        // The columns with their widest texts and the cells of a device.
        type MakeCell<'a> = &'a dyn Fn(&str) -> Cell;
        let columns: [(Column, &str, MakeCell); 12] = [
            (Column::text("", "head-time"), "00:00.0", &|name| lead(name).tone(Tone::Dim)),
            (Column::text("", "head-device"), &widest, &|name| {
                Cell::name(ink.clipped(&self.plan.device(name).label(), 28))
            }),
            (Column::term("", "r/s"), "999,999", &rate("read_ops")),
            (Column::term("", "w/s"), "999,999", &rate("write_ops")),
            (Column::term("", "rMB/s"), "9,999.9", &mb("read")),
            (Column::term("", "wMB/s"), "9,999.9", &mb("write")),
            (Column::term("", "rKiB").extra(3), "9999.9", &kib("read_size")),
            (Column::term("", "wKiB").extra(3), "9999.9", &kib("write_size")),
            (Column::term("", "r_await"), "999 ms", &wait("read_await", "read_ops")),
            (Column::term("", "w_await"), "999 ms", &wait("write_await", "write_ops")),
            (Column::figure("", "view-head-queue").extra(1), "999.9", &shown_as("queue", |v| format!("{v:.1}"))),
            (Column::term("", "busy%").extra(2), "100", &shown_as("busy", |v| format!("{v:.0}"))),
        ];
        let mut table = Table { indent: 0, ..Table::new("sample", columns.iter().map(|(column, ..)| column.clone())) };
        // A hidden row with maximum widths keeps the columns in place from sample to sample.
        table.row(columns.iter().map(|(_, widest, _)| Value::name(widest).into()));
        shown.iter().for_each(|name| table.row(columns.iter().map(|(.., cell)| cell(name))));
        if shown.is_empty() {
            let mut cells: [Cell; 12] = Default::default();
            cells[0] = Cell::from(Value::name(time)).tone(Tone::Dim);
            cells[1] = Cell::from(Value::word("view-no-look-io")).tone(Tone::Dim);
            table.row(cells);
        }
        table
    }

    /// Returns the lines about the machine, the caps and the processes.
    fn below(&self, samples: &[Sample], caps: &[CapNow], idle: usize) -> Vec<Sentence> {
        let mut lines = Vec::new();
        let value = |name: &str| sampled(samples, name);
        if let Some(long) = value("sampler.stretch").filter(|s| *s > self.plan.interval.secs() * 1.5) {
            lines.push(sentence!("view-late", seconds = format!("{long:.1}")));
        }
        if self.plan.hosts.is_empty() {
            let mut machine = machine(&value);
            machine.extend((idle > 0).then(|| sentence!("view-idle-devices", n = idle)));
            lines.extend((!machine.is_empty()).then(|| clauses(machine)));
        } else {
            for host in &self.plan.hosts {
                let machine = machine(&|name: &str| value(&format!("{host}/{name}")));
                let on_host = || sentence!("ranks-on-host", host, what = clauses(machine.clone()));
                lines.extend((!machine.is_empty()).then(on_host));
            }
            lines.extend((idle > 0).then(|| sentence!("view-idle-devices", n = idle)));
        }
        if !caps.is_empty() {
            lines.push(clauses(caps.iter().map(CapNow::summary)));
        }
        lines.extend(processes::processes(samples, &self.plan));
        lines.extend(processes::top(samples, &self.plan));
        lines.extend(processes::groups(samples, &self.plan));
        lines
    }
}

/// Returns the machine's figures in one sample; `value` looks them up by name.
fn machine(value: &dyn Fn(&str) -> Option<f64>) -> Vec<Sentence> {
    let mut machine = Vec::new();
    if let (Some(user), Some(system)) = (value("cpu.user"), value("cpu.system")) {
        let (wait, steal) = (value("cpu.iowait").unwrap_or(0.0), value("cpu.steal").unwrap_or(0.0));
        let [user, system, wait, steal] = [user, system, wait, steal].map(|v| format!("{v:.0}"));
        machine.push(sentence!("view-cpu", user, system, wait, steal));
    }
    if let (Some(dirty), Some(back)) = (value("memory.dirty"), value("memory.writeback")) {
        machine.push(sentence!("view-memory", dirty = mib(dirty), back = mib(back)));
    }
    if let Some(some) = value("pressure.io.some") {
        machine.push(sentence!("view-waiting", share = format!("{some:.0}")));
    }
    machine
}

/// Headers of the one-line format, each above its column; the same in every language, for programs that read columns.
const ONE_HEAD: &str =
    "    time      r/s      w/s   rMB/s   wMB/s  r_await  w_await  queue busy% busiest      cap%  of cap";

/// Formats a sample as one line. The sums exclude devices stacked on others, because the devices below them count the
/// same I/O.
fn one_line(at: Nanos, samples: &[Sample], caps: &[CapNow], plan: &WatchPlan) -> String {
    let devices = processes::things(samples, "device");
    let below = |name: &&str| plan.device(name).below.iter().any(|b| devices.contains(&b.as_str()));
    let disks: Vec<&str> = devices.iter().copied().filter(|name| !below(name)).collect();
    let value_of = |name: &str, what: &str| sampled(samples, &format!("device.{name}.{what}"));
    let sum = |what: &str| disks.iter().filter_map(|name| value_of(name, what)).sum::<f64>();
    let rate = |what: &str| Iops(sum(what)).to_string();
    let mb = |what: &str| megabytes(BytesPerSecond(sum(what)));
    // Weighted by the number of requests.
    let wait = |ops: &str, time: &str| {
        let parts = disks.iter().filter_map(|name| Some((value_of(name, ops)?, value_of(name, time)?)));
        let (n, ms) = parts.fold((0.0, 0.0), |(n, ms), (ops, each)| (n + ops, ms + ops * each));
        if n > 0.0 { mean_wait(ms / n, n) } else { "-".to_owned() }
    };
    let busiest = disks
        .iter()
        .filter_map(|name| Some((*name, value_of(name, "busy")?)))
        .filter(|(_, busy)| *busy > 0.0)
        .max_by(|a, b| a.1.total_cmp(&b.1));
    let (name, busy) = busiest.map_or(("-", "-".to_owned()), |(name, busy)| (name, format!("{busy:.0}")));
    let full = caps.iter().filter(|c| c.cap > 0.0).max_by(|a, b| (a.used / a.cap).total_cmp(&(b.used / b.cap)));
    let (share, cap) = full.map_or_else(
        || ("-".to_owned(), "-".to_owned()),
        |c| (format!("{:.0}", c.used / c.cap * 100.0), format!("{} {}", c.name, c.axis.name())),
    );
    let device = plan.device(name);
    let shown = if device.roles.is_empty() { device.name } else { device.roles.join("+") };
    let shown: String = crate::harmless(&shown).chars().take(12).collect();
    let time = stamp(at, plan.interval);
    format!(
        "{time:>8} {:>8} {:>8} {:>7} {:>7} {:>8} {:>8} {:>6.1} {busy:>5} {shown:<12} {share:>4}  {}",
        rate("read_ops"),
        rate("write_ops"),
        mb("read"),
        mb("write"),
        wait("read_ops", "read_await"),
        wait("write_ops", "write_await"),
        sum("queue"),
        crate::harmless(&cap)
    )
}

/// Formats a mean wait in milliseconds for `ops` operations per second. The kernel counts whole milliseconds over all
/// operations, so a sum below one is shown as an upper bound. Without operations, the wait is unknown.
pub(super) fn mean_wait(ms: f64, ops: f64) -> String {
    match ms > 0.0 {
        true => Nanos::from_secs_f64(ms / 1e3).to_string(),
        false if ops > 0.0 => format!("<{}", Nanos::from_secs_f64(1e-3 / ops.max(1.0))),
        false => "-".to_owned(),
    }
}

/// Formats the run's clock as `00:05.0`; tenths only if the interval is shorter than a second.
fn stamp(at: Nanos, interval: Nanos) -> String {
    let tenths = (at.secs() * 10.0).round() as u64;
    let (minutes, seconds) = (tenths / 600, tenths / 10 % 60);
    if interval < Nanos::from_secs(1) {
        format!("{minutes:02}:{seconds:02}.{}", tenths % 10)
    } else {
        format!("{minutes:02}:{seconds:02}")
    }
}

fn mib(bytes: f64) -> String {
    format!("{:.1} MiB", bytes / 1_048_576.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::watch::testkit::{samples_of_second, traced_second, watched};
    use crate::widgets::text::width;

    fn written(columns: usize) -> String {
        let (record, _) = watched();
        let plan = record.plan.watch().expect("a watch");
        let caps = analysis::fullness(&record.plan.limits, plan, &samples_of_second(1));
        let mut lines = PlainLines::new(plan);
        let style = Style { color: false, unicode: true, width: columns, language: messages::Language::English };
        let mut out = Vec::new();
        for i in 1..=2 {
            lines.write(Nanos::from_secs(i), &samples_of_second(i), &caps, &style, &mut out).unwrap();
        }
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn a_wait_below_the_kernels_grain_is_a_bound_and_never_zero() {
        assert_eq!(mean_wait(1.5, 10.0), "1.50 ms");
        assert_eq!(mean_wait(0.0, 4.0), "<250 us");
        assert_eq!(mean_wait(0.0, 0.0), "-");
    }

    #[test]
    fn a_look_is_a_line_for_each_device_and_what_stands_beside_it() {
        insta::assert_snapshot!(written(100));
    }

    #[test]
    fn the_processes_of_a_traced_device_follow_the_next_sample_only() {
        let (record, _) = watched();
        let mut lines = PlainLines::new(record.plan.watch().expect("a watch"));
        let style = Style { color: false, unicode: true, width: 120, language: messages::Language::English };
        let mut out = Vec::new();
        lines.add_trace(&traced_second());
        for i in 1..=2 {
            lines.write(Nanos::from_secs(i), &samples_of_second(i), &[], &style, &mut out).unwrap();
        }
        let text = String::from_utf8(out).unwrap();
        let line = "data (vdb) by process: 4711 dbench 5,100 IOPS 41.78 MB/s; kworker 12.0 IOPS 1.05 MB/s\n";
        assert_eq!(text.matches(line).count(), 1, "{text}");
    }

    #[test]
    fn a_look_in_one_line_has_its_columns_where_every_other_has_them() {
        let (record, _) = watched();
        let plan = record.plan.watch().expect("a watch");
        let caps = analysis::fullness(&record.plan.limits, plan, &samples_of_second(1));
        let mut lines = PlainLines::with_one_line_each(plan);
        let style = Style { color: false, unicode: true, width: 120, language: messages::Language::English };
        let mut out = Vec::new();
        for (i, caps) in [(1, caps.as_slice()), (2, &[]), (3, caps.as_slice())] {
            lines.write(Nanos::from_secs(i), &samples_of_second(i), caps, &style, &mut out).unwrap();
        }
        let text = String::from_utf8(out).unwrap();
        assert_eq!(text.lines().count(), 4, "{text}");
        insta::assert_snapshot!(text);
    }

    #[test]
    fn lines_fit_any_screen() {
        for columns in 40..130 {
            assert!(written(columns).lines().all(|l| width(l) <= columns), "{columns}");
        }
    }
}
