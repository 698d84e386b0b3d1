//! Handles the exit code, which must not depend on a thread that is stuck.
//!
//! A load runs in a child process. If one of its threads hangs in the kernel (state D), that thread may never return,
//! and the child never exits. The parent does no I/O to the storage. It receives the exit code over a pipe and exits
//! with it. It also forwards signals. If the parent dies, the kernel kills the child, so no orphaned process continues
//! with I/O.

use crate::console::remark_of;
use crate::environment::{self, HANDED, SUPERVISED};
use crate::exit;
use crate::inputs;
use crate::launch::{self, Reach};
use anyhow::{Context, Result};
use messages::sentence;
use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};
use sys::process::signal;

/// Time that a child may take to end after a signal: completing requests, closing the journal, and a margin.
const WINDING_UP: Duration = Duration::from_secs(20);

/// Line that a child sends when its end takes long but makes progress.
const MOVES: &str = "moves";

const SIGNALS: [i32; 3] = [signal::INT, signal::TERM, signal::HUP];

/// Runs this command line again in a child process and returns the exit code of the child. `reach` states whether the
/// command can run on many hosts. `patience` is the maximum time without a report from the child.
pub fn supervise(reach: Reach, patience: Duration) -> Result<exit::Code> {
    if let Some(code) = launch::refusal(reach)? {
        return Ok(code);
    }
    if let Some((conductor, _)) = environment::round() {
        // A run that another process started as one of several ends with that process.
        sys::process::die_with_parent(conductor).context("the parent process exited")?;
    }
    let (reader, writer) = std::io::pipe().context("cannot create a pipe to the load process")?;
    // This is the only descriptor that the child inherits.
    let descriptor = sys::streams::inherit(&writer).context("cannot pass the pipe to the load process")?;
    let numbers = SIGNALS.into_iter().chain([signal::USR1]);
    let signals = sys::process::Signals::new(numbers).context("cannot receive signals")?;
    let exe = std::env::current_exe().context("cannot find the path of this program to start the load process")?;
    // Keeps the program's pages in memory, so that the child can use them even if their disk fails. If this is not
    // possible, the run is only less robust.
    let _ = sys::memory::hold_program();
    let (tell, reports) = mpsc::channel();
    // Start the threads first: if that fails, no load may already be running.
    let started = "cannot start a thread to watch the load process";
    let (name, named) = mpsc::channel();
    forward(signals, named, tell.clone()).context(started)?;
    let (begin, begun) = mpsc::channel();
    let listen = move || {
        if begun.recv().is_err() {
            return;
        }
        for line in BufReader::new(reader).lines().map_while(Result::ok) {
            if tell.send(line).is_err() {
                break;
            }
        }
    };
    thread("listening", listen).context(started)?;
    let inputs = inputs::pass_to_child().context("cannot pass the job file to the load process")?;
    let mut command = Command::new(exe);
    command
        .args(std::env::args_os().skip(1))
        .env(SUPERVISED, format!("{}:{descriptor}", std::process::id()))
        .envs(inputs.map(|inputs| (HANDED, inputs)));
    // Pass on the name under which the program was called: a link named fio accepts fio's command line.
    sys::process::call_by(&mut command, &std::env::args_os().next().unwrap_or_default());
    // The child runs in a separate process group, so that Ctrl-C reaches it once, through the supervisor.
    let mut child = sys::process::own_group(&mut command).spawn().context("cannot start the load process")?;
    tracing::info!(pid = child.id(), patience = ?patience, "started the load process");
    drop(writer);
    // Sending fails only if a thread has already ended.
    let _ = (name.send(child.id()), begin.send(()));
    Ok(launch::end_supervisor(wait(&mut child, &reports, patience)))
}

/// Forwards signals to the child, and reports them to this module as the line `signal N`.
fn forward(
    mut signals: sys::process::Signals,
    named: mpsc::Receiver<u32>,
    tell: mpsc::Sender<String>,
) -> std::io::Result<()> {
    thread("signals", move || {
        // Signals that arrive before the child exists are delivered to it later.
        let Ok(pid) = named.recv() else { return };
        for signal in &mut signals {
            // A child that has ended needs no signal.
            tracing::info!(signal, pid, "passed a signal on to the load process");
            sys::process::signal_child(pid, signal);
            // A request for an interim report does not end the run.
            if signal == signal::USR1 {
                continue;
            }
            if tell.send(format!("signal {signal}")).is_err() {
                break;
            }
        }
    })
}

/// Starts a thread with a small stack.
fn thread(name: &str, work: impl FnOnce() + Send + 'static) -> std::io::Result<()> {
    std::thread::Builder::new().name(name.to_owned()).stack_size(128 << 10).spawn(work).map(drop)
}

fn wait(child: &mut Child, reports: &mpsc::Receiver<String>, patience: Duration) -> exit::Code {
    let mut heard = Instant::now();
    let mut asked: Option<(Instant, exit::Code)> = None;
    let mut made: Vec<PathBuf> = Vec::new();
    let number = |line: &str, word: &str| line.strip_prefix(word).and_then(|n| n.parse::<i32>().ok());
    loop {
        match reports.recv_timeout(Duration::from_millis(50)) {
            Ok(line) => {
                if let Some(signal) = number(&line, "signal ") {
                    let code = exit::Code(128 + signal);
                    if asked.is_some() {
                        // The second signal ends the run immediately, because a child with a thread stuck in the kernel
                        // could not respond.
                        linger(child);
                        return code;
                    }
                    asked = Some((Instant::now(), code));
                    continue;
                }
                heard = Instant::now();
                if let (MOVES, Some((since, _))) = (line.as_str(), &mut asked) {
                    *since = heard;
                }
                if let Some(path) = line.strip_prefix("made ") {
                    made.push(path.into());
                }
                if let Some(code) = number(&line, "exit ") {
                    linger(child);
                    return exit::Code(code);
                }
                // Time limits are checked only after all reports that have arrived: this process may have been stopped
                // for longer than a limit.
                continue;
            }
            // The pipe is closed: the child has ended or is about to.
            Err(mpsc::RecvTimeoutError::Disconnected) => return ended(child, made),
            Err(mpsc::RecvTimeoutError::Timeout) => {}
        }
        if let Ok(Some(_)) = child.try_wait() {
            // Its last lines may still be in the pipe, so read them.
            let last: Vec<String> = reports.try_iter().collect();
            made.extend(last.iter().filter_map(|line| line.strip_prefix("made ")).map(PathBuf::from));
            if last.iter().all(|line| !line.starts_with("exit ")) {
                return ended(child, made);
            }
        }
        if let Some((since, code)) = asked
            && since.elapsed() > WINDING_UP
        {
            remark_of(&sentence!("remark-load-lingers"));
            let _ = child.kill();
            return code;
        }
        if heard.elapsed() > patience {
            remark_of(&sentence!("remark-load-silent", time = format!("{patience:?}")));
            let _ = child.kill();
            return exit::HUNG;
        }
    }
}

/// Waits briefly for a child that has reported its exit code to end by itself.
fn linger(child: &mut Child) {
    let since = Instant::now();
    while since.elapsed() < Duration::from_millis(500) {
        if matches!(child.try_wait(), Ok(Some(_))) {
            return;
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    let _ = child.kill();
}

/// Longest time for removing test files. Until then, ranks on other hosts may continue to use files that are being
/// removed.
const REMOVING: Duration = Duration::from_secs(10);

/// Removes the test files of a child that ended without removing them, and prints the directories in which files
/// remain. Waits for the disks of the files, with a time limit.
fn clean(made: Vec<PathBuf>) {
    if made.is_empty() {
        return;
    }
    let (done, finished) = mpsc::channel();
    let until = Instant::now() + REMOVING;
    let paths = made.clone();
    let remove = move || {
        for path in paths {
            let mut gone = load::target::remove_leftover(&path);
            // Until the other ranks notice that this rank is gone, they may create files in the directory or hold the
            // shared file.
            let waits = |path: &Path| path.is_dir() || launch::is_one_of_many() && path.exists();
            while !gone && waits(&path) && Instant::now() < until {
                std::thread::sleep(Duration::from_millis(100));
                gone = load::target::remove_leftover(&path);
            }
            match (gone, path.is_dir()) {
                (true, _) => remark_of(&sentence!("remark-file-removed", path = path.display().to_string())),
                (false, true) => remark_of(&sentence!("remark-files-remain", path = path.display().to_string())),
                (false, false) => {}
            }
        }
        let _ = done.send(());
    };
    if thread("clean", remove).is_ok() && finished.recv_timeout(REMOVING + Duration::from_secs(1)).is_err() {
        for path in made {
            remark_of(&sentence!("remark-files-may-remain", path = path.display().to_string()));
        }
    }
}

/// Returns the exit code for a child that ended without reporting one, and removes the files that it left.
fn ended(child: &mut Child, made: Vec<PathBuf>) -> exit::Code {
    let code = reported_code(child);
    clean(made);
    code
}

fn reported_code(child: &mut Child) -> exit::Code {
    match child.wait() {
        Ok(status)
            if sys::process::exit_signal(&status) == Some(signal::ABRT)
                && sys::memory::address_space_limit().is_some() =>
        {
            let limit = sys::memory::address_space_limit().unwrap_or_default();
            remark_of(&sentence!("remark-load-no-memory", limit = model::Bytes(limit)));
            exit::CANNOT
        }
        Ok(status) => match (status.code(), sys::process::exit_signal(&status)) {
            (Some(code), _) => exit::Code(code),
            (None, Some(signal::XFSZ)) => {
                let limit =
                    sys::process::file_size_limit().map_or_else(|| "?".to_owned(), |b| model::Bytes(b).to_string());
                remark_of(&sentence!("remark-load-file-limit", limit));
                exit::CANNOT
            }
            (None, Some(signal)) => {
                remark_of(&match signal == signal::BUS {
                    true => sentence!("remark-load-killed-bus", signal),
                    false => sentence!("remark-load-killed", signal),
                });
                if signal == signal::BUS { exit::HUNG } else { exit::Code(128 + signal) }
            }
            (None, None) => exit::INVALID,
        },
        Err(_) => exit::INVALID,
    }
}

/// The child's end of the pipe. The default has no supervisor, and its reports have no effect.
#[derive(Clone, Default)]
pub struct Lifeline {
    pipe: Option<Arc<File>>,
    report_wanted: Arc<AtomicBool>,
}

impl Lifeline {
    /// Connects to the supervisor that started this process; `None` if there is none.
    pub fn from_environment() -> Result<Option<Self>> {
        environment::supervisor_fd().map(|(parent, descriptor)| Lifeline::attach(parent, descriptor)).transpose()
    }

    /// Connects to the supervisor, and arranges that the kernel ends this process when the supervisor dies.
    fn attach(parent: u32, descriptor: u64) -> Result<Self> {
        sys::process::die_with_parent(parent).context("the supervising process exited")?;
        // Return freed memory to the system, because a run may last for weeks.
        sys::memory::return_large_blocks();
        // By default, the signal would end the process. A request that arrives before the run can handle it is kept.
        let report_wanted = Arc::default();
        sys::process::set_on_signal(signal::USR1, Arc::clone(&report_wanted)).context("cannot receive signals")?;
        // Open the pipe by its name, because the descriptor may not be ours to close.
        let pipe = sys::streams::inherited(descriptor, true).ok();
        Ok(Lifeline { pipe: pipe.map(Arc::new), report_wanted })
    }

    /// Returns the flag that SIGUSR1 sets to request an interim report. It includes requests since this process began.
    /// The code that writes the report clears the flag.
    pub fn report_wanted(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.report_wanted)
    }

    /// Returns `true` if a supervisor receives the reports.
    pub fn is_attached(&self) -> bool {
        self.pipe.is_some()
    }

    /// Reports that the process is alive.
    pub fn report_alive(&self) {
        self.write_line("beat");
    }

    /// Reports that a long operation makes progress, so that the supervisor keeps waiting for a requested end.
    pub fn moves(&self) {
        self.write_line(MOVES);
    }

    /// Reports the path of a test file that is about to be created, in case this process ends before it can remove the
    /// file.
    pub fn makes(&self, path: &Path) {
        if let Some(path) = path.to_str().filter(|p| !p.contains('\n')) {
            self.write_line(&format!("made {path}"));
        }
    }

    /// Reports the exit code early, in case the process takes too long to end.
    pub fn exit(&self, code: exit::Code) {
        self.write_line(&format!("exit {}", code.0));
    }

    fn write_line(&self, line: &str) {
        if let Some(pipe) = &self.pipe {
            // Without a supervisor, a failed write does not matter. Write in a single call, because clones of the pipe
            // may write at the same time.
            let _ = pipe.as_ref().write_all(format!("{line}\n").as_bytes());
        }
    }
}
