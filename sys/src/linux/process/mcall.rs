//! M engines (GT.M, YottaDB) called in this process: their shared library is loaded at run time, never linked.
//!
//! The engine takes over the process: there can be one per process, on one thread, with its own signal handlers and
//! timers, and no fork afterwards. A process that loads an engine therefore does nothing else.

use crate::common::{M_STRING, MReturns};
use crate::linux::queues::library::{last_error, needs_loader};
use std::ffi::{CStr, CString, c_char, c_int, c_long, c_void};
use std::io::{self, Write};
use std::marker::PhantomData;
use std::os::fd::AsRawFd;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

/// True once an engine was started in this process.
static TAKEN: AtomicBool = AtomicBool::new(false);

/// `gtm_string_t`.
#[repr(C)]
struct MString {
    length: c_long,
    address: *mut c_char,
}

/// `ci_name_descriptor`. The engine caches the resolved name in `handle`.
#[repr(C)]
struct Descriptor {
    name: MString,
    handle: *mut c_void,
}

type Init = unsafe extern "C" fn() -> c_int;
type Call = unsafe extern "C" fn(*mut Descriptor, ...) -> c_int;
type Status = unsafe extern "C" fn(*mut c_char, c_int);

/// A running M engine in this process. It ends when dropped; a second one cannot be started.
pub struct MEngine {
    call: Call,
    exit: Init,
    status: Status,
    entries: Vec<Entry>,
    /// Buffer for results of [`MReturns::Text`].
    out: Vec<u8>,
    /// The call table, which the engine reads through its descriptor in /proc/self/fd.
    _table: std::fs::File,
    /// Keeps the engine on the thread that started it.
    _here: PhantomData<*const ()>,
}

struct Entry {
    returns: MReturns,
    descriptor: Descriptor,
    /// String that `descriptor.name` points to.
    _name: CString,
}

/// Handle of an entry of an engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MEntry(usize);

constant! {
    /// Checks that this system supports M engines.
    fn m_engines() -> io::Result<()> = Ok(());
}

impl MEngine {
    /// Loads the library and starts the engine. Its other settings come from the environment of the process
    /// (`gtm_dist`, `gtmgbldir`, `gtmroutines`). The call table is generated from `entries`, names such as `commit`
    /// with their routines, so that calls and table cannot differ. Handles are returned in the same order.
    ///
    /// # Errors
    /// If the process has more than one thread or already had an engine, if the library or a symbol is missing, or if
    /// the engine fails to start; in the last case with the engine's own message.
    pub fn start(library: &Path, entries: &[(&str, &str, MReturns)]) -> io::Result<(MEngine, Vec<MEntry>)> {
        if std::fs::read_dir("/proc/self/task")?.count() != 1 {
            return Err(io::Error::other("an M engine needs a process with one thread"));
        }
        needs_loader()?;
        if TAKEN.swap(true, Ordering::Relaxed) {
            return Err(io::Error::other("an M engine can be started only once in a process"));
        }
        let table = table(entries)?;
        let path = CString::new(library.as_os_str().as_bytes())?;
        // SAFETY: the path is a C string; loading runs the library's constructors, as intended. The library stays
        // loaded until the process ends.
        let handle = unsafe { libc::dlopen(path.as_ptr(), libc::RTLD_NOW | libc::RTLD_GLOBAL) };
        if handle.is_null() {
            return Err(io::Error::other(last_error()));
        }
        let symbol = |names: [&CStr; 2]| {
            // SAFETY: the handle is of a loaded library and the names are C strings.
            let addresses = names.map(|name| unsafe { libc::dlsym(handle, name.as_ptr()) });
            addresses.into_iter().find(|at| !at.is_null()).ok_or_else(|| io::Error::other(last_error()))
        };
        let (init, cip) = (symbol([c"gtm_init", c"ydb_init"])?, symbol([c"gtm_cip", c"ydb_cip"])?);
        let (exit, status) = (symbol([c"gtm_exit", c"ydb_exit"])?, symbol([c"gtm_zstatus", c"ydb_zstatus"])?);
        // SAFETY: the functions have these types in gtmxc_types.h of GT.M and libyottadb.h of YottaDB.
        let (init, call, exit, status) = unsafe {
            (
                std::mem::transmute::<*mut c_void, Init>(init),
                std::mem::transmute::<*mut c_void, Call>(cip),
                std::mem::transmute::<*mut c_void, Init>(exit),
                std::mem::transmute::<*mut c_void, Status>(status),
            )
        };
        let where_table = CString::new(format!("/proc/self/fd/{}", table.as_raw_fd()))?;
        for name in [c"GTMCI", c"ydb_ci"] {
            // SAFETY: the process has one thread, so nothing reads the environment at the same time.
            unsafe { libc::setenv(name.as_ptr(), where_table.as_ptr(), 1) };
        }
        let engine = MEngine {
            call,
            exit,
            status,
            entries: entries.iter().map(|(name, _, returns)| Entry::new(name, *returns)).collect::<io::Result<_>>()?,
            out: vec![0; M_STRING + 1],
            _table: table,
            _here: PhantomData,
        };
        // SAFETY: one thread, called once.
        if unsafe { init() } != 0 {
            let message = engine.last_message();
            std::mem::forget(engine);
            return Err(io::Error::other(message));
        }
        Ok((engine, (0..entries.len()).map(MEntry).collect()))
    }

    /// Calls an entry that returns a number.
    ///
    /// # Errors
    /// The engine's own message. An open transaction is rolled back when the process ends.
    pub fn number(&mut self, entry: MEntry, args: [i64; 3], text: &[u8]) -> io::Result<i64> {
        let mut result: c_long = 0;
        let text = argument(text)?;
        let descriptor = self.descriptor(entry, MReturns::Number)?;
        // SAFETY: the table declares `gtm_long_t*` and these four arguments for every entry that returns a number; the
        // descriptor, the string and the result outlive the call. The engine does not write to an input string.
        let outcome = unsafe { (self.call)(descriptor, &raw mut result, args[0], args[1], args[2], &raw const text) };
        if outcome == 0 { Ok(result) } else { Err(io::Error::other(self.last_message())) }
    }

    /// Calls an entry that returns text.
    ///
    /// # Errors
    /// As [`MEngine::number`].
    pub fn text(&mut self, entry: MEntry, args: [i64; 3], text: &[u8]) -> io::Result<&[u8]> {
        let text = argument(text)?;
        let mut result = MString { length: M_STRING as c_long, address: self.out.as_mut_ptr().cast() };
        let descriptor = self.descriptor(entry, MReturns::Text)?;
        // SAFETY: as in `number`, with `gtm_string_t*` for the result: its buffer is longer than any string of M,
        // whether or not the engine respects the length passed.
        let outcome = unsafe { (self.call)(descriptor, &raw mut result, args[0], args[1], args[2], &raw const text) };
        if outcome != 0 {
            return Err(io::Error::other(self.last_message()));
        }
        let length = usize::try_from(result.length).unwrap_or(0).min(M_STRING);
        Ok(&self.out[..length])
    }

    fn descriptor(&mut self, entry: MEntry, returns: MReturns) -> io::Result<*mut Descriptor> {
        match self.entries.get_mut(entry.0) {
            Some(declared) if declared.returns == returns => Ok(&raw mut declared.descriptor),
            _ => Err(io::Error::from_raw_os_error(libc::EINVAL)),
        }
    }

    /// Returns the engine's last message: `150373850,work^secchi,%GTM-E-UNDEF, Undefined local variable: y`.
    fn last_message(&self) -> String {
        let mut text = [0u8; 2048];
        // SAFETY: the engine writes at most that many bytes and ends them with a zero.
        unsafe { (self.status)(text.as_mut_ptr().cast(), text.len() as c_int) };
        let end = text.iter().position(|b| *b == 0).unwrap_or(text.len());
        String::from_utf8_lossy(&text[..end]).trim().to_owned()
    }
}

impl Drop for MEngine {
    fn drop(&mut self) {
        // SAFETY: the engine is running, and nothing is called afterwards. The library stays loaded because its
        // handlers are installed.
        unsafe { (self.exit)() };
    }
}

impl Entry {
    fn new(name: &str, returns: MReturns) -> io::Result<Entry> {
        let owned = CString::new(name)?;
        let name = MString { length: name.len() as c_long, address: owned.as_ptr().cast_mut() };
        Ok(Entry { returns, descriptor: Descriptor { name, handle: std::ptr::null_mut() }, _name: owned })
    }
}

fn argument(text: &[u8]) -> io::Result<MString> {
    if text.len() > M_STRING {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "longer than the maximum string of M (1 MiB)"));
    }
    Ok(MString { length: text.len() as c_long, address: text.as_ptr().cast_mut().cast() })
}

/// Creates the call table in memory.
fn table(entries: &[(&str, &str, MReturns)]) -> io::Result<std::fs::File> {
    // Not through the C library: old versions lack the function.
    let mut file = std::fs::File::from(rustix::fs::memfd_create("m-calls", rustix::fs::MemfdFlags::CLOEXEC)?);
    for (name, routine, returns) in entries {
        let plain = |s: &str| !s.is_empty() && s.bytes().all(|b| b.is_ascii_alphanumeric());
        if !plain(name) || !plain(routine) {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "names in M must consist of letters and digits"));
        }
        let result = match returns {
            MReturns::Number => "gtm_long_t*",
            MReturns::Text => "gtm_string_t*",
        };
        writeln!(file, "{name}:{result} {name}^{routine}(I:gtm_long_t,I:gtm_long_t,I:gtm_long_t,I:gtm_string_t*)")?;
    }
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Read, Seek};

    #[test]
    fn the_call_table_is_made_of_the_entries() {
        let mut file = table(&[("commit", "secchi", MReturns::Number), ("ask", "secchi", MReturns::Text)]).unwrap();
        file.rewind().unwrap();
        let mut text = String::new();
        file.read_to_string(&mut text).unwrap();
        let args = "(I:gtm_long_t,I:gtm_long_t,I:gtm_long_t,I:gtm_string_t*)\n";
        assert_eq!(text, format!("commit:gtm_long_t* commit^secchi{args}ask:gtm_string_t* ask^secchi{args}"));
        assert!(table(&[("a:b", "x", MReturns::Text)]).is_err());
    }

    #[test]
    fn a_process_with_threads_gets_no_engine() {
        let (leave, stay) = std::sync::mpsc::channel::<()>();
        let other = std::thread::spawn(move || stay.recv());
        let refused = MEngine::start(Path::new("/nowhere/libgtmshr.so"), &[]).err().expect("refused");
        drop(leave);
        let _ = other.join();
        assert!(refused.to_string().contains("one thread"), "{refused}");
    }
}
