//! What is on the storage beside what was promised: pure comparisons ([`blocks`], [`append`], [`names`]) of what was found
//! ([`read`]) with the schedule, the witness' knowledge, and the order that each writer kept. What each finding proves, and what it
//! cannot, stands in docs/design/durability.md, "What is told".
//!
//! Two facts make a promise: the witness was told of a write (`acknowledged`), or a later write of the same writer was begun, which
//! happens only after the sync of the one before it returned (`proven`). Nothing else ever raises an alarm.

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

/// Writes of a writer that must be there and are not.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Loss {
    /// How many, at least: what a later write of the same place hides is not counted.
    pub count: u64,
    /// Those of them that a witness, or the experiment's orderly end, has acknowledged; the rest is proven by order alone.
    pub acknowledged: u64,
    /// The one that shows it best: the earliest.
    pub first: Option<LostWrite>,
}

/// One write that must be there and is not.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LostWrite {
    /// The file, as it is called in the experiment's directory.
    pub file: String,
    /// Where in it: bytes.
    pub offset: u64,
    /// The write that must be there; 0 = as the experiment began.
    pub expected: u64,
    /// The newest write that is there instead; absent where nothing of this writer is.
    pub found: Option<u64>,
    /// When it was known to be acknowledged: nanoseconds of Unix time by the witness' clock; absent where order alone proves it.
    pub acknowledged_ns: Option<u64>,
}

/// What was found of one writer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct WriterResult {
    /// Its number.
    pub writer: u16,
    /// What it does.
    pub kind: WriterKind,
    /// Its last write that was acknowledged; 0 = none.
    pub acknowledged: u64,
    /// The newest write that left anything on the storage; 0 = none.
    pub newest: u64,
    /// Its last write whose sync must have returned: what is promised.
    pub proven: u64,
    /// Blocks, records or names that were compared.
    pub compared: u64,
    /// Contents that are not there.
    pub data: Loss,
    /// Ends of files that are not there.
    pub size: Loss,
    /// Files, renames and removals that are not there.
    pub names: Loss,
    /// Lost writes older than one that is there: they went out of order.
    pub reordered: u64,
    /// Bytes of its files that cannot be read: what stood there counts as not there.
    pub unreadable: u64,
    /// Blocks that were being written when it ended and reached the storage whole.
    pub whole: u64,
    /// Blocks that were being written when it ended and reached the storage in part.
    pub torn: u64,
    /// The first of those.
    pub first_torn: Option<LostWrite>,
}

/// Writes that may have been in flight, by what is there (docs/design/durability.md, "Without a witness").
const IN_FLIGHT: u64 = 3;

/// What a writer's results are made with.
pub struct Promised<'a> {
    marker: &'a Marker,
    knowledge: Option<&'a Knowledge>,
    writer: u16,
    /// Its last write that was acknowledged.
    acknowledged: u64,
}

impl<'a> Promised<'a> {
    /// What was promised to one writer, by a witness or by the orderly end of the experiment.
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
            // The newest write had been begun, so the sync of the one before it had returned.
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

    /// Writes behind the last promised one of which the storage may show anything: the one being written, and room for what a
    /// half-written one hides. None where all ended in order.
    fn in_flight(&self) -> u64 {
        if self.marker.stage == Stage::Ended { 0 } else { IN_FLIGHT }
    }

    /// A lost write is counted; the earliest is kept as the one to show.
    fn lose(&self, loss: &mut Loss, lost: LostWrite) {
        loss.count += 1;
        loss.acknowledged += u64::from(lost.expected > 0 && lost.expected <= self.acknowledged);
        if loss.first.as_ref().is_none_or(|first| lost.expected < first.expected) {
            loss.first = Some(lost);
        }
    }

    /// Looks up when the write that is shown was acknowledged: once, for this goes through all batches.
    fn date(&self, result: &mut WriterResult) {
        for loss in [&mut result.data, &mut result.size, &mut result.names] {
            if let Some(first) = &mut loss.first {
                first.acknowledged_ns = self.knowledge.and_then(|k| k.instant(self.writer, first.expected.max(1)));
            }
        }
    }
}

/// Something that storage promises.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Promise {
    /// What was written and synced is there.
    Data,
    /// What was synced first is there when something later is.
    Order,
    /// A block is written whole or not at all.
    Whole,
    /// A file that grew and was synced has its size.
    Size,
    /// Files, renames and removals are there once their directory was synced.
    Names,
}

impl Promise {
    /// All of them, as they are told.
    pub const ALL: [Promise; 5] = [Promise::Data, Promise::Order, Promise::Size, Promise::Names, Promise::Whole];
}

/// What became of a promise.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// Everything that was looked at is there.
    Kept,
    /// Something is not.
    Broken,
    /// Nothing happened that it could be told by.
    NotTested,
}

/// A promise, and what became of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PromiseResult {
    /// The promise.
    pub promise: Promise,
    /// What became of it.
    pub verdict: Verdict,
    /// Writes that it was tested by.
    pub tested: u64,
    /// How often it was broken, at least.
    pub broken: u64,
    /// Of those, how many a witness or an orderly end had acknowledged.
    pub acknowledged: u64,
    /// When the first of the writes it was broken for was acknowledged, at the latest: nanoseconds of Unix time by the witness'
    /// clock; absent where order alone proves it.
    pub earliest_ns: Option<u64>,
}

/// The outcome of comparing an experiment's files with what was promised. Its JSON is the document of `durable verify --json`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Verification {
    /// Of this document.
    pub version: u32,
    /// Where the experiment is.
    pub path: String,
    /// The experiment.
    pub run: Uuid,
    /// Its generation.
    pub generation: u32,
    /// How it synced.
    pub sync: SyncMethod,
    /// Bytes of a block.
    pub block: u32,
    /// Whether a witness told what it knows.
    pub witnessed: bool,
    /// What became of each promise.
    pub promises: Vec<PromiseResult>,
    /// What was found of each writer.
    pub writers: Vec<WriterResult>,
    /// What is lost of the experiment itself: its directory, its marker, its last generation. Counts as a broken promise of names.
    pub lost_marker: Option<String>,
    /// What spoils this.
    pub doubts: Vec<Caveat>,
}

/// How an experiment that is not there was lost.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LostMarker {
    /// Its directory is gone.
    Directory,
    /// Its marker is gone or damaged: why.
    Damaged(String),
    /// Its marker is of an earlier generation, or of an earlier stage, than what the witness was told once it was synced.
    Older,
}

/// What a comparison begins with.
pub struct Evidence<'a> {
    /// Its directory; `None` where it is gone.
    pub home: Option<&'a Home>,
    /// Where it is, or was.
    pub path: String,
    /// What its marker says, if it can be read.
    pub marker: Option<&'a Marker>,
    /// Why not, if it cannot.
    pub unmarked: Option<String>,
    /// What the witness knows; `None` where there is none, or it was not reached.
    pub knowledge: Option<&'a Knowledge>,
    /// Whether a witness was named and not reached.
    pub witness_away: Option<String>,
    /// The boot of the kernel that runs now.
    pub boot: &'a str,
}

/// Compares. `None` where neither the directory nor the witness says what was promised.
///
/// # Errors
/// [`Failure`]: a file is there and cannot be read.
pub fn verify(evidence: &Evidence<'_>) -> Result<Option<Verification>, Failure> {
    let told = evidence.knowledge.map(|k| &k.marker);
    // The one that was synced last: the witness hears of a generation after its marker was.
    let newer = |own: &Marker, told: &Marker| {
        told.generation > own.generation || told.generation == own.generation && own.stage == Stage::Preparing
    };
    let (marker, lost) = match (evidence.marker, told) {
        (None, None) => return Ok(None),
        (Some(own), Some(told)) if newer(own, told) => (told, Some(LostMarker::Older)),
        (Some(own), _) => (own, None),
        (None, Some(told)) => {
            let why = evidence.unmarked.clone();
            (told, Some(evidence.home.map_or(LostMarker::Directory, |_| LostMarker::Damaged(why.unwrap_or_default()))))
        }
    };
    // What the witness knows of an earlier generation says nothing of this one.
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
        lost_marker: lost.map(|lost| match lost {
            LostMarker::Directory => "directory".to_owned(),
            LostMarker::Damaged(why) => format!("marker: {why}"),
            LostMarker::Older => "generation".to_owned(),
        }),
        doubts,
    }))
}

/// The promises by what was found of all writers.
fn promises(writers: &[WriterResult], lost_marker: bool) -> Vec<PromiseResult> {
    let all = |kinds: &[WriterKind], of: fn(&WriterResult) -> u64| -> u64 {
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
                Promise::Data => (all(&every, |w| w.proven), losses(|w| &w.data)),
                Promise::Order => {
                    (all(&every, |w| w.proven.min(w.newest.saturating_sub(1))), (all(&every, |w| w.reordered), 0, None))
                }
                Promise::Size => (all(&[WriterKind::Append], |w| w.proven), losses(|w| &w.size)),
                Promise::Names => {
                    let (count, acknowledged, earliest) = losses(|w| &w.names);
                    (all(&[WriterKind::Names], |w| w.proven), (count + u64::from(lost_marker), acknowledged, earliest))
                }
                Promise::Whole => (all(&every, |w| w.whole + w.torn), (all(&every, |w| w.torn), 0, None)),
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
    /// What became of a promise.
    #[must_use]
    pub fn verdict(&self, promise: Promise) -> Verdict {
        self.promises.iter().find(|p| p.promise == promise).map_or(Verdict::NotTested, |p| p.verdict)
    }

    /// Whether any promise was broken; a torn block counts unless `may_tear`.
    #[must_use]
    pub fn is_broken(&self, may_tear: bool) -> bool {
        let counts = |p: &&PromiseResult| p.promise != Promise::Whole || !may_tear;
        self.promises.iter().filter(counts).any(|p| p.verdict == Verdict::Broken)
    }

    /// Whether anything was promised at all.
    #[must_use]
    pub fn is_tested(&self) -> bool {
        self.verdict(Promise::Data) != Verdict::NotTested
    }
}
