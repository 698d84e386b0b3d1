//! Owns what must not depend on a stuck thread: the exit code.
//!
//! A load runs in a child process. A thread of it that hangs in the kernel (state D) may never return, and then neither
//! does the child's exit; the parent, which touches no storage, is told the exit code over a pipe and ends with it. The
//! parent forwards signals; when the parent dies, the kernel kills the child, so no orphan goes on with I/O.

use crate::exit;
use crate::places::{self, SUPERVISED};
use anyhow::{Context, Result};
use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::os::fd::AsRawFd;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command};
use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};

/// How long a signalled child may take: draining, the journal, and a margin.
const WINDING_UP: Duration = Duration::from_secs(20);

const SIGNALS: [i32; 3] = [signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM, signal_hook::consts::SIGHUP];

/// Runs this very command line again as a child and answers for it. `patience`: how long the child may say nothing.
pub fn supervise(patience: Duration) -> Result<exit::Code> {
    if let Some((conductor, _)) = places::round() {
        // One run of several ends with whoever conducts them.
        sys::die_with_parent(conductor).context("the conducting process is gone")?;
    }
    let (reader, writer) = std::io::pipe().context("cannot make a pipe to the load process")?;
    // The one descriptor the child is to inherit.
    rustix::io::fcntl_setfd(&writer, rustix::io::FdFlags::empty()).context("cannot pass the pipe on")?;
    let all = SIGNALS.into_iter().chain([signal_hook::consts::SIGUSR1]);
    let signals = signal_hook::iterator::Signals::new(all).context("cannot receive signals")?;
    let exe = std::env::current_exe().context("cannot find this program to start the load process")?;
    // The child finds the program's pages here, whatever becomes of their disk. Without them the run is only less robust.
    let _ = sys::hold_program();
    let mut child = Command::new(exe)
        .args(std::env::args_os().skip(1))
        // A link named fio speaks fio.
        .arg0(std::env::args_os().next().unwrap_or_default())
        .env(SUPERVISED, format!("{}:{}", std::process::id(), writer.as_raw_fd()))
        // Its own group: a Ctrl-C reaches it once, through us.
        .process_group(0)
        .spawn()
        .context("cannot start the load process")?;
    drop(writer);
    let (tell, told) = mpsc::channel();
    forward(signals, child.id(), tell.clone());
    std::thread::spawn(move || {
        for line in BufReader::new(reader).lines().map_while(Result::ok) {
            if tell.send(line).is_err() {
                break;
            }
        }
    });
    Ok(wait(&mut child, &told, patience))
}

/// Hands signals on, and says so here as the line `signal N`.
fn forward(mut signals: signal_hook::iterator::Signals, pid: u32, tell: mpsc::Sender<String>) {
    std::thread::spawn(move || {
        for signal in &mut signals {
            // A child that is gone needs no signal.
            let _ = sys::send_signal(pid, signal);
            // A wish for a report in between ends nothing.
            if signal == signal_hook::consts::SIGUSR1 {
                continue;
            }
            if tell.send(format!("signal {signal}")).is_err() {
                break;
            }
        }
    });
}

fn wait(child: &mut Child, told: &mpsc::Receiver<String>, patience: Duration) -> exit::Code {
    let mut heard = Instant::now();
    let mut asked: Option<(Instant, exit::Code)> = None;
    let number = |line: &str, word: &str| line.strip_prefix(word).and_then(|n| n.parse::<i32>().ok());
    loop {
        match told.recv_timeout(Duration::from_millis(50)) {
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
                if let Some(code) = number(&line, "exit ") {
                    linger(child);
                    return exit::Code(code);
                }
            }
            // The pipe is closed: the child has ended, or is about to.
            Err(mpsc::RecvTimeoutError::Disconnected) => return ended(child),
            Err(mpsc::RecvTimeoutError::Timeout) => {}
        }
        if let Ok(Some(_)) = child.try_wait() {
            // Its last words may still be in the pipe.
            if told.try_iter().all(|line| !line.starts_with("exit ")) {
                return ended(child);
            }
        }
        if let Some((since, code)) = asked
            && since.elapsed() > WINDING_UP
        {
            eprintln!("secchi: the load process does not end; giving it up (what was measured is kept)");
            let _ = child.kill();
            return code;
        }
        if heard.elapsed() > patience {
            eprintln!(
                "secchi: the load process has not answered for {patience:?}; giving it up (what was measured is kept)"
            );
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

/// The code of a child that ended without saying one.
fn ended(child: &mut Child) -> exit::Code {
    match child.wait() {
        Ok(status) => match (status.code(), status.signal()) {
            (Some(code), _) => exit::Code(code),
            (None, Some(signal)) => {
                let why = if signal == signal_hook::consts::SIGBUS {
                    "SIGBUS: the mapped file shrank or its device failed"
                } else {
                    "a signal"
                };
                eprintln!(
                    "secchi: the load process was killed by {why} ({signal}); what was measured is kept (secchi runs)"
                );
                if signal == signal_hook::consts::SIGBUS { exit::HUNG } else { exit::Code(128 + signal) }
            }
            (None, None) => exit::INVALID,
        },
        Err(_) => exit::INVALID,
    }
}

/// The child's end of the pipe.
pub struct Lifeline {
    pipe: Option<File>,
}

impl Lifeline {
    /// Takes up the line to the supervisor, and has the kernel end this process with it.
    pub fn attach(parent: u32, fd: i32) -> Result<Self> {
        sys::die_with_parent(parent).context("the supervising process is gone")?;
        // Whoever has a report to give in between takes it up; by itself the signal would end the process.
        let _ = signal_hook::flag::register(signal_hook::consts::SIGUSR1, Arc::default());
        // Opened anew by its name: no descriptor number is trusted to be ours to close.
        let pipe = File::options().write(true).open(format!("/proc/self/fd/{fd}")).ok();
        Ok(Lifeline { pipe })
    }

    /// Says that all is well.
    pub fn beat(&mut self) {
        self.say("beat");
    }

    /// Says the exit code, for the case that ending takes longer than anybody wants to wait.
    pub fn exit(&mut self, code: exit::Code) {
        self.say(&format!("exit {}", code.0));
    }

    fn say(&mut self, line: &str) {
        if let Some(pipe) = &mut self.pipe {
            // Without a supervisor there is nobody to tell.
            let _ = writeln!(pipe, "{line}");
        }
    }
}
