//! A job: one workload on one target by one engine at one concurrency, until a rule stops it.

use super::zero_for_none;
use crate::{Bytes, JobTuning, Nanos, Workload};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// What kind of thing a target is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TargetKind {
    /// A regular file.
    File,
    /// A block device, opened exclusively for the whole run.
    Device,
    /// Nothing at all: measures the tool itself.
    Null,
    /// What a server keeps and a client library reaches, past this machine's files and page cache: objects, an image,
    /// files of an export.
    Served,
}

impl TargetKind {
    /// Whether it is a file or device that this machine opens.
    #[must_use]
    pub const fn is_local(self) -> bool {
        matches!(self, TargetKind::File | TargetKind::Device)
    }
}

/// Where a job's I/O goes. Paths are resolved; nothing downstream looks for another.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Target {
    /// File, device, null, or kept by a server.
    pub kind: TargetKind,
    /// The path opened. One that is not UTF-8 is stored as an array of its bytes.
    #[serde(with = "any_path")]
    pub path: PathBuf,
    /// Bytes under test, from `offset`.
    pub size: Bytes,
    /// Where the part under test begins.
    #[serde(default)]
    pub offset: Bytes,
    /// Bypass the page cache (O_DIRECT).
    pub direct: bool,
    /// Offset and length must be multiples of this; 1 when buffered.
    pub align: Bytes,
    /// Identity written into every block of our data; `None` where contents are not ours.
    #[serde(with = "zero_for_none")]
    pub uuid: Option<u128>,
}

impl Target {
    /// No file and no device: what is done goes elsewhere, or nowhere.
    #[must_use]
    pub fn null(path: impl Into<PathBuf>, size: Bytes) -> Target {
        let kind = TargetKind::Null;
        Target { kind, path: path.into(), size, offset: Bytes(0), direct: false, align: Bytes(1), uuid: None }
    }
}

impl Target {
    /// What a server keeps under this name, from `offset`.
    #[must_use]
    pub fn served(path: impl Into<PathBuf>, offset: Bytes, size: Bytes) -> Target {
        // No page cache of ours lies before it.
        Target { kind: TargetKind::Served, offset, direct: true, ..Target::null(path, size) }
    }
}

/// What the user named: of a test file of ours, its directory.
#[must_use]
pub fn named_place(path: &Path) -> &Path {
    let ours = |name: &str| name.starts_with("secchi-") && name.ends_with(".dat");
    match path.file_name() {
        Some(name) if ours(&name.to_string_lossy()) => path.parent().unwrap_or(path),
        _ => path,
    }
}

/// Paths need not be text; JSON has text. UTF-8 paths are strings, others arrays of their bytes.
pub(crate) mod any_path {
    use crate::path_of_bytes;
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};
    use std::path::{Path, PathBuf};

    pub fn serialize<S: Serializer>(path: &Path, serializer: S) -> Result<S::Ok, S::Error> {
        match path.to_str() {
            Some(text) => text.serialize(serializer),
            None => path.as_os_str().as_encoded_bytes().serialize(serializer),
        }
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<PathBuf, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Either {
            Text(String),
            Bytes(Vec<u8>),
        }
        Ok(match Either::deserialize(deserializer)? {
            Either::Text(text) => PathBuf::from(text),
            Either::Bytes(bytes) => {
                path_of_bytes(bytes).ok_or_else(|| D::Error::custom("these bytes are no path on this system"))?
            }
        })
    }
}

/// What an I/O error does to the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ErrorPolicy {
    /// The first error ends the step.
    Stop,
    /// End after this many errors.
    Count(u64),
    /// Never end for errors; they are counted.
    Continue,
}

/// When a job ends. All given rules apply; the first that holds ends it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct StopRule {
    /// Load runs this long before measuring begins.
    pub ramp: Nanos,
    /// Longest measured time.
    pub time: Nanos,
    /// End earlier, after at least this long, once the window series is steady (docs/design/statistics.md, "Levels of a
    /// series").
    pub steady_after: Option<Nanos>,
    /// End after this many completed operations of all workers.
    pub max_ops: Option<u64>,
}

/// One workload on one target at one concurrency.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Job {
    /// Unique in its plan; letters, digits, `.`, `_`, `-`.
    pub name: String,
    /// What is asked.
    pub workload: Workload,
    /// The target its operations go to.
    pub target: Target,
    /// Further files of the same job, visited in the order of `Detail::file_order`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub more: Vec<Target>,
    /// Engine by name, as registered in `load`.
    pub engine: String,
    /// Operations in flight per thread (fio's iodepth).
    pub queue_depth: u32,
    /// Submitting threads (fio's numjobs).
    pub threads: u32,
    /// When it ends.
    pub stop: StopRule,
    /// What an I/O error does.
    pub on_error: ErrorPolicy,
    /// Seed of places, mixes, arrivals. The same seed asks the same.
    pub seed: u64,
    /// Parameters of the `faulty` engine when it wraps another one.
    pub faults: Option<FaultPlan>,
    /// Finer points of how it is run.
    #[serde(rename = "manner", default, skip_serializing_if = "JobTuning::is_default")]
    pub tuning: JobTuning,
}

impl Job {
    /// All its files, the first one first.
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

    /// Whether it changes the lengths of its files (`ftruncate`).
    #[must_use]
    pub fn cuts_files(&self) -> bool {
        self.engine == "ftruncate"
    }

    /// Whether its files are opened for writing: it writes or trims, or its reads reserve space (`falloc`).
    #[must_use]
    pub fn changes_target(&self) -> bool {
        self.workload.changes_data() || self.engine == "falloc"
    }

    /// What it does, for a sentence about it: `8k randread`, `mdtest-easy create`.
    #[must_use]
    pub fn label(&self) -> String {
        self.tuning.metadata.map_or_else(|| self.workload.label(), |rule| rule.to_string())
    }

    /// Operations in flight over all threads.
    #[must_use]
    pub fn concurrency(&self) -> u32 {
        self.queue_depth.saturating_mul(self.threads)
    }
}

/// Faults injected by the `faulty` engine, drawn from a seed.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct FaultPlan {
    /// Share of operations that fail with `errno`.
    pub error_rate: f64,
    /// The errno they fail with.
    pub errno: i32,
    /// Share of operations that come back short.
    pub short_rate: f64,
    /// Share of operations whose completion is held back by `delay`.
    pub delay_rate: f64,
    /// How long.
    pub delay: Nanos,
    /// From this operation of each worker on, nothing completes any more (a hung device).
    pub hang_after: Option<u64>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_of_any_bytes_survives_json() {
        // On Windows bytes that are no text are no path.
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
