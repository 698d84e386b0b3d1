//! Threads and processes: CPU time, affinity, timer slack, exiting with the parent.

use crate::common::{CpuTime, MemoryMode, RunQueueWait};
use crate::unix::check;
use crate::unix::clock::read_clock;
use crate::unix::usage::usage;
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};
use std::io;

/// Returns the CPU time of the calling thread.
#[must_use]
pub fn thread_cpu_time() -> CpuTime {
    usage(libc::RUSAGE_THREAD)
}

/// Returns the CPU time of the calling thread in nanoseconds, up to this moment; [`thread_cpu_time`] lags by up to one
/// scheduler tick.
#[must_use]
pub fn thread_cpu_ns() -> u64 {
    read_clock(libc::CLOCK_THREAD_CPUTIME_ID)
}

/// Returns the kernel's ID of the calling thread.
#[must_use]
pub fn thread_number() -> u32 {
    // The C library has the call only since 2019 (glibc 2.30).
    rustix::thread::gettid().as_raw_nonzero().get().unsigned_abs()
}

/// Returns the run-queue wait so far of a thread of this process, given by its ID. `None` if the kernel does not record
/// it (built without `SCHED_INFO`) or the thread has ended.
#[must_use]
pub fn run_queue_wait(thread: u32) -> Option<RunQueueWait> {
    schedstat(thread).map(|[_, ns, times]| RunQueueWait { ns, times })
}

/// Returns the time for which a thread of this process, given by its ID, was runnable, in nanoseconds: on a CPU or
/// ready and waiting for one. Excludes waiting for a disk. `None` as for [`run_queue_wait`].
#[must_use]
pub fn runnable_ns(thread: u32) -> Option<u64> {
    schedstat(thread).map(|[ran, waited, _]| ran + waited)
}

/// Returns the CPU that a thread of this process, given by its ID, last ran on. `None` if the thread has ended.
#[must_use]
pub fn last_cpu(thread: u32) -> Option<u32> {
    parse_last_cpu(&std::fs::read_to_string(format!("/proc/self/task/{thread}/stat")).ok()?)
}

/// Parses field 39 of proc_pid_stat(5). The name in field 2 may contain spaces and parentheses.
fn parse_last_cpu(stat: &str) -> Option<u32> {
    stat.rsplit_once(')')?.1.split_whitespace().nth(36)?.parse().ok()
}

fn schedstat(thread: u32) -> Option<[u64; 3]> {
    parse_schedstat(&std::fs::read_to_string(format!("/proc/self/task/{thread}/schedstat")).ok()?)
}

/// Parses three numbers: time on a CPU, time waiting for one, number of times it was given one. Zeros mean that the
/// kernel does not count.
fn parse_schedstat(text: &str) -> Option<[u64; 3]> {
    let words: Vec<u64> = text.split_whitespace().map(|w| w.parse().ok()).collect::<Option<_>>()?;
    words.try_into().ok().filter(|[_, _, times]: &[u64; 3]| *times > 0)
}

/// Returns the CPUs that this thread may run on.
#[must_use]
pub fn allowed_cpus() -> Vec<usize> {
    let Ok(set) = sched_getaffinity(None) else { return vec![0] };
    (0..CpuSet::MAX_CPU).filter(|cpu| set.is_set(*cpu)).collect()
}

/// Adds to the niceness of the calling thread; threads it starts later inherit it.
///
/// # Errors
/// As `setpriority(2)`: lowering the niceness requires a privilege.
pub fn renice_thread(by: i32) -> io::Result<()> {
    // SAFETY: plain integers; 0 = the calling thread. -1 is a valid niceness, and reading one's own cannot fail.
    let now = unsafe { libc::getpriority(libc::PRIO_PROCESS, 0) };
    // SAFETY: plain integers.
    check(unsafe { libc::setpriority(libc::PRIO_PROCESS, 0, now.saturating_add(by)) })
}

/// `IOPRIO_WHO_PROCESS`: with ID 0, the calling thread.
const IOPRIO_THREAD: libc::c_long = 1;

/// Sets the I/O priority of the calling thread: class 1 real time, 2 best effort, 3 idle, and a level 0..=7 within it.
/// Threads it starts later inherit it.
///
/// # Errors
/// As `ioprio_set(2)`: the real-time class requires a privilege.
pub fn set_io_priority(class: u8, level: u8) -> io::Result<()> {
    let value = (libc::c_long::from(class) << 13) | libc::c_long::from(level);
    // SAFETY: three integers, none of them an address.
    check(unsafe { libc::syscall(libc::SYS_ioprio_set, IOPRIO_THREAD, 0 as libc::c_long, value) })
}

/// Binds the calling thread to these CPUs.
///
/// # Errors
/// As `sched_setaffinity(2)`, for example if none of them exists.
pub fn bind_thread(cpus: &[usize]) -> io::Result<()> {
    let mut set = CpuSet::new();
    cpus.iter().filter(|cpu| **cpu < CpuSet::MAX_CPU).for_each(|cpu| set.set(*cpu));
    Ok(sched_setaffinity(None, &set)?)
}

/// Sets the NUMA nodes that provide memory touched by the calling thread from now on.
///
/// # Errors
/// `EINVAL` if a node does not exist, `ENOSYS` on a kernel without NUMA; permission errors.
pub fn take_memory_from(mode: MemoryMode, nodes: &[u32]) -> io::Result<()> {
    const BITS: u32 = libc::c_ulong::BITS;
    let mut mask = [0 as libc::c_ulong; 1024 / BITS as usize];
    for node in nodes {
        let Some(word) = mask.get_mut((node / BITS) as usize) else { return Err(io::ErrorKind::InvalidInput.into()) };
        *word |= 1 << (node % BITS);
    }
    let empty = nodes.is_empty();
    let (start, bits) = if empty { (std::ptr::null(), 0) } else { (mask.as_ptr(), 1025_usize) };
    // SAFETY: the kernel reads at most one bit less than the length passed, which is the whole mask, or nothing.
    check(unsafe { libc::syscall(libc::SYS_set_mempolicy, mode as libc::c_long, start, bits) })
}

/// Gives the calling thread a separate descriptor table, a copy of the process's. From then on, neither sees files that
/// the other opens or closes. With a shared table the kernel updates a reference count at every use of a file, which
/// takes about 30 ns of a 400 ns read from the page cache; a separate table avoids that. Returns `false` if a filter
/// forbids it.
pub fn own_descriptors() -> bool {
    // SAFETY: the call takes a flag. Descriptors open now stay open under the same numbers in both tables, so ownership
    // does not change; the copies of this thread are closed when it ends.
    unsafe { libc::unshare(libc::CLONE_FILES) == 0 }
}

/// Makes sleeps of the calling thread end on time: by default the kernel may add 50 us to each.
pub fn wake_on_time() {
    // SAFETY: the call takes an integer and accesses no memory of this process.
    unsafe { libc::prctl(libc::PR_SET_TIMERSLACK, 1u64) };
}

/// Makes the kernel kill this process when its parent ends, so that no orphan continues its I/O.
///
/// # Errors
/// `ESRCH` if the parent has already ended.
pub fn die_with_parent(parent: u32) -> io::Result<()> {
    // SAFETY: the call takes integers and accesses no memory of this process.
    unsafe { libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL as libc::c_ulong) };
    // SAFETY: never fails and accesses no memory.
    if unsafe { libc::getppid() } as u32 != parent {
        return Err(io::Error::from_raw_os_error(libc::ESRCH));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_that_shares_its_cpu_waits_for_it() {
        assert_eq!(parse_schedstat("5 7 3\n"), Some([5, 7, 3]));
        // Zeros mean not counted; the others are malformed.
        for text in ["0 0 0\n", "", "1 2", "1 2 x", "1 2 3 4"] {
            assert_eq!(parse_schedstat(text), None, "{text:?}");
        }
        if run_queue_wait(thread_number()).is_none() {
            testkit::skipped("this kernel does not count run-queue waits");
            return;
        }
        let cpu = allowed_cpus()[0];
        let spin = move || {
            bind_thread(&[cpu]).expect("a CPU we may run on");
            let (number, begun) = (thread_number(), std::time::Instant::now());
            while begun.elapsed().as_millis() < 200 {
                std::hint::spin_loop();
            }
            let runnable = runnable_ns(number).expect("as well");
            assert!(runnable > 150_000_000, "{runnable} ns of 200 ms");
            run_queue_wait(number).expect("it was told before").ns
        };
        let waited: u64 =
            [std::thread::spawn(spin), std::thread::spawn(spin)].map(|t| t.join().expect("it spins")).iter().sum();
        assert!(waited > 50_000_000, "{waited} ns of 2 x 200 ms on one CPU");
    }

    #[test]
    fn the_last_cpu_is_read_after_any_name() {
        let stat = "7 (a) b) R 1 7 7 0 -1 64 1 0 0 0 0 0 0 0 20 0 1 0 5 3 8 9 1 1 1 0 0 0 0 0 0 0 0 0 17 3 0 0 0 0 0 1";
        assert_eq!(parse_last_cpu(stat), Some(3));
        assert_eq!(parse_last_cpu("7 (a) R 1"), None);
        assert!(last_cpu(thread_number()).is_some_and(|cpu| allowed_cpus().contains(&(cpu as usize))));
    }

    #[test]
    fn memory_is_taken_from_the_nodes_given() {
        std::thread::spawn(|| {
            let policy = || {
                let mut mode = 0_i32;
                // SAFETY: the kernel writes one number, and no mask.
                unsafe { libc::syscall(libc::SYS_get_mempolicy, &raw mut mode, 0_usize, 0_usize, 0_usize, 0_usize) };
                mode
            };
            if let Err(error) = take_memory_from(MemoryMode::Bind, &[0]) {
                return testkit::skipped(&error.to_string());
            }
            assert_eq!(policy(), 2);
            take_memory_from(MemoryMode::Local, &[]).expect("it has no nodes to be wrong");
            assert_eq!(policy(), 4);
            assert!(take_memory_from(MemoryMode::Bind, &[5000]).is_err());
        })
        .join()
        .expect("no assertion fails");
    }

    #[test]
    fn a_thread_is_nicer_and_has_the_io_priority_given_and_others_have_not() {
        std::thread::spawn(|| {
            // SAFETY: plain integers.
            let nice = || unsafe { libc::getpriority(libc::PRIO_PROCESS, 0) };
            let before = nice();
            renice_thread(3).unwrap();
            assert_eq!(nice(), before + 3);
            set_io_priority(3, 0).unwrap();
            // SAFETY: two integers.
            let value = || unsafe { libc::syscall(libc::SYS_ioprio_get, IOPRIO_THREAD, 0 as libc::c_long) };
            assert_eq!(value() >> 13, 3);
            set_io_priority(2, 6).unwrap();
            assert_eq!((value() >> 13, value() & 7), (2, 6));
        })
        .join()
        .unwrap();
        assert!(set_io_priority(7, 0).is_err());
    }

    #[test]
    fn cpu_time_grows_while_spinning() {
        let before = thread_cpu_time();
        let start = crate::linux::clock::monotonic_ns();
        while crate::linux::clock::monotonic_ns() - start < 30_000_000 {}
        let after = thread_cpu_time();
        assert!(after.user_ns + after.system_ns > before.user_ns + before.system_ns);
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
    }
}
