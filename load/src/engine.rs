//! Interface between workers and engines. An engine is a queue to one target, driven by one thread.
//!
//! The hot path uses two calls. An engine sees only requests; it does not know the job, the clock or the recorder. The
//! worker takes the timestamps. There is one virtual call per batch and no allocation after opening.

use model::Op;
use model::plan::{EngineSpec, FlushKind};
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use sys::errno;
use sys::queues::FileSet;
pub use sys::queues::Wait;

/// One operation requested from an engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Request {
    /// Buffer number, less than the queue depth. The number also identifies the completion.
    pub slot: u32,
    /// Kind of operation.
    pub op: Op,
    /// Durability of a flush; ignored for other operations.
    pub flush: FlushKind,
    /// Index of the file in [`Opening::files`].
    pub file: u16,
    /// Byte offset for block engines, record number for databases.
    pub at: u64,
    /// Length in bytes.
    pub len: u32,
    /// Offset inside the buffer; greater than zero if a short operation is continued.
    pub skip: u32,
}

impl Default for Request {
    /// Returns a read of zero bytes, which represents an empty slot.
    fn default() -> Self {
        Request { slot: 0, op: Op::Read, flush: FlushKind::Data, file: 0, at: 0, len: 0, skip: 0 }
    }
}

impl Request {
    /// Returns the request for the rest of the operation after `moved` bytes.
    #[must_use]
    pub fn after(self, moved: u32) -> Self {
        Request { at: self.at + u64::from(moved), len: self.len - moved, skip: self.skip + moved, ..self }
    }
}

/// Result of one request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Completion {
    /// Slot of the [`Request`].
    pub slot: u32,
    /// Bytes moved, or a negative errno.
    pub result: i32,
}

/// One queue to one target, driven by one thread.
pub trait Engine {
    /// Accepts as many of `requests` as there is room for and returns their number.
    ///
    /// # Errors
    /// Returns an error only if the queue itself is broken. A failed operation is reported as a [`Completion`].
    fn submit(&mut self, requests: &[Request]) -> io::Result<usize>;

    /// Immediately submits the requests that `submit` accepted but that the engine would otherwise hold back until the
    /// next `reap`.
    ///
    /// # Errors
    /// Returns an error if the queue itself is broken.
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }

    /// Waits until `at_least` requests have completed, the time is up, or a signal arrives. If fewer requests are in
    /// flight, waits for all of them. Appends the completions to `done`, which has room for a full queue.
    ///
    /// # Errors
    /// Returns an error if the queue itself is broken.
    fn reap(&mut self, at_least: usize, wait: Wait, done: &mut Vec<Completion>) -> io::Result<()>;

    /// Performs one operation with nothing else in flight and returns the bytes moved, or a negative errno. The loop
    /// for depth one uses this method because it takes one virtual call instead of two and needs no list. `scratch`
    /// must be empty, and is empty afterwards.
    ///
    /// # Errors
    /// Returns an error if the queue itself is broken.
    fn single(&mut self, request: &Request, scratch: &mut Vec<Completion>) -> io::Result<i32> {
        if self.submit(std::slice::from_ref(request))? == 0 {
            return Err(io::Error::other("the engine has no free slot for an operation"));
        }
        loop {
            self.reap(1, Wait::Forever, scratch)?;
            if let Some(completion) = scratch.pop() {
                return Ok(completion.result);
            }
        }
    }

    /// Returns the buffer of a slot that is not in flight.
    fn buffer(&mut self, slot: u32) -> &mut [u8];

    /// Returns the I/O priority of the last operation in this slot, encoded as for `ioprio_set(2)`; 0 = the priority of
    /// the thread.
    fn priority(&self, slot: u32) -> u16 {
        let _ = slot;
        0
    }

    /// Returns the number of reads so far that addressed missing objects and returned zeros. Called once, at the end.
    fn absent_reads(&self) -> u64 {
        0
    }
}

/// Engine that performs one operation at a time and returns when it has completed.
pub trait Blocking {
    /// Performs the operation and returns the bytes moved, or a negative errno.
    fn perform(&mut self, request: &Request) -> i32;

    /// Returns the buffer.
    fn buffer(&mut self) -> &mut [u8];

    /// Same as [`Engine::absent_reads`].
    fn absent_reads(&self) -> u64 {
        0
    }
}

/// Adapter from a [`Blocking`] engine to an [`Engine`] of depth one.
pub struct Inline<B> {
    inner: B,
    done: Option<Completion>,
}

impl<B: Blocking> Inline<B> {
    /// Wraps a blocking engine.
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

/// Target and parameters with which an engine is opened.
#[derive(Debug, Clone, Default)]
pub struct Opening {
    /// Files, opened by the target guards; empty only for engines that need no files.
    pub files: Vec<Arc<File>>,
    /// Names of files or directories, for engines that work on names. [`Request::file`] is an index into this list.
    pub names: Vec<PathBuf>,
    /// End of the part under test, in bytes from the start of the file. With several files, the largest of their ends.
    pub size: u64,
    /// True if the workload writes, trims or flushes.
    pub writes: bool,
    /// True if the workload trims.
    pub trims: bool,
    /// True if the workload flushes.
    pub flushes: bool,
    /// True if writes must be durable before they return. Used by engines that open their targets themselves.
    pub durable_writes: bool,
    /// True if offsets are random. Used by engines that give the kernel access advice.
    pub random: bool,
    /// Maximum number of operations in flight.
    pub depth: u32,
    /// Size of the largest operation, in bytes.
    pub buffer_size: usize,
    /// Options of the engine, by name. The engine rejects options that it does not support.
    pub options: Vec<(String, String)>,
    /// Maximum number of operations submitted to the kernel in one batch; `None` = the engine's best value.
    pub submit: Option<u32>,
}

/// Error codes that report a lack of resources.
const SCARCE: [i32; 4] = [errno::EAGAIN, errno::ENOMEM, errno::ENFILE, errno::EMFILE];

/// Error from opening an engine.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// Unknown engine name.
    #[error("unknown engine `{name}`: {known}{hint}")]
    Unknown {
        /// Name as typed.
        name: String,
        /// Known names.
        known: String,
        /// Suggestion in the form `; did you mean ...?`, or empty.
        hint: String,
    },
    /// The engine does not work on this machine.
    #[error("{engine} does not work here: {why}; {advice}")]
    Unavailable {
        /// Name of the engine.
        engine: &'static str,
        /// Error message of the kernel.
        why: String,
        /// Advice to the user.
        advice: String,
        /// True if the machine ran out of memory, descriptors or threads. The same job may work on another machine, and
        /// a smaller job may work on this machine.
        lacks: bool,
        /// True if the engine exists only on other operating systems.
        foreign: bool,
    },
    /// The engine does not support the request.
    #[error("{engine} {why}")]
    Unsupported {
        /// Name of the engine.
        engine: &'static str,
        /// Description of the unsupported feature.
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

    pub(crate) fn unsupported(engine: &'static str, reason: impl Into<String>) -> Self {
        OpenError::Unsupported { engine, why: reason.into() }
    }

    /// Returns `true` if the engine exists only on other operating systems.
    #[must_use]
    pub fn is_foreign(&self) -> bool {
        matches!(self, OpenError::Unavailable { foreign: true, .. })
    }

    /// Returns `true` if the machine ran out of a resource, as opposed to other failures.
    #[must_use]
    pub fn lacks(&self) -> bool {
        matches!(self, OpenError::Unavailable { lacks: true, .. })
    }
}

/// Engine that is ready to run, with notes on features that are unavailable.
pub struct Opened {
    /// The engine.
    pub engine: Box<dyn Engine>,
    /// Notes for the user, one line each.
    pub notes: Vec<String>,
}

impl Opened {
    pub(crate) fn new(engine: impl Engine + 'static) -> Self {
        Opened { engine: Box::new(engine), notes: Vec::new() }
    }
}

/// Function that returns the size, in bytes, of the object that the engine's options name.
pub type SizeQuery = fn(&Opening) -> Result<u64, OpenError>;

/// Function that checks an object before it is written, without changing it. Returns the reason why the user must allow
/// the write, or `None`.
pub type Occupied = fn(&ServedThing<'_>) -> Result<Option<String>, OpenError>;

/// Object on a server to which a job writes.
#[derive(Debug, Clone, Copy)]
pub struct ServedThing<'a> {
    /// Name of the object.
    pub path: &'a Path,
    /// Options of the engine.
    pub options: &'a [(String, String)],
    /// True if the user typed the name; otherwise the name is derived from the job's name.
    pub typed: bool,
}

impl<'a> ServedThing<'a> {
    /// Returns the value of an option, if it was given.
    #[must_use]
    pub fn option(&self, name: &str) -> Option<&'a str> {
        self.options.iter().find(|(n, _)| n == name).map(|(_, value)| value.as_str())
    }
}

/// Consent that is required before a job writes through an engine.
#[derive(Clone, Copy)]
pub enum WriteConsent {
    /// No consent is required.
    None,
    /// The user must type the target's name again, because the target is a device.
    TypedName,
    /// The user must allow existing data to be overwritten, if this function finds any.
    Overwrite(Occupied),
}

/// Entry in the table of engines.
pub struct EngineEntry {
    /// Description for the job language and help.
    pub spec: EngineSpec,
    /// Function that queries the size of the named object, in bytes, for engines that get the size from a server.
    pub size: Option<SizeQuery>,
    /// Consent that is required before a job writes. Local files and devices have separate guards ([`crate::target`]).
    pub consent: WriteConsent,
    /// Method of testing whether the engine works on this machine before the target is known.
    pub probe: Probe,
    /// Opens the engine on the thread that will drive it.
    pub open: fn(&Opening) -> Result<Opened, OpenError>,
}

/// Method of testing whether an engine works on a machine.
#[derive(Clone, Copy)]
pub enum Probe {
    /// Open the engine on an empty file (`/dev/null`).
    Opening,
    /// Check that the machine meets the engine's requirements. Support for a particular target is determined when that
    /// target is opened.
    Own(fn() -> Result<(), OpenError>),
    /// Load a client library. This takes tens of milliseconds (librbd: 39 ms) and is therefore not done before every
    /// run.
    Library(fn() -> Result<(), OpenError>),
}

impl EngineEntry {
    /// Creates the entry of an engine for local files. It is tested by opening it on an empty file.
    pub(crate) const fn new(spec: EngineSpec, open: fn(&Opening) -> Result<Opened, OpenError>) -> EngineEntry {
        EngineEntry { spec, size: None, consent: WriteConsent::None, probe: Probe::Opening, open }
    }

    /// Checks whether the engine works on this machine, without touching a target.
    ///
    /// # Errors
    /// Returns an [`OpenError`] that names the missing requirement.
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
    /// Returns the files for this engine. The file positions may be shared with other threads.
    pub(crate) fn file_set(&self, engine: &'static str) -> Result<FileSet, OpenError> {
        self.opened(engine, sys::files::for_another_thread)
    }

    /// Returns the files for this engine, each with its own file position.
    pub(crate) fn own_file_set(&self, engine: &'static str) -> Result<FileSet, OpenError> {
        self.opened(engine, sys::files::reopen)
    }

    fn opened(&self, engine: &'static str, how: fn(&File) -> io::Result<File>) -> Result<FileSet, OpenError> {
        if self.files.is_empty() {
            return Err(OpenError::unsupported(engine, "needs a file or device, not the null target"));
        }
        let fds = self.files.iter().map(|f| how(f)).collect::<io::Result<Vec<_>>>();
        fds.and_then(FileSet::new).map_err(|e| {
            let advice = match sys::files::is_descriptor_limit(&e) {
                true => "raise the limit on open files (ulimit -n)",
                false => {
                    "the engine opens each file again: check that the file still exists and no other process locks it"
                }
            };
            OpenError::unavailable(engine, &e, advice)
        })
    }

    /// Returns the maximum number of operations submitted to the kernel in one batch.
    ///
    /// A device is notified of a batch when its last request is queued, so the device is idle while a large batch is
    /// being queued. Devices that complete requests in groups (as virtio does) then turn large batches into large
    /// groups. With 64 requests in flight, a virtio disk reached 62,400 IOPS with batches of all free slots and 74,700
    /// with batches of 8 (`bench/journal`). Through the page cache, operations complete while they are submitted, so
    /// only the number of system calls matters.
    pub(crate) fn batch(&self) -> usize {
        match (self.submit, self.files.first()) {
            (Some(submit), _) => submit as usize,
            (None, Some(file)) if sys::storage::is_direct(file) => (self.depth as usize / 8).max(4),
            _ => usize::MAX,
        }
    }
}
