//! Trace of the block layer during a run, and its assignment to steps.

use crate::sink::Sink;
use messages::sentence;
use model::{
    Caveat, Nanos, Plan, RunEvent, Severity, measured::BlockTrace, plan::RolePath, record::DeviceFacts,
    recording::RecordedLayer,
};
use monitor::Roots;
use monitor::samplers::Subjects;
use monitor::trace::{BlockTracer, CallTracer, RecordedBatch, TraceError};
use std::sync::mpsc::SyncSender;

/// Tap for a recording, which receives every request in batches.
pub struct RequestTap {
    /// Layer at which requests are recorded: the watched devices, or the system calls of the processes and the command.
    pub layer: RecordedLayer,
    /// Roles by which requests are distinguished.
    pub roles: Vec<RolePath>,
    /// Channel that receives the requests.
    pub requests: SyncSender<RecordedBatch>,
}

/// Trace of a run, if it was requested and is available.
#[derive(Debug, Default)]
pub struct Tracing {
    tracer: Option<BlockTracer<Vec<usize>>>,
    /// Trace of system calls, used instead of `tracer`.
    calls: Option<CallTracer>,
    /// Running steps.
    steps: Vec<usize>,
    /// Time of the last report.
    written: Nanos,
    /// True to report sizes also as series, for watches, which show values over time.
    series: bool,
}

/// Minimum time between reports of a trace, in nanoseconds; counters may be sampled more often.
const EVERY: u64 = Nanos::from_millis(950).as_nanos();

impl Tracing {
    /// Starts the trace that the plan requests. Without permission, a caveat describes what is missing and the run
    /// continues.
    pub fn begin(roots: &Roots, plan: &Plan, devices: &[DeviceFacts], now: Nanos, sink: &mut dyn Sink) -> Self {
        let Some(rule) = &plan.trace else { return Tracing::default() };
        match BlockTracer::begin(roots, devices, &rule.roles, now) {
            Ok(tracer) => Self::with_tracer(tracer, plan, now),
            Err(error) => {
                let statement = sentence!("trace-missing");
                let doubt = Caveat::new("no-block-trace", Severity::Note, statement, error.sentence());
                sink.event(RunEvent::Caveat(doubt));
                Tracing::default()
            }
        }
    }

    /// Like [`Tracing::begin`], but traces the watched devices and those of the tap's roles, or the system calls of the
    /// watched processes. Passes each request to the tap.
    ///
    /// # Errors
    /// Returns an error if the trace cannot be started, because a recording needs it.
    pub fn begin_recording(
        roots: &Roots,
        plan: &Plan,
        subjects: &Subjects,
        now: Nanos,
        tap: RequestTap,
    ) -> Result<Self, TraceError> {
        if tap.layer == RecordedLayer::Syscalls {
            let processes: Vec<u32> = subjects.processes.iter().map(|process| process.pid).collect();
            let calls = CallTracer::begin(roots, &tap.roles, &processes, tap.requests)?;
            return Ok(Tracing { calls: Some(calls), ..Tracing::default() });
        }
        let tracer = BlockTracer::begin_recording(roots, &subjects.devices, &tap.roles, now, tap.requests)?;
        Ok(Self::with_tracer(tracer, plan, now))
    }

    fn with_tracer(tracer: BlockTracer<Vec<usize>>, plan: &Plan, now: Nanos) -> Self {
        Tracing { tracer: Some(tracer), written: now, series: plan.watch().is_some(), ..Tracing::default() }
    }

    /// Reports the trace up to now, about once per second.
    pub fn write_stretch(&mut self, now: Nanos, sink: &mut dyn Sink) {
        if now.as_nanos() < self.written.as_nanos().saturating_add(EVERY) {
            return;
        }
        let late = self.tracer.as_mut().map(BlockTracer::late).unwrap_or_default();
        self.write_traces(late, sink);
        // A tracer that has not answered yet gets no new request; its next answer also covers this time.
        if !self.tracer.as_ref().is_some_and(BlockTracer::owes) {
            self.tell_now(now, sink);
        }
    }

    fn tell_now(&mut self, now: Nanos, sink: &mut dyn Sink) {
        self.written = now;
        let steps = self.steps.clone();
        let traces = self.tracer.as_mut().map(|t| t.take(now, steps)).unwrap_or_default();
        self.write_traces(traces, sink);
    }

    /// Assigns later requests to these steps; `steps` is empty between steps.
    pub fn turn_to(&mut self, steps: Vec<usize>, now: Nanos, sink: &mut dyn Sink) {
        self.tell_now(now, sink);
        self.steps = steps;
    }

    /// Reports the rest of the trace, and removes the tracer's objects from the kernel.
    pub fn end(&mut self, now: Nanos, sink: &mut dyn Sink) {
        self.calls.take().into_iter().for_each(CallTracer::finish);
        let steps = std::mem::take(&mut self.steps);
        let traces = self.tracer.take().map(|t| t.finish(now, steps)).unwrap_or_default();
        self.write_traces(traces, sink);
    }

    /// Reports traces, each with the steps that ran when the trace was requested, even if it arrives later.
    fn write_traces(&self, traces: Vec<(Vec<usize>, BlockTrace)>, sink: &mut dyn Sink) {
        for (steps, trace) in traces {
            if self.series {
                sink.event(RunEvent::Samples { at: trace.until, samples: trace.size_samples() });
            }
            sink.event(RunEvent::Blocks { steps, trace: Box::new(trace) });
        }
    }
}
