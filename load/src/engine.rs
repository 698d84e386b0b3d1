//! The engine seam: one queue to one target, driven by one thread.
//!
//! Two calls on the hot path. An engine sees requests, never the job, the clock, the recorder or the world; the worker
//! stamps time. One virtual call per batch; no allocation after opening.

use model::{EngineSpec, FlushKind, Op};
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use sys::FileSet;
pub use sys::Wait;
use sys::errno;

/// One operation asked of an engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Request {
    /// Buffer, and name under which it is answered; below the queue depth.
    pub slot: u32,
    /// The kind of operation.
    pub op: Op,
    /// How much a flush makes durable; without meaning for the others.
    pub flush: FlushKind,
    /// Which of the files, as an index into [`Opening::files`].
    pub file: u16,
    /// Byte offset for block engines, record number for databases.
    pub at: u64,
    /// Length in bytes.
    pub len: u32,
    /// Offset inside the buffer: above zero when a short operation is continued.
    pub skip: u32,
}

impl Default for Request {
    /// A read of nothing: what empty slots hold.
    fn default() -> Self {
        Request { slot: 0, op: Op::Read, flush: FlushKind::Data, file: 0, at: 0, len: 0, skip: 0 }
    }
}

impl Request {
    /// What is left of it after `moved` bytes.
    #[must_use]
    pub fn after(self, moved: u32) -> Self {
        Request { at: self.at + u64::from(moved), len: self.len - moved, skip: self.skip + moved, ..self }
    }
}

/// One answer: bytes moved, or a negative errno.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Completion {
    /// As in the [`Request`].
    pub slot: u32,
    /// Bytes moved, or a negative errno.
    pub result: i32,
}

/// One queue to one target, driven by one thread.
pub trait Engine {
    /// Takes as many of `requests` as it has room for and says how many.
    ///
    /// # Errors
    /// When the queue itself is broken; a failed operation is a [`Completion`], never an error here.
    fn submit(&mut self, requests: &[Request]) -> io::Result<usize>;

    /// Hands over at once what `submit` took and the engine keeps for the call that waits.
    ///
    /// # Errors
    /// When the queue itself is broken.
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }

    /// Waits until at least `at_least` requests have completed (never more than are in flight), the time is up, or a signal
    /// came; appends them to `done`, which has room for a full queue.
    ///
    /// # Errors
    /// When the queue itself is broken.
    fn reap(&mut self, at_least: usize, wait: Wait, done: &mut Vec<Completion>) -> io::Result<()>;

    /// Performs one operation with nothing else in flight: bytes moved, or a negative errno. One virtual call instead of
    /// two and no list, for the loop of depth one. `scratch` is empty and stays so.
    ///
    /// # Errors
    /// When the queue itself is broken.
    fn single(&mut self, request: &Request, scratch: &mut Vec<Completion>) -> io::Result<i32> {
        if self.submit(std::slice::from_ref(request))? == 0 {
            return Err(io::Error::other("the engine has no room for a single operation"));
        }
        loop {
            self.reap(1, Wait::Forever, scratch)?;
            if let Some(completion) = scratch.pop() {
                return Ok(completion.result);
            }
        }
    }

    /// The buffer of a slot that is not in flight.
    fn buffer(&mut self, slot: u32) -> &mut [u8];

    /// The I/O priority that the last operation of this slot was given, as `ioprio_set(2)` has it; 0 = that of the thread.
    fn priority(&self, slot: u32) -> u16 {
        let _ = slot;
        0
    }

    /// Reads so far of things that are not there, which were answered with zeros; asked once, at the end.
    fn absent_reads(&self) -> u64 {
        0
    }
}

/// An engine that performs one operation at a time and returns when it is done.
pub trait Blocking {
    /// Performs it: bytes moved, or a negative errno.
    fn perform(&mut self, request: &Request) -> i32;

    /// The buffer.
    fn buffer(&mut self) -> &mut [u8];

    /// As [`Engine::absent_reads`].
    fn absent_reads(&self) -> u64 {
        0
    }
}

/// Makes a [`Blocking`] an [`Engine`] of depth one.
pub struct Inline<B> {
    inner: B,
    done: Option<Completion>,
}

impl<B: Blocking> Inline<B> {
    /// Wraps it.
    pub fn new(inner: B) -> Self {
        Inline { inner, done: None }
    }
}

impl<B: Blocking> Engine for Inline<B> {
    #[inline]
    fn submit(&mut self, requests: &[Request]) -> io::Result<usize> {
        match requests.first() {
            Some(request) if self.done.is_none() => {
                self.done = Some(Completion { slot: request.slot, result: self.inner.perform(request) });
                Ok(1)
            }
            _ => Ok(0),
        }
    }

    #[inline]
    fn reap(&mut self, _at_least: usize, _wait: Wait, done: &mut Vec<Completion>) -> io::Result<()> {
        done.extend(self.done.take());
        Ok(())
    }

    #[inline]
    fn single(&mut self, request: &Request, _scratch: &mut Vec<Completion>) -> io::Result<i32> {
        Ok(self.inner.perform(request))
    }

    fn buffer(&mut self, _slot: u32) -> &mut [u8] {
        self.inner.buffer()
    }

    fn absent_reads(&self) -> u64 {
        self.inner.absent_reads()
    }
}

/// What an engine is opened on.
#[derive(Debug, Clone, Default)]
pub struct Opening {
    /// The files, opened by the targets' guards; none only for engines that need none.
    pub files: Vec<Arc<File>>,
    /// Names of files or directories, for engines that work on names; [`Request::file`] counts them.
    pub names: Vec<PathBuf>,
    /// Where the part under test ends, in bytes from the start of the file: of several files, the largest.
    pub size: u64,
    /// Whether the workload writes, trims or flushes.
    pub writes: bool,
    /// Whether the workload trims.
    pub trims: bool,
    /// Whether the workload flushes.
    pub flushes: bool,
    /// Whether a write may return only when it is durable, for engines that open what they work on themselves.
    pub durable_writes: bool,
    /// Whether places come at random, for engines that advise the kernel.
    pub random: bool,
    /// Operations in flight.
    pub depth: u32,
    /// Largest operation.
    pub buffer_size: usize,
    /// Options of the engine, by name; one it does not have is refused.
    pub options: Vec<(String, String)>,
    /// Operations handed to the kernel at once; `None` = as the engine does best.
    pub submit: Option<u32>,
}

/// What the machine says where it has no more of something.
const SCARCE: [i32; 4] = [errno::EAGAIN, errno::ENOMEM, errno::ENFILE, errno::EMFILE];

/// Why an engine could not be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// No engine of this name.
    #[error("unknown engine `{name}`: {known}{hint}")]
    Unknown {
        /// As typed.
        name: String,
        /// The names there are.
        known: String,
        /// `; did you mean ...?`, or nothing.
        hint: String,
    },
    /// This machine does not let it work.
    #[error("{engine} does not work here: {why}; {advice}")]
    Unavailable {
        /// Its name.
        engine: &'static str,
        /// What the kernel said.
        why: String,
        /// What to try.
        advice: String,
        /// Memory, descriptors or threads were refused: the same may work elsewhere, or with less.
        lacks: bool,
        /// Another system has it, and this one never will.
        foreign: bool,
    },
    /// It cannot do what was asked.
    #[error("{engine} {why}")]
    Unsupported {
        /// Its name.
        engine: &'static str,
        /// What it cannot.
        why: String,
    },
}

impl OpenError {
    pub(crate) fn unavailable(engine: &'static str, error: &io::Error, advice: impl Into<String>) -> Self {
        let instead = sys::instead_of(error);
        let foreign = instead.is_some();
        let advice = instead.map_or_else(|| advice.into(), str::to_owned);
        let lacks = error.raw_os_error().is_some_and(|code| SCARCE.contains(&code));
        OpenError::Unavailable { engine, why: error.to_string(), advice, lacks, foreign }
    }

    /// Whether another system has it, and this one never will.
    #[must_use]
    pub fn is_foreign(&self) -> bool {
        matches!(self, OpenError::Unavailable { foreign: true, .. })
    }

    /// Whether the machine has not got what it takes, rather than that something is wrong with it.
    #[must_use]
    pub fn lacks(&self) -> bool {
        matches!(self, OpenError::Unavailable { lacks: true, .. })
    }
}

/// An engine ready to run, and what it had to do without.
pub struct Opened {
    /// The engine.
    pub engine: Box<dyn Engine>,
    /// One line each.
    pub notes: Vec<String>,
}

impl Opened {
    pub(crate) fn new(engine: impl Engine + 'static) -> Self {
        Opened { engine: Box::new(engine), notes: Vec::new() }
    }
}

/// Asks how many bytes what the options of an engine name has.
pub type SizeQuery = fn(&Opening) -> Result<u64, OpenError>;

/// What an engine says of a thing it is to write: why somebody must allow it, or nothing. It changes nothing.
pub type Occupied = fn(&ServedThing<'_>) -> Result<Option<String>, OpenError>;

/// A thing on a server that a job is to write.
#[derive(Debug, Clone, Copy)]
pub struct ServedThing<'a> {
    /// Its name.
    pub path: &'a Path,
    /// Options of the engine.
    pub options: &'a [(String, String)],
    /// Whether somebody typed its name; otherwise it is made of the job's.
    pub typed: bool,
}

impl<'a> ServedThing<'a> {
    /// An option, if it was given.
    #[must_use]
    pub fn option(&self, name: &str) -> Option<&'a str> {
        self.options.iter().find(|(n, _)| n == name).map(|(_, value)| value.as_str())
    }
}

/// What must be allowed before a job writes what an engine reaches.
#[derive(Clone, Copy)]
pub enum WriteConsent {
    /// Nothing here.
    None,
    /// It is a device: its name is typed again.
    TypedName,
    /// Writing over what is there already, where this finds something.
    Overwrite(Occupied),
}

/// The row an engine registers.
pub struct EngineEntry {
    /// What the job language and help know of it.
    pub spec: EngineSpec,
    /// Size in bytes of what its options name, of engines that ask a server for it.
    pub size: Option<SizeQuery>,
    /// What must be allowed before a job writes what it reaches; files and devices of this machine have guards of their
    /// own ([`crate::target`]).
    pub consent: WriteConsent,
    /// How it is found out whether it works on this machine, before there is a target.
    pub probe: Probe,
    /// Opens it on the thread that will drive it.
    pub open: fn(&Opening) -> Result<Opened, OpenError>,
}

/// How it is found out whether an engine works on a machine.
#[derive(Clone, Copy)]
pub enum Probe {
    /// It is opened on a file that holds nothing (`/dev/null`).
    Opening,
    /// By what it needs of the machine; whether it works on a target is found out there.
    Own(fn() -> Result<(), OpenError>),
    /// By loading the library of a client, which takes tens of milliseconds (librbd 39 ms): not before every run.
    Library(fn() -> Result<(), OpenError>),
}

impl EngineEntry {
    /// Whether it works on this machine; touches no target.
    ///
    /// # Errors
    /// [`OpenError`] saying what is missing.
    pub fn probe(&self) -> Result<(), OpenError> {
        match self.probe {
            Probe::Own(probe) | Probe::Library(probe) => probe(),
            Probe::Opening => {
                let files = File::open("/dev/null").into_iter().map(Arc::new).collect();
                let opening = Opening { files, size: 4096, depth: 1, buffer_size: 4096, ..Opening::default() };
                (self.open)(&opening).map(drop)
            }
        }
    }
}

impl Opening {
    /// The files, through descriptors of the engine's own; they may share the file position with the others.
    pub(crate) fn file_set(&self, engine: &'static str) -> Result<FileSet, OpenError> {
        self.opened(engine, sys::for_another_thread)
    }

    /// The files, with file positions of their own.
    pub(crate) fn own_file_set(&self, engine: &'static str) -> Result<FileSet, OpenError> {
        self.opened(engine, sys::reopen)
    }

    fn opened(&self, engine: &'static str, how: fn(&File) -> io::Result<File>) -> Result<FileSet, OpenError> {
        if self.files.is_empty() {
            return Err(OpenError::Unsupported { engine, why: "needs a file or device, not the null target".into() });
        }
        let fds = self.files.iter().map(|f| how(f)).collect::<io::Result<Vec<_>>>();
        fds.and_then(FileSet::new).map_err(|e| {
            let advice = match sys::is_descriptor_limit(&e) {
                true => "raise the limit on open files (ulimit -n)",
                false => "it opens each file anew: see who holds it, and whether it is still there",
            };
            OpenError::unavailable(engine, &e, advice)
        })
    }

    /// How many operations are handed to the kernel at once.
    ///
    /// A device is told of a batch when its last request is queued, so while a large batch is being queued it idles, and
    /// devices that answer in bunches (virtio does) make large batches of themselves: at 64 in flight a virtio disk gave
    /// 62,400 IOPS with batches of whatever was free, 74,700 with batches of 8 (`docs/journal`). Through the page cache
    /// operations complete while they are submitted, and only the number of system calls counts.
    pub(crate) fn batch(&self) -> usize {
        match (self.submit, self.files.first()) {
            (Some(submit), _) => submit as usize,
            (None, Some(file)) if sys::is_direct(file) => (self.depth as usize / 8).max(4),
            _ => usize::MAX,
        }
    }

    pub(crate) fn one_at_a_time(&self, engine: &'static str) -> Result<(), OpenError> {
        if self.depth > 1 {
            return Err(OpenError::Unsupported {
                engine,
                why: format!(
                    "has one operation in flight per thread, {} were asked; use threads, or {}",
                    self.depth,
                    crate::engines::DEEP
                ),
            });
        }
        Ok(())
    }
}
