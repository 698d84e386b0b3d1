//! Workload settings that most workloads leave at their defaults: sizes per direction, runs of sequential operations
//! and strides, several files, think time, buffer contents, verification. The fio language can set all of them; the
//! native commands use the defaults.

use super::zero_for_none;
use crate::{Bytes, Nanos, plan::BlockSizes};
use serde::{Deserialize, Serialize};

/// Detailed settings of a [`crate::plan::Workload`]. By default, all of them are off.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct Detail {
    /// Sizes of writes, if they differ from `Workload::block`.
    pub write_block: Option<BlockSizes>,
    /// Sizes of trims, if they differ from `Workload::block`.
    pub trim_block: Option<BlockSizes>,
    /// Alignment of random offsets for reads, writes and trims (fio's blockalign); `None` = the smallest block of the
    /// direction.
    pub align: Option<[Bytes; 3]>,
    /// True if sizes depend on the access order instead of the direction: sequential operations use the read sizes,
    /// random operations the write sizes (fio's bs_is_seq_rand).
    pub block_by_order: bool,
    /// True if the sizes drawn from a range need not be multiples of the smallest size (fio's bs_unaligned).
    pub unaligned: bool,
    /// Number of operations before the next jump (fio's `rw=randread:8`); 0 and 1 mean that every operation jumps.
    pub run: u32,
    /// Bytes skipped after each run of a sequential workload (fio's `rw=read:4k`); negative values go back. With
    /// uniform random offsets of one size, it is the number of bytes between consecutive blocks of the job. The blocks
    /// in between belong to other jobs, so interleaved jobs never overlap.
    pub stride: i64,
    /// True if a new run starts at the same offset as the previous one (fio's rw_sequencer=identical).
    pub identical: bool,
    /// Share of random offsets in percent, for reads, writes and trims (fio's percentage_random).
    pub random_percent: Option<[u8; 3]>,
    /// Zones, each with its share of the operations (fio's random_distribution=zoned and zoned_abs).
    pub zones: Vec<ZoneShare>,
    /// Position of the hot spot of a distribution as a share of the range, 0..=1; `None` means that hot blocks are
    /// scattered.
    pub centre: Option<f64>,
    /// Sequential zones: access part of a zone, then skip to the next one (fio's zonemode=strided).
    pub zone: Option<StridedZone>,
    /// Rules for the zones of a zoned block device (fio's zonemode=zbd).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub zoned: Option<Box<ZonedRule>>,
    /// Order in which a job with several files visits them.
    pub file_order: FileOrder,
    /// Kind of the flush issued after every `flush_every` writes.
    pub flush: FlushKind,
    /// Number of writes between two flushes of the other kind; `None` means never. Used for fio jobs with both fsync
    /// and fdatasync.
    #[serde(with = "zero_for_none")]
    #[cfg_attr(feature = "schema", schemars(with = "u32"))]
    pub full_flush_every: Option<u32>,
    /// Pauses between operations (fio's thinktime).
    pub think: Option<Think>,
    /// Contents of write buffers.
    pub contents: Contents,
    /// Rules for reading written data back and checking it; `None` = no verification.
    pub verify: Option<Verify>,
}

/// Part of the range that receives a share of the operations.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ZoneShare {
    /// Percent of the operations in this part.
    pub ops_percent: u8,
    /// Size of this part.
    pub size: ZoneSize,
}

/// Size of a [`ZoneShare`].
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum ZoneSize {
    /// Percent of the range.
    Percent(f64),
    /// Length in bytes.
    Bytes(Bytes),
}

/// Sequential access in zones with gaps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct StridedZone {
    /// Number of bytes in a zone that are accessed before skipping to the next zone.
    pub size: Bytes,
    /// Length of a zone, in bytes.
    pub range: Bytes,
    /// Bytes skipped between zones.
    pub skip: Bytes,
}

/// Access to a zoned block device: writes at the write pointers, reads of written data, resets of full zones.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct ZonedRule {
    /// Length of a zone; `None` = the device's zones. A device without zones is divided into zones of this length.
    pub size: Option<Bytes>,
    /// Usable part of a zone on a device without zones; `None` = the whole zone.
    pub capacity: Option<Bytes>,
    /// Bytes skipped between zones in sequential workloads.
    pub skip: Bytes,
    /// Maximum number of zones open for writing at once, over all jobs on the device; `None` = the device's limit.
    #[serde(with = "zero_for_none")]
    #[cfg_attr(feature = "schema", schemars(with = "u32"))]
    pub max_open: Option<u32>,
    /// Maximum number of zones that this job may have open for writing at once; `None` means no limit.
    #[serde(with = "zero_for_none")]
    #[cfg_attr(feature = "schema", schemars(with = "u32"))]
    pub job_max_open: Option<u32>,
    /// True if the device's own limit is ignored.
    pub ignore_limits: bool,
    /// True if reads may go beyond the written data of a zone.
    pub read_beyond: bool,
    /// Share of the job's range, 0..=1, that must contain data before zones are reset early, although they are not full
    /// yet.
    pub reset_threshold: f64,
    /// Share of the writes, 0..=1, that reset their zone once that threshold is reached; with 0, only full zones are
    /// reset.
    pub reset_frequency: f64,
}

/// Rule that selects the file of the next operation in a job with several files.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum FileOrder {
    /// One file after the other, with this many operations each.
    RoundRobin(u32),
    /// Each file to its end before the next one.
    Sequential,
    /// Files drawn at random, with this many operations each.
    Random(u32),
    /// File drawn for each operation in proportion to the file sizes, so that all offsets of all files are equally
    /// likely.
    BySize,
    /// File drawn from a Zipf distribution with this exponent.
    Zipf(f64),
    /// File drawn from a self-similar distribution.
    Pareto(f64),
    /// File drawn from a normal distribution around the middle file, with this deviation in percent.
    Normal(f64),
}

impl Default for FileOrder {
    fn default() -> Self {
        FileOrder::RoundRobin(1)
    }
}

/// Kind of a flush.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum FlushKind {
    /// Flush of data and of the metadata needed to read it: fdatasync.
    #[default]
    Data,
    /// Flush of data and all metadata: fsync.
    Full,
}

/// Pauses between operations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Think {
    /// Length of a pause.
    pub time: Nanos,
    /// Part of the pause that the thread spends spinning on the CPU.
    pub spin: Nanos,
    /// Number of operations between pauses.
    pub blocks: u32,
    /// True if `blocks` counts issued operations, not completed ones.
    pub by_issue: bool,
    /// Working time between pauses, which is used instead of a number of operations.
    pub work_time: Option<Nanos>,
}

/// Contents of write buffers.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct Contents {
    /// Kind of contents.
    pub kind: Filling,
    /// Compressible share of each chunk, in percent.
    pub compress_percent: u8,
    /// Size of the chunks that are compressible independently; `None` means the whole block.
    #[serde(with = "zero_for_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Bytes"))]
    pub compress_chunk: Option<Bytes>,
    /// Share of the blocks that repeat an earlier block, in percent.
    pub dedupe_percent: u8,
    /// Share of the target, in percent, that forms the working set from which repeats are drawn. With 0, repeats copy
    /// the previous block.
    pub dedupe_working_set: u8,
    /// Total size of the targets of all jobs that share one working set for repeats; `None` means that each job has its
    /// own set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dedupe_shared: Option<Bytes>,
}

/// Kinds of buffer contents.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Filling {
    /// secchi's format: a header with identity, offset and checksum, then incompressible bytes, unique per block.
    #[default]
    Unique,
    /// Random data generated at the start; a few bytes are changed before each write (fio's default, scramble_buffers).
    Scrambled,
    /// Random data generated at the start, the same in every write.
    Fixed,
    /// New random data before each write (fio's refill_buffers).
    Refilled,
    /// Only zeros.
    Zero,
    /// These bytes, repeated.
    Pattern(Vec<u8>),
}

/// Method by which blocks are checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
    /// A header, without a checksum of the rest.
    Header,
    /// A header followed by the pattern.
    PatternHeader,
    /// Only the pattern.
    Pattern,
    /// Headers are written, but nothing is checked (fio's `null`), to test verification itself.
    Null,
}

/// Rules for writing verifiable data and for checking it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Verify {
    /// Checksum or other method of checking.
    pub method: Checksum,
    /// Length of the parts of a block that each have their own header; `None` = the whole block. It is set if writes
    /// differ in size, so that each part can be checked regardless of the write that it came from.
    #[serde(with = "zero_for_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Bytes"))]
    pub interval: Option<Bytes>,
    /// Offset of the header within the interval.
    pub offset: Bytes,
    /// Bytes of the pattern methods, repeated from the start of every write.
    pub pattern: Vec<u8>,
    /// Positions in the pattern that hold the byte offset of the write, as eight bytes in little-endian order (fio's
    /// `%o`).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pattern_offsets: Vec<u32>,
    /// Distance within a write after which the pattern restarts, with the byte offset of that position; `None` means
    /// only at the start of the write (fio's verify_pattern_interval).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pattern_interval: Option<Bytes>,
    /// True if written data is read back (fio's do_verify).
    pub check: bool,
    /// True if nothing is written and only the data of an earlier run of the same job is checked (fio's verify_only).
    pub only: bool,
    /// Number of blocks written before they are checked; `None` means that all are checked at the end.
    #[serde(with = "zero_for_none")]
    #[cfg_attr(feature = "schema", schemars(with = "u32"))]
    pub backlog: Option<u32>,
    /// Number of blocks checked each time; `None` = the whole backlog.
    #[serde(with = "zero_for_none")]
    #[cfg_attr(feature = "schema", schemars(with = "u32"))]
    pub backlog_batch: Option<u32>,
    /// True if the first corrupt block ends the job.
    pub fatal: bool,
}

impl Verify {
    /// Returns rules with one header per block and a read-back of all blocks at the end.
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

    /// Returns `true` if blocks are read back and compared. `writes` is true if the load writes.
    #[must_use]
    pub const fn reads_back(&self, writes: bool) -> bool {
        (self.check && writes) || self.only
    }
}
