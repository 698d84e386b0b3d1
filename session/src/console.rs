//! Terminal capabilities, output to the terminal, and the progress line.

use crate::exit::{self, Code, coded};
use anyhow::Result;
use messages::{Language, Sentence, sentence};
use model::{Judgement, Nanos, RunRecord, measured::Phase};
use report::formats::nagios::{self, CheckState};
use report::{Activity, ProgressView, Style};
use run::Progress;
use std::borrow::Cow;
use std::io::{BufWriter, ErrorKind, Write};
use std::sync::OnceLock;
use store::without_passwords;

/// Maximum width in columns; wider lines are hard to read.
const WIDEST: usize = 140;

/// Standard stream for output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StandardStream {
    /// Standard output: results.
    Output,
    /// Standard error: remarks and progress.
    Error,
}

/// Standard streams and the end of the process, which belong to the binary. It [installs](install) them, as a logger is
/// installed: no library prints or exits by itself.
pub trait Console: Sync {
    /// Returns `true` if the stream is a terminal.
    fn is_terminal(&self, stream: StandardStream) -> bool;
    /// Returns the width of a terminal in columns; `None` if it is unknown.
    fn width(&self, stream: StandardStream) -> Option<usize>;
    /// Locks the stream for writing.
    fn writer(&self, stream: StandardStream) -> Box<dyn Write>;
    /// Starts a line on standard error that is rewritten in place.
    fn line(&self) -> Box<dyn Line>;
    /// Ends the process immediately: threads may be stuck in the kernel.
    fn exit_now(&self, code: i32) -> !;
}

/// A line on a terminal that is rewritten in place.
pub trait Line {
    /// Replaces the text, which may have several lines.
    fn set(&self, text: &str);
    /// Prints a line above, which is not overwritten later.
    fn print_above(&self, text: &str);
    /// Removes the line.
    fn clear(&self);
}

static CONSOLE: OnceLock<&'static dyn Console> = OnceLock::new();

/// Installs the console of the process. Later calls have no effect.
pub fn install(console: &'static dyn Console) {
    let _ = CONSOLE.set(console);
}

fn console() -> &'static dyn Console {
    *CONSOLE.get().unwrap_or(&(&Detached as &dyn Console))
}

/// Console of a process that has installed none, such as a unit test: nothing is printed.
struct Detached;

impl Console for Detached {
    fn is_terminal(&self, _: StandardStream) -> bool {
        false
    }

    fn width(&self, _: StandardStream) -> Option<usize> {
        None
    }

    fn writer(&self, _: StandardStream) -> Box<dyn Write> {
        Box::new(std::io::sink())
    }

    fn line(&self) -> Box<dyn Line> {
        Box::new(Detached)
    }

    fn exit_now(&self, code: i32) -> ! {
        panic!("no console is installed: exit code {code}")
    }
}

impl Line for Detached {
    fn set(&self, _: &str) {}

    fn print_above(&self, _: &str) {}

    fn clear(&self) {}
}

/// Returns `true` if the stream is a terminal.
pub fn is_terminal(stream: StandardStream) -> bool {
    console().is_terminal(stream)
}

/// Locks a stream for writing. [`print()`] is used for documents.
pub fn writer(stream: StandardStream) -> Box<dyn Write> {
    console().writer(stream)
}

/// Ends the process immediately, without waiting for its threads.
pub fn exit_now(code: i32) -> ! {
    console().exit_now(code)
}

/// Returns the current style of a stream, whose window may have been resized: plain unless it is a terminal that
/// supports colour.
pub fn style(stream: StandardStream) -> Style {
    let is_terminal = is_terminal(stream);
    let var = |name: &str| std::env::var(name).ok().filter(|v| !v.is_empty());
    let dumb = var("TERM").is_some_and(|t| t == "dumb");
    let color = is_terminal && !dumb && var("NO_COLOR").is_none();
    let locale = var("LC_ALL").or_else(|| var("LC_CTYPE")).or_else(|| var("LANG")).unwrap_or_default();
    let ascii = matches!(locale.as_str(), "C" | "POSIX");
    let width = if is_terminal { console().width(stream) } else { var("COLUMNS").and_then(|c| c.parse().ok()) };
    let width = width.unwrap_or(Style::default().width).clamp(Style::NARROWEST, WIDEST);
    Style { color, unicode: !ascii, width, language: crate::language::chosen() }
}

/// Writes to standard output in its style. A reader that closed the pipe (`secchi show RUN | head`) is not an error.
pub fn print(write: impl FnOnce(&Style, &mut dyn Write) -> std::io::Result<()>) -> Result<()> {
    print_to(StandardStream::Output, write)
}

/// Writes to standard error in its style. Errors are ignored, as in [`remark`].
pub fn print_error(write: impl FnOnce(&Style, &mut dyn Write) -> std::io::Result<()>) {
    let _ = print_to(StandardStream::Error, write);
}

fn print_to(stream: StandardStream, write: impl FnOnce(&Style, &mut dyn Write) -> std::io::Result<()>) -> Result<()> {
    let style = style(stream);
    let mut out = BufWriter::new(writer(stream));
    match write(&style, &mut out).and_then(|()| out.flush()) {
        Err(e) if e.kind() == ErrorKind::BrokenPipe => Ok(()),
        Err(e) => Err(lost(&e)),
        Ok(()) => Ok(()),
    }
}

/// Returns the error for a document that could not be written to standard output.
pub fn lost(error: &std::io::Error) -> anyhow::Error {
    coded(exit::CANNOT, format!("cannot write to standard output: {error}"))
}

/// Amount of detail printed for a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shown {
    /// The answer only, on one screen.
    Answer,
    /// Every figure.
    Full,
    /// The record and its judgement as a document.
    Json,
}

impl Shown {
    /// Returns the amount of detail selected with the two options.
    pub const fn choose(full: bool, json: bool) -> Self {
        match (json, full) {
            (true, _) => Shown::Json,
            (false, true) => Shown::Full,
            (false, false) => Shown::Answer,
        }
    }
}

/// Prints a run and its judgement.
pub fn print_run(record: &RunRecord, judgement: &Judgement, shown: Shown) -> Result<()> {
    print(|style, out| match shown {
        Shown::Answer => report::write_answer(record, judgement, style, out),
        Shown::Full => report::write_terminal(record, judgement, style, out),
        Shown::Json => report::write_json(record, judgement, None, out),
    })
}

/// Converts the outcome of a command into that of a check for a monitoring system. Prints one line to standard output,
/// unless one was printed already, and returns an exit code for monitoring systems.
pub fn as_check(ended: Result<Code>) -> Result<Code> {
    let (state, message) = match ended {
        Ok(exit::HUNG) => (CheckState::Critical, "the device hung or went away".to_owned()),
        // The load process has already printed its line, or a signal ended it.
        Ok(code) if code.0 <= CheckState::Unknown.code() || code.0 > 128 => return Ok(code),
        Ok(code) => (CheckState::Unknown, format!("it ended with exit code {}", code.0)),
        Err(failure) => (CheckState::Unknown, without_passwords(&format!("{failure:#}"))),
    };
    print(|_, out| nagios::write_check(state, &message, &[], out))?;
    Ok(Code(state.code()))
}

/// Prints why there is no result: on standard error, and as a document on standard output if JSON was requested.
pub fn refuse(code: Code, message: &str) {
    let message = &model::text::without_error_numbers(&without_passwords(message));
    remark(message);
    if std::env::args_os().any(|word| word == "--json") {
        // If standard output fails, this was reported before, or no process reads it.
        let _ = print(|_, out| report::write_error(code.0, message, out));
    }
}

/// Prints a remark on standard error as one line. Control characters in file and device names are made harmless. Errors
/// are ignored, because a message to the user must not end a run.
pub fn remark(text: &str) {
    print_aside(&format!(
        "secchi: {}\n",
        report::harmless(&model::text::without_error_numbers(&without_passwords(text)))
    ));
}

/// Prints one line of diagnostics on standard error. Control characters and passwords are removed, and errors ignored.
pub fn diagnostic(line: &str) {
    print_aside(&(report::harmless(&without_passwords(line.trim_end())) + "\n"));
}

/// Prints a remark in the reader's language, if the terminal supports its letters.
pub fn remark_of(sentence: &Sentence) {
    remark(&translate(sentence));
}

/// Prints a remark that is not a failure, and only on a terminal. Used by commands that replace another tool, because
/// callers of that tool treat output on standard error as a failure.
pub fn aside_of(sentence: &Sentence) {
    if is_terminal(StandardStream::Error) {
        remark_of(sentence);
    }
}

/// Translates a sentence into the reader's language, if the terminal supports its letters.
pub fn translate(sentence: &Sentence) -> Cow<'_, str> {
    let Style { unicode, language, .. } = style(StandardStream::Error);
    messages::translate(if unicode { language } else { Language::English }, sentence)
}

/// Writes text to standard error, ignoring errors.
pub fn print_aside(text: &str) {
    // Write in one call, so that the lines of several processes do not mix.
    let _ = writer(StandardStream::Error).write_all(text.as_bytes());
}

/// The live line on standard error: rewritten in place on a terminal, one line per step elsewhere.
pub struct Live {
    line: Option<Box<dyn Line>>,
    said: Option<(usize, String)>,
    warned: bool,
    /// True if steps are not printed when there is no terminal.
    silent: bool,
}

impl Live {
    /// Creates a live line that shows nothing if `quiet`.
    pub fn new(quiet: bool) -> Self {
        let line = (!quiet && is_terminal(StandardStream::Error)).then(|| console().line());
        Live { line, said: None, warned: false, silent: false }
    }

    /// Creates a live line that never prints steps, for runs in the background.
    pub fn silent() -> Self {
        Live { silent: true, ..Live::new(true) }
    }

    /// Shows the current activity while there are no figures yet.
    pub fn status(&self, text: &str) {
        if let Some(line) = &self.line {
            line.set(text);
        }
    }

    /// Returns `true` if standard error is a terminal on which the line can be rewritten.
    pub fn is_watched(&self) -> bool {
        self.line.is_some()
    }

    /// Shows a text of several lines, formatted in the style of standard error.
    pub fn block(&mut self, p: &Progress, text: &str) {
        self.warn(p);
        self.status(text);
    }

    fn warn(&mut self, p: &Progress) {
        if let Some(warning) = &p.warning {
            if !self.warned {
                self.line(&format!("warning: {warning}"));
            }
            self.warned = true;
        } else {
            self.warned = false;
        }
    }

    /// Shows the progress of the run.
    pub fn show(&mut self, p: &Progress) {
        self.warn(p);
        let filling = p.step == 0;
        match &self.line {
            Some(line) if p.jobs.is_some() => line.set(&eta(p)),
            Some(line) => line.set(&progress_text(p)),
            // As in fio, print nothing without a terminal.
            None if p.jobs.is_some() || self.silent => {}
            None => {
                // In a log, one line per step is enough.
                let label = if filling { "fill".to_owned() } else { p.label.clone() };
                if self.said.as_ref() != Some(&(p.step, label.clone())) {
                    let (step, n) = (p.label.as_str(), p.concurrency);
                    let what = match (filling, p.hold) {
                        (true, _) => step.into(),
                        (false, true) => sentence!("remark-step-held", label = step, n),
                        (false, false) => sentence!("remark-step", label = step, n),
                    };
                    print_aside(&format!("secchi: [{:>5.1} s] {}\n", p.elapsed.secs(), translate(&what)));
                    self.said = Some((p.step, label));
                }
            }
        }
    }

    /// Prints a line that is not overwritten later.
    pub fn line(&self, text: &str) {
        match &self.line {
            Some(line) => line.print_above(&report::harmless(text)),
            None => remark(text),
        }
    }

    /// Removes the live line.
    pub fn clear(&self) {
        if let Some(line) = &self.line {
            line.clear();
        }
    }
}

/// Returns the progress line of a run, in the style of standard error.
pub fn progress_text(p: &Progress) -> String {
    let filling = p.step == 0;
    let view = ProgressView {
        label: p.label.clone(),
        activity: match (filling, p.phase, p.hold) {
            (true, ..) => Activity::Fill,
            (_, Phase::Ramp, _) => Activity::Warmup,
            (_, Phase::Drain, _) => Activity::Drain,
            (_, Phase::Measure, true) => Activity::Hold,
            (_, Phase::Measure, false) => Activity::Measure,
        },
        in_flight: (!filling).then_some(p.concurrency),
        iops: (p.iops.per_second() > 0.0).then_some(p.iops),
        bandwidth: (p.bandwidth.per_second() > 0.0).then_some(p.bandwidth),
        latency: p.latency,
        step: p.step,
        steps: p.steps,
        elapsed: p.elapsed,
        remaining: Some(p.left),
    };
    report::progress_line(&view, &style(StandardStream::Error))
}

/// Returns fio's progress line for jobs; empty for other runs.
pub fn eta(p: &Progress) -> String {
    let Some(jobs) = &p.jobs else { return String::new() };
    /// Longer estimates mean that the job has no time limit.
    const UNKNOWN: u64 = Nanos::from_days(300).as_nanos();
    report::eta_line(&report::EtaView {
        running: jobs.running,
        files: jobs.files,
        states: &jobs.states,
        rates: jobs.rates,
        elapsed: p.elapsed,
        left: Some(p.left).filter(|left| left.as_nanos() < UNKNOWN),
    })
}
