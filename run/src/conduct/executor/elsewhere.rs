//! Parts of a wave that other processes run: their reports, and decisions about their jobs. Without other processes,
//! nothing here has an effect.

use super::{Executor, WaveWatch};
use crate::peers::PeerReport;
use crate::sink::Progress;
use crate::wave::{Stop, WaveRules};
use crate::workers::{Decision, WatchAll};
use model::{Nanos, RunEvent, Sentence, record::StepEnd};
use std::time::Duration;
use sys::clock::Clock;

impl Executor<'_> {
    /// Waits for the reports that other processes send after the loads of a wave have ended: their kernel counters.
    /// Returns their failures.
    pub(super) fn wait_for_end_of_wave(&mut self) -> Vec<Sentence> {
        loop {
            let now = Nanos(self.clock.now());
            if let Some(failed) = self.peers.end_wave(now, self.sink) {
                return failed;
            }
            self.sink.progress(&Progress { elapsed: now, ..Progress::default() });
        }
    }

    /// Waits until all processes have finished their work after the last wave and reported it.
    pub(super) fn wait_for_last_reports(&mut self) -> Result<(), Stop> {
        while !self.peers.finished(self.sink)? {
            if self.interrupt.asked() {
                return Err(Stop::Signal { stuck: false });
            }
            self.sink.progress(&Progress { elapsed: Nanos(self.clock.now()), ..Progress::default() });
        }
        Ok(())
    }
}

impl<R: WaveRules> WaveWatch<'_, '_, '_, R> {
    /// Handles reports of other processes, consults the rules about their jobs, and forwards a decision to stop all
    /// jobs.
    pub(super) fn apply_elsewhere(&mut self, now: Nanos, decision: Decision) -> Decision {
        let reports = self.run.peers.reports(now);
        let decision = self.run.peers.apply(decision);
        for report in reports {
            self.take(report, now);
        }
        decision
    }

    fn take(&mut self, report: PeerReport, now: Nanos) {
        match report {
            PeerReport::Live(which) => self.decide_elsewhere(which, now),
            PeerReport::Scheduled(which, from, until) => {
                self.rules.scheduled(which, from, until);
                self.measured[which] = Some((from, until));
            }
            PeerReport::Interval(which, interval) => {
                self.rules.interval(which, &interval);
                self.run.sink.event(RunEvent::Interval { step: self.base + which, interval: *interval });
            }
            PeerReport::Operations(step, entries) => self.run.sink.operations(step, &entries),
            PeerReport::Event(event) => self.run.sink.event(*event),
            PeerReport::Ended(which, end, reported) => {
                let stop = self.rules.why_ended(which, &end);
                let steady = self.rules.steadiness(which);
                let reported =
                    reported.map_or_else(|| end.step_end(monitor::CpuShare::default()), |reported| *reported);
                let reported = StepEnd { stop, steady, ..reported };
                self.run.sink.event(RunEvent::StepEnd { step: self.base + which, end: reported });
                self.rules.ended(which, &end);
                self.ends[which] = Some(*end);
            }
        }
    }

    /// Consults the rules about a job on another process.
    fn decide_elsewhere(&mut self, which: usize, now: Nanos) {
        let Some(live) = self.run.peers.live(which, now) else { return };
        let (decision, failure) = self.rules.decide(which, &live);
        self.failed.extend(failure);
        if let Decision::Stop(why) = decision {
            self.run.peers.stop(which, why);
        }
    }

    /// Continues until the jobs of other processes have ended as well.
    pub(super) fn wait_for_others(&mut self) {
        while !self.run.peers.all_ended() {
            std::thread::sleep(Duration::from_millis(10));
            let now = Nanos(self.run.clock.now());
            self.tick(now);
            // A decision based on the sum over all jobs also applies to jobs that have reported nothing new.
            (0..self.jobs.len()).for_each(|which| self.decide_elsewhere(which, now));
        }
    }
}
