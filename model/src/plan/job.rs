//! A job: one workload on one target, run by one engine at one concurrency until a stop rule applies.

use super::zero_for_none;
use crate::plan::{JobTuning, Workload};
use crate::{Bytes, Nanos};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// Kind of a target.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum TargetKind {
    /// A regular file.
    File,
    /// A block device, opened exclusively for the whole run.
    Device,
    /// Nothing; measures the tool itself.
    Null,
    /// Data on a server, accessed through a client library that bypasses this machine's files and page cache: objects,
    /// an image, files of an export.
    Served,
}

impl TargetKind {
    /// Returns `true` for a file or device that this machine opens.
    #[must_use]
    pub const fn is_local(self) -> bool {
        matches!(self, TargetKind::File | TargetKind::Device)
    }
}

/// Target of a job's I/O. Paths are resolved; no later code resolves them again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Target {
    /// Kind of the target: file, device, null or served.
    pub kind: TargetKind,
    /// Path that is opened. A path that is not UTF-8 is stored as an array of its bytes.
    #[serde(with = "any_path")]
    #[cfg_attr(feature = "schema", schemars(with = "any_path::Either"))]
    pub path: PathBuf,
    /// Size of the part under test, in bytes from `offset`.
    pub size: Bytes,
    /// Start of the part under test.
    pub offset: Bytes,
    /// True if the page cache is bypassed (O_DIRECT).
    pub direct: bool,
    /// Required alignment of offset and length; 1 for buffered I/O.
    pub align: Bytes,
    /// Identity written into every block that secchi writes; `None` if secchi does not write the contents.
    #[serde(with = "zero_for_none")]
    #[cfg_attr(feature = "schema", schemars(with = "u128"))]
    pub uuid: Option<u128>,
}

impl Target {
    /// Returns a target without a file or device; its operations go to another place or nowhere.
    #[must_use]
    pub fn null(path: impl Into<PathBuf>, size: Bytes) -> Target {
        let kind = TargetKind::Null;
        Target { kind, path: path.into(), size, offset: Bytes(0), direct: false, align: Bytes(1), uuid: None }
    }

    /// Returns a target that a server stores under this name, from `offset`.
    #[must_use]
    pub fn served(path: impl Into<PathBuf>, offset: Bytes, size: Bytes) -> Target {
        // Reads and writes do not pass through this machine's page cache.
        Target { kind: TargetKind::Served, offset, direct: true, ..Target::null(path, size) }
    }
}

/// Returns the path that the user named: for a test file created by secchi, its directory.
#[must_use]
pub fn named_place(path: &Path) -> &Path {
    let ours = |name: &str| name.starts_with("secchi-") && name.ends_with(".dat");
    match path.file_name() {
        Some(name) if ours(&name.to_string_lossy()) => path.parent().unwrap_or(path),
        _ => path,
    }
}

/// Serialization of paths: UTF-8 paths as strings, other paths as arrays of their bytes.
pub(crate) mod any_path {
    use crate::path_of_bytes;
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};
    use std::path::{Path, PathBuf};

    /// A path as serialised: text, or its bytes if it is not valid UTF-8.
    #[derive(Deserialize)]
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
    #[serde(untagged)]
    pub(crate) enum Either {
        Text(String),
        Bytes(Vec<u8>),
    }

    pub fn serialize<S: Serializer>(path: &Path, serializer: S) -> Result<S::Ok, S::Error> {
        match path.to_str() {
            Some(text) => text.serialize(serializer),
            None => path.as_os_str().as_encoded_bytes().serialize(serializer),
        }
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<PathBuf, D::Error> {
        Ok(match Either::deserialize(deserializer)? {
            Either::Text(text) => PathBuf::from(text),
            Either::Bytes(bytes) => path_of_bytes(bytes)
                .ok_or_else(|| D::Error::custom("these bytes are not a valid path on this system"))?,
        })
    }
}

/// Effect that an I/O error has on the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum ErrorPolicy {
    /// The first error ends the step.
    Stop,
    /// The run ends after this many errors.
    Count(u64),
    /// Errors are counted but never end the run.
    Continue,
}

/// Conditions that end a job. The job ends as soon as one of them applies.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct StopRule {
    /// Time for which the load runs before measuring begins.
    pub ramp: Nanos,
    /// Maximum measured time.
    pub time: Nanos,
    /// Minimum measured time after which the job ends early once the window series is steady
    /// (docs/design/statistics.md, "Levels of a series").
    pub steady_after: Option<Nanos>,
    /// Number of completed operations, over all workers, after which the job ends.
    pub max_ops: Option<u64>,
}

/// One workload on one target at one concurrency.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Job {
    /// Name, unique in its plan: letters, digits, `.`, `_`, `-`.
    pub name: String,
    /// Requested operations.
    pub workload: Workload,
    /// Target of the job's operations.
    pub target: Target,
    /// Further files of the same job, visited in the order of `Detail::file_order`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub more: Vec<Target>,
    /// Name of the engine, as registered in `load`.
    pub engine: String,
    /// Operations in flight per thread (fio's iodepth).
    pub queue_depth: u32,
    /// Submitting threads (fio's numjobs).
    pub threads: u32,
    /// Conditions that end the job.
    pub stop: StopRule,
    /// Effect of an I/O error.
    pub on_error: ErrorPolicy,
    /// Random seed of offsets, mixes and arrivals; the same seed produces the same requests.
    pub seed: u64,
    /// Parameters of the `faulty` engine if the job runs through it.
    pub faults: Option<FaultPlan>,
    /// Detailed settings of how the job is run.
    #[serde(default, skip_serializing_if = "crate::units::is_default")]
    pub tuning: JobTuning,
}

impl Job {
    /// Returns all files of the job, starting with the first one.
    pub fn targets(&self) -> impl Iterator<Item = &Target> {
        std::iter::once(&self.target).chain(&self.more)
    }

    /// Adds the threads and files of a clone that runs at the same time.
    pub(crate) fn add_clone(&mut self, clone: &Job) {
        self.threads = self.threads.saturating_add(clone.threads);
        for target in clone.targets() {
            if !self.targets().any(|known| known.path == target.path) {
                self.more.push(target.clone());
            }
        }
    }

    /// Returns `true` if the job changes the lengths of its files (`ftruncate`).
    #[must_use]
    pub fn cuts_files(&self) -> bool {
        self.engine == "ftruncate"
    }

    /// Returns `true` if the files of the job are opened for writing, because it writes or trims, or because its reads
    /// allocate space (`falloc`).
    #[must_use]
    pub fn changes_target(&self) -> bool {
        self.workload.changes_data() || self.engine == "falloc"
    }

    /// Returns a short label for messages: `8k randread`, `mdtest-easy create`.
    #[must_use]
    pub fn label(&self) -> String {
        self.tuning.work.metadata().map_or_else(|| self.workload.label(), |rule| rule.to_string())
    }

    /// Returns the number of operations in flight over all threads.
    #[must_use]
    pub fn concurrency(&self) -> u32 {
        self.queue_depth.saturating_mul(self.threads)
    }
}

/// Faults that the `faulty` engine injects, drawn from the seed.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FaultPlan {
    /// Share of operations that fail with `errno`.
    pub error_rate: f64,
    /// errno of the failed operations.
    pub errno: i32,
    /// Share of operations that transfer fewer bytes than requested.
    pub short_rate: f64,
    /// Share of operations whose completion is delayed by `delay`.
    pub delay_rate: f64,
    /// Length of the delay.
    pub delay: Nanos,
    /// Number of operations of a worker after which no operation completes (a hung device); `None` means never.
    pub hang_after: Option<u64>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_of_any_bytes_survives_json() {
        // On Windows, bytes that are not valid text do not form a path.
        for path in [b"/mnt/data".to_vec(), b"/mnt/\xff\xfe".to_vec()].into_iter().filter_map(crate::path_of_bytes) {
            let target = Target {
                kind: TargetKind::File,
                path,
                size: Bytes(1),
                offset: Bytes(0),
                direct: true,
                align: Bytes(512),
                uuid: Some(u128::MAX),
            };
            let text = serde_json::to_string(&target).expect("a target has a JSON form");
            assert_eq!(serde_json::from_str::<Target>(&text).expect("it reads back"), target);
        }
    }
}
