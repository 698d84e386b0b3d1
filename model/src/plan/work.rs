//! Work of a job: exactly one kind.

use crate::{CommitRule, MetadataRule, OtherWork, Replay, RequestInterval, SessionRule};
use serde::ser::SerializeMap;
use serde::{Deserialize, Serialize, Serializer};

/// Work of a job. It is serialized as one key, such as `session`; [`Work::Requests`] has none.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(try_from = "WorkKeys")]
pub enum Work {
    /// Operations described by the workload.
    #[default]
    Requests,
    /// Schedule that sends one operation at a time at an interval.
    Paced(RequestInterval),
    /// Operations of a recording, which replace those described by the workload.
    Replay(Box<Replay>),
    /// Database session that the job drives instead of a block engine.
    Session(Box<SessionRule>),
    /// Work on files in a directory created by secchi (create, stat, read or remove) instead of transfers of one file's
    /// contents.
    Metadata(MetadataRule),
    /// Commits by one method, in a directory created by secchi.
    Commit(CommitRule),
    /// Work that the job does instead of I/O; it then has no workers.
    Other(Box<OtherWork>),
}

impl Work {
    /// Returns the schedule of a job that sends one operation at a time.
    #[must_use]
    pub fn paced(&self) -> Option<RequestInterval> {
        match self {
            Work::Paced(interval) => Some(*interval),
            _ => None,
        }
    }

    /// Returns the operations of a recording.
    #[must_use]
    pub fn replay(&self) -> Option<&Replay> {
        match self {
            Work::Replay(replay) => Some(replay),
            _ => None,
        }
    }

    /// Returns the rule of a database session.
    #[must_use]
    pub fn session(&self) -> Option<&SessionRule> {
        match self {
            Work::Session(rule) => Some(rule),
            _ => None,
        }
    }

    /// Returns the rule of a database session, to be changed.
    pub fn session_mut(&mut self) -> Option<&mut SessionRule> {
        match self {
            Work::Session(rule) => Some(rule),
            _ => None,
        }
    }

    /// Returns the rule of a job that works on files and their names.
    #[must_use]
    pub fn metadata(&self) -> Option<MetadataRule> {
        match self {
            Work::Metadata(rule) => Some(*rule),
            _ => None,
        }
    }

    /// Returns the rule of a job that commits by one method.
    #[must_use]
    pub fn commit(&self) -> Option<CommitRule> {
        match self {
            Work::Commit(rule) => Some(*rule),
            _ => None,
        }
    }

    /// Returns the work of a job without I/O.
    #[must_use]
    pub fn other(&self) -> Option<&OtherWork> {
        match self {
            Work::Other(work) => Some(work),
            _ => None,
        }
    }

    /// Returns `true` if the job does I/O.
    #[must_use]
    pub fn does_io(&self) -> bool {
        !matches!(self, Work::Other(_))
    }
}

impl Serialize for Work {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        match self {
            Work::Requests => {}
            Work::Paced(interval) => map.serialize_entry("request_interval", interval)?,
            Work::Replay(replay) => map.serialize_entry("replay", replay)?,
            Work::Session(rule) => map.serialize_entry("session", rule)?,
            Work::Metadata(rule) => map.serialize_entry("metadata", rule)?,
            Work::Commit(rule) => map.serialize_entry("commit", rule)?,
            Work::Other(work) => map.serialize_entry("other_work", work)?,
        }
        map.end()
    }
}

/// Keys of the serialized form, of which at most one is set.
#[derive(Default, Deserialize)]
#[serde(default)]
struct WorkKeys {
    request_interval: Option<RequestInterval>,
    replay: Option<Box<Replay>>,
    session: Option<Box<SessionRule>>,
    metadata: Option<MetadataRule>,
    commit: Option<CommitRule>,
    other_work: Option<Box<OtherWork>>,
}

impl TryFrom<WorkKeys> for Work {
    type Error = &'static str;

    fn try_from(keys: WorkKeys) -> Result<Self, &'static str> {
        let each = [
            keys.request_interval.map(Work::Paced),
            keys.replay.map(Work::Replay),
            keys.session.map(Work::Session),
            keys.metadata.map(Work::Metadata),
            keys.commit.map(Work::Commit),
            keys.other_work.map(Work::Other),
        ];
        let mut set = each.into_iter().flatten();
        match (set.next(), set.next()) {
            (work, None) => Ok(work.unwrap_or_default()),
            (_, Some(_)) => Err("a job has one kind of work, but two are set"),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::{JobTuning, MetadataPhase, MetadataRule, MetadataShape, Nanos, RequestInterval, Work};

    #[test]
    fn work_is_one_key_beside_the_settings_and_two_are_refused() {
        let rule = MetadataRule { shape: MetadataShape::Hard, phase: MetadataPhase::Stat, owner: 3, files: 1000 };
        let interval = RequestInterval {
            interval: Nanos::from_millis(1),
            burst: 1,
            from_due: true,
            uncached: false,
            durable: true,
            by_turns: false,
        };
        for (work, key) in [
            (Work::Requests, None),
            (Work::Metadata(rule), Some("metadata")),
            (Work::Paced(interval), Some("request_interval")),
        ] {
            let tuning = JobTuning { work, every_op: true, ..JobTuning::default() };
            let json = serde_json::to_value(&tuning).expect("it is written");
            let keys = ["request_interval", "replay", "session", "metadata", "commit", "other_work", "work"];
            let set: Vec<&str> = keys.into_iter().filter(|key| json.get(key).is_some()).collect();
            assert_eq!(set, Vec::from_iter(key));
            assert_eq!(serde_json::from_value::<JobTuning>(json).expect("it is read"), tuning);
        }
        let both = r#"{"metadata": {"shape": "easy", "phase": "stat", "owner": 0, "files": 1}, "other_work": null,
            "commit": {"method": "fsync", "block": 4096, "writes": 1, "apart": false}}"#;
        let error = serde_json::from_str::<JobTuning>(both).expect_err("two kinds").to_string();
        assert!(error.contains("one kind of work"), "{error}");
    }
}
