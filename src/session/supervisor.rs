//! Owns what must not depend on a stuck thread: the exit code.
//!
//! A load runs in a child process. A thread of it that hangs in the kernel (state D) may never return, and then neither
//! does the child's exit; the parent, which touches no storage, is told the exit code over a pipe and ends with it. The
//! parent forwards signals; when the parent dies, the kernel kills the child, so no orphan goes on with I/O.

use crate::environment::{self, HANDED, SUPERVISED};
use crate::exit;
use crate::inputs;
use crate::session::launch::{self, Reach};
use crate::terminal::remark;
use anyhow::{Context, Result};
use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};
use sys::signal;

/// How long a signalled child may take: draining, the journal, and a margin.
const WINDING_UP: Duration = Duration::from_secs(20);

/// What a child says whose end takes long, and goes on.
const MOVES: &str = "moves";

const SIGNALS: [i32; 3] = [signal::INT, signal::TERM, signal::HUP];

/// Runs this very command line again as a child and answers for it. `reach`: whether that can be a rank of many hosts. `patience`: how
/// long the child may say nothing.
pub fn supervise(reach: Reach, patience: Duration) -> Result<exit::Code> {
    if let Some(code) = launch::refusal(reach)? {
        return Ok(code);
    }
    if let Some((conductor, _)) = environment::round() {
        // One run of several ends with whoever conducts them.
        sys::die_with_parent(conductor).context("the conducting process is gone")?;
    }
    let (reader, writer) = std::io::pipe().context("cannot make a pipe to the load process")?;
    // The one descriptor the child is to inherit.
    let descriptor = sys::inherit(&writer).context("cannot pass the pipe on")?;
    let all = SIGNALS.into_iter().chain([signal::USR1]);
    let signals = sys::Signals::new(all).context("cannot receive signals")?;
    let exe = std::env::current_exe().context("cannot find this program to start the load process")?;
    // The child finds the program's pages here, whatever becomes of their disk. Without them the run is only less robust.
    let _ = sys::hold_program();
    let (tell, reports) = mpsc::channel();
    // Threads first: what cannot be begun must not leave a load behind.
    let started = "cannot start a thread beside the load process";
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
    let inputs = inputs::pass_to_child().context("cannot hand the job file on")?;
    let mut command = Command::new(exe);
    command
        .args(std::env::args_os().skip(1))
        .env(SUPERVISED, format!("{}:{descriptor}", std::process::id()))
        .envs(inputs.map(|inputs| (HANDED, inputs)));
    // A link named fio speaks fio.
    sys::call_by(&mut command, &std::env::args_os().next().unwrap_or_default());
    // Its own group: a Ctrl-C reaches it once, through us.
    let mut child = sys::own_group(&mut command).spawn().context("cannot start the load process")?;
    drop(writer);
    // Threads that ended already are told of nothing.
    let _ = (name.send(child.id()), begin.send(()));
    Ok(launch::end_supervisor(wait(&mut child, &reports, patience)))
}

/// Hands signals on, and says so here as the line `signal N`.
fn forward(mut signals: sys::Signals, named: mpsc::Receiver<u32>, tell: mpsc::Sender<String>) -> std::io::Result<()> {
    thread("signals", move || {
        // Those that come before the child are kept for it.
        let Ok(pid) = named.recv() else { return };
        for signal in &mut signals {
            // A child that is gone needs no signal.
            sys::signal_child(pid, signal);
            // A wish for a report in between ends nothing.
            if signal == signal::USR1 {
                continue;
            }
            if tell.send(format!("signal {signal}")).is_err() {
                break;
            }
        }
    })
}

/// A thread with little to do.
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
                        // The second one ends at once: a child with a thread in the kernel could not answer it.
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
            }
            // The pipe is closed: the child has ended, or is about to.
            Err(mpsc::RecvTimeoutError::Disconnected) => return ended(child, made),
            Err(mpsc::RecvTimeoutError::Timeout) => {}
        }
        if let Ok(Some(_)) = child.try_wait() {
            // Its last words may still be in the pipe.
            let last: Vec<String> = reports.try_iter().collect();
            made.extend(last.iter().filter_map(|line| line.strip_prefix("made ")).map(PathBuf::from));
            if last.iter().all(|line| !line.starts_with("exit ")) {
                return ended(child, made);
            }
        }
        if let Some((since, code)) = asked
            && since.elapsed() > WINDING_UP
        {
            remark("the load process does not end; giving it up (what was measured is kept)");
            let _ = child.kill();
            return code;
        }
        if heard.elapsed() > patience {
            remark(&format!(
                "the load process has not answered for {patience:?}; giving it up (what was measured is kept)"
            ));
            let _ = child.kill();
            return exit::HUNG;
        }
    }
}

/// Gives a child that has said its code a moment to end by itself.
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

/// How long the removal of a test file may take, and how long ranks of other hosts go on with files that are removed.
const REMOVING: Duration = Duration::from_secs(10);

/// Removes the test files of a child that ended without doing so, and names directories of files that stay. Waits for their disk, but not
/// for ever.
fn clean(made: Vec<PathBuf>) {
    if made.is_empty() {
        return;
    }
    let (done, all) = mpsc::channel();
    let until = Instant::now() + REMOVING;
    let paths = made.clone();
    let remove = move || {
        for path in paths {
            let mut gone = load::target::remove_leftover(&path);
            // Other ranks may make files in it, or hold the file that is theirs, too, until they know that this one is gone.
            let waits = |path: &Path| path.is_dir() || launch::is_one_of_many() && path.exists();
            while !gone && waits(&path) && Instant::now() < until {
                std::thread::sleep(Duration::from_millis(100));
                gone = load::target::remove_leftover(&path);
            }
            match (gone, path.is_dir()) {
                (true, _) => remark(&format!("its test file is removed: {}", path.display())),
                (false, true) => remark(&format!("its files stay behind: {}", path.display())),
                (false, false) => {}
            }
        }
        let _ = done.send(());
    };
    if thread("clean", remove).is_ok() && all.recv_timeout(REMOVING + Duration::from_secs(1)).is_err() {
        made.iter().for_each(|path| remark(&format!("what it made may stay behind: {}", path.display())));
    }
}

/// The code of a child that ended without saying one. What it made and did not remove is removed.
fn ended(child: &mut Child, made: Vec<PathBuf>) -> exit::Code {
    let code = reported_code(child);
    clean(made);
    code
}

fn reported_code(child: &mut Child) -> exit::Code {
    match child.wait() {
        Ok(status) if sys::exit_signal(&status) == Some(signal::ABRT) && sys::address_space_limit().is_some() => {
            let limit = sys::address_space_limit().unwrap_or_default();
            remark(&format!(
                "the load process found no memory: the address space is limited to {} (ulimit -v); what was measured is kept",
                model::Bytes(limit)
            ));
            exit::CANNOT
        }
        Ok(status) => match (status.code(), sys::exit_signal(&status)) {
            (Some(code), _) => exit::Code(code),
            (None, Some(signal::XFSZ)) => {
                let limit =
                    sys::file_size_limit().map(|bytes| format!(" of {}", model::Bytes(bytes))).unwrap_or_default();
                remark(&format!(
                    "the load process was ended by the limit{limit} on the size of files (ulimit -f); raise it, or choose a \
                     smaller --size; what was measured is kept"
                ));
                exit::CANNOT
            }
            (None, Some(signal)) => {
                let why = if signal == signal::BUS {
                    "SIGBUS: the mapped file shrank or its device failed"
                } else {
                    "a signal"
                };
                remark(&format!(
                    "the load process was killed by {why} ({signal}); what was measured is kept (secchi runs)"
                ));
                if signal == signal::BUS { exit::HUNG } else { exit::Code(128 + signal) }
            }
            (None, None) => exit::INVALID,
        },
        Err(_) => exit::INVALID,
    }
}

/// The child's end of the pipe.
#[derive(Clone)]
pub struct Lifeline {
    pipe: Option<Arc<File>>,
    report_wanted: Arc<AtomicBool>,
}

impl Lifeline {
    /// Takes up the line to the supervisor, and has the kernel end this process with it.
    pub fn attach(parent: u32, descriptor: u64) -> Result<Self> {
        sys::die_with_parent(parent).context("the supervising process is gone")?;
        // A run may go on for weeks.
        sys::return_large_blocks();
        // By itself the signal would end the process. A wish that comes before the run can answer it is kept.
        let report_wanted = Arc::default();
        sys::set_on_signal(signal::USR1, Arc::clone(&report_wanted)).context("cannot receive signals")?;
        // Opened anew by its name: no descriptor number is trusted to be ours to close.
        let pipe = sys::inherited(descriptor, true).ok();
        Ok(Lifeline { pipe: pipe.map(Arc::new), report_wanted })
    }

    /// Set by SIGUSR1, since this process began: a report in between is wanted. Whoever gives it takes the wish back.
    pub fn report_wanted(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.report_wanted)
    }

    /// Says that all is well.
    pub fn report_alive(&mut self) {
        self.write_line("beat");
    }

    /// Says that what takes long goes on: an end that was asked for is waited for, too.
    pub fn moves(&mut self) {
        self.write_line(MOVES);
    }

    /// Says which test file is about to be made, for the case that this process ends before it can remove it.
    pub fn makes(&mut self, path: &Path) {
        if let Some(path) = path.to_str().filter(|p| !p.contains('\n')) {
            self.write_line(&format!("made {path}"));
        }
    }

    /// Says the exit code, for the case that ending takes longer than anybody wants to wait.
    pub fn exit(&mut self, code: exit::Code) {
        self.write_line(&format!("exit {}", code.0));
    }

    fn write_line(&mut self, line: &str) {
        if let Some(pipe) = &self.pipe {
            // Without a supervisor there is nobody to tell. In one call: others may tell him, too.
            let _ = pipe.as_ref().write_all(format!("{line}\n").as_bytes());
        }
    }
}
