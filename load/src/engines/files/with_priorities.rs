//! Engines on queues of the kernel whose operations may have an I/O priority each.

use super::kernel_queue::{Batched, KernelQueue};
use super::priority::Priorities;
use crate::engine::{Engine, Request};
use crate::engines::wrappers::delegate;
use crate::engines::{in_batches, submission};
use std::io;
use sys::Submission;

/// A queue whose operations may have an I/O priority each, as `ioprio_set(2)` has it.
pub(super) trait QueueWithPriorities: KernelQueue {
    /// As [`KernelQueue::push`].
    fn push_with(&mut self, submissions: impl Iterator<Item = (Submission, u16)>) -> usize;
}

/// Its call of `sys` under the name of the trait.
macro_rules! queue_with_priorities {
    ($queue:ty) => {
        impl QueueWithPriorities for $queue {
            #[inline]
            fn push_with(&mut self, submissions: impl Iterator<Item = (Submission, u16)>) -> usize {
                <$queue>::push_with(self, submissions)
            }
        }
    };
}

queue_with_priorities!(sys::AioQueue);
queue_with_priorities!(sys::UringQueue);

/// The same with a priority for each operation.
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
