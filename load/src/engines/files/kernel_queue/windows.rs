//! Implementations of the traits for Windows queues.

use super::KernelQueue;
use std::io;
use sys::queues::{IoRingQueue, IocpQueue, Reaped, Submission, Wait};

kernel_queue!(IocpQueue, |self| Ok(()));
kernel_queue!(IoRingQueue, |self| IoRingQueue::flush(self));
