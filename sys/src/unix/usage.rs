//! Resource usage of a process.

use crate::common::CpuTime;

/// Unit of `ru_maxrss` in bytes: Linux reports KiB.
const RESIDENT: u64 = if cfg!(target_os = "linux") { 1024 } else { 1 };

impl CpuTime {
    /// Converts the kernel's record.
    pub(crate) fn from_rusage(u: &libc::rusage) -> CpuTime {
        let ns = |t: libc::timeval| t.tv_sec as u64 * 1_000_000_000 + t.tv_usec as u64 * 1_000;
        CpuTime {
            user_ns: ns(u.ru_utime),
            system_ns: ns(u.ru_stime),
            voluntary_switches: u.ru_nvcsw as u64,
            involuntary_switches: u.ru_nivcsw as u64,
            max_resident: u.ru_maxrss as u64 * RESIDENT,
            major_faults: u.ru_majflt as u64,
            minor_faults: u.ru_minflt as u64,
        }
    }
}

/// Returns the usage for one of the kernel's `RUSAGE_` constants.
pub(crate) fn usage(who: libc::c_int) -> CpuTime {
    // SAFETY: rusage is plain integers, for which zero is a value.
    let mut u: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: `u` is valid for writes of one rusage; `who` is one of the kernel's constants.
    unsafe { libc::getrusage(who, &raw mut u) };
    CpuTime::from_rusage(&u)
}

/// Returns the CPU time of this process, all threads included.
#[must_use]
pub fn process_cpu_time() -> CpuTime {
    usage(libc::RUSAGE_SELF)
}
