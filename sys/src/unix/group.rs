//! Programs with all their descendants: process groups that can be signalled as a whole and end with this process.

use std::ffi::OsStr;
use std::io::{self, Write};
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// Shell, as used by `system(3)`.
const SHELL: &str = "/bin/sh";
/// Guard script. For each line it reads, it sends SIGTERM to its group; at the end of the pipe, at the latest when this
/// process ends, it kills the group and itself.
const GUARD: &str = "trap '' HUP INT TERM; while read -r _; do kill -TERM 0; done; kill -KILL 0";
/// Maximum wait for killed processes: one that hangs in the kernel does not end.
const REAPED: Duration = Duration::from_secs(1);

/// Starts a program in a new process group, so that signals from the terminal to our group do not reach it.
pub fn own_group(command: &mut Command) -> &mut Command {
    command.process_group(0)
}

/// Sets the name under which a program is called (its `argv[0]`).
pub fn call_by<'a>(command: &'a mut Command, name: &OsStr) -> &'a mut Command {
    command.arg0(name)
}

/// Runs a program as another user and group, given by their IDs.
pub fn run_as(command: &mut Command, user: u32, group: u32) -> &mut Command {
    command.uid(user).gid(group)
}

/// Sends a signal to all processes of a group created by [`own_group`], given the process ID of its leader. Ignores
/// groups that have already ended.
pub fn signal_group(leader: u32, signal: i32) {
    use rustix::process::{Pid, Signal, kill_process_group};
    if let (Some(group), Some(signal)) = (Pid::from_raw(leader.cast_signed()), Signal::from_named_raw(signal)) {
        let _ = kill_process_group(group, signal);
    }
}

/// Sends a signal to a process started with [`own_group`], and to no other. Ignores processes that have already ended.
pub fn signal_child(pid: u32, signal: i32) {
    let _ = crate::process::send_signal(pid, signal);
}

/// Returns a command that runs `text` in the system's shell.
#[must_use]
pub fn shell(text: &str) -> Command {
    let mut command = Command::new(SHELL);
    command.arg("-c").arg(text);
    command
}

/// Returns a shell command that redirects both output streams to a file; if it has several commands, those of the last.
#[must_use]
pub fn shell_into(text: &str, file: &str) -> Command {
    shell(&format!("{text} > '{}' 2>&1", file.replace('\'', r"'\''")))
}

/// A program and all descendants that stayed in its group. The group ends when this value is dropped, and with this
/// process however it ends.
///
/// The program is started by `posix_spawn`, never by `fork`: a copy of the page tables would make the measuring threads
/// fault on the next access to every buffer. So secchi cannot run code in the child before the program starts; instead
/// the group is ended by another process in it, a shell that waits for the end of a pipe.
#[derive(Debug)]
pub struct ProgramGroup {
    program: Child,
    guard: Child,
    /// Pipe to the guard; `None` once the guard was sent the request to end the group.
    wish: Option<ChildStdin>,
}

impl ProgramGroup {
    /// Starts the program, with an empty standard input.
    ///
    /// # Errors
    /// As `posix_spawn(3)`.
    pub fn start(command: &mut Command) -> io::Result<ProgramGroup> {
        let mut guard = Command::new(SHELL)
            .args(["-c", GUARD])
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .process_group(0)
            .spawn()
            .map_err(|e| io::Error::new(e.kind(), format!("{SHELL}: {e}")))?;
        let wish = guard.stdin.take();
        // The guard leads the group, so that the group exists whether or not the program is running.
        let group = i32::try_from(guard.id()).unwrap_or(0);
        match command.stdin(Stdio::null()).process_group(group).spawn() {
            Ok(program) => Ok(ProgramGroup { program, guard, wish }),
            Err(error) => {
                drop(wish);
                reap(&mut guard);
                Err(error)
            }
        }
    }

    /// Returns the exit status once the program has ended; its descendants may still be running.
    pub fn ended(&mut self) -> Option<ExitStatus> {
        self.program.try_wait().ok().flatten()
    }

    /// Sends SIGTERM to the whole group.
    pub fn ask_to_end(&mut self) {
        if let Some(wish) = &mut self.wish {
            // If the guard is gone, it took its group with it.
            let _ = wish.write_all(b"\n");
        }
    }
}

impl Drop for ProgramGroup {
    /// Kills the whole group.
    fn drop(&mut self) {
        drop(self.wish.take());
        reap(&mut self.guard);
        reap(&mut self.program);
    }
}

fn reap(child: &mut Child) {
    let begun = Instant::now();
    while matches!(child.try_wait(), Ok(None)) && begun.elapsed() < REAPED {
        std::thread::sleep(Duration::from_millis(1));
    }
}
