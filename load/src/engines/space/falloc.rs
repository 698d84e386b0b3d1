//! Reserving and releasing space in files: fio's `falloc`. A write reserves a range and extends the file to the end of
//! the range. A read reserves a range without changing the size of the file, even if the range is beyond the end. A
//! trim releases a range. No data is transferred.

use crate::engine::{Blocking, EngineEntry, Inline, Opened, Probe, Request, WriteConsent};
use crate::engines::options::Options;
use model::Op;
use model::plan::{EngineQueue, EngineSpec, EngineTarget};
use sys::queues::FileSet;

pub(in crate::engines) const ENTRY: EngineEntry = EngineEntry {
    spec: EngineSpec::new(
        "falloc",
        "fallocate: writes reserve space and extend the file, reads reserve space without changing the size, trims \
         release space; no data is transferred",
        EngineQueue::Single,
        EngineTarget::Space,
    ),
    size: None,
    consent: WriteConsent::None,
    probe: Probe::Opening,
    open: |opening| {
        Options::new("falloc", opening).finish()?;
        opening.one_at_a_time("falloc")?;
        let files = opening.file_set("falloc")?;
        Ok(Opened::new(Inline::new(Falloc { files, buffer: vec![0; opening.buffer_size] })))
    },
};

struct Falloc {
    files: FileSet,
    /// Buffer that is never used for I/O; every engine must have one.
    buffer: Vec<u8>,
}

impl Blocking for Falloc {
    #[inline]
    fn perform(&mut self, request: &Request) -> i32 {
        let (file, at, len) = (request.file, request.at, request.len);
        match request.op {
            Op::Read => self.files.reserve(file, at, len, true),
            Op::Write => self.files.reserve(file, at, len, false),
            Op::Trim => self.files.discard(file, at, len),
            Op::Flush => match self.files.files()[usize::from(file)].sync_all() {
                Ok(()) => 0,
                Err(error) => -error.raw_os_error().unwrap_or(sys::errno::EIO),
            },
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
    use sys::files::MetadataExt;

    #[test]
    fn space_is_reserved_and_given_back() {
        let file = crate::test_disk_file();
        let files = vec![Arc::new(file.try_clone().unwrap())];
        let opening = Opening { files, depth: 1, buffer_size: 65536, ..Opening::default() };
        let mut engine = (ENTRY.open)(&opening).unwrap().engine;
        let mut ask = |op, at| engine.single(&Request { op, at, len: 65536, ..Request::default() }, &mut Vec::new());
        if ask(Op::Write, 0).unwrap() == -sys::errno::EOPNOTSUPP {
            testkit::skip!("this file system has no fallocate");
        }
        let seen = || sys::files::file_metadata(&file).map(|m| (m.len(), m.blocks() * 512)).unwrap();
        let written = seen();
        if ask(Op::Read, 65536).unwrap() != 65536 {
            testkit::skip!("this file system reserves no room beyond the end (wine)");
        }
        assert_eq!(written, (65536, 65536));
        assert_eq!(seen(), (65536, 131_072), "reserved beyond the end");
        assert_eq!(ask(Op::Trim, 0).unwrap(), 65536);
        assert_eq!(seen(), (65536, 65536));
        assert_eq!(ask(Op::Flush, 0).unwrap(), 0);
    }
}
