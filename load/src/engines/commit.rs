//! Engine that performs commits, one at a time. Each commit consists of several writes and the operation that makes
//! them durable ([`model::plan::CommitRule`]).
//!
//! The guard that creates the directory passes an open descriptor for it ([`crate::target::OwnDirectory`]). The
//! directory contains a data file that is written and synced before the measurement, as PostgreSQL prepares a WAL
//! segment. Commits overwrite the data file from beginning to end. The method `append` uses a separate file that grows;
//! `rename` uses files that replace each other.

use super::errno;
use super::options::Options;
use crate::engine::{Blocking, EngineEntry, Inline, OpenError, Opened, Opening, Probe, Request, WriteConsent};
use model::Op;
use model::plan::{
    CommitMethod, EngineOption, EngineQueue, EngineSpec, EngineTarget, FlushKind, OptionValue, OptionWord,
};
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;
use sys::files::{Access, OpenHow};
use sys::queues::{BlockingQueue, Call, FileSet, IoKind, Submission};
use sys::storage::{Durability, LoadOpen};

const NAME: &str = "commit";

const METHOD: EngineOption = EngineOption::new(
    "method",
    OptionValue::Words(
        &[
            OptionWord::new(CommitMethod::None.name(), "writes without a sync"),
            OptionWord::new(CommitMethod::SyncFileRange.name(), "sync_file_range(2), waiting for completion"),
            OptionWord::new(CommitMethod::Direct.name(), "O_DIRECT"),
            OptionWord::new(CommitMethod::Fdatasync.name(), "fdatasync(2)"),
            OptionWord::new(CommitMethod::Fsync.name(), "fsync(2)"),
            OptionWord::new(CommitMethod::OpenDatasync.name(), "O_DSYNC"),
            OptionWord::new(CommitMethod::OpenSync.name(), "O_SYNC"),
            OptionWord::new(CommitMethod::DirectDatasync.name(), "O_DIRECT and O_DSYNC"),
            OptionWord::new(CommitMethod::OtherFsync.name(), "fsync(2) of another descriptor"),
            OptionWord::new(CommitMethod::Append.name(), "fdatasync(2) of a growing file"),
            OptionWord::new(
                CommitMethod::Rename.name(),
                "fsync(2) of a new file and, after its rename, of the directory",
            ),
        ],
        &[],
    ),
    CommitMethod::None.name(),
    "Method that makes the writes of a commit durable.",
);
const BLOCK: EngineOption = EngineOption::new("block", OptionValue::UpTo(1 << 26), "0", "Size of a write in bytes.");
const DATA_SIZE: EngineOption =
    EngineOption::new("data_size", OptionValue::UpTo(1 << 30), "0", "Size of the file in bytes.");

pub(super) const ENTRY: EngineEntry = EngineEntry {
    spec: EngineSpec::new(
        NAME,
        "every operation is several writes and the method that makes them durable",
        EngineQueue::Single,
        EngineTarget::OwnDirectory,
    )
    .with_options(&[METHOD, BLOCK, DATA_SIZE]),
    size: None,
    consent: WriteConsent::None,
    probe: Probe::Own(|| Ok(())),
    open,
};

/// Name of the file that is overwritten.
const DATA: &str = "commit.data";
/// Name of the file that grows; truncated when it reaches [`LONGEST`].
const GROWING: &str = "commit.log";
/// Name of a new file before it is renamed.
const NEW: &str = "commit.new";
/// Number of names that the new file may be renamed to.
const SLOTS: u64 = 8;
const LONGEST: u64 = 256 << 20;
/// Size of one write while the data file is filled before the measurement, in bytes.
const FILL: usize = 1 << 20;

fn slot(number: u64) -> OsString {
    format!("commit.{number}").into()
}

/// Returns `true` if this engine uses a file with this name.
pub(crate) fn is_commit_file(name: &OsStr) -> bool {
    name == DATA || name == GROWING || name == NEW || (0..SLOTS).any(|number| name == slot(number))
}

fn open(opening: &Opening) -> Result<Opened, OpenError> {
    let mut options = Options::new(NAME, opening);
    let word = options.word(&METHOD)?;
    let method = word.parse().unwrap_or(CommitMethod::None);
    let block = options.number(BLOCK.name)?.unwrap_or(0);
    let size = u64::from(options.number(DATA_SIZE.name)?.unwrap_or(0));
    options.finish()?;
    opening.one_at_a_time(NAME)?;
    let directory = opening.own_directory(NAME, "secchi durable")?;
    let ready =
        |e: &io::Error| OpenError::unavailable(NAME, e, "check the free space and the permissions of its directory");
    let (name, durability) = match method {
        CommitMethod::Append => (GROWING, Durability::None),
        CommitMethod::OpenDatasync | CommitMethod::DirectDatasync => (DATA, Durability::Data),
        CommitMethod::OpenSync => (DATA, Durability::Full),
        _ => (DATA, Durability::None),
    };
    let how = LoadOpen { write: true, direct: method.is_direct(), durability, no_atime: false };
    let commit = file(&directory, name)
        .and_then(|data| {
            if name == DATA {
                fill(&data, size)?;
            }
            let written = sys::storage::reopen_for_load(&data, how)?;
            let files = FileSet::new(vec![written, data.try_clone()?])?;
            let queue = BlockingQueue::new(files, Call::Positioned, opening.buffer_size)?;
            let slots = (0..SLOTS).map(slot).collect();
            Ok(Commit { method, block, directory, data, queue, end: 0, next: 0, slots })
        })
        .map_err(|e| ready(&e))?;
    Ok(Opened::new(Inline::new(commit)))
}

/// Opens the file with this name, or creates it.
fn file(directory: &File, name: &str) -> io::Result<File> {
    match sys::files::create_new(directory, OsStr::new(name)) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            sys::files::open_no_links(Some(directory), Path::new(name), OpenHow::plain(Access::ReadWrite))
        }
        made => made,
    }
}

/// Writes a file to its full size and makes it durable, so that no commit has to allocate space.
fn fill(mut data: &File, size: u64) -> io::Result<()> {
    if data.metadata()?.len() >= size {
        return Ok(());
    }
    let contents = vec![0x5a; FILL];
    let mut left = size;
    while left > 0 {
        let part = left.min(FILL as u64);
        data.write_all(&contents[..part as usize])?;
        left -= part;
    }
    data.sync_all()
}

struct Commit {
    method: CommitMethod,
    block: u32,
    directory: Arc<File>,
    data: File,
    /// Queue for writes and flushes. File 0 is the written file; file 1 is another descriptor for the same file.
    queue: BlockingQueue,
    /// End of the growing file, in bytes.
    end: u64,
    /// Number of files renamed so far.
    next: u64,
    slots: Vec<OsString>,
}

impl Commit {
    /// Performs the writes and makes them durable. Returns a negative errno if this fails.
    fn commit(&mut self, request: &Request) -> Result<(), i32> {
        match self.method {
            CommitMethod::Append => {
                if self.end.saturating_add(u64::from(request.len)) > LONGEST {
                    self.data.set_len(0).map_err(errno)?;
                    self.end = 0;
                }
                self.write(self.end, request)?;
                self.end += u64::from(request.len);
                self.sync(0, IoKind::DataSync)
            }
            CommitMethod::Rename => self.replace(request).map_err(errno),
            method => {
                self.write(request.at, request)?;
                match method {
                    CommitMethod::Fdatasync => self.sync(0, IoKind::DataSync),
                    CommitMethod::Fsync => self.sync(0, IoKind::Sync),
                    CommitMethod::OtherFsync => self.sync(1, IoKind::Sync),
                    CommitMethod::SyncFileRange => {
                        sys::storage::write_back_range(&self.data, request.at, u64::from(request.len)).map_err(errno)
                    }
                    _ => Ok(()),
                }
            }
        }
    }

    fn write(&mut self, at: u64, request: &Request) -> Result<(), i32> {
        let block = if self.block == 0 { request.len } else { self.block.min(request.len) };
        let mut done = 0;
        while done < request.len {
            let len = block.min(request.len - done);
            let at = at + u64::from(done);
            let piece = Submission { slot: 0, kind: IoKind::Write, file: 0, at, len, skip: done };
            match self.queue.perform(&piece).result {
                error if error < 0 => return Err(error),
                // The file is full, or another process truncated it.
                moved if moved as u32 != len => return Err(-sys::errno::EIO),
                _ => done += len,
            }
        }
        Ok(())
    }

    fn sync(&mut self, file: u16, kind: IoKind) -> Result<(), i32> {
        match self.queue.perform(&Submission { slot: 0, kind, file, at: 0, len: 0, skip: 0 }).result {
            error if error < 0 => Err(error),
            _ => Ok(()),
        }
    }

    fn replace(&mut self, request: &Request) -> io::Result<()> {
        let mut new = sys::files::create_new(&self.directory, OsStr::new(NEW))?;
        new.write_all(&self.queue.buffer()[..request.len as usize])?;
        new.sync_all()?;
        let name = &self.slots[(self.next % SLOTS) as usize];
        self.next += 1;
        sys::files::rename_at(&self.directory, OsStr::new(NEW), name)?;
        self.directory.sync_all()
    }
}

impl Blocking for Commit {
    fn perform(&mut self, request: &Request) -> i32 {
        let done = match request.op {
            Op::Write => self.commit(request),
            Op::Flush if request.flush == FlushKind::Full => self.sync(0, IoKind::Sync),
            Op::Flush => self.sync(0, IoKind::DataSync),
            Op::Read | Op::Trim => Err(-sys::errno::EINVAL),
        };
        match (done, request.op) {
            (Err(error), _) => error,
            (Ok(()), Op::Flush) => 0,
            (Ok(()), _) => request.len as i32,
        }
    }

    fn buffer(&mut self) -> &mut [u8] {
        self.queue.buffer()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Engine;

    const SIZE: u32 = 1 << 20;

    fn engine(directory: &File, method: CommitMethod, block: u32) -> Box<dyn Engine> {
        let options =
            [("method", method.name().to_owned()), ("block", block.to_string()), ("data_size", SIZE.to_string())];
        let opening = Opening {
            files: vec![Arc::new(directory.try_clone().expect("it is open"))],
            options: options.map(|(n, v)| (n.to_owned(), v)).to_vec(),
            depth: 1,
            buffer_size: 16 << 10,
            ..Opening::default()
        };
        (ENTRY.open)(&opening).unwrap_or_else(|e| panic!("{method}: {e}")).engine
    }

    #[test]
    fn every_method_leaves_what_it_wrote_where_it_says_and_only_files_that_are_known() {
        let temp = tempfile::tempdir_in(".").expect("a directory");
        let directory = crate::test_directory(temp.path());
        for method in CommitMethod::ALL.iter().copied() {
            let mut engine = engine(&directory, method, 4096);
            for (turn, at) in [0u64, 16 << 10].into_iter().enumerate() {
                engine.buffer(0)[..16 << 10].fill(method as u8 * 2 + turn as u8 + 1);
                let request = Request { op: Op::Write, at, len: 16 << 10, ..Request::default() };
                assert_eq!(engine.single(&request, &mut Vec::new()).expect("it answers"), 16 << 10, "{method}");
            }
            let flush = Request { op: Op::Flush, ..Request::default() };
            assert_eq!(engine.single(&flush, &mut Vec::new()).expect("it answers"), 0, "{method}");
            let read = |name: &str| std::fs::read(temp.path().join(name)).unwrap_or_else(|e| panic!("{name}: {e}"));
            let (first, second) = match method {
                CommitMethod::Append => (read(GROWING), read(GROWING).split_off(16 << 10)),
                CommitMethod::Rename => (read("commit.0"), read("commit.1")),
                _ => (read(DATA), read(DATA).split_off(16 << 10)),
            };
            for (turn, contents) in [first, second].iter().enumerate() {
                assert!(contents[..16 << 10].iter().all(|b| *b == method as u8 * 2 + turn as u8 + 1), "{method}");
            }
        }
        let names = std::fs::read_dir(temp.path()).expect("it is there").map(|e| e.expect("an entry").file_name());
        let names: Vec<OsString> = names.collect();
        assert!(names.iter().all(|name| is_commit_file(name)), "{names:?}");
        assert_eq!(std::fs::metadata(temp.path().join(DATA)).expect("it is there").len(), u64::from(SIZE));
        assert!(!is_commit_file(OsStr::new("commit.8")) && !is_commit_file(OsStr::new("commit.00")));
    }

    #[test]
    fn it_works_in_a_directory_only() {
        let file = crate::test_file();
        let opening = Opening { files: vec![Arc::new(file)], depth: 1, ..Opening::default() };
        let Err(error) = (ENTRY.open)(&opening) else { panic!("opened") };
        assert!(error.to_string().contains("secchi durable"), "{error}");
    }
}
