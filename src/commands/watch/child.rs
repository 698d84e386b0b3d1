//! The command that runs during a watch. It is a child in a separate process group; this module handles its signals,
//! its output and its exit.

use anyhow::{Context, Result};
use model::record::{CommandExit, CommandUse};
use model::{Bytes, Nanos};
use monitor::Roots;
use monitor::samplers::{Process, process_identity, process_totals};
use run::{ChildCommand, Interrupt, LEAVE, NotStarted};
use session::environment;
use session::exit::{self, coded};
use session::locked::locked;
use std::ffi::OsString;
use std::fs::File;
use std::io::{IsTerminal, Seek, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Mutex};
use sys::process::signal;

/// The command, before, during and after its execution.
pub struct Child {
    words: Vec<OsString>,
    /// State shared with the thread that forwards signals.
    running: Arc<Mutex<Running>>,
    began: Nanos,
    told_to_end: Option<Nanos>,
    output: Output,
}

/// Recipient of signals. It is locked while the command is started and while secchi waits for it, so that no signal is
/// lost and none reaches an unrelated process with the same ID.
#[derive(Default)]
struct Running {
    /// Process ID while the command runs.
    pid: Option<u32>,
    /// Handle of the child. On systems that reuse the IDs of ended processes immediately, the handle keeps the ID
    /// reserved.
    child: Option<std::process::Child>,
    /// Signal that arrived before the command was started.
    early: Option<i32>,
}

/// Destination of the command's output.
enum Output {
    /// The standard streams of secchi.
    Ours,
    /// Standard error, because secchi prints a document to standard output.
    Error,
    /// An unnamed file, printed after the live display has been closed.
    Kept(File),
}

impl Child {
    /// Creates the child and looks up the program, if one was named.
    pub fn new(words: &[OsString]) -> Result<Child> {
        if let Some(word) = words.first() {
            check_program(Path::new(word)).map_err(|reason| coded(exit::BAD_INPUT, reason))?;
        }
        Ok(Child {
            words: words.to_vec(),
            running: Arc::default(),
            began: Nanos(0),
            told_to_end: None,
            output: Output::Ours,
        })
    }

    /// Collects the output in a file while the live display is on the screen.
    pub fn keep_output(&mut self) -> Result<()> {
        if !self.words.is_empty() {
            let unnamed = sys::files::memory_file("secchi-command-output");
            self.output = Output::Kept(unnamed.context("cannot keep the command's output")?);
        }
        Ok(())
    }

    /// Sends the output to standard error.
    pub fn use_standard_error(&mut self) {
        self.output = Output::Error;
    }

    /// Prints the output collected while the live display was on the screen.
    pub fn print_output(&mut self) -> Result<()> {
        if let Output::Kept(file) = &mut self.output {
            file.rewind().context("cannot read the command's output")?;
            let mut stdout = std::io::stdout().lock();
            // A reader that went away is not an error.
            let _ = std::io::copy(file, &mut stdout).and_then(|_| stdout.flush());
        }
        Ok(())
    }

    /// Starts to handle signals. The first signal is forwarded to the command's process group, or ends a watch without
    /// a command. The second signal kills the group. The third signal ends only the watch.
    pub fn catch_signals(&self, interrupt: &Interrupt) -> Result<()> {
        let (running, count) = (Arc::clone(&self.running), interrupt.clone());
        session::measure::receive_signals(move |signals| {
            for (n, signal) in signals.forever().enumerate() {
                let mut running = locked(&running);
                match (n, running.pid) {
                    (0, Some(group)) => sys::process::signal_group(group, signal),
                    (1, Some(group)) => sys::process::signal_group(group, signal::KILL),
                    (0, None) => running.early = Some(signal),
                    (1.., None) => session::console::exit_now(128 + signal),
                    (_, Some(_)) => {
                        count.0.store(signal.unsigned_abs() + LEAVE, Relaxed);
                        continue;
                    }
                }
                count.0.store(signal.unsigned_abs(), Relaxed);
            }
        })
    }

    fn command(&self) -> std::io::Result<Command> {
        let mut command = Command::new(&self.words[0]);
        sys::process::own_group(&mut command).args(&self.words[1..]);
        // A process in a separate group may not read from the terminal: the kernel would stop it.
        if std::io::stdin().is_terminal() || matches!(self.output, Output::Kept(_)) {
            command.stdin(Stdio::null());
        }
        match &self.output {
            Output::Ours => {}
            Output::Error => {
                let error = std::io::stderr();
                command.stdout(Stdio::from(error));
            }
            Output::Kept(file) => {
                command.stdout(file.try_clone()?).stderr(file.try_clone()?);
            }
        }
        Ok(command)
    }
}

impl ChildCommand for Child {
    fn start(&mut self, now: Nanos) -> Result<Process, NotStarted> {
        let spawn = || self.command()?.spawn();
        let mut running = locked(&self.running);
        // `wait4` reaps the child, because it reports the resource usage.
        let child =
            spawn().map_err(|error| NotStarted { command: self.words[0].to_string_lossy().into_owned(), error })?;
        let pid = child.id();
        (running.pid, running.child) = (Some(pid), Some(child));
        if let (Some(group), Some(signal)) = (running.pid, running.early.take()) {
            sys::process::signal_group(group, signal);
        }
        drop(running);
        self.began = now;
        // If the child has already ended, it is a zombie, and its start time is not needed.
        let start = process_identity(&Roots::host(), pid).map_or(0, |p| p.start);
        Ok(Process { name: "command".to_owned(), pid, start, from_birth: true })
    }

    fn ended(&mut self, now: Nanos) -> Option<CommandUse> {
        let mut running = locked(&self.running);
        let pid = running.pid.filter(|pid| sys::process::child_has_ended(*pid).unwrap_or(false))?;
        // Until the process is reaped, the kernel keeps its I/O totals.
        let totals = process_totals(&Roots::host(), pid);
        running.pid = None;
        let end = sys::process::wait_for_child(pid).ok()?;
        running.child = None;
        let exit = end.code.map(CommandExit::Code).or(end.signal.map(CommandExit::Signal));
        Some(CommandUse {
            pid,
            began: self.began,
            ended: Some(now),
            exit,
            told_to_end: self.told_to_end,
            user: Nanos(end.usage.user_ns),
            system: Nanos(end.usage.system_ns),
            max_resident: Bytes(end.usage.max_resident),
            switches: end.usage.voluntary_switches + end.usage.involuntary_switches,
            read: totals.map(|t| t.read),
            write: totals.map(|t| t.write),
            blocks: end.blocks,
        })
    }

    fn tell_to_end(&mut self, now: Nanos) -> CommandUse {
        let running = locked(&self.running);
        if let Some(group) = running.pid {
            sys::process::signal_group(group, signal::TERM);
            // A stopped process would not receive SIGTERM.
            sys::process::signal_group(group, signal::CONT);
        }
        self.told_to_end = Some(now);
        let pid = running.pid.unwrap_or(0);
        CommandUse { pid, began: self.began, told_to_end: self.told_to_end, ..CommandUse::default() }
    }
}

/// Checks that a program exists. The error is one sentence.
fn check_program(word: &Path) -> Result<(), String> {
    let shown = model::clip(&word.display().to_string());
    let (exists, reason) = if word.components().count() > 1 {
        (sys::files::is_program(word), "not an executable program")
    } else {
        let is_in = |dir: &PathBuf| sys::files::is_program(&dir.join(word));
        (environment::path().iter().any(is_in), "no such program in PATH")
    };
    if exists { Ok(()) } else { Err(format!("command `{shown}`: {reason}")) }
}
