//! Options for verification: written blocks contain data that identifies them.

use crate::options::buffers::{Pattern, read_pattern};
use crate::options::{Context, JobOptions, OptionSpec, option, put};
use crate::units;
use crate::value::{Kind, Value, words};
use crate::value_error::ValueError;
use model::Bytes;

/// Options for the verification of written data.
#[derive(Debug, Clone, PartialEq)]
pub struct VerifyOptions {
    /// Method for identifying blocks.
    pub method: VerifyMethod,
    /// True if the job reads back and compares its data after writing.
    pub do_verify: bool,
    /// True if the job does not write, but verifies data that an earlier job or run wrote.
    pub verify_only: bool,
    /// Distance between headers, in bytes; 0 = one header per block.
    pub interval: Bytes,
    /// Number of bytes after which the pattern restarts; 0 = the pattern restarts only with each write.
    pub pattern_interval: Bytes,
    /// Offset of the header within the block.
    pub offset: u32,
    /// Pattern that fills the written blocks.
    pub pattern: Option<Pattern>,
    /// True if the job ends at the first mismatch.
    pub fatal: bool,
    /// Number of written blocks after which the job verifies them; 0 = at the end.
    pub backlog: u64,
    /// Number of blocks verified in one batch with `backlog`; 0 = `backlog`.
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
    /// Method for identifying blocks.
    VerifyMethod, default None {
        None = "0" | "none": "no verification",
        Crc32c = "crc32c" | "crc32c-intel": "CRC32C, in hardware if the CPU supports it",
        Crc32 = "crc32": "CRC32",
        Crc64 = "crc64": "CRC64",
        Crc16 = "crc16": "CRC16, which misses one error in 65,536",
        Crc7 = "crc7": "CRC7, which misses one error in 128",
        Md5 = "md5": "MD5",
        Sha1 = "sha1": "SHA-1",
        Sha256 = "sha256": "SHA-256",
        Sha512 = "sha512": "SHA-512",
        Sha3_224 = "sha3-224": "SHA3-224",
        Sha3_256 = "sha3-256": "SHA3-256",
        Sha3_384 = "sha3-384": "SHA3-384",
        Sha3_512 = "sha3-512": "SHA3-512",
        Xxhash = "xxhash": "xxHash, a fast hash",
        Pattern = "pattern": "every byte is compared with `verify_pattern`",
        PatternHdr = "pattern_hdr": "blocks have a header, and every byte is compared with `verify_pattern`",
        Meta = "meta": "a header with offset and generation; contents are not compared",
        Null = "null": "only the presence of a header is checked",
    }
}

fn set_pattern(job: &mut JobOptions, value: Value, _: &mut Context<'_>) -> Result<(), ValueError> {
    if let Value::Text(given) = value {
        job.verify.pattern = Some(read_pattern(&given, true)?);
        // As in fio, a pattern without `verify` is compared byte by byte.
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
const TRIM_TOO: &str = "verification does not trim blocks; use rw=trim or rw=trimwrite";

const GIVEN_UP: &str = "job-noted-given-up";

pub(in crate::options) const OPTIONS: &[OptionSpec] = &[
    option("verifysort", Kind::Text, "", "In older versions of fio: order of verification.").noted(GIVEN_UP),
    option("verifysort_nr", Kind::Text, "", "In older versions of fio: order of verification.").noted(GIVEN_UP),
    option(
        "verify",
        Kind::words(VerifyMethod::WORDS),
        "0",
        "Write blocks that can be verified. They are verified after the job has finished writing, or when another job \
         reads them. The measurement includes verification.",
    )
    .set(put!(verify.method)),
    option(
        "do_verify",
        Kind::Bool,
        "1",
        "Read back and verify after writing; with 0, a later job can verify the blocks.",
    )
    .set(put!(verify.do_verify)),
    option(
        "verify_only",
        Kind::Flag,
        "0",
        "Verify what an earlier job or run wrote at this job's offsets, without writing. The generation of these \
         blocks is not compared, because a job with another order or number of loops may have written them. As in \
         fio, a block that was written twice but still has its earlier contents is therefore not detected. Blocks \
         that the same job wrote and reads back are compared with its last write.",
    )
    .set(put!(verify.verify_only)),
    option(
        "verify_interval",
        Kind::Size { min: 80, max: 64 << 20 },
        "",
        "Distance between headers, in bytes; by default, each block has one header. If block sizes are not multiples \
         of this distance, their greatest common divisor is used instead, as in fio. If writes differ in size, the \
         distance is the greatest common divisor of their sizes, provided that it is at least 512 B.",
    )
    .set(put!(verify.interval)),
    option(
        "verify_offset",
        Kind::Int { min: 40, max: 64 << 20 },
        "",
        "Offset of the header within the block or within each `verify_interval`.",
    )
    .set(put!(verify.offset)),
    option(
        "verify_pattern",
        Kind::Form("0x... hexadecimal, number, \"text\", 'file', %o, or a sequence of these"),
        "",
        "Contents of verified blocks, starting at the beginning of every write. `%o` is the 8-byte offset of the \
         write. Without `verify`, this option implies `verify=pattern`.",
    )
    .set(set_pattern),
    option(
        "verify_pattern_interval",
        Kind::Size { min: 0, max: 64 << 20 },
        "0",
        "Restart the pattern at this interval within a write; `%o` is then the offset of that position (fio 3.37). \
         0 = once per write.",
    )
    .set(put!(verify.pattern_interval)),
    option(
        "verify_fatal",
        Kind::Bool,
        "0",
        "End the job at the first mismatch; by default, all mismatches are counted.",
    )
    .set(put!(verify.fatal)),
    option(
        "verify_dump",
        Kind::Bool,
        "0",
        "In fio: save each wrong block and its expected contents next to the target.",
    )
    .noted("job-noted-wrong-blocks"),
    option(
        "verify_backlog",
        Kind::Form("whole number"),
        "0",
        "Verify each time this number of blocks has been written, not only at the end.",
    )
    .set(set_backlog),
    option(
        "verify_backlog_batch",
        Kind::from(0),
        "0",
        "Number of blocks to verify in one batch with `verify_backlog`; by default, all of them.",
    )
    .set(put!(verify.backlog_batch)),
    option("verify_async", Kind::from(0), "0", "In fio: number of additional threads for verification.")
        .noted("job-noted-own-thread"),
    option("verify_async_cpus", Kind::Text, "", "In fio: CPUs of the `verify_async` threads.")
        .noted("job-noted-own-cpus"),
    option("experimental_verify", Kind::Bool, "0", "In fio: verify by replaying the job.").noted("job-noted-no-replay"),
    option("verify_state_load", Kind::Bool, "0", "In fio: load the progress of an interrupted run.").noted(STATE),
    option("verify_state_save", Kind::Bool, "1", "In fio: save the progress of an interrupted run.").noted(STATE),
    option("verify_policy", Kind::Text, "completed", "In fio 3.42: kind of writes in a saved state to verify.")
        .noted(STATE),
    option("verify_write_sequence", Kind::Bool, "1", "In fio 3.39: compare the header's sequence number.")
        .noted("job-noted-write-number"),
    option("verify_header_seed", Kind::Bool, "1", "In fio 3.39: compare the header's seed.").noted("job-noted-no-seed"),
    option("trim_percentage", Kind::PERCENT, "0", "Percentage of verified blocks to trim; only 0 is supported.")
        .set(set_trim_percentage),
    option("trim_verify_zero", Kind::Bool, "0", "Verify that blocks trimmed by `trim_percentage` contain zeros.")
        .noted("job-noted-no-trims"),
    option("trim_backlog", Kind::Text, "", "Number of blocks between trims by `trim_percentage`.")
        .noted("job-noted-no-trims"),
    option("trim_backlog_batch", Kind::Text, "", "Number of blocks to trim in one batch.").noted("job-noted-no-trims"),
];
