//! Common parts of every run: the beginning with the known facts, the end with a comparison of the clocks, and the
//! results of steps.

use crate::sampling::{BackgroundSampler, CapWatch, SECOND, Tracing};
use crate::sink::Sink;
use crate::workers::LoadEnd;
use messages::sentence;
use model::record::{Preflight, RECORD_VERSION, StepEnd};
use model::{Caveat, Nanos, Plan, RunEvent, RunState, Sentence, Severity};
use monitor::samplers::{Process, Room, Subjects, process_identity};
use monitor::{CpuShare, Io, KernelCounters, Roots};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use sys::clock::{Clock, RunClock};

/// Flag that the signal handler adds to the number of the signal when a second signal arrives. Signal numbers are below
/// this value.
pub const LEAVE: u32 = 1 << 16;

/// Number of the last signal that requested a stop, 0 for none. Set by the binary's signal handler.
#[derive(Debug, Clone, Default)]
pub struct Interrupt(pub Arc<AtomicU32>);

impl Interrupt {
    /// Returns `true` if a stop was requested.
    #[must_use]
    pub fn asked(&self) -> bool {
        self.0.load(Relaxed) > 0
    }

    /// Returns the number of the signal, without the flag for a second signal.
    pub(crate) fn number(&self) -> Option<u8> {
        u8::try_from(self.0.load(Relaxed) % LEAVE).ok().filter(|n| *n > 0)
    }
}

/// Identity of a run.
#[derive(Debug, Clone)]
pub struct Identity {
    /// Id of the run: a hyphenated UUID.
    pub id: String,
    /// Version of secchi.
    pub tool: String,
    /// Wall-clock start of the run, RFC 3339.
    pub started: String,
    /// Notes for the beginning of the record.
    pub notes: Vec<Sentence>,
}

/// Result of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct Ending {
    /// Final state of the run.
    pub state: RunState,
    /// Reason, if the run is not complete.
    pub reason: Sentence,
    /// Number of the signal that stopped the run, if any.
    pub signal: Option<u8>,
    /// True if threads may be stuck in the kernel, so that the process must exit without waiting for them.
    pub stuck: bool,
    /// True if the run failed for lack of memory or threads.
    pub lacking: bool,
}

/// Reports the beginning of a run and its identity.
pub(crate) fn announce(clock: &RunClock, plan: &Plan, preflight: &Preflight, identity: &Identity, sink: &mut dyn Sink) {
    sink.event(RunEvent::Begin {
        version: RECORD_VERSION,
        tool: identity.tool.clone(),
        id: identity.id.clone(),
        started: identity.started.clone(),
        plan: plan.clone(),
        preflight: Box::new(preflight.clone()),
    });
    for text in &identity.notes {
        sink.event(RunEvent::Note { at: Nanos(clock.now()), text: text.clone() });
    }
}

/// Returns the caveats known before a run, from its storage and its environment.
#[must_use]
pub fn known_doubts(plan: &Plan, preflight: &Preflight) -> Vec<Caveat> {
    let roots = Roots::host();
    let mut caveats = monitor::facts::storage_doubts(&roots, &preflight.storage);
    caveats.extend(monitor::facts::container_note(&roots));
    // A run that writes first does not read unwritten blocks.
    if plan.fill.is_zero() && plan.stages.iter().all(|s| !s.job.workload.mix.writes()) {
        let each = std::iter::once(&preflight.storage).chain(&preflight.under_each);
        let unwritten = each.filter_map(|s| monitor::facts::never_written(&roots, s));
        caveats.extend(unwritten.fold(Vec::new(), |mut distinct: Vec<Caveat>, one| {
            distinct.extend((!distinct.contains(&one)).then_some(one));
            distinct
        }));
    }
    caveats
}

/// Counters and samplers of a run, and the clocks at its beginning.
pub(crate) struct RunContext {
    pub counters: KernelCounters,
    pub background: BackgroundSampler,
    clocks: Clocks,
}

impl RunContext {
    /// Begins a run and reports the caveats known so far.
    pub fn begin(clock: &RunClock, plan: &Plan, preflight: &Preflight, doubts: &[Caveat], sink: &mut dyn Sink) -> Self {
        let roots = Roots::host();
        for doubt in known_doubts(plan, preflight).into_iter().chain(doubts.iter().cloned()) {
            sink.event(RunEvent::Caveat(doubt));
        }
        let devices = &preflight.storage.devices;
        let mut background = BackgroundSampler::new(&roots, &beside(&roots, preflight), SECOND, clock.now());
        background.caps = CapWatch::begin(&roots, preflight, Nanos(clock.now()));
        background.trace = Tracing::begin(&roots, plan, devices, Nanos(clock.now()), sink);
        RunContext { counters: KernelCounters::open(&roots, devices), clocks: Clocks::now(clock), background }
    }

    /// Reports the end, and differences between the clocks.
    pub fn end(&mut self, clock: &RunClock, ending: Ending, sink: &mut dyn Sink) -> Ending {
        self.background.trace.end(Nanos(clock.now()), sink);
        self.clocks.compare(clock, sink);
        ending.write(clock, sink)
    }
}

impl Ending {
    pub(crate) fn complete() -> Self {
        Ending { state: RunState::Complete, reason: Sentence::default(), signal: None, stuck: false, lacking: false }
    }

    /// Returns the ending of a run that was stopped by a signal or by the stop key.
    pub(crate) fn stopped(reason: Sentence, interrupt: &Interrupt, stuck: bool) -> Self {
        Ending { state: RunState::Stopped, reason, signal: interrupt.number(), stuck, lacking: false }
    }

    pub(crate) fn signal(interrupt: &Interrupt, stuck: bool) -> Self {
        let reason = match interrupt.number() {
            Some(1) => sentence!("end-signal", signal = "SIGHUP"),
            Some(2) => sentence!("end-signal", signal = "SIGINT"),
            Some(15) => sentence!("end-signal", signal = "SIGTERM"),
            Some(n) => sentence!("end-signal-number", n),
            None => sentence!("end-key"),
        };
        Ending::stopped(reason, interrupt, stuck)
    }

    /// Reports the end of a run, its last event.
    pub(crate) fn write(self, clock: &RunClock, sink: &mut (impl Sink + ?Sized)) -> Self {
        let at = Nanos(clock.now());
        let reason = self.reason.without_error_numbers();
        sink.event(RunEvent::End { state: self.state, at, reason, signal: self.signal });
        self
    }

    pub(crate) fn hung(reason: Sentence) -> Self {
        Ending { state: RunState::Hung, reason, signal: None, stuck: true, lacking: false }
    }

    /// Returns the ending of a run that lost another host. On this host, no operation hangs.
    pub(crate) fn lost(reason: Sentence) -> Self {
        Ending { stuck: false, ..Ending::hung(reason) }
    }

    /// Returns the ending of a run for which the machine lacks resources.
    pub(crate) fn lacking(reason: Sentence) -> Self {
        Ending { lacking: true, ..Ending::failed(reason) }
    }

    pub(crate) fn failed(reason: Sentence) -> Self {
        Ending { state: RunState::Failed, reason, signal: None, stuck: false, lacking: false }
    }
}

impl LoadEnd {
    /// Returns the step's closing counts, with the CPU shares of the host. The caller sets steadiness and caps.
    pub(crate) fn step_end(&self, cpu: CpuShare) -> StepEnd {
        let w = &self.workers;
        StepEnd {
            at: self.end,
            stop: self.stop,
            submitted: w.submitted,
            completed: w.completed,
            failed: w.failed,
            pending: w.pending,
            bytes: w.read_bytes + w.write_bytes,
            pending_ages: w.pending_ages.clone(),
            busiest_thread: self.busiest,
            late_max: w.late_max,
            cpu_throttled: cpu.throttled,
            host_idle: cpu.idle,
            host_steal: cpu.steal,
            host_others: cpu.others,
            host_kernel: cpu.kernel,
            others_near: cpu.others_near,
            cpu_wait: w.cpu_wait,
            usage: w.usage,
            first_error: w.first_error,
            began: self.began,
            other_work: w.other_work.clone(),
            verified: w.verified.clone(),
            settled_depth: w.settled_depth,
            settled_at: w.settled_at,
            zone_resets: w.zone_resets,
            absent_reads: w.absent_reads,
            ..StepEnd::default()
        }
    }

    /// Returns the reason why the load was abandoned as hung.
    pub(crate) fn hung(&self, label: &str) -> Sentence {
        let oldest = self.workers.pending_ages.first().copied().unwrap_or_default();
        sentence!("end-hung", pending = self.workers.pending, label, oldest)
    }
}

/// Returns the bytes and operations that loads which ran together requested in total.
pub(crate) fn asked<'e>(ends: impl Iterator<Item = &'e LoadEnd>) -> Io {
    let mut asked = Io::default();
    for LoadEnd { workers, .. } in ends {
        asked.read += workers.read_bytes;
        asked.write += workers.write_bytes;
        asked.read_ops += workers.read_ops;
        asked.write_ops += workers.write_ops;
    }
    asked
}

/// Returns what is sampled during a load: the devices and file systems of the targets, and this process.
fn beside(roots: &Roots, preflight: &Preflight) -> Subjects {
    let mut subjects = Subjects::from_devices(&preflight.storage.devices);
    for storage in std::iter::once(&preflight.storage).chain(&preflight.under_each) {
        let known = subjects.rooms.iter().any(|r| r.name == storage.mount_point);
        if !storage.mount_point.is_empty() && !known {
            subjects.rooms.push(Room { name: storage.mount_point.clone(), path: storage.mount_point.clone().into() });
        }
    }
    let pid = std::process::id();
    let process = process_identity(roots, pid);
    subjects.processes.extend(process.map(|process| Process {
        name: "secchi".to_owned(),
        pid,
        start: process.start,
        from_birth: false,
    }));
    subjects
}

/// Readings of several clocks at the same moment.
struct Clocks {
    run: u64,
    monotonic: u64,
    boot: u64,
    real: u64,
}

impl Clocks {
    fn now(clock: &RunClock) -> Self {
        Clocks {
            run: clock.now(),
            monotonic: sys::clock::monotonic_ns(),
            boot: sys::clock::boottime_ns(),
            real: sys::clock::realtime_ns(),
        }
    }

    /// Reports caveats if the clocks disagree about the elapsed time (docs/design/statistics.md, "Clocks").
    fn compare(&self, clock: &RunClock, sink: &mut dyn Sink) {
        let end = Clocks::now(clock);
        let passed = |a: u64, b: u64| b.wrapping_sub(a) as i64;
        let monotonic = passed(self.monotonic, end.monotonic);
        let suspended = passed(self.boot, end.boot) - monotonic;
        if suspended > 10_000_000 {
            let evidence = sentence!("clock-suspended-seen", more = Nanos(suspended as u64));
            let caveat = Caveat::new("suspended", Severity::Invalid, sentence!("clock-suspended"), evidence);
            sink.event(RunEvent::Caveat(caveat.remedy(sentence!("clock-suspended-remedy"))));
        }
        let stepped = passed(self.real, end.real) - monotonic;
        if stepped.abs() > 50_000_000 {
            let evidence = sentence!("clock-stepped-seen", seconds = format!("{:.3}", stepped as f64 / 1e9));
            let statement = sentence!("clock-stepped");
            sink.event(RunEvent::Caveat(Caveat::new("wall-clock-stepped", Severity::Note, statement, evidence)));
        }
        let drift = (passed(self.run, end.run) - monotonic) as f64 / (monotonic as f64).max(1.0);
        if drift.abs() > 1e-3 {
            let evidence = sentence!("clock-drifted-seen", percent = format!("{:+.4}", drift * 100.0));
            let statement = sentence!("clock-drifted");
            sink.event(RunEvent::Caveat(Caveat::new("clock-drift", Severity::Doubt, statement, evidence)));
        }
    }
}
