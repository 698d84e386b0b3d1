//! Trims for kernel queues that do not support them: the load thread performs them during submission (as fio does).
//! Only jobs that trim use this wrapper.

use super::delegate;
use crate::engine::{Completion, Engine, Opening, Request, Wait};
use model::Op;
use std::io;
use sys::queues::FileSet;

/// Returns the engine for a job, wrapped if the job trims. Through io_uring, punching a hole returns 0 instead of the
/// length and discards nothing on a device. Kernel AIO cannot punch holes.
pub(in crate::engines) fn with_trims(
    engine: impl Engine + 'static,
    files: FileSet,
    opening: &Opening,
) -> Box<dyn Engine> {
    match opening.trims {
        true => Box::new(Trimming::new(engine, files, opening.depth)),
        false => Box::new(engine),
    }
}

struct Trimming<E> {
    inner: E,
    files: FileSet,
    done: Vec<Completion>,
}

impl<E: Engine> Trimming<E> {
    fn new(inner: E, files: FileSet, depth: u32) -> Self {
        Trimming { inner, files, done: Vec::with_capacity(depth as usize) }
    }
}

impl<E: Engine> Engine for Trimming<E> {
    fn submit(&mut self, requests: &[Request]) -> io::Result<usize> {
        let mut taken = 0;
        for group in requests.chunk_by(|a, b| (a.op == Op::Trim) == (b.op == Op::Trim)) {
            if group[0].op == Op::Trim {
                for request in group {
                    let result = self.files.discard(request.file, request.at, request.len);
                    self.done.push(Completion { slot: request.slot, result });
                }
                taken += group.len();
                continue;
            }
            let more = self.inner.submit(group)?;
            taken += more;
            if more < group.len() {
                break;
            }
        }
        Ok(taken)
    }

    fn reap(&mut self, at_least: usize, wait: Wait, done: &mut Vec<Completion>) -> io::Result<()> {
        let at_least = at_least.saturating_sub(self.done.len());
        done.append(&mut self.done);
        // Called even if enough completions are ready, because the inner queue must submit the requests that it holds
        // back until this call.
        self.inner.reap(at_least, if at_least == 0 { Wait::AtMost(0) } else { wait }, done)
    }

    delegate! { flush buffer priority absent_reads }
}
