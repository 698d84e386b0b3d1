//! Work of a job: exactly one kind.

use crate::plan::{CommitRule, OtherWork, Replay, RequestInterval, SessionRule};
use crate::{keyed, metadata::MetadataRule};
use serde::de::{Error, IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;
use strum::VariantNames;

/// Work of a job. It is serialized as one key, such as `session`; [`Work::Requests`] has none.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, VariantNames)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(!remote, transform = crate::keyed::optional))]
#[serde(remote = "Self", rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Work {
    /// Operations described by the workload.
    #[default]
    #[serde(skip)]
    Requests,
    /// Schedule that sends one operation at a time at an interval.
    #[serde(rename = "request_interval")]
    #[strum(serialize = "request_interval")]
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
    #[serde(rename = "other_work")]
    #[strum(serialize = "other_work")]
    Other(Box<OtherWork>),
}

impl Work {
    /// Returns the schedule of a job that sends one operation at a time.
    #[must_use]
    pub fn paced(&self) -> Option<RequestInterval> {
        if let Work::Paced(work) = self { Some(*work) } else { None }
    }

    /// Returns the operations of a recording.
    #[must_use]
    pub fn replay(&self) -> Option<&Replay> {
        if let Work::Replay(work) = self { Some(work) } else { None }
    }

    /// Returns the rule of a database session.
    #[must_use]
    pub fn session(&self) -> Option<&SessionRule> {
        if let Work::Session(work) = self { Some(work) } else { None }
    }

    /// Returns the rule of a database session, to be changed.
    pub fn session_mut(&mut self) -> Option<&mut SessionRule> {
        if let Work::Session(work) = self { Some(work) } else { None }
    }

    /// Returns the rule of a job that works on files and their names.
    #[must_use]
    pub fn metadata(&self) -> Option<MetadataRule> {
        if let Work::Metadata(work) = self { Some(*work) } else { None }
    }

    /// Returns the rule of a job that commits by one method.
    #[must_use]
    pub fn commit(&self) -> Option<CommitRule> {
        if let Work::Commit(work) = self { Some(*work) } else { None }
    }

    /// Returns the work of a job without I/O.
    #[must_use]
    pub fn other(&self) -> Option<&OtherWork> {
        if let Work::Other(work) = self { Some(work) } else { None }
    }

    /// Returns `true` if the job does I/O.
    #[must_use]
    pub fn does_io(&self) -> bool {
        !matches!(self, Work::Other(_))
    }
}

impl Serialize for Work {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Work::Requests => serializer.serialize_unit(),
            work => Work::serialize(work, serializer),
        }
    }
}

impl<'de> Deserialize<'de> for Work {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Work, D::Error> {
        deserializer.deserialize_map(WorkVisitor)
    }
}

/// Reads the key of the work among the other keys of a job.
struct WorkVisitor;

impl<'de> Visitor<'de> for WorkVisitor {
    type Value = Work;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the settings of a job")
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Work, M::Error> {
        let mut work = Work::Requests;
        while let Some(key) = map.next_key::<String>()? {
            if !Work::VARIANTS.contains(&key.as_str()) {
                map.next_value::<IgnoredAny>()?;
            } else if work == Work::Requests {
                work = Work::deserialize(keyed::entry(&key, &mut map))?;
            } else {
                return Err(M::Error::custom("a job has one kind of work, but two are set"));
            }
        }
        Ok(work)
    }
}

#[cfg(test)]
mod tests {
    use crate::Nanos;
    use crate::metadata::{MetadataPhase, MetadataRule, MetadataShape};
    use crate::plan::{JobTuning, RequestInterval, Work};

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
        let both = r#"{"metadata": {"shape": "easy", "phase": "stat", "owner": 0, "files": 1},
            "commit": {"method": "fsync", "block": 4096, "writes": 1, "apart": false}}"#;
        let error = serde_json::from_str::<JobTuning>(both).expect_err("two kinds").to_string();
        assert!(error.contains("one kind of work"), "{error}");
    }
}
