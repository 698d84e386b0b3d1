//! Log lines as samples: the data that fio 3.33 compresses for `log_store_compressed`, byte for byte.
//!
//! | at | bytes | content |
//! |---|---|---|
//! | 0 | 8 | time, in ms |
//! | 8 | 8 | value |
//! | 16 | 4 | direction; bit 31: has an offset, bit 30: has the full priority |
//! | 20 | 2 | priority, as in `ioprio_set(2)` |
//! | 22 | 2 | unused |
//! | 24 | 8 | size |
//! | 32 | 8 | offset, if present |
//!
//! Numbers are little-endian, as on every machine whose fio logs we have seen. Later versions of fio use different
//! samples.

use std::fmt::Write;

const HAS_OFFSET: u32 = 1 << 31;
const WHOLE_PRIORITY: u32 = 1 << 30;
/// Size of a sample without an offset, in bytes.
const SAMPLE: usize = 32;
/// Real-time class; by default lines report only whether a priority is in this class.
const REAL_TIME: u16 = 1 << 13;

/// Appends the samples of complete lines: `time, value, direction, size[, offset], priority`. Other lines are skipped.
pub fn pack(lines: &str, out: &mut Vec<u8>) {
    lines.lines().for_each(|line| {
        let _ = pack_line(line, out);
    });
}

fn pack_line(line: &str, out: &mut Vec<u8>) -> Option<()> {
    let fields: Vec<&str> = line.split(", ").collect();
    let number = |i: usize| fields.get(i)?.parse::<u64>().ok();
    let (offset, last) = match fields.len() {
        5 => (None, 4),
        6 => (Some(number(4)?), 5),
        _ => return None,
    };
    let (priority, whole) = match fields[last].strip_prefix("0x") {
        Some(hexadecimal) => (u16::from_str_radix(hexadecimal, 16).ok()?, WHOLE_PRIORITY),
        None => (if number(last)? == 0 { 0 } else { REAL_TIME }, 0),
    };
    let way = u32::try_from(number(2)?).ok()? | whole | if offset.is_some() { HAS_OFFSET } else { 0 };
    let (time, value, size) = (number(0)?, number(1)?, number(3)?);
    out.extend(time.to_le_bytes());
    out.extend(value.to_le_bytes());
    out.extend(way.to_le_bytes());
    out.extend(priority.to_le_bytes());
    out.extend([0; 2]);
    out.extend(size.to_le_bytes());
    out.extend(offset.into_iter().flat_map(u64::to_le_bytes));
    Some(())
}

/// Appends the lines of the complete samples at the beginning of `bytes`, and returns their length in bytes.
pub fn unpack(bytes: &[u8], out: &mut String) -> usize {
    let mut at = 0;
    while let Some((line, length)) = line_of(&bytes[at..]) {
        out.push_str(&line);
        at += length;
    }
    at
}

fn line_of(bytes: &[u8]) -> Option<(String, usize)> {
    let number = |at: usize| Some(u64::from_le_bytes(bytes.get(at..at + 8)?.try_into().ok()?));
    let (time, value, size) = (number(0)?, number(8)?, number(24)?);
    let way = u32::from_le_bytes(bytes[16..20].try_into().ok()?);
    let priority = u16::from_le_bytes(bytes[20..22].try_into().ok()?);
    // fio prints values as signed numbers.
    let mut line = format!("{time}, {}, {}, {size}, ", value.cast_signed(), way & !(HAS_OFFSET | WHOLE_PRIORITY));
    let mut length = SAMPLE;
    if way & HAS_OFFSET != 0 {
        let _ = write!(line, "{}, ", number(SAMPLE)?);
        length += 8;
    }
    let _ = match way & WHOLE_PRIORITY {
        0 => writeln!(line, "{}", u16::from(priority >> 13 == 1)),
        _ => writeln!(line, "0x{priority:04x}"),
    };
    Some((line, length))
}

/// Returns `true` if decompressed data contains samples rather than text: the high bytes of a time are zero, and text
/// contains no zero bytes.
#[must_use]
pub fn are_samples(begin: &[u8]) -> bool {
    begin.get(6..8).is_some_and(|high| high == [0, 0])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_every_form_come_back_as_they_were() {
        for lines in [
            "0, 1234, 0, 4096, 0\n7, 12, 1, 512, 1\n",
            "0, 1234, 0, 4096, 8192, 0\n7, 12, 1, 512, 18446744073709551615, 1\n",
            "1000, 10735078, 2, 4096, 0x6004\n",
            "1767225600123, 10735078, 2, 4096, 4096, 0x2000\n",
        ] {
            let mut bytes = Vec::new();
            pack(lines, &mut bytes);
            assert!(are_samples(&bytes) && !are_samples(lines.as_bytes()));
            // An incomplete sample is left until the rest arrives.
            let mut text = String::new();
            let cut = bytes.len() - 3;
            let taken = unpack(&bytes[..cut], &mut text);
            unpack(&bytes[taken..], &mut text);
            assert_eq!(text, lines);
        }
    }

    #[test]
    fn a_sample_is_laid_out_as_fios() {
        let mut bytes = Vec::new();
        pack("3, 65535, 1, 4096, 131072, 0x2001\n", &mut bytes);
        assert_eq!(bytes.len(), 40);
        assert_eq!(bytes[16..24], [1, 0, 0, 0xc0, 1, 0x20, 0, 0]);
        bytes.clear();
        pack("1, 2, 3\nprose\n", &mut bytes);
        assert!(bytes.is_empty());
    }
}
