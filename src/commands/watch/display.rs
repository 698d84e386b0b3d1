//! The display of a watch, its alarms and its metrics.

use super::export::Exports;
use super::listen::Listener;
use anyhow::Result;
use cli::Watch;
use messages::{Sentence, sentence};
use model::measured::{Sample, sampled};
use model::{Limit, Nanos, Plan, RunEvent, bounds::Alarm, judged::CapNow, plan::WatchPlan};
use report::formats::metrics::MetricsFormat;
use report::formats::watch::{PlainLines, Totals};
use run::{Identity, Progress, Sink};
use session::Observer;
use session::console::{self, remark_of};
use session::journal_sink::JournalSink;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// Display of a watch in progress.
pub enum View {
    /// No display; a document is printed at the end.
    Nothing,
    /// Lines on standard error or standard output.
    Lines { lines: Box<PlainLines>, to_error: bool },
    /// A live display on the whole terminal.
    #[cfg(feature = "dashboard")]
    Picture(Box<super::screen::Screen>),
}

impl View {
    /// Chooses the live display on an interactive terminal, and lines otherwise.
    pub fn choose(options: &Watch, watch: &WatchPlan) -> Result<View> {
        if options.json && !options.plain {
            return Ok(View::Nothing);
        }
        #[cfg(feature = "dashboard")]
        if !options.plain && !options.one_line && !options.json && crate::console::is_interactive() {
            return Ok(View::Picture(Box::new(super::screen::Screen::open(watch)?)));
        }
        // Standard output is reserved for the command's output or for the document.
        let to_error = !options.command.is_empty() || options.json;
        let lines = if options.one_line { PlainLines::with_one_line_each(watch) } else { PlainLines::new(watch) };
        Ok(View::Lines { lines: Box::new(lines), to_error })
    }

    /// Returns `true` if the display uses the whole screen.
    pub fn is_picture(&self) -> bool {
        !matches!(self, View::Nothing | View::Lines { .. })
    }
}

/// Shows samples, raises alarms and publishes metrics.
pub struct WatchDisplay {
    view: View,
    exports: Exports,
    listener: Option<Listener>,
    totals: Totals,
    limits: Vec<Limit>,
    watch: WatchPlan,
    /// True if no process reads the lines any more.
    gone: bool,
    alerts: analysis::AlertWatch,
    /// p99 by device, from the trace since the last sample.
    p99: Vec<(String, Nanos)>,
    /// Reaction to an alarm.
    pub hooks: Hooks,
    /// True if the first alarm ends the watch.
    pub until_alert: bool,
    raised: bool,
    /// Flag that ends the watch once it is set.
    pub enough: Option<Arc<AtomicBool>>,
}

/// A command that is run in a shell for each alarm.
#[derive(Default)]
pub struct Hooks {
    /// Command; `None` if nothing is run.
    pub command: Option<String>,
    running: Vec<Child>,
}

impl Hooks {
    /// Starts the command in the background. Returns a sentence if it cannot be started.
    fn run(&mut self, alarm: &Alarm) -> Option<String> {
        self.running.retain_mut(|child| !matches!(child.try_wait(), Ok(Some(_))));
        let command = self.command.as_ref()?;
        let began = Command::new("/bin/sh")
            .args(["-c", command])
            .env("SECCHI_ALERT", &alarm.alert)
            .env("SECCHI_OF", &alarm.of)
            .env("SECCHI_VALUE", alarm.figure.format(alarm.worst))
            .stdin(Stdio::null())
            // Standard output is reserved for the lines of the watch or its document.
            .stdout(std::io::stderr())
            .spawn();
        match began {
            Ok(child) => {
                self.running.push(child);
                None
            }
            Err(error) => Some(format!("the command of --on-alert could not be started: {error}")),
        }
    }

    /// Waits for alarm commands that are still running, because the user requested them.
    fn finish(&mut self) {
        for child in &mut self.running {
            let _ = child.wait();
        }
    }
}

impl WatchDisplay {
    pub fn new(
        view: View,
        exports: Exports,
        listener: Option<Listener>,
        plan: &Plan,
        identity: &Identity,
    ) -> WatchDisplay {
        let watch = plan.watch().cloned().expect("the plan of a watch has watch settings");
        WatchDisplay {
            view,
            exports,
            listener,
            totals: Totals::new(&watch, &identity.id, &identity.tool),
            limits: plan.limits.clone(),
            gone: false,
            alerts: analysis::AlertWatch::new(&watch),
            watch,
            p99: Vec::new(),
            hooks: Hooks::default(),
            until_alert: false,
            raised: false,
            enough: None,
        }
    }

    /// Closes the display. Returns the output files.
    pub fn finish(mut self) -> Exports {
        self.hooks.finish();
        self.exports
    }

    fn show_samples(&mut self, at: Nanos, samples: &[Sample], journal: &mut JournalSink) {
        let caps = analysis::fullness(&self.limits, &self.watch, samples);
        self.show(at, samples, &caps);
        let p99 = std::mem::take(&mut self.p99);
        for alarm in self.alerts.update(at, samples, &caps, &p99) {
            self.alarm(alarm, journal);
        }
        self.totals.add_sample(samples, caps);
        self.metrics(at, journal);
    }

    /// Handles an alarm that was raised or has ended.
    fn alarm(&mut self, alarm: Alarm, journal: &mut JournalSink) {
        match alarm.until {
            None => {
                self.raised = true;
                self.alarmed(&sentence!("alarm-raised", alarm = alarm.to_message()));
                if let Some(error) = self.hooks.run(&alarm) {
                    self.note(alarm.at, error.into(), journal);
                }
            }
            Some(end) => {
                self.alarmed(&sentence!("alarm-over", time = end.since(alarm.since), alarm = alarm.to_message()));
            }
        }
        journal.event(RunEvent::Alarm(Box::new(alarm)));
    }

    /// Prints an alarm, even if the watch has no display.
    fn alarmed(&mut self, text: &Sentence) {
        match self.view {
            View::Nothing => remark_of(text),
            _ => self.remarked(text),
        }
    }

    /// Publishes the totals to the file for Prometheus and the listener.
    fn metrics(&mut self, at: Nanos, journal: &mut JournalSink) {
        if !self.exports.wants_metrics() && self.listener.is_none() {
            return;
        }
        let metrics = self.totals.metrics();
        if self.exports.wants_metrics()
            && let Some(error) = self.exports.metrics(&metrics.format(MetricsFormat::Text))
        {
            self.note(at, error.into(), journal);
        }
        if let Some(listener) = &self.listener {
            listener.publish(metrics);
        }
    }

    fn show(&mut self, at: Nanos, samples: &[Sample], caps: &[CapNow]) {
        match &mut self.view {
            View::Nothing => {}
            View::Lines { .. } if self.gone => {}
            View::Lines { lines, to_error } => {
                let write =
                    |style: &report::Style, out: &mut dyn std::io::Write| lines.write(at, samples, caps, style, out);
                if *to_error {
                    console::print_error(write);
                } else {
                    // The run continues after the reader of the lines has gone.
                    self.gone = console::print(write).is_err();
                }
            }
            #[cfg(feature = "dashboard")]
            View::Picture(screen) => screen.draw(at, samples, caps),
        }
    }

    /// Adds a note to the record, and prints it if lines are shown.
    fn note(&mut self, at: Nanos, text: Sentence, journal: &mut JournalSink) {
        self.remarked(&text);
        journal.event(RunEvent::Note { at, text });
    }

    fn remarked(&mut self, text: &Sentence) {
        match &mut self.view {
            View::Nothing => {}
            View::Lines { .. } => remark_of(text),
            #[cfg(feature = "dashboard")]
            View::Picture(screen) => screen.set_message(&console::translate(text)),
        }
    }
}

impl Observer for WatchDisplay {
    fn event(&mut self, event: RunEvent, journal: &mut JournalSink) {
        match &event {
            // Sizes from a trace also arrive as samples, but they are not a sample of the devices.
            RunEvent::Samples { at, samples } if sampled(samples, "sampler.stretch").is_some() => {
                let (at, samples) = (*at, samples.clone());
                journal.event(event);
                self.show_samples(at, &samples, journal);
                return;
            }
            RunEvent::Blocks { trace, .. } => {
                self.totals.add_trace(trace);
                self.p99 = trace.p99_by_device();
                match &mut self.view {
                    View::Nothing => {}
                    View::Lines { lines, .. } => lines.add_trace(trace),
                    #[cfg(feature = "dashboard")]
                    View::Picture(screen) => screen.blocks(trace),
                }
            }
            // Publish what has arrived after the last sample, because a trace ends later than the samples.
            RunEvent::End { at, .. } => self.metrics(*at, journal),
            RunEvent::Note { text, .. } => self.remarked(text),
            RunEvent::Caveat(caveat) => self.remarked(&caveat.statement),
            _ => {}
        }
        journal.event(event);
    }

    fn progress(&mut self, _progress: &Progress, _journal: &mut JournalSink) {}

    fn wants_stop(&mut self) -> bool {
        if self.until_alert && self.raised {
            return true;
        }
        if self.enough.as_ref().is_some_and(|enough| enough.load(Relaxed)) {
            return true;
        }
        match &mut self.view {
            View::Nothing | View::Lines { .. } => false,
            #[cfg(feature = "dashboard")]
            View::Picture(screen) => screen.handle_keys(),
        }
    }
}
