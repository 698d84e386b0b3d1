//! The engines there are. A new one is a file here and its line in [`ENGINES`].

mod faulty;
mod io_uring;
mod libaio;
mod mmap;
mod null;
mod psync;

use crate::engine::{EngineEntry, OpenError, Request};
pub use faulty::Faulty;
use std::io;
use sys::{IoKind, Submission};

/// Every engine, the preferred one first.
pub const ENGINES: &[EngineEntry] =
    &[io_uring::ENTRY, libaio::ENTRY, psync::PSYNC, psync::SYNC, mmap::ENTRY, null::ENTRY];

/// The engine of this name.
///
/// # Errors
/// [`OpenError::Unknown`] with the names there are and the nearest.
pub fn find(name: &str) -> Result<&'static EngineEntry, OpenError> {
    ENGINES.iter().find(|e| e.name == name).ok_or_else(|| OpenError::Unknown {
        name: model::clip(name),
        known: ENGINES.iter().map(|e| e.name).collect::<Vec<_>>().join(" "),
        hint: model::nearest(name, ENGINES.iter().map(|e| e.name))
            .map(|n| format!("; did you mean `{n}`?"))
            .unwrap_or_default(),
    })
}

/// Whether the first file is a block device.
fn is_device(files: &[std::sync::Arc<std::fs::File>]) -> bool {
    use std::os::unix::fs::FileTypeExt;
    files.first().and_then(|f| f.metadata().ok()).is_some_and(|m| m.file_type().is_block_device())
}

/// Hands requests on in batches of at most `batch`, until one finds no room for all of its own; says how many were taken.
#[inline(always)]
fn in_batches(
    batch: usize,
    requests: &[Request],
    mut give: impl FnMut(&[Request]) -> io::Result<usize>,
) -> io::Result<usize> {
    let mut taken = 0;
    for part in requests.chunks(batch) {
        let given = give(part)?;
        taken += given;
        if given < part.len() {
            break;
        }
    }
    Ok(taken)
}

#[inline(always)]
fn submission(request: &Request) -> Submission {
    let kind = match request.op {
        model::Op::Read => IoKind::Read,
        model::Op::Write => IoKind::Write,
        model::Op::Flush => IoKind::DataSync,
        model::Op::Trim => IoKind::Discard,
    };
    Submission { slot: request.slot, kind, at: request.at, len: request.len, skip: request.skip }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::{Completion, Opened, Opening, Wait};
    use model::Op;
    use std::os::unix::fs::FileExt;
    use std::sync::Arc;

    fn opening(file: &std::fs::File, depth: u32) -> Opening {
        Opening {
            files: vec![Arc::new(file.try_clone().unwrap())],
            size: 65536,
            writes: true,
            depth,
            buffer_size: 4096,
            ..Opening::default()
        }
    }

    #[test]
    #[expect(clippy::print_stderr, reason = "skips are said aloud")]
    fn every_engine_reads_what_it_wrote() {
        for entry in ENGINES.iter().filter(|e| e.name != "null") {
            let file = tempfile::tempfile().unwrap();
            file.write_all_at(&[1; 65536], 0).unwrap();
            let depth = if entry.blocking { 1 } else { 4 };
            let Opened { mut engine, .. } = match (entry.open)(&opening(&file, depth)) {
                Ok(opened) => opened,
                Err(e) => {
                    eprintln!("SKIPPED: {e}");
                    continue;
                }
            };
            let mut done = Vec::with_capacity(4);
            let mut one = |engine: &mut Box<dyn crate::engine::Engine>, op, at| {
                let request = Request { op, at, len: if op == Op::Flush { 0 } else { 4096 }, ..Request::default() };
                assert_eq!(engine.submit(&[request]).unwrap(), 1);
                engine.reap(1, Wait::Forever, &mut done).unwrap();
                let Completion { slot: 0, result } = done.pop().unwrap() else { panic!("another slot") };
                result
            };
            engine.buffer(0).fill(0xA5);
            assert_eq!(one(&mut engine, Op::Write, 8192), 4096, "{}", entry.name);
            assert_eq!(one(&mut engine, Op::Flush, 0), 0, "{}", entry.name);
            engine.buffer(0).fill(0);
            assert_eq!(one(&mut engine, Op::Read, 8192), 4096, "{}", entry.name);
            assert!(engine.buffer(0).iter().all(|b| *b == 0xA5), "{}", entry.name);
            assert_eq!(one(&mut engine, Op::Read, 65536), 0, "{} beyond the end", entry.name);
        }
    }

    #[test]
    #[expect(clippy::print_stderr, reason = "skips are said aloud")]
    fn every_engine_answers_a_write_to_a_file_open_for_reading_with_an_error() {
        let named = tempfile::NamedTempFile::new().unwrap();
        named.as_file().write_all_at(&[1; 65536], 0).unwrap();
        let reading = std::fs::File::open(named.path()).unwrap();
        for entry in ENGINES.iter().filter(|e| e.name != "null") {
            let mut engine = match (entry.open)(&Opening { writes: false, ..opening(&reading, 1) }) {
                Ok(opened) => opened.engine,
                Err(e) => {
                    eprintln!("SKIPPED: {e}");
                    continue;
                }
            };
            let request = Request { op: Op::Write, len: 4096, ..Request::default() };
            // EBADF.
            assert_eq!(engine.single(&request, &mut Vec::with_capacity(1)).unwrap(), -9, "{}", entry.name);
        }
    }

    #[test]
    fn a_blocking_engine_refuses_depth() {
        let file = tempfile::tempfile().unwrap();
        let Err(error) = (find("psync").unwrap().open)(&opening(&file, 8)) else { panic!("opened") };
        assert!(error.to_string().contains("8 were asked"), "{error}");
    }

    #[test]
    fn an_unknown_engine_gets_the_nearest_name() {
        let Err(error) = find("iouring") else { panic!("found") };
        assert!(error.to_string().contains("did you mean `io_uring`?"), "{error}");
    }
}
