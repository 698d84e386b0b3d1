//! Reserving and releasing space in files, and changing their lengths: fio's `falloc` and `ftruncate`. No data is
//! transferred.

use crate::engine::{Blocking, EngineEntry, Inline, OpenError, Opened, Opening, Request};
use crate::engines::options::Options;
use model::Op;
use model::plan::{EngineQueue, EngineSpec, EngineTarget};
use std::io;
use sys::errno;
use sys::queues::FileSet;

pub(in crate::engines) const FALLOC: EngineEntry = EngineEntry::new(
    EngineSpec::new(
        "falloc",
        "fallocate: writes reserve space and extend the file, reads reserve space without changing the size, trims \
         release space; no data is transferred",
        EngineQueue::Single,
        EngineTarget::Space,
    ),
    |opening| open("falloc", opening, allocate),
);

pub(in crate::engines) const FTRUNCATE: EngineEntry = EngineEntry::new(
    EngineSpec::new(
        "ftruncate",
        "every write truncates or extends the file to end at the offset of the write; no data is transferred",
        EngineQueue::Single,
        EngineTarget::Space,
    ),
    |opening| open("ftruncate", opening, truncate),
);

fn open<F: Fn(&FileSet, &Request) -> i32 + 'static>(
    name: &'static str,
    opening: &Opening,
    call: F,
) -> Result<Opened, OpenError> {
    Options::new(name, opening).finish()?;
    opening.one_at_a_time(name)?;
    let files = opening.file_set(name)?;
    Ok(Opened::new(Inline::new(Calls { files, call, buffer: vec![0; opening.buffer_size] })))
}

/// Engine that performs one system call for each operation.
struct Calls<F> {
    files: FileSet,
    /// Performs an operation and returns the bytes moved, or a negative errno.
    call: F,
    /// Buffer that is never used for I/O; every engine must have one.
    buffer: Vec<u8>,
}

impl<F: Fn(&FileSet, &Request) -> i32> Blocking for Calls<F> {
    #[inline]
    fn perform(&mut self, request: &Request) -> i32 {
        (self.call)(&self.files, request)
    }

    fn buffer(&mut self) -> &mut [u8] {
        &mut self.buffer
    }
}

/// A write reserves a range and extends the file to the end of the range. A read reserves a range without changing the
/// size of the file, even if the range is beyond the end. A trim releases a range.
fn allocate(files: &FileSet, request: &Request) -> i32 {
    let (file, at, len) = (request.file, request.at, request.len);
    match request.op {
        Op::Read => files.reserve(file, at, len, true),
        Op::Write => files.reserve(file, at, len, false),
        Op::Trim => files.discard(file, at, len),
        Op::Flush => result_of(files.files()[usize::from(file)].sync_all(), 0),
    }
}

/// A write truncates or extends the file so that it ends at the offset of the write. Reads and trims are errors
/// (EINVAL), as in fio.
fn truncate(files: &FileSet, request: &Request) -> i32 {
    let file = &files.files()[usize::from(request.file)];
    let done = match request.op {
        Op::Write => file.set_len(request.at),
        Op::Flush => file.sync_all(),
        Op::Read | Op::Trim => Err(io::Error::from_raw_os_error(errno::EINVAL)),
    };
    result_of(done, request.len as i32)
}

fn result_of(done: io::Result<()>, success: i32) -> i32 {
    done.map_or_else(|error| -error.raw_os_error().unwrap_or(errno::EIO), |()| success)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use sys::files::MetadataExt;

    #[test]
    fn space_is_reserved_and_given_back() {
        let file = crate::test_disk_file();
        let files = vec![Arc::new(file.try_clone().unwrap())];
        let opening = Opening { files, depth: 1, buffer_size: 65536, ..Opening::default() };
        let mut engine = (FALLOC.open)(&opening).unwrap().engine;
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

    #[test]
    fn a_write_sets_the_length_and_nothing_else_is_done() {
        let file = crate::test_file();
        let files = vec![Arc::new(file.try_clone().unwrap())];
        let opening = Opening { files, depth: 1, buffer_size: 4096, ..Opening::default() };
        let mut engine = (FTRUNCATE.open)(&opening).unwrap().engine;
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
