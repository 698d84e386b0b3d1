//! Changing the length of files: fio's `ftruncate`. A write truncates or extends the file so that it ends at the offset
//! of the write. No data is transferred; reads and trims are errors (EINVAL), as in fio.

use crate::engine::{Blocking, EngineEntry, Inline, Opened, Probe, Request, WriteConsent};
use crate::engines::options::Options;
use model::Op;
use model::plan::{EngineQueue, EngineSpec, EngineTarget};
use std::io;
use sys::errno;
use sys::queues::FileSet;

pub(in crate::engines) const ENTRY: EngineEntry = EngineEntry {
    spec: EngineSpec::new(
        "ftruncate",
        "every write truncates or extends the file to end at the offset of the write; no data is transferred",
        EngineQueue::Single,
        EngineTarget::Space,
    ),
    size: None,
    consent: WriteConsent::None,
    probe: Probe::Opening,
    open: |opening| {
        Options::new("ftruncate", opening).finish()?;
        opening.one_at_a_time("ftruncate")?;
        let files = opening.file_set("ftruncate")?;
        Ok(Opened::new(Inline::new(Ftruncate { files, buffer: vec![0; opening.buffer_size] })))
    },
};

struct Ftruncate {
    files: FileSet,
    /// Buffer that is never used for I/O; every engine must have one.
    buffer: Vec<u8>,
}

impl Blocking for Ftruncate {
    #[inline]
    fn perform(&mut self, request: &Request) -> i32 {
        let file = &self.files.files()[usize::from(request.file)];
        let done = match request.op {
            Op::Write => file.set_len(request.at),
            Op::Flush => file.sync_all(),
            Op::Read | Op::Trim => Err(io::Error::from_raw_os_error(errno::EINVAL)),
        };
        match done {
            Ok(()) => request.len as i32,
            Err(error) => -error.raw_os_error().unwrap_or(errno::EIO),
        }
    }

    fn buffer(&mut self) -> &mut [u8] {
        &mut self.buffer
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Opening;
    use std::sync::Arc;

    #[test]
    fn a_write_sets_the_length_and_nothing_else_is_done() {
        let file = crate::test_file();
        let files = vec![Arc::new(file.try_clone().unwrap())];
        let opening = Opening { files, depth: 1, buffer_size: 4096, ..Opening::default() };
        let mut engine = (ENTRY.open)(&opening).unwrap().engine;
        let mut ask =
            |op, at, len| engine.single(&Request { op, at, len, ..Request::default() }, &mut Vec::new()).unwrap();
        assert_eq!(ask(Op::Write, 8192, 4096), 4096);
        assert_eq!(file.metadata().unwrap().len(), 8192);
        assert_eq!(ask(Op::Write, 0, 4096), 4096);
        assert_eq!(file.metadata().unwrap().len(), 0);
        assert_eq!(ask(Op::Flush, 0, 0), 0);
        assert_eq!(ask(Op::Read, 0, 4096), -errno::EINVAL);
        assert_eq!(ask(Op::Trim, 0, 4096), -errno::EINVAL);
    }
}
