//! Processes that this program starts and that must not outlive it.

use std::os::unix::process::CommandExt;
use std::process::Command;

/// Has the kernel send `signal` to the process of this command when the **thread** that spawned it ends, however it ends:
/// spawn it from one that lives as long as the process is wanted. A program that changes its user afterwards loses this;
/// the user and group of the command itself are set before it.
pub fn signal_with_parent(command: &mut Command, signal: i32) {
    let parent = std::process::id();
    // SAFETY: between fork and exec the closure only makes two system calls that take and return integers; it allocates
    // nothing and takes no lock.
    unsafe {
        command.pre_exec(move || {
            if libc::prctl(libc::PR_SET_PDEATHSIG, signal as libc::c_ulong) != 0 {
                return Err(std::io::Error::last_os_error());
            }
            // The parent may have ended before the call.
            if libc::getppid() as u32 != parent {
                return Err(std::io::Error::from_raw_os_error(libc::ESRCH));
            }
            Ok(())
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::process::ExitStatusExt;

    #[test]
    fn a_child_is_signalled_when_the_thread_that_started_it_ends() {
        let mut child = std::thread::spawn(|| {
            let mut command = Command::new("sleep");
            command.arg("600");
            signal_with_parent(&mut command, libc::SIGQUIT);
            command.spawn().unwrap()
        })
        .join()
        .unwrap();
        assert_eq!(child.wait().unwrap().signal(), Some(libc::SIGQUIT));
    }
}
