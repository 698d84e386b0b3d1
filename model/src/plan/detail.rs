//! What most workloads leave as it is: sizes per direction, runs and strides, several files, think time, contents of
//! buffers, verification. The fio language can ask all of it; the native commands leave the defaults.

use super::zero_for_none;
use crate::{BlockSizes, Bytes, Nanos, Op};
use serde::{Deserialize, Serialize};

/// Finer points of a [`crate::Workload`]. The default is none of them.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Detail {
    /// Sizes of writes, where they differ from `Workload::block`.
    pub write_block: Option<BlockSizes>,
    /// Sizes of trims, where they differ from `Workload::block`.
    pub trim_block: Option<BlockSizes>,
    /// Grain of random offsets (fio's blockalign), reads, writes, trims; `None` = the smallest block of the direction.
    pub align: Option<[Bytes; 3]>,
    /// Sizes follow the order of access rather than the direction: sequential ones are the reads' sizes, random ones
    /// the writes' (fio's bs_is_seq_rand).
    pub block_by_order: bool,
    /// Sizes of a range need not be multiples of its lower end (fio's bs_unaligned).
    pub unaligned: bool,
    /// Operations before the next jump (fio's `rw=randread:8`): 0 and 1 mean every operation.
    pub run: u32,
    /// Bytes left out after each run of a sequential workload (fio's `rw=read:4k`); negative goes back. Of even random places of one
    /// size: the bytes between one and the next, which are others'; those who take turns by blocks never meet.
    pub stride: i64,
    /// After a run, begin at the same place again (fio's rw_sequencer=identical).
    pub identical: bool,
    /// Share of random places among all, in percent, reads, writes, trims (fio's percentage_random).
    pub random_percent: Option<[u8; 3]>,
    /// Zones with their own share of the places (fio's random_distribution=zoned and zoned_abs).
    pub zones: Vec<ZoneShare>,
    /// Where hot spots of a distribution lie, as a share of the range 0..=1; `None` = scattered.
    pub centre: Option<f64>,
    /// Sequential zones: work this much, then leave out `zone_skip` (fio's zonemode=strided).
    pub zone: Option<StridedZone>,
    /// Zones of a zoned block device (fio's zonemode=zbd).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub zoned: Option<Box<ZonedRule>>,
    /// Order of the files of a job with several.
    pub file_order: FileOrder,
    /// What the flush after `flush_every` writes is.
    pub flush: FlushKind,
    /// After this many writes, a flush of the other kind; `None` = never. fio's fsync beside fdatasync.
    #[serde(with = "zero_for_none")]
    pub full_flush_every: Option<u32>,
    /// Pauses between operations (fio's thinktime).
    pub think: Option<Think>,
    /// What buffers hold.
    pub contents: Contents,
    /// Whether what was written is read back and checked.
    pub verify: Option<Verify>,
}

impl Detail {
    /// Whether every point is at its default.
    #[must_use]
    pub fn is_default(&self) -> bool {
        *self == Detail::default()
    }
}

/// A share of the range that takes a share of the operations.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct ZoneShare {
    /// Percent of the operations that go there.
    pub ops_percent: u8,
    /// How much of the range.
    pub size: ZoneSize,
}

/// Size of a [`ZoneShare`].
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ZoneSize {
    /// Percent of the range.
    Percent(f64),
    /// Length in bytes.
    Bytes(Bytes),
}

/// Sequential work in zones with gaps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct StridedZone {
    /// Bytes of a zone that are worked on before going to the next.
    pub size: Bytes,
    /// Bytes the zone spans.
    pub range: Bytes,
    /// Bytes left out between zones.
    pub skip: Bytes,
}

/// Work in the zones of a zoned block device: writes where the write pointers are, reads of what was written, full zones reset.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ZonedRule {
    /// Length of a zone; `None` = as the device has them. A device without zones is divided so.
    pub size: Option<Bytes>,
    /// Usable part of a zone of a device without zones; `None` = all of it.
    pub capacity: Option<Bytes>,
    /// Bytes left out between zones, in sequence.
    pub skip: Bytes,
    /// Most zones that are written at once by all jobs on the device; `None` = as many as the device allows.
    #[serde(with = "zero_for_none")]
    pub max_open: Option<u32>,
    /// Most zones that this job has begun to write at once; `None` = no limit.
    #[serde(with = "zero_for_none")]
    pub job_max_open: Option<u32>,
    /// The device's own limit is left out of account.
    pub ignore_limits: bool,
    /// Reads go anywhere, written or not.
    pub read_beyond: bool,
    /// Zones are reset before they are full once more than this share of the job's range holds data, 0..=1.
    pub reset_threshold: f64,
    /// Share of the writes that reset their zone then, 0..=1; with none, only full zones are reset.
    pub reset_frequency: f64,
}

/// Which file of a job the next operation goes to.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FileOrder {
    /// One after the other, this many operations each time.
    RoundRobin(u32),
    /// Each to its end before the next.
    Sequential,
    /// Drawn, this many operations each time.
    Random(u32),
    /// Drawn in proportion to their sizes, each time: every place of all files is as likely.
    BySize,
    /// Drawn by Zipf with this exponent.
    Zipf(f64),
    /// Drawn self-similarly.
    Pareto(f64),
    /// Drawn normally about the middle one, deviation in percent.
    Normal(f64),
}

impl Default for FileOrder {
    fn default() -> Self {
        FileOrder::RoundRobin(1)
    }
}

/// What makes earlier writes durable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FlushKind {
    /// Data and what is needed to find it: fdatasync.
    #[default]
    Data,
    /// Everything: fsync.
    Full,
}

/// Pauses between operations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Think {
    /// Length of a pause.
    pub time: Nanos,
    /// How much of it is spent spinning.
    pub spin: Nanos,
    /// Operations between pauses.
    pub blocks: u32,
    /// Whether `blocks` counts operations issued rather than completed.
    pub by_issue: bool,
    /// Time of working between pauses, instead of a count.
    pub work_time: Option<Nanos>,
}

/// What write buffers hold.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Contents {
    /// The kind.
    pub kind: Filling,
    /// Share of each chunk that compresses away, in percent.
    pub compress_percent: u8,
    /// Grain of compressibility; `None` = the whole block.
    #[serde(with = "zero_for_none")]
    pub compress_chunk: Option<Bytes>,
    /// Share of blocks that repeat an earlier one, in percent.
    pub dedupe_percent: u8,
    /// Repeats come from this many percent of the target as a working set, instead of the block before.
    pub dedupe_working_set: u8,
    /// Size of the targets of all jobs that take their repeats from one working set; `None` = a set of its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dedupe_shared: Option<Bytes>,
}

/// Kinds of contents.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Filling {
    /// Ours: header with identity, place and checksum, and incompressible bytes, unique per block.
    #[default]
    Unique,
    /// Random at the start, then a few bytes changed before each write (fio's default, scramble_buffers).
    Scrambled,
    /// Random at the start, the same in every write.
    Fixed,
    /// Random anew before each write (fio's refill_buffers).
    Refilled,
    /// Nothing but zeros.
    Zero,
    /// These bytes over and over.
    Pattern(Vec<u8>),
}

/// How blocks are checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "names of well-known checksums")]
pub enum Checksum {
    Md5,
    Crc64,
    Crc32c,
    Crc32,
    Crc16,
    Crc7,
    Xxhash,
    Sha1,
    Sha256,
    Sha512,
    Sha3_224,
    Sha3_256,
    Sha3_384,
    Sha3_512,
    /// A header and no checksum of the rest.
    Header,
    /// The pattern, with a header in front.
    PatternHeader,
    /// The pattern and nothing else.
    Pattern,
    /// Headers are written and nothing is checked (fio's `null`): for testing verification itself.
    Null,
}

/// Writing so that it can be checked, and checking.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Verify {
    /// The checksum, or other way of telling right blocks.
    pub method: Checksum,
    /// Bytes with a header of their own inside a block; `None` = the whole block. Set where writes differ in size, so that it
    /// does not matter with which write a piece came.
    #[serde(with = "zero_for_none")]
    pub interval: Option<Bytes>,
    /// Where in the interval the header stands.
    pub offset: Bytes,
    /// Bytes of the pattern methods: over and over from the beginning of every write.
    pub pattern: Vec<u8>,
    /// Where in the pattern the byte offset of the write stands, eight bytes, little-endian (fio's `%o`).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pattern_offsets: Vec<u32>,
    /// The pattern begins anew every so many bytes of a write, with the byte offset of that place; `None` = at the write only
    /// (fio's verify_pattern_interval).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pattern_interval: Option<Bytes>,
    /// Whether what was written is read back (fio's do_verify).
    pub check: bool,
    /// Write nothing: check what an earlier run of the same job wrote (fio's verify_only).
    pub only: bool,
    /// Check after so many blocks were written; `None` = at the end.
    #[serde(with = "zero_for_none")]
    pub backlog: Option<u32>,
    /// How many are checked each time; `None` = all of the backlog.
    #[serde(with = "zero_for_none")]
    pub backlog_batch: Option<u32>,
    /// The first block that is wrong ends the job.
    pub fatal: bool,
}

impl Verify {
    /// Blocks with one header each, all read back at the end.
    #[must_use]
    pub const fn new(method: Checksum) -> Verify {
        Verify {
            method,
            interval: None,
            offset: Bytes(0),
            pattern: Vec::new(),
            pattern_offsets: Vec::new(),
            pattern_interval: None,
            check: true,
            only: false,
            backlog: None,
            backlog_batch: None,
            fatal: false,
        }
    }

    /// Whether blocks are read back to be compared, where the load `writes`.
    #[must_use]
    pub const fn reads_back(&self, writes: bool) -> bool {
        (self.check && writes) || self.only
    }
}

impl crate::Workload {
    /// Whether anything is written or trimmed: a job that only checks what an earlier one wrote does neither.
    #[must_use]
    pub fn changes_data(&self) -> bool {
        self.mix.writes() && !self.detail.verify.as_ref().is_some_and(|v| v.only)
    }

    /// Sizes of one kind of operation.
    #[must_use]
    pub fn sizes_of(&self, op: Op) -> &BlockSizes {
        match op {
            Op::Write => self.detail.write_block.as_ref().unwrap_or(&self.block),
            Op::Trim => self.detail.trim_block.as_ref().unwrap_or(&self.block),
            Op::Read | Op::Flush => &self.block,
        }
    }

    /// The largest operation of any kind that the mix contains: what buffers must hold.
    #[must_use]
    pub fn max_block(&self) -> Bytes {
        self.used().map(|op| self.sizes_of(op).max()).max().unwrap_or_else(|| self.block.max())
    }

    /// The largest operation that has a buffer: trims have none.
    #[must_use]
    pub fn max_buffer(&self) -> Bytes {
        self.used().filter(|op| *op != Op::Trim).map(|op| self.sizes_of(op).max()).max().unwrap_or(Bytes(4096))
    }

    /// The smallest operation of any kind that the mix contains.
    #[must_use]
    pub fn min_block(&self) -> Bytes {
        self.used().map(|op| self.sizes_of(op).min()).min().unwrap_or_else(|| self.block.min())
    }

    pub(super) fn used(&self) -> impl Iterator<Item = Op> {
        let every = self.detail.block_by_order;
        [Op::Read, Op::Write, Op::Trim]
            .into_iter()
            .filter(move |op| self.mix.share(*op) > 0.0 || (every && *op != Op::Trim))
    }
}
