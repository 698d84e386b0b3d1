//! Child processes that must not outlive this one.

use crate::unix::check;
use std::os::unix::process::CommandExt;
use std::process::Command;

/// Makes the kernel send `signal` to the process of this command when the **thread** that spawned it ends, for any
/// reason. Spawn it from a thread that lives as long as the process is needed. A program that changes its user
/// afterwards loses this setting; the user and group of the command itself are set before it.
pub fn signal_with_parent(command: &mut Command, signal: i32) {
    let parent = std::process::id();
    // SAFETY: between fork and exec the closure only makes two system calls that take and return integers; it allocates
    // nothing and takes no lock.
    unsafe {
        command.pre_exec(move || {
            check(libc::prctl(libc::PR_SET_PDEATHSIG, signal as libc::c_ulong))?;
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
    use crate::process::{child_has_ended, wait_for_child};
    use std::os::unix::process::ExitStatusExt;

    #[test]
    // `wait_for_child` waits for it, which clippy does not know.
    #[expect(clippy::zombie_processes)]
    fn a_child_that_ended_can_be_looked_at_before_it_is_waited_for() {
        let child = Command::new("sh").args(["-c", "exit 7"]).spawn().unwrap();
        let pid = child.id();
        while !child_has_ended(pid).unwrap() {
            std::thread::yield_now();
        }
        assert!(std::fs::read_to_string(format!("/proc/{pid}/io")).is_ok_and(|io| io.contains("read_bytes")));
        let end = wait_for_child(pid).unwrap();
        assert_eq!((end.code, end.signal), (Some(7), None));
        assert!(end.usage.max_resident > 0 && child_has_ended(pid).is_err());
    }

    #[test]
    fn a_child_is_signalled_when_the_thread_that_started_it_ends() {
        let mut child = std::thread::spawn(|| {
            let mut command = Command::new("sleep");
            command.arg("600");
            // Not SIGQUIT or SIGINT: background commands of a script ignore them.
            signal_with_parent(&mut command, libc::SIGTERM);
            command.spawn().unwrap()
        })
        .join()
        .unwrap();
        assert_eq!(child.wait().unwrap().signal(), Some(libc::SIGTERM));
    }
}
