//! Which process it is, for others that find its number later; and the machine, by calls.

use crate::common::SystemFacts;
use std::ffi::CStr;

/// Which start of this machine it is: a process number may be used again in the next one. Empty where the kernel does not tell.
#[must_use]
pub fn boot() -> String {
    text(c"kern.bootsessionuuid").unwrap_or_default()
}

/// The machine by calls.
#[must_use]
pub fn system_facts() -> Option<SystemFacts> {
    let mut memory = 0u64;
    // SAFETY: the call writes one 64-bit number of the length it is told.
    let told = unsafe { by_name(c"hw.memsize", (&raw mut memory).cast(), size_of::<u64>()) };
    Some(SystemFacts {
        system: format!("macOS {}", text(c"kern.osproductversion")?),
        cpu_model: text(c"machdep.cpu.brand_string").unwrap_or_default(),
        cpus: std::thread::available_parallelism().map_or(1, |n| u32::try_from(n.get()).unwrap_or(u32::MAX)),
        memory: told.map(|_| memory)?,
        memory_available: 0,
    })
}

/// A text of the kernel's.
fn text(name: &CStr) -> Option<String> {
    let mut bytes = [0u8; 256];
    // SAFETY: the call writes at most as many bytes as there are.
    let length = unsafe { by_name(name, bytes.as_mut_ptr().cast(), bytes.len()) }?;
    let text = CStr::from_bytes_until_nul(&bytes[..length]).ok()?;
    Some(text.to_string_lossy().trim().to_owned())
}

/// A value of the kernel's by its name: how long it is.
///
/// # Safety
/// `to` must be valid for writes of `length` bytes.
unsafe fn by_name(name: &CStr, to: *mut libc::c_void, length: usize) -> Option<usize> {
    let mut length = length;
    // SAFETY: the name ends with 0; the rest is the caller's promise. Nothing is set.
    let done = unsafe { libc::sysctlbyname(name.as_ptr(), to, &raw mut length, std::ptr::null_mut(), 0) };
    (done == 0).then_some(length)
}

/// A process as the kernel lists it.
pub(crate) struct Seen {
    /// Seconds since 1970 and microseconds.
    start: (i64, i32),
    /// It ended, and was not waited for.
    pub(crate) ended: bool,
}

/// `struct kinfo_proc` of sys/sysctl.h has 648 bytes on machines of 64 bits; `struct extern_proc` (sys/proc.h) stands at its beginning, with
/// the start in its first 16 bytes and the state at byte 36.
const KINFO_PROC: usize = 648;
const STATE_AT: usize = 36;
/// `SZOMB` of sys/proc.h.
const ZOMBIE: u8 = 5;

/// Looks at a process, whoever it belongs to; `None`: there is none of this number.
pub(crate) fn look(pid: u32) -> Option<Seen> {
    let pid = libc::c_int::try_from(pid).ok()?;
    let mut name = [libc::CTL_KERN, libc::KERN_PROC, libc::KERN_PROC_PID, pid];
    let mut told = [0u8; KINFO_PROC];
    let mut length = told.len();
    // SAFETY: the call reads four numbers and writes at most `length` bytes; all live until it returns. Nothing is set.
    let done = unsafe {
        libc::sysctl(name.as_mut_ptr(), 4, told.as_mut_ptr().cast(), &raw mut length, std::ptr::null_mut(), 0)
    };
    if done != 0 || length < KINFO_PROC {
        return None;
    }
    Some(Seen {
        start: (i64::from_ne_bytes(told[..8].try_into().ok()?), i32::from_ne_bytes(told[8..12].try_into().ok()?)),
        ended: told[STATE_AT] == ZOMBIE,
    })
}

/// When a process started, in microseconds since 1970: a process number may be used again, this pair is not.
pub(crate) fn started(pid: u32) -> Option<String> {
    look(pid).map(|Seen { start: (seconds, micros), .. }| format!("{seconds}.{micros:06}"))
}
