//! Programs that a job file names: started in a process group of their own, ended with their job, with the run, and with
//! this process however that ends.
//!
//! They are started by `posix_spawn`, never by `fork`: a copy of this process's page tables would make the threads that
//! measure fault on every buffer they touch next. So nothing of ours runs between; what ends a group is another process in
//! it, a shell that waits for the end of a pipe.

use messages::sentence;
use model::{Job, Program, Sentence, ShellCommands, clip};
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// The shell, as `system(3)` has it.
const SHELL: &str = "/bin/sh";
/// For each line it reads it asks its group to end; at the end of the pipe, which is that of this process at the latest, it
/// ends the group and itself.
const GUARD: &str = "trap '' HUP INT TERM; while read -r _; do kill -TERM 0; done; kill -KILL 0";
/// How long is waited for processes that were killed: one that hangs in the kernel does not end.
const REAPED: Duration = Duration::from_secs(1);

/// A program, and all it started that stayed in its group.
#[derive(Debug)]
pub(crate) struct Running {
    program: Child,
    guard: Child,
    /// Where the guard hears us; `None` once it was told to end the group.
    wish: Option<ChildStdin>,
}

impl Running {
    /// Starts it, with nothing on its standard input.
    pub fn start(command: &mut Command) -> io::Result<Running> {
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
            Ok(program) => Ok(Running { program, guard, wish }),
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

impl Drop for Running {
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

/// What commands left running behind themselves, until the end of the run.
#[derive(Debug, Clone, Default)]
pub struct LeftRunning(Arc<Mutex<Vec<Running>>>);

impl LeftRunning {
    fn keep(&self, running: Running) {
        if let Ok(mut all) = self.0.lock() {
            all.push(running);
        }
    }

    /// Ends them all.
    pub(crate) fn end(&self) {
        if let Ok(mut all) = self.0.lock() {
            all.clear();
        }
    }
}

/// How something ended that was to end well; `None` if it did.
pub(crate) fn ill(status: ExitStatus) -> Option<Sentence> {
    match (status.code(), status.signal()) {
        (Some(0), _) => None,
        (Some(code), _) => Some(sentence!("program-how-code", code)),
        (None, signal) => Some(sentence!("program-how-signal", signal = signal.unwrap_or(0))),
    }
}

/// Where the output goes of what has no file for it: standard output is the document's.
fn beside() -> Stdio {
    Stdio::from(io::stderr())
}

/// Starts the program of a job, its output into its files.
pub(crate) fn start(program: &Program) -> io::Result<Running> {
    let words = program.words();
    let [name, arguments @ ..] = words.as_slice() else { return Err(io::ErrorKind::InvalidInput.into()) };
    let mut command = Command::new(name);
    command.args(arguments);
    match program.files() {
        None => command.stdout(beside()).stderr(beside()),
        Some([out, err]) => command.stdout(anew(&out)?).stderr(anew(&err)?),
    };
    Running::start(&mut command)
}

/// A file that is written anew, as fio does; never through a link.
fn anew(name: &str) -> io::Result<File> {
    let mut how = OpenOptions::new();
    how.write(true).create(true).truncate(true).mode(0o644).custom_flags(sys::O_NOFOLLOW);
    how.open(name).map_err(|e| io::Error::new(e.kind(), format!("{}: {e}", clip(name))))
}

/// A command of the shell with its output in a file. As by fio, of several commands only that of the last goes there.
fn shell(text: &str, file: &str) -> Command {
    let mut command = Command::new(SHELL);
    command.arg("-c").arg(format!("{text} > '{}' 2>&1", file.replace('\'', r"'\''")));
    command.stdout(beside()).stderr(beside());
    command
}

/// What is known of the command before a load.
#[derive(Debug)]
pub(crate) enum Before {
    /// It runs, or is not due.
    Waits,
    /// The load may begin.
    Done,
    /// The load must not begin, and why.
    Failed(Sentence),
}

/// The commands of the shell before and after a load, as they run. Nothing waits here: they are looked at now and then.
#[derive(Debug)]
pub(crate) struct Commands<'a> {
    rule: &'a ShellCommands,
    job: &'a str,
    running: Option<Running>,
    done: [bool; 2],
    left: LeftRunning,
    /// What went wrong after the load, which spoils nothing of it.
    pub notes: Vec<Sentence>,
}

impl<'a> Commands<'a> {
    pub fn new(job: &'a Job, left: LeftRunning) -> Self {
        let rule = &job.tuning.commands;
        let done = [rule.before.is_none(), rule.after.is_none()];
        Commands { rule, job: &job.name, running: None, done, left, notes: Vec::new() }
    }

    /// Whether anything is to be done before the load.
    pub fn precede(&self) -> bool {
        self.rule.before.is_some()
    }

    /// Runs what comes before the load.
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

    /// Runs what comes after the load; true when that is over. `hurry`: nobody waits for it any longer.
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

    /// The load will not begin: nothing runs before it, or after it.
    pub fn give_up(&mut self) {
        self.running = None;
        self.done = [true; 2];
    }

    /// Starts a command, or looks at it: `None` while it runs, then how it went ill, if it did.
    fn step(&mut self, text: &str, file: &str) -> Option<Option<Sentence>> {
        let Some(running) = &mut self.running else {
            match Running::start(&mut shell(text, file)) {
                Ok(running) => self.running = Some(running),
                Err(e) => return Some(Some(sentence!("program-how-not-started", why = e.to_string()))),
            }
            return None;
        };
        let status = running.ended()?;
        if let Some(running) = self.running.take() {
            // A server that was started for the load, say.
            self.left.keep(running);
        }
        Some(ill(status))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wait(running: &mut Running) -> ExitStatus {
        let begun = Instant::now();
        loop {
            if let Some(status) = running.ended() {
                return status;
            }
            assert!(begun.elapsed() < Duration::from_secs(20), "it does not end");
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    /// Whether it ends within a while: a signal is delivered some time after it was sent.
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

    /// The number of a process that a shell started, once it has written it.
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

    #[test]
    fn what_a_command_leaves_running_ends_with_the_run() {
        let dir = tempfile::tempdir().unwrap();
        let (out, pid) = (dir.path().join("it's out"), dir.path().join("pid"));
        let text = format!("sleep 600 & echo $! > {}; echo notes", pid.display());
        let mut running = Running::start(&mut shell(&text, out.to_str().unwrap())).unwrap();
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
        let dir = tempfile::tempdir().unwrap();
        let pid = dir.path().join("pid");
        let text = format!("(trap '' TERM; exec sleep 600) & echo $! > {}; wait", pid.display());
        let mut running = Running::start(Command::new(SHELL).args(["-c", &text])).unwrap();
        let pid = read_output(&pid);
        // Until the trap is set a signal would end it.
        std::thread::sleep(Duration::from_millis(200));
        running.ask_to_end();
        assert_eq!(wait(&mut running).signal(), Some(15), "the shell itself took the signal");
        assert!(is_alive(&pid), "what ignores it goes on");
        drop(running);
        assert!(is_gone(&pid));
    }

    #[test]
    fn a_program_that_is_not_there_says_so_and_leaves_nothing() {
        let error = Running::start(&mut Command::new("/nonexistent/program")).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::NotFound);
    }

    #[test]
    fn how_it_ended_is_told_unless_it_is_well() {
        assert!(ill(ExitStatus::from_raw(0)).is_none());
        assert!(ill(ExitStatus::from_raw(3 << 8)).unwrap().to_string().contains("exit code 3"));
        assert!(ill(ExitStatus::from_raw(9)).unwrap().to_string().contains("signal 9"));
    }
}
