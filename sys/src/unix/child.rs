//! Processes: exit status and resource usage of children, signals to other processes, and exiting this one.

use crate::common::{ChildEnd, CpuTime};
use crate::unix::check;
use std::io;

/// Returns `true` if a child has ended. The child remains a zombie, so that its records in the kernel can still be
/// read.
///
/// # Errors
/// As `waitid(2)`: `ECHILD` if it is not a child of this process or was already waited for.
pub fn child_has_ended(pid: u32) -> io::Result<bool> {
    // SAFETY: siginfo_t is plain integers, for which zero is a value.
    let mut info: libc::siginfo_t = unsafe { std::mem::zeroed() };
    let how = libc::WEXITED | libc::WNOHANG | libc::WNOWAIT;
    // SAFETY: `info` is valid for writes of one siginfo_t.
    check(unsafe { libc::waitid(libc::P_PID, pid, &raw mut info, how) })?;
    // SAFETY: the kernel fills in this field for a child that changed state; otherwise it is zero, as above.
    Ok(unsafe { info.si_pid() } != 0)
}

/// Waits for a child and returns its exit status and resource usage.
///
/// # Errors
/// As `wait4(2)`.
pub fn wait_for_child(pid: u32) -> io::Result<ChildEnd> {
    let mut status = 0;
    // SAFETY: rusage is plain integers, for which zero is a value.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    loop {
        // SAFETY: both pointers are valid for the kernel's writes.
        if unsafe { libc::wait4(pid as libc::pid_t, &raw mut status, 0, &raw mut usage) } >= 0 {
            break;
        }
        let error = io::Error::last_os_error();
        if error.kind() != io::ErrorKind::Interrupted {
            return Err(error);
        }
    }
    Ok(ChildEnd {
        code: libc::WIFEXITED(status).then(|| libc::WEXITSTATUS(status)),
        signal: libc::WIFSIGNALED(status).then(|| libc::WTERMSIG(status)),
        usage: CpuTime::from_rusage(&usage),
        blocks: (usage.ru_inblock as u64, usage.ru_oublock as u64),
    })
}

/// Exits at once, without waiting for threads that may never return from the kernel. Those threads keep the descriptors
/// of the process open until then, but readers of standard output and standard error still see the end of the stream.
pub fn exit_now(code: i32) -> ! {
    // SAFETY: the path is NUL-terminated; descriptors are plain numbers, and one that cannot be replaced stays open.
    unsafe {
        let null = libc::open(c"/dev/null".as_ptr(), libc::O_RDWR | libc::O_CLOEXEC);
        if null >= 0 {
            libc::dup2(null, libc::STDOUT_FILENO);
            libc::dup2(null, libc::STDERR_FILENO);
        }
    }
    // SAFETY: ends the process; no Rust code runs after it.
    unsafe { libc::_exit(code) }
}

/// Sends a signal to a process.
///
/// # Errors
/// As `kill(2)`.
pub fn send_signal(pid: u32, signal: i32) -> io::Result<()> {
    // SAFETY: the call takes integers and accesses no memory of this process.
    check(unsafe { libc::kill(pid as i32, signal) })
}
