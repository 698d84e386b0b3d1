//! Compressed logs (`log_store_compressed`): written as fio writes them, with one zlib stream per chunk, and printed as
//! text again.

use flate2::Compression;
use flate2::bufread::ZlibDecoder;
use flate2::write::ZlibEncoder;
use report::formats::fio::logs::samples::{are_samples, pack, unpack};
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::Path;

/// Size of a chunk before compression, in bytes. It is limited because fio reads a whole chunk into memory to print it.
const CHUNK: usize = 1 << 20;
/// Buffer for decompressed data, in bytes.
const STEP: usize = 64 << 10;

/// Compressor for the lines of a log.
pub struct Packer<W: Write> {
    to: W,
    /// True to store binary samples, false to store text.
    samples: bool,
    chunk: Vec<u8>,
}

impl<W: Write> Packer<W> {
    /// Returns a compressor that stores binary samples as fio does, or text.
    pub fn new(to: W, samples: bool) -> Self {
        Packer { to, samples, chunk: Vec::new() }
    }

    /// Adds whole lines.
    pub fn add(&mut self, lines: &str) -> io::Result<()> {
        if self.samples {
            pack(lines, &mut self.chunk);
        } else {
            self.chunk.extend_from_slice(lines.as_bytes());
        }
        if self.chunk.len() < CHUNK { Ok(()) } else { self.write() }
    }

    fn write(&mut self) -> io::Result<()> {
        let mut encoder = ZlibEncoder::new(&mut self.to, Compression::default());
        encoder.write_all(&self.chunk)?;
        encoder.finish()?;
        self.chunk.clear();
        Ok(())
    }

    /// Writes the remaining lines and returns the writer.
    pub fn finish(mut self) -> io::Result<W> {
        if !self.chunk.is_empty() {
            self.write()?;
        }
        Ok(self.to)
    }
}

/// Prints a compressed log as lines of text. Returns an error in `Some` if the log cannot be read or is damaged.
///
/// # Errors
/// When writing to `out` fails.
pub fn inflate(path: &Path, out: &mut dyn Write) -> io::Result<Option<io::Error>> {
    match File::open(path) {
        Ok(file) => inflate_from(BufReader::new(file), out),
        Err(error) => Ok(Some(error)),
    }
}

fn inflate_from(from: impl BufRead, out: &mut dyn Write) -> io::Result<Option<io::Error>> {
    let mut lost = None;
    let read = lines_of(from, &mut |lines| {
        lost = out.write_all(lines).err();
        lost.is_none()
    });
    lost.map_or(Ok(read.err()), Err)
}

/// Passes the decompressed text to the callback, not always in whole lines, until the callback returns `false`.
///
/// # Errors
/// When the log cannot be read or is not a compressed log.
fn lines_of(mut from: impl BufRead, tell: &mut dyn FnMut(&[u8]) -> bool) -> io::Result<()> {
    let (mut text, mut step) = (String::new(), vec![0; STEP]);
    let (mut bytes, mut samples) = (Vec::new(), None);
    while !from.fill_buf()?.is_empty() {
        let mut chunk = ZlibDecoder::new(from);
        loop {
            let n = chunk.read(&mut step)?;
            bytes.extend_from_slice(&step[..n]);
            if n == 0 || bytes.len() < 8 {
                break;
            }
            if *samples.get_or_insert_with(|| are_samples(&bytes)) {
                text.clear();
                let taken = unpack(&bytes, &mut text);
                bytes.drain(..taken);
                if !tell(text.as_bytes()) {
                    return Ok(());
                }
            } else if tell(&bytes) {
                bytes.clear();
            } else {
                return Ok(());
            }
        }
        from = chunk.into_inner();
    }
    match bytes.is_empty() {
        true => Ok(()),
        false => Err(io::Error::new(io::ErrorKind::InvalidData, "the last sample is truncated")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_packed_is_printed_again_over_many_chunks() {
        let lines: String = (0..100_000).map(|i| format!("{i}, {}, 1, 4096, {}, 0\n", i * 7, i * 4096)).collect();
        for samples in [true, false] {
            let mut packer = Packer::new(Vec::new(), samples);
            for part in lines.split_inclusive('\n') {
                packer.add(part).unwrap();
            }
            let packed = packer.finish().unwrap();
            assert!(packed.len() < lines.len() / 2);
            let mut out = Vec::new();
            assert!(inflate_from(packed.as_slice(), &mut out).unwrap().is_none());
            assert!(out == lines.as_bytes());
            assert!(inflate_from(&packed[..packed.len() - 9], &mut Vec::new()).unwrap().is_some());
        }
        assert!(inflate_from(&b"plain text"[..], &mut Vec::new()).unwrap().is_some());
    }
}
