//! One line about a run: what a listing shows, and what the index keeps.

use crate::journal::recover::Recovered;
use crate::runs::plan_key::plan_key;
use model::{Bytes, Digest, FoldError, Labels, Nanos, RunEvent, RunRecord, RunState, Sentence, WorkloadFigures};
use serde::{Deserialize, Serialize};

/// Longest verdict kept for listing, in characters.
const VERDICT_MAX: usize = 400;

/// Where a stored run stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RunStatus {
    /// Its writer lives.
    Running,
    /// Every stage was run.
    Complete,
    /// Killed: the journal has no end.
    Interrupted,
    /// Ended by a signal or the user.
    Stopped,
    /// Given up because operations did not come back.
    Hung,
    /// Ended by errors.
    Failed,
    /// Its journal is damaged: parts of it are lost.
    Damaged,
    /// Its journal cannot be read; the verdict says why.
    Unreadable,
}

impl RunStatus {
    /// Every status.
    pub const ALL: [RunStatus; 8] = [
        RunStatus::Running,
        RunStatus::Complete,
        RunStatus::Interrupted,
        RunStatus::Stopped,
        RunStatus::Hung,
        RunStatus::Failed,
        RunStatus::Damaged,
        RunStatus::Unreadable,
    ];

    /// The lower-case word.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            RunStatus::Running => "running",
            RunStatus::Complete => "complete",
            RunStatus::Interrupted => "interrupted",
            RunStatus::Stopped => "stopped",
            RunStatus::Hung => "hung",
            RunStatus::Failed => "failed",
            RunStatus::Damaged => "damaged",
            RunStatus::Unreadable => "unreadable",
        }
    }

    pub(crate) fn from_name(name: &str) -> Option<RunStatus> {
        RunStatus::ALL.into_iter().find(|s| s.name() == name)
    }

    fn from_state(state: RunState, live: bool) -> RunStatus {
        match state {
            RunState::Interrupted | RunState::Damaged if live => RunStatus::Running,
            RunState::Running => RunStatus::Running,
            RunState::Interrupted => RunStatus::Interrupted,
            RunState::Complete => RunStatus::Complete,
            RunState::Stopped => RunStatus::Stopped,
            RunState::Hung => RunStatus::Hung,
            RunState::Failed => RunStatus::Failed,
            RunState::Damaged => RunStatus::Damaged,
        }
    }

    /// Whether its journal is at fault.
    pub(crate) const fn is_spoilt(self) -> bool {
        matches!(self, RunStatus::Damaged | RunStatus::Unreadable)
    }

    /// Whether the run, and with it its row, can still change. A damaged journal can be put back from a copy.
    pub(crate) const fn is_settled(self) -> bool {
        !matches!(self, RunStatus::Running | RunStatus::Damaged | RunStatus::Unreadable)
    }
}

/// One line about a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunSummary {
    /// UUID, hyphenated.
    pub id: String,
    /// Wall-clock start, RFC 3339 with offset; empty when the journal cannot be read.
    pub started: String,
    /// The command that made it: `qualify`, ...
    pub command: String,
    /// Path of the target.
    pub target: String,
    /// Version of secchi that made it.
    pub tool: String,
    /// Where it stands.
    pub state: RunStatus,
    /// From the run's zero to the last moment known.
    pub duration: Nanos,
    /// The verdict in one line; empty when there is none.
    pub verdict: Sentence,
    /// The judge's exit code; `None` when there is no judgement.
    pub exit: Option<u8>,
    /// Name of the host it ran on.
    pub host: String,
    /// Bytes under test.
    pub size: Bytes,
    /// Key of its plan: the same in all runs that did the same, whenever and for however long.
    pub plan: String,
    /// Key figures of its workloads.
    pub workloads: Vec<WorkloadFigures>,
    /// Tags and note.
    #[serde(flatten)]
    pub labels: Labels,
}

impl RunSummary {
    /// Of a run just begun.
    pub(crate) fn begun(record: &RunRecord, state: RunStatus) -> RunSummary {
        RunSummary {
            id: record.id.clone(),
            started: record.started.clone(),
            command: record.plan.command.clone(),
            target: record.plan.shown_target(),
            tool: record.tool.clone(),
            state,
            duration: record.ended,
            verdict: Sentence::default(),
            exit: None,
            host: record.preflight.host.hostname.clone(),
            size: Bytes(record.plan.each_target().fold(0, |sum, t| sum.saturating_add(t.size.as_u64()))),
            plan: plan_key(&record.plan),
            workloads: Vec::new(),
            labels: Labels::default(),
        }
    }

    /// Of a run read back, without a verdict.
    pub(crate) fn from_recovered(recovered: &Recovered) -> RunSummary {
        RunSummary::begun(&recovered.record, RunStatus::from_state(recovered.record.state, recovered.live))
    }

    /// Of a journal that cannot be read; `known` is what an earlier listing knew.
    pub(crate) fn unreadable(id: &str, why: &str, known: Option<&RunSummary>) -> RunSummary {
        let blank = || RunSummary {
            id: id.to_owned(),
            started: String::new(),
            command: String::new(),
            target: String::new(),
            tool: String::new(),
            state: RunStatus::Unreadable,
            duration: Nanos(0),
            verdict: Sentence::default(),
            exit: None,
            host: String::new(),
            size: Bytes(0),
            plan: String::new(),
            workloads: Vec::new(),
            labels: Labels::default(),
        };
        RunSummary {
            state: RunStatus::Unreadable,
            verdict: one_line(why).into(),
            ..known.cloned().unwrap_or_else(blank)
        }
    }

    pub(crate) fn set_digest(&mut self, digest: Digest) {
        self.verdict = Sentence::from_parts(one_line(&digest.verdict), digest.verdict.message().cloned());
        self.exit = digest.exit;
        self.workloads = digest.workloads;
        // What is not finite has no place in a table, nor in JSON.
        for w in &mut self.workloads {
            w.iops = w.iops.filter(|i| i.per_second().is_finite());
            w.bandwidth = w.bandwidth.filter(|b| b.per_second().is_finite());
        }
    }
}

/// Text on one line, free of control characters, of bounded length.
fn one_line(text: &str) -> String {
    let mut line: String =
        text.trim().chars().take(VERDICT_MAX + 1).map(|c| if c.is_control() { ' ' } else { c }).collect();
    if let Some((end, _)) = line.char_indices().nth(VERDICT_MAX) {
        line.truncate(end);
        line.push_str("...");
    }
    line
}

/// A run being written, without what grows: enough for its summary, and to tell whether an event may come next.
#[derive(Debug)]
pub(crate) struct Outline {
    record: RunRecord,
}

impl Outline {
    /// # Errors
    /// As [`RunRecord::begin`].
    pub(crate) fn begin(event: &RunEvent) -> Result<Outline, FoldError> {
        Ok(Outline { record: RunRecord::begin(event.clone())? })
    }

    /// The outline with `event` added, for the moment it has been written: an event that the fold refuses would cut
    /// off everything written after it. `None` where the outline itself has taken it in: intervals and looks, which are nearly all
    /// events, change nothing when they are told once more, and many hosts tell many.
    ///
    /// # Errors
    /// As [`RunRecord::apply`].
    pub(crate) fn with(&mut self, event: &RunEvent) -> Result<Option<Outline>, FoldError> {
        if matches!(event, RunEvent::Interval { .. } | RunEvent::Look { .. }) {
            self.record.apply(event.clone())?;
            self.trim();
            return Ok(None);
        }
        let mut outline = Outline { record: self.record.clone() };
        outline.record.apply(event.clone())?;
        outline.trim();
        Ok(Some(outline))
    }

    /// Leaves out what no event to come refers to.
    fn trim(&mut self) {
        // The steps themselves stay: events name them by number, and several may be on.
        for step in &mut self.record.steps {
            step.intervals.clear();
        }
        self.record.together.clear();
        // Series are named by number, too, and a look may repeat their last value.
        for series in &mut self.record.series {
            series.points.drain(..series.points.len().saturating_sub(1));
        }
        self.record.caveats.clear();
        self.record.notes.clear();
    }

    /// The run's id.
    pub(crate) fn id(&self) -> &str {
        &self.record.id
    }

    /// Its summary, without a verdict; `live` as long as it is being written.
    pub(crate) fn summary(&self, live: bool) -> RunSummary {
        RunSummary::begun(&self.record, RunStatus::from_state(self.record.state, live))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;
    use proptest::prelude::*;

    #[test]
    fn a_verdict_is_one_line_of_bounded_length() {
        assert_eq!(one_line(" fit\nfor \u{1b}[31muse\t "), "fit for  [31muse");
        let long = one_line(&"ä".repeat(100_000));
        assert_eq!(long.chars().count(), VERDICT_MAX + 3);
        assert_eq!(one_line(&"x".repeat(VERDICT_MAX)), "x".repeat(VERDICT_MAX));
    }

    #[test]
    fn names_of_states_read_back() {
        for state in RunStatus::ALL {
            assert_eq!(RunStatus::from_name(state.name()), Some(state));
            assert_eq!(serde_json::to_string(&state).expect("a word"), format!("\"{}\"", state.name()));
        }
    }

    #[test]
    fn what_the_fold_would_refuse_is_refused_before_it_is_written() {
        let events = fixture::run(21, 1);
        let mut outline = Outline::begin(&events[0]).expect("begins");
        assert!(outline.with(&events[0]).is_err(), "a second begin");
        assert!(outline.with(&events[2]).is_err(), "an interval outside of a step");
        let mut begun = outline.with(&events[1]).expect("a step").expect("a new one");
        assert_eq!(begun.with(&events[2]).map(|new| new.is_none()), Ok(true), "taken in at once");
        let of_second = RunEvent::Interval { step: 1, interval: fixture::second(21, 0, 3) };
        assert!(begun.with(&of_second).is_err(), "an interval of a step to come");
        assert!(begun.with(&events[1]).is_err(), "a step of a number that is taken");
        let mut second = events[1].clone();
        if let RunEvent::StepBegin { number, .. } = &mut second {
            *number = Some(1);
        }
        let mut both = begun.with(&second).expect("a second step beside it").expect("a new one");
        assert!(both.with(&of_second).is_ok() && both.with(&events[2]).is_ok(), "of either");
    }

    proptest! {
        #[test]
        fn the_summary_kept_while_writing_is_that_of_the_record(events in fixture::runs(), live: bool) {
            let mut outline = Outline::begin(&events[0]).expect("begins");
            for event in &events[1..] {
                if let Some(new) = outline.with(event).expect("one run") {
                    outline = new;
                }
                // After a full disk an event may be written again.
                if matches!(event, RunEvent::Interval { .. } | RunEvent::Look { .. }) {
                    prop_assert!(outline.with(event).is_ok());
                }
            }
            let record = RunRecord::from_events(events).expect("one run");
            let state = RunStatus::from_state(record.state, live);
            prop_assert_eq!(outline.summary(live), RunSummary::begun(&record, state));
        }
    }
}
