//! Block writer. It writes groups of blocks at random positions in a file of fixed size, and syncs after each group.

use super::{Writer, timed};
use crate::directory::{Home, blocks_name};
use crate::experiment::{Marker, SyncMethod};
use crate::schedule::Schedule;
use crate::sector::{Owner, put_sectors};
use model::Nanos;
use std::io;
use std::path::Path;
use sys::queues::{BlockingQueue, Call, FileSet, IoKind, Submission};
use sys::storage::{Durability, LoadOpen};

pub(super) struct BlocksWriter {
    queue: BlockingQueue,
    schedule: Schedule,
    owner: Owner,
    writer: u16,
    block: u32,
    /// Sync operation after the blocks of a group. `None` if each write is durable by itself.
    sync: Option<IoKind>,
}

/// Returns the durability with which files are opened.
pub(super) fn durability(sync: SyncMethod) -> Durability {
    match sync {
        SyncMethod::Fdatasync | SyncMethod::Fsync => Durability::None,
        SyncMethod::Dsync | SyncMethod::DirectDsync => Durability::Data,
        SyncMethod::Sync => Durability::Full,
    }
}

impl BlocksWriter {
    pub(super) fn open(home: &Home, marker: &Marker, writer: u16) -> io::Result<BlocksWriter> {
        let how = LoadOpen {
            write: true,
            direct: marker.sync == SyncMethod::DirectDsync,
            durability: durability(marker.sync),
            no_atime: false,
        };
        let file = sys::storage::open_for_load(Some(home.directory()), Path::new(&blocks_name(writer)), how)?;
        let block = marker.geometry.block;
        Ok(BlocksWriter {
            queue: BlockingQueue::new(FileSet::new(vec![file])?, Call::Positioned, block as usize)?,
            schedule: marker.schedule(writer),
            owner: marker.owner(),
            writer,
            block,
            sync: match marker.sync {
                SyncMethod::Fdatasync => Some(IoKind::DataSync),
                SyncMethod::Fsync => Some(IoKind::Sync),
                SyncMethod::Dsync | SyncMethod::Sync | SyncMethod::DirectDsync => None,
            },
        })
    }

    fn put(&mut self, sequence: u64, place: u64) -> io::Result<()> {
        let block = self.block;
        put_sectors(self.owner, self.writer, sequence, place, &mut self.queue.buffer()[..block as usize]);
        let mut done = 0;
        while done < block {
            let at = place * u64::from(block) + u64::from(done);
            let rest = Submission { slot: 0, kind: IoKind::Write, file: 0, at, len: block - done, skip: done };
            done += answered(self.queue.perform(&rest).result)?;
        }
        Ok(())
    }
}

/// Converts the result of an operation to the number of bytes transferred, or to an error.
fn answered(result: i32) -> io::Result<u32> {
    match u32::try_from(result) {
        Ok(0) => Err(io::ErrorKind::WriteZero.into()),
        Ok(moved) => Ok(moved),
        Err(_) => Err(io::Error::from_raw_os_error(-result)),
    }
}

impl Writer for BlocksWriter {
    fn write(&mut self, sequence: u64) -> io::Result<Nanos> {
        let group = self.schedule.group(sequence);
        let written = timed(|| group.blocks().iter().try_for_each(|place| self.put(sequence, *place)))?;
        let Some(kind) = self.sync else { return Ok(written) };
        timed(|| {
            let sync = Submission { slot: 0, kind, file: 0, at: 0, len: 0, skip: 0 };
            match self.queue.perform(&sync).result {
                0 => Ok(()),
                errno => Err(io::Error::from_raw_os_error(-errno)),
            }
        })
    }
}
