//! Reads an experiment's files. Bypasses the page cache if possible, because the compared data must come from the
//! storage.

use super::append::AppendFile;
use super::names::SlotFile;
use super::{LostWrite, Promised, WriterResult};
use crate::directory::{Failure, Home, NEW, append_name, blocks_name, cannot, names_name, slot_name};
use crate::sector::{Found, SECTOR};
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::path::Path;
use sys::queues::{BlockingQueue, Call, FileSet, IoKind, Submission};
use sys::storage::LoadOpen;

/// Size of each read, in bytes. It is a multiple of every device's alignment.
const CHUNK: u32 = 1 << 20;

/// Size of the individual reads if a chunk cannot be read, in bytes.
const PIECE: u32 = 4096;

/// Open file that is read sequentially.
struct Reader {
    queue: BlockingQueue,
    len: u64,
    /// Number of bytes that could not be read.
    unreadable: u64,
    /// True if the page cache is bypassed.
    direct: bool,
}

impl Reader {
    /// Opens a file. Returns `None` if it does not exist.
    fn open(directory: &File, name: &OsStr) -> io::Result<Option<Reader>> {
        let open = |direct| {
            let how = LoadOpen { write: false, direct, ..LoadOpen::default() };
            sys::storage::open_for_load(Some(directory), Path::new(name), how)
        };
        let (file, direct) = match open(true) {
            Ok(file) => (file, true),
            Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(None),
            // The file system does not support direct I/O.
            Err(e) if e.kind() == io::ErrorKind::InvalidInput => (open(false)?, false),
            Err(e) => return Err(e),
        };
        let len = file.metadata()?.len();
        if !direct {
            // The kernel keeps dirty pages in the cache in spite of this call. The result therefore reports that reads
            // were cached.
            sys::storage::drop_cache(&file, 0..len)?;
        }
        let queue = BlockingQueue::new(FileSet::new(vec![file])?, Call::Positioned, CHUNK as usize)?;
        Ok(Some(Reader { queue, len, unreadable: 0, direct }))
    }

    /// Reads up to one chunk at `at`, which must be a multiple of [`CHUNK`]. If a chunk cannot be read, it is read in
    /// pieces. Unreadable pieces are returned as zeros, because a device that lost power while writing may report
    /// errors for them forever.
    fn chunk(&mut self, at: u64) -> io::Result<&[u8]> {
        let mut got = 0;
        while got < CHUNK {
            match self.read(at, got, CHUNK - got) {
                Ok(0) => break,
                Ok(read) => got += read,
                // The end of the file was reached, possibly after a last piece that is not a whole block.
                Err(_) if at + u64::from(got) >= self.len => break,
                Err(sys::errno::EIO) => match self.read(at, got, PIECE - got % PIECE) {
                    Ok(0) => break,
                    Ok(read) => got += read,
                    Err(_) => {
                        let piece = u64::from(PIECE - got % PIECE).min(self.len - at - u64::from(got)) as u32;
                        self.queue.buffer()[got as usize..(got + piece) as usize].fill(0);
                        self.unreadable += u64::from(piece);
                        got += piece;
                    }
                },
                Err(errno) => return Err(io::Error::from_raw_os_error(errno)),
            }
        }
        Ok(&self.queue.buffer()[..got as usize])
    }

    /// Performs one read into the buffer, after its first `got` bytes. Returns the number of bytes read, or the errno.
    fn read(&mut self, at: u64, got: u32, len: u32) -> Result<u32, i32> {
        let ask = Submission { slot: 0, kind: IoKind::Read, file: 0, at: at + u64::from(got), len, skip: got };
        let result = self.queue.perform(&ask).result;
        u32::try_from(result).map_err(|_| -result)
    }

    /// Reads the whole file, up to `most` bytes.
    fn all(&mut self, most: u64) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        while (bytes.len() as u64) < most {
            let chunk = self.chunk(bytes.len() as u64)?;
            bytes.extend_from_slice(chunk);
            if chunk.len() < CHUNK as usize {
                break;
            }
        }
        bytes.truncate(most as usize);
        Ok(bytes)
    }
}

fn failed(home: &Home, name: &OsStr, error: &io::Error) -> Failure {
    cannot(&format!("read {}", home.path().join(name).display()), error)
}

/// Returns the result for a writer whose file or directory is gone, although it was synced before the first write.
fn gone(promised: &Promised<'_>, name: &OsStr) -> WriterResult {
    let mut result = promised.result(0);
    let file = name.to_string_lossy().into_owned();
    promised.lose(&mut result.names, LostWrite { file, offset: 0, expected: 0, found: None, acknowledged_ns: None });
    result
}

/// Reads and compares a block writer's file. Also returns `true` if the page cache was bypassed.
pub(super) fn blocks(home: &Home, promised: &Promised<'_>) -> Result<(WriterResult, bool), Failure> {
    let name = blocks_name(promised.writer);
    let read = || {
        let Some(mut reader) = Reader::open(home.directory(), &name)? else { return Ok(None) };
        let (owner, block) = (promised.marker.owner(), promised.marker.geometry.block as usize);
        let mut blocks = Vec::with_capacity(promised.marker.geometry.blocks as usize);
        // The chunk size need not be a multiple of the block size, so the rest of a chunk is processed with the next
        // chunk.
        let (mut at, mut rest) = (0, Vec::new());
        while (blocks.len() as u64) < promised.marker.geometry.blocks {
            let chunk = reader.chunk(at)?;
            let end = chunk.len() < CHUNK as usize;
            rest.extend_from_slice(chunk);
            at += u64::from(CHUNK);
            let whole = rest.len() / block * block;
            for bytes in rest[..whole].chunks_exact(block).take(promised.marker.geometry.blocks as usize - blocks.len())
            {
                blocks.push(Found::read(owner, promised.writer, blocks.len() as u64, bytes));
            }
            rest.drain(..whole);
            if end {
                break;
            }
        }
        Ok(Some((blocks, reader.len, reader.unreadable, reader.direct)))
    };
    match read().map_err(|e: io::Error| failed(home, &name, &e))? {
        Some((found, len, unreadable, direct)) => {
            Ok((WriterResult { unreadable, ..super::blocks::compare(promised, &found, len) }, direct))
        }
        None => Ok((gone(promised, &name), true)),
    }
}

/// Returns the indexes of an append writer's existing files.
fn append_files(home: &Home, writer: u16) -> io::Result<Vec<u64>> {
    let mut numbers = Vec::new();
    for name in sys::files::names_in(home.directory())? {
        let name = name?;
        let number =
            name.to_str().and_then(|n| n.strip_prefix(&format!("append.{writer}."))).and_then(|n| n.parse().ok());
        numbers.extend(number.filter(|n| append_name(writer, *n) == name));
    }
    Ok(numbers)
}

/// Reads and compares an append writer's files. Also returns `true` if the page cache was bypassed.
pub(super) fn append(home: &Home, promised: &Promised<'_>) -> Result<(WriterResult, bool), Failure> {
    let schedule = promised.marker.schedule(promised.writer);
    let (mut direct, mut unreadable) = (true, 0);
    let mut read = |number: u64| {
        let Some(mut reader) = Reader::open(home.directory(), &append_name(promised.writer, number))? else {
            return Ok(None);
        };
        direct &= reader.direct;
        let most = schedule.records(number).last().map_or(0, |(_, last)| last.at + last.len);
        let bytes = reader.all(most)?;
        unreadable += reader.unreadable;
        let present = schedule.records(number).take_while(|(_, record)| (record.at as usize) < bytes.len());
        let records = present.map(|(_, record)| {
            let end = ((record.at + record.len) as usize).min(bytes.len());
            let mut contents =
                Found::read(promised.marker.owner(), promised.writer, record.number, &bytes[record.at as usize..end]);
            // If the file ends within a record, the record's remaining sectors are missing.
            contents.bad += ((record.at + record.len) as usize - end).div_ceil(SECTOR) as u16;
            contents
        });
        Ok(Some(AppendFile { len: reader.len, records: records.collect() }))
    };
    let mut files = BTreeMap::new();
    let numbers =
        append_files(home, promised.writer).map_err(|e| cannot(&format!("list {}", home.path().display()), &e))?;
    for number in numbers {
        let name = append_name(promised.writer, number);
        if let Some(file) = read(number).map_err(|e: io::Error| failed(home, &name, &e))? {
            files.insert(number, file);
        }
    }
    Ok((WriterResult { unreadable, ..super::append::compare(promised, &files) }, direct))
}

/// Reads and compares a name writer's files. Also returns `true` if the page cache was bypassed.
pub(super) fn names(home: &Home, promised: &Promised<'_>) -> Result<(WriterResult, bool), Failure> {
    let directory_name = names_name(promised.writer);
    let directory = match home.open_names(promised.writer) {
        Ok(directory) => directory,
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok((gone(promised, &directory_name), true)),
        Err(e) => return Err(failed(home, &directory_name, &e)),
    };
    let (mut direct, mut unreadable) = (true, 0);
    let mut read = |name: &OsStr, slot: Option<u64>| -> io::Result<Option<SlotFile>> {
        let Some(mut reader) = Reader::open(&directory, name)? else { return Ok(None) };
        direct &= reader.direct;
        let bytes = reader.all(2 * crate::geometry::MOST * SECTOR as u64)?;
        unreadable += reader.unreadable;
        // The file that has not been renamed yet belongs to the slot that is recorded in its first sector.
        let owner = promised.marker.owner();
        let first = || crate::sector::Sector::read(owner, bytes.get(..SECTOR)?).map(|s| s.place);
        let contents = match slot.or_else(first) {
            Some(place) => Found::read(owner, promised.writer, place, &bytes),
            None => Found::default(),
        };
        Ok(Some(SlotFile { len: reader.len, found: contents }))
    };
    let mut slots = Vec::new();
    for slot in 0..promised.marker.geometry.slots {
        let name = slot_name(slot);
        slots.push(read(&name, Some(slot)).map_err(|e| failed(home, &directory_name.clone(), &e))?);
    }
    let new = read(OsStr::new(NEW), None).map_err(|e| failed(home, &directory_name, &e))?;
    Ok((WriterResult { unreadable, ..super::names::compare(promised, &slots, new) }, direct))
}
