//! Verification: written blocks carry data that identifies them.

use crate::options::buffers::{Pattern, read_pattern};
use crate::options::{Context, JobOptions, OptionSpec, option, put};
use crate::units;
use crate::value::{Kind, Value, words};
use crate::value_error::ValueError;
use model::Bytes;

/// Verification of written data.
#[derive(Debug, Clone, PartialEq)]
pub struct VerifyOptions {
    /// Method that identifies blocks.
    pub method: VerifyMethod,
    /// True if the job reads back and compares after writing.
    pub do_verify: bool,
    /// True if the job does not write and only compares with data that an earlier run wrote.
    pub verify_only: bool,
    /// Distance between headers, in bytes; 0 = one per block.
    pub interval: Bytes,
    /// Number of bytes after which the pattern restarts; 0 = once per write.
    pub pattern_interval: Bytes,
    /// Offset of the header within the block.
    pub offset: u32,
    /// Pattern of the contents.
    pub pattern: Option<Pattern>,
    /// True if the job ends at the first mismatch.
    pub fatal: bool,
    /// Number of written blocks after which they are verified; 0 = at the end.
    pub backlog: u64,
    /// Number of blocks verified at once with `backlog`; 0 = `backlog`.
    pub backlog_batch: u32,
}

impl Default for VerifyOptions {
    fn default() -> Self {
        VerifyOptions {
            method: VerifyMethod::None,
            do_verify: true,
            verify_only: false,
            interval: Bytes(0),
            pattern_interval: Bytes(0),
            offset: 0,
            pattern: None,
            fatal: false,
            backlog: 0,
            backlog_batch: 0,
        }
    }
}

words! {
    /// Method that identifies blocks.
    VerifyMethod, default None {
        None = "0" | "none": "not at all",
        Crc32c = "crc32c" | "crc32c-intel": "a checksum made for storage, by the processor where it can",
        Crc32 = "crc32": "an older checksum",
        Crc64 = "crc64": "a longer one",
        Crc16 = "crc16": "a short one, which misses one error in 65,536",
        Crc7 = "crc7": "a very short one, which misses one error in 128",
        Md5 = "md5": "a longer, slower sum",
        Sha1 = "sha1": "a longer one still",
        Sha256 = "sha256": "a cryptographic sum",
        Sha512 = "sha512": "a longer cryptographic sum",
        Sha3_224 = "sha3-224": "a newer cryptographic sum, of 224 bits",
        Sha3_256 = "sha3-256": "the same of 256 bits",
        Sha3_384 = "sha3-384": "the same of 384 bits",
        Sha3_512 = "sha3-512": "the same of 512 bits",
        Xxhash = "xxhash": "a fast sum",
        Pattern = "pattern": "every byte against `verify_pattern`",
        PatternHdr = "pattern_hdr": "a header, and every byte against `verify_pattern`",
        Meta = "meta": "a header with offset and generation, contents are not compared",
        Null = "null": "a header is looked for, contents are not",
    }
}

fn set_pattern(job: &mut JobOptions, value: Value, _: &mut Context<'_>) -> Result<(), ValueError> {
    if let Value::Text(given) = value {
        job.verify.pattern = Some(read_pattern(&given, true)?);
        // As in fio, a pattern without a method is compared byte by byte.
        if job.verify.method == VerifyMethod::None {
            job.verify.method = VerifyMethod::Pattern;
        }
    }
    Ok(())
}

fn set_backlog(job: &mut JobOptions, value: Value, _: &mut Context<'_>) -> Result<(), ValueError> {
    if let Value::Text(given) = value {
        job.verify.backlog = units::count(&given)?;
    }
    Ok(())
}

fn set_trim_percentage(_: &mut JobOptions, value: Value, _: &mut Context<'_>) -> Result<(), ValueError> {
    match value {
        Value::Int(0) => Ok(()),
        _ => Err(TRIM_TOO.into()),
    }
}

const STATE: &str = "job-noted-no-state";
const TRIM_TOO: &str = "verification does not trim between; use rw=trim or rw=trimwrite";

const GIVEN_UP: &str = "job-noted-given-up";

pub(in crate::options) const OPTIONS: &[OptionSpec] = &[
    option("verifysort", Kind::Text, "", "In older fio, the order of verification.").noted(GIVEN_UP),
    option("verifysort_nr", Kind::Text, "", "In older fio, the order of verification.").noted(GIVEN_UP),
    option("verify", Kind::words(VerifyMethod::WORDS), "0", "Write blocks that can be known again, and compare them after the job has written, or while a job reads what this one wrote. Verified runs measure verification too.").set(put!(verify.method)),
    option("do_verify", Kind::Bool, "1", "Read back and compare after writing; 0 writes blocks that a later job verifies.").set(put!(verify.do_verify)),
    option("verify_only", Kind::Flag, "0", "Do not write; compare with what an earlier job or run wrote at the places this job would write to. Which of its writes a block is of is not compared: it may have been another job, in another order, or with more loops. So a block that was written twice and holds what it held before the second write is not found, as in fio; what the same job wrote and reads back is compared with its last write.").set(put!(verify.verify_only)),
    option("verify_interval", Kind::Size { min: 80, max: 64 << 20 }, "", "A header every so many bytes, rather than one per block; where block sizes are no multiples of it, what they have in common takes its place, as in fio. Where writes differ in size it is what their sizes have in common, if that is 512 B or more.").set(put!(verify.interval)),
    option("verify_offset", Kind::Int { min: 40, max: 64 << 20 }, "", "Where in the block, or in each `verify_interval`, the header lies.").set(put!(verify.offset)),
    option("verify_pattern", Kind::Form("0x... hexadecimal, number, \"text\", 'file', %o, or several after another"), "", "Contents of verified blocks, from the beginning of every write on; `%o` is the byte offset of the write, in eight bytes. Without `verify`, implies `verify=pattern`.").set(set_pattern),
    option("verify_pattern_interval", Kind::Size { min: 0, max: 64 << 20 }, "0", "Begin the pattern anew every so many bytes of a write; `%o` is the byte offset of that place then (fio 3.37). 0 = once a write.").set(put!(verify.pattern_interval)),
    option("verify_fatal", Kind::Bool, "0", "End the job at the first wrong block; by default all are counted.").set(put!(verify.fatal)),
    option("verify_dump", Kind::Bool, "0", "In fio, saves each wrong block and what it should be beside the target.").noted("job-noted-wrong-blocks"),
    option("verify_backlog", Kind::Form("whole number"), "0", "Verify whenever this many blocks have been written, not only at the end.").set(set_backlog),
    option("verify_backlog_batch", Kind::from(0), "0", "Blocks verified at once with `verify_backlog`; all of them by default.").set(put!(verify.backlog_batch)),
    option("verify_async", Kind::from(0), "0", "In fio, threads that verify beside the job's.").noted("job-noted-own-thread"),
    option("verify_async_cpus", Kind::Text, "", "In fio, CPUs of the threads of `verify_async`.").noted("job-noted-own-cpus"),
    option("experimental_verify", Kind::Bool, "0", "In fio, verifies by replaying the job.").noted("job-noted-no-replay"),
    option("verify_state_load", Kind::Bool, "0", "In fio, reads how far an interrupted run came.").noted(STATE),
    option("verify_state_save", Kind::Bool, "1", "In fio, saves how far an interrupted run came.").noted(STATE),
    option("verify_policy", Kind::Text, "completed", "In fio 3.42, which writes of a saved state are verified.").noted(STATE),
    option("verify_write_sequence", Kind::Bool, "1", "In fio 3.39, whether the header's sequence number is compared.").noted("job-noted-write-number"),
    option("verify_header_seed", Kind::Bool, "1", "In fio 3.39, whether the header's seed is compared.").noted("job-noted-no-seed"),
    option("trim_percentage", Kind::PERCENT, "0", "Percent of verified blocks that are discarded; only 0 is done.").set(set_trim_percentage),
    option("trim_verify_zero", Kind::Bool, "0", "Compare what `trim_percentage` discarded with zeros.").noted("job-noted-no-trims"),
    option("trim_backlog", Kind::Text, "", "Blocks between discards of `trim_percentage`.").noted("job-noted-no-trims"),
    option("trim_backlog_batch", Kind::Text, "", "Blocks discarded at once.").noted("job-noted-no-trims"),
];
