//! The pause before a stage: nothing is measured, but counters go on, signals are heard, and it is said that one waits.

use crate::background::BackgroundSampler;
use crate::context::Interrupt;
use crate::sink::{Progress, Sink};
use model::{Nanos, Phase, Stage};
use std::time::Duration;
use sys::Clock;

/// How often is looked for signals and shown how long it still takes.
const LOOK: u64 = 100_000_000;

/// Waits for the stage's delay, or until somebody asks to stop.
pub fn pause<K: Clock>(
    clock: &K,
    stage: &Stage,
    (step, steps): (usize, usize),
    left_after: Nanos,
    sink: &mut dyn Sink,
    interrupt: &Interrupt,
    upkeep: &mut BackgroundSampler,
) {
    let until = clock.now().saturating_add(stage.place.delay.0);
    loop {
        let now = clock.now();
        if now >= until || interrupt.asked() {
            return;
        }
        if upkeep.due(Nanos(now)) {
            upkeep.sample(now, sink);
        }
        sink.progress(&Progress {
            label: format!("pause before {}", stage.job.workload.label()),
            concurrency: stage.job.concurrency(),
            phase: Phase::Ramp,
            step,
            steps,
            elapsed: Nanos(now),
            left: Nanos(left_after.0.saturating_add(until - now)),
            ..Progress::default()
        });
        std::thread::sleep(Duration::from_nanos((until - now).min(LOOK)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::background::SECOND;
    use model::*;
    use monitor::samplers::Subjects;

    struct Shown(Vec<Progress>, Interrupt);

    impl Sink for Shown {
        fn event(&mut self, _: RunEvent) {}
        fn progress(&mut self, progress: &Progress) {
            self.0.push(progress.clone());
            if self.0.len() == 2 {
                self.1.0.store(2, std::sync::atomic::Ordering::Relaxed);
            }
        }
    }

    #[test]
    fn a_signal_ends_a_pause_that_would_last_an_hour() {
        let target = Target::null("null", Bytes(1 << 30));
        let request = crate::mark::Request {
            args: Vec::new(),
            profile: None,
            tests: vec!["RND4K".parse().unwrap(), "SEQ1M".parse().unwrap()],
            directions: vec![MarkDirection::Read],
            loops: 1,
            time: Nanos(1_000_000_000),
            interval: Nanos(3_600_000_000_000),
            zero: false,
            engine: "null".into(),
            hang: Nanos(60_000_000_000),
            keep: false,
            may_write: false,
            seed: 1,
        };
        let plan = crate::mark::plan(&request, &target, Bytes(0)).unwrap();
        let clock = sys::MonotonicClock::start();
        let interrupt = Interrupt::default();
        let mut shown = Shown(Vec::new(), interrupt.clone());
        let mut upkeep = BackgroundSampler::new(&monitor::Roots::host(), &Subjects::default(), SECOND, clock.now());
        pause(&clock, &plan.stages[1], (2, 2), Nanos(0), &mut shown, &interrupt, &mut upkeep);
        assert_eq!(shown.0.len(), 2);
        assert!(shown.0[0].label.contains("1m read") && shown.0[0].left.secs() > 3590.0, "{:?}", shown.0[0]);
    }
}
