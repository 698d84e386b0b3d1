//! Figures of runs that create, stat, read and remove files.

use crate::metadata::{MetadataPhase, MetadataShape};
use crate::{
    Iops, Nanos,
    measured::{Percentile, percentiles},
};
use serde::{Deserialize, Serialize};

/// Figures of a run of `secchi qualify --metadata`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MetadataFigures {
    /// Number of concurrent threads.
    pub threads: u32,
    /// Number of files per thread and shape.
    pub files_each: u64,
    /// Names of the hosts that took part; empty in a run on one host.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hosts: Vec<String>,
    /// True if the files of all hosts were in one directory, as in mdtest; `None` in a run on one host.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub one_directory: Option<bool>,
    /// Phases that began, in the order of the run.
    pub phases: Vec<MetadataPhaseFigures>,
}

/// Figures of one phase of one shape, over all threads.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MetadataPhaseFigures {
    /// Shape of the files.
    pub shape: MetadataShape,
    /// Operation of the phase.
    pub phase: MetadataPhase,
    /// Totals over all threads of all hosts.
    #[serde(flatten)]
    pub all: MetadataTotals,
    /// Additional time to make the changes durable (`syncfs(2)`); `None` if nothing was changed, or the sync was not
    /// reached.
    pub sync: Option<Nanos>,
    /// Files per second over the phase and the sync together.
    pub durable_rate: Option<Iops>,
    /// Indices of the steps in the record, one per thread.
    pub steps: Vec<usize>,
    /// Files per second while every host was working, until the first of them had finished its files (the "stonewall"
    /// of IOR); `None` in a run on one host, or if that time was less than a second.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub together: Option<Iops>,
    /// Totals of each host, in the order of [`MetadataFigures::hosts`]; empty in a run on one host.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hosts: Vec<MetadataTotals>,
}

/// Totals of a phase over all threads, or over those of one host.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MetadataTotals {
    /// Number of processed files.
    pub files: u64,
    /// Time from the start of the first thread to the end of the last.
    pub time: Nanos,
    /// Files per second over that time.
    pub rate: Iops,
    /// Arithmetic mean of the latencies.
    pub mean: Option<Nanos>,
    /// The median latency.
    #[serde(flatten, with = "percentiles::p50")]
    #[cfg_attr(feature = "schema", schemars(with = "percentiles::p50::P50"))]
    pub p50: Percentile,
    /// 99th percentile.
    #[serde(flatten, with = "percentiles::p99")]
    #[cfg_attr(feature = "schema", schemars(with = "percentiles::p99::P99"))]
    pub p99: Percentile,
    /// 99.9th percentile.
    #[serde(flatten, with = "percentiles::p999")]
    #[cfg_attr(feature = "schema", schemars(with = "percentiles::p999::P999"))]
    pub p999: Percentile,
    /// Largest latency.
    pub max: Option<Nanos>,
    /// Operations that failed.
    pub errors: u64,
}

impl MetadataPhaseFigures {
    /// Returns a label such as `mdtest-easy create`.
    #[must_use]
    pub fn label(&self) -> String {
        format!("{} {}", self.shape.name(), self.phase.name())
    }
}

impl MetadataFigures {
    /// Iterates over the phases of a shape.
    pub fn phases_of(&self, shape: MetadataShape) -> impl Iterator<Item = &MetadataPhaseFigures> {
        self.phases.iter().filter(move |p| p.shape == shape)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_of_all_stand_beside_what_they_are_of_and_read_back() {
        let totals = MetadataTotals {
            files: 10,
            time: Nanos::from_secs(2),
            rate: Iops(5.0),
            mean: Some(Nanos(7)),
            p50: Percentile::Value(Nanos(6)),
            p99: Percentile::TooFew,
            p999: Percentile::TooFew,
            max: None,
            errors: 0,
        };
        let figures = MetadataPhaseFigures {
            shape: MetadataShape::Easy,
            phase: MetadataPhase::Stat,
            all: totals,
            sync: None,
            durable_rate: None,
            steps: vec![0],
            together: None,
            hosts: vec![totals, totals],
        };
        let text = serde_json::to_value(&figures).expect("plain data");
        for name in ["shape", "phase", "files", "time", "rate", "mean", "p50", "p99", "p999", "max", "errors", "sync"] {
            assert!(text.get(name).is_some(), "{name}: {text}");
        }
        assert_eq!(text["hosts"][1]["files"], text["files"]);
        assert_eq!(serde_json::from_value::<MetadataPhaseFigures>(text).expect("it reads back"), figures);
    }
}
