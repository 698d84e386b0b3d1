//! Processes: how children ended and what they used, signals to others, and the end of this one.

use crate::common::{ChildEnd, CpuTime};
use std::io;

/// Whether a child has ended; it stays a zombie, so that what the kernel knows of it can still be read.
///
/// # Errors
/// As `waitid(2)`: `ECHILD` when it is not a child of ours, or was waited for.
pub fn child_has_ended(pid: u32) -> io::Result<bool> {
    // SAFETY: siginfo_t is plain integers, for which zero is a value.
    let mut info: libc::siginfo_t = unsafe { std::mem::zeroed() };
    let how = libc::WEXITED | libc::WNOHANG | libc::WNOWAIT;
    // SAFETY: `info` is a valid place for one siginfo_t.
    if unsafe { libc::waitid(libc::P_PID, pid, &raw mut info, how) } != 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: of a child that changed its state the kernel has filled this field in; else it is zero, as above.
    Ok(unsafe { info.si_pid() } != 0)
}

/// Waits for a child and takes its account.
///
/// # Errors
/// As `wait4(2)`.
pub fn wait_for_child(pid: u32) -> io::Result<ChildEnd> {
    let mut status = 0;
    // SAFETY: rusage is plain integers, for which zero is a value.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    loop {
        // SAFETY: both places are valid for what the kernel writes there.
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

/// Ends the process at once, without waiting for threads that may never return from the kernel. They keep the process's
/// descriptors open until then; whoever reads standard output or error meets their end all the same.
pub fn exit_now(code: i32) -> ! {
    // SAFETY: the path is a string that ends with 0; descriptors are numbers, and one that cannot be replaced stays.
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
    // SAFETY: the call takes integers and touches no memory of ours.
    if unsafe { libc::kill(pid as i32, signal) } != 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(())
}
