//! Comparison of the storage with its promises. Pure functions ([`blocks`], [`append`], [`names`]) compare the contents
//! ([`read`]) with the schedule, the witness's records, and the order of each writer's writes. For what each finding
//! proves and does not prove, see docs/design/durability.md, "What is reported".
//!
//! A write is promised in two cases. Either the witness has recorded the write (`acknowledged`), or the same writer has
//! begun a later write (`proven`). A writer begins a write only after its previous sync has returned. Only missing
//! promised writes are reported as violations.

pub mod append;
pub mod blocks;
pub mod names;
pub mod read;
mod tell;

pub use tell::{instant, whole};

use crate::directory::{Failure, Home};
use crate::experiment::{Marker, Stage, SyncMethod};
use crate::geometry::{Geometry, WriterKind};
use crate::witness::Knowledge;
use messages::sentence;
use model::{Caveat, Severity};
use serde::Serialize;
use uuid::Uuid;

/// Missing writes that were promised to a writer.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Loss {
    /// Minimum number of lost writes. A lost write cannot be counted if a later write to the same position hides it.
    pub count: u64,
    /// Number of lost writes that were acknowledged by a witness or by the normal end of the experiment. The other lost
    /// writes are proven only by the order of writes.
    pub acknowledged: u64,
    /// Earliest lost write, which is reported as an example.
    pub first: Option<LostWrite>,
}

/// Promised write that is missing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LostWrite {
    /// Name of the file in the experiment's directory.
    pub file: String,
    /// Offset in the file, in bytes.
    pub offset: u64,
    /// Number of the expected write; 0 = initial contents.
    pub expected: u64,
    /// Number of the write that was found at the position, or `None` if no data from this writer was found. If data
    /// from several writes was found, this is the oldest write for a block, and the newest write otherwise.
    pub found: Option<u64>,
    /// Time by which the write was acknowledged, as a Unix time in nanoseconds by the witness's clock. `None` if the
    /// write is proven only by the order of writes.
    pub acknowledged_ns: Option<u64>,
}

/// Result for one writer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct WriterResult {
    /// Number of the writer.
    pub writer: u16,
    /// Kind of the writer.
    pub kind: WriterKind,
    /// Number of the last acknowledged write; 0 = none.
    pub acknowledged: u64,
    /// Number of the newest write from which any data was found; 0 = none.
    pub newest: u64,
    /// Number of the last promised write, whose sync must have returned.
    pub proven: u64,
    /// Number of blocks, records or names that were compared.
    pub compared: u64,
    /// Lost contents.
    pub data: Loss,
    /// Lost ends of files.
    pub size: Loss,
    /// Lost files, renames and removals.
    pub names: Loss,
    /// Number of writes that are lost although a later write is present. Such writes show that the storage did not keep
    /// the order of writes.
    pub reordered: u64,
    /// Number of unreadable bytes in the writer's files. They count as lost.
    pub unreadable: u64,
    /// Number of blocks that were being written at the power cut and reached the storage completely.
    pub whole: u64,
    /// Number of blocks that were being written at the power cut and reached the storage only in part.
    pub torn: u64,
    /// First torn block.
    pub first_torn: Option<LostWrite>,
}

/// Maximum number of a writer's writes that may have been in progress (docs/design/durability.md, "Without a witness").
const IN_FLIGHT: u64 = 3;

/// Promises made to one writer, with which the writer's data is compared.
pub struct Promised<'a> {
    marker: &'a Marker,
    knowledge: Option<&'a Knowledge>,
    writer: u16,
    /// Number of the last acknowledged write; 0 = none.
    acknowledged: u64,
}

impl<'a> Promised<'a> {
    /// Returns the promises made to one writer, according to a witness or to the normal end of the experiment.
    #[must_use]
    pub fn new(marker: &'a Marker, knowledge: Option<&'a Knowledge>, writer: u16) -> Promised<'a> {
        let ended = marker.reached.get(usize::from(writer)).copied().unwrap_or(0);
        let acknowledged = knowledge.map_or(0, |k| k.reached(writer)).max(ended);
        Promised { marker, knowledge, writer, acknowledged }
    }

    fn result(&self, newest: u64) -> WriterResult {
        let geometry: &Geometry = &self.marker.geometry;
        WriterResult {
            writer: self.writer,
            kind: geometry.kind(self.writer),
            acknowledged: self.acknowledged,
            newest,
            // The newest write was begun, so the sync of the previous write must have returned.
            proven: self.acknowledged.max(newest.saturating_sub(1)),
            compared: 0,
            data: Loss::default(),
            size: Loss::default(),
            names: Loss::default(),
            reordered: 0,
            unreadable: 0,
            whole: 0,
            torn: 0,
            first_torn: None,
        }
    }

    /// Returns the number of writes whose state on the storage is undefined. These are the write in progress, and
    /// writes that a partial write may hide. They all follow the last promised write. Returns 0 if the experiment ended
    /// normally.
    fn in_flight(&self) -> u64 {
        if self.marker.stage == Stage::Ended { 0 } else { IN_FLIGHT }
    }

    /// Counts a lost write, and keeps the earliest lost write as the example.
    fn lose(&self, loss: &mut Loss, lost: LostWrite) {
        loss.count += 1;
        loss.acknowledged += u64::from(lost.expected > 0 && lost.expected <= self.acknowledged);
        if loss.first.as_ref().is_none_or(|first| lost.expected < first.expected) {
            loss.first = Some(lost);
        }
    }

    /// Sets the acknowledgement times of the examples. This is done once at the end, because it searches all batches.
    fn date(&self, result: &mut WriterResult) {
        for loss in [&mut result.data, &mut result.size, &mut result.names] {
            if let Some(first) = &mut loss.first {
                first.acknowledged_ns = self.knowledge.and_then(|k| k.instant(self.writer, first.expected.max(1)));
            }
        }
    }
}

/// Property that the storage promises.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum Promise {
    /// Written and synced data is present.
    Data,
    /// If a later write is present, everything that was synced before it is also present.
    Order,
    /// A block is written completely or not at all.
    Whole,
    /// A file that grew and was synced has its full size.
    Size,
    /// Files, renames and removals are present after a sync of their directory.
    Names,
}

impl Promise {
    /// All promises, in the order of the report.
    pub const ALL: [Promise; 5] = [Promise::Data, Promise::Order, Promise::Size, Promise::Names, Promise::Whole];
}

/// Verdict on a promise.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum Verdict {
    /// Every write that tested the promise kept it.
    Kept,
    /// At least one violation was found.
    Broken,
    /// The promise was not tested: nothing happened that could break it.
    NotTested,
}

/// Promise and the verdict on it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PromiseResult {
    /// Promise that was tested.
    pub promise: Promise,
    /// Verdict on the promise.
    pub verdict: Verdict,
    /// Number of writes that tested the promise.
    pub tested: u64,
    /// Minimum number of violations.
    pub broken: u64,
    /// Number of violated writes that were acknowledged by a witness or by the normal end of the experiment.
    pub acknowledged: u64,
    /// Time by which the first violated write was acknowledged, as a Unix time in nanoseconds by the witness's clock.
    /// `None` if the write is proven only by the order of writes.
    pub earliest_ns: Option<u64>,
}

/// Result of comparing an experiment's files with the promises.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Verification {
    /// Version of this document.
    pub version: u32,
    /// Path of the experiment.
    pub path: String,
    /// Identifier of the experiment.
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub run: Uuid,
    /// Generation of the experiment.
    pub generation: u32,
    /// Sync method of the experiment.
    pub sync: SyncMethod,
    /// Size of a block in bytes.
    pub block: u32,
    /// True if the records of a witness were used.
    pub witnessed: bool,
    /// Results for all promises.
    pub promises: Vec<PromiseResult>,
    /// Results for all writers.
    pub writers: Vec<WriterResult>,
    /// Part of the experiment itself that was lost: its directory, its marker, or its last generation. This counts as a
    /// violation of [`Promise::Names`].
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    pub lost_marker: Option<LostMarker>,
    /// Circumstances that limit the result.
    pub doubts: Vec<Caveat>,
}

/// Verdict on the storage after a power cut.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Document<'a> {
    /// The verdict.
    pub durable: &'a Verification,
}

/// Kind of loss of the experiment itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LostMarker {
    /// The directory is gone.
    Directory,
    /// The marker is missing or damaged, with the reason.
    Damaged(String),
    /// The marker is from an earlier generation or stage than the marker that was synced and reported to the witness.
    Older,
}

impl Serialize for LostMarker {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            LostMarker::Directory => serializer.serialize_str("directory"),
            LostMarker::Damaged(reason) => serializer.collect_str(&format_args!("marker: {reason}")),
            LostMarker::Older => serializer.serialize_str("generation"),
        }
    }
}

/// Data that a verification uses.
pub struct Evidence<'a> {
    /// Directory of the experiment; `None` if it is gone.
    pub home: Option<&'a Home>,
    /// Current or former path of the directory.
    pub path: String,
    /// Marker, if it can be read.
    pub marker: Option<&'a Marker>,
    /// Reason why the marker cannot be read.
    pub unmarked: Option<String>,
    /// Records of the witness. `None` if no witness was given, or if the witness could not be reached.
    pub knowledge: Option<&'a Knowledge>,
    /// Reason why the witness could not be reached; `None` if it was reached or if no witness was given.
    pub witness_away: Option<String>,
    /// Boot identifier of the running kernel.
    pub boot: &'a str,
}

/// Compares the files with the promises. Returns `None` if neither the directory nor the witness has a marker.
///
/// # Errors
/// Returns a [`Failure`] if an existing file cannot be read.
pub fn verify(evidence: &Evidence<'_>) -> Result<Option<Verification>, Failure> {
    let witnessed = evidence.knowledge.map(|k| &k.marker);
    // Returns `true` if the witness's marker was synced later. A generation is reported to the witness only after its
    // marker has been synced.
    let newer = |own: &Marker, witnessed: &Marker| {
        witnessed.generation > own.generation || witnessed.generation == own.generation && own.stage == Stage::Preparing
    };
    let (marker, lost) = match (evidence.marker, witnessed) {
        (None, None) => return Ok(None),
        (Some(own), Some(witnessed)) if newer(own, witnessed) => (witnessed, Some(LostMarker::Older)),
        (Some(own), _) => (own, None),
        (None, Some(witnessed)) => {
            let reason = evidence.unmarked.clone();
            (
                witnessed,
                Some(evidence.home.map_or(LostMarker::Directory, |_| LostMarker::Damaged(reason.unwrap_or_default()))),
            )
        }
    };
    // The witness's records of an earlier generation do not apply to this one.
    let knowledge = evidence.knowledge.filter(|k| k.marker.generation == marker.generation);
    let mut writers = Vec::new();
    let promised_yet = marker.stage != Stage::Preparing;
    let mut direct = true;
    if let Some(home) = evidence.home.filter(|_| promised_yet) {
        for writer in 0..marker.geometry.writers() {
            let promised = Promised::new(marker, knowledge, writer);
            let (mut result, past_cache) = match marker.geometry.kind(writer) {
                WriterKind::Blocks => read::blocks(home, &promised)?,
                WriterKind::Append => read::append(home, &promised)?,
                WriterKind::Names => read::names(home, &promised)?,
            };
            promised.date(&mut result);
            direct &= past_cache;
            writers.push(result);
        }
    }
    let mut doubts = Vec::new();
    if !promised_yet {
        let seen = sentence!("doubt-durable-preparing-seen");
        doubts.push(Caveat::new("durable-preparing", Severity::Invalid, sentence!("doubt-durable-preparing"), seen));
    } else if evidence.boot == marker.boot {
        let seen = sentence!("doubt-durable-no-cut-seen", boot = evidence.boot);
        let doubt = Caveat::new("durable-no-cut", Severity::Doubt, sentence!("doubt-durable-no-cut"), seen);
        doubts.push(doubt.remedy(sentence!("doubt-durable-no-cut-remedy")));
        if !direct {
            let seen = sentence!("doubt-durable-cached-seen");
            doubts.push(Caveat::new("durable-cached", Severity::Doubt, sentence!("doubt-durable-cached"), seen));
        }
    }
    if knowledge.is_none() && promised_yet && marker.stage != Stage::Ended {
        let seen = match &evidence.witness_away {
            Some(why) => sentence!("doubt-durable-no-witness-away", why),
            None => sentence!("doubt-durable-no-witness-seen"),
        };
        let doubt = Caveat::new("durable-no-witness", Severity::Doubt, sentence!("doubt-durable-no-witness"), seen);
        doubts.push(doubt.remedy(sentence!("doubt-durable-no-witness-remedy")));
    }
    let promises = promises(&writers, lost.is_some());
    Ok(Some(Verification {
        version: 1,
        path: evidence.path.clone(),
        run: marker.run,
        generation: marker.generation,
        sync: marker.sync,
        block: marker.geometry.block,
        witnessed: knowledge.is_some(),
        promises,
        writers,
        lost_marker: lost,
        doubts,
    }))
}

/// Derives the verdicts on all promises from the results for all writers.
fn promises(writers: &[WriterResult], lost_marker: bool) -> Vec<PromiseResult> {
    let sum = |kinds: &[WriterKind], of: fn(&WriterResult) -> u64| -> u64 {
        writers.iter().filter(|w| kinds.contains(&w.kind)).map(of).sum()
    };
    let every = [WriterKind::Blocks, WriterKind::Append, WriterKind::Names];
    let losses = |of: fn(&WriterResult) -> &Loss| {
        let count = writers.iter().map(|w| of(w).count).sum::<u64>();
        let acknowledged = writers.iter().map(|w| of(w).acknowledged).sum::<u64>();
        let earliest = writers.iter().filter_map(|w| of(w).first.as_ref()?.acknowledged_ns).min();
        (count, acknowledged, earliest)
    };
    Promise::ALL
        .into_iter()
        .map(|promise| {
            let (tested, (broken, acknowledged, earliest_ns)) = match promise {
                Promise::Data => (sum(&every, |w| w.proven), losses(|w| &w.data)),
                Promise::Order => {
                    (sum(&every, |w| w.proven.min(w.newest.saturating_sub(1))), (sum(&every, |w| w.reordered), 0, None))
                }
                Promise::Size => (sum(&[WriterKind::Append], |w| w.proven), losses(|w| &w.size)),
                Promise::Names => {
                    let (count, acknowledged, earliest) = losses(|w| &w.names);
                    (sum(&[WriterKind::Names], |w| w.proven), (count + u64::from(lost_marker), acknowledged, earliest))
                }
                Promise::Whole => (sum(&every, |w| w.whole + w.torn), (sum(&every, |w| w.torn), 0, None)),
            };
            let verdict = match (broken, tested) {
                (0, 0) => Verdict::NotTested,
                (0, _) => Verdict::Kept,
                _ => Verdict::Broken,
            };
            PromiseResult { promise, verdict, tested, broken, acknowledged, earliest_ns }
        })
        .collect()
}

impl Verification {
    /// Returns the verdict on a promise.
    #[must_use]
    pub fn verdict(&self, promise: Promise) -> Verdict {
        self.promises.iter().find(|p| p.promise == promise).map_or(Verdict::NotTested, |p| p.verdict)
    }

    /// Returns `true` if any promise was broken. Torn blocks do not count if `may_tear` is set.
    #[must_use]
    pub fn is_broken(&self, may_tear: bool) -> bool {
        let counts = |p: &&PromiseResult| p.promise != Promise::Whole || !may_tear;
        self.promises.iter().filter(counts).any(|p| p.verdict == Verdict::Broken)
    }

    /// Returns `true` if any write was promised.
    #[must_use]
    pub fn is_tested(&self) -> bool {
        self.verdict(Promise::Data) != Verdict::NotTested
    }
}
