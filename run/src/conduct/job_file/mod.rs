//! Schedule of a job file: waves of jobs that run together, in the given order.

mod rules;
mod steady;

use super::errors::describe_errors;
use crate::wave::{Scheduler, Stop, Wave, WaveEnd, WaveJob};
use model::{Plan, Sentence, Stage, record::StepStop};
use rules::JobRules;
use std::borrow::Cow;
use std::collections::BTreeSet;

/// Scheduler of the waves of a job file. As in fio, a failed job does not end other jobs.
pub(super) struct JobFileScheduler<'p> {
    plan: &'p Plan,
    /// Stage of the next wave's first job.
    next: usize,
    /// True if the following waves are to be skipped.
    leave: bool,
    /// True if a job has filled its file system, as requested.
    filled: bool,
    /// Failed jobs, one sentence each.
    failures: Vec<Sentence>,
}

impl<'p> JobFileScheduler<'p> {
    /// Creates a scheduler for the waves of `plan`.
    pub fn new(plan: &'p Plan) -> Self {
        JobFileScheduler { plan, next: 0, leave: false, filled: false, failures: Vec::new() }
    }

    fn rest(&self) -> &'p [Stage] {
        &self.plan.stages[self.next..]
    }
}

impl<'p> Scheduler<'p> for JobFileScheduler<'p> {
    type Rules = JobRules<'p>;

    fn next(&mut self, _elapsed: model::Nanos) -> Option<Wave<'p, JobRules<'p>>> {
        let wave = self.rest().chunk_by(|_, next| next.place.with_previous).next().filter(|_| !self.leave)?;
        let first = self.next;
        self.next += wave.len();
        let job = |(i, stage): (usize, &'p Stage)| WaveJob {
            stage: first + i,
            pass: 0,
            hold: false,
            job: Cow::Borrowed(&stage.job),
            delay: stage.place.delay,
            after: awaited(wave, stage),
        };
        Some(Wave {
            jobs: wave.iter().enumerate().map(job).collect(),
            pause: None,
            rules: JobRules::new(self.plan, wave, first, self.filled),
        })
    }

    fn wave_ended(&mut self, wave: Wave<'p, JobRules<'p>>, WaveEnd { ends, failed }: WaveEnd) -> Result<(), Stop> {
        self.leave = wave.rules.leave();
        self.filled = wave.rules.filled();
        self.failures.extend(failed);
        let errors = wave.jobs.iter().zip(&ends).filter(|(_, end)| end.stop == StepStop::Errors);
        self.failures.extend(errors.map(|(j, end)| describe_errors(&j.job, end)));
        Ok(())
    }

    fn failures(&mut self) -> Vec<Sentence> {
        // Jobs on the same file report the same error; it is kept only once.
        let mut seen = BTreeSet::new();
        self.failures.retain(|failure| seen.insert(failure.clone()));
        std::mem::take(&mut self.failures)
    }
}

/// Returns the indices of the jobs in the wave that a job waits for.
fn awaited(wave: &[Stage], stage: &Stage) -> Vec<usize> {
    let Some(section) = stage.place.after else { return Vec::new() };
    wave.iter()
        .enumerate()
        .filter(|(_, s)| s.place.section == Some(section) && s.place.side == stage.place.side)
        .map(|(i, _)| i)
        .collect()
}
