//! The trace of the block layer beside a run: which steps its stretches belong to, and its end.

use crate::sink::Sink;
use messages::sentence;
use model::{BlockTrace, Caveat, DeviceFacts, Nanos, Plan, RecordedLayer, RolePath, RunEvent, Severity};
use monitor::Roots;
use monitor::samplers::Subjects;
use monitor::trace::{BlockTracer, CallTracer, RecordedBatch, TraceError};
use std::sync::mpsc::SyncSender;

/// Where each request is handed on, in batches.
pub struct RequestTap {
    /// Where requests are seen: at the devices watched, or among the system calls of the processes and the command.
    pub layer: RecordedLayer,
    /// By which they are told.
    pub roles: Vec<RolePath>,
    /// Who takes them.
    pub requests: SyncSender<RecordedBatch>,
}

/// A trace, if one was asked for and can be had.
#[derive(Debug, Default)]
pub struct Tracing {
    tracer: Option<BlockTracer<Vec<usize>>>,
    /// Instead of it.
    calls: Option<CallTracer>,
    /// Steps that run now.
    steps: Vec<usize>,
    /// When it was told last.
    written: Nanos,
    /// Sizes are told as series, too: where time is what is looked at.
    series: bool,
}

/// Counters may be looked at more often; a trace is told so often at the most.
const EVERY: u64 = Nanos::from_millis(950).as_nanos();

impl Tracing {
    /// Begins what the plan asks. Without the permission a caveat says what is missing, and the run goes on.
    pub fn begin(roots: &Roots, plan: &Plan, devices: &[DeviceFacts], now: Nanos, sink: &mut dyn Sink) -> Self {
        let Some(rule) = &plan.trace else { return Tracing::default() };
        match BlockTracer::begin(roots, devices, &rule.roles, now) {
            Ok(tracer) => Self::of(tracer, plan, now),
            Err(error) => {
                let statement = sentence!("trace-missing");
                let doubt = Caveat::new("no-block-trace", Severity::Note, statement, error.sentence());
                sink.event(RunEvent::Caveat(doubt));
                Tracing::default()
            }
        }
    }

    /// As [`Tracing::begin`], of these devices and those of the tap's roles, or of the calls of these processes, each request handed
    /// on.
    ///
    /// # Errors
    /// Without a trace there is no recording.
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
        Ok(Self::of(tracer, plan, now))
    }

    fn of(tracer: BlockTracer<Vec<usize>>, plan: &Plan, now: Nanos) -> Self {
        Tracing { tracer: Some(tracer), written: now, series: plan.watch.is_some(), ..Tracing::default() }
    }

    /// Tells what was seen up to now, about each second.
    pub fn write_stretch(&mut self, now: Nanos, sink: &mut dyn Sink) {
        if now.as_nanos() < self.written.as_nanos().saturating_add(EVERY) {
            return;
        }
        let late = self.tracer.as_mut().map(BlockTracer::late).unwrap_or_default();
        self.write_traces(late, sink);
        // One that owes an answer is not asked for more: the next one covers the time.
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

    /// What comes from now on belongs to these steps; to none between steps.
    pub fn turn_to(&mut self, steps: Vec<usize>, now: Nanos, sink: &mut dyn Sink) {
        self.tell_now(now, sink);
        self.steps = steps;
    }

    /// Tells the rest and removes what it made in the kernel.
    pub fn end(&mut self, now: Nanos, sink: &mut dyn Sink) {
        self.calls.take().into_iter().for_each(CallTracer::finish);
        let steps = std::mem::take(&mut self.steps);
        let traces = self.tracer.take().map(|t| t.finish(now, steps)).unwrap_or_default();
        self.write_traces(traces, sink);
    }

    /// Each by the steps that ran when it was asked for, however late it comes.
    fn write_traces(&self, traces: Vec<(Vec<usize>, BlockTrace)>, sink: &mut dyn Sink) {
        for (steps, trace) in traces {
            if self.series {
                sink.event(RunEvent::Samples { at: trace.until, samples: trace.size_samples() });
            }
            sink.event(RunEvent::Blocks { steps, trace: Box::new(trace) });
        }
    }
}
