//! Programs named in a job file. Each runs in a separate process group, which ends with its job, or at the latest with
//! the run or with this process.

use messages::sentence;
use model::plan::{Program, ShellCommands};
use model::{Job, Sentence, clip};
use std::fs::{File, OpenOptions};
use std::io;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex};
use sys::files::{Guards, OpenGuarded};
use sys::process::ProgramGroup;

/// Processes that commands left running, kept until the end of the run.
#[derive(Debug, Clone, Default)]
pub struct LeftRunning(Arc<Mutex<Vec<ProgramGroup>>>);

impl LeftRunning {
    fn keep(&self, running: ProgramGroup) {
        if let Ok(mut all) = self.0.lock() {
            all.push(running);
        }
    }

    /// Ends all kept processes.
    pub(crate) fn end(&self) {
        if let Ok(mut all) = self.0.lock() {
            all.clear();
        }
    }
}

/// Describes how a program failed; `None` if it succeeded.
pub(crate) fn ill(status: ExitStatus) -> Option<Sentence> {
    match (status.code(), sys::process::exit_signal(&status)) {
        (Some(0), _) => None,
        (Some(code), _) => Some(sentence!("program-how-code", code)),
        (None, signal) => Some(sentence!("program-how-signal", signal = signal.unwrap_or(0))),
    }
}

/// Returns standard error, for programs whose output goes to no file. Standard output is reserved for secchi's own
/// output document.
fn beside() -> Stdio {
    Stdio::from(io::stderr())
}

/// Starts the program of a job and redirects its output to the files that the job names.
pub(crate) fn start(program: &Program) -> io::Result<ProgramGroup> {
    let words = program.words();
    let [name, arguments @ ..] = words.as_slice() else { return Err(io::ErrorKind::InvalidInput.into()) };
    let mut command = Command::new(name);
    command.args(arguments);
    match program.files() {
        None => command.stdout(beside()).stderr(beside()),
        Some([out, err]) => command.stdout(anew(&out)?).stderr(anew(&err)?),
    };
    ProgramGroup::start(&mut command)
}

/// Opens a file and truncates it, as fio does; never follows a link.
fn anew(name: &str) -> io::Result<File> {
    let mut how = OpenOptions::new();
    how.write(true).create(true).truncate(true);
    how.open_guarded(Path::new(name), Guards::NO_LINK)
        .map_err(|e| io::Error::new(e.kind(), format!("{}: {e}", clip(name))))
}

/// Returns a shell command whose output goes to a file. As in fio, only the output of the last of several commands is
/// redirected.
fn shell(text: &str, file: &str) -> Command {
    let mut command = sys::process::shell_into(text, file);
    command.stdout(beside()).stderr(beside());
    command
}

/// State of the command before a load.
#[derive(Debug)]
pub(crate) enum Before {
    /// The command is running or not due yet.
    Waits,
    /// The load may begin.
    Done,
    /// The load must not begin, for this reason.
    Failed(Sentence),
}

/// Shell commands before and after a load. No method blocks; they are polled.
#[derive(Debug)]
pub(crate) struct Commands<'a> {
    rule: &'a ShellCommands,
    job: &'a str,
    running: Option<ProgramGroup>,
    done: [bool; 2],
    left: LeftRunning,
    /// Failures of commands after the load, which do not invalidate it.
    pub notes: Vec<Sentence>,
}

impl<'a> Commands<'a> {
    pub fn new(job: &'a Job, left: LeftRunning) -> Self {
        let rule = &job.tuning.commands;
        let done = [rule.before.is_none(), rule.after.is_none()];
        Commands { rule, job: &job.name, running: None, done, left, notes: Vec::new() }
    }

    /// Returns `true` if there is a command before the load.
    pub fn precede(&self) -> bool {
        self.rule.before.is_some()
    }

    /// Runs the command before the load.
    pub fn before(&mut self) -> Before {
        let Some(text) = self.rule.before.as_ref().filter(|_| !self.done[0]) else { return Before::Done };
        match self.step(text, &self.rule.file_before()) {
            None => Before::Waits,
            Some(how) => {
                self.done[0] = true;
                match how {
                    None => Before::Done,
                    Some(how) => {
                        let (job, program) = (clip(self.job), clip(text));
                        Before::Failed(sentence!("program-before-failed", job, program, how))
                    }
                }
            }
        }
    }

    /// Runs the command after the load; returns `true` when it is over. With `hurry`, does not wait for it any longer.
    pub fn after(&mut self, hurry: bool) -> bool {
        let Some(text) = self.rule.after.as_ref().filter(|_| !self.done[1]) else { return true };
        let how = match self.step(text, &self.rule.file_after()) {
            None if hurry => Some(sentence!("program-how-with-run")),
            None => return false,
            Some(how) => how,
        };
        self.done[1] = true;
        self.running = None;
        let (job, program) = (clip(self.job), clip(text));
        self.notes.extend(how.map(|how| sentence!("program-after-failed", job, program, how)));
        true
    }

    /// Cancels the commands, because the load will not begin.
    pub fn give_up(&mut self) {
        self.running = None;
        self.done = [true; 2];
    }

    /// Starts or polls a command. Returns `None` while it runs, then the description of its failure, if any.
    fn step(&mut self, text: &str, file: &str) -> Option<Option<Sentence>> {
        let Some(running) = &mut self.running else {
            match ProgramGroup::start(&mut shell(text, file)) {
                Ok(running) => self.running = Some(running),
                Err(e) => return Some(Some(sentence!("program-how-not-started", why = e.to_string()))),
            }
            return None;
        };
        let status = running.ended()?;
        if let Some(running) = self.running.take() {
            // Keep what still runs, for example a server that was started for the load.
            self.left.keep(running);
        }
        Some(ill(status))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::{Duration, Instant};

    fn wait(running: &mut ProgramGroup) -> ExitStatus {
        let begun = Instant::now();
        loop {
            if let Some(status) = running.ended() {
                return status;
            }
            assert!(begun.elapsed() < Duration::from_secs(20), "it does not end");
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    /// Returns `true` if the process ends within ten seconds; a signal may be delivered with a delay.
    fn is_gone(pid: &str) -> bool {
        let until = std::time::Instant::now() + Duration::from_secs(10);
        while is_alive(pid) && std::time::Instant::now() < until {
            std::thread::sleep(Duration::from_millis(1));
        }
        !is_alive(pid)
    }

    fn is_alive(pid: &str) -> bool {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", pid.trim()));
        stat.is_ok_and(|stat| !stat.rsplit(')').next().unwrap_or_default().trim_start().starts_with('Z'))
    }

    /// Returns the process number that a shell writes to a file, once it is there.
    fn read_output(file: &std::path::Path) -> String {
        let begun = Instant::now();
        loop {
            match std::fs::read_to_string(file) {
                Ok(pid) if pid.ends_with('\n') => return pid,
                _ => assert!(begun.elapsed() < Duration::from_secs(20), "it does not begin"),
            }
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    /// The tests below need a Unix shell; process groups of Windows have separate tests
    /// (`sys/src/windows/process/group.rs`).
    fn is_unix_shell() -> bool {
        sys::process::shell("").get_program() != "cmd"
    }

    #[test]
    fn what_a_command_leaves_running_ends_with_the_run() {
        if !is_unix_shell() {
            testkit::skip!("the shell is cmd");
        }
        let dir = tempfile::tempdir().unwrap();
        let (out, pid) = (dir.path().join("it's out"), dir.path().join("pid"));
        let text = format!("sleep 600 & echo $! > {}; echo notes", pid.display());
        let mut running = ProgramGroup::start(&mut shell(&text, out.to_str().unwrap())).unwrap();
        assert!(ill(wait(&mut running)).is_none());
        assert_eq!(std::fs::read_to_string(&out).unwrap(), "notes\n", "the last command's output only");
        let pid = read_output(&pid);
        assert!(is_alive(&pid), "it goes on after the command");
        let left = LeftRunning::default();
        left.keep(running);
        left.end();
        assert!(is_gone(&pid));
    }

    #[test]
    fn the_whole_group_is_asked_to_end_and_then_killed() {
        if !is_unix_shell() {
            testkit::skip!("the shell is cmd");
        }
        let dir = tempfile::tempdir().unwrap();
        let pid = dir.path().join("pid");
        let text = format!("(trap '' TERM; exec sleep 600) & echo $! > {}; wait", pid.display());
        let mut running = ProgramGroup::start(&mut sys::process::shell(&text)).unwrap();
        let pid = read_output(&pid);
        // Before the trap is set, a signal would end the process.
        std::thread::sleep(Duration::from_millis(200));
        running.ask_to_end();
        assert_eq!(sys::process::exit_signal(&wait(&mut running)), Some(15), "the shell itself took the signal");
        assert!(is_alive(&pid), "what ignores it goes on");
        drop(running);
        assert!(is_gone(&pid));
    }

    #[test]
    fn a_program_that_is_not_there_says_so_and_leaves_nothing() {
        let error = ProgramGroup::start(&mut Command::new("/nonexistent/program")).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::NotFound);
    }

    #[test]
    fn how_it_ended_is_told_unless_it_is_well() {
        let end = |text| sys::process::shell(text).status().unwrap();
        assert!(ill(end("exit 0")).is_none());
        assert!(ill(end("exit 3")).unwrap().to_string().contains("code 3"));
        if !is_unix_shell() {
            testkit::skip!("nothing ends by a signal here");
        }
        assert!(ill(end("kill -9 $$")).unwrap().to_string().contains("signal 9"));
    }
}
