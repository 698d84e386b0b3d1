//! Signals. Windows has none: console events are reported by the numbers of the corresponding Linux signals.

use crate::windows::nt;
use std::io;
use std::process::ExitStatus;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Condvar, Mutex, Once, PoisonError};
use windows_sys::Win32::Foundation::STATUS_CONTROL_C_EXIT;
use windows_sys::Win32::System::Console as c;
use windows_sys::core::BOOL;

/// Signal numbers of Linux.
pub mod signal {
    /// The console is closed, the user logs off, or the machine shuts down.
    pub const HUP: i32 = 1;
    /// Ctrl-C.
    pub const INT: i32 = 2;
    /// Request to end: Ctrl-Break, which is also sent to end a process group.
    pub const TERM: i32 = 15;
    /// Immediate end.
    pub const KILL: i32 = 9;
    /// Continue after a stop; nothing stops on Windows.
    pub const CONT: i32 = 18;
    /// User-defined signal; cannot be sent on Windows.
    pub const USR1: i32 = 10;
    /// Write to a pipe without a reader.
    pub const PIPE: i32 = 13;
    /// Abort by the process itself.
    pub const ABRT: i32 = 6;
    /// Access to memory of a file beyond the file's end.
    pub const BUS: i32 = 7;
    /// Write beyond the maximum file size of the process.
    pub const XFSZ: i32 = 25;
}

struct Heard {
    /// Signals that the program waits for.
    wanted: Vec<i32>,
    waiting: Vec<i32>,
}

static HEARD: Mutex<Heard> = Mutex::new(Heard { wanted: Vec::new(), waiting: Vec::new() });
static CHANGED: Condvar = Condvar::new();

/// Receives console events. The system calls it on a separate thread.
unsafe extern "system" fn console(event: u32) -> BOOL {
    let signal = match event {
        c::CTRL_C_EVENT => signal::INT,
        c::CTRL_BREAK_EVENT => signal::TERM,
        _ => signal::HUP,
    };
    let mut heard = HEARD.lock().unwrap_or_else(PoisonError::into_inner);
    if !heard.wanted.contains(&signal) {
        return 0;
    }
    heard.waiting.push(signal);
    drop(heard);
    CHANGED.notify_all();
    if signal == signal::HUP {
        // The system ends the process as soon as this function returns, or after some seconds. Give it time for its
        // last writes.
        std::thread::sleep(std::time::Duration::from_secs(20));
    }
    1
}

/// Receiver of signals, one after the other.
#[derive(Debug)]
pub struct Signals(());

impl Signals {
    /// Registers these signals: from now on they only arrive here and have no other effect.
    ///
    /// # Errors
    /// Errors of `SetConsoleCtrlHandler`.
    pub fn new(signals: impl IntoIterator<Item = impl std::borrow::Borrow<i32>>) -> io::Result<Signals> {
        static ONCE: Once = Once::new();
        let mut outcome = Ok(());
        HEARD.lock().unwrap_or_else(PoisonError::into_inner).wanted.extend(signals.into_iter().map(|s| *s.borrow()));
        // SAFETY: the function exists as long as the process. The first call re-enables Ctrl-C, which is ignored if the
        // parent started this process in a new process group.
        ONCE.call_once(|| unsafe {
            c::SetConsoleCtrlHandler(None, 0);
            outcome = nt::check(c::SetConsoleCtrlHandler(Some(console), 1));
        });
        outcome.map(|()| Signals(()))
    }

    /// Returns an endless iterator that waits for the next signal.
    pub fn forever(&mut self) -> impl Iterator<Item = i32> {
        std::iter::repeat_with(next)
    }
}

fn next() -> i32 {
    let mut heard = HEARD.lock().unwrap_or_else(PoisonError::into_inner);
    loop {
        if !heard.waiting.is_empty() {
            return heard.waiting.remove(0);
        }
        heard = CHANGED.wait(heard).unwrap_or_else(PoisonError::into_inner);
    }
}

impl IntoIterator for &mut Signals {
    type Item = i32;
    type IntoIter = std::iter::RepeatWith<fn() -> i32>;

    fn into_iter(self) -> Self::IntoIter {
        std::iter::repeat_with(next)
    }
}

constant! {
    /// Would set a flag on a signal. Has no effect on Windows, where these signals cannot be sent.
    fn set_on_signal(i32, Arc<AtomicBool>) -> io::Result<()> = Ok(());
}

/// Returns the signal that ended a process, if any: only Ctrl-C is known.
#[must_use]
pub fn exit_signal(status: &ExitStatus) -> Option<i32> {
    (status.code() == Some(STATUS_CONTROL_C_EXIT)).then_some(signal::INT)
}
