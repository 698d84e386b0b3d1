//! Takes what a watch sees: to the journal, to the screen, to the metrics.

use super::export::Exports;
use super::listen::Listener;
use crate::args::Watch;
use crate::keeper::Keeper;
use crate::terminal::{self, remark};
use anyhow::Result;
use model::{CapNow, Limit, Nanos, Plan, RunEvent, Sample, WatchPlan, sampled};
use report::formats::watch::{PlainLines, Totals, write_openmetrics};
use run::{Identity, Progress, Sink, Wishes};

/// How a watch is shown while it goes on.
pub enum View {
    /// Not at all: a document comes at the end.
    Nothing,
    /// Lines, on standard error or on standard output.
    Lines { lines: Box<PlainLines>, to_error: bool },
    /// As a picture on the whole terminal.
    #[cfg(feature = "dashboard")]
    Picture(Box<super::screen::Screen>),
}

impl View {
    /// A picture where somebody sits before a terminal; else lines.
    pub fn choose(options: &Watch, watch: &WatchPlan) -> Result<View> {
        if options.json && !options.plain {
            return Ok(View::Nothing);
        }
        #[cfg(feature = "dashboard")]
        if !options.plain && !options.json && terminal::is_a_seat() {
            return Ok(View::Picture(Box::new(super::screen::Screen::open(watch)?)));
        }
        // Standard output is the command's own, or a document's.
        let to_error = !options.command.is_empty() || options.json;
        Ok(View::Lines { lines: Box::new(PlainLines::new(watch)), to_error })
    }

    /// Whether the whole screen is ours.
    pub fn is_picture(&self) -> bool {
        !matches!(self, View::Nothing | View::Lines { .. })
    }
}

/// The sink of a watch.
pub struct Seen {
    keeper: Keeper,
    view: View,
    exports: Exports,
    listener: Option<Listener>,
    totals: Totals,
    limits: Vec<Limit>,
    watch: WatchPlan,
    /// Nobody reads the lines any more.
    gone: bool,
}

impl Seen {
    pub fn new(
        keeper: Keeper,
        view: View,
        exports: Exports,
        listener: Option<Listener>,
        plan: &Plan,
        identity: &Identity,
    ) -> Seen {
        let watch = plan.watch.as_deref().cloned().expect("a watch's plan has one");
        let totals = Totals::new(&watch, &identity.id, &identity.tool);
        Seen { keeper, view, exports, listener, totals, limits: plan.limits.clone(), watch, gone: false }
    }

    /// Ends the picture; what is left is the run and its files.
    pub fn finish(self) -> (Keeper, Exports) {
        (self.keeper, self.exports)
    }

    fn look(&mut self, at: Nanos, samples: &[Sample]) {
        let caps = analysis::fullness(&self.limits, &self.watch, samples);
        self.show(at, samples, &caps);
        self.totals.look(samples, caps);
        self.metrics(at);
    }

    /// Tells the totals to whoever reads them while the watch goes on.
    fn metrics(&mut self, at: Nanos) {
        if !self.exports.wants_metrics() && self.listener.is_none() {
            return;
        }
        let mut text = Vec::new();
        write_openmetrics(&self.totals, &mut text).expect("a vector takes every byte");
        if let Some(why) = self.exports.metrics(&text) {
            self.note(at, why);
        }
        if let Some(listener) = &self.listener {
            listener.tell(text);
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
                    terminal::print_error(write);
                } else {
                    // The run goes on without its reader.
                    self.gone = terminal::print(write).is_err();
                }
            }
            #[cfg(feature = "dashboard")]
            View::Picture(screen) => screen.look(at, samples, caps),
        }
    }

    /// A remark on the way: in the record, and where lines are shown as one of them.
    fn note(&mut self, at: Nanos, text: String) {
        self.remarked(&text);
        self.keeper.event(RunEvent::Note { at, text });
    }

    fn remarked(&mut self, text: &str) {
        match &mut self.view {
            View::Nothing => {}
            View::Lines { .. } => remark(text),
            #[cfg(feature = "dashboard")]
            View::Picture(screen) => screen.say(text),
        }
    }
}

impl Sink for Seen {
    fn event(&mut self, event: RunEvent) {
        match &event {
            // Sizes that a trace saw are no look.
            RunEvent::Samples { at, samples } if sampled(samples, "sampler.stretch").is_some() => {
                let (at, samples) = (*at, samples.clone());
                self.keeper.event(event);
                self.look(at, &samples);
                return;
            }
            RunEvent::Blocks { trace, .. } => {
                self.totals.blocks(trace);
                #[cfg(feature = "dashboard")]
                if let View::Picture(screen) = &mut self.view {
                    screen.blocks(trace);
                }
            }
            // What came after the last look: a trace ends later.
            RunEvent::End { at, .. } => self.metrics(*at),
            RunEvent::Note { text, .. } => self.remarked(text),
            RunEvent::Caveat(caveat) => self.remarked(&caveat.statement),
            _ => {}
        }
        self.keeper.event(event);
    }

    fn progress(&mut self, _progress: &Progress) {}
}

impl Wishes for Seen {
    fn enough(&mut self, _now: Nanos) -> bool {
        match &mut self.view {
            View::Nothing | View::Lines { .. } => false,
            #[cfg(feature = "dashboard")]
            View::Picture(screen) => screen.tend(),
        }
    }
}
