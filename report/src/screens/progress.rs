//! The live progress line: one line of text with the current state. The binary updates it from the run's events and
//! rewrites it in place.

use crate::Style;
use crate::widgets::figures::{clock, megabytes};
use crate::widgets::ink::Ink;
use crate::widgets::page::Page;
use crate::widgets::text::{Hue, Line, Paint};
use messages::message;
use model::{BytesPerSecond, Iops, Nanos, units::thousands};

/// Current activity of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Activity {
    /// Writing the test file.
    Fill,
    /// Running load whose figures do not count yet.
    Warmup,
    /// Running load whose figures count.
    Measure,
    /// Repeating the best level for longer.
    Hold,
    /// Waiting for operations in flight.
    Drain,
}

impl Activity {
    /// Returns the message ID for the activity.
    const fn word(self) -> &'static str {
        match self {
            Activity::Fill => "doing-fill",
            Activity::Warmup => "board-ramp",
            Activity::Measure => "board-measure",
            Activity::Hold => "board-hold",
            Activity::Drain => "board-drain",
        }
    }
}

/// Current state of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct ProgressView {
    /// Label of the workload, such as `8k randread`; the target's label if there is no workload yet.
    pub label: String,
    /// Current activity.
    pub activity: Activity,
    /// Operations in flight over all threads, if fixed.
    pub in_flight: Option<u32>,
    /// Operations per second over the last interval.
    pub iops: Option<Iops>,
    /// Bytes per second over the last interval.
    pub bandwidth: Option<BytesPerSecond>,
    /// Mean latency over the last interval.
    pub latency: Option<Nanos>,
    /// Number of the current step, from 1; 0 before the first.
    pub step: usize,
    /// Maximum number of steps: a ramp may end before its last level.
    pub steps: usize,
    /// Time since the start of the run.
    pub elapsed: Nanos,
    /// Maximum remaining time, if known.
    pub remaining: Option<Nanos>,
}

/// Returns the progress line, at most `style.width` columns wide, without a line end. If it does not fit, parts are
/// dropped in this order: the bar, the bandwidth, the activity, the latency, the IOPS.
#[must_use]
pub fn progress_line(view: &ProgressView, style: &Style) -> String {
    let ink = Ink::new(style);
    let mut parts = parts(view, ink);
    let mut line = joined(&parts);
    for rank in 1..=5 {
        if line.width() > ink.width {
            parts.retain(|(kept, _)| *kept != rank);
            line = joined(&parts);
        }
    }
    let mut out = Vec::new();
    Page::new(style, &mut out).line(line).expect("a vector takes every byte");
    let mut text = String::from_utf8(out).expect("only text is written");
    text.truncate(text.trim_end().len());
    text
}

/// Returns the parts of the line in order. The part with rank 1 is dropped first; rank 0 is never dropped.
fn parts(view: &ProgressView, ink: Ink) -> Vec<(u8, Line)> {
    let mut list = Vec::with_capacity(7);
    if let Some(share) = share(view) {
        list.push((1, ink.bar(share, 16, Paint::new(Hue::Measured))));
    }
    let mut label = Line::new();
    if view.steps > 0 {
        let digits = view.steps.to_string().len();
        label.push(format!("{:>digits$}/{} ", view.step, view.steps), Paint::DIM);
    }
    label.push(ink.clipped(&view.label, 28), Paint::BOLD);
    if let Some(n) = view.in_flight {
        label.push(format!(" {}{n}", ink.glyphs().times), Paint::BOLD);
    }
    list.push((0, label));
    list.push((3, Line::new().with(ink.word(view.activity.word()), Paint::DIM)));
    let figure = |number: String, unit: &str| {
        Line::new().with(ink.group(&number), Paint::PLAIN).with(format!(" {unit}"), Paint::DIM)
    };
    list.extend(view.iops.map(|v| (5, figure(thousands(v.per_second()), "IOPS"))));
    list.extend(view.bandwidth.map(|v| (2, figure(megabytes(v), "MB/s"))));
    list.extend(view.latency.map(|v| (4, crate::widgets::figures::latency(v, Paint::PLAIN))));
    let mut time = Line::plain(clock(view.elapsed));
    if let Some(left) = view.remaining {
        time.push(format!(", {}", ink.format(&message!("doing-left", left = clock(left)))), Paint::DIM);
    }
    list.push((0, time));
    list
}

fn joined(parts: &[(u8, Line)]) -> Line {
    let mut line = Line::new();
    for (i, (_, part)) in parts.iter().enumerate() {
        line.push(if i > 0 { "  " } else { "" }, Paint::PLAIN);
        line.append(part.clone());
    }
    line
}

/// Returns the elapsed share of the total time, from 0 to 1.
fn share(view: &ProgressView) -> Option<f64> {
    let (done, left) = (view.elapsed.secs(), view.remaining?.secs());
    (done + left > 0.0).then(|| done / (done + left))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::widgets::text::width;

    fn view() -> ProgressView {
        ProgressView {
            label: "8k randread".into(),
            activity: Activity::Measure,
            in_flight: Some(16),
            iops: Some(Iops(5_998.0)),
            bandwidth: Some(BytesPerSecond(49_135_616.0)),
            latency: Some(Nanos::from_micros(2_660)),
            step: 7,
            steps: 31,
            elapsed: Nanos::from_secs(104),
            remaining: Some(Nanos::from_secs(187)),
        }
    }

    fn at(width: usize, unicode: bool) -> String {
        progress_line(&view(), &Style { color: false, unicode, width, language: messages::Language::English })
    }

    #[test]
    fn a_wide_line_tells_everything() {
        insta::assert_snapshot!(at(120, true));
        insta::assert_snapshot!(at(120, false));
    }

    #[test]
    fn a_narrow_line_keeps_what_is_measured_and_how_long_it_takes() {
        insta::assert_snapshot!(at(60, true));
        for columns in 40..140 {
            let text = at(columns, true);
            assert!(width(&text) <= columns, "{text}");
            assert!(text.contains("8k randread") && text.contains("1:44"), "{text}");
        }
    }

    #[test]
    fn a_fill_has_no_step_and_no_rate() {
        let view = ProgressView {
            label: "/data".into(),
            activity: Activity::Fill,
            in_flight: None,
            iops: None,
            bandwidth: None,
            latency: None,
            step: 0,
            steps: 0,
            elapsed: Nanos::from_secs(1),
            remaining: None,
        };
        assert_eq!(progress_line(&view, &Style::default()), "/data  filling  0:01");
    }

    #[test]
    fn a_hostile_label_cannot_leave_the_line() {
        let mut v = view();
        v.label = "a\n\x1b[2J\u{202e}b".into();
        let text = progress_line(&v, &Style::default());
        assert!(!text.contains(crate::widgets::sanitise::is_harmful), "{text:?}");
    }
}
