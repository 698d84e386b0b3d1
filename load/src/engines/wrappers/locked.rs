//! Locks around any engine, so that jobs take turns using a file: fio's `lockfile`. An operation is submitted while the
//! file's lock is held. If the engine returns only after the operation has completed (psync and similar), only one
//! operation at a time accesses the file. With asynchronous engines only the submission is serialised, as in fio.

use super::delegate;
use crate::engine::{Engine, Request};
use model::{Op, plan::FileLock};
use std::io;
use std::sync::{Arc, PoisonError, RwLock};

/// Lock for a file, shared by all jobs that lock the file.
pub type SharedLock = Arc<RwLock<()>>;

/// Engine wrapper that locks files.
pub struct Locked {
    inner: Box<dyn Engine>,
    /// True if reads also exclude each other.
    exclusive: bool,
    locks: Vec<SharedLock>,
}

impl Locked {
    /// Wraps `inner`. `locks` holds one lock for each file of the engine, in order.
    ///
    /// # Panics
    /// `submit` panics if a request is for a file without a lock.
    pub fn new(inner: Box<dyn Engine>, kind: FileLock, locks: Vec<SharedLock>) -> Self {
        Locked { inner, exclusive: kind == FileLock::Exclusive, locks }
    }
}

impl Engine for Locked {
    fn submit(&mut self, requests: &[Request]) -> io::Result<usize> {
        let mut taken = 0;
        for request in requests {
            let lock = &self.locks[usize::from(request.file)];
            let single = std::slice::from_ref(request);
            // Ignore poisoning: the lock protects a file, whose state does not depend on a panic in another thread.
            let given = if request.op == Op::Read && !self.exclusive {
                let _held = lock.read().unwrap_or_else(PoisonError::into_inner);
                self.inner.submit(single)?
            } else {
                let _held = lock.write().unwrap_or_else(PoisonError::into_inner);
                self.inner.submit(single)?
            };
            if given == 0 {
                break;
            }
            taken += given;
        }
        Ok(taken)
    }

    delegate! { flush reap buffer priority absent_reads }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::{Blocking, Inline};
    use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
    use std::time::{Duration, Instant};

    /// Engine that counts the threads inside it.
    struct Counting {
        within: Arc<AtomicU32>,
        most: Arc<AtomicU32>,
        /// True if two threads are expected to be inside at the same time: the first waits for the second, with a time
        /// limit.
        meet: bool,
    }

    impl Blocking for Counting {
        fn perform(&mut self, request: &Request) -> i32 {
            let now = self.within.fetch_add(1, SeqCst) + 1;
            self.most.fetch_max(now, SeqCst);
            // Long enough for another thread to enter if nothing prevents it.
            (0..200).for_each(|_| std::thread::yield_now());
            let begun = Instant::now();
            while self.meet && self.most.load(SeqCst) < 2 && begun.elapsed() < Duration::from_secs(30) {
                std::thread::yield_now();
            }
            self.meet = false;
            self.within.fetch_sub(1, SeqCst);
            request.len as i32
        }

        fn buffer(&mut self) -> &mut [u8] {
            &mut []
        }
    }

    /// Returns the maximum number of operations that two threads had inside the engine at the same time, on one file.
    fn most(kind: FileLock, op: Op, meet: bool) -> u32 {
        let (lock, within, most) = (SharedLock::default(), Arc::default(), Arc::<AtomicU32>::default());
        std::thread::scope(|scope| {
            for _ in 0..2 {
                let counting = Counting { within: Arc::clone(&within), most: Arc::clone(&most), meet };
                let locks = vec![Arc::clone(&lock)];
                scope.spawn(move || {
                    let mut engine = Locked::new(Box::new(Inline::new(counting)), kind, locks);
                    let request = Request { op, len: 4096, ..Request::default() };
                    for _ in 0..10 {
                        assert_eq!(engine.single(&request, &mut Vec::new()).unwrap(), 4096);
                    }
                });
            }
        });
        most.load(SeqCst)
    }

    #[test]
    fn writes_and_exclusive_reads_come_one_at_a_time_and_shared_reads_together() {
        assert_eq!(most(FileLock::ReadWrite, Op::Write, false), 1);
        assert_eq!(most(FileLock::Exclusive, Op::Read, false), 1);
        assert_eq!(most(FileLock::ReadWrite, Op::Read, true), 2);
    }
}
