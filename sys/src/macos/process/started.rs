//! Identity of a process that stays valid after its ID is reused, and facts about the machine.

use crate::common::SystemFacts;
use std::ffi::CStr;

/// Returns an identifier of the current boot; process IDs may be reused after the next one. Empty if the kernel does
/// not report it.
#[must_use]
pub fn boot() -> String {
    text(c"kern.bootsessionuuid").unwrap_or_default()
}

/// Returns system version, CPU model, CPUs and memory, as reported by system calls.
#[must_use]
pub fn system_facts() -> Option<SystemFacts> {
    let mut memory = 0u64;
    // SAFETY: the call writes one 64-bit number, whose length is passed.
    let length = unsafe { by_name(c"hw.memsize", (&raw mut memory).cast(), size_of::<u64>()) };
    Some(SystemFacts {
        system: format!("macOS {}", text(c"kern.osproductversion")?),
        cpu_model: text(c"machdep.cpu.brand_string").unwrap_or_default(),
        cpus: std::thread::available_parallelism().map_or(1, |n| u32::try_from(n.get()).unwrap_or(u32::MAX)),
        memory: length.map(|_| memory)?,
        memory_available: 0,
    })
}

/// Returns a text value of the kernel.
fn text(name: &CStr) -> Option<String> {
    let mut bytes = [0u8; 256];
    // SAFETY: the call writes at most the length of `bytes`.
    let length = unsafe { by_name(name, bytes.as_mut_ptr().cast(), bytes.len()) }?;
    let text = CStr::from_bytes_until_nul(&bytes[..length]).ok()?;
    Some(text.to_string_lossy().trim().to_owned())
}

/// Reads a value of the kernel by its name (`sysctlbyname`). Returns its length.
///
/// # Safety
/// `to` must be valid for writes of `length` bytes.
unsafe fn by_name(name: &CStr, to: *mut libc::c_void, length: usize) -> Option<usize> {
    let mut length = length;
    // SAFETY: the name ends with a zero; the caller guarantees the rest. Nothing is set.
    let done = unsafe { libc::sysctlbyname(name.as_ptr(), to, &raw mut length, std::ptr::null_mut(), 0) };
    (done == 0).then_some(length)
}

/// Process as the kernel reports it.
pub(crate) struct Seen {
    /// Start time: seconds since 1970, and microseconds.
    start: (i64, i32),
    /// True if the process has ended but was not waited for.
    pub(crate) ended: bool,
}

/// Size of a buffer for a `struct kinfo_proc` of sys/sysctl.h, which has 648 bytes on 64-bit machines. It begins with a
/// `struct extern_proc` (sys/proc.h), which has the start time in its first 16 bytes and the state at byte 36.
const KINFO_PROC: usize = 1024;
const STATE_AT: usize = 36;
/// `SZOMB` of sys/proc.h.
const ZOMBIE: u8 = 5;

/// Queries a process of any user; `None` if no process has this ID. If the system does not report it, it counts as
/// running, with the start time 0, so that its resources are not taken from it.
pub(crate) fn query_process(pid: u32) -> Option<Seen> {
    let pid = libc::c_int::try_from(pid).ok()?;
    let mut name = [libc::CTL_KERN, libc::KERN_PROC, libc::KERN_PROC_PID, pid];
    let mut bytes = [0u8; KINFO_PROC];
    let mut length = bytes.len();
    // SAFETY: the call reads four numbers and writes at most `length` bytes; all live until it returns. Nothing is set.
    let done = unsafe {
        libc::sysctl(name.as_mut_ptr(), 4, bytes.as_mut_ptr().cast(), &raw mut length, std::ptr::null_mut(), 0)
    };
    if done != 0 || (1..=STATE_AT).contains(&length) {
        return Some(Seen { start: (0, 0), ended: false });
    }
    if length == 0 {
        return None;
    }
    let (seconds, micros) = (bytes[..8].try_into().ok()?, bytes[8..12].try_into().ok()?);
    let start = (i64::from_ne_bytes(seconds), i32::from_ne_bytes(micros));
    Some(Seen { start, ended: bytes[STATE_AT] == ZOMBIE })
}

/// Returns the start time of a process in seconds since 1970, with microseconds. A process ID may be reused, but not ID
/// and start time together.
pub(crate) fn started(pid: u32) -> Option<String> {
    query_process(pid).map(|Seen { start: (seconds, micros), .. }| format!("{seconds}.{micros:06}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_is_known_by_its_start_and_is_ending_when_it_has_ended() {
        let start = started(std::process::id()).unwrap();
        assert_eq!(started(std::process::id()).as_ref(), Some(&start));
        let now = crate::clock::realtime_ns() / 1_000_000_000;
        let seconds: u64 = start.split_once('.').unwrap().0.parse().unwrap();
        assert!(seconds > 0 && seconds <= now, "{start}");
        let mut child = std::process::Command::new("sleep").arg("600").spawn().unwrap();
        assert!(started(child.id()).is_some() && !crate::locks::is_ending(child.id()));
        child.kill().unwrap();
        while !crate::process::child_has_ended(child.id()).unwrap() {
            std::thread::yield_now();
        }
        // First ended but not waited for, then gone.
        assert!(crate::locks::is_ending(child.id()));
        child.wait().unwrap();
        assert!(started(child.id()).is_none() && crate::locks::is_ending(child.id()));
        // A process of another user.
        assert!(started(1).is_some());
    }

    #[test]
    fn the_machine_and_this_start_of_it_are_told() {
        assert!(!boot().is_empty() && boot() == boot());
        let facts = system_facts().unwrap();
        assert!(facts.system.starts_with("macOS 1") || facts.system.starts_with("macOS 2"), "{facts:?}");
        assert!(facts.memory > 1 << 30 && !facts.cpu_model.is_empty(), "{facts:?}");
    }
}
