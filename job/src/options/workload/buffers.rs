//! Contents of written data, and buffer options.

use crate::options::{Context, JobOptions, OptionSpec, Setter::Job, noted, option, put};
use crate::value::{Kind, Value, words};
use crate::value_error::ValueError;
use crate::{text, units};
use model::Bytes;
use std::path::PathBuf;

/// Options for the contents of written data, and for memory.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct BufferOptions {
    /// Amount of memory that is pinned while the job runs, in bytes.
    pub lockmem: Bytes,
    /// True if only zeros are written.
    pub zero: bool,
    /// True if each operation gets new contents.
    pub refill: bool,
    /// True if each operation changes a small part of the contents.
    pub scramble: bool,
    /// Pattern that fills the buffers repeatedly.
    pub pattern: Option<Pattern>,
    /// Percentage of each chunk that compression removes.
    pub compress_percentage: Option<u8>,
    /// Size of the chunks to which `compress_percentage` applies; 0 = the block size.
    pub compress_chunk: Bytes,
    /// Percentage of blocks that repeat earlier blocks.
    pub dedupe_percentage: Option<u8>,
    /// Source of repeated blocks.
    pub dedupe_mode: DedupeMode,
    /// Percentage of the file that forms the set of blocks to repeat.
    pub dedupe_working_set: u8,
    /// True if repeated blocks come from a set shared by all jobs with this option.
    pub dedupe_global: bool,
}

words! {
    /// Source of repeated blocks.
    DedupeMode, default Repeat {
        Repeat = "repeat": "the most recent new block",
        WorkingSet = "working_set": "a block from the working set",
    }
}

/// Pattern of consecutive parts that fills a buffer repeatedly.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pattern(pub Vec<PatternPart>);

/// Part of a pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PatternPart {
    /// Literal bytes.
    Bytes(Vec<u8>),
    /// Contents of a file, read when the job is prepared.
    File(PathBuf),
    /// Byte offset of the write, as 8 bytes in little-endian order (`%o`).
    Offset,
}

impl Pattern {
    /// Returns the bytes of the pattern, or `None` if a part of it is known only at run time.
    #[must_use]
    pub fn fixed(&self) -> Option<Vec<u8>> {
        let mut bytes_of_parts = Vec::new();
        for part in &self.0 {
            match part {
                PatternPart::Bytes(bytes) => bytes_of_parts.extend_from_slice(bytes),
                PatternPart::File(_) | PatternPart::Offset => return None,
            }
        }
        Some(bytes_of_parts)
    }
}

/// Maximum length of a pattern in bytes (fio's `MAX_PATTERN_SIZE`).
const MOST_BYTES: usize = 128 << 10;

/// Parses a pattern: a sequence of `0xdeadface`, `-12`, `"text"`, `'file'` and, if offsets are allowed, `%o`.
///
/// # Errors
/// Returns an error if a part has none of these forms. The error lists the allowed forms.
pub(crate) fn read_pattern(given: &str, offsets: bool) -> Result<Pattern, ValueError> {
    let mut parts = Vec::new();
    let mut total = 0;
    let mut rest = given.trim();
    if rest.is_empty() {
        return Err("the pattern is empty".into());
    }
    while !rest.is_empty() {
        let (part, left) = pattern_part(rest, offsets)?;
        if let PatternPart::Bytes(bytes) = &part {
            total += bytes.len();
        }
        if total > MOST_BYTES {
            return Err("the pattern is longer than 128 KiB".into());
        }
        parts.push(part);
        rest = left;
    }
    Ok(Pattern(parts))
}

fn pattern_part(rest: &str, offsets: bool) -> Result<(PatternPart, &str), ValueError> {
    for (quote, file) in [('"', false), ('\'', true)] {
        if let Some(body) = rest.strip_prefix(quote) {
            let (inside, left) = body
                .split_once(quote)
                .ok_or_else(|| ValueError::within(rest, format!("a closing {quote} is missing")))?;
            if inside.is_empty() {
                return Err(ValueError::within(rest, "nothing between the quotes"));
            }
            let part = if file {
                PatternPart::File(text::to_path(inside))
            } else {
                PatternPart::Bytes(text::to_bytes(inside))
            };
            return Ok((part, left));
        }
    }
    if let Some(left) = rest.strip_prefix("%o") {
        if offsets {
            return Ok((PatternPart::Offset, left));
        }
        return Err("`%o` is for verify_pattern only".into());
    }
    if let Some(hex) = rest.strip_prefix("0x").or_else(|| rest.strip_prefix("0X")) {
        let end = hex.find(|c: char| !c.is_ascii_hexdigit()).unwrap_or(hex.len());
        if end == 0 {
            return Err(ValueError::within(rest, "hexadecimal digits are missing"));
        }
        return Ok((PatternPart::Bytes(hex_bytes(&hex[..end])), &hex[end..]));
    }
    let body = rest.strip_prefix('-').unwrap_or(rest);
    let mut digits = body.find(|c: char| !c.is_ascii_digit()).unwrap_or(body.len());
    // In `-120xdeadface`, the 0 belongs to the hexadecimal number.
    if digits > 1 && body[..digits].ends_with('0') && body[digits..].starts_with(['x', 'X']) {
        digits -= 1;
    }
    if digits == 0 {
        return Err(ValueError::form(rest, "not a pattern: 0x..., a number, \"text\" or 'file'"));
    }
    let end = rest.len() - body.len() + digits;
    let value: i32 = rest[..end].parse().map_err(|_| ValueError::form(&rest[..end], "beyond 32 bits"))?;
    // As in fio 3.33, a number has 32 bits and is stored in little-endian order, without leading zero bytes.
    let used = 4 - (value.leading_zeros() as usize / 8).min(3);
    let bytes = value.to_le_bytes()[..used].to_vec();
    Ok((PatternPart::Bytes(bytes), &rest[end..]))
}

/// Converts pairs of digits to bytes, in the order in which they are written. If the number of digits is odd, the first
/// digit forms its own byte.
fn hex_bytes(digits: &str) -> Vec<u8> {
    let value = |b: u8| (b as char).to_digit(16).unwrap_or(0) as u8;
    let raw = digits.as_bytes();
    let odd = raw.len() % 2;
    let mut bytes = Vec::with_capacity(raw.len() / 2 + 1);
    if odd == 1 {
        bytes.push(value(raw[0]));
    }
    bytes.extend(raw[odd..].chunks_exact(2).map(|pair| value(pair[0]) << 4 | value(pair[1])));
    bytes
}

fn set_pattern(job: &mut JobOptions, value: Value, _: &mut Context<'_>) -> Result<(), ValueError> {
    if let Value::Text(given) = value {
        job.buffers.pattern = Some(read_pattern(&given, false)?);
        // As in fio, a pattern turns off scrambling and refilling.
        job.buffers.scramble = false;
        job.buffers.refill = false;
    }
    Ok(())
}

fn set_compress(job: &mut JobOptions, value: Value, _: &mut Context<'_>) -> Result<(), ValueError> {
    if let Value::Int(percent) = value {
        job.buffers.compress_percentage = Some(percent.clamp(0, 100) as u8);
        job.buffers.refill = true;
    }
    Ok(())
}

fn set_dedupe(job: &mut JobOptions, value: Value, _: &mut Context<'_>) -> Result<(), ValueError> {
    if let Value::Int(percent) = value {
        job.buffers.dedupe_percentage = Some(percent.clamp(0, 100) as u8);
        job.buffers.refill = true;
    }
    Ok(())
}

fn set_lockmem(job: &mut JobOptions, value: Value, ctx: &mut Context<'_>) -> Result<(), ValueError> {
    if let Value::Text(given) = value {
        job.buffers.lockmem = units::size(&given, ctx.units)?;
    }
    Ok(())
}

const ALIGNED: &str = "job-noted-buffers";

pub(in crate::options) const OPTIONS: &[OptionSpec] = &[
    option("zero_buffers", Kind::Flag, "0", put!(buffers.zero))
        .help("Write only zeros. Many devices and cloud volumes do not store zeros."),
    option("refill_buffers", Kind::Flag, "0", put!(buffers.refill))
        .help("Generate new contents for every write instead of reusing a buffer's contents."),
    option("scramble_buffers", Kind::Bool, "1", put!(buffers.scramble))
        .help("Change a small part of each buffer before every write, which defeats simple deduplication."),
    option(
        "buffer_pattern",
        Kind::Form("0x... (hexadecimal), number, \"text\", 'file', or a sequence of these"),
        "",
        Job(set_pattern),
    )
    .help("Fill buffers with repetitions of this pattern."),
    option("buffer_compress_percentage", Kind::PERCENT, "", Job(set_compress))
        .help("Approximate percentage by which the data can be compressed. Implies `refill_buffers`."),
    option("buffer_compress_chunk", Kind::Size { min: 0, max: 1 << 30 }, "512", put!(buffers.compress_chunk))
        .help("Size of each chunk with a random part followed by a compressible part; 0 = the block size."),
    option("dedupe_percentage", Kind::PERCENT, "", Job(set_dedupe))
        .help("Percentage of written blocks that are duplicates of earlier blocks. Implies `refill_buffers`."),
    option("dedupe_mode", Kind::words(DedupeMode::WORDS), "repeat", put!(buffers.dedupe_mode))
        .help("Source of duplicate blocks."),
    option("dedupe_working_set_percentage", Kind::PERCENT, "5", put!(buffers.dedupe_working_set))
        .help("With `dedupe_mode=working_set`, percentage of `size` that forms the set of blocks to duplicate."),
    option("dedupe_global", Kind::Bool, "0", put!(buffers.dedupe_global))
        .help("With `dedupe_mode=working_set`, duplicate blocks from one set that all jobs with this option share."),
    noted("mem", Kind::Text, "malloc", ALIGNED)
        .alias(&["iomem"])
        .help("In fio: type of memory for buffers: malloc, shm, shmhuge, mmap, mmapshared, mmaphuge."),
    noted("mem_align", Kind::Size { min: 0, max: 1 << 30 }, "", ALIGNED)
        .alias(&["iomem_align"])
        .help("In fio: alignment of the first buffer."),
    noted("hugepage-size", Kind::Size { min: 0, max: 1 << 40 }, "2097152", ALIGNED)
        .help("In fio: size of a huge page."),
    option("lockmem", Kind::Form("size"), "0", Job(set_lockmem))
        .help("Memory that each job locks while it runs, so that less is left for the page cache."),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_are_bytes_in_the_order_written() {
        let bytes = |t: &str| read_pattern(t, false).map(|p| p.fixed());
        assert_eq!(bytes("0xdeadface"), Ok(Some(vec![0xde, 0xad, 0xfa, 0xce])));
        assert_eq!(bytes("0xabc"), Ok(Some(vec![0x0a, 0xbc])));
        assert_eq!(bytes("\"abcd\""), Ok(Some(b"abcd".to_vec())));
        let mixed = [b"abcd".as_slice(), &[0xf4, 0xff, 0xff, 0xff, 0xde, 0xad, 0xfa, 0xce]].concat();
        assert_eq!(bytes("\"abcd\"-120xdeadface"), Ok(Some(mixed)));
        let numbers: [(&str, &[u8]); 6] = [
            ("-12", &[0xf4, 0xff, 0xff, 0xff]),
            ("0", &[0]),
            ("200", &[200]),
            ("256", &[0, 1]),
            ("70000", &[0x70, 0x11, 1]),
            ("-2147483648", &[0, 0, 0, 0x80]),
        ];
        for (number, expected) in numbers {
            assert_eq!(bytes(number), Ok(Some(expected.to_vec())), "{number}");
        }
        assert!(bytes("2147483648").unwrap_err().to_string().contains("32 bits"));
        assert_eq!(bytes("0xdeadface\"abcd\"-12'filename'"), Ok(None));
        assert!(bytes("\"abcd").is_err());
        assert!(bytes("nonsense").unwrap_err().to_string().contains("not a pattern"));
        assert!(bytes("%o").is_err());
    }
}
