//! What the terminal can show, and the progress line.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use model::Phase;
use report::{Activity, ProgressView, Style};
use run::Progress;
use std::io::IsTerminal;

/// Style for a stream: plain unless it is a terminal that wants colour.
pub fn style(is_terminal: bool) -> Style {
    let var = |name: &str| std::env::var(name).ok().filter(|v| !v.is_empty());
    let dumb = var("TERM").is_some_and(|t| t == "dumb");
    let color = is_terminal && !dumb && var("NO_COLOR").is_none();
    let locale = var("LC_ALL").or_else(|| var("LC_CTYPE")).or_else(|| var("LANG")).unwrap_or_default();
    let ascii = matches!(locale.as_str(), "C" | "POSIX");
    let width = if is_terminal {
        rustix::termios::tcgetwinsize(std::io::stdout()).ok().map(|size| usize::from(size.ws_col)).filter(|w| *w > 0)
    } else {
        var("COLUMNS").and_then(|c| c.parse().ok())
    };
    Style { color, unicode: !ascii, width: width.unwrap_or(100).clamp(60, 140) }
}

/// Style of standard output.
pub fn stdout_style() -> Style {
    style(std::io::stdout().is_terminal())
}

/// The live line on standard error: rewritten in place on a terminal, one line per step elsewhere.
pub struct Live {
    bar: Option<ProgressBar>,
    style: Style,
    said: Option<(usize, String)>,
    warned: bool,
}

impl Live {
    /// Shows nothing when `quiet`.
    pub fn new(quiet: bool) -> Self {
        let on_terminal = std::io::stderr().is_terminal();
        let style = style(on_terminal);
        let bar = (on_terminal && !quiet).then(|| {
            let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
            bar.set_style(ProgressStyle::with_template("{msg}").expect("a fixed template"));
            bar
        });
        Live { bar, style, said: None, warned: false }
    }

    /// Says what is being done before there are figures.
    pub fn say(&self, text: &str) {
        if let Some(bar) = &self.bar {
            bar.set_message(text.to_owned());
        }
    }

    /// Shows where the run is.
    pub fn show(&mut self, p: &Progress) {
        if let Some(warning) = &p.warning {
            if !self.warned {
                self.line(&format!("warning: {warning}"));
            }
            self.warned = true;
        } else {
            self.warned = false;
        }
        let filling = p.step == 0;
        match &self.bar {
            Some(bar) => bar.set_message(report::progress_line(&view(p, filling), &self.style)),
            None => {
                // In a log, one line per step is enough.
                let label = if filling { "fill".to_owned() } else { p.label.clone() };
                if self.said.as_ref() != Some(&(p.step, label.clone())) {
                    let what = match (filling, p.hold) {
                        (true, _) => p.label.clone(),
                        (false, true) => format!("{}, {} in flight, held", p.label, p.concurrency),
                        (false, false) => format!("{}, {} in flight", p.label, p.concurrency),
                    };
                    eprintln!("secchi: [{:>5.1} s] {what}", p.elapsed.secs());
                    self.said = Some((p.step, label));
                }
            }
        }
    }

    /// A line that stays.
    pub fn line(&self, text: &str) {
        match &self.bar {
            Some(bar) => bar.println(text),
            None => eprintln!("secchi: {text}"),
        }
    }

    /// Takes the live line away.
    pub fn clear(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

fn view(p: &Progress, filling: bool) -> ProgressView {
    ProgressView {
        label: p.label.clone(),
        activity: match (filling, p.phase, p.hold) {
            (true, ..) => Activity::Fill,
            (_, Phase::Ramp, _) => Activity::Warmup,
            (_, Phase::Drain, _) => Activity::Drain,
            (_, Phase::Measure, true) => Activity::Hold,
            (_, Phase::Measure, false) => Activity::Measure,
        },
        in_flight: (!filling).then_some(p.concurrency),
        iops: (p.iops.0 > 0.0).then_some(p.iops),
        bandwidth: (p.bandwidth.0 > 0.0).then_some(p.bandwidth),
        latency: p.latency,
        step: p.step,
        steps: p.steps,
        elapsed: p.elapsed,
        remaining: Some(p.left),
    }
}
