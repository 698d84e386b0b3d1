//! Contents of write buffers other than secchi's own blocks: the kinds that fio offers, selected before the load.
//!
//! Compressibility follows fio: the first part of every chunk is random and the rest is zeros (or the pattern), so that
//! the requested share compresses. Chunks are also repeated as in fio. With the requested probability, a chunk is
//! generated from the seed of the previous chunk, or from one of a set of seeds.

use crate::random::{Random, mix};
use model::plan::{Contents, Filling};

/// Generator of buffer contents, selected before the load. It costs one virtual call per write.
pub trait Filler: Send {
    /// Fills the buffer once, before the load begins.
    fn fill(&mut self, buffer: &mut [u8]);
    /// Changes the buffer before it is written to offset `at` of file `file`.
    fn stamp(&mut self, buffer: &mut [u8], at: u64, file: u16);
}

/// Size of the units that scrambling changes, in bytes: the smallest block of a device.
const SECTOR: usize = 512;

/// Returns `true` if the contents are partly compressible or partly repeated.
#[must_use]
pub fn is_shaped(contents: &Contents) -> bool {
    contents.compress_percent > 0 || contents.dedupe_percent > 0
}

/// Properties of the load that a filler depends on.
#[derive(Debug, Clone, Copy)]
pub struct Frame {
    /// Smallest write, in bytes: the granularity of repeats.
    pub block: u64,
    /// Largest write, in bytes.
    pub max_block: u64,
    /// Size of the target, in bytes. The working set of repeats is a share of the target.
    pub size: u64,
    /// True if reads use the same buffers, so that constant contents have to be restored before each write.
    pub mixed: bool,
    /// Random seed, different for each worker.
    pub seed: u64,
}

/// Returns the filler for this specification.
#[must_use]
pub fn filler(contents: &Contents, frame: Frame) -> Box<dyn Filler> {
    let random = Random::new(mix(frame.seed ^ 0xF111));
    let pattern = match &contents.kind {
        Filling::Pattern(bytes) if !bytes.is_empty() => bytes.clone(),
        _ => vec![0],
    };
    if is_shaped(contents) {
        return Box::new(Shaped::new(contents, frame, pattern));
    }
    let whole = frame.max_block as usize;
    match contents.kind {
        Filling::Unique | Filling::Refilled => Box::new(Refilled(random)),
        Filling::Zero | Filling::Pattern(_) => {
            let mut template = vec![0; whole];
            repeat(&mut template, &pattern);
            Box::new(Constant { template, restores: frame.mixed })
        }
        Filling::Fixed => Box::new(Constant { template: noise(whole, random), restores: frame.mixed }),
        Filling::Scrambled if frame.mixed => {
            let mut random = random;
            let numbers = Random::new(random.next());
            Box::new(Scrambled::<true> { template: noise(whole, random), numbers, writes: 0 })
        }
        Filling::Scrambled => {
            let mut random = random;
            let numbers = Random::new(random.next());
            Box::new(Scrambled::<false> { template: noise(whole, random), numbers, writes: 0 })
        }
    }
}

/// Fills the buffer with random bytes.
pub(crate) fn randomize(buffer: &mut [u8], random: &mut Random) {
    let mut words = buffer.chunks_exact_mut(8);
    for word in &mut words {
        word.copy_from_slice(&random.next().to_le_bytes());
    }
    let last = random.next().to_le_bytes();
    let rest = words.into_remainder();
    let n = rest.len();
    rest.copy_from_slice(&last[..n]);
}

/// Fills the buffer with repetitions of the pattern, beginning with its first byte.
pub(crate) fn repeat(buffer: &mut [u8], pattern: &[u8]) {
    if let [byte] = pattern {
        buffer.fill(*byte);
        return;
    }
    for part in buffer.chunks_mut(pattern.len()) {
        part.copy_from_slice(&pattern[..part.len()]);
    }
}

fn noise(len: usize, mut random: Random) -> Vec<u8> {
    let mut bytes = vec![0; len];
    randomize(&mut bytes, &mut random);
    bytes
}

/// Filler that fills the buffer with new random bytes before each write.
struct Refilled(Random);

impl Filler for Refilled {
    fn fill(&mut self, buffer: &mut [u8]) {
        randomize(buffer, &mut self.0);
    }

    fn stamp(&mut self, buffer: &mut [u8], _at: u64, _file: u16) {
        randomize(buffer, &mut self.0);
    }
}

/// Filler with the same contents in every write.
struct Constant {
    template: Vec<u8>,
    restores: bool,
}

impl Filler for Constant {
    fn fill(&mut self, buffer: &mut [u8]) {
        let n = buffer.len().min(self.template.len());
        buffer[..n].copy_from_slice(&self.template[..n]);
    }

    fn stamp(&mut self, buffer: &mut [u8], _at: u64, _file: u16) {
        if self.restores {
            let n = buffer.len();
            buffer.copy_from_slice(&self.template[..n]);
        }
    }
}

/// Filler with random contents. Before each write, it stores the offset of each sector in one of the sector's eight
/// cache lines. At the end of the first cache line, it stores the number of the write (fio's `small_content_scramble`
/// stores the time instead).
struct Scrambled<const RESTORES: bool> {
    template: Vec<u8>,
    numbers: Random,
    writes: u64,
}

impl<const RESTORES: bool> Filler for Scrambled<RESTORES> {
    fn fill(&mut self, buffer: &mut [u8]) {
        randomize(buffer, &mut self.numbers);
    }

    fn stamp(&mut self, buffer: &mut [u8], at: u64, _file: u16) {
        if RESTORES {
            let n = buffer.len();
            buffer.copy_from_slice(&self.template[..n]);
        }
        self.writes += 1;
        let number = mix(self.writes);
        let line = ((number ^ at) & 7) as usize * 64;
        let mut place = at;
        for sector in buffer.chunks_exact_mut(SECTOR) {
            sector[line..line + 8].copy_from_slice(&place.to_le_bytes());
            sector[48..56].copy_from_slice(&self.writes.to_le_bytes());
            sector[56..64].copy_from_slice(&number.to_le_bytes());
            place += SECTOR as u64;
        }
    }
}

/// Filler that generates contents before each write, chunk by chunk: partly compressible, partly repeated.
struct Shaped {
    random: Random,
    /// Seed of the previous chunk.
    before: u64,
    chunk: usize,
    /// Incompressible part of a chunk, in bytes.
    noise: usize,
    rest: Vec<u8>,
    dedupe_percent: u64,
    /// Number of seeds from which repeated chunks are drawn; 0 = repeat the previous chunk.
    set: u64,
    set_seed: u64,
}

/// Seed of the set of chunks that jobs share. Any constant will do.
const SHARED_SET: u64 = 0x5EC_C415_0000_0001;

impl Shaped {
    fn new(contents: &Contents, frame: Frame, rest: Vec<u8>) -> Self {
        let mut random = Random::new(mix(frame.seed ^ 0x54A9));
        let block = frame.block.max(1);
        let chunk = contents.compress_chunk.map_or(block, |chunk| chunk.as_u64().min(block));
        let percent = u64::from(contents.compress_percent.min(100));
        let (before, own_set) = (random.next(), random.next());
        let (size, set_seed) =
            contents.dedupe_shared.map_or((frame.size, own_set), |shared| (shared.as_u64(), SHARED_SET));
        Shaped {
            random,
            before,
            chunk: chunk as usize,
            noise: (chunk * (100 - percent) / 100) as usize,
            rest,
            dedupe_percent: u64::from(contents.dedupe_percent.min(100)),
            set: match contents.dedupe_working_set.min(100) {
                0 => 0,
                percent => (size / 100 * u64::from(percent) / chunk).max(1),
            },
            set_seed,
        }
    }

    fn next_seed(&mut self) -> u64 {
        if self.random.below(100) < self.dedupe_percent {
            return match self.set {
                0 => self.before,
                n => mix(self.set_seed ^ self.random.below(n)),
            };
        }
        self.before = self.random.next();
        self.before
    }
}

impl Filler for Shaped {
    fn fill(&mut self, buffer: &mut [u8]) {
        self.stamp(buffer, 0, 0);
    }

    fn stamp(&mut self, buffer: &mut [u8], _at: u64, _file: u16) {
        for chunk in buffer.chunks_mut(self.chunk) {
            let mut random = Random::new(self.next_seed());
            let (noise, rest) = chunk.split_at_mut(self.noise.min(chunk.len()));
            randomize(noise, &mut random);
            repeat(rest, &self.rest);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::Bytes;
    use std::collections::{HashMap, HashSet};
    use std::io::Write;

    const FRAME: Frame = Frame { block: 4096, max_block: 65536, size: 1 << 30, mixed: false, seed: 7 };

    /// Frame whose contents are cheap to generate and compare.
    const SMALL: Frame = Frame { block: 512, max_block: 8192, size: 512 << 10, ..FRAME };

    fn written(contents: &Contents, frame: Frame, writes: u64) -> Vec<u8> {
        let mut filler = filler(contents, frame);
        let mut buffer = vec![0; frame.max_block as usize];
        filler.fill(&mut buffer);
        let mut output = Vec::new();
        for i in 0..writes {
            if frame.mixed {
                // Simulates a read into the same buffer.
                buffer.fill(0xEE);
            }
            filler.stamp(&mut buffer, i * frame.max_block, 0);
            output.extend_from_slice(&buffer);
        }
        output
    }

    fn zlib_share(bytes: &[u8]) -> f64 {
        let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(bytes).unwrap();
        100.0 - 100.0 * encoder.finish().unwrap().len() as f64 / bytes.len() as f64
    }

    #[test]
    fn the_asked_share_compresses_away() {
        for percent in [0, 10, 25, 50, 75, 90, 100] {
            for chunk in [0, 512, 4096] {
                let kind = if percent == 0 { Filling::Refilled } else { Filling::default() };
                let contents = Contents {
                    kind,
                    compress_percent: percent,
                    compress_chunk: model::plan::none_if_zero(Bytes(chunk)),
                    ..Contents::default()
                };
                let share = zlib_share(&written(&contents, FRAME, 16));
                assert!((share - f64::from(percent)).abs() < 5.0, "{percent} by {chunk}: {share}");
            }
        }
    }

    #[test]
    fn the_asked_share_of_blocks_repeats() {
        for (percent, set) in [(0, 0), (30, 0), (50, 0), (100, 0), (60, 1)] {
            let contents = Contents {
                kind: Filling::Refilled,
                dedupe_percent: percent,
                dedupe_working_set: set,
                ..Contents::default()
            };
            let output = written(&contents, SMALL, 200);
            let mut seen: HashMap<&[u8], u32> = HashMap::new();
            output.chunks(512).for_each(|block| *seen.entry(block).or_default() += 1);
            let share = 100.0 - 100.0 * seen.len() as f64 / 3200.0;
            assert!((share - f64::from(percent)).abs() < 3.0, "{percent} from {set}: {share}");
        }
    }

    #[test]
    fn jobs_that_share_a_set_repeat_each_others_blocks() {
        let unique = |shared| {
            let contents = Contents {
                kind: Filling::Refilled,
                dedupe_percent: 100,
                dedupe_working_set: 10,
                dedupe_shared: shared,
                ..Contents::default()
            };
            // Two sets of 102 blocks each, or one set of 204. Each job draws 3,200 blocks.
            let outputs = [1, 2].map(|seed| written(&contents, Frame { seed, ..SMALL }, 200));
            let [first, second] = outputs.each_ref().map(|output| output.chunks(512).collect::<HashSet<_>>());
            (first.union(&second).count(), first.intersection(&second).count())
        };
        assert_eq!(unique(None), (204, 0));
        assert_eq!(unique(Some(Bytes::from_mib(1))), (204, 204));
    }

    #[test]
    fn scrambled_blocks_differ_everywhere_and_do_not_compress() {
        for mixed in [false, true] {
            let contents = Contents { kind: Filling::Scrambled, ..Contents::default() };
            let output = written(&contents, Frame { mixed, ..FRAME }, 16);
            let mut sectors: Vec<&[u8]> = output.chunks(512).collect();
            sectors.sort_unstable();
            sectors.dedup();
            assert_eq!(sectors.len(), 16 * 128);
        }
    }

    #[test]
    fn what_stays_the_same_does_even_after_reads() {
        for mixed in [false, true] {
            let zeros = Contents { kind: Filling::Zero, ..Contents::default() };
            assert!(written(&zeros, Frame { mixed, ..FRAME }, 3).iter().all(|b| *b == 0));
            let pattern = Contents { kind: Filling::Pattern(b"abc".to_vec()), ..Contents::default() };
            let output = written(&pattern, Frame { mixed, ..FRAME }, 2);
            assert!(output[..65536].iter().zip(b"abc".iter().cycle()).all(|(a, b)| a == b));
            let fixed = Contents { kind: Filling::Fixed, ..Contents::default() };
            let output = written(&fixed, Frame { mixed, ..FRAME }, 2);
            assert_eq!(output[..65536], output[65536..]);
            assert!(zlib_share(&output[..65536]) < 1.0);
        }
    }
}
