//! Numbers of any size in few bytes, and bit streams.

/// Encodes a signed difference so that small values of either sign become small numbers.
pub(crate) const fn zigzag(difference: u64) -> u64 {
    (difference << 1) ^ ((difference as i64 >> 63) as u64)
}

/// Decodes the result of [`zigzag`].
pub(crate) const fn unzigzag(number: u64) -> u64 {
    (number >> 1) ^ (number & 1).wrapping_neg()
}

/// Appends a number in LEB128: seven bits per byte, the lowest first; the highest bit is set if more bytes follow.
pub(crate) fn put(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// Reads a number written by [`put`]; `None` if it is truncated or too large.
pub(crate) fn take(from: &mut &[u8]) -> Option<u64> {
    let mut number = 0u64;
    for shift in (0..64).step_by(7) {
        let next = byte(from)?;
        let bits = u64::from(next & 0x7f);
        if shift == 63 && bits > 1 {
            return None;
        }
        number |= bits << shift;
        if next < 0x80 {
            return Some(number);
        }
    }
    None
}

/// Reads the next byte.
pub(crate) fn byte(from: &mut &[u8]) -> Option<u8> {
    let (first, rest) = from.split_first()?;
    *from = rest;
    Some(*first)
}

/// Reads a length and that many bytes.
pub(crate) fn part<'a>(from: &mut &'a [u8]) -> Option<&'a [u8]> {
    let length = usize::try_from(take(from)?).ok()?;
    let (bytes, rest) = from.split_at_checked(length)?;
    *from = rest;
    Some(bytes)
}

/// Number of bits, directly below the highest set bit, that are part of a number's approximate size.
const FINE: u32 = 2;

/// Splits a number into its approximate size (at most 251), the remaining low bits, and the number of these bits.
pub(crate) const fn split(number: u64) -> (u8, u64, u32) {
    if number < 1 << (FINE + 1) {
        return (number as u8, 0, 0);
    }
    let rest = number.ilog2() - FINE;
    (((rest << FINE) as u64 + (number >> rest)) as u8, number & ((1 << rest) - 1), rest)
}

/// Rebuilds the number with this approximate size. Reads its remaining low bits from `bits`.
pub(crate) fn join(size: u8, bits: &mut BitReader<'_>) -> Option<u64> {
    let size = u64::from(size);
    if size < 1 << (FINE + 1) {
        return Some(size);
    }
    let rest = (size >> FINE) as u32 - 1;
    let high = size - (u64::from(rest) << FINE);
    (rest + FINE < 64).then_some(())?;
    Some((high << rest) | bits.take(rest)?)
}

/// Writer of a bit stream, with the lowest bit of each number first.
#[derive(Debug, Default)]
pub(crate) struct BitWriter {
    out: Vec<u8>,
    held: u64,
    count: u32,
}

impl BitWriter {
    /// Appends the lowest `count` bits of a number that has no higher bits set.
    pub fn put(&mut self, number: u64, count: u32) {
        self.held |= number << self.count;
        if self.count + count < 64 {
            self.count += count;
            return;
        }
        self.out.extend(self.held.to_le_bytes());
        let gone = 64 - self.count;
        self.held = if gone < 64 { number >> gone } else { 0 };
        self.count = count - gone;
    }

    /// Returns all bits; the last byte is padded with zeros.
    pub fn finish(mut self) -> Vec<u8> {
        let left = self.count.div_ceil(8) as usize;
        self.out.extend(&self.held.to_le_bytes()[..left]);
        self.out
    }
}

/// Reader of a bit stream written by [`BitWriter`].
#[derive(Debug)]
pub(crate) struct BitReader<'a> {
    from: &'a [u8],
    /// Number of bits read.
    at: usize,
}

impl<'a> BitReader<'a> {
    pub const fn new(from: &'a [u8]) -> Self {
        BitReader { from, at: 0 }
    }

    /// Reads the next `count` bits, fewer than 64; `None` if there are not enough.
    pub fn take(&mut self, count: u32) -> Option<u64> {
        let end = self.at.checked_add(count as usize).filter(|end| *end <= self.from.len() * 8)?;
        let mut wide = [0; 16];
        let bytes = &self.from[self.at / 8..end.div_ceil(8)];
        wide[..bytes.len()].copy_from_slice(bytes);
        let number = (u128::from_le_bytes(wide) >> (self.at % 8)) as u64 & ((1u64 << count) - 1);
        self.at = end;
        Some(number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn numbers_come_back(numbers in prop::collection::vec((any::<u64>(), 0u32..64).prop_map(|(n, shift)| n >> shift), 0..60)) {
            let (mut bytes, mut sizes, mut bits) = (Vec::new(), Vec::new(), BitWriter::default());
            for number in &numbers {
                put(&mut bytes, *number);
                let (size, rest, count) = split(*number);
                prop_assert!(size <= 251);
                sizes.push(size);
                bits.put(rest, count);
                prop_assert_eq!(unzigzag(zigzag(*number)), *number);
            }
            let mut from = bytes.as_slice();
            let packed = bits.finish();
            let mut bits = BitReader::new(&packed);
            for (number, size) in numbers.iter().zip(sizes) {
                prop_assert_eq!(take(&mut from), Some(*number));
                prop_assert_eq!(join(size, &mut bits), Some(*number));
            }
        }

        #[test]
        fn no_size_and_no_bits_panic(size in any::<u8>(), bytes in prop::collection::vec(any::<u8>(), 0..12)) {
            let _ = join(size, &mut BitReader::new(&bytes));
        }
    }
}
