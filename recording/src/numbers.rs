//! Numbers of any size in few bytes, and bits.

/// A difference, so that small ones of either sign are small numbers.
pub(crate) const fn zigzag(difference: u64) -> u64 {
    (difference << 1) ^ ((difference as i64 >> 63) as u64)
}

/// The difference again.
pub(crate) const fn unzigzag(number: u64) -> u64 {
    (number >> 1) ^ (number & 1).wrapping_neg()
}

/// Seven bits a byte, the lowest first; the highest bit says that more follow (LEB128).
pub(crate) fn put(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// What [`put`] wrote; `None` where it is cut short, or larger than a number may be.
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

/// The next byte.
pub(crate) fn byte(from: &mut &[u8]) -> Option<u8> {
    let (first, rest) = from.split_first()?;
    *from = rest;
    Some(*first)
}

/// As many bytes as the number before them says.
pub(crate) fn part<'a>(from: &mut &'a [u8]) -> Option<&'a [u8]> {
    let length = usize::try_from(take(from)?).ok()?;
    let (own, rest) = from.split_at_checked(length)?;
    *from = rest;
    Some(own)
}

/// Bits behind the highest one that belong to a number's size.
const FINE: u32 = 2;

/// How large a number is, roughly (at most 251), and what is left of it, in so many bits.
pub(crate) const fn split(number: u64) -> (u8, u64, u32) {
    if number < 1 << (FINE + 1) {
        return (number as u8, 0, 0);
    }
    let rest = number.ilog2() - FINE;
    (((rest << FINE) as u64 + (number >> rest)) as u8, number & ((1 << rest) - 1), rest)
}

/// The number of this size, its rest taken from `bits`.
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

/// Bits one behind the other, the lowest of each number first.
#[derive(Debug, Default)]
pub(crate) struct BitWriter {
    out: Vec<u8>,
    held: u64,
    count: u32,
}

impl BitWriter {
    /// The lowest `count` bits of a number that has no others.
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

    /// All of them; the last byte is filled up with nothing.
    pub fn finish(mut self) -> Vec<u8> {
        let left = self.count.div_ceil(8) as usize;
        self.out.extend(&self.held.to_le_bytes()[..left]);
        self.out
    }
}

/// Reads what a [`BitWriter`] wrote.
#[derive(Debug)]
pub(crate) struct BitReader<'a> {
    from: &'a [u8],
    /// Bits read.
    at: usize,
}

impl<'a> BitReader<'a> {
    pub const fn new(from: &'a [u8]) -> Self {
        BitReader { from, at: 0 }
    }

    /// The next `count` bits, less than 64 of them; `None` where there are not as many.
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
