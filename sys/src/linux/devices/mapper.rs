//! Device-mapper tables: the mapping from sectors of a mapped device to sectors of the devices below.

use crate::common::MappedPiece;
use crate::unix::check;
use std::fs::OpenOptions;
use std::io;
use std::os::fd::AsRawFd;

/// Size of `struct dm_ioctl` of linux/dm-ioctl.h, in bytes.
const HEAD: usize = 312;
/// Size of `struct dm_target_spec`, in bytes.
const SPEC: usize = 40;
/// `_IOWR(0xfd, 12, struct dm_ioctl)`: DM_TABLE_STATUS.
const DM_TABLE_STATUS: libc::Ioctl = 0xC138_FD0C_u32 as libc::Ioctl;
/// Return the table instead of the status (DM_STATUS_TABLE_FLAG), without flushing first (DM_NOFLUSH_FLAG).
const FLAGS: u32 = 1 << 4 | 1 << 11;
/// Make the kernel wipe its own copy (DM_SECURE_DATA_FLAG): the table of an encrypted device may contain its key.
const SECURE: u32 = 1 << 15;
/// The buffer was too small (DM_BUFFER_FULL_FLAG).
const FULL: u32 = 1 << 8;
/// Maximum size of a table in bytes: about ten thousand pieces.
const LARGEST: usize = 4 << 20;

/// Reads the table of a mapped device.
///
/// # Errors
/// As the ioctl: `ENXIO` for a device that is not mapped, `ENOENT` if the kernel has no device mapper, `EACCES` without
/// root privileges; `InvalidData` if the answer cannot be parsed.
pub fn mapped_pieces(dev: (u32, u32)) -> io::Result<Vec<MappedPiece>> {
    let control = OpenOptions::new().read(true).write(true).open("/dev/mapper/control")?;
    let mut size = 16 << 10;
    loop {
        let mut buffer = request(dev, size);
        // SAFETY: the kernel reads the header and writes at most `data_size` bytes, the length of the buffer, which
        // lives until the call returns.
        check(unsafe { libc::ioctl(control.as_raw_fd(), DM_TABLE_STATUS, buffer.as_mut_ptr()) })?;
        let full = u32_at(&buffer, 28).is_some_and(|flags| flags & FULL != 0);
        let pieces = if full { None } else { pieces(&buffer) };
        buffer.fill(0);
        // Keeps the compiler from removing the overwrite: the buffer may have contained a key.
        std::hint::black_box(&buffer);
        match pieces {
            Some(pieces) => return Ok(pieces),
            None if full && size < LARGEST => size *= 4,
            None => return Err(io::Error::new(io::ErrorKind::InvalidData, "the table has an unknown format")),
        }
    }
}

/// Returns a `struct dm_ioctl` for a device, given by its number, followed by room for the answer.
fn request((major, minor): (u32, u32), size: usize) -> Vec<u8> {
    let mut buffer = vec![0; size];
    let mut put = |at: usize, bytes: &[u8]| buffer[at..at + bytes.len()].copy_from_slice(bytes);
    // Version of the interface, then the offset of the answer.
    put(0, &4u32.to_ne_bytes());
    put(12, &(size as u32).to_ne_bytes());
    put(16, &(HEAD as u32).to_ne_bytes());
    put(28, &(FLAGS | SECURE).to_ne_bytes());
    // Encoded like huge_encode_dev of linux/kdev_t.h.
    let number = (minor & 0xff) | (major << 8) | ((minor & !0xff) << 12);
    put(40, &u64::from(number).to_ne_bytes());
    buffer
}

/// Parses the pieces of an answer; `None` if it is invalid.
fn pieces(answer: &[u8]) -> Option<Vec<MappedPiece>> {
    let data = answer.get(u32_at(answer, 16)? as usize..)?;
    let (count, mut at) = (u32_at(answer, 20)?, 0usize);
    let mut pieces = Vec::new();
    for _ in 0..count {
        let spec = data.get(at..at + SPEC)?;
        let words = text(data.get(at + SPEC..)?)?;
        let target = text(&spec[24..])?;
        pieces.push(MappedPiece {
            start: u64_at(spec, 0)?,
            length: u64_at(spec, 8)?,
            below: below(target, words),
            target: target.to_owned(),
        });
        let next = u32_at(spec, 20)? as usize;
        // Offsets count from the first entry and increase.
        if next <= at && pieces.len() < count as usize {
            return None;
        }
        at = next;
    }
    Some(pieces)
}

/// Returns the device and first sector of a target that stores its sectors contiguously. Arguments of `linear`: device,
/// first sector; of `crypt`: cipher, key, IV offset, device, first sector (Documentation/admin-guide/device-mapper).
fn below(target: &str, words: &str) -> Option<((u32, u32), u64)> {
    let skip = match target {
        "linear" => 0,
        "crypt" => 3,
        _ => return None,
    };
    let mut words = words.split(' ').filter(|w| !w.is_empty()).skip(skip);
    Some((crate::devices::parse_dev(words.next()?)?, words.next()?.parse().ok()?))
}

/// Returns the text up to its terminating zero byte.
fn text(bytes: &[u8]) -> Option<&str> {
    let end = bytes.iter().position(|b| *b == 0)?;
    std::str::from_utf8(&bytes[..end]).ok()
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_ne_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}

fn u64_at(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_ne_bytes(bytes.get(at..at + 8)?.try_into().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Returns an answer in the format of retrieve_status of drivers/md/dm-ioctl.c.
    fn answer(table: &[(u64, u64, &str, &str)]) -> Vec<u8> {
        let mut answer = request((253, 0), HEAD);
        answer[20..24].copy_from_slice(&(table.len() as u32).to_ne_bytes());
        let mut next = 0usize;
        for (start, length, target, words) in table {
            // Aligned to 8 bytes, with a zero after the words.
            next += SPEC + (words.len() + 1).next_multiple_of(8);
            let mut name = [0u8; 16];
            name[..target.len()].copy_from_slice(target.as_bytes());
            answer.extend([start.to_ne_bytes(), length.to_ne_bytes()].concat());
            answer.extend([0u32.to_ne_bytes(), (next as u32).to_ne_bytes()].concat());
            answer.extend(name);
            answer.extend(words.as_bytes());
            answer.resize(HEAD + next, 0);
        }
        answer
    }

    #[test]
    fn pieces_lie_where_the_table_says() {
        let table = [
            (0, 2048, "linear", "8:2 4096"),
            (2048, 1000, "crypt", "aes-xts-plain64 :64:logon:key 0 259:1 32768 1 allow_discards"),
            (3048, 10, "striped", "2 128 8:0 0 8:16 0"),
        ];
        let pieces = pieces(&answer(&table)).expect("an answer");
        let parsed: Vec<_> = pieces.iter().map(|p| (p.start, p.length, p.target.as_str(), p.below)).collect();
        assert_eq!(
            parsed,
            [
                (0, 2048, "linear", Some(((8, 2), 4096))),
                (2048, 1000, "crypt", Some(((259, 1), 32768))),
                (3048, 10, "striped", None),
            ]
        );
    }

    #[test]
    fn a_device_is_asked_for_by_its_number() {
        let request = request((253, 300), HEAD);
        assert_eq!(u64_at(&request, 40), Some(0x10_FD2C));
        assert_eq!((u32_at(&request, 0), u32_at(&request, 16)), (Some(4), Some(312)));
    }

    proptest! {
        #[test]
        fn no_answer_makes_it_panic(at in 0usize..500, bytes in prop::collection::vec(any::<u8>(), 0..40)) {
            let mut answer = answer(&[(0, 8, "linear", "8:2 4096"), (8, 8, "linear", "8:3 0")]);
            let end = (at + bytes.len()).min(answer.len());
            let at = at.min(end);
            answer[at..end].copy_from_slice(&bytes[..end - at]);
            let _ = pieces(&answer);
        }
    }
}
