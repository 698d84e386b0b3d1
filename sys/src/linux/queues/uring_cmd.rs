//! A ring of NVMe commands, which io_uring passes to `/dev/ng0n1`, bypassing the block layer.
//!
//! It is the ring of `uring.rs` with larger entries, and the soundness argument at the top of that file applies: a
//! slot's buffer, and its range for a discard, belong to the kernel from the push of its command until its completion.

use super::buffers::BufferPool;
use super::file_set::FileSet;
use super::uring::UringQueue;
use crate::common::{ForcedUnitAccess, IoKind, NvmeNamespace, Reaped, Submission, UringOptions, Wait};
use crate::linux::devices::{DSM_RANGE, dsm_range, nvme_namespace, status_errno, uring_command};
use io_uring::{cqueue, opcode, squeue, types};
use std::io;
use std::mem::ManuallyDrop;

/// `NVME_URING_CMD_IO` of linux/nvme_ioctl.h.
const NVME_URING_CMD_IO: u32 = 0xC048_4E80;

/// A queue of NVMe commands to namespaces. Must be created and used on one thread.
pub struct NvmeQueue {
    ring: ManuallyDrop<UringQueue<squeue::Entry128, cqueue::Entry32>>,
    /// Range of each slot's discard.
    ranges: ManuallyDrop<BufferPool>,
    namespaces: Box<[NvmeNamespace]>,
    /// Result of the operation in flight on each slot if it succeeds: the requested bytes.
    answers: Box<[i32]>,
    force: ForcedUnitAccess,
}

impl NvmeQueue {
    /// Opens a ring of `depth` commands in flight, with buffers of `buffer_size` bytes, to the namespaces of `files`.
    ///
    /// # Errors
    /// As [`nvme_namespace`] for a file that is not an NVMe namespace; `EINVAL` before Linux 5.19, which has no such
    /// rings; `Unsupported` for a namespace with metadata next to its blocks; otherwise as [`UringQueue::new`].
    pub fn new(
        files: FileSet,
        depth: u32,
        buffer_size: usize,
        options: UringOptions,
        force: ForcedUnitAccess,
    ) -> io::Result<Self> {
        let namespaces = files.files().iter().map(nvme_namespace).collect::<io::Result<Box<[_]>>>()?;
        if let Some(with) = namespaces.iter().find(|n| n.metadata > 0) {
            let reason = format!("each of its blocks has {} bytes of metadata", with.metadata);
            return Err(io::Error::new(io::ErrorKind::Unsupported, reason));
        }
        let ranges = BufferPool::new(depth.max(1) as usize, DSM_RANGE)?;
        Ok(NvmeQueue {
            ring: ManuallyDrop::new(UringQueue::new(files, depth, buffer_size, options)?),
            ranges: ManuallyDrop::new(ranges),
            namespaces,
            answers: vec![0; depth.max(1) as usize].into(),
            force,
        })
    }

    /// Returns notes about unavailable features.
    #[must_use]
    pub fn notes(&self) -> &[String] {
        self.ring.notes()
    }

    /// As [`UringQueue::buffer`].
    #[inline]
    pub fn buffer(&mut self, slot: u32) -> &mut [u8] {
        self.ring.buffer(slot)
    }

    /// As [`UringQueue::push`]; each operation becomes one command. An operation that is not a whole number of blocks
    /// completes with `EINVAL`: as a command it would move other bytes than requested.
    #[inline]
    pub fn push(&mut self, submissions: impl Iterator<Item = Submission>) -> usize {
        let mut pushed = 0;
        let ring = &mut *self.ring;
        let (pool, in_flight) = (&*ring.pool, &mut *ring.in_flight);
        let every = ring.options.force_async;
        let mut sq = ring.ring.submission();
        for s in submissions {
            let slot = s.slot as usize;
            assert!(!in_flight[slot], "slot is already in flight");
            let namespace = &self.namespaces[usize::from(s.file)];
            let moves = matches!(s.kind, IoKind::Read | IoKind::Write);
            let buffer = if moves { pool.part(slot, s.skip, s.len) } else { pool.address(slot) };
            let fua = match s.kind {
                IoKind::Read => self.force.reads,
                IoKind::Write => self.force.writes,
                _ => false,
            };
            if s.kind == IoKind::Discard {
                // Nothing is in flight on the slot, so its range is not in use.
                self.ranges.slot_mut(slot).copy_from_slice(&dsm_range(namespace, s.at, s.len));
            }
            let block = u64::from(namespace.block);
            let whole = s.at.is_multiple_of(block)
                && u64::from(s.len).is_multiple_of(block)
                && (s.len > 0 || s.kind.is_flush());
            let mut entry = match whole {
                true => {
                    let command = uring_command(namespace, &s, buffer, self.ranges.address(slot), fua);
                    let index = (ring.fixed_buffers && moves).then_some(s.slot as u16);
                    let build = match ring.fixed_files {
                        true => opcode::UringCmd80::new(types::Fixed(s.file.into()), NVME_URING_CMD_IO),
                        false => opcode::UringCmd80::new(types::Fd(ring.files.fd(s.file)), NVME_URING_CMD_IO),
                    };
                    build.buf_index(index).cmd(command).build()
                }
                false => opcode::Nop::new().build().into(),
            }
            .user_data(u64::from(s.slot));
            if every > 0 {
                ring.until_async -= 1;
                if ring.until_async == 0 {
                    ring.until_async = every;
                    entry = entry.flags(squeue::Flags::ASYNC);
                }
            }
            // SAFETY: buffer and range are in pools and are not touched until the completion clears `in_flight` (see
            // the beginning of `uring.rs`); the file is owned by the queue; the length was checked against the slot.
            if unsafe { sq.push(&entry) }.is_err() {
                break;
            }
            in_flight[slot] = true;
            self.answers[slot] = if whole { s.len as i32 } else { -libc::EINVAL };
            pushed += 1;
        }
        drop(sq);
        ring.pending += pushed;
        ring.queued += pushed as u32;
        pushed
    }

    /// As [`UringQueue::flush`].
    ///
    /// # Errors
    /// As `io_uring_enter(2)`.
    pub fn flush(&mut self) -> io::Result<()> {
        self.ring.flush()
    }

    /// As [`UringQueue::reap`]. A controller status is returned as the kernel's corresponding errno.
    ///
    /// # Errors
    /// As `io_uring_enter(2)`.
    #[inline]
    pub fn reap(&mut self, at_least: usize, wait: Wait, mut done: impl FnMut(Reaped)) -> io::Result<()> {
        let answers = &self.answers;
        self.ring.reap(at_least, wait, |r| {
            let result = match r.result {
                0 => answers[r.slot as usize],
                status if status > 0 => -status_errno(status),
                errno => errno,
            };
            done(Reaped { slot: r.slot, result });
        })
    }
}

impl Drop for NvmeQueue {
    fn drop(&mut self) {
        let stuck = !self.ring.wait_for_all();
        // SAFETY: neither field is used again. The ring again waits for requests in flight and leaks its memory if they
        // do not complete; in that case the ranges are leaked as well.
        unsafe {
            ManuallyDrop::drop(&mut self.ring);
            if !stuck {
                ManuallyDrop::drop(&mut self.ranges);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_namespace_is_refused() {
        let files = FileSet::new(vec![std::fs::File::open("/dev/null").unwrap()]).unwrap();
        assert!(NvmeQueue::new(files, 4, 4096, UringOptions::default(), ForcedUnitAccess::default()).is_err());
    }
}
