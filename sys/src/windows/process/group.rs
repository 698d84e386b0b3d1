//! Programs with all processes they start: as a group that receives signals together and ends with this process.

use crate::windows::nt;
use std::ffi::OsStr;
use std::io;
use std::os::windows::io::{AsRawHandle, OwnedHandle};
use std::os::windows::process::CommandExt;
use std::process::{Child, Command, ExitStatus, Stdio};
use windows_sys::Win32::System::Console::{CTRL_BREAK_EVENT, GenerateConsoleCtrlEvent};
use windows_sys::Win32::System::JobObjects::AssignProcessToJobObject;
use windows_sys::Win32::System::Threading::CREATE_NEW_PROCESS_GROUP;

/// Starts a program in a new process group, so that console events for our group do not reach it.
pub fn own_group(command: &mut Command) -> &mut Command {
    command.creation_flags(CREATE_NEW_PROCESS_GROUP)
}

/// Would set the name a program is called by (`argv[0]`). Has no effect on Windows.
pub fn call_by<'a>(command: &'a mut Command, _name: &OsStr) -> &'a mut Command {
    command
}

/// Would run a program as another user. Windows has no numeric users and starts no program as another user without a
/// password.
///
/// # Panics
/// Always: callers must check that the system has numeric users.
pub fn run_as(_command: &mut Command, user: u32, _group: u32) -> &mut Command {
    unreachable!("Windows has no user {user}")
}

/// Sends a signal to all processes of a group that [`own_group`] created, given the process ID of its leader. SIGKILL
/// ends the leader at once. SIGCONT does nothing. Every other signal is sent as Ctrl-Break; without a console it also
/// ends the leader, because a request that cannot be delivered would be waited for in vain. A group that has ended is
/// ignored.
pub fn signal_group(leader: u32, signal: i32) {
    use super::signals::signal::{CONT, KILL};
    // SAFETY: the arguments are plain numbers.
    let asked = || unsafe { GenerateConsoleCtrlEvent(CTRL_BREAK_EVENT, leader) } != 0;
    match signal {
        CONT => {}
        KILL => drop(crate::process::send_signal(leader, KILL)),
        _ if asked() => {}
        _ => drop(crate::process::send_signal(leader, KILL)),
    }
}

/// Sends a signal to a process that [`own_group`] started, like [`signal_group`].
pub fn signal_child(pid: u32, signal: i32) {
    signal_group(pid, signal);
}

/// Returns a command that runs a text in the system's shell.
#[must_use]
pub fn shell(text: &str) -> Command {
    let mut command = Command::new("cmd");
    // cmd has special quoting rules: the text between the outer quotes is used unchanged.
    command.raw_arg("/d /s /c").raw_arg(format!("\"{text}\""));
    command
}

/// Returns a shell command that writes stdout and stderr to a file; if the text has several commands, only those of the
/// last.
#[must_use]
pub fn shell_into(text: &str, file: &str) -> Command {
    shell(&format!("{text} > \"{file}\" 2>&1"))
}

/// Program and all processes it started. They end when this value is dropped or this process ends for any reason: all
/// of them are in one job object, which ends with its last handle.
#[derive(Debug)]
pub struct ProgramGroup {
    program: Child,
    /// The only handle of the job.
    _job: OwnedHandle,
}

impl ProgramGroup {
    /// Starts the program with an empty standard input.
    ///
    /// # Errors
    /// Errors of `CreateProcessW` and `CreateJobObjectW`.
    pub fn start(command: &mut Command) -> io::Result<ProgramGroup> {
        let job = nt::new_job()?;
        let program = own_group(command.stdin(Stdio::null())).spawn()?;
        // SAFETY: both handles are open.
        let taken = unsafe { AssignProcessToJobObject(job.as_raw_handle(), program.as_raw_handle()) };
        let mut group = ProgramGroup { program, _job: job };
        match nt::check(taken) {
            // A process that has already ended cannot be assigned to a job.
            Err(e) if group.ended().is_none() => {
                let _ = group.program.kill();
                Err(e)
            }
            _ => Ok(group),
        }
    }

    /// Returns the exit status of the program once it has ended; the processes it started may still run.
    pub fn ended(&mut self) -> Option<ExitStatus> {
        self.program.try_wait().ok().flatten()
    }

    /// Requests the whole group to end (Ctrl-Break); see [`signal_group`].
    pub fn ask_to_end(&mut self) {
        if self.ended().is_none() {
            signal_group(self.program.id(), super::signals::signal::TERM);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    const NUMBER: &str = "SECCHI_TEST_NUMBER";

    /// Run by [`what_a_group_started_ends_with_it`] as a program: starts another process, writes its ID, and waits for
    /// it.
    #[test]
    #[ignore = "a program of another test"]
    fn a_program_that_starts_another() {
        let Ok(file) = std::env::var(NUMBER) else { return };
        let mut other = Command::new("cmd").args(["/c", "pause"]).stdin(Stdio::piped()).spawn().unwrap();
        std::fs::write(file, format!("{}\n", other.id())).unwrap();
        // The other process waits for a key on a pipe that stays open here.
        let _held = other.stdin.take();
        other.wait().unwrap();
    }

    fn number(file: &Path) -> Option<u32> {
        std::fs::read_to_string(file).ok()?.strip_suffix('\n')?.parse().ok()
    }

    #[test]
    fn what_a_group_started_ends_with_it() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("number");
        let mut program = Command::new(std::env::current_exe().unwrap());
        program.args(["--exact", "windows::process::group::tests::a_program_that_starts_another", "--ignored"]);
        program.env(NUMBER, &file).stdout(Stdio::null());
        let mut group = ProgramGroup::start(&mut program).unwrap();
        assert!(testkit::eventually(testkit::PATIENCE, || number(&file).is_some()), "it starts another");
        let other = number(&file).unwrap();
        assert!(crate::process::is_process(other) && group.ended().is_none());
        drop(group);
        assert!(testkit::eventually(testkit::PATIENCE, || crate::locks::is_ending(other)), "all of the group are gone");
    }

    #[test]
    fn the_shell_says_how_it_ended_and_writes_what_it_is_told() {
        assert_eq!(shell("exit 3").status().unwrap().code(), Some(3));
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("it's out");
        let mut group = ProgramGroup::start(&mut shell_into("echo notes", file.to_str().unwrap())).unwrap();
        assert!(testkit::eventually(testkit::PATIENCE, || group.ended().is_some()), "it ends");
        assert_eq!(std::fs::read_to_string(&file).unwrap().trim(), "notes");
    }
}
