//! Programs with all that they start: as a group that is signalled, and that ends with us.

use std::ffi::OsStr;
use std::io::{self, Write};
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// The shell, as `system(3)` has it.
const SHELL: &str = "/bin/sh";
/// For each line it reads it asks its group to end; at the end of the pipe, which is that of this process at the latest, it
/// ends the group and itself.
const GUARD: &str = "trap '' HUP INT TERM; while read -r _; do kill -TERM 0; done; kill -KILL 0";
/// How long is waited for processes that were killed: one that hangs in the kernel does not end.
const REAPED: Duration = Duration::from_secs(1);

/// Has a program begin a group of its own: what a terminal sends to ours does not reach it.
pub fn own_group(command: &mut Command) -> &mut Command {
    command.process_group(0)
}

/// Has a program be called by this name, which it sees as its own.
pub fn call_by<'a>(command: &'a mut Command, name: &OsStr) -> &'a mut Command {
    command.arg0(name)
}

/// Has a program run as another user and group, by their numbers.
pub fn run_as(command: &mut Command, user: u32, group: u32) -> &mut Command {
    command.uid(user).gid(group)
}

/// Sends a signal to all of a group that [`own_group`] made, by the number of the process that began it. One that is gone needs
/// none.
pub fn signal_group(leader: u32, signal: i32) {
    use rustix::process::{Pid, Signal, kill_process_group};
    if let (Some(group), Some(signal)) = (Pid::from_raw(leader.cast_signed()), Signal::from_named_raw(signal)) {
        let _ = kill_process_group(group, signal);
    }
}

/// Sends a signal to a process that [`own_group`] started, and to nobody else. One that is gone needs none.
pub fn signal_child(pid: u32, signal: i32) {
    let _ = crate::send_signal(pid, signal);
}

/// A command of the system's shell.
#[must_use]
pub fn shell(text: &str) -> Command {
    let mut command = Command::new(SHELL);
    command.arg("-c").arg(text);
    command
}

/// A command of the shell whose output, both streams, goes into a file; of several commands only that of the last.
#[must_use]
pub fn shell_into(text: &str, file: &str) -> Command {
    shell(&format!("{text} > '{}' 2>&1", file.replace('\'', r"'\''")))
}

/// A program, and all it started that stayed in its group. It ends with this value, and with this process however that ends.
///
/// It is started by `posix_spawn`, never by `fork`: a copy of this process's page tables would make the threads that measure
/// fault on every buffer they touch next. So nothing of ours runs between; what ends a group is another process in it, a
/// shell that waits for the end of a pipe.
#[derive(Debug)]
pub struct ProgramGroup {
    program: Child,
    guard: Child,
    /// Where the guard hears us; `None` once it was told to end the group.
    wish: Option<ChildStdin>,
}

impl ProgramGroup {
    /// Starts it, with nothing on its standard input.
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
        // The guard leads the group, so that the group is there whether or not the program is.
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

    /// How it ended, once it has; what it started may go on.
    pub fn ended(&mut self) -> Option<ExitStatus> {
        self.program.try_wait().ok().flatten()
    }

    /// Asks the whole group to end (SIGTERM).
    pub fn ask_to_end(&mut self) {
        if let Some(wish) = &mut self.wish {
            // A guard that is gone took its group along.
            let _ = wish.write_all(b"\n");
        }
    }
}

impl Drop for ProgramGroup {
    /// Ends the whole group at once.
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
