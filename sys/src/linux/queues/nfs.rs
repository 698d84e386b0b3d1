//! Files of an NFS server through libnfs, which is loaded when needed: no mount, no page cache, its own connection.
//!
//! Soundness: libnfs runs no threads. It invokes callbacks only from calls made by this queue, on the thread that makes
//! them. The memory passed to it (a token and a buffer per slot) stays in place until the context is destroyed; after
//! that libnfs uses neither. A slot is handed out only while nothing is in flight on it. The queue belongs to the
//! thread that opened it.

use super::buffers::BufferPool;
use super::library::{Library, functions};
use crate::common::{IoKind, NfsOpen, Reaped, Submission, Wait};
use std::ffi::{CStr, CString, c_char, c_int, c_short, c_void};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// Maximum wait for a reply, in milliseconds.
const PATIENCE_MS: c_int = 30_000;
/// Number of attempts to restore a lost connection before operations fail; the URL may override it.
const RECONNECTS: c_int = 3;
/// Maximum interval between calls of libnfs, in milliseconds: it checks for overdue replies only when called.
const LOOK_MS: u64 = 100;

/// Opaque types of libnfs.
#[repr(C)]
struct Context([u8; 0]);
#[repr(C)]
struct Handle([u8; 0]);

/// `struct nfs_url`.
#[repr(C)]
struct Url {
    server: *mut c_char,
    path: *mut c_char,
    file: *mut c_char,
}

/// `struct nfs_stat_64`: seventeen numbers, of which the eighth is the size.
type Stat = [u64; 17];
const SIZE: usize = 7;

type Callback = unsafe extern "C" fn(c_int, *mut Context, *mut c_void, *mut c_void);

functions! {
    Functions {
        init = c"nfs_init_context": fn() -> *mut Context,
        destroy = c"nfs_destroy_context": fn(*mut Context),
        parse = c"nfs_parse_url_dir": fn(*mut Context, *const c_char) -> *mut Url,
        destroy_url = c"nfs_destroy_url": fn(*mut Url),
        mount = c"nfs_mount": fn(*mut Context, *const c_char, *const c_char) -> c_int,
        umount = c"nfs_umount": fn(*mut Context) -> c_int,
        error = c"nfs_get_error": fn(*mut Context) -> *const c_char,
        set_timeout = c"nfs_set_timeout": fn(*mut Context, c_int),
        set_reconnects = c"nfs_set_autoreconnect": fn(*mut Context, c_int),
        stat = c"nfs_stat64": fn(*mut Context, *const c_char, *mut Stat) -> c_int,
        open = c"nfs_open": fn(*mut Context, *const c_char, c_int, *mut *mut Handle) -> c_int,
        close = c"nfs_close": fn(*mut Context, *mut Handle) -> c_int,
        fd = c"nfs_get_fd": fn(*mut Context) -> c_int,
        events = c"nfs_which_events": fn(*mut Context) -> c_int,
        service = c"nfs_service": fn(*mut Context, c_int) -> c_int,
        read = c"nfs_pread_async": fn(*mut Context, *mut Handle, u64, u64, Callback, *mut c_void) -> c_int,
        write = c"nfs_pwrite_async": fn(*mut Context, *mut Handle, u64, u64, *const c_void, Callback, *mut c_void) -> c_int,
        sync = c"nfs_fsync_async": fn(*mut Context, *mut Handle, Callback, *mut c_void) -> c_int,
    }
}

/// An export, mounted for this process.
struct Export {
    nfs: Functions,
    context: *mut Context,
    mounted: bool,
}

/// Supported versions. From libnfs 6 (.so.16) on, the arguments of the calls have a different order.
const LIBRARIES: [&CStr; 2] = [c"libnfs.so.13", c"libnfs.so.14"];

/// Checks that the client library exists, by loading it.
///
/// # Errors
/// `Unsupported` if it does not exist or lacks a function.
pub fn nfs_library() -> io::Result<()> {
    Functions::load(Library::open(&LIBRARIES)?).map(drop)
}

impl Export {
    fn mount(url: &str) -> io::Result<Export> {
        let nfs = Functions::load(Library::open(&LIBRARIES)?)?;
        // SAFETY: no arguments.
        let context = unsafe { (nfs.init)() };
        if context.is_null() {
            return Err(io::ErrorKind::OutOfMemory.into());
        }
        let mut export = Export { nfs, context, mounted: false };
        let text = CString::new(url)?;
        // SAFETY: the context is live and the text a C string. The URL is parsed last because it may override the
        // settings.
        let parsed = unsafe {
            (nfs.set_timeout)(context, PATIENCE_MS);
            (nfs.set_reconnects)(context, RECONNECTS);
            (nfs.parse)(context, text.as_ptr())
        };
        if parsed.is_null() {
            return Err(export.last_error(-libc::EINVAL));
        }
        // SAFETY: the URL is live until it is destroyed here; its server and path are C strings.
        let mounted = unsafe {
            let mounted = (nfs.mount)(context, (*parsed).server, (*parsed).path);
            (nfs.destroy_url)(parsed);
            mounted
        };
        if mounted < 0 {
            return Err(export.last_error(mounted));
        }
        export.mounted = true;
        Ok(export)
    }

    /// Returns the error for an errno, with the message of libnfs.
    fn last_error(&self, code: c_int) -> io::Error {
        // SAFETY: the context is live; the text is copied before libnfs changes it.
        let text = unsafe {
            let text = (self.nfs.error)(self.context);
            if text.is_null() { String::new() } else { CStr::from_ptr(text).to_string_lossy().into_owned() }
        };
        let error = io::Error::from_raw_os_error(errno(code));
        io::Error::new(error.kind(), if text.is_empty() { error.to_string() } else { text })
    }

    fn size(&self, path: &Path) -> io::Result<Option<u64>> {
        let name = CString::new(path.as_os_str().as_bytes())?;
        let mut stat: Stat = [0; 17];
        // SAFETY: the context is live, the name is a C string, and the array has as many numbers as libnfs writes.
        match unsafe { (self.nfs.stat)(self.context, name.as_ptr(), &raw mut stat) } {
            0 => Ok(Some(stat[SIZE])),
            code if code == -libc::ENOENT => Ok(None),
            code => Err(self.last_error(code)),
        }
    }
}

impl Drop for Export {
    fn drop(&mut self) {
        // SAFETY: the context is live and not used afterwards. A broken mount is not unmounted.
        unsafe {
            if self.mounted {
                (self.nfs.umount)(self.context);
            }
            (self.nfs.destroy)(self.context);
        }
    }
}

/// Converts a return code of libnfs to an errno. libnfs uses EINTR and EFAULT for conditions that have no errno.
fn errno(code: c_int) -> i32 {
    match -code {
        // An overdue reply, and one lost with the connection.
        libc::EINTR => libc::ETIMEDOUT,
        libc::EFAULT => libc::EIO,
        code if code > 0 => code,
        _ => libc::EIO,
    }
}

/// Returns the size of a file of an export; `None` if there is no file of this name.
///
/// # Errors
/// If the library is missing ([`io::ErrorKind::Unsupported`]) or the server cannot be queried.
pub fn nfs_size(url: &str, path: &Path) -> io::Result<Option<u64>> {
    Export::mount(url)?.size(path)
}

/// State of an operation in flight, passed to libnfs.
struct Token {
    slot: u32,
    pending: bool,
    reads: bool,
    /// Destination of a read, with room for `len` bytes.
    buffer: *mut u8,
    len: u32,
    done: *mut Vec<Reaped>,
}

/// A queue of operations on files of one export.
pub struct NfsQueue {
    export: Export,
    files: Vec<*mut Handle>,
    tokens: *mut Token,
    done: *mut Vec<Reaped>,
    pool: BufferPool,
    depth: u32,
    in_flight: usize,
    broken: bool,
}

impl NfsQueue {
    /// Mounts the export and opens files in it.
    ///
    /// # Errors
    /// If the library is missing ([`io::ErrorKind::Unsupported`]), the export cannot be mounted, or a file cannot be
    /// opened: with the message of libnfs.
    pub fn open(url: &str, names: &[PathBuf], how: NfsOpen, depth: u32, buffer_size: usize) -> io::Result<NfsQueue> {
        let export = Export::mount(url)?;
        let pool = BufferPool::new(depth as usize, buffer_size)?;
        let done = Box::into_raw(Box::new(Vec::with_capacity(depth as usize)));
        let token = |slot| Token { slot, pending: false, reads: false, buffer: std::ptr::null_mut(), len: 0, done };
        let tokens = Box::into_raw((0..depth).map(token).collect::<Box<[Token]>>()).cast::<Token>();
        let mut queue = NfsQueue { export, files: Vec::new(), tokens, done, pool, depth, in_flight: 0, broken: false };
        let mut flags = if how.write { libc::O_RDWR | libc::O_CREAT } else { libc::O_RDONLY };
        if how.sync {
            flags |= libc::O_SYNC;
        }
        for name in names {
            let shown = name.display();
            let name = CString::new(name.as_os_str().as_bytes())?;
            let mut handle = std::ptr::null_mut();
            // SAFETY: the context is live, the name is a C string, and the handle is a local variable.
            let opened =
                unsafe { (queue.export.nfs.open)(queue.export.context, name.as_ptr(), flags, &raw mut handle) };
            if opened < 0 {
                let error = queue.export.last_error(opened);
                return Err(io::Error::new(error.kind(), format!("{shown}: {error}")));
            }
            queue.files.push(handle);
        }
        Ok(queue)
    }

    /// Passes an operation to libnfs, which may send it only at the next [`NfsQueue::turn`]. Rejects discards
    /// (`EOPNOTSUPP`).
    pub fn push(&mut self, asked: Submission) {
        assert!(asked.slot < self.depth, "no such slot");
        let buffer = self.pool.part(asked.slot as usize, asked.skip, asked.buffered());
        let (nfs, context) = (self.export.nfs, self.export.context);
        let file = self.files[usize::from(asked.file)];
        // SAFETY: the slot is below the depth, the number of tokens; libnfs uses no token that is not pending.
        let token = unsafe { self.tokens.add(asked.slot as usize) };
        let private = token.cast::<c_void>();
        self.in_flight += 1;
        // SAFETY: as above; no reference to the token exists while libnfs is called, which may invoke the callback.
        unsafe {
            (*token).pending = true;
            (*token).reads = asked.kind == IoKind::Read;
            (*token).buffer = buffer;
            (*token).len = asked.len;
        }
        let (at, len) = (asked.at, u64::from(asked.len));
        let queued = match asked.kind {
            _ if self.broken => -libc::EIO,
            IoKind::Discard => -libc::EOPNOTSUPP,
            // SAFETY: context, handle, buffer and token live until the context is destroyed (see the top of this file).
            IoKind::Read => unsafe { (nfs.read)(context, file, at, len, called_back, private) },
            // SAFETY: as above.
            IoKind::Write => unsafe { (nfs.write)(context, file, at, len, buffer.cast(), called_back, private) },
            // SAFETY: as above.
            IoKind::Sync | IoKind::DataSync => unsafe { (nfs.sync)(context, file, called_back, private) },
        };
        if queued < 0 {
            // libnfs did not accept the operation, so it will not invoke the callback.
            // SAFETY: as above.
            unsafe { called_back(queued, context, std::ptr::null_mut(), private) };
        }
    }

    /// Sends and receives as much as possible without waiting.
    pub fn turn(&mut self) {
        self.service(0);
    }

    fn service(&mut self, wait_ms: c_int) {
        if self.broken {
            return;
        }
        let (nfs, context) = (self.export.nfs, self.export.context);
        // SAFETY: the context is live.
        let (fd, events) = unsafe { ((nfs.fd)(context), (nfs.events)(context)) };
        let mut poll = libc::pollfd { fd, events: events as c_short, revents: 0 };
        // SAFETY: one descriptor, in a local variable.
        let polled = unsafe { libc::poll(&raw mut poll, 1, wait_ms) };
        let seen = if polled > 0 { c_int::from(poll.revents) } else { 0 };
        // SAFETY: the context is live, and no reference to a token exists.
        if unsafe { (nfs.service)(context, seen) } < 0 {
            self.fail();
        }
    }

    /// Handles a permanent loss of the connection: operations in flight fail, and so will all later ones.
    fn fail(&mut self) {
        self.broken = true;
        self.export.mounted = false;
        for slot in 0..self.depth as usize {
            // SAFETY: as in `push`.
            unsafe {
                let token = self.tokens.add(slot);
                if (*token).pending {
                    called_back(-libc::EIO, self.export.context, std::ptr::null_mut(), token.cast());
                }
            }
        }
    }

    /// Waits until at least `at_least` operations have completed (never more than are in flight) or the time has
    /// elapsed, then passes all completions to `each`.
    pub fn reap(&mut self, at_least: usize, wait: Wait, mut each: impl FnMut(Reaped)) {
        let began = crate::linux::clock::monotonic_ns();
        let wanted = at_least.min(self.in_flight);
        let mut come = 0;
        let mut wait_ms = 0;
        loop {
            self.service(wait_ms);
            // SAFETY: libnfs pushes to the list only while it is called, and no reference exists then.
            for answer in unsafe { (*self.done).drain(..) } {
                come += 1;
                each(answer);
            }
            let left = match wait {
                Wait::Forever => u64::MAX,
                Wait::AtMost(ns) => ns.saturating_sub(crate::linux::clock::monotonic_ns() - began),
            };
            if come >= wanted || left == 0 {
                break;
            }
            wait_ms = left.div_ceil(1_000_000).min(LOOK_MS) as c_int;
        }
        self.in_flight -= come;
    }

    /// Returns the buffer of a slot that is not in flight.
    pub fn buffer(&mut self, slot: u32) -> &mut [u8] {
        self.pool.slot_mut(slot as usize)
    }
}

/// Callback of an operation: records its completion.
///
/// # Safety
/// `private` must be a live token, and no reference to it or its list may exist. For a successful read, `data` must
/// have `result` bytes.
unsafe extern "C" fn called_back(result: c_int, _: *mut Context, data: *mut c_void, private: *mut c_void) {
    let token = private.cast::<Token>();
    // SAFETY: guaranteed by the caller; the list has room for one completion per slot.
    unsafe {
        // When a context is destroyed, it also calls back for operations that were already given up.
        if !std::mem::take(&mut (*token).pending) {
            return;
        }
        let mut result = if result < 0 { -errno(result) } else { result };
        if (*token).reads && result > 0 {
            result = result.min((*token).len as c_int);
            std::ptr::copy_nonoverlapping(data.cast::<u8>(), (*token).buffer, result as usize);
        }
        (*(*token).done).push(Reaped { slot: (*token).slot, result });
    }
}

impl Drop for NfsQueue {
    fn drop(&mut self) {
        let (nfs, context) = (self.export.nfs, self.export.context);
        if self.in_flight == 0 && !self.broken {
            for file in self.files.drain(..) {
                // SAFETY: the handle is open on this context and not used afterwards.
                unsafe { (nfs.close)(context, file) };
            }
        } else {
            // Unmounting from an unreachable server would take a long time.
            self.export.mounted = false;
        }
        // Operations still in flight call back when the export is dropped after this. Tokens that are no longer pending
        // are not changed, but must exist. They are few, and are leaked in that case.
        if self.in_flight == 0 {
            // SAFETY: made by `Box::into_raw` in `open`; libnfs has none of them in flight.
            unsafe {
                drop(Box::from_raw(std::ptr::slice_from_raw_parts_mut(self.tokens, self.depth as usize)));
                drop(Box::from_raw(self.done));
            }
        } else {
            self.fail();
        }
    }
}
