//! An engine without I/O: every request completes immediately. Measures the overhead of secchi itself.

use crate::engine::{Completion, Engine, EngineEntry, Opened, Request, Wait};
use model::plan::{EngineQueue, EngineSpec, EngineTarget};
use std::io;

pub(in crate::engines) const ENTRY: EngineEntry = EngineEntry::new(
    EngineSpec::new(
        "null",
        "transfers no data; measures the overhead of the tool itself",
        EngineQueue::Deep,
        EngineTarget::Nothing,
    ),
    |opening| {
        crate::engines::options::Options::new("null", opening).finish()?;
        Ok(Opened::new(Null { done: Vec::with_capacity(opening.depth as usize), buffer: vec![0; opening.buffer_size] }))
    },
);

struct Null {
    done: Vec<Completion>,
    buffer: Vec<u8>,
}

impl Engine for Null {
    fn submit(&mut self, requests: &[Request]) -> io::Result<usize> {
        self.done.extend(requests.iter().map(|r| Completion { slot: r.slot, result: r.len as i32 }));
        Ok(requests.len())
    }

    fn reap(&mut self, _at_least: usize, _wait: Wait, done: &mut Vec<Completion>) -> io::Result<()> {
        done.append(&mut self.done);
        Ok(())
    }

    fn single(&mut self, request: &Request, _scratch: &mut Vec<Completion>) -> io::Result<i32> {
        Ok(request.len as i32)
    }

    fn buffer(&mut self, _slot: u32) -> &mut [u8] {
        &mut self.buffer
    }
}
