//! Programs with all that they start: as a group that is signalled, and that ends with us.

use crate::windows::nt;
use std::ffi::OsStr;
use std::io;
use std::os::windows::io::{AsRawHandle, FromRawHandle, OwnedHandle};
use std::os::windows::process::CommandExt;
use std::process::{Child, Command, ExitStatus, Stdio};
use windows_sys::Win32::System::Console::{CTRL_BREAK_EVENT, GenerateConsoleCtrlEvent};
use windows_sys::Win32::System::JobObjects as j;
use windows_sys::Win32::System::Threading::CREATE_NEW_PROCESS_GROUP;

/// Has a program begin a group of its own: what a console says to ours does not reach it.
pub fn own_group(command: &mut Command) -> &mut Command {
    command.creation_flags(CREATE_NEW_PROCESS_GROUP)
}

/// Has a program be called by this name: here it is called as its file is.
pub fn call_by<'a>(command: &'a mut Command, _name: &OsStr) -> &'a mut Command {
    command
}

/// Users have no numbers here, and no program runs as another without his password.
///
/// # Panics
/// Always: whoever asks for it has to know that there are none.
pub fn run_as(_command: &mut Command, user: u32, _group: u32) -> &mut Command {
    unreachable!("Windows has no user {user}")
}

/// Sends a signal to all of a group that [`own_group`] made, by the number of the process that began it. SIGKILL ends that process at once;
/// every other is Ctrl-Break, where there is a console, or else ends it, too: a wish that nobody hears would be waited for in vain. SIGCONT is
/// nothing. One that is gone needs none.
pub fn signal_group(leader: u32, signal: i32) {
    use super::signals::signal::{CONT, KILL};
    // SAFETY: numbers alone.
    let asked = || unsafe { GenerateConsoleCtrlEvent(CTRL_BREAK_EVENT, leader) } != 0;
    match signal {
        CONT => {}
        KILL => drop(crate::send_signal(leader, KILL)),
        _ if asked() => {}
        _ => drop(crate::send_signal(leader, KILL)),
    }
}

/// Sends a signal to a process that [`own_group`] started, as [`signal_group`].
pub fn signal_child(pid: u32, signal: i32) {
    signal_group(pid, signal);
}

/// A command of the system's shell.
#[must_use]
pub fn shell(text: &str) -> Command {
    let mut command = Command::new("cmd");
    // Its own rules of quoting: what stands between the outer quotes is taken as it is.
    command.raw_arg("/d /s /c").raw_arg(format!("\"{text}\""));
    command
}

/// A command of the shell whose output, both streams, goes into a file; of several commands only that of the last.
#[must_use]
pub fn shell_into(text: &str, file: &str) -> Command {
    shell(&format!("{text} > \"{file}\" 2>&1"))
}

/// A program, and all it started. It ends with this value, and with this process however that ends: all are in one job, which ends with its
/// last handle.
#[derive(Debug)]
pub struct ProgramGroup {
    program: Child,
    /// Its handle, and nobody else's.
    _job: OwnedHandle,
}

impl ProgramGroup {
    /// Starts it, with nothing on its standard input.
    ///
    /// # Errors
    /// As `CreateProcessW`, `CreateJobObjectW`.
    pub fn start(command: &mut Command) -> io::Result<ProgramGroup> {
        let job = new_job()?;
        let program = own_group(command.stdin(Stdio::null())).spawn()?;
        // SAFETY: both handles are open.
        let taken = unsafe { j::AssignProcessToJobObject(job.as_raw_handle(), program.as_raw_handle()) };
        let mut group = ProgramGroup { program, _job: job };
        match nt::check(taken) {
            // One that has ended already takes no part in anything.
            Err(e) if group.ended().is_none() => {
                let _ = group.program.kill();
                Err(e)
            }
            _ => Ok(group),
        }
    }

    /// How it ended, once it has; what it started may go on.
    pub fn ended(&mut self) -> Option<ExitStatus> {
        self.program.try_wait().ok().flatten()
    }

    /// Asks the whole group to end (Ctrl-Break); see [`signal_group`].
    pub fn ask_to_end(&mut self) {
        if self.ended().is_none() {
            signal_group(self.program.id(), super::signals::signal::TERM);
        }
    }
}

/// A job that ends all its processes with its last handle.
fn new_job() -> io::Result<OwnedHandle> {
    // SAFETY: no name and no security are given; a handle that comes out is new and ours alone.
    let job = unsafe {
        let job = j::CreateJobObjectW(std::ptr::null(), std::ptr::null());
        if job.is_null() {
            return Err(io::Error::last_os_error());
        }
        OwnedHandle::from_raw_handle(job)
    };
    // SAFETY: numbers, for which zero is a value.
    let mut limits: j::JOBOBJECT_EXTENDED_LIMIT_INFORMATION = unsafe { std::mem::zeroed() };
    limits.BasicLimitInformation.LimitFlags = j::JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE;
    let length = size_of::<j::JOBOBJECT_EXTENDED_LIMIT_INFORMATION>() as u32;
    // SAFETY: the handle is open; the structure lives until the call returns and has the length that is said.
    nt::check(unsafe {
        j::SetInformationJobObject(
            job.as_raw_handle(),
            j::JobObjectExtendedLimitInformation,
            (&raw const limits).cast(),
            length,
        )
    })?;
    Ok(job)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    const NUMBER: &str = "SECCHI_TEST_NUMBER";

    /// Run by [`what_a_group_started_ends_with_it`] as a program: starts another, writes its number, and waits for it.
    #[test]
    #[ignore = "a program of another test"]
    fn a_program_that_starts_another() {
        let Ok(file) = std::env::var(NUMBER) else { return };
        let mut other = Command::new("cmd").args(["/c", "pause"]).stdin(Stdio::piped()).spawn().unwrap();
        std::fs::write(file, format!("{}\n", other.id())).unwrap();
        // It waits for a key on a pipe that stays open here.
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
        assert!(crate::is_process(other) && group.ended().is_none());
        drop(group);
        assert!(testkit::eventually(testkit::PATIENCE, || crate::is_ending(other)), "all of the group are gone");
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
