//! Threads: CPU time, affinity, priority.

use crate::common::{CpuTime, MemoryMode};
use crate::windows::clock::monotonic_ns;
use crate::windows::nt;
use std::io;
use std::sync::OnceLock;
use windows_sys::Win32::Foundation::FILETIME;
use windows_sys::Win32::System::SystemInformation::GROUP_AFFINITY;
use windows_sys::Win32::System::Threading as t;
use windows_sys::Win32::System::WindowsProgramming::QueryThreadCycleTime;

/// Returns the CPU time of the calling thread, with the resolution of the system tick (about 16 ms). Fields that
/// Windows counts only for processes are zero.
#[must_use]
pub fn thread_cpu_time() -> CpuTime {
    let mut times = [FILETIME { dwLowDateTime: 0, dwHighDateTime: 0 }; 4];
    let [made, ended, system, user] = times.each_mut().map(std::ptr::from_mut);
    // SAFETY: the pseudo handle is this thread; the four places live until the call returns.
    unsafe { t::GetThreadTimes(t::GetCurrentThread(), made, ended, system, user) };
    let max_resident = process_cpu_time().max_resident;
    CpuTime {
        user_ns: nt::file_time(times[3]) * 100,
        system_ns: nt::file_time(times[2]) * 100,
        max_resident,
        ..CpuTime::default()
    }
}

/// Returns the CPU time of the calling thread up to this moment, from the cycles the system counts for it; if it counts
/// none, the value of [`thread_cpu_time`].
#[must_use]
pub fn thread_cpu_ns() -> u64 {
    if let (Some(cycles), Some(scale)) = (cycles(), scale()) {
        return ((u128::from(cycles) * u128::from(scale)) >> 32) as u64;
    }
    let time = thread_cpu_time();
    time.user_ns + time.system_ns
}

fn cycles() -> Option<u64> {
    let mut cycles = 0;
    // SAFETY: the pseudo handle is this thread, and `cycles` is a valid place.
    let known = unsafe { QueryThreadCycleTime(t::GetCurrentThread(), &raw mut cycles) };
    (known != 0 && cycles > 0).then_some(cycles)
}

/// Returns the nanoseconds per cycle as 32.32 fixed point; `None` if cycles are not counted. Windows counts the cycles
/// of a thread in ticks of the time-stamp counter, so a thread that never waits measures its rate. Waiting only makes a
/// measurement longer: the shortest of a few is used.
fn scale() -> Option<u64> {
    static SCALE: OnceLock<Option<u64>> = OnceLock::new();
    *SCALE.get_or_init(|| {
        let measure = || {
            let (from, before) = (cycles()?, monotonic_ns());
            while monotonic_ns() - before < 2_000_000 {
                std::hint::spin_loop();
            }
            let (spent, ns) = (cycles()? - from, monotonic_ns() - before);
            (spent > 0).then(|| ((u128::from(ns) << 32) / u128::from(spent)) as u64)
        };
        (0..5).filter_map(|_| measure()).min()
    })
}

/// Returns the CPU time of this process, all threads together.
#[must_use]
pub fn process_cpu_time() -> CpuTime {
    // SAFETY: the pseudo handle is this process.
    unsafe { super::child::usage_of(t::GetCurrentProcess()) }
}

/// Returns the system's ID of the calling thread.
#[must_use]
pub fn thread_number() -> u32 {
    // SAFETY: the call takes nothing and cannot fail.
    unsafe { t::GetCurrentThreadId() }
}

/// Returns the sizes of the system's processor groups, at most 64 CPUs each. CPUs are numbered across the groups.
fn groups() -> Vec<usize> {
    // SAFETY: the calls take and return plain numbers.
    unsafe { (0..t::GetActiveProcessorGroupCount()).map(|group| t::GetActiveProcessorCount(group) as usize).collect() }
}

/// Returns the CPUs this thread may run on.
#[must_use]
pub fn allowed_cpus() -> Vec<usize> {
    let mut affinity = GROUP_AFFINITY { Mask: 0, Group: 0, Reserved: [0; 3] };
    // SAFETY: the pseudo handle is this thread, and `affinity` is a valid place.
    if unsafe { t::GetThreadGroupAffinity(t::GetCurrentThread(), &raw mut affinity) } == 0 || affinity.Mask == 0 {
        return vec![0];
    }
    let first: usize = groups().iter().take(usize::from(affinity.Group)).sum();
    (0..64).filter(|cpu| affinity.Mask >> cpu & 1 != 0).map(|cpu| first + cpu).collect()
}

/// Binds the calling thread to these CPUs.
///
/// # Errors
/// Errors of `SetThreadGroupAffinity`; `InvalidInput` if none of the CPUs exists, and `Unsupported` for CPUs of two
/// groups: a thread belongs to one group.
pub fn bind_thread(cpus: &[usize]) -> io::Result<()> {
    let groups = groups();
    let place = |cpu: usize| {
        let mut first = 0;
        for (group, size) in groups.iter().enumerate() {
            if cpu < first + size {
                return Some((group, cpu - first));
            }
            first += size;
        }
        None
    };
    // As with sched_setaffinity, CPUs that do not exist are ignored if another of them exists.
    let places: Vec<(usize, usize)> = cpus.iter().filter_map(|cpu| place(*cpu)).collect();
    let Some((group, _)) = places.first().copied() else { return Err(io::ErrorKind::InvalidInput.into()) };
    if places.iter().any(|(other, _)| *other != group) {
        let reason = "the CPUs belong to two processor groups, but Windows binds a thread within one group";
        return Err(io::Error::new(io::ErrorKind::Unsupported, reason));
    }
    let mask = places.iter().fold(0, |mask, (_, cpu)| mask | 1usize << cpu);
    let affinity = GROUP_AFFINITY { Mask: mask, Group: group as u16, Reserved: [0; 3] };
    // SAFETY: the pseudo handle is this thread, and the structure lives until the call returns; the old affinity is not
    // requested.
    nt::check(unsafe { t::SetThreadGroupAffinity(t::GetCurrentThread(), &raw const affinity, std::ptr::null_mut()) })
}

/// Changes the priority of the calling thread by a niceness: values below 0 raise it, values above 0 lower it. Windows
/// has two steps up, two steps down, and idle.
///
/// # Errors
/// Errors of `SetThreadPriority`.
pub fn renice_thread(by: i32) -> io::Result<()> {
    let priority = match by {
        ..=-10 => t::THREAD_PRIORITY_HIGHEST,
        -9..=-1 => t::THREAD_PRIORITY_ABOVE_NORMAL,
        0 => return Ok(()),
        1..=9 => t::THREAD_PRIORITY_BELOW_NORMAL,
        10..=18 => t::THREAD_PRIORITY_LOWEST,
        19.. => t::THREAD_PRIORITY_IDLE,
    };
    // SAFETY: the pseudo handle is this thread.
    nt::check(unsafe { t::SetThreadPriority(t::GetCurrentThread(), priority) })
}

/// Sets the I/O priority of the calling thread: class 3 (idle) is the system's background mode, which also lowers the
/// thread's priority for CPU and memory; class 2 (best effort) at its middle level, 4, is the default of every thread.
///
/// # Errors
/// Errors of `SetThreadPriority`; `Unsupported` for other classes and levels.
pub fn set_io_priority(class: u8, level: u8) -> io::Result<()> {
    let mode = match (class, level) {
        (3, _) => t::THREAD_MODE_BACKGROUND_BEGIN,
        (2, 4) | (0, 0) => return Ok(()),
        _ => {
            let reason =
                "Windows supports two I/O priorities per thread: class 3 (idle) and the default (class 2, level 4)";
            return Err(io::Error::new(io::ErrorKind::Unsupported, reason));
        }
    };
    // SAFETY: the pseudo handle is this thread.
    nt::check(unsafe { t::SetThreadPriority(t::GetCurrentThread(), mode) })
}

/// Would bind the memory of a thread to NUMA nodes, which Windows does not support.
///
/// # Errors
/// `Unsupported`, except for [`MemoryMode::Local`], which is the default of Windows.
pub fn take_memory_from(mode: MemoryMode, _nodes: &[u32]) -> io::Result<()> {
    if mode == MemoryMode::Local {
        return Ok(());
    }
    let reason =
        "Windows cannot bind the memory of a thread to NUMA nodes (set_mempolicy); bind the thread to CPUs of the node";
    Err(io::Error::new(io::ErrorKind::Unsupported, reason))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cpu_time_grows_while_spinning() {
        let (before, ns) = (thread_cpu_time(), thread_cpu_ns());
        // Spins for one system tick, which may take far longer on a busy machine.
        let start = std::time::Instant::now();
        let spent = |time: CpuTime| time.user_ns + time.system_ns;
        while spent(thread_cpu_time()) == spent(before) {
            assert!(start.elapsed() < testkit::PATIENCE);
        }
        assert!(thread_cpu_ns() > ns);
    }

    #[test]
    fn a_thread_can_be_bound_to_a_cpu_it_has() {
        let cpu = allowed_cpus()[0];
        std::thread::spawn(move || {
            bind_thread(&[cpu]).unwrap();
            assert_eq!(allowed_cpus(), [cpu]);
        })
        .join()
        .unwrap();
        assert!(bind_thread(&[100_000]).is_err());
    }

    #[test]
    fn priorities_that_are_not_had_are_refused_by_name() {
        std::thread::spawn(|| {
            renice_thread(3).unwrap();
            assert!(set_io_priority(1, 0).unwrap_err().to_string().contains("class 3"));
            assert!(take_memory_from(MemoryMode::Bind, &[0]).unwrap_err().to_string().contains("NUMA"));
            take_memory_from(MemoryMode::Local, &[]).unwrap();
        })
        .join()
        .unwrap();
    }
}
