//! What happens during a run, in order. The journal keeps these; a [`crate::RunRecord`] is their fold.

use crate::{
    Accounting, Alarm, BlockTrace, Caveat, CommandUse, DatabaseUse, DiskUse, Interval, Job, NamedSeries, Nanos,
    PackedTrace, Pinged, Plan, Preflight, Replayed, Sample, Sampled, Sentence, SeriesSample, StepEnd,
};
use serde::{Deserialize, Serialize};

/// How a run ended, or that it did not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RunState {
    /// Killed: the journal has no end, and nobody writes it.
    #[default]
    Interrupted,
    /// Still running: the journal has no end, and its writer holds its lock. Only readers say so.
    Running,
    /// Every stage was run.
    Complete,
    /// Ended by a signal or by the user, after draining; partial.
    Stopped,
    /// Given up because operations did not come back.
    Hung,
    /// Ended by errors.
    Failed,
    /// The journal is damaged: parts of it are lost, and what was read of the rest is no measurement. Only readers say so.
    Damaged,
}

impl RunState {
    /// Whether the journal has no end.
    #[must_use]
    pub fn has_no_end(self) -> bool {
        matches!(self, RunState::Interrupted | RunState::Running)
    }
}

/// One thing that happened.
///
/// Tagged from outside (`{"interval": {...}}`): an inner tag would make serde buffer the payload, which cannot hold
/// the 128-bit sums of a histogram nor the target's uuid.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RunEvent {
    /// The run began.
    Begin {
        /// Format version of the record: [`crate::RECORD_VERSION`].
        version: u32,
        /// Version of secchi.
        tool: String,
        /// Identity of the run (UUID, hyphenated).
        id: String,
        /// Wall-clock time of the run's zero, RFC 3339 with offset.
        started: String,
        /// What will be done.
        plan: Plan,
        /// What was found before.
        preflight: Box<Preflight>,
    },
    /// The test file was filled.
    Filled {
        /// Bytes written.
        bytes: u64,
        /// Time it took, flush included.
        time: Nanos,
    },
    /// The engine of all steps was chosen by trying the candidates on the target.
    EngineChosen {
        /// Its name, and the figures that decided.
        why: String,
    },
    /// A step began.
    StepBegin {
        /// Index of its stage in the plan.
        stage: usize,
        /// Pass number for interleaved repeats, from 0.
        pass: u32,
        /// Whether this is the held level after a ramp.
        hold: bool,
        /// The job as run: engine, depth and threads final.
        job: Box<Job>,
        /// On the run's clock.
        at: Nanos,
        /// Its number: as many began before it. Journals before version 5 do not tell it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        number: Option<usize>,
    },
    /// About one second of a step.
    Interval {
        /// Which step: they are numbered from 0 in the order they begin, and several may run together.
        step: usize,
        /// What happened.
        #[serde(with = "crate::small")]
        interval: Interval,
    },
    /// Intervals before and after this were put together ([`crate::RunRecord::coarse`]): the journal of a long run was
    /// written anew.
    Coarse {
        /// How often, by step.
        steps: Vec<u32>,
        /// By step, of jobs of a job file: what their samples were before. Told where `was` is 0.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        sampled: Vec<Option<Box<Sampled>>>,
        /// Bytes the journal had then, behind the last of what was put together; 0 before that.
        was: u64,
    },
    /// A step ended.
    StepEnd {
        /// Index of the step.
        step: usize,
        /// Closing counts.
        end: StepEnd,
    },
    /// What the kernel counted while these steps ran, against what they asked.
    Accounting {
        /// Steps that ran together.
        steps: Vec<usize>,
        /// Counts of all of them.
        counts: Accounting,
    },
    /// Counters sampled beside the load, each by its name. What is told while a run goes on; a journal keeps the two
    /// that follow instead ([`crate::RunRecord::look_events`]), and those of version 2 kept this.
    Samples {
        /// On the run's clock.
        at: Nanos,
        /// Values over the stretch ending there.
        samples: Vec<Sample>,
    },
    /// Series that are new, and known by their numbers from here on.
    Series {
        /// The number of the first: there are so many already.
        first: usize,
        /// In order of their numbers.
        series: Vec<NamedSeries>,
    },
    /// Values of series by their numbers.
    Look {
        /// On the run's clock.
        at: Nanos,
        /// Values over the stretch ending there.
        look: SeriesSample,
    },
    /// What the kernel counted for the devices under the target, over all steps so far; replaces what was told before.
    Disks(Vec<DiskUse>),
    /// What is known of requests told one by one, from the begin until now; replaces what was told before.
    Ping(Box<Pinged>),
    /// A replay beside its recording, from the begin until now; replaces what was told before.
    Replayed(Box<Replayed>),
    /// A stretch of the trace of the block layer, after those told before. What is told while a run goes on; a journal keeps
    /// the next instead, and those before version 4 kept this.
    Blocks {
        /// Steps that ran then; empty when none did.
        steps: Vec<usize>,
        /// What was seen.
        trace: Box<BlockTrace>,
    },
    /// The same, written small.
    Traced {
        /// Steps that ran then; empty when none did.
        steps: Vec<usize>,
        /// What was seen.
        trace: Box<PackedTrace>,
    },
    /// The database that is driven, and what its engine counted from the begin until now; replaces what was told before.
    Database(Box<DatabaseUse>),
    /// The command that is run beside a watch, as far as it is known; replaces what was told before.
    Command(Box<CommandUse>),
    /// An alert of a watch went off, or ended: then it has its end, and replaces what was told of it before.
    Alarm(Box<Alarm>),
    /// A doubt.
    Caveat(Caveat),
    /// Something worth a line in the log.
    Note {
        /// On the run's clock.
        at: Nanos,
        /// The note, in the reader's languages.
        #[serde(flatten, with = "crate::text::message::kept_text")]
        text: Sentence,
    },
    /// The run ended.
    End {
        /// The state the run ended in.
        state: RunState,
        /// On the run's clock.
        at: Nanos,
        /// Why, if not complete.
        #[serde(flatten, with = "crate::text::message::kept_reason")]
        reason: Sentence,
        /// Number of the signal that stopped it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        signal: Option<u8>,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_told_of_a_run_keeps_its_messages_beside_its_english() {
        let text = Sentence::new("no drive figures", crate::Message::new("note-no-figures").put("name", "drive"));
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
        // As older versions wrote them, and as what no catalogue has is written today.
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
