//! Output when each request completes (its line, its statistics, the chart), and the summary at the end.

use super::code;
use super::files::places_of_hosts;
use super::options::Options;
use anyhow::Result;
use jiff::Timestamp;
use jiff::tz::TimeZone;
use load::pacer::Metronome;
use load::recorder::Entry;
use messages::{Sentence, sentence};
use model::record::{PingPlace, PingStats, Pinged, Results, Standing, Step, StepStop};
use model::{Bytes, Caveat, Nanos, RunEvent, RunRecord, RunState, Severity};
use report::formats::ioping::{
    self, JsonTime, Marks, PingRequest, Slice, json_begin, json_end, json_request, json_statistics,
};
use report::formats::nagios::{CheckState, Performance, write_check};
use run::{Interrupt, Progress, Sink};
use session::console::{self, StandardStream, remark, remark_of};
use session::exit::{self, Code};
use session::journal_sink::JournalSink;
use session::result_files::ResultFiles;
use session::{JudgedRun, Observer, Session};
use std::borrow::Cow;
use std::collections::VecDeque;
use std::io::{ErrorKind, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use sys::clock::Clock;

/// Maximum number of columns in the chart.
const SLICES: usize = 200;
/// Minimum time per column of the chart. Requests that complete within this time share a column.
const SLICE: Nanos = Nanos::from_millis(100);

/// Requests of one host.
struct HostPing {
    pinged: Pinged,
    /// Statistics since the last raw output.
    part: PingStats,
    part_ends: Nanos,
    /// Due time of the next request, available after the first one.
    metronome: Option<Metronome>,
    number: u64,
    last: Nanos,
}

impl HostPing {
    fn new(options: &Options, place: PingPlace) -> HostPing {
        HostPing {
            pinged: Pinged {
                place,
                block: Bytes(options.block),
                way: options.way,
                from_due: options.from_due,
                ..Pinged::default()
            },
            part: PingStats::default(),
            part_ends: Nanos(u64::MAX),
            metronome: None,
            number: 0,
            last: Nanos(0),
        }
    }

    fn begin(&mut self, options: &Options, start: Nanos) {
        self.pinged.total = PingStats::begin(start);
        self.part = PingStats::begin(start);
        self.part_ends = start.saturating_add(options.every_time);
        self.metronome = Some(Metronome::new(options.request_interval(), start));
    }
}

/// Prints requests and records their statistics.
pub struct PingPrinter<'a> {
    options: &'a Options,
    /// Hosts, indexed by the number of their step. There is only one unless the run is on many hosts.
    hosts: Vec<HostPing>,
    /// Time on the run's clock, and the wall-clock time at the same moment.
    zero: (Nanos, Timestamp),
    zone: TimeZone,
    text: String,
    /// True if the JSON array has no elements yet.
    first: bool,
    interrupt: Interrupt,
    /// True if SIGUSR1 requested the statistics.
    asked: Arc<AtomicBool>,
    slices: VecDeque<Slice>,
    slice: (Nanos, PingStats),
    waited: Nanos,
    gone: bool,
    /// Error from writing to standard output.
    lost: Option<anyhow::Error>,
    results: ResultFiles,
}

impl<'a> PingPrinter<'a> {
    /// Returns a printer. It prints intermediate statistics when the session requests a report.
    pub fn new(session: &Session, options: &'a Options, place: PingPlace, results: ResultFiles) -> Self {
        let mut text = String::new();
        if options.json {
            json_begin(&mut text);
        }
        PingPrinter {
            options,
            hosts: vec![HostPing::new(options, place)],
            zero: (Nanos(session.clock.now()), Timestamp::now()),
            zone: TimeZone::system(),
            text,
            first: true,
            interrupt: session.interrupt.clone(),
            asked: session.lifeline.report_wanted(),
            slices: VecDeque::new(),
            slice: (Nanos(0), PingStats::default()),
            waited: Nanos(0),
            gone: false,
            lost: None,
            results,
        }
    }

    /// Returns the results of all hosts together, or of the only host.
    fn pinged(&self) -> Cow<'_, Pinged> {
        match self.hosts.as_slice() {
            [alone] => Cow::Borrowed(&alone.pinged),
            several => {
                Cow::Owned(Pinged::of_hosts(&several.iter().map(|host| host.pinged.clone()).collect::<Vec<_>>()))
            }
        }
    }

    /// Returns the total number of requests on all hosts.
    fn number(&self) -> u64 {
        self.hosts.iter().map(|host| host.number).sum()
    }

    fn has_begun(&self) -> bool {
        self.hosts.iter().any(|host| host.metronome.is_some())
    }

    fn add_request(&mut self, which: usize, entry: &Entry) {
        let ended = Nanos(entry.time);
        let start = Nanos(entry.time - entry.latency - entry.submission);
        if !self.has_begun() {
            self.slice = (start, PingStats::begin(start));
        }
        let options = self.options;
        let Some(host) = self.hosts.get_mut(which) else { return };
        if host.metronome.is_none() {
            host.begin(options, start);
        }
        host.number += 1;
        host.last = ended;
        // `submission` is the wait since the request was due.
        let waited = if options.from_due { entry.submission } else { 0 };
        let time = Nanos(entry.latency + waited);
        let due = host.metronome.as_mut().map_or(ended, |metronome| {
            metronome.ended(ended);
            metronome.due()
        });
        let (mut notice, mut counts) = (None, false);
        if entry.errno == 0 {
            let standing = options.rule.standing(host.number, time);
            host.part.add(time, standing);
            host.pinged.total.add(time, standing);
            notice = ioping::notice(options.marks, &host.part, standing, time);
            counts = standing == Standing::Counts;
            self.waited = self.waited.max(Nanos(waited));
            if u64::from(entry.len) < options.block {
                let whose = ioping::host(&host.pinged.place);
                remark_of(&sentence!("remark-ping-short", whose, number = host.number, bytes = entry.len));
            }
        } else {
            notice = Some(error_name(entry.errno)).or(notice);
        }
        host.pinged.total.finish = ended;
        let request = PingRequest {
            number: host.number,
            op: entry.op,
            offset: entry.at,
            moved: entry.len.into(),
            time,
            notice,
            counts,
        };
        self.chart(ended, time);
        self.line(which, &request, ended);
        self.period(which, ended, due);
    }

    fn line(&mut self, which: usize, request: &PingRequest, at: Nanos) {
        let options = self.options;
        if options.quiet || options.live {
            return;
        }
        if options.json {
            let at = self.json_time(at);
            json_request(self.first, &at, &self.hosts[which].pinged.place, request, &mut self.text);
            self.first = false;
            return;
        }
        if let Some(format) = &options.clock {
            self.text.push_str(&self.local(at, format));
            self.text.push(' ');
        }
        ioping::request_line(&self.hosts[which].pinged.place, options.marks, request, &mut self.text);
        self.text.push('\n');
        // An empty line follows each burst.
        if options.burst > 0 && request.number.is_multiple_of(options.burst) {
            self.text.push('\n');
        }
    }

    /// Prints the raw statistics of a host if they are due. `due` is when the host's next request is due.
    fn period(&mut self, which: usize, now: Nanos, due: Nanos) {
        let options = self.options;
        let HostPing { part, part_ends, .. } = &self.hosts[which];
        let enough = options.every > 0 && part.times.count() >= options.every;
        let late = !options.every_time.is_zero() && due >= *part_ends;
        if !enough && !late {
            return;
        }
        let at = options.json.then(|| self.json_time(now));
        let HostPing { pinged, part, part_ends, .. } = &mut self.hosts[which];
        part.finish = now;
        if let Some(at) = at {
            json_statistics(self.first, &at, &pinged.place, (part, options.block), false, &mut self.text);
            self.first = false;
        } else {
            self.text.push_str(&ioping::host(&pinged.place));
            ioping::raw(part, options.block, &mut self.text);
        }
        *part = PingStats::begin(now);
        *part_ends = now.saturating_add(options.every_time);
    }

    fn chart(&mut self, now: Nanos, time: Nanos) {
        if !self.options.live {
            return;
        }
        self.slice.1.add(time, Standing::Counts);
        if now.since(self.slice.0) < SLICE && self.options.interval < SLICE {
            return;
        }
        let (Some(mean), Some(longest)) = (self.slice.1.times.mean(), self.slice.1.times.max()) else { return };
        if self.slices.len() == SLICES {
            self.slices.pop_front();
        }
        self.slices.push_back(Slice { mean, longest });
        self.slice = (now, PingStats::begin(now));
    }

    fn draw(&self, journal: &JournalSink) {
        let slices: Vec<Slice> = self.slices.iter().copied().collect();
        let chart = ioping::live_chart(&self.pinged(), &slices, &console::style(StandardStream::Error));
        journal.live.status(&chart);
    }

    fn wall(&self, at: Nanos) -> Timestamp {
        let since = jiff::SignedDuration::from_nanos(at.since(self.zero.0).as_nanos() as i64);
        self.zero.1.checked_add(since).unwrap_or(self.zero.1)
    }

    fn local(&self, at: Nanos, format: &str) -> String {
        // The format was tested when the options were parsed.
        self.wall(at).to_zoned(self.zone.clone()).strftime(format).to_string()
    }

    fn json_time(&self, at: Nanos) -> JsonTime {
        let format = self.options.clock.as_deref().unwrap_or("%Y-%m-%dT%H:%M:%S%z");
        JsonTime { seconds: self.wall(at).as_nanosecond() as f64 / 1e9, local: self.local(at, format) }
    }

    fn write_out(&mut self) {
        let mut out = console::writer(StandardStream::Output);
        let written = out.write_all(self.text.as_bytes()).and_then(|()| out.flush());
        self.text.clear();
        if let Err(error) = written
            && !self.gone
        {
            self.gone = true;
            if error.kind() == ErrorKind::BrokenPipe {
                // Ends the run as SIGPIPE would, because there is no reader any more.
                self.interrupt.0.store(sys::process::signal::PIPE.unsigned_abs(), Relaxed);
            } else {
                // Measuring and recording continue without the output.
                let lost = console::lost(&error);
                remark(&format!("{lost:#}"));
                self.lost = Some(lost);
            }
        }
    }

    /// Prints the final statistics and closes the journal.
    pub fn finish(mut self, mut run: JudgedRun) -> Result<Code> {
        let (record, judgement) = (&run.record, &run.judgement);
        let doubts = &judgement.caveats;
        let invalid = doubts.iter().find(|c| c.severity == Severity::Invalid);
        // As in ioping, a run that could not begin has no statistics.
        if self.number() > 0 || record.state == RunState::Complete || record.state == RunState::Stopped {
            self.closing();
            if let Err(lost) = self.print_percentiles(record, doubts) {
                remark(&format!("{lost:#}"));
                self.lost = Some(lost);
            }
        }
        if let Err(lost) = self.results.write(record, judgement) {
            remark(&format!("{lost:#}"));
            self.lost.get_or_insert(lost);
        }
        if self.options.nagios {
            return self.check(run);
        }
        let (mut code, reason) = self.outcome(record, doubts);
        if let Some(lost) = &self.lost
            && code.0 <= code::RUNNING.0
        {
            code = exit::code_of(lost);
        }
        if let Some(reason) = &reason {
            remark(reason);
        }
        let summary = verdict(&self.pinged(), &record.reason);
        let summary = match invalid {
            Some(c) => sentence!("run-not-valid-then", why = &c.statement, told = summary),
            None => summary,
        };
        run.close(&summary);
        match (&run.kept.lost, &run.kept.remark) {
            (Some(lost), _) => remark_of(&sentence!("remark-run-not-kept", why = lost)),
            (None, Some(text)) if !self.options.ioping => remark(text),
            (None, _) => {}
        }
        let code = run.kept.code(code);
        run.exit(Ok(()), code)
    }

    /// Prints one line for a monitoring system.
    fn check(&self, mut run: JudgedRun) -> Result<Code> {
        let (state, text) = self.state(&run.record, &run.judgement.caveats);
        let pinged = self.pinged();
        let times = &pinged.total.times;
        let seconds = |limit: Option<Nanos>| limit.map(Nanos::secs);
        let options = self.options;
        let figures = [
            ("mean", times.mean(), options.warn_avg, options.max_avg),
            ("p99", times.quantile(0.99), options.warn_p99, options.max_p99),
            ("max", times.max(), None, None),
        ];
        let timed = figures.into_iter().filter_map(|(label, value, warning, critical)| {
            let (warning, critical) = (seconds(warning), seconds(critical));
            Some(Performance { label: label.into(), value: value?.secs(), unit: "s", warning, critical })
        });
        let count = times.count() as f64;
        let counted = Performance { label: "requests".into(), value: count, unit: "", warning: None, critical: None };
        let figures: Vec<Performance> = timed.chain([counted]).collect();
        console::print(|_, out| write_check(state, &text, &figures, out))?;
        let verdict = verdict(&self.pinged(), &run.record.reason);
        run.close(&verdict);
        if let Some(lost) = &run.kept.lost {
            remark_of(&sentence!("remark-run-not-kept", why = lost));
        }
        run.exit(Ok(()), Code(state.code()))
    }

    /// Returns the state for a monitoring system, and the reason.
    fn state(&self, record: &RunRecord, doubts: &[Caveat]) -> (CheckState, String) {
        let (code, reason) = self.outcome(record, doubts);
        let pinged = self.pinged();
        let summary = verdict(&pinged, &record.reason);
        let summary = summary.strip_prefix("ping: ").unwrap_or(&summary).to_owned();
        match record.state {
            RunState::Hung | RunState::Failed if self.number() > 0 => {
                return (CheckState::Critical, reason.unwrap_or(summary));
            }
            RunState::Complete => {}
            _ => return (CheckState::Unknown, reason.unwrap_or(summary)),
        }
        if code != exit::OK {
            let state = if code == code::MISSED { CheckState::Critical } else { CheckState::Unknown };
            return (state, reason.unwrap_or(summary));
        }
        let times = &pinged.total.times;
        let limits =
            [("mean", self.options.warn_avg, times.mean()), ("p99", self.options.warn_p99, times.quantile(0.99))];
        for (name, limit, value) in limits {
            if let Some((limit, value)) = limit.zip(value).filter(|(limit, value)| value > limit) {
                let (limit, value) = (ioping::time(limit), ioping::time(value));
                return (CheckState::Warning, format!("{name} {value}, more than {limit}; {summary}"));
            }
        }
        (CheckState::Ok, summary)
    }

    /// Prints the final statistics as ioping does.
    fn closing(&mut self) {
        let options = self.options;
        if options.nagios {
            return;
        }
        let pinged = self.pinged().into_owned();
        // With several hosts, print statistics for each host and for all hosts together.
        let each = || pinged.hosts.iter().chain([&pinged]);
        if options.json {
            for one in each() {
                let at = self.json_time(one.total.finish);
                let stats = (&one.total, options.block);
                json_statistics(self.first, &at, &one.place, stats, !options.ioping, &mut self.text);
                self.first = false;
            }
            json_end(&mut self.text);
        } else if options.batch {
            for one in each() {
                self.text.push_str(&ioping::host(&one.place));
                ioping::raw(&one.total, options.block, &mut self.text);
            }
        } else if !options.only_periods() {
            ioping::summary(&pinged, options.marks, &mut self.text);
        }
        self.write_out();
    }

    /// Prints the percentiles after the statistics of ioping.
    fn print_percentiles(&self, record: &RunRecord, doubts: &[Caveat]) -> Result<()> {
        let options = self.options;
        let silent = options.json || options.batch || options.nagios;
        if options.ioping || silent || options.only_periods() || self.gone {
            return Ok(());
        }
        let joint = record.joint();
        let (served, pinged) = (joint.steps.first().map(Step::total), self.pinged());
        console::print(|style, out| {
            ioping::write_percentiles(&pinged, served.as_ref().map(|s| (s, self.waited)), doubts, style, out)
        })
    }

    fn outcome(&self, record: &RunRecord, doubts: &[Caveat]) -> (Code, Option<String>) {
        let signal = self.interrupt.0.load(Relaxed);
        match record.state {
            RunState::Hung => (exit::HUNG, Some(record.reason.to_string())),
            RunState::Failed if self.number() == 0 => (code::PREPARING, Some(record.reason.to_string())),
            RunState::Failed | RunState::Interrupted | RunState::Running | RunState::Damaged => {
                (code::RUNNING, Some(record.reason.to_string()))
            }
            RunState::Stopped if signal != sys::process::signal::INT.unsigned_abs() => {
                (Code(128 + signal as i32), None)
            }
            RunState::Complete | RunState::Stopped => self.limits(doubts),
        }
    }

    /// Returns the exit code determined by the limits. Times that were not measured on the storage cannot decide. On a
    /// busy host, the measured times are longer than those of the storage. They cannot prove that the storage exceeded
    /// a limit, but if they are within a limit, the storage is as well.
    fn limits(&self, doubts: &[Caveat]) -> (Code, Option<String>) {
        let options = self.options;
        let pinged = self.pinged();
        let times = &pinged.total.times;
        let asked = options.max_avg.is_some() || options.max_p99.is_some();
        let is_busy = |c: &&Caveat| c.id == analysis::HOST_BUSY;
        let mut invalid = doubts.iter().filter(|c| asked && c.severity == Severity::Invalid && !is_busy(c));
        if let Some(c) = invalid.next() {
            return (exit::INVALID, Some(format!("undecided: {} ({})", c.statement, c.evidence)));
        }
        let busy = doubts.iter().find(is_busy);
        let limits = [
            ("mean", "--max-avg", options.max_avg, times.mean()),
            ("99th percentile", "--max-p99", options.max_p99, times.quantile(0.99)),
        ];
        for (name, option, limit, value) in limits {
            let Some(limit) = limit else { continue };
            let n = times.count();
            let Some(value) = value else {
                let reason = format!("no request was counted: {option} cannot be judged");
                return (code::RUNNING, Some(reason));
            };
            if value > limit {
                let (value, limit) = (ioping::time(value), ioping::time(limit));
                // With fewer than 100 requests, the p99 by nearest rank is the longest time.
                let name = if option == "--max-p99" && n < 100 { "longest time" } else { name };
                let reason = format!("{name} {value} of {n} requests, more than the {limit} of {option}");
                if let Some(busy) = busy {
                    return (
                        exit::INVALID,
                        Some(format!("undecided: {reason}, but {} ({})", busy.statement, busy.evidence)),
                    );
                }
                return (code::MISSED, Some(reason));
            }
        }
        (exit::OK, None)
    }
}

impl Options {
    /// Returns `true` if only raw statistics are printed.
    fn only_periods(&self) -> bool {
        self.quiet && (self.every > 0 || !self.every_time.is_zero())
    }
}

impl Observer for PingPrinter<'_> {
    fn event(&mut self, event: RunEvent, journal: &mut JournalSink) {
        let ends_interval = matches!(event, RunEvent::Interval { .. } | RunEvent::StepEnd { .. });
        if let RunEvent::StepEnd { end, step } = &event
            && end.stop == StepStop::Signal
            && let Some(host) = self.hosts.get_mut(*step).filter(|host| host.metronome.is_some())
        {
            // The time includes the pause that the signal interrupted.
            host.pinged.total.finish = end.at.max(host.last);
        }
        let begun = matches!(event, RunEvent::Begin { .. });
        journal.event(event);
        let places = journal.record().filter(|_| begun).map(places_of_hosts).unwrap_or_default();
        if places.len() > 1 {
            self.hosts = places.into_iter().map(|place| HostPing::new(self.options, place)).collect();
        }
        if ends_interval && self.has_begun() {
            journal.event(RunEvent::Results(Results::Ping(Box::new(self.pinged().into_owned()))));
        }
    }

    fn progress(&mut self, _progress: &Progress, journal: &mut JournalSink) {
        journal.report_alive();
        if self.options.live {
            self.draw(journal);
        }
        if self.has_begun() && self.asked.swap(false, Relaxed) {
            let mut text = String::new();
            ioping::summary(&self.pinged(), Marks::Current, &mut text);
            console::print_aside(&text);
        }
    }

    fn operations(&mut self, step: usize, entries: &[Entry], _journal: &mut JournalSink) {
        for entry in entries {
            self.add_request(step, entry);
        }
        if !self.text.is_empty() {
            self.write_out();
        }
    }
}

/// Returns the name of an errno, on every system.
fn error_name(errno: u16) -> &'static str {
    match model::measured::ErrorNumbers::here().errno(errno.into()) {
        model::measured::END_OF_FILE => "end of file",
        errno => model::measured::errno_text(errno).map_or("error", |(name, _)| name),
    }
}

/// Returns the line for the list of runs.
fn verdict(pinged: &Pinged, reason: &Sentence) -> Sentence {
    let times = &pinged.total.times;
    let count = times.count();
    let max = times.max().map_or("-".to_owned(), ioping::time);
    let summary = match (times.mean().map(ioping::time), times.percentile(99.0).value().map(ioping::time)) {
        (None, _) => sentence!("run-ping-nothing"),
        (Some(mean), Some(p99)) => sentence!("run-ping", count, mean, p99, max),
        (Some(mean), None) => sentence!("run-ping-few", count, mean, max),
    };
    let reason = Some(reason.clone()).filter(|reason| !reason.is_empty());
    Sentence::join([summary].into_iter().chain(reason), "; ")
}
