//! Results that only runs of one kind have.

use crate::{
    Accounting, Alarm, Caveat, CommandUse, DatabaseUse, DiskUse, Fill, FoldError, KindName, Nanos, Pinged, Plan,
    Preflight, Replayed, RunEvent, RunRecord, RunState, Sentence, Series, Step, StepTrace,
};
use serde::{Deserialize, Serialize};

/// Results that only runs of one kind have. They are serialized next to the record's other keys: as one key, or as the
/// keys of [`WatchResults`].
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Results {
    /// Requests of `secchi ping`, without those that do not count.
    Ping(Box<Pinged>),
    /// Results of `secchi replay`, compared with the recording.
    #[serde(rename = "replayed")]
    Replay(Box<Replayed>),
    /// Database of `secchi db`, with the counts of its engine and devices.
    Database(Box<DatabaseUse>),
    /// Results of `secchi watch`.
    #[serde(untagged)]
    Watch(WatchResults),
}

/// Results of a watch.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct WatchResults {
    /// Usage and result of the command in `secchi watch -- COMMAND`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub command: Option<Box<CommandUse>>,
    /// Alarms of `secchi watch --alert`, in order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub alarms: Vec<Alarm>,
}

impl Results {
    /// Returns the kind of the runs that have such results.
    #[must_use]
    pub fn kind(&self) -> KindName {
        match self {
            Results::Ping(_) => KindName::Ping,
            Results::Replay(_) => KindName::Replay,
            Results::Database(_) => KindName::Database,
            Results::Watch(_) => KindName::Watch,
        }
    }

    /// Returns the events that report these results.
    pub(crate) fn into_events(self) -> Vec<RunEvent> {
        match self {
            Results::Ping(pinged) => vec![RunEvent::Ping(pinged)],
            Results::Replay(replayed) => vec![RunEvent::Replayed(replayed)],
            Results::Database(database) => vec![RunEvent::Database(database)],
            Results::Watch(WatchResults { command, alarms }) => {
                let alarms = alarms.into_iter().map(|alarm| RunEvent::Alarm(Box::new(alarm)));
                command.map(RunEvent::Command).into_iter().chain(alarms).collect()
            }
        }
    }
}

impl RunRecord {
    /// Returns the requests of a ping.
    #[must_use]
    pub fn ping(&self) -> Option<&Pinged> {
        match &self.results {
            Some(Results::Ping(pinged)) => Some(pinged),
            _ => None,
        }
    }

    /// Returns the results of a replay.
    #[must_use]
    pub fn replayed(&self) -> Option<&Replayed> {
        match &self.results {
            Some(Results::Replay(replayed)) => Some(replayed),
            _ => None,
        }
    }

    /// Returns the database of a database run.
    #[must_use]
    pub fn database(&self) -> Option<&DatabaseUse> {
        match &self.results {
            Some(Results::Database(database)) => Some(database),
            _ => None,
        }
    }

    /// Returns the database of a database run, to be changed.
    pub fn database_mut(&mut self) -> Option<&mut DatabaseUse> {
        match &mut self.results {
            Some(Results::Database(database)) => Some(database),
            _ => None,
        }
    }

    /// Returns the command of a watch, if it was started.
    #[must_use]
    pub fn command(&self) -> Option<&CommandUse> {
        match &self.results {
            Some(Results::Watch(results)) => results.command.as_deref(),
            _ => None,
        }
    }

    /// Returns the alarms of a watch; empty for other kinds.
    #[must_use]
    pub fn alarms(&self) -> &[Alarm] {
        match &self.results {
            Some(Results::Watch(results)) => &results.alarms,
            _ => &[],
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

    /// Returns the results of a watch, to be changed; they are empty at first.
    ///
    /// # Errors
    /// Returns an error if the run is not a watch.
    pub(super) fn watch_results(&mut self) -> Result<&mut WatchResults, FoldError> {
        self.check_kind(KindName::Watch)?;
        match self.results.get_or_insert(Results::Watch(WatchResults::default())) {
            Results::Watch(results) => Ok(results),
            other => Err(FoldError::OtherKind(other.kind().as_str(), KindName::Watch.as_str())),
        }
    }

    fn check_kind(&self, results: KindName) -> Result<(), FoldError> {
        let kind = self.plan.kind.name();
        if results == kind { Ok(()) } else { Err(FoldError::OtherKind(results.as_str(), kind.as_str())) }
    }
}

/// Keys of a serialized record. Reading [`Results`] as a flattened field would buffer them, and serde's buffer cannot
/// hold the 128-bit sums of a histogram.
#[derive(Deserialize)]
pub(super) struct RecordKeys {
    version: u32,
    tool: String,
    id: String,
    started: String,
    plan: Plan,
    preflight: Preflight,
    state: RunState,
    reason: Sentence,
    signal: Option<u8>,
    ended: Nanos,
    fill: Option<Fill>,
    steps: Vec<Step>,
    series: Vec<Series>,
    caveats: Vec<Caveat>,
    notes: Vec<(Nanos, Sentence)>,
    #[serde(default)]
    together: Vec<(Vec<usize>, Accounting)>,
    #[serde(default)]
    disks: Vec<DiskUse>,
    #[serde(default)]
    blocks: Vec<StepTrace>,
    ping: Option<Box<Pinged>>,
    replayed: Option<Box<Replayed>>,
    database: Option<Box<DatabaseUse>>,
    command: Option<Box<CommandUse>>,
    #[serde(default)]
    alarms: Vec<Alarm>,
    #[serde(default)]
    coarse: Vec<u32>,
}

impl TryFrom<RecordKeys> for RunRecord {
    type Error = FoldError;

    fn try_from(keys: RecordKeys) -> Result<Self, FoldError> {
        let RecordKeys { ping, replayed, database, command, alarms, .. } = keys;
        let mut record = RunRecord {
            version: keys.version,
            state: keys.state,
            reason: keys.reason,
            signal: keys.signal,
            ended: keys.ended,
            fill: keys.fill,
            steps: keys.steps,
            series: keys.series,
            caveats: keys.caveats,
            notes: keys.notes,
            together: keys.together,
            disks: keys.disks,
            blocks: keys.blocks,
            coarse: keys.coarse,
            ..RunRecord::new(keys.tool, keys.id, keys.started, keys.plan, keys.preflight)
        };
        let is_watched = command.is_some() || !alarms.is_empty();
        let each = [
            ping.map(Results::Ping),
            replayed.map(Results::Replay),
            database.map(Results::Database),
            is_watched.then_some(Results::Watch(WatchResults { command, alarms })),
        ];
        each.into_iter().flatten().try_for_each(|results| record.set_results(results))?;
        Ok(record)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Bytes, RunKind, Target};
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
        let mut role = crate::ReplayedRole::default();
        let latency = pinged.total.times.clone();
        let operations = crate::OperationLatencies { latency: latency.clone(), ..Default::default() };
        let (recorded, made) = (operations.clone(), operations);
        role.kinds =
            vec![crate::ReplayedKind { op: crate::Op::Read, recorded, made, from_due: latency, sizes: vec![] }];
        let replayed = Replayed { roles: vec![role], ..Replayed::default() };
        let database = DatabaseUse { verb: "ranread".into(), ..DatabaseUse::default() };
        let command = Some(Box::<CommandUse>::default());
        let (at, worst) = (Nanos(0), 2.0);
        let figure = crate::AlertFigure::Queue;
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
            assert_eq!(RunRecord::from_events(events).expect("events of one run"), record);
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
