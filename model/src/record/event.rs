//! Events of a run, in order. The journal stores them; a [`crate::RunRecord`] is folded from them.

use crate::measured::{BlockTrace, DiskUse, NamedSeries, PackedTrace, Sample, Sampled, SeriesSample};
use crate::record::{Accounting, CommandUse, Preflight, Results, StepEnd};
use crate::{Caveat, Interval, Job, Nanos, Plan, Sentence, bounds::Alarm, keyed};
use serde::de::{Error, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;

/// State of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum RunState {
    /// Killed: the journal has no end, and no process is writing it.
    #[default]
    Interrupted,
    /// Still running: the journal has no end, and its writer holds the lock. Only set by readers.
    Running,
    /// All stages were run.
    Complete,
    /// Stopped by a signal or by the user after draining; the results are partial.
    Stopped,
    /// Aborted because operations did not return.
    Hung,
    /// Ended by errors.
    Failed,
    /// The journal is damaged and parts of it are lost; the remainder does not count as a measurement. Only set by
    /// readers.
    Damaged,
}

impl RunState {
    /// Returns `true` if the journal has no end.
    #[must_use]
    pub fn has_no_end(self) -> bool {
        matches!(self, RunState::Interrupted | RunState::Running)
    }
}

/// An event of a run.
///
/// Externally tagged (`{"interval": {...}}`): an internal tag would make serde buffer the payload, which cannot hold
/// the 128-bit sums of a histogram nor the target's uuid.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(remote = "Self", rename_all = "snake_case")]
pub enum RunEvent {
    /// The run began.
    Begin {
        /// Format version of the record: [`crate::record::RECORD_VERSION`].
        version: u32,
        /// Version of secchi.
        tool: String,
        /// ID of the run (UUID, hyphenated).
        id: String,
        /// Wall-clock time of zero on the run's clock, RFC 3339 with offset.
        started: String,
        /// Plan of the run.
        plan: Plan,
        /// Results of the preflight.
        preflight: Box<Preflight>,
    },
    /// The test file was filled.
    Filled {
        /// Bytes written.
        bytes: u64,
        /// Duration, including the flush.
        time: Nanos,
    },
    /// The engine of all steps was chosen.
    EngineChosen {
        /// True if the user requested it; otherwise it was chosen by testing the candidates on the target.
        requested: bool,
        /// Name of the engine and the figures that decided.
        #[serde(flatten, with = "crate::text::message::kept_why")]
        why: Sentence,
    },
    /// A step began.
    StepBegin {
        /// Index of its stage in the plan.
        stage: usize,
        /// Pass number for interleaved repeats, from 0.
        pass: u32,
        /// True for the sustained level, which is held after a ramp.
        hold: bool,
        /// The job as run, with the final engine, depth and threads.
        job: Box<Job>,
        /// Start on the run's clock.
        at: Nanos,
        /// Number of the step, which is the number of steps that began before it.
        number: usize,
    },
    /// About one second of a step.
    Interval {
        /// Number of the step. Steps are numbered from 0 in the order they begin; several may run at the same time.
        step: usize,
        /// Counts and latencies of the interval.
        #[serde(with = "crate::measured::small")]
        interval: Interval,
    },
    /// Intervals before and after this event were merged ([`crate::RunRecord::coarse`]), because the journal of a long
    /// run was rewritten.
    Coarse {
        /// Number of merges, by step.
        steps: Vec<u32>,
        /// Samples of each step from before the merges, for jobs of a job file. Present if `was` is 0.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        sampled: Vec<Option<Box<Sampled>>>,
        /// Length of the journal before the rewrite, in bytes. Set in the event after the merged intervals; 0 in the
        /// event before them.
        was: u64,
    },
    /// A step ended.
    StepEnd {
        /// Index of the step.
        step: usize,
        /// Final counts.
        end: StepEnd,
    },
    /// Kernel counts while these steps ran, compared with the requested amounts.
    Accounting {
        /// Steps that ran together.
        steps: Vec<usize>,
        /// Counts of all of them.
        counts: Accounting,
    },
    /// Counters sampled during the load, by name. Used in a live run; journals store `Series` and `Look` events instead
    /// ([`crate::RunRecord::look_events`]).
    Samples {
        /// End of the period on the run's clock.
        at: Nanos,
        /// Values over the period that ends at that time.
        samples: Vec<Sample>,
    },
    /// New series. Later events refer to them by number.
    Series {
        /// Number of the first new series, which equals the number of series before it.
        first: usize,
        /// New series, in the order of their numbers.
        series: Vec<NamedSeries>,
    },
    /// Values of the series, identified by number.
    Look {
        /// End of the period on the run's clock.
        at: Nanos,
        /// Values over the period that ends at that time.
        look: SeriesSample,
    },
    /// Kernel counts of the devices under the target, over all steps so far; replaces the previous event.
    Disks(Vec<DiskUse>),
    /// Results since the start that only runs of one kind have; replaces the previous event. They are serialized as the
    /// event itself: `{"ping": {...}}`.
    #[serde(skip)]
    Results(Results),
    /// Next part of the trace of the block layer. Used in a live run; journals store `Traced` events instead.
    Blocks {
        /// Steps that ran during this part; empty if none did.
        steps: Vec<usize>,
        /// Results of the trace.
        trace: Box<BlockTrace>,
    },
    /// Next part of the trace of the block layer, in compact form.
    Traced {
        /// Steps that ran during this part; empty if none did.
        steps: Vec<usize>,
        /// Results of the trace.
        trace: Box<PackedTrace>,
    },
    /// Current state of the command that runs during a watch; replaces the previous event.
    Command(Box<CommandUse>),
    /// An alert of a watch was triggered, or it ended. The second event replaces the first event of the same alarm.
    Alarm(Box<Alarm>),
    /// A caveat.
    Caveat(Caveat),
    /// A log line.
    Note {
        /// Time on the run's clock.
        at: Nanos,
        /// Text of the line, in the user's languages.
        #[serde(flatten, with = "crate::text::message::kept_text")]
        text: Sentence,
    },
    /// The run ended.
    End {
        /// Final state.
        state: RunState,
        /// Time of the end on the run's clock.
        at: Nanos,
        /// Reason, if not complete.
        #[serde(flatten, with = "crate::text::message::kept_reason")]
        reason: Sentence,
        /// Number of the signal that stopped the run.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        signal: Option<u8>,
    },
}

impl Serialize for RunEvent {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            RunEvent::Results(results) => results.serialize(serializer),
            event => RunEvent::serialize(event, serializer),
        }
    }
}

impl<'de> Deserialize<'de> for RunEvent {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<RunEvent, D::Error> {
        deserializer.deserialize_map(EventVisitor)
    }
}

/// Reads an event, or results of one kind, by its key.
struct EventVisitor;

impl<'de> Visitor<'de> for EventVisitor {
    type Value = RunEvent;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an event of a run")
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<RunEvent, M::Error> {
        let key: String = map.next_key()?.ok_or_else(|| M::Error::custom("an event has one key"))?;
        match Results::is_key(&key) {
            true => Results::deserialize(keyed::entry(&key, &mut map)).map(RunEvent::Results),
            false => RunEvent::deserialize(keyed::entry(&key, &mut map)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_told_of_a_run_keeps_its_messages_beside_its_english() {
        let text = Sentence::new("no drive figures", crate::text::Message::new("note-no-figures").put("name", "drive"));
        let events = [
            RunEvent::Note { at: Nanos(5), text: text.clone() },
            RunEvent::End { state: RunState::Failed, at: Nanos(7), reason: text, signal: Some(15) },
        ];
        for event in events {
            let kept = serde_json::to_string(&event).expect("an event has a JSON form");
            let back: RunEvent = serde_json::from_str(&kept).expect("it reads back");
            assert_eq!(back, event);
            let (RunEvent::Note { text, .. } | RunEvent::End { reason: text, .. }) = &back else { panic!("{back:?}") };
            assert!(text.message().is_some(), "{kept}");
        }
        // Text that is in no message catalogue.
        let plain = r#"{"note":{"at":5,"text":"by hand"}}"#;
        let event: RunEvent = serde_json::from_str(plain).expect("it is read");
        assert_eq!(event, RunEvent::Note { at: Nanos(5), text: "by hand".into() });
        assert_eq!(serde_json::to_string(&event).expect("it has a JSON form"), plain);
    }

    #[test]
    fn an_interval_with_sums_beyond_64_bits_survives_json() {
        let mut interval = Interval::default();
        interval.per_op[0].latency.record(Nanos::from_secs(60));
        interval.in_flight_ns = u128::from(u64::MAX) * 3;
        let event = RunEvent::Interval { step: 0, interval };
        let text = serde_json::to_string(&event).expect("an event has a JSON form");
        assert_eq!(serde_json::from_str::<RunEvent>(&text).expect("it reads back"), event);
    }
}
