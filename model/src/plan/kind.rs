//! Kind of a run.

use super::{HydrationReads, Section, WatchPlan};
use serde::{Deserialize, Serialize};
use strum::{EnumDiscriminants, EnumString, IntoStaticStr};

/// Kind of a run, with the settings that only runs of this kind have. It is serialized as the key `kind` and its
/// settings next to the plan's other keys. The text of each kind ([`RunKind::command`]) is the command that creates its
/// plans.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, IntoStaticStr, EnumDiscriminants)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[strum_discriminants(
    doc = "Name of a kind of run.",
    name(KindName),
    derive(Serialize, Deserialize, IntoStaticStr, EnumString),
    strum(serialize_all = "snake_case"),
    serde(rename_all = "snake_case"),
    cfg_attr(feature = "schema", derive(schemars::JsonSchema)),
    allow(missing_docs)
)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum RunKind {
    /// Probes, ramps and sweeps of requests for blocks.
    #[strum(serialize = "qualify")]
    Blocks,
    /// Phases of mdtest: operations on files and their names.
    #[strum(serialize = "qualify")]
    Metadata,
    /// CrystalDiskMark's tests.
    #[strum(serialize = "mark")]
    Mark {
        /// Name of the profile; `None` if the tests were given individually.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        profile: Option<String>,
    },
    /// Jobs in fio's language.
    #[strum(serialize = "fio")]
    JobFile {
        /// Sections as written, with their report settings.
        sections: Vec<Section>,
    },
    /// Single requests at an interval, as with ioping.
    #[strum(serialize = "ping")]
    Ping,
    /// Replay of a recording.
    #[strum(serialize = "replay")]
    Replay,
    /// Comparison of ways to make writes durable.
    #[strum(serialize = "durable")]
    Durability,
    /// Reads that show whether a volume is still being loaded from its snapshot, or load it.
    #[strum(serialize = "hydration")]
    Hydration {
        /// Purpose of each stage, in the order of the stages.
        reads: Vec<HydrationReads>,
    },
    /// Load on a database.
    #[strum(serialize = "db")]
    Database,
    /// Observation of devices without a load of secchi's. Such a run has no stages and a null target.
    #[strum(serialize = "watch")]
    Watch {
        /// Settings of the observation.
        watch: Box<WatchPlan>,
    },
}

impl RunKind {
    /// Returns the name of the kind.
    #[must_use]
    pub fn name(&self) -> KindName {
        self.into()
    }

    /// Returns the command that creates plans of this kind: `qualify`, `fio`, ...
    #[must_use]
    pub fn command(&self) -> &'static str {
        self.into()
    }

    /// Returns `true` if stages with the same random seed access the same blocks.
    #[must_use]
    pub fn repeats_offsets(&self) -> bool {
        matches!(self, RunKind::Hydration { .. })
    }

    /// Returns `true` for runs of `qualify`, whose length is set by `--effort`.
    #[must_use]
    pub fn is_qualification(&self) -> bool {
        matches!(self, RunKind::Blocks | RunKind::Metadata)
    }
}

impl KindName {
    /// Returns the name in lower case: `job_file`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Bytes, Nanos, Plan, Target};

    #[test]
    fn a_kind_is_written_beside_the_plans_keys_and_read_with_the_largest_numbers() {
        let target = Target { uuid: Some(u128::MAX), ..Target::null("nothing", Bytes(u64::MAX)) };
        let kinds = [
            (RunKind::Blocks, "blocks", "qualify"),
            (RunKind::Metadata, "metadata", "qualify"),
            (RunKind::Mark { profile: Some("nvme".into()) }, "mark", "mark"),
            (RunKind::JobFile { sections: vec![Section::default()] }, "job_file", "fio"),
            (RunKind::Ping, "ping", "ping"),
        ];
        for (kind, name, command) in kinds {
            let plan = Plan::new(kind, target.clone(), Vec::new(), Nanos(u64::MAX));
            let text = serde_json::to_string(&plan).expect("it is written");
            let json: serde_json::Value = serde_json::from_str(&text).expect("JSON");
            assert_eq!((&json["kind"], &json["command"]), (&name.into(), &command.into()), "{text}");
            assert_eq!(serde_json::from_str::<Plan>(&text).unwrap_or_else(|e| panic!("{text}: {e}")), plan);
            assert_eq!(name.parse::<KindName>().map(KindName::as_str), Ok(plan.kind.name().as_str()));
        }
        assert!(serde_json::from_str::<Plan>(&"{}".replace("{}", r#"{"command": "qualify"}"#)).is_err());
    }
}
