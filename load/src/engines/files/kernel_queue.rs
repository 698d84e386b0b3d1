//! Engines on kernel queues: operations are submitted in batches and complete in any order.

use super::priority::Priorities;
use crate::engine::{Completion, Engine, Request, Wait};
use crate::engines::wrappers::delegate;
use crate::engines::{in_batches, submission};
use std::io;
use sys::queues::{AioQueue, NvmeQueue, Reaped, Submission, UringQueue};

/// Common interface of the kernel queues.
pub(super) trait KernelQueue {
    /// Submits everything that was pushed. Does nothing if `push` has already submitted it.
    fn flush(&mut self) -> io::Result<()>;

    /// Accepts as many submissions as there is room for and returns their number.
    fn push(&mut self, submissions: impl Iterator<Item = Submission>) -> usize;

    /// Submits everything that was pushed, and waits as [`Engine::reap`] does.
    fn reap(&mut self, at_least: usize, wait: Wait, done: impl FnMut(Reaped)) -> io::Result<()>;

    /// Returns the buffer of a slot that is not in flight.
    fn buffer(&mut self, slot: u32) -> &mut [u8];
}

/// Queue whose operations may each have an I/O priority, encoded as for `ioprio_set(2)`.
pub(super) trait QueueWithPriorities: KernelQueue {
    /// Same as [`KernelQueue::push`], with priorities.
    fn push_with(&mut self, submissions: impl Iterator<Item = (Submission, u16)>) -> usize;
}

/// Implements the traits by calling `sys`.
macro_rules! kernel_queue {
    ($queue:ty, |$self:ident| $flush:expr) => {
        impl KernelQueue for $queue {
            #[inline]
            fn flush(&mut $self) -> io::Result<()> {
                $flush
            }

            #[inline]
            fn push(&mut self, submissions: impl Iterator<Item = Submission>) -> usize {
                <$queue>::push(self, submissions)
            }

            #[inline]
            fn reap(&mut self, at_least: usize, wait: Wait, done: impl FnMut(Reaped)) -> io::Result<()> {
                <$queue>::reap(self, at_least, wait, done)
            }

            #[inline]
            fn buffer(&mut self, slot: u32) -> &mut [u8] {
                <$queue>::buffer(self, slot)
            }
        }
    };
    ($queue:ty, |$self:ident| $flush:expr, priorities) => {
        kernel_queue!($queue, |$self| $flush);

        impl QueueWithPriorities for $queue {
            #[inline]
            fn push_with(&mut self, submissions: impl Iterator<Item = (Submission, u16)>) -> usize {
                <$queue>::push_with(self, submissions)
            }
        }
    };
}

kernel_queue!(UringQueue, |self| UringQueue::flush(self), priorities);
kernel_queue!(NvmeQueue, |self| NvmeQueue::flush(self));
kernel_queue!(AioQueue, |self| Ok(()), priorities);

#[cfg(windows)]
mod windows;

/// Engine on a kernel queue that submits at most `batch` operations in one call.
pub(super) struct Batched<Q> {
    pub queue: Q,
    pub batch: usize,
}

impl<Q: KernelQueue> Engine for Batched<Q> {
    #[inline]
    fn submit(&mut self, requests: &[Request]) -> io::Result<usize> {
        // The last batch is submitted by the call that waits.
        in_batches(self.batch, requests, |batch| {
            self.queue.flush()?;
            Ok(self.queue.push(batch.iter().map(submission)))
        })
    }

    fn flush(&mut self) -> io::Result<()> {
        self.queue.flush()
    }

    #[inline]
    fn reap(&mut self, at_least: usize, wait: Wait, done: &mut Vec<Completion>) -> io::Result<()> {
        self.queue.reap(at_least, wait, |r| done.push(Completion { slot: r.slot, result: r.result }))
    }

    fn buffer(&mut self, slot: u32) -> &mut [u8] {
        self.queue.buffer(slot)
    }
}

/// Engine on a kernel queue, with an I/O priority for each operation.
pub(super) struct WithPriorities<Q> {
    pub inner: Batched<Q>,
    pub priorities: Priorities,
}

impl<Q: QueueWithPriorities> Engine for WithPriorities<Q> {
    fn submit(&mut self, requests: &[Request]) -> io::Result<usize> {
        let WithPriorities { inner: Batched { queue, batch }, priorities } = self;
        in_batches(*batch, requests, |batch| {
            queue.flush()?;
            Ok(queue.push_with(batch.iter().map(|r| (submission(r), priorities.draw(r)))))
        })
    }

    delegate! { flush reap buffer }

    fn priority(&self, slot: u32) -> u16 {
        self.priorities.of_slot(slot)
    }
}
