//! Options for verification: written blocks contain data that identifies them.

use crate::options::buffers::{Pattern, read_pattern};
use crate::options::{Context, JobOptions, OptionSpec, Setter::Job, noted, option, parse, put};
use crate::units;
use crate::value::{Kind, Value, words};
use crate::value_error::ValueError;
use model::Bytes;

/// Options for the verification of written data.
#[derive(Debug, Clone, PartialEq, Default)]
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
    noted("verifysort", Kind::Text, "", GIVEN_UP).help("In older versions of fio: order of verification."),
    noted("verifysort_nr", Kind::Text, "", GIVEN_UP).help("In older versions of fio: order of verification."),
    option("verify", Kind::words(VerifyMethod::WORDS), "0", put!(verify.method)).help(
        "Write blocks that can be verified. They are verified after the job has finished writing, or when another job \
         reads them. The measurement includes verification.",
    ),
    option("do_verify", Kind::Bool, "1", put!(verify.do_verify))
        .help("Read back and verify after writing; with 0, a later job can verify the blocks."),
    option("verify_only", Kind::Flag, "0", put!(verify.verify_only)).help(
        "Verify what an earlier job or run wrote at this job's offsets, without writing. The generation of these \
         blocks is not compared, because a job with another order or number of loops may have written them. As in \
         fio, a block that was written twice but still has its earlier contents is therefore not detected. Blocks \
         that the same job wrote and reads back are compared with its last write.",
    ),
    option("verify_interval", Kind::Size { min: 80, max: 64 << 20 }, "", put!(verify.interval)).help(
        "Distance between headers, in bytes; by default, each block has one header. If block sizes are not multiples \
         of this distance, their greatest common divisor is used instead, as in fio. If writes differ in size, the \
         distance is the greatest common divisor of their sizes, provided that it is at least 512 B.",
    ),
    option("verify_offset", Kind::Int { min: 40, max: 64 << 20 }, "", put!(verify.offset))
        .help("Offset of the header within the block or within each `verify_interval`."),
    option(
        "verify_pattern",
        Kind::Form("0x... hexadecimal, number, \"text\", 'file', %o, or a sequence of these"),
        "",
        Job(set_pattern),
    )
    .help(
        "Contents of verified blocks, starting at the beginning of every write. `%o` is the 8-byte offset of the \
         write. Without `verify`, this option implies `verify=pattern`.",
    ),
    option("verify_pattern_interval", Kind::Size { min: 0, max: 64 << 20 }, "0", put!(verify.pattern_interval)).help(
        "Restart the pattern at this interval within a write; `%o` is then the offset of that position (fio 3.37). \
         0 = once per write.",
    ),
    option("verify_fatal", Kind::Bool, "0", put!(verify.fatal))
        .help("End the job at the first mismatch; by default, all mismatches are counted."),
    noted("verify_dump", Kind::Bool, "0", "job-noted-wrong-blocks")
        .help("In fio: save each wrong block and its expected contents next to the target."),
    option("verify_backlog", Kind::Form("whole number"), "0", parse!(verify.backlog, units::count))
        .help("Verify each time this number of blocks has been written, not only at the end."),
    option("verify_backlog_batch", Kind::from(0), "0", put!(verify.backlog_batch))
        .help("Number of blocks to verify in one batch with `verify_backlog`; by default, all of them."),
    noted("verify_async", Kind::from(0), "0", "job-noted-own-thread")
        .help("In fio: number of additional threads for verification."),
    noted("verify_async_cpus", Kind::Text, "", "job-noted-own-cpus")
        .help("In fio: CPUs of the `verify_async` threads."),
    noted("experimental_verify", Kind::Bool, "0", "job-noted-no-replay").help("In fio: verify by replaying the job."),
    noted("verify_state_load", Kind::Bool, "0", STATE).help("In fio: load the progress of an interrupted run."),
    noted("verify_state_save", Kind::Bool, "1", STATE).help("In fio: save the progress of an interrupted run."),
    noted("verify_policy", Kind::Text, "completed", STATE)
        .help("In fio 3.42: kind of writes in a saved state to verify."),
    noted("verify_write_sequence", Kind::Bool, "1", "job-noted-write-number")
        .help("In fio 3.39: compare the header's sequence number."),
    noted("verify_header_seed", Kind::Bool, "1", "job-noted-no-seed").help("In fio 3.39: compare the header's seed."),
    option("trim_percentage", Kind::PERCENT, "0", Job(set_trim_percentage))
        .help("Percentage of verified blocks to trim; only 0 is supported."),
    noted("trim_verify_zero", Kind::Bool, "0", "job-noted-no-trims")
        .help("Verify that blocks trimmed by `trim_percentage` contain zeros."),
    noted("trim_backlog", Kind::Text, "", "job-noted-no-trims")
        .help("Number of blocks between trims by `trim_percentage`."),
    noted("trim_backlog_batch", Kind::Text, "", "job-noted-no-trims").help("Number of blocks to trim in one batch."),
];
