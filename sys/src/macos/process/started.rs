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

/// Room for a `struct kinfo_proc` of sys/sysctl.h, which has 648 bytes on machines of 64 bits; `struct extern_proc` (sys/proc.h) stands at
/// its beginning, with the start in its first 16 bytes and the state at byte 36.
const KINFO_PROC: usize = 1024;
const STATE_AT: usize = 36;
/// `SZOMB` of sys/proc.h.
const ZOMBIE: u8 = 5;

/// Looks at a process, whoever it belongs to; `None`: there is none of this number. One that the system does not tell of is taken to live,
/// all with one start: what it holds is not taken from it.
pub(crate) fn look(pid: u32) -> Option<Seen> {
    let pid = libc::c_int::try_from(pid).ok()?;
    let mut name = [libc::CTL_KERN, libc::KERN_PROC, libc::KERN_PROC_PID, pid];
    let mut told = [0u8; KINFO_PROC];
    let mut length = told.len();
    // SAFETY: the call reads four numbers and writes at most `length` bytes; all live until it returns. Nothing is set.
    let done = unsafe {
        libc::sysctl(name.as_mut_ptr(), 4, told.as_mut_ptr().cast(), &raw mut length, std::ptr::null_mut(), 0)
    };
    if done != 0 || (1..=STATE_AT).contains(&length) {
        return Some(Seen { start: (0, 0), ended: false });
    }
    if length == 0 {
        return None;
    }
    let (seconds, micros) = (told[..8].try_into().ok()?, told[8..12].try_into().ok()?);
    let start = (i64::from_ne_bytes(seconds), i32::from_ne_bytes(micros));
    Some(Seen { start, ended: told[STATE_AT] == ZOMBIE })
}

/// When a process started, in microseconds since 1970: a process number may be used again, this pair is not.
pub(crate) fn started(pid: u32) -> Option<String> {
    look(pid).map(|Seen { start: (seconds, micros), .. }| format!("{seconds}.{micros:06}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_is_known_by_its_start_and_is_ending_when_it_has_ended() {
        let own = started(std::process::id()).unwrap();
        assert_eq!(started(std::process::id()).as_ref(), Some(&own));
        let now = crate::realtime_ns() / 1_000_000_000;
        let seconds: u64 = own.split_once('.').unwrap().0.parse().unwrap();
        assert!(seconds > 0 && seconds <= now, "{own}");
        let mut child = std::process::Command::new("sleep").arg("600").spawn().unwrap();
        assert!(started(child.id()).is_some() && !crate::is_ending(child.id()));
        child.kill().unwrap();
        while !crate::child_has_ended(child.id()).unwrap() {
            std::thread::yield_now();
        }
        // Ended, and not waited for; then gone.
        assert!(crate::is_ending(child.id()));
        child.wait().unwrap();
        assert!(started(child.id()).is_none() && crate::is_ending(child.id()));
        // Somebody else's.
        assert!(started(1).is_some());
    }

    #[test]
    fn the_machine_and_this_start_of_it_are_told() {
        assert!(!boot().is_empty() && boot() == boot());
        let told = system_facts().unwrap();
        assert!(told.system.starts_with("macOS 1") || told.system.starts_with("macOS 2"), "{told:?}");
        assert!(told.memory > 1 << 30 && !told.cpu_model.is_empty(), "{told:?}");
    }
}
