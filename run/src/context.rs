//! What every run has, whoever conducts it: a beginning with what is known, an end by all clocks, and the closing of its
//! steps.

use crate::sampling::{BackgroundSampler, CapWatch, SECOND, Tracing};
use crate::sink::Sink;
use crate::workers::LoadEnd;
use messages::sentence;
use model::{Caveat, Nanos, Plan, Preflight, RECORD_VERSION, RunEvent, RunState, Sentence, Severity, StepEnd};
use monitor::samplers::{Process, Room, Subjects, process_identity};
use monitor::{Asked, CpuShare, KernelCounters, Roots};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use sys::{Clock, RunClock};

/// Signals have numbers below this; a handler that has seen a second one adds it to that.
pub const LEAVE: u32 = 1 << 16;

/// The number of the last signal that asked to stop, 0 for none. Set by the binary's signal handler.
#[derive(Debug, Clone, Default)]
pub struct Interrupt(pub Arc<AtomicU32>);

impl Interrupt {
    /// Whether anybody asked to stop.
    #[must_use]
    pub fn asked(&self) -> bool {
        self.0.load(Relaxed) > 0
    }

    /// Which signal it was; whether it was the second one is left out.
    pub(crate) fn number(&self) -> Option<u8> {
        u8::try_from(self.0.load(Relaxed) % LEAVE).ok().filter(|n| *n > 0)
    }
}

/// Who the run is.
#[derive(Debug, Clone)]
pub struct Identity {
    /// UUID, hyphenated.
    pub id: String,
    /// Version of secchi.
    pub tool: String,
    /// Wall-clock time now, RFC 3339.
    pub started: String,
    /// What is worth a line in the record before anything happens.
    pub notes: Vec<Sentence>,
}

/// How a run ended.
#[derive(Debug, Clone, PartialEq)]
pub struct Ending {
    /// The state the run ended in.
    pub state: RunState,
    /// Why, if not complete.
    pub reason: Sentence,
    /// Number of the signal that stopped it, if one did.
    pub signal: Option<u8>,
    /// Threads may be stuck in the kernel: the process must end without waiting for them.
    pub stuck: bool,
    /// It failed for want of memory or threads.
    pub lacking: bool,
}

/// Tells what begins and whose it is.
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

/// What is doubted of a run before it begins: by what lies under it, and by where it runs.
#[must_use]
pub fn known_doubts(plan: &Plan, preflight: &Preflight) -> Vec<Caveat> {
    let roots = Roots::host();
    let mut found = monitor::facts::storage_doubts(&roots, &preflight.storage);
    found.extend(monitor::facts::container_note(&roots));
    // What the run itself writes first is not read unwritten.
    if plan.fill.is_zero() && plan.stages.iter().all(|s| !s.job.workload.mix.writes()) {
        let each = std::iter::once(&preflight.storage).chain(&preflight.under_each);
        let unwritten = each.filter_map(|s| monitor::facts::never_written(&roots, s));
        found.extend(unwritten.fold(Vec::new(), |mut all: Vec<Caveat>, one| {
            all.extend((!all.contains(&one)).then_some(one));
            all
        }));
    }
    found
}

/// The counters beside a run, and its clocks at its beginning.
pub(crate) struct RunContext {
    pub counters: KernelCounters,
    pub background: BackgroundSampler,
    clocks: Clocks,
}

impl RunContext {
    /// Tells every doubt known before.
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

    /// Tells the end, and whether the clocks agree about the time between.
    pub fn end(&mut self, clock: &RunClock, ending: &Ending, sink: &mut dyn Sink) {
        self.background.trace.end(Nanos(clock.now()), sink);
        self.clocks.compare(clock, sink);
        ending.write(clock, sink);
    }
}

impl Ending {
    pub(crate) fn complete() -> Self {
        Ending { state: RunState::Complete, reason: Sentence::default(), signal: None, stuck: false, lacking: false }
    }

    /// Stopped, by a signal or the key that stands for one.
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

    /// The last event of a run.
    pub(crate) fn write(&self, clock: &RunClock, sink: &mut (impl Sink + ?Sized)) {
        let at = Nanos(clock.now());
        let reason = self.reason.without_error_numbers();
        sink.event(RunEvent::End { state: self.state, at, reason, signal: self.signal });
    }

    pub(crate) fn hung(reason: Sentence) -> Self {
        Ending { state: RunState::Hung, reason, signal: None, stuck: true, lacking: false }
    }

    /// Another host is gone; nothing hangs here.
    pub(crate) fn lost(reason: Sentence) -> Self {
        Ending { stuck: false, ..Ending::hung(reason) }
    }

    /// The machine has not what the load needs.
    pub(crate) fn lacking(reason: Sentence) -> Self {
        Ending { lacking: true, ..Ending::failed(reason) }
    }

    pub(crate) fn failed(reason: Sentence) -> Self {
        Ending { state: RunState::Failed, reason, signal: None, stuck: false, lacking: false }
    }
}

impl LoadEnd {
    /// Its closing counts, with what the machine did beside it. How steady it was and which caps held are left out.
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

    /// Why it was given up as hung.
    pub(crate) fn hung(&self, label: &str) -> Sentence {
        let oldest = self.workers.pending_ages.first().copied().unwrap_or_default();
        sentence!("end-hung", pending = self.workers.pending, label, oldest)
    }
}

/// What loads that ran together asked of the kernel.
pub(crate) fn asked<'e>(ends: impl Iterator<Item = &'e LoadEnd>) -> Asked {
    let mut asked = Asked::default();
    for LoadEnd { workers, .. } in ends {
        asked.read += workers.read_bytes;
        asked.write += workers.write_bytes;
        asked.read_ops += workers.read_ops;
        asked.write_ops += workers.write_ops;
    }
    asked
}

/// What is looked at beside a load: the devices under the targets, their file systems, and this process.
fn beside(roots: &Roots, preflight: &Preflight) -> Subjects {
    let mut subjects = Subjects::from_devices(&preflight.storage.devices);
    for storage in std::iter::once(&preflight.storage).chain(&preflight.under_each) {
        let known = subjects.rooms.iter().any(|r| r.name == storage.mount_point);
        if !storage.mount_point.is_empty() && !known {
            subjects.rooms.push(Room { name: storage.mount_point.clone(), path: storage.mount_point.clone().into() });
        }
    }
    let pid = std::process::id();
    let own = process_identity(roots, pid);
    subjects.processes.extend(own.map(|own| Process {
        name: "secchi".to_owned(),
        pid,
        start: own.start,
        from_birth: false,
    }));
    subjects
}

/// Readings of several clocks at one moment.
struct Clocks {
    run: u64,
    monotonic: u64,
    boot: u64,
    real: u64,
}

impl Clocks {
    fn now(clock: &RunClock) -> Self {
        Clocks { run: clock.now(), monotonic: sys::monotonic_ns(), boot: sys::boottime_ns(), real: sys::realtime_ns() }
    }

    /// Whether time passed alike on all of them (docs/design/statistics.md, "Clocks").
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
