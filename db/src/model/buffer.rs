//! Memory that direct I/O takes.

use std::ops::{Deref, DerefMut};

/// What direct I/O must be aligned to at most, in memory and in files.
pub(super) const ALIGN: usize = 4096;

/// So many bytes that begin at a multiple of [`ALIGN`], zeros at first.
#[derive(Debug, Default)]
pub(super) struct AlignedBuffer {
    room: Vec<u8>,
    skip: usize,
    len: usize,
}

impl AlignedBuffer {
    pub fn new(len: usize) -> Self {
        let room = vec![0; len + ALIGN];
        let skip = room.as_ptr().align_offset(ALIGN).min(ALIGN);
        AlignedBuffer { room, skip, len }
    }
}

impl Deref for AlignedBuffer {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.room[self.skip..self.skip + self.len]
    }
}

impl DerefMut for AlignedBuffer {
    fn deref_mut(&mut self) -> &mut [u8] {
        &mut self.room[self.skip..self.skip + self.len]
    }
}

/// Bytes that no device makes smaller, the same for the same seed.
pub(super) fn fill_incompressible(bytes: &mut [u8], seed: u64) {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    for part in bytes.chunks_mut(8) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        let word = state.to_le_bytes();
        part.copy_from_slice(&word[..part.len()]);
    }
}
