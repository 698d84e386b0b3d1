//! Preparation of the jobs' files: creates them, reserves space, and writes data to the ranges that will be read.

use super::super::changed;
use super::super::error::{TargetError, cannot, failed, printable, refused};
use super::held::{FileLocation, JobFiles, unmarked};
use super::mark::Mark;
use crate::content::Content;
use model::plan::Reserve;
use std::fs::File;
use std::io;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};
use sys::files::{FileExt, FileId, MetadataExt};
use sys::storage::LoadOpen;
use uuid::Uuid;

/// Size of one write, in bytes.
const BLOCK: usize = 1 << 20;
/// Alignment of buffers for direct I/O, in bytes; sufficient for every device.
const PAGE: usize = 4096;
/// Number of direct writes in flight: enough to keep a remote disk busy.
const DEPTH: usize = 4;
/// Interval between checks for cancellation while no write completes.
const ASK: Duration = Duration::from_millis(100);
/// Maximum number of dirty bytes in the page cache. This limits the duration of a flush, so that the program does not
/// seem to hang.
const DIRTY: u64 = 256 << 20;
/// Maximum size of a fill that is written by the thread that creates the files, in bytes. For a thousand small files,
/// starting threads for each file would take longer.
const SMALL: u64 = 4 << 20;
/// Interval between checks of the free space, while files are filled.
const LOOK: Duration = Duration::from_secs(1);

/// Reason why a fill ended early.
enum Stop {
    Asked,
    Failed(io::Error),
}

type Progress<'a> = &'a mut dyn FnMut(u64, u64) -> bool;

impl JobFiles {
    /// Prepares the files as announced by the inspection. `progress` receives the number of bytes written so far and
    /// the total, and returns `false` to stop. Files created by this call are removed again if the call fails or is
    /// stopped. Returns the bytes written.
    ///
    /// # Errors
    /// Returns a [`TargetError`] that names the file.
    pub fn lay_out(&mut self, progress: &mut dyn FnMut(u64, u64) -> bool) -> Result<u64, TargetError> {
        let written = self.make_all(progress);
        if written.is_err() {
            for held in self.files.iter_mut().filter(|h| h.made) {
                // The file was created by this call; the original error is the one to report.
                let _ = held.remove();
            }
        }
        written
    }

    fn make_all(&mut self, progress: Progress<'_>) -> Result<u64, TargetError> {
        for room in &self.rooms {
            room.check(room.needed)?;
        }
        let total: u64 = self.files.iter().map(|h| h.file.work.bytes()).sum();
        let mut done = 0;
        for which in 0..self.files.len() {
            if !progress(done, total) {
                return Err(stopped());
            }
            self.make(which)?;
            self.reserve(which)?;
            done = self.fill(which, done, total, progress)?;
            self.finish(which)?;
        }
        Ok(done)
    }

    /// Creates a missing file. It is locked and marked before it gets a name.
    fn make(&mut self, which: usize) -> Result<(), TargetError> {
        let held = &mut self.files[which];
        let FileLocation::File { dir, name, file: file @ None } = &mut held.home else { return Ok(()) };
        let path = &held.file.path;
        let what = || format!("make {}", printable(path));
        let (uuid, shared) = (held.file.own_uuid(), self.request.share);
        let mut mark = None;
        // The file is flushed after it is filled, if requested. Until then, nothing is lost if a crash removes the file
        // with its contents.
        let made = sys::files::create_soon(dir, name, |file| {
            // If the file system does not support locks, the inspection of the next run notes it.
            let _ = sys::locks::try_lock(file, !shared);
            let mut new = Mark::new(uuid, sys::files::file_metadata(file)?.ino(), &self.request.made);
            mark = new.open(file)?.then_some(new);
            Ok(())
        });
        let made = made.map_err(|e| match e.kind() {
            io::ErrorKind::AlreadyExists => changed(path),
            _ => failed(what(), &e),
        })?;
        let id = FileId::from_file(&made).map_err(|e| failed(what(), &e))?;
        *file = Some((made, id));
        held.made = true;
        let marked = mark.is_some();
        held.mark = Mutex::new(mark);
        if !marked {
            self.note(unmarked(&self.files[which].file));
        }
        Ok(())
    }

    /// Reserves space as requested. If the file system does not support this, the file grows as it is written, as with
    /// fio.
    fn reserve(&mut self, which: usize) -> Result<(), TargetError> {
        let held = &self.files[which];
        let (Some(reserve), Some(file)) = (held.file.work.reserve, held.held()) else { return Ok(()) };
        let size = held.file.size.as_u64();
        let what = || format!("reserve {} for {}", held.file.size, printable(&held.file.path));
        let done = match reserve {
            Reserve::None => Ok(true),
            Reserve::Allocate => sys::storage::allocate(file, size),
            Reserve::AllocateKeepSize => sys::storage::allocate_beyond(file, size),
            Reserve::Truncate => lengthen(file, size).map(|()| true),
        };
        if !done.map_err(|e| failed(what(), &e))? {
            let fs = &held.file.filesystem;
            self.note(format!("{fs} cannot reserve space: {} grows as it is written", printable(&held.file.path)));
        }
        if !held.file.work.fill.is_empty() {
            lengthen(file, size).map_err(|e| failed(what(), &e))?;
        }
        Ok(())
    }

    /// Writes the required data, bypassing the page cache if possible.
    fn fill(&self, which: usize, before: u64, total: u64, progress: Progress<'_>) -> Result<u64, TargetError> {
        let held = &self.files[which];
        let Some(file) = held.held() else { return Ok(before) };
        let path = &held.file.path;
        let what = || format!("write {}", printable(path));
        let align = sys::storage::direct_align(file).ok().flatten().map_or(0, |a| u64::from(a.offset.max(a.memory)));
        if held.made
            && held.file.work.direct
            && sys::storage::direct_align(file).ok().flatten().is_some_and(|a| a.offset == 0)
        {
            let reason = format!("{} does not support direct I/O on this file", held.file.filesystem);
            return Err(cannot(what(), reason, "use direct=0, or another file system"));
        }
        let ranges = &held.file.work.fill;
        if ranges.is_empty() {
            return Ok(before);
        }
        let aligned = align > 0
            && (PAGE as u64).is_multiple_of(align)
            && ranges.iter().all(|r| r.start.is_multiple_of(align) && r.end.is_multiple_of(align));
        let direct = LoadOpen { write: true, direct: true, ..LoadOpen::default() };
        let direct = if aligned { held.open(direct).ok() } else { None };
        let same = direct.as_ref().and_then(|f| FileId::from_file(f).ok()) == FileId::from_file(file).ok();
        let direct = direct.filter(|_| same);
        // A file that grows block by block should be written in order, by one thread.
        let reserved = matches!(held.file.work.reserve, Some(Reserve::Allocate | Reserve::AllocateKeepSize));
        let small = held.file.work.bytes() <= SMALL;
        let threads = if direct.is_some() && reserved && !small { DEPTH } else { 1 };
        // Blocks of an existing file that was empty get the UUID zero.
        let content =
            Content::new(held.file.uuid.unwrap_or_default(), Uuid::new_v4().as_u64_pair().0).for_grain(align.max(1));
        let mut looked = Instant::now();
        let mut cramped = None;
        let (mut synced, mut lost) = (0, None);
        let mut progress = |done: u64| {
            if looked.elapsed() >= LOOK {
                looked = Instant::now();
                cramped = self.rooms.iter().find_map(|r| r.check(0).err());
            }
            if direct.is_none() && done >= synced + DIRTY {
                synced = done;
                lost = file.sync_data().err();
            }
            cramped.is_none() && lost.is_none() && progress(before + done, total)
        };
        let to = direct.as_ref().unwrap_or(file);
        let written = match small {
            true => write_here(to, ranges, &content, &mut progress),
            false => write_through(to, ranges, &content, threads, &mut progress),
        };
        if let Some(e) = lost {
            return Err(failed(what(), &e));
        }
        match (written, cramped) {
            (_, Some(cramped)) => return Err(cramped),
            (Err(Stop::Asked), None) => return Err(stopped()),
            (Err(Stop::Failed(e)), None) => return Err(failed(what(), &e)),
            (Ok(()), None) => {}
        }
        // Needed even if the page cache was bypassed, because sizes and extents must also become durable. Durable files
        // are flushed as a whole later.
        if !held.file.work.durable {
            file.sync_data().map_err(|e| failed(what(), &e))?;
        }
        Ok(before + held.file.work.bytes())
    }

    fn finish(&mut self, which: usize) -> Result<(), TargetError> {
        let held = &mut self.files[which];
        let FileLocation::File { file: Some((file, _)), .. } = &held.home else { return Ok(()) };
        let what = || format!("finish {}", printable(&held.file.path));
        if held.file.work.durable {
            file.sync_all().map_err(|e| failed(what(), &e))?;
        }
        held.least = sys::files::file_metadata(file).map_err(|e| failed(what(), &e))?.len();
        if held.made || held.file.work.reserve.is_some() || !held.file.work.fill.is_empty() {
            self.seal(&self.files[which]);
        }
        Ok(())
    }
}

fn stopped() -> TargetError {
    refused("laying out the files", "stopped, as requested", "the files that were created are removed")
}

fn lengthen(file: &File, size: u64) -> io::Result<()> {
    if sys::files::file_metadata(file)?.len() < size { file.set_len(size) } else { Ok(()) }
}

/// Writes a few ranges in order, on the calling thread.
fn write_here(
    file: &File,
    ranges: &[Range<u64>],
    content: &Content,
    progress: &mut dyn FnMut(u64) -> bool,
) -> Result<(), Stop> {
    let most = ranges.iter().map(|r| r.end - r.start).max().unwrap_or(0).min(BLOCK as u64) as usize;
    let mut writer = BlockWriter::new(file, content, most);
    let (mut done, mut sequence) = (0, 1);
    for range in ranges.iter().flat_map(blocks_of) {
        done += writer.write(&range, sequence).map_err(Stop::Failed)?;
        sequence += 1;
        if !progress(done) {
            return Err(Stop::Asked);
        }
    }
    Ok(())
}

/// Writer of blocks from one buffer, aligned for direct I/O.
struct BlockWriter<'a> {
    file: &'a File,
    content: &'a Content,
    memory: Vec<u8>,
    /// Offset of the aligned part of the buffer.
    skip: usize,
}

impl<'a> BlockWriter<'a> {
    /// Creates a writer for blocks of up to `most` bytes.
    fn new(file: &'a File, content: &'a Content, most: usize) -> Self {
        let mut memory = vec![0; most + PAGE];
        let skip = memory.as_ptr().align_offset(PAGE).min(PAGE);
        content.fill_pool(&mut memory[skip..skip + most]);
        BlockWriter { file, content, memory, skip }
    }

    /// Writes a block with the content for its offset and the given sequence number. Returns the number of bytes
    /// written.
    fn write(&mut self, block: &Range<u64>, sequence: u64) -> io::Result<u64> {
        let length = block.end - block.start;
        let part = &mut self.memory[self.skip..][..length as usize];
        self.content.stamp(part, block.start, sequence);
        self.file.write_all_at(part, block.start).map(|()| length)
    }
}

/// Splits a range into blocks of 1 MiB; the last one may be shorter.
fn blocks_of(range: &Range<u64>) -> impl Iterator<Item = Range<u64>> + use<> {
    let end = range.end;
    range.clone().step_by(BLOCK).map(move |at| at..end.min(at + BLOCK as u64))
}

/// Writes ranges in blocks of 1 MiB with `threads` threads.
fn write_through(
    file: &File,
    ranges: &[Range<u64>],
    content: &Content,
    threads: usize,
    progress: &mut dyn FnMut(u64) -> bool,
) -> Result<(), Stop> {
    let blocks = Mutex::new(ranges.iter().flat_map(blocks_of));
    let (halt, sequence) = (AtomicBool::new(false), AtomicU64::new(1));
    let (send, receive) = channel::<io::Result<u64>>();
    std::thread::scope(|scope| {
        for begun in 0..threads {
            let (send, blocks, halt, sequence) = (send.clone(), &blocks, &halt, &sequence);
            let write = move || {
                let mut writer = BlockWriter::new(file, content, BLOCK);
                while !halt.load(Relaxed) {
                    let next = blocks.lock().unwrap_or_else(PoisonError::into_inner).next();
                    let Some(range) = next else { break };
                    let written = writer.write(&range, sequence.fetch_add(1, Relaxed));
                    let failed = written.is_err();
                    if send.send(written).is_err() || failed {
                        break;
                    }
                }
            };
            match std::thread::Builder::new().stack_size(256 << 10).spawn_scoped(scope, write) {
                Ok(_) => {}
                // Continue with the threads that were started.
                Err(_) if begun > 0 => break,
                Err(e) => return Err(Stop::Failed(e)),
            }
        }
        drop(send);
        let (mut done, mut outcome) = (0, Ok(()));
        loop {
            match receive.recv_timeout(ASK) {
                Ok(Ok(bytes)) => done += bytes,
                Ok(Err(e)) if outcome.is_ok() => outcome = Err(Stop::Failed(e)),
                Ok(Err(_)) | Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return outcome,
            }
            if outcome.is_ok() && !progress(done) {
                outcome = Err(Stop::Asked);
            }
            if outcome.is_err() {
                halt.store(true, Relaxed);
            }
        }
    })
}
