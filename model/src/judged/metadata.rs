//! Figures of runs that make, look at, read and remove files.

use crate::{Iops, MetadataPhase, MetadataShape, Nanos, Percentile};
use serde::{Deserialize, Serialize};

/// What is said of a run of `secchi qualify --metadata`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MetadataFigures {
    /// Threads that worked together.
    pub threads: u32,
    /// Files of each thread, in each shape.
    pub files_each: u64,
    /// Hosts that took part, by name; empty in a run of one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hosts: Vec<String>,
    /// Whether the files of all hosts were in one directory, as in mdtest; `None` in a run of one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub one_directory: Option<bool>,
    /// The phases that began, in the order of the run.
    pub phases: Vec<MetadataPhaseFigures>,
}

/// One phase of one shape, all threads together.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MetadataPhaseFigures {
    /// Which files.
    pub shape: MetadataShape,
    /// What was done with each.
    pub phase: MetadataPhase,
    /// By all threads, of all hosts.
    #[serde(flatten)]
    pub all: MetadataTotals,
    /// Making it durable took so much longer (`syncfs(2)`); `None` where nothing was changed, or it was not reached.
    pub sync: Option<Nanos>,
    /// Files per second of both times.
    pub durable_rate: Option<Iops>,
    /// Its steps in the record, one for each thread.
    pub steps: Vec<usize>,
    /// Files per second while every host was at work, before the first of them had done its files (the "stonewall" of IOR); `None` in a
    /// run of one, and where that was less than a second.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub together: Option<Iops>,
    /// What each host had of it, in the order of [`MetadataFigures::hosts`]; empty in a run of one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hosts: Vec<MetadataTotals>,
}

/// What was done with files in a phase, by all threads or by those of one host.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct MetadataTotals {
    /// Files it was done with.
    pub files: u64,
    /// From the beginning of the first thread to the end of the last.
    pub time: Nanos,
    /// Files per second of that time.
    pub rate: Iops,
    /// Arithmetic mean of the latencies.
    pub mean: Option<Nanos>,
    /// The median latency.
    pub p50: Percentile,
    /// 99th percentile.
    pub p99: Percentile,
    /// 99.9th percentile.
    pub p999: Percentile,
    /// Largest latency.
    pub max: Option<Nanos>,
    /// Operations that failed.
    pub errors: u64,
}

impl MetadataPhaseFigures {
    /// `mdtest-easy create`.
    #[must_use]
    pub fn label(&self) -> String {
        format!("{} {}", self.shape.name(), self.phase.name())
    }
}

impl MetadataFigures {
    /// The phases of a shape.
    pub fn of(&self, shape: MetadataShape) -> impl Iterator<Item = &MetadataPhaseFigures> {
        self.phases.iter().filter(move |p| p.shape == shape)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_of_all_stand_beside_what_they_are_of_and_read_back() {
        let all = MetadataTotals {
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
        let of = MetadataPhaseFigures {
            shape: MetadataShape::Easy,
            phase: MetadataPhase::Stat,
            all,
            sync: None,
            durable_rate: None,
            steps: vec![0],
            together: None,
            hosts: vec![all, all],
        };
        let text = serde_json::to_value(&of).expect("plain data");
        for name in ["shape", "phase", "files", "time", "rate", "mean", "p50", "p99", "p999", "max", "errors", "sync"] {
            assert!(text.get(name).is_some(), "{name}: {text}");
        }
        assert_eq!(text["hosts"][1]["files"], text["files"]);
        assert_eq!(serde_json::from_value::<MetadataPhaseFigures>(text).expect("it reads back"), of);
    }
}
