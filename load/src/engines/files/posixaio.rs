//! POSIX AIO as the C library implements it: threads that read and write for the caller. There are as many threads as
//! operations in flight, so that no operation waits for another. glibc uses at most 20 threads, and only one at a time
//! per file.

use crate::engine::{Completion, Engine, EngineEntry, OpenError, Opened, Request, Wait};
use crate::engines::options::Options;
use crate::engines::submission;
use model::plan::{EngineQueue, EngineSpec, EngineTarget};
use std::io;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TryRecvError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use sys::queues::{BlockingQueue, Call};

pub(in crate::engines) const ENTRY: EngineEntry = EngineEntry::new(
    EngineSpec::new("posixaio", "POSIX asynchronous I/O", EngineQueue::Deep, EngineTarget::Contents),
    |opening| {
        Options::new("posixaio", opening).finish()?;
        let files = opening.file_set("posixaio")?;
        let fail = |e: io::Error| OpenError::unavailable("posixaio", &e, "lower the depth, or use io_uring");
        let depth = opening.depth.max(1) as usize;
        let slots = (0..depth)
            .map(|_| BlockingQueue::new(files.for_another_thread()?, Call::Positioned, opening.buffer_size))
            .map(|queue| queue.map(Box::new).map(Some))
            .collect::<io::Result<Vec<_>>>()
            .map_err(fail)?;
        Ok(Opened::new(Pool::start(slots).map_err(fail)?))
    },
);

/// Buffer, with the files that its operations access. A slot is passed to a thread and back, so that no other thread
/// can access the buffer meanwhile.
type Slot = Box<BlockingQueue>;

struct Pool {
    slots: Vec<Option<Slot>>,
    asked: SyncSender<(Request, Slot)>,
    answers: Receiver<(Completion, Slot)>,
    pending: usize,
}

impl Pool {
    /// Starts one thread per slot. The threads end when the pool is dropped, or as soon as they return from the kernel.
    fn start(slots: Vec<Option<Slot>>) -> io::Result<Self> {
        // Room for all slots, so that no sender ever waits.
        let (asked, questions) = sync_channel::<(Request, Slot)>(slots.len());
        let (answer, answers) = sync_channel(slots.len());
        let questions = Arc::new(Mutex::new(questions));
        for number in 0..slots.len() {
            let (questions, answer) = (Arc::clone(&questions), answer.clone());
            std::thread::Builder::new().name(format!("aio-{number}")).stack_size(64 << 10).spawn(move || {
                loop {
                    // The thread that holds the lock while waiting takes the next request.
                    let next = questions.lock().unwrap_or_else(PoisonError::into_inner).recv();
                    let Ok((request, mut slot)) = next else { return };
                    let result = slot.perform(&submission(&request)).result;
                    if answer.send((Completion { slot: request.slot, result }, slot)).is_err() {
                        return;
                    }
                }
            })?;
        }
        Ok(Pool { slots, asked, answers, pending: 0 })
    }

    fn take_back(&mut self, (completion, slot): (Completion, Slot), done: &mut Vec<Completion>) {
        self.slots[completion.slot as usize] = Some(slot);
        self.pending -= 1;
        done.push(completion);
    }
}

fn gone() -> io::Error {
    io::Error::other("posixaio: the threads have ended")
}

impl Engine for Pool {
    fn submit(&mut self, requests: &[Request]) -> io::Result<usize> {
        for request in requests {
            let slot = self.slots[request.slot as usize].take().expect("the worker requests only free slots");
            self.asked.send((*request, slot)).map_err(|_| gone())?;
            self.pending += 1;
        }
        Ok(requests.len())
    }

    fn reap(&mut self, at_least: usize, wait: Wait, done: &mut Vec<Completion>) -> io::Result<()> {
        let (mut missing, start) = (at_least.min(self.pending), std::time::Instant::now());
        loop {
            match self.answers.try_recv() {
                Ok(answer) => {
                    self.take_back(answer, done);
                    missing = missing.saturating_sub(1);
                    continue;
                }
                Err(TryRecvError::Disconnected) => return Err(gone()),
                Err(TryRecvError::Empty) if missing == 0 => return Ok(()),
                Err(TryRecvError::Empty) => {}
            }
            let answer = match wait {
                Wait::Forever => self.answers.recv().map_err(|_| gone())?,
                Wait::AtMost(ns) => {
                    let left = Duration::from_nanos(ns).saturating_sub(start.elapsed());
                    match self.answers.recv_timeout(left) {
                        Ok(answer) => answer,
                        Err(RecvTimeoutError::Timeout) => return Ok(()),
                        Err(RecvTimeoutError::Disconnected) => return Err(gone()),
                    }
                }
            };
            self.take_back(answer, done);
            missing -= 1;
        }
    }

    fn buffer(&mut self, slot: u32) -> &mut [u8] {
        self.slots[slot as usize].as_mut().expect("the worker requests only buffers of free slots").buffer()
    }
}
