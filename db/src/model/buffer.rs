//! Aligned memory for direct I/O.

use std::ops::{Deref, DerefMut};

/// Maximum alignment that direct I/O needs in memory and in files, in bytes.
pub(super) const ALIGN: usize = 4096;

/// Buffer that begins at a multiple of [`ALIGN`]. It is initially filled with zeros.
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

/// Fills a buffer with incompressible bytes, which depend only on the seed.
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
