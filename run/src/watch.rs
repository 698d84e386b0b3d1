//! Conductor of a watch. A watch generates no load. It samples counters until its time is up, the user ends it, or its
//! command ends.

use crate::conduct::RunInputs;
use crate::context::{Ending, Identity, Interrupt, LEAVE, announce};
use crate::sampling::{BackgroundSampler, RequestTap, Tracing};
use crate::sink::Sink;
use messages::sentence;
use model::record::{CommandUse, Preflight};
use model::{Caveat, Nanos, Plan, RunEvent, Sentence, Severity};
use monitor::samplers::{Process, Subjects};
use monitor::{DiskCounters, Roots};
use sys::clock::{Clock, RunClock};

/// Maximum sleep between checks for a stop request or the end of the command, in nanoseconds; short enough that the
/// user notices no delay.
const NAP: u64 = Nanos::from_millis(20).as_nanos();
/// Time to wait for a command after it was signalled to end, in nanoseconds. It is never killed, because its work is
/// the user's.
const GRACE: u64 = Nanos::from_secs(10).as_nanos();
/// Interval at which total counts are reported, in nanoseconds; a watch that is killed loses at most the counts since
/// the last report.
const TELL: u64 = Nanos::from_secs(1).as_nanos();

/// Error when a command cannot be started.
#[derive(Debug, thiserror::Error)]
#[error("cannot start `{command}`: {error}")]
pub struct NotStarted {
    /// Name of the command, without its arguments.
    pub command: String,
    /// Error of the system.
    pub error: std::io::Error,
}

/// Command that runs during a watch. The caller implements it, because this crate does not start processes for a watch.
pub trait ChildCommand {
    /// Starts the command and returns its process for the sampler.
    ///
    /// # Errors
    /// Returns [`NotStarted`] with the reason.
    fn start(&mut self, now: Nanos) -> Result<Process, NotStarted>;

    /// Returns the figures of the command once it has ended; `None` while it runs.
    fn ended(&mut self, now: Nanos) -> Option<CommandUse>;

    /// Signals the command and its children to end; returns the figures so far.
    fn tell_to_end(&mut self, now: Nanos) -> CommandUse;
}

/// Source of stop requests during a watch.
pub trait StopRequest {
    /// Returns `true` if the user wants the watch to end. It is called many times per second, so it may also be used to
    /// redraw a screen.
    fn wants_stop(&mut self, now: Nanos) -> bool;
}

/// External controls of a watch.
pub struct WatchControl<'a> {
    /// Command that runs during the watch.
    pub command: Option<&'a mut dyn ChildCommand>,
    /// Signal that requests a stop.
    pub interrupt: &'a Interrupt,
    /// Recording of the watched requests.
    pub tap: Option<RequestTap>,
}

/// Runs a watch. `subjects` are the devices, processes and groups that the plan names; `doubts` are the caveats known
/// so far.
///
/// If the user ends a watch without a time limit, it counts as complete. A watch with a time limit or a running command
/// then counts as stopped. A command that still runs when the time is up receives a signal to end, and the watch
/// continues until it has ended.
#[expect(clippy::too_many_arguments, reason = "one of each thing a run has; they come from different places")]
pub fn conduct_watch(
    clock: &RunClock,
    plan: &Plan,
    preflight: &Preflight,
    identity: &Identity,
    doubts: &[Caveat],
    subjects: Subjects,
    around: WatchControl<'_>,
    sink: &mut (impl Sink + StopRequest),
) -> Ending {
    let inputs = RunInputs { plan, preflight, identity, caveats: doubts };
    watch_with(clock, &inputs, &inputs, None, subjects, around, sink)
}

/// Same as [`conduct_watch`], but reports the plan and the facts of `common`, and begins at the time `begin`, if there is
/// one.
pub(crate) fn watch_with(
    clock: &RunClock,
    inputs: &RunInputs<'_>,
    common: &RunInputs<'_>,
    begin: Option<Nanos>,
    mut subjects: Subjects,
    around: WatchControl<'_>,
    sink: &mut (impl Sink + StopRequest),
) -> Ending {
    let RunInputs { plan, preflight, caveats, .. } = *inputs;
    let Some(watch) = plan.watch() else {
        return Ending::failed("the plan has nothing to watch".into());
    };
    let roots = Roots::host();
    let WatchControl { command: mut companion, interrupt, tap } = around;
    announce(clock, common.plan, common.preflight, common.identity, sink);
    caveats.iter().for_each(|caveat| sink.event(RunEvent::Caveat(caveat.clone())));
    if let Some(begin) = begin {
        clock.sleep(begin.as_nanos().saturating_sub(clock.now()));
    }
    // Begin counting before the command starts, to include all its work.
    let disks = DiskCounters::begin(&roots, &apart(&subjects));
    let devices = &preflight.storage.devices;
    let trace = match tap {
        None => Tracing::begin(&roots, plan, devices, Nanos(clock.now()), sink),
        Some(tap) => match Tracing::begin_recording(&roots, plan, &subjects, Nanos(clock.now()), tap) {
            Ok(trace) => trace,
            Err(error) => return Ending::failed(error.sentence()).write(clock, sink),
        },
    };
    let began = begin.map_or_else(|| clock.now(), Nanos::as_nanos);
    if let Some(companion) = &mut companion {
        if interrupt.asked() {
            return Ending::signal(interrupt, false).write(clock, sink);
        }
        match companion.start(Nanos(clock.now())) {
            Ok(process) => {
                let command = CommandUse { pid: process.pid, began: Nanos(clock.now()), ..CommandUse::default() };
                sink.event(RunEvent::Command(Box::new(command)));
                subjects.processes.push(process);
            }
            Err(why) => return Ending::failed(why.to_string().into()).write(clock, sink),
        }
    }
    let mut upkeep = BackgroundSampler::new(&roots, &subjects, watch.interval, began);
    upkeep.trace = trace;
    tell_unavailable(&upkeep, watch.top > 0, sink, Nanos(clock.now()));
    let mut reported = began;
    let mut asked = None;
    let ending = loop {
        let now = clock.now();
        if upkeep.due(Nanos(now)) {
            upkeep.sample(now, sink);
            if now >= reported + TELL {
                reported = now;
                sink.event(RunEvent::Disks(disks.so_far()));
            }
        }
        if let Some(ending) = over(Nanos(now), began, watch.length, &mut asked, &mut companion, interrupt, sink) {
            break ending;
        }
        let end = watch.length.filter(|_| asked.is_none()).map_or(u64::MAX, |l| began.saturating_add(l.as_nanos()));
        let until = upkeep.next().as_nanos().min(end);
        let now = clock.now();
        clock.sleep(until.saturating_sub(now).min(NAP));
    };
    // Take a last sample even if its interval is shorter, to include the remaining activity.
    let now = clock.now();
    if now.saturating_sub(upkeep.set().last().as_nanos()) > watch.interval.as_nanos() / 20 {
        upkeep.sample(now, sink);
    }
    sink.event(RunEvent::Disks(disks.so_far()));
    upkeep.trace.end(Nanos(clock.now()), sink);
    ending.write(clock, sink)
}

/// Returns the devices as if they were independent, because a watch does not merge the devices of a stack.
fn apart(subjects: &Subjects) -> Vec<model::record::DeviceFacts> {
    subjects.devices.iter().map(|d| model::record::DeviceFacts { depth: 0, kind: String::new(), ..d.clone() }).collect()
}

/// Adds a note for each unavailable sampler, except those that are used only on request.
fn tell_unavailable(upkeep: &BackgroundSampler, top: bool, sink: &mut impl Sink, at: Nanos) {
    let on_request = |name: &str| ["process", "group", "space"].contains(&name) || (name == "top" && !top);
    for missing in upkeep.set().unavailable().iter().filter(|u| !on_request(u.name)) {
        sink.event(RunEvent::Note {
            at,
            text: sentence!("note-no-figures", sampler = missing.name, why = &missing.reason),
        });
    }
}

/// Returns the result if the watch is over. `asked` is the time when the command received the signal to end.
fn over(
    now: Nanos,
    began: u64,
    length: Option<Nanos>,
    asked: &mut Option<Nanos>,
    companion: &mut Option<&mut dyn ChildCommand>,
    interrupt: &Interrupt,
    sink: &mut (impl Sink + StopRequest),
) -> Option<Ending> {
    let enough = sink.wants_stop(now);
    let up = length.is_some_and(|length| now.as_nanos() >= began.saturating_add(length.as_nanos()));
    let Some(companion) = companion else {
        if interrupt.asked() || enough {
            let by_user = enough || interrupt.0.load(std::sync::atomic::Ordering::Relaxed) == SIGINT;
            return Some(if length.is_none() && by_user {
                Ending::complete()
            } else {
                Ending::signal(interrupt, false)
            });
        }
        return up.then(Ending::complete);
    };
    if let Some(done) = companion.ended(now) {
        sink.event(RunEvent::Command(Box::new(done)));
        return Some(if interrupt.asked() { Ending::signal(interrupt, false) } else { Ending::complete() });
    }
    // The first signal was passed on to the command, which may ignore it; the second one ends only the watch.
    let signals = interrupt.0.load(std::sync::atomic::Ordering::Relaxed);
    if enough || signals > LEAVE {
        return Some(Ending::stopped(sentence!("end-watch-left"), interrupt, false));
    }
    match *asked {
        None if up => {
            *asked = Some(now);
            sink.event(RunEvent::Command(Box::new(companion.tell_to_end(now))));
            None
        }
        Some(asked) if now.as_nanos() >= asked.as_nanos().saturating_add(GRACE) => Some(Ending::complete()),
        _ => None,
    }
}

/// Number of the signal that Ctrl-C sends.
const SIGINT: u32 = 2;

/// Returns a caveat about roles on the same device, known before the watch.
#[must_use]
pub fn shared_device(roles: &[String], device: &str) -> Caveat {
    let named = roles.iter().map(Sentence::from);
    let roles = named.reduce(|first, second| sentence!("both-of", first, second)).unwrap_or_default();
    let statement = sentence!("roles-share-device", roles);
    Caveat::new("shared-device", Severity::Note, statement, sentence!("roles-share-device-seen", device))
        .remedy(sentence!("roles-share-device-remedy"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::{Bytes, RunState, Target, plan::WatchPlan};
    use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
    use sys::clock::SimulatedClock;

    /// Clock whose time advances only during sleeps.
    const DREAM: RunClock = RunClock::Simulated(SimulatedClock {
        zero: 0,
        now: |_| NOW.load(Relaxed),
        sleep: |ns| {
            NOW.fetch_add(ns.max(1), Relaxed);
        },
    });

    static NOW: AtomicU64 = AtomicU64::new(0);

    struct Told {
        events: Vec<RunEvent>,
        enough_at: u64,
    }

    impl Sink for Told {
        fn event(&mut self, event: RunEvent) {
            self.events.push(event);
        }

        fn progress(&mut self, _progress: &crate::Progress) {}
    }

    impl StopRequest for Told {
        fn wants_stop(&mut self, now: Nanos) -> bool {
            now.as_nanos() >= self.enough_at
        }
    }

    fn plan(length: Option<Nanos>) -> Plan {
        let target = Target::null("all disks", Bytes(0));
        let watch = Box::new(WatchPlan {
            interval: Nanos::from_millis(100),
            length,
            devices: Vec::new(),
            all_devices: true,
            processes: Vec::new(),
            top: 0,
            groups: Vec::new(),
            command: Vec::new(),
            alerts: Vec::new(),
            hosts: Vec::new(),
        });
        Plan::new(model::RunKind::Watch { watch }, target, Vec::new(), Nanos(0))
    }

    /// Command that ends only when it is signalled to, and `takes` nanoseconds later.
    struct Endless {
        takes: u64,
        told: Option<Nanos>,
    }

    impl ChildCommand for Endless {
        fn start(&mut self, _now: Nanos) -> Result<Process, NotStarted> {
            Ok(Process { name: "command".into(), pid: u32::MAX, start: 0, from_birth: true })
        }

        fn ended(&mut self, now: Nanos) -> Option<CommandUse> {
            let signalled = self.told.filter(|signalled| now.as_nanos() >= signalled.as_nanos() + self.takes)?;
            let exit = Some(model::record::CommandExit::Signal(15));
            Some(CommandUse { ended: Some(now), exit, told_to_end: Some(signalled), ..CommandUse::default() })
        }

        fn tell_to_end(&mut self, now: Nanos) -> CommandUse {
            assert_eq!(self.told, None, "it is told once");
            self.told = Some(now);
            CommandUse { told_to_end: self.told, ..CommandUse::default() }
        }
    }

    fn watched(length: Option<Nanos>, enough_at: u64) -> (Ending, model::RunRecord) {
        beside(length, enough_at, None)
    }

    fn beside(length: Option<Nanos>, enough_at: u64, command: Option<&mut Endless>) -> (Ending, model::RunRecord) {
        watch_events(length, enough_at, command, &Interrupt::default())
    }

    fn watch_events(
        length: Option<Nanos>,
        enough_at: u64,
        command: Option<&mut Endless>,
        interrupt: &Interrupt,
    ) -> (Ending, model::RunRecord) {
        let who = Identity { id: "w".into(), tool: "test".into(), started: String::new(), notes: Vec::new() };
        let mut sink = Told { events: Vec::new(), enough_at };
        let subjects = Subjects { more: monitor::samplers::MoreDisks::All, ..Subjects::default() };
        let companion = command.map(|c| c as &mut dyn ChildCommand);
        let around = WatchControl { command: companion, interrupt, tap: None };
        let facts = Preflight::default();
        let ending = conduct_watch(&DREAM, &plan(length), &facts, &who, &[], subjects, around, &mut sink);
        (ending, model::RunRecord::from_events(sink.events).expect("a run"))
    }

    /// One test for several cases, because they share the clock.
    #[test]
    fn a_watch_looks_at_its_interval_until_its_time_is_up_or_somebody_has_seen_enough() {
        let (ending, record) = watched(Some(Nanos::from_secs(1)), u64::MAX);
        assert_eq!(ending.state, RunState::Complete);
        let stretches = record.stretches();
        assert_eq!(stretches.len(), 10, "{stretches:?}");
        assert!(stretches.iter().all(|(_, length)| *length == Nanos::from_millis(100)), "{stretches:?}");
        assert!(record.steps.is_empty() && record.series("memory.available").is_some());
        let (ending, _) = watched(None, NOW.load(Relaxed) + 250_000_000);
        assert_eq!(ending.state, RunState::Complete, "an open watch ends when it is told to");
        let (ending, record) = watched(Some(Nanos::from_secs(10)), NOW.load(Relaxed) + 250_000_000);
        assert_eq!(ending.state, RunState::Stopped);
        assert_eq!(record.stretches().len(), 3, "the last stretch is a short one");
        a_command_that_still_runs_when_the_time_is_up_is_told_to_end_and_looked_at_until_it_has();
    }

    fn a_command_that_still_runs_when_the_time_is_up_is_told_to_end_and_looked_at_until_it_has() {
        let mut quick = Endless { takes: 500_000_000, told: None };
        let (ending, record) = beside(Some(Nanos::from_secs(1)), u64::MAX, Some(&mut quick));
        assert_eq!(ending.state, RunState::Complete);
        assert!(record.command().is_some_and(|c| c.exit.is_some() && !c.left_running()));
        assert_eq!(record.stretches().len(), 15, "what it does while it ends is seen, too");
        let mut stubborn = Endless { takes: u64::MAX / 2, told: None };
        let (ending, record) = beside(Some(Nanos::from_secs(1)), u64::MAX, Some(&mut stubborn));
        assert_eq!(ending.state, RunState::Complete);
        assert!(record.command().expect("it ran").left_running());
        assert_eq!(record.ended.as_nanos() - told_at(&stubborn), GRACE, "it is waited for, but not for ever");
        let interrupt = Interrupt::default();
        interrupt.0.store(SIGINT, Relaxed);
        let (ending, record) = watch_events(None, u64::MAX, Some(&mut quick), &interrupt);
        assert_eq!((ending.state, record.command()), (RunState::Stopped, None), "not begun after a signal");
    }

    fn told_at(command: &Endless) -> u64 {
        command.told.expect("it was told").as_nanos()
    }
}
