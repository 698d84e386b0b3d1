//! Wraps any engine so that jobs take turns at a file: fio's `lockfile`. An operation is handed over with the file's lock
//! held. Where the call returns when the operation is done (psync and its like), one operation at a time touches the file;
//! engines with a queue have only the handing over serialised, as in fio.

use super::delegate;
use crate::engine::{Engine, Request};
use model::{FileLock, Op};
use std::io;
use std::sync::{Arc, PoisonError, RwLock};

/// The lock of a file, shared by all jobs that ask for one.
pub type SharedLock = Arc<RwLock<()>>;

/// The wrapper.
pub struct Locked {
    inner: Box<dyn Engine>,
    /// Whether reads exclude each other, too.
    exclusive: bool,
    locks: Vec<SharedLock>,
}

impl Locked {
    /// Wraps `inner`; `locks` are those of its files, in their order.
    ///
    /// # Panics
    /// Its `submit` does, if a request is of a file that has no lock.
    pub fn new(inner: Box<dyn Engine>, kind: FileLock, locks: Vec<SharedLock>) -> Self {
        Locked { inner, exclusive: kind == FileLock::Exclusive, locks }
    }
}

impl Engine for Locked {
    fn submit(&mut self, requests: &[Request]) -> io::Result<usize> {
        let mut taken = 0;
        for request in requests {
            let lock = &self.locks[usize::from(request.file)];
            let one = std::slice::from_ref(request);
            // What is locked is a file, whose state a panic elsewhere says nothing of.
            let given = if request.op == Op::Read && !self.exclusive {
                let _held = lock.read().unwrap_or_else(PoisonError::into_inner);
                self.inner.submit(one)?
            } else {
                let _held = lock.write().unwrap_or_else(PoisonError::into_inner);
                self.inner.submit(one)?
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

    /// Knows how many are within at once.
    struct Counting {
        within: Arc<AtomicU32>,
        most: Arc<AtomicU32>,
        /// Two are to be within at once: the first waits for the other, but not for ever.
        meet: bool,
    }

    impl Blocking for Counting {
        fn perform(&mut self, request: &Request) -> i32 {
            let now = self.within.fetch_add(1, SeqCst) + 1;
            self.most.fetch_max(now, SeqCst);
            // Long enough for another thread to come in where nothing keeps it out.
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

    /// Most operations that two threads had in one file at once.
    fn most(kind: FileLock, op: Op, meet: bool) -> u32 {
        let (lock, within, most) = (SharedLock::default(), Arc::default(), Arc::<AtomicU32>::default());
        std::thread::scope(|scope| {
            for _ in 0..2 {
                let counting = Counting { within: Arc::clone(&within), most: Arc::clone(&most), meet };
                let locks = vec![Arc::clone(&lock)];
                scope.spawn(move || {
                    let mut engine = Locked::new(Box::new(Inline::new(counting)), kind, locks);
                    let request = Request { op, len: 4096, ..Request::default() };
                    for _ in 0..100 {
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
