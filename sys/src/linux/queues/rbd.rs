//! Images of a Ceph cluster through librbd and librados, which are loaded when needed.
//!
//! Soundness: librbd invokes callbacks on its own threads, with a token shared with the queue; each operation holds a
//! reference count. Buffers stay in place while anything is in flight; a queue whose operations do not complete leaks
//! its buffers and the image rather than freeing them. A slot is handed out only while nothing is in flight on it.

use super::buffers::BufferPool;
use super::library::{Library, functions};
use crate::common::{IoKind, RbdImage, Reaped, Submission, Wait, wait_out};
use std::ffi::{CString, c_char, c_int, c_void};
use std::io;
use std::mem::ManuallyDrop;
use std::ptr::null_mut;
use std::sync::Arc;
use std::sync::atomic::{AtomicI32, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TryRecvError, sync_channel};
use std::time::{Duration, Instant};

type Cluster = *mut c_void;
type Pool = *mut c_void;
type Image = *mut c_void;
type Completion = *mut c_void;
type Callback = unsafe extern "C" fn(Completion, *mut c_void);

functions! {
    Rados {
        create = c"rados_create": fn(*mut Cluster, *const c_char) -> c_int,
        create_named = c"rados_create2": fn(*mut Cluster, *const c_char, *const c_char, u64) -> c_int,
        read_file = c"rados_conf_read_file": fn(Cluster, *const c_char) -> c_int,
        set = c"rados_conf_set": fn(Cluster, *const c_char, *const c_char) -> c_int,
        connect = c"rados_connect": fn(Cluster) -> c_int,
        shutdown = c"rados_shutdown": fn(Cluster),
        pool = c"rados_ioctx_create": fn(Cluster, *const c_char, *mut Pool) -> c_int,
        destroy_pool = c"rados_ioctx_destroy": fn(Pool),
    }
}

functions! {
    Rbd {
        open = c"rbd_open": fn(Pool, *const c_char, *mut Image, *const c_char) -> c_int,
        open_to_read = c"rbd_open_read_only": fn(Pool, *const c_char, *mut Image, *const c_char) -> c_int,
        close = c"rbd_close": fn(Image) -> c_int,
        size = c"rbd_get_size": fn(Image, *mut u64) -> c_int,
        flush_now = c"rbd_flush": fn(Image) -> c_int,
        completion = c"rbd_aio_create_completion": fn(*mut c_void, Callback, *mut Completion) -> c_int,
        read = c"rbd_aio_read": fn(Image, u64, usize, *mut c_char, Completion) -> c_int,
        write = c"rbd_aio_write": fn(Image, u64, usize, *const c_char, Completion) -> c_int,
        discard = c"rbd_aio_discard": fn(Image, u64, u64, Completion) -> c_int,
        flush = c"rbd_aio_flush": fn(Image, Completion) -> c_int,
        value = c"rbd_aio_get_return_value": fn(Completion) -> isize,
        release = c"rbd_aio_release": fn(Completion),
    }
}

/// An open image.
struct Opened {
    rados: Rados,
    rbd: Rbd,
    cluster: Cluster,
    pool: Pool,
    image: Image,
}

/// Converts a return code to an error that names the failed step.
fn checked(code: c_int, what: &str) -> io::Result<()> {
    if code >= 0 {
        return Ok(());
    }
    let error = io::Error::from_raw_os_error(-code);
    Err(io::Error::new(error.kind(), format!("{what}: {error}")))
}

fn libraries() -> io::Result<(Rados, Rbd)> {
    Ok((Rados::load(Library::open(&[c"librados.so.2"])?)?, Rbd::load(Library::open(&[c"librbd.so.1"])?)?))
}

/// Checks that the client libraries exist, by loading them.
///
/// # Errors
/// `Unsupported` if one does not exist or lacks a function.
pub fn rbd_library() -> io::Result<()> {
    libraries().map(drop)
}

impl Opened {
    fn open(asked: &RbdImage) -> io::Result<Opened> {
        let (rados, rbd) = libraries()?;
        let mut opened = Opened { rados, rbd, cluster: null_mut(), pool: null_mut(), image: null_mut() };
        let client = |named: bool| -> io::Result<Option<CString>> {
            let full = |id: &String| if named && !id.contains('.') { format!("client.{id}") } else { id.clone() };
            Ok(asked.client.as_ref().map(|id| CString::new(full(id))).transpose()?)
        };
        let pointer = |text: &Option<CString>| text.as_ref().map_or(std::ptr::null(), |t| t.as_ptr());
        let cluster = &raw mut opened.cluster;
        let made = match &asked.cluster {
            Some(name) => {
                let (name, client) = (CString::new(name.as_str())?, client(true)?);
                // SAFETY: C strings, or null for the default; the handle is a field of `opened`.
                unsafe { (rados.create_named)(cluster, name.as_ptr(), pointer(&client), 0) }
            }
            None => {
                let client = client(false)?;
                // SAFETY: as above.
                unsafe { (rados.create)(cluster, pointer(&client)) }
            }
        };
        checked(made, "cannot initialize librados")?;
        let (pool, name) = (CString::new(asked.pool.as_str())?, CString::new(asked.name.as_str())?);
        // SAFETY: the cluster is live; C strings, or null for the default. By default librados waits five minutes for a
        // cluster that does not respond; half a minute is enough, unless the configuration file overrides it.
        let read = unsafe {
            (rados.set)(opened.cluster, c"client_mount_timeout".as_ptr(), c"30".as_ptr());
            (rados.read_file)(opened.cluster, std::ptr::null())
        };
        checked(read, "cannot read Ceph's configuration")?;
        if asked.direct {
            // SAFETY: as above.
            let set = unsafe { (rados.set)(opened.cluster, c"rbd_cache".as_ptr(), c"false".as_ptr()) };
            checked(set, "cannot disable the cache of librbd")?;
        }
        // SAFETY: the cluster is live.
        checked(unsafe { (rados.connect)(opened.cluster) }, "cannot connect to the cluster")?;
        // SAFETY: the cluster is connected; a C string and a field of `opened`.
        let code = unsafe { (rados.pool)(opened.cluster, pool.as_ptr(), &raw mut opened.pool) };
        checked(code, &format!("pool {}", asked.pool))?;
        let open = if asked.write { rbd.open } else { rbd.open_to_read };
        // SAFETY: the pool is live; a C string, a field of `opened`, and no snapshot.
        let code = unsafe { open(opened.pool, name.as_ptr(), &raw mut opened.image, std::ptr::null()) };
        if code < 0 {
            opened.image = null_mut();
        }
        checked(code, &format!("image {}/{}", asked.pool, asked.name))?;
        if asked.write && !asked.direct {
            // The cache is in write-through mode until it sees the first flush.
            // SAFETY: the image is open.
            checked(unsafe { (rbd.flush_now)(opened.image) }, "the first flush")?;
        }
        Ok(opened)
    }

    fn size(&self) -> io::Result<u64> {
        let mut size = 0;
        // SAFETY: the image is open, and the number is a local variable.
        checked(unsafe { (self.rbd.size)(self.image, &raw mut size) }, "size of the image")?;
        Ok(size)
    }
}

impl Drop for Opened {
    fn drop(&mut self) {
        // SAFETY: each handle is live if it is not null, and not used afterwards.
        unsafe {
            if !self.image.is_null() {
                (self.rbd.close)(self.image);
            }
            if !self.pool.is_null() {
                (self.rados.destroy_pool)(self.pool);
            }
            if !self.cluster.is_null() {
                (self.rados.shutdown)(self.cluster);
            }
        }
    }
}

/// Returns the size of an image, in bytes.
///
/// # Errors
/// If the library is missing ([`io::ErrorKind::Unsupported`]) or the image cannot be opened: names the failed step and
/// the reason.
pub fn rbd_size(image: &RbdImage) -> io::Result<u64> {
    Opened::open(&RbdImage { write: false, ..image.clone() })?.size()
}

/// State of an operation in flight, passed to librbd.
struct Token {
    slot: u32,
    /// Result on success: bytes of a write, or -1 = the value returned by librbd.
    success: AtomicI32,
    answers: SyncSender<Reaped>,
    rbd: Rbd,
}

/// A queue of operations on one image.
pub struct RbdQueue {
    opened: ManuallyDrop<Opened>,
    tokens: Vec<Arc<Token>>,
    memory: ManuallyDrop<BufferPool>,
    answers: Receiver<Reaped>,
    in_flight: usize,
    busy: bool,
}

impl RbdQueue {
    /// Connects and opens the image. With `busy`, polls for completions continuously instead of sleeping.
    ///
    /// # Errors
    /// If the library is missing ([`io::ErrorKind::Unsupported`]) or the image cannot be opened: names the failed step
    /// and the reason.
    pub fn open(image: &RbdImage, busy: bool, depth: u32, buffer_size: usize) -> io::Result<RbdQueue> {
        let opened = Opened::open(image)?;
        let memory = BufferPool::new(depth as usize, buffer_size)?;
        // Room for all completions, so that no thread of librbd ever blocks.
        let (sender, answers) = sync_channel(depth.max(1) as usize);
        let rbd = opened.rbd;
        let token =
            |slot| Arc::new(Token { slot, success: AtomicI32::new(-1), answers: SyncSender::clone(&sender), rbd });
        Ok(RbdQueue {
            opened: ManuallyDrop::new(opened),
            tokens: (0..depth).map(token).collect(),
            memory: ManuallyDrop::new(memory),
            answers,
            in_flight: 0,
            busy,
        })
    }

    /// Passes an operation to librbd.
    pub fn push(&mut self, asked: Submission) {
        let buffer = self.memory.part(asked.slot as usize, asked.skip, asked.buffered());
        let token = &self.tokens[asked.slot as usize];
        token.success.store(if asked.kind == IoKind::Read { -1 } else { asked.len as i32 }, Relaxed);
        let (rbd, image) = (self.opened.rbd, self.opened.image);
        self.in_flight += 1;
        let mut completion = null_mut();
        // Reclaimed by the callback, or below if the operation is not accepted.
        let private = Arc::into_raw(Arc::clone(token)).cast_mut().cast::<c_void>();
        // SAFETY: the operation holds a reference to the token; the completion is a local variable.
        let made = unsafe { (rbd.completion)(private, called_back, &raw mut completion) };
        let taken = if made < 0 {
            made
        } else {
            let (at, len) = (asked.at, asked.len as usize);
            // SAFETY: the image is open; the buffer has `len` bytes, is not used by anything else until the operation
            // completes, and lives as long as anything is in flight.
            let taken = unsafe {
                match asked.kind {
                    IoKind::Read => (rbd.read)(image, at, len, buffer.cast(), completion),
                    IoKind::Write => (rbd.write)(image, at, len, buffer.cast(), completion),
                    IoKind::Discard => (rbd.discard)(image, at, len as u64, completion),
                    IoKind::Sync | IoKind::DataSync => (rbd.flush)(image, completion),
                }
            };
            if taken < 0 {
                // SAFETY: there is no callback for an operation that was not accepted.
                unsafe { (rbd.release)(completion) };
            }
            taken
        };
        if taken < 0 {
            // SAFETY: it comes from `into_raw` above, and nothing else uses it: the operation was not accepted.
            let token = unsafe { Arc::from_raw(private.cast_const().cast::<Token>()) };
            let _ = token.answers.try_send(Reaped { slot: asked.slot, result: taken });
        }
    }

    /// Waits until at least `at_least` operations have completed (never more than are in flight) or the time has
    /// elapsed, then passes all completions to `each`.
    ///
    /// # Errors
    /// If no completion can arrive any more; does not happen in practice.
    pub fn reap(&mut self, at_least: usize, wait: Wait, mut each: impl FnMut(Reaped)) -> io::Result<()> {
        let mut missing = at_least.min(self.in_flight);
        let mut began = None;
        loop {
            match self.answers.try_recv() {
                Ok(answer) => {
                    self.in_flight -= 1;
                    missing = missing.saturating_sub(1);
                    each(answer);
                    continue;
                }
                Err(TryRecvError::Disconnected) => return Err(gone()),
                Err(TryRecvError::Empty) if missing == 0 => return Ok(()),
                Err(TryRecvError::Empty) => {}
            }
            let left = match wait {
                Wait::Forever => Duration::MAX,
                Wait::AtMost(ns) => {
                    Duration::from_nanos(ns).saturating_sub(began.get_or_insert_with(Instant::now).elapsed())
                }
            };
            if left.is_zero() {
                return Ok(());
            }
            if self.busy {
                std::hint::spin_loop();
                continue;
            }
            let answer = match wait {
                Wait::Forever => self.answers.recv().map_err(|_| gone())?,
                Wait::AtMost(_) => match self.answers.recv_timeout(left) {
                    Ok(answer) => answer,
                    Err(RecvTimeoutError::Timeout) => return Ok(()),
                    Err(RecvTimeoutError::Disconnected) => return Err(gone()),
                },
            };
            self.in_flight -= 1;
            missing -= 1;
            each(answer);
        }
    }

    /// Returns the buffer of a slot that is not in flight.
    pub fn buffer(&mut self, slot: u32) -> &mut [u8] {
        self.memory.slot_mut(slot as usize)
    }
}

fn gone() -> io::Error {
    io::Error::other("librbd no longer responds")
}

/// Callback of an operation: sends its completion to the queue.
///
/// # Safety
/// `private` must be a token referenced for this call, and the completion must be that of a finished operation.
unsafe extern "C" fn called_back(completion: Completion, private: *mut c_void) {
    // SAFETY: guaranteed by the caller. The reference lives until the end of this call, as the queue may be gone once
    // it receives the completion.
    let token = unsafe { Arc::from_raw(private.cast_const().cast::<Token>()) };
    // SAFETY: guaranteed by the caller; librbd keeps the completion until this function returns.
    let value = unsafe {
        let value = (token.rbd.value)(completion);
        (token.rbd.release)(completion);
        value
    };
    let success = token.success.load(Relaxed);
    let result = match i32::try_from(value) {
        Ok(code) if code < 0 || success < 0 => code,
        Ok(_) => success,
        Err(_) => -libc::EIO,
    };
    let _ = token.answers.try_send(Reaped { slot: token.slot, result });
}

impl Drop for RbdQueue {
    fn drop(&mut self) {
        let back = self.in_flight == 0
            || wait_out(|wait| {
                self.reap(1, wait, |_| {})?;
                Ok(self.in_flight)
            });
        if back {
            // SAFETY: dropped here and nowhere else; nothing is in flight, so librbd uses no buffers.
            unsafe {
                ManuallyDrop::drop(&mut self.opened);
                ManuallyDrop::drop(&mut self.memory);
            }
        }
    }
}
