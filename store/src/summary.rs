//! Summary of a run: one line of a listing and of the index.

use crate::journal::recover::Recovered;
use crate::plan_key::plan_key;
use model::record::{FoldError, Labels, WorkloadFigures};
use model::{Bytes, Nanos, RunEvent, RunRecord, RunState, Sentence, plan::KindName};
use serde::{Deserialize, Serialize};
use strum::{EnumString, IntoStaticStr};

/// Maximum length of a verdict in a summary, in characters.
const VERDICT_MAX: usize = 400;

/// Data derived from a record for lists. It is not stored in journals, so that improved rules can derive it again.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Digest {
    /// Sentence of the verdict.
    pub verdict: Sentence,
    /// Exit code of the judgement; `None` without a judgement.
    pub exit: Option<u8>,
    /// Key figures.
    pub workloads: Vec<WorkloadFigures>,
}

/// State of a stored run.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, EnumString, IntoStaticStr, strum::VariantArray,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum RunStatus {
    /// The writer of the run is alive.
    Running,
    /// All stages were run.
    Complete,
    /// The run was killed: its journal has no `End` event.
    Interrupted,
    /// The run was ended by a signal or by the user.
    Stopped,
    /// The run was abandoned because operations did not complete.
    Hung,
    /// The run was ended by errors.
    Failed,
    /// The journal is damaged: parts of it are lost.
    Damaged,
    /// The journal cannot be read. The verdict contains the reason.
    #[default]
    Unreadable,
}

impl RunStatus {
    /// Returns the lower-case name.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.into()
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

    /// Returns `true` if the journal is damaged or unreadable.
    pub(crate) const fn is_spoilt(self) -> bool {
        matches!(self, RunStatus::Damaged | RunStatus::Unreadable)
    }

    /// Returns `true` if the run and its row can no longer change. A damaged journal can change, because it may be
    /// restored from a copy.
    pub(crate) const fn is_settled(self) -> bool {
        !matches!(self, RunStatus::Running | RunStatus::Damaged | RunStatus::Unreadable)
    }
}

/// Summary of a run, in one line.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RunSummary {
    /// Id of the run: a hyphenated UUID.
    pub id: String,
    /// Wall-clock start, RFC 3339 with offset; empty if the journal cannot be read.
    pub started: String,
    /// Kind of the run; `None` if the journal cannot be read.
    pub kind: Option<KindName>,
    /// Command that started the run, such as `qualify`.
    pub command: String,
    /// Path of the target.
    pub target: String,
    /// Version of secchi that wrote the run.
    pub tool: String,
    /// State of the run.
    pub state: RunStatus,
    /// Time from the start of the run's clock to the last known moment of the run.
    pub duration: Nanos,
    /// Verdict, in one line; empty if there is none.
    pub verdict: Sentence,
    /// Exit code of the judgement; `None` if the run was not judged.
    pub exit: Option<u8>,
    /// Name of the host.
    pub host: String,
    /// Total size of the targets.
    pub size: Bytes,
    /// Key of the plan. It is the same for all comparable runs, regardless of start and duration.
    pub plan: String,
    /// Key figures of the workloads.
    pub workloads: Vec<WorkloadFigures>,
    /// Tags and note.
    #[serde(flatten)]
    pub labels: Labels,
}

/// The list of stored runs.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RunList<'a> {
    /// The runs, in the requested order.
    pub runs: &'a [RunSummary],
}

impl RunSummary {
    /// Returns the summary of a run that has just begun.
    pub(crate) fn begun(record: &RunRecord, state: RunStatus) -> RunSummary {
        RunSummary {
            id: record.id.clone(),
            started: record.started.clone(),
            kind: Some(record.plan.kind.name()),
            command: record.plan.command.clone(),
            target: record.plan.shown_target(),
            tool: record.tool.clone(),
            state,
            duration: record.ended,
            host: record.preflight.host.hostname.clone(),
            size: Bytes(record.plan.each_target().fold(0, |sum, t| sum.saturating_add(t.size.as_u64()))),
            plan: plan_key(&record.plan),
            ..RunSummary::default()
        }
    }

    /// Returns the summary of a recovered run, without a verdict.
    pub(crate) fn from_recovered(recovered: &Recovered) -> RunSummary {
        RunSummary::begun(&recovered.record, RunStatus::from_state(recovered.record.state, recovered.live))
    }

    /// Returns the summary of a run whose journal cannot be read. It is based on `known`, the summary from an earlier
    /// listing.
    pub(crate) fn unreadable(id: &str, reason: &Sentence, known: Option<&RunSummary>) -> RunSummary {
        let blank = || RunSummary { id: id.to_owned(), ..RunSummary::default() };
        RunSummary {
            state: RunStatus::Unreadable,
            verdict: Sentence::from_parts(one_line(reason), reason.message().cloned()),
            ..known.cloned().unwrap_or_else(blank)
        }
    }

    pub(crate) fn set_digest(&mut self, digest: Digest) {
        self.verdict = Sentence::from_parts(one_line(&digest.verdict), digest.verdict.message().cloned());
        self.exit = digest.exit;
        self.workloads = digest.workloads;
        // Values that are not finite cannot be stored in a table or in JSON.
        for w in &mut self.workloads {
            w.iops = w.iops.filter(|i| i.per_second().is_finite());
            w.bandwidth = w.bandwidth.filter(|b| b.per_second().is_finite());
        }
    }
}

/// Returns the text in one line, without control characters and limited to `VERDICT_MAX` characters.
fn one_line(text: &str) -> String {
    let mut line: String =
        text.trim().chars().take(VERDICT_MAX + 1).map(|c| if c.is_control() { ' ' } else { c }).collect();
    if let Some((end, _)) = line.char_indices().nth(VERDICT_MAX) {
        line.truncate(end);
        line.push_str("...");
    }
    line
}

/// State of a run that is being written, without the parts that grow. It is sufficient for the summary, and for
/// checking whether an event may come next.
#[derive(Debug)]
pub(crate) struct Outline {
    record: RunRecord,
}

impl Outline {
    /// Begins an outline with the first event.
    ///
    /// # Errors
    /// Returns the same errors as [`RunRecord::begin`].
    pub(crate) fn begin(event: &RunEvent) -> Result<Outline, FoldError> {
        Ok(Outline { record: RunRecord::begin(event.clone())? })
    }

    /// Returns a copy of the outline with `event` applied. The caller replaces the outline with the copy once the event
    /// is written. This way, an event that the record rejects is never written. Such an event would make everything
    /// after it unreadable.
    ///
    /// Returns `None` if `event` was applied to this outline directly. This is done for intervals and samples, because
    /// applying such an event twice changes nothing. Nearly all events are intervals or samples, especially in runs on
    /// many hosts.
    ///
    /// # Errors
    /// Returns the same errors as [`RunRecord::apply`].
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

    /// Drops the data that no later event refers to.
    fn trim(&mut self) {
        // Keep the steps, because events refer to them by number and several may be active.
        for step in &mut self.record.steps {
            step.intervals.clear();
        }
        self.record.together.clear();
        // Keep the series as well, because events refer to them by number, and a sample may repeat their last value.
        for series in &mut self.record.series {
            series.points.drain(..series.points.len().saturating_sub(1));
        }
        self.record.caveats.clear();
        self.record.notes.clear();
    }

    /// Returns the run's id.
    pub(crate) fn id(&self) -> &str {
        &self.record.id
    }

    /// Returns the summary without a verdict. `live` is true while the run is being written.
    pub(crate) fn summary(&self, live: bool) -> RunSummary {
        RunSummary::begun(&self.record, RunStatus::from_state(self.record.state, live))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;
    use proptest::prelude::*;
    use strum::VariantArray;

    #[test]
    fn a_verdict_is_one_line_of_bounded_length() {
        assert_eq!(one_line(" fit\nfor \u{1b}[31muse\t "), "fit for  [31muse");
        let long = one_line(&"ä".repeat(100_000));
        assert_eq!(long.chars().count(), VERDICT_MAX + 3);
        assert_eq!(one_line(&"x".repeat(VERDICT_MAX)), "x".repeat(VERDICT_MAX));
    }

    #[test]
    fn names_of_states_read_back() {
        for state in RunStatus::VARIANTS.iter().copied() {
            assert_eq!(state.name().parse(), Ok(state));
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
            *number = 1;
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
                // After the disk was full, an event may be written again.
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
