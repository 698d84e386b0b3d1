//! Results that only runs of one kind have.

use crate::record::{CommandUse, FoldError, Pinged, Replayed};
use crate::{RunEvent, RunRecord, bounds::Alarm, keyed, measured::DatabaseUse, plan::KindName};
use serde::de::value::MapAccessDeserializer;
use serde::de::{DeserializeSeed, Error, IntoDeserializer, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;
use strum::{IntoStaticStr, VariantNames};

/// Results that only runs of one kind have. They are serialized next to the record's other keys: as one key, or as the
/// keys of [`WatchResults`]. The variant of a kind has its name.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, IntoStaticStr, VariantNames)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Results {
    /// Requests of `secchi ping`, without those that do not count.
    Ping(Box<Pinged>),
    /// Results of `secchi replay`, compared with the recording.
    #[serde(rename = "replayed")]
    #[strum(serialize = "replayed")]
    Replay(Box<Replayed>),
    /// Database of `secchi db`, with the counts of its engine and devices.
    Database(Box<DatabaseUse>),
    /// Results of `secchi watch`.
    #[serde(skip)]
    #[cfg_attr(feature = "schema", schemars(!skip, untagged))]
    Watch(WatchResults),
}

/// Results of a watch.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct WatchResults {
    /// Usage and result of the command in `secchi watch -- COMMAND`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub command: Option<Box<CommandUse>>,
    /// Alarms of `secchi watch --alert`, in order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub alarms: Vec<Alarm>,
}

impl WatchResults {
    /// Returns the events that report these results.
    fn into_events(self) -> Vec<RunEvent> {
        let alarms = self.alarms.into_iter().map(|alarm| RunEvent::Alarm(Box::new(alarm)));
        self.command.map(RunEvent::Command).into_iter().chain(alarms).collect()
    }
}

impl Results {
    /// Returns `true` if a key of a record or an event contains results of a kind.
    pub(crate) fn is_key(key: &str) -> bool {
        Results::VARIANTS.contains(&key)
    }

    /// Returns the name of the kind of runs that have such results.
    fn kind(&self) -> &'static str {
        match self {
            Results::Replay(_) => KindName::Replay.as_str(),
            others => others.into(),
        }
    }

    /// Returns the events that report these results.
    pub(crate) fn into_events(self) -> Vec<RunEvent> {
        match self {
            Results::Watch(results) => results.into_events(),
            results => vec![RunEvent::Results(results)],
        }
    }

    /// Serializes the keys of the results.
    pub(super) fn serialize_keys<S: Serializer>(results: &Option<Results>, serializer: S) -> Result<S::Ok, S::Error> {
        match results {
            None => serializer.serialize_unit(),
            Some(Results::Watch(results)) => results.serialize(serializer),
            Some(results) => results.serialize(serializer),
        }
    }
}

impl RunRecord {
    /// Returns the requests of a ping.
    #[must_use]
    pub fn ping(&self) -> Option<&Pinged> {
        if let Some(Results::Ping(results)) = &self.results { Some(results) } else { None }
    }

    /// Returns the results of a replay.
    #[must_use]
    pub fn replayed(&self) -> Option<&Replayed> {
        if let Some(Results::Replay(results)) = &self.results { Some(results) } else { None }
    }

    /// Returns the database of a database run.
    #[must_use]
    pub fn database(&self) -> Option<&DatabaseUse> {
        if let Some(Results::Database(results)) = &self.results { Some(results) } else { None }
    }

    /// Returns the database of a database run, to be changed.
    pub fn database_mut(&mut self) -> Option<&mut DatabaseUse> {
        if let Some(Results::Database(results)) = &mut self.results { Some(results) } else { None }
    }

    /// Returns the command of a watch, if it was started.
    #[must_use]
    pub fn command(&self) -> Option<&CommandUse> {
        if let Some(Results::Watch(results)) = &self.results { results.command.as_deref() } else { None }
    }

    /// Returns the alarms of a watch; empty for other kinds.
    #[must_use]
    pub fn alarms(&self) -> &[Alarm] {
        if let Some(Results::Watch(results)) = &self.results { &results.alarms } else { &[] }
    }

    /// Returns the results of a watch, to be changed; they are empty at first.
    ///
    /// # Errors
    /// Returns an error if the run is not a watch.
    pub(super) fn watch_results(&mut self) -> Result<&mut WatchResults, FoldError> {
        self.check_kind(KindName::Watch.as_str())?;
        match self.results.get_or_insert(Results::Watch(WatchResults::default())) {
            Results::Watch(results) => Ok(results),
            other => Err(FoldError::OtherKind(other.kind(), KindName::Watch.as_str())),
        }
    }

    /// Sets the results.
    ///
    /// # Errors
    /// Returns an error if they belong to runs of another kind.
    pub(super) fn set_results(&mut self, results: Results) -> Result<(), FoldError> {
        self.check_kind(results.kind())?;
        self.results = Some(results);
        Ok(())
    }

    fn check_kind(&self, results: &'static str) -> Result<(), FoldError> {
        let kind = self.plan.kind.name().as_str();
        if results == kind { Ok(()) } else { Err(FoldError::OtherKind(results, kind)) }
    }
}

impl Serialize for RunRecord {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        RunRecord::serialize(self, serializer)
    }
}

impl<'de> Deserialize<'de> for RunRecord {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<RunRecord, D::Error> {
        deserializer.deserialize_map(RecordVisitor)
    }
}

/// Reads a record whose results are keys next to its others.
struct RecordVisitor;

impl<'de> Visitor<'de> for RecordVisitor {
    type Value = RunRecord;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the record of a run")
    }

    fn visit_map<M: MapAccess<'de>>(self, map: M) -> Result<RunRecord, M::Error> {
        let mut keys = OtherKeys { map, results: Vec::new(), watched: WatchResults::default() };
        let mut record = RunRecord::deserialize(MapAccessDeserializer::new(&mut keys))?;
        let watched = (keys.watched != WatchResults::default()).then_some(Results::Watch(keys.watched));
        let mut each = keys.results.into_iter().chain(watched);
        each.try_for_each(|results| record.set_results(results)).map_err(M::Error::custom)?;
        Ok(record)
    }
}

/// Keys of a serialized record, without those of its results, which are collected.
struct OtherKeys<M> {
    map: M,
    results: Vec<Results>,
    watched: WatchResults,
}

impl<'de, M: MapAccess<'de>> MapAccess<'de> for OtherKeys<M> {
    type Error = M::Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, M::Error> {
        while let Some(key) = self.map.next_key::<String>()? {
            match key.as_str() {
                "command" => self.watched.command = self.map.next_value()?,
                "alarms" => self.watched.alarms = self.map.next_value()?,
                key if Results::is_key(key) => {
                    self.results.push(Results::deserialize(keyed::entry(key, &mut self.map))?)
                }
                key => return seed.deserialize(key.into_deserializer()).map(Some),
            }
        }
        Ok(None)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, M::Error> {
        self.map.next_value_seed(seed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Bytes, Nanos, Plan, RunKind, Target, record::Preflight};
    use serde_json::{Value, json};

    fn record(kind: RunKind) -> RunRecord {
        let plan = Plan::new(kind, Target::null("nothing", Bytes(0)), Vec::new(), Nanos(0));
        RunRecord::new("t", "r", "", plan, Preflight::default())
    }

    fn watch() -> RunKind {
        let plan =
            json!({"interval": 1, "length": null, "devices": [], "all_devices": true, "processes": [], "command": []});
        RunKind::Watch { watch: serde_json::from_value(plan).expect("a plan") }
    }

    #[test]
    fn results_are_keys_of_the_record_and_are_read_with_the_largest_sums() {
        let mut pinged = Pinged::default();
        (0..3).for_each(|_| pinged.total.times.record(Nanos::from_secs(60)));
        let mut role = crate::record::ReplayedRole::default();
        let latency = pinged.total.times.clone();
        let operations = crate::record::OperationLatencies { latency: latency.clone(), ..Default::default() };
        let (recorded, made) = (operations.clone(), operations);
        role.kinds =
            vec![crate::record::ReplayedKind { op: crate::Op::Read, recorded, made, from_due: latency, sizes: vec![] }];
        let replayed = Replayed { roles: vec![role], ..Replayed::default() };
        let database = DatabaseUse { verb: "ranread".into(), ..DatabaseUse::default() };
        let command = Some(Box::<CommandUse>::default());
        let (at, worst) = (Nanos(0), 2.0);
        let figure = crate::bounds::AlertFigure::Queue;
        let alarm = Alarm { alert: "queue>1".into(), figure, of: "vda".into(), at, since: at, until: None, worst };
        let watched = |command, alarms| Results::Watch(WatchResults { command, alarms });
        for (kind, results, keys) in [
            (RunKind::Blocks, None, &[][..]),
            (RunKind::Ping, Some(Results::Ping(Box::new(pinged))), &["ping"]),
            (RunKind::Replay, Some(Results::Replay(Box::new(replayed))), &["replayed"]),
            (RunKind::Database, Some(Results::Database(Box::new(database))), &["database"]),
            (watch(), Some(watched(command.clone(), vec![alarm])), &["command", "alarms"]),
            (watch(), Some(watched(command, Vec::new())), &["command"]),
        ] {
            let record = RunRecord { results, ..record(kind) };
            let text = serde_json::to_string(&record).expect("it is written");
            let json: Value = serde_json::from_str(&text).expect("JSON");
            let each = ["ping", "replayed", "database", "command", "alarms", "results"];
            assert_eq!(each.into_iter().filter(|key| json.get(key).is_some()).collect::<Vec<_>>(), keys);
            assert_eq!(serde_json::from_str::<RunRecord>(&text).unwrap_or_else(|e| panic!("{text}: {e}")), record);
            let mut events = Vec::new();
            let kept = record.clone().retell(|event| {
                events.push(event);
                Ok::<_, ()>(())
            });
            kept.expect("nothing fails");
            let read = |event| serde_json::from_str(&serde_json::to_string(&event).expect("JSON")).expect("an event");
            assert_eq!(RunRecord::from_events(events.into_iter().map(read)).expect("events of one run"), record);
        }
    }

    #[test]
    fn results_of_another_kind_are_refused() {
        let read = |kind: RunKind, keys: &[(&str, Value)]| {
            let mut json = serde_json::to_value(record(kind)).expect("it is written");
            keys.iter().for_each(|(key, value)| json[*key] = value.clone());
            serde_json::from_str::<RunRecord>(&json.to_string()).map_err(|error| error.to_string())
        };
        let ping = || ("ping", json!(Pinged::default()));
        let command = || ("command", json!(CommandUse::default()));
        assert!(read(RunKind::Ping, &[ping()]).is_ok() && read(watch(), &[command()]).is_ok());
        for refused in [read(RunKind::Blocks, &[ping()]), read(RunKind::Ping, &[ping(), command()])] {
            assert!(refused.expect_err("another kind").contains("results of the kind"));
        }
        let mut blocks = record(RunKind::Blocks);
        let error = blocks.apply(RunEvent::Command(Box::default())).expect_err("no watch");
        assert_eq!(error, FoldError::OtherKind("watch", "blocks"));
        assert_eq!(blocks, record(RunKind::Blocks), "it is left as it was");
    }
}
