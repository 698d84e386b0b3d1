//! The live view of a watch: a table of devices, and for the selected one either four charts over time or the sizes of
//! its requests.
//!
//! A [`WatchView`] is pure: it takes samples and keys and draws onto a given buffer; the binary owns the terminal.
//! Colours only repeat what text and position already show.

use super::lines::mean_wait;
use super::processes::{self, or_dash};
use crate::Style;
use crate::widgets::figures::{clock, duration};
use crate::widgets::ink::{Ink, clauses, listed};
use crate::widgets::text::width;
use messages::{Sentence, message, sentence};
use model::measured::{BlockTrace, Sample, sampled};
use model::{BytesPerSecond, Iops, Nanos, judged::CapNow, plan::WatchPlan, units::thousands};
use ratatui::buffer::Buffer;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Color, Modifier, Style as Face};
use ratatui::symbols::Marker;
use ratatui::text::{Line, Span};
use ratatui::widgets::canvas::{Canvas, Line as Stroke};
use ratatui::widgets::{Block, Clear, Paragraph, Widget, Wrap};
use std::collections::VecDeque;

/// Maximum number of samples kept for the charts.
const KEPT: usize = 4096;
/// Selectable time spans of a chart, in seconds.
const SPANS: [u64; 7] = [30, 60, 120, 300, 900, 3600, 14_400];
/// Time for which a message stays on the screen.
const SAID: Nanos = Nanos::from_secs(30);
/// Minimum size for the full view, in cells. A smaller view shows only one line of text.
const LEAST: (u16, u16) = (24, 6);

/// Returns the time labels below a chart: its start, its middle and the current time on the run's clock. Times before
/// the watch have no label.
fn time_axis(now: f64, seconds: f64, columns: usize) -> String {
    let mut line = vec![' '; columns];
    let mut put = |share: f64, at: f64| {
        if at < 0.0 {
            return;
        }
        let label: Vec<char> = clock(Nanos::from_secs_f64(at.round())).chars().collect();
        let middle = (share * columns as f64) as usize;
        let start = middle.saturating_sub(label.len() / 2).min(columns.saturating_sub(label.len()));
        let place = line.iter().skip(start.saturating_sub(1)).take(label.len() + 2);
        if label.len() < columns && place.clone().all(|c| *c == ' ') {
            line.splice(start..start + label.len(), label);
        }
    };
    put(1.0, now);
    put(0.0, now - seconds);
    put(0.5, now - seconds / 2.0);
    line.into_iter().collect::<String>().trim_end().to_owned()
}

/// Action of a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyAction {
    /// Select the device above.
    Up,
    /// Select the device below.
    Down,
    /// Show a longer time span.
    Wider,
    /// Show a shorter time span.
    Narrower,
    /// Pause or resume the view.
    Pause,
    /// Switch between roles and kernel names as the first name of a device.
    Roles,
    /// Show all devices combined.
    Sum,
    /// Switch from charts to the sizes of requests since the start, then to the sizes of the last interval, then back
    /// to charts.
    Blocks,
    /// Show the meaning of the keys.
    Help,
}

/// One sample, reduced to what is drawn.
#[derive(Debug, Clone)]
struct WatchSample {
    at: Nanos,
    stretch: f64,
    samples: Vec<Sample>,
    caps: Vec<CapNow>,
}

/// Content below the devices.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Pane {
    Charts,
    SizesOfAll,
    SizesOfLast,
}

/// Traces of the block layer: since the start of the watch, and of the last interval.
type Traced = (BlockTrace, BlockTrace);

/// State of the view.
#[derive(Debug, Clone)]
pub struct WatchView {
    plan: WatchPlan,
    samples: VecDeque<WatchSample>,
    devices: Vec<String>,
    /// Index into `devices`; the index after the last one means all devices combined.
    chosen: usize,
    span: usize,
    paused: Option<usize>,
    /// Number of samples taken since the view was paused.
    added_while_paused: usize,
    roles: bool,
    help: bool,
    pane: Pane,
    traced: Option<Box<Traced>>,
    /// Traces at the time when the view was paused.
    held: Option<Box<Traced>>,
    /// Last message and its time.
    message: (String, Nanos),
}

impl WatchView {
    /// Creates an empty view of a watch.
    #[must_use]
    pub fn new(plan: &WatchPlan) -> Self {
        WatchView {
            devices: plan.devices.iter().map(|d| d.name.clone()).collect(),
            plan: plan.clone(),
            samples: VecDeque::new(),
            chosen: 0,
            span: 1,
            paused: None,
            added_while_paused: 0,
            roles: true,
            help: false,
            pane: Pane::Charts,
            traced: None,
            held: None,
            message: (String::new(), Nanos(0)),
        }
    }

    /// Adds one interval of the block layer's trace.
    pub fn add_trace(&mut self, trace: &BlockTrace) {
        match &mut self.traced {
            Some(traced) => {
                traced.0.merge(trace);
                traced.1 = trace.clone();
            }
            None => self.traced = Some(Box::new((trace.clone(), trace.clone()))),
        }
    }

    /// Adds a sample.
    pub fn add_sample(&mut self, at: Nanos, samples: &[Sample], caps: &[CapNow]) {
        for name in processes::things(samples, "device") {
            if !self.devices.iter().any(|d| d == name) {
                self.devices.push(name.to_owned());
            }
        }
        if self.plan.all_devices && self.samples.is_empty() {
            // No device was named, so the busiest one is selected.
            let ops = |name: &String| {
                let value_of = |what: &str| sampled(samples, &format!("device.{name}.{what}")).unwrap_or(0.0);
                value_of("read_ops") + value_of("write_ops")
            };
            let busiest =
                (0..self.devices.len()).max_by(|a, b| ops(&self.devices[*a]).total_cmp(&ops(&self.devices[*b])));
            self.chosen = busiest.unwrap_or(0);
        }
        let stretch = sampled(samples, "sampler.stretch").unwrap_or_default();
        self.samples.push_back(WatchSample { at, stretch, samples: samples.to_vec(), caps: caps.to_vec() });
        if self.paused.is_some() {
            self.added_while_paused += 1;
        }
        if self.samples.len() > KEPT {
            self.samples.pop_front();
            self.paused = self.paused.map(|p| p.saturating_sub(1));
        }
    }

    /// Shows a message below the charts.
    pub fn set_message(&mut self, text: &str) {
        self.message = (crate::harmless(text), self.samples.back().map_or(Nanos(0), |s| s.at));
    }

    /// Performs the action of a key.
    pub fn press(&mut self, key: KeyAction) {
        let rows = self.rows();
        match key {
            KeyAction::Up => self.chosen = self.chosen.checked_sub(1).unwrap_or(rows.saturating_sub(1)),
            KeyAction::Down => self.chosen = (self.chosen + 1) % rows.max(1),
            KeyAction::Wider => self.span = (self.span + 1).min(SPANS.len() - 1),
            KeyAction::Narrower => self.span = self.span.saturating_sub(1),
            KeyAction::Pause => {
                self.paused = if self.paused.is_some() { None } else { Some(self.samples.len()) };
                self.held = self.paused.and(self.traced.clone());
                self.added_while_paused = 0;
            }
            KeyAction::Roles => self.roles = !self.roles,
            KeyAction::Sum => self.chosen = if self.devices.len() > 1 { self.devices.len() } else { 0 },
            KeyAction::Blocks => {
                self.pane = match self.pane {
                    Pane::Charts => Pane::SizesOfAll,
                    Pane::SizesOfAll => Pane::SizesOfLast,
                    Pane::SizesOfLast => Pane::Charts,
                }
            }
            KeyAction::Help => self.help = !self.help,
        }
    }

    fn device_label(&self, name: &str) -> String {
        if self.roles { self.plan.device(name).label() } else { name.to_owned() }
    }

    /// Returns the samples to draw: all, or those before the view was paused.
    fn visible(&self) -> impl DoubleEndedIterator<Item = &WatchSample> {
        self.samples.iter().take(self.paused.unwrap_or(usize::MAX))
    }

    /// Returns the newest sample to draw.
    fn last(&self) -> Option<&WatchSample> {
        self.visible().next_back()
    }

    /// Returns the number of rows in the table: the devices and, if there are several, all devices combined.
    fn rows(&self) -> usize {
        self.devices.len() + usize::from(self.devices.len() > 1)
    }

    /// Returns a figure of the selected device in one sample.
    fn figure(&self, seen: &WatchSample, what: &str) -> Option<f64> {
        self.figure_at(self.chosen, seen, what)
    }

    /// Returns a figure of the device with this index in one sample, or the sum over all devices. The sum excludes
    /// devices stacked on others, because the devices below them count the same I/O.
    fn figure_at(&self, index: usize, seen: &WatchSample, what: &str) -> Option<f64> {
        let value_of = |name: &str| sampled(&seen.samples, &format!("device.{name}.{what}"));
        match self.devices.get(index) {
            Some(name) => value_of(name),
            None => {
                let stands = |name: &&String| !self.plan.device(name).below.iter().any(|b| self.devices.contains(b));
                self.devices.iter().filter(stands).filter_map(|name| value_of(name)).reduce(|a, b| a + b)
            }
        }
    }

    /// Draws everything onto `area`.
    pub fn draw(&self, area: Rect, style: &Style, buffer: &mut Buffer) {
        let ink = Ink::new(style);
        if area.width < LEAST.0 || area.height < LEAST.1 {
            return self.tiny(area, buffer);
        }
        let wanted = (self.rows() + 2) as u16;
        let table = wanted.min((area.height / 3).max(3));
        let parts = [
            Constraint::Length(1),
            Constraint::Length(table),
            Constraint::Min(0),
            Constraint::Length((self.below(ink).len() as u16).min((area.height / 4).max(1))),
            Constraint::Length(1),
        ];
        let [head, devices, charts, below, foot] = Layout::vertical(parts).areas(area);
        self.head(head, ink, buffer);
        self.table(devices, ink, buffer);
        match self.pane {
            Pane::Charts => self.charts(charts, ink, buffer),
            Pane::SizesOfAll | Pane::SizesOfLast => self.sizes(charts, style, ink, buffer),
        }
        let lines: Vec<Line> =
            self.below(ink).into_iter().map(|text| Line::from(Span::styled(text, dim(ink)))).collect();
        Paragraph::new(lines).render(below, buffer);
        self.foot(foot, ink, buffer);
        if self.help {
            Self::keys(area, ink, buffer);
        }
    }

    /// Draws only the two most important figures, if there is no room for more.
    fn tiny(&self, area: Rect, buffer: &mut Buffer) {
        let Some(seen) = self.last() else { return };
        let sum = |a: &str, b: &str| self.figure(seen, a).unwrap_or(0.0) + self.figure(seen, b).unwrap_or(0.0);
        let text = format!("{} IOPS {}", Iops(sum("read_ops", "write_ops")), BytesPerSecond(sum("read", "write")));
        Paragraph::new(text).render(area, buffer);
    }

    fn head(&self, area: Rect, ink: Ink, buffer: &mut Buffer) {
        let at = self.last().map_or(Nanos(0), |s| s.at);
        let every = ink.format(&message!("view-every", time = duration(self.plan.interval)));
        let mut spans = vec![Span::styled("secchi watch", bold()), Span::raw(format!("  {}  {every}  ", clock(at)))];
        if self.paused.is_some() {
            let held = ink.format(&message!("view-held", n = self.added_while_paused));
            spans.push(Span::styled(held, colored(ink, Color::Yellow).add_modifier(Modifier::BOLD)));
        }
        if let Some(long) = self.last().filter(|s| s.stretch > self.plan.interval.secs() * 1.5) {
            let late = ink.format(&message!("view-late-board", seconds = format!("{:.1}", long.stretch)));
            spans.push(Span::styled(format!("  {late}"), colored(ink, Color::Yellow)));
        }
        Line::from(spans).render(area, buffer);
    }

    /// Draws the devices with the figures of the last sample.
    fn table(&self, area: Rect, ink: Ink, buffer: &mut Buffer) {
        let queue = ink.word("view-head-queue");
        let heads = ["r/s", "w/s", "rMB/s", "wMB/s", "r_await", "w_await", queue, "busy%"];
        let name_width = self.devices.iter().map(|d| width(&self.device_label(d))).max().unwrap_or(6).clamp(12, 24);
        let left = usize::from(area.width).saturating_sub(name_width + 3);
        let cell = if left / 9 >= heads.len() { 8 } else { 7 };
        let room = left / (cell + 1);
        let line = |name: &str, cells: [String; 8], style: Face| {
            Line::from(Span::styled(row(name, name_width + 2, &cells, (room, cell)), style))
        };
        let head = format!("  {}", ink.word("head-device"));
        let mut lines = vec![line(&head, heads.map(str::to_owned), dim(ink))];
        let last = self.last();
        // Keeps the selected row visible.
        let fit = usize::from(area.height).saturating_sub(1).max(1);
        let skip = (self.chosen + 1).saturating_sub(fit);
        for i in (0..self.rows()).skip(skip).take(fit) {
            let device = self.devices.get(i).map(|device| self.device_label(device));
            let name = device.unwrap_or_else(|| ink.word("view-all-together").to_owned());
            let value = |what: &str| last.and_then(|seen| self.figure_at(i, seen, what));
            let plain = |what: &str| or_dash(value(what), |v| Iops(v).to_string());
            let mb = |what: &str| or_dash(value(what), |v| format!("{:.1}", v / 1e6));
            // A sum of means or of shares would be meaningless.
            let device_value = |what: &str| value(what).filter(|_| i < self.devices.len());
            let ms = |v: f64, ops: &str| mean_wait(v, value(ops).unwrap_or(0.0));
            let cells = [
                plain("read_ops"),
                plain("write_ops"),
                mb("read"),
                mb("write"),
                or_dash(device_value("read_await"), |v| ms(v, "read_ops")),
                or_dash(device_value("write_await"), |v| ms(v, "write_ops")),
                or_dash(value("queue"), |v| format!("{v:.1}")),
                or_dash(device_value("busy"), |v| format!("{v:.0}")),
            ];
            let (sign, style) = match (i == self.chosen, ink.color) {
                (true, true) => ("> ", bold().add_modifier(Modifier::REVERSED)),
                (true, false) => ("> ", bold()),
                (false, _) => ("  ", Face::new()),
            };
            let name = crate::widgets::text::clip(&crate::harmless(&name), name_width, "..");
            lines.push(line(&format!("{sign}{name}"), cells, style));
        }
        Paragraph::new(lines).render(area, buffer);
    }

    /// Returns the traces to draw: the latest, or those from the time when the view was paused.
    fn traced(&self) -> Option<&Traced> {
        if self.paused.is_some() { self.held.as_deref() } else { self.traced.as_deref() }
    }

    /// Draws sizes and times of the selected device's requests, as in the final summary.
    fn sizes(&self, area: Rect, style: &Style, ink: Ink, buffer: &mut Buffer) {
        let Some(traced) = self.traced() else {
            Paragraph::new(ink.word("view-no-sizes")).wrap(Wrap { trim: true }).render(area, buffer);
            return;
        };
        let trace = if self.pane == Pane::SizesOfLast { &traced.1 } else { &traced.0 };
        let device = self.devices.get(self.chosen).map(String::as_str);
        let mut name = device.map_or_else(|| ink.word("label-all").to_owned(), |d| self.device_label(d));
        let stands = trace.devices.iter().find(|d| Some(d.name.as_str()) == device).filter(|d| !d.over.is_empty());
        if let Some(stands) = stands {
            name = ink.format(&message!("view-over", name, devices = listed(&stands.over)));
        }
        let time = duration(trace.length);
        let head = ink.format(&match self.pane {
            Pane::SizesOfLast => message!("view-sizes-last", name, time),
            _ => message!("view-sizes-all", name, time),
        });
        let mut text = Vec::new();
        let plain = Style { color: false, width: usize::from(area.width), ..*style };
        crate::render::terminal::blocks(&crate::kinds::traced::sizes(trace, device), &plain, &mut text)
            .expect("a vector takes every byte");
        let text = String::from_utf8_lossy(&text).into_owned();
        let mut lines = vec![Line::from(Span::styled(crate::harmless(&head), bold()))];
        lines.extend(text.lines().map(|l| Line::from(l.to_owned())));
        let fit = usize::from(area.height);
        if lines.len() > fit && fit > 1 {
            lines.truncate(fit - 1);
            lines.push(Line::from(Span::styled(ink.word("view-taller"), dim(ink))));
        }
        Paragraph::new(lines).render(area, buffer);
    }

    /// Draws four charts if there is room, otherwise two or one.
    fn charts(&self, area: Rect, ink: Ink, buffer: &mut Buffer) {
        if area.height < 4 {
            return;
        }
        let plot = |title, whats: [&'static str; 2], tick: fn(f64) -> String, cap| Plot {
            title,
            lines: [("op-read", whats[0]), ("op-write", whats[1])],
            tick,
            cap,
        };
        let in_flight = [("view-in-flight", "queue"), ("", "")];
        let plots = [
            plot("IOPS", ["read_ops", "write_ops"], thousands, Some(true)),
            plot("MB/s", ["read", "write"], |v| thousands(v / 1e6), Some(false)),
            plot(
                ink.word("view-mean-time"),
                ["read_await", "write_await"],
                |v| Nanos::from_secs_f64(v / 1e3).to_string(),
                None,
            ),
            Plot { title: ink.word("view-plot-queue"), lines: in_flight, tick: thousands, cap: None },
        ];
        let half = [Constraint::Ratio(1, 2), Constraint::Ratio(1, 2)];
        let (wide, high) = (area.width >= 72, area.height >= 12);
        let rows: Vec<Rect> = if high { Layout::vertical(half).split(area).to_vec() } else { vec![area] };
        let mut cells = Vec::new();
        for row in rows {
            if wide {
                cells.extend(Layout::horizontal(half).spacing(1).split(row).iter().copied());
            } else {
                cells.push(row);
            }
        }
        // If only two charts fit, they show rates and times. In a single column, IOPS come first.
        let order: &[usize] = if cells.len() == 2 { &[0, 2] } else { &[0, 1, 2, 3] };
        for (cell, i) in cells.into_iter().zip(order) {
            self.plot(&plots[*i], cell, ink, buffer);
        }
    }

    fn plot(&self, plot: &Plot, area: Rect, ink: Ink, buffer: &mut Buffer) {
        let seconds = SPANS[self.span] as f64;
        let now = self.last().map_or(0.0, |s| s.at.secs());
        let series: Vec<Vec<Vec<(f64, f64)>>> =
            plot.lines.iter().map(|(_, what)| self.points(what, now, seconds)).collect();
        let most = series.iter().flatten().flatten().map(|p| p.1).fold(0.0, f64::max);
        let cap = plot.cap.and_then(|iops| self.cap(iops)).filter(|cap| *cap <= most * 1.6 && most > 0.0);
        let high = (most.max(cap.unwrap_or(0.0)) * 1.05).max(1e-9);
        let names = [Color::Cyan, Color::Magenta];
        let mut title = vec![Span::styled(format!("{} ", plot.title), bold())];
        for ((name, what), color) in plot.lines.iter().zip(names).filter(|((name, _), _)| !name.is_empty()) {
            let last = self.last().and_then(|s| self.figure(s, what));
            let latest = or_dash(last, |v| ink.group(&(plot.tick)(v)).into_owned());
            title.push(Span::styled(format!(" {} {latest}", ink.word(name)), colored(ink, color)));
        }
        let most_told = format!("  {}", ink.format(&message!("view-plot-most", most = (plot.tick)(most))));
        if title.iter().map(Span::width).sum::<usize>() + width(&most_told) <= usize::from(area.width) {
            title.push(Span::styled(most_told, dim(ink)));
        }
        // The times get a separate line if the curves still have enough room.
        let times = u16::from(area.height >= 5);
        let parts = [Constraint::Length(1), Constraint::Min(1), Constraint::Length(times)];
        let [head, body, axis] = Layout::vertical(parts).areas(area);
        Line::from(title).render(head, buffer);
        if times > 0 {
            Line::from(Span::styled(time_axis(now, seconds, usize::from(axis.width)), dim(ink))).render(axis, buffer);
        }
        Canvas::default()
            .marker(if ink.unicode { Marker::Braille } else { Marker::Custom('*') })
            .x_bounds([now - seconds, now])
            .y_bounds([0.0, high])
            .paint(|ctx| {
                if let Some(cap) = cap {
                    let color = if ink.color { Color::Yellow } else { Color::Reset };
                    ctx.draw(&Stroke { x1: now - seconds, y1: cap, x2: now, y2: cap, color });
                    ctx.layer();
                }
                for (runs, color) in series.iter().zip(names).rev() {
                    let color = if ink.color { color } else { Color::Reset };
                    for pair in runs.iter().flat_map(|run| run.windows(2)) {
                        let ((x1, y1), (x2, y2)) = (pair[0], pair[1]);
                        ctx.draw(&Stroke { x1, y1, x2, y2, color });
                    }
                    ctx.layer();
                }
            })
            .render(body, buffer);
    }

    /// Returns the points of a figure, split into runs at gaps.
    fn points(&self, what: &str, now: f64, seconds: f64) -> Vec<Vec<(f64, f64)>> {
        let mut runs: Vec<Vec<(f64, f64)>> = vec![Vec::new()];
        let mut before: Option<f64> = None;
        for seen in self.visible().filter(|s| s.at.secs() >= now - seconds) {
            let at = seen.at.secs();
            // An interval that does not reach back to the previous sample leaves a gap.
            let hole = before.is_some_and(|b| at - seen.stretch > b + 0.01);
            match self.figure(seen, what) {
                Some(value) if value.is_finite() => {
                    if hole {
                        runs.push(Vec::new());
                    }
                    runs.last_mut().expect("there is always one").push((at, value));
                }
                // Without requests there is no latency to draw, so a new run begins.
                _ => runs.push(Vec::new()),
            }
            before = Some(at);
        }
        runs.retain(|r| !r.is_empty());
        runs
    }

    /// Returns the tightest cap of operations (`iops`) or of bytes; `None` unless all devices are drawn, because caps
    /// apply to all.
    fn cap(&self, iops: bool) -> Option<f64> {
        let seen = self.last()?;
        let all_drawn = self.devices.len() == 1 || self.chosen == self.devices.len();
        let caps = seen.caps.iter().filter(|c| (c.axis == model::bounds::LimitAxis::Iops) == iops).map(|c| c.cap);
        caps.reduce(f64::min).filter(|_| all_drawn)
    }

    /// Returns the lines about caps, the machine, processes, and the last message.
    fn below(&self, ink: Ink) -> Vec<String> {
        let Some(seen) = self.last() else { return vec![ink.word("view-first-look").to_owned()] };
        let value = |name: &str| sampled(&seen.samples, name);
        let mut lines = Vec::new();
        if !seen.caps.is_empty() {
            let summaries = clauses(seen.caps.iter().map(CapNow::summary));
            lines.push(sentence!("view-limits-line", told = summaries));
        }
        let percent = |name: &str| or_dash(value(name), |v| format!("{v:.0}"));
        let mib = |name: &str| or_dash(value(name), |v| format!("{:.0}", v / 1_048_576.0));
        let [user, system, wait, steal, some] =
            ["cpu.user", "cpu.system", "cpu.iowait", "cpu.steal", "pressure.io.some"].map(percent);
        let (dirty, back) = (mib("memory.dirty"), mib("memory.writeback"));
        lines.push(sentence!("view-cpu-board", user, system, wait, steal, some, dirty, back));
        lines.extend(processes::processes(&seen.samples, &self.plan));
        lines.extend(processes::top(&seen.samples, &self.plan));
        lines.extend(processes::groups(&seen.samples, &self.plan));
        let traced = self.traced().into_iter();
        lines.extend(traced.flat_map(|(_, last)| processes::submitters(last, &self.plan)));
        // The message remains in the summary; here it is removed to make room for others.
        if !self.message.0.is_empty() && seen.at.since(self.message.1) < SAID {
            lines.push(Sentence::from(&self.message.0));
        }
        lines.into_iter().map(|line| crate::harmless(&ink.translate(line))).collect()
    }

    fn foot(&self, area: Rect, ink: Ink, buffer: &mut Buffer) {
        let span = match SPANS[self.span] {
            seconds @ 0..60 => format!("{seconds} s"),
            seconds @ 60..3600 => format!("{} min", seconds / 60),
            seconds => format!("{} h", seconds / 3600),
        };
        let text = ink.format(&message!("view-foot", span));
        Line::from(Span::styled(text, dim(ink))).render(area, buffer);
    }

    fn keys(area: Rect, ink: Ink, buffer: &mut Buffer) {
        const KEYS: [&str; 12] = [
            "view-keys-move",
            "view-keys-sum",
            "view-keys-sizes",
            "view-keys-sizes-more",
            "view-keys-span",
            "view-keys-hold",
            "view-keys-roles",
            "view-keys-help",
            "view-keys-quit",
            "",
            "view-keys-await",
            "view-keys-busy",
        ];
        let (w, h) = (78.min(area.width), (KEYS.len() as u16 + 2).min(area.height));
        // The second line of a key's description is indented below the first.
        let line = |id: &str| match id {
            "view-keys-sizes-more" => format!("{:16}{}", "", ink.word(id)),
            id => ink.word(id).to_owned(),
        };
        let place = Rect::new(area.x + (area.width - w) / 2, area.y + (area.height - h) / 2, w, h);
        Clear.render(place, buffer);
        let mut block = Block::bordered().title(ink.word("view-keys"));
        if !ink.unicode {
            block = block.border_set(ratatui::symbols::border::Set {
                top_left: "+",
                top_right: "+",
                bottom_left: "+",
                bottom_right: "+",
                vertical_left: "|",
                vertical_right: "|",
                horizontal_top: "-",
                horizontal_bottom: "-",
            });
        }
        let text: Vec<Line> = KEYS.iter().map(|id| Line::from(line(id))).collect();
        Paragraph::new(text).block(block).wrap(Wrap { trim: false }).render(place, buffer);
    }
}

/// Contents of one chart.
struct Plot {
    title: &'static str,
    /// Message ID and figure of each line.
    lines: [(&'static str, &'static str); 2],
    tick: fn(f64) -> String,
    /// Cap to draw: true for operations, false for bytes, `None` for no cap.
    cap: Option<bool>,
}

fn colored(ink: Ink, color: Color) -> Face {
    if ink.color { Face::new().fg(color) } else { Face::new() }
}

fn dim(ink: Ink) -> Face {
    colored(ink, Color::DarkGray)
}

fn bold() -> Face {
    Face::new().add_modifier(Modifier::BOLD)
}

/// Formats a row of the table with the first `room` columns, each `wide` cells wide.
fn row(name: &str, name_width: usize, cells: &[String; 8], (room, wide): (usize, usize)) -> String {
    let mut text = format!("{name}{}", " ".repeat(name_width.saturating_sub(width(name))));
    for cell in cells.iter().take(room) {
        text.push_str(&" ".repeat(1 + wide.saturating_sub(width(cell))));
        text.push_str(cell);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::watch::testkit::{samples_of_second, traced_second, watched};

    fn board() -> WatchView {
        let (record, _) = watched();
        let plan = record.plan.watch().expect("a watch").clone();
        let mut board = WatchView::new(&plan);
        for i in 1..=40u64 {
            let mut samples = samples_of_second(i % 7 + 1);
            for sample in samples.iter_mut().filter(|s| s.unit == "ops/s" || s.unit == "B/s") {
                sample.value *= 0.6 + 0.4 * ((i as f64) / 6.0).sin().abs();
            }
            let caps = analysis::fullness(&record.plan.limits, &plan, &samples);
            board.add_sample(Nanos::from_secs(i), &samples, &caps);
        }
        board
    }

    fn drawn(board: &WatchView, columns: u16, rows: u16, unicode: bool) -> String {
        let area = Rect::new(0, 0, columns, rows);
        let mut buffer = Buffer::empty(area);
        board.draw(
            area,
            &Style { color: false, unicode, width: columns.into(), language: messages::Language::English },
            &mut buffer,
        );
        let line =
            |y| (0..columns).map(|x| buffer[(x, y)].symbol().to_owned()).collect::<String>().trim_end().to_owned();
        (0..rows).map(|y| line(y) + "\n").collect()
    }

    #[test]
    fn the_picture_has_devices_charts_and_keys() {
        insta::assert_snapshot!(drawn(&board(), 100, 30, true));
    }

    #[test]
    fn help_says_what_the_keys_mean_and_all_together_is_a_choice() {
        let mut board = board();
        board.press(KeyAction::Sum);
        assert!(drawn(&board, 100, 30, true).contains("> total"));
        board.press(KeyAction::Help);
        insta::assert_snapshot!(drawn(&board, 90, 24, false));
    }

    #[test]
    fn any_size_of_terminal_and_any_alphabet_can_be_drawn_on() {
        let mut board = board();
        for rows in 0..34 {
            // Every number of columns with some numbers of rows.
            for columns in (rows % 7..110).step_by(7) {
                board.press(if (columns + rows) % 2 == 0 { KeyAction::Down } else { KeyAction::Help });
                assert!(drawn(&board, columns, rows, false).is_ascii());
            }
        }
        let empty = WatchView::new(&board.plan);
        assert!(drawn(&empty, 80, 24, true).contains("waiting for the first sample"));
    }

    #[test]
    fn sizes_of_requests_are_a_key_away_and_stay_while_the_picture_is_held() {
        let mut board = board();
        board.press(KeyAction::Blocks);
        assert!(drawn(&board, 100, 30, true).contains("--trace-blocks"), "without a trace it says what makes one");
        let stretch = |n: u64| {
            let mut device =
                model::measured::TracedDevice { name: "vdb".into(), over: vec!["sda".into()], ..Default::default() };
            let ops = device.role_mut("data").kinds.entry(model::measured::RequestKind::Write).or_default();
            (ops.ops, ops.service) = (n, model::LatencyHistogram::default());
            ops.sizes.add(model::Bytes(8192), n);
            BlockTrace { length: Nanos::from_secs(1), devices: vec![device], ..BlockTrace::default() }
        };
        board.add_trace(&stretch(1200));
        board.add_trace(&stretch(34));
        let screen = drawn(&board, 100, 30, true);
        assert!(
            screen.contains("request sizes at data (vdb), on top of sda, since the start") && screen.contains("1,234"),
            "{screen}"
        );
        board.press(KeyAction::Pause);
        board.add_trace(&stretch(5000));
        assert!(drawn(&board, 100, 30, true).contains("1,234"));
        board.press(KeyAction::Pause);
        board.press(KeyAction::Blocks);
        let last = drawn(&board, 60, 20, false);
        assert!(last.contains("in the last int") && last.contains("5,000") && last.is_ascii(), "{last}");
        board.press(KeyAction::Blocks);
        assert!(drawn(&board, 100, 30, true).contains("IOPS"));
    }

    #[test]
    fn the_processes_of_the_last_interval_are_shown_for_each_traced_device() {
        let mut board = board();
        let line = "data (vdb) by process: 4711 dbench 5,100 IOPS 41.78 MB/s; kworker";
        assert!(!drawn(&board, 100, 30, true).contains(line));
        board.add_trace(&traced_second());
        assert!(drawn(&board, 100, 30, true).contains(line), "{}", drawn(&board, 100, 30, true));
        board.press(KeyAction::Pause);
        board.add_trace(&BlockTrace::default());
        assert!(drawn(&board, 100, 30, true).contains(line), "they stay while the view is paused");
    }

    #[test]
    fn a_held_picture_stays_while_looks_go_on() {
        let mut board = board();
        board.press(KeyAction::Pause);
        let held = drawn(&board, 100, 30, true);
        for i in 41..=50u64 {
            board.add_sample(Nanos::from_secs(i), &samples_of_second(1), &[]);
        }
        let later = drawn(&board, 100, 30, true);
        assert_eq!(held.replace("PAUSED, 0 new samples", "PAUSED, 10 new samples"), later);
        board.press(KeyAction::Pause);
        assert_ne!(drawn(&board, 100, 30, true), later);
    }

    #[test]
    fn a_gap_is_not_bridged() {
        let (record, _) = watched();
        let mut board = WatchView::new(record.plan.watch().expect("a watch"));
        for at in [1u64, 2, 3, 20, 21] {
            board.add_sample(Nanos::from_secs(at), &samples_of_second(1), &[]);
        }
        let runs = board.points("write_ops", 21.0, 60.0);
        assert_eq!(runs.iter().map(Vec::len).collect::<Vec<_>>(), [3, 2]);
    }
}
