//! Signals: Windows has none but what a console says, which is told here by the numbers that Linux has for them.

use crate::windows::nt;
use std::io;
use std::process::ExitStatus;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Condvar, Mutex, Once, PoisonError};
use windows_sys::Win32::Foundation::STATUS_CONTROL_C_EXIT;
use windows_sys::Win32::System::Console as c;
use windows_sys::core::BOOL;

/// Signals by the numbers that Linux has for them.
pub mod signal {
    /// The console is closed, its user leaves, or the machine stops.
    pub const HUP: i32 = 1;
    /// Ctrl-C.
    pub const INT: i32 = 2;
    /// A wish to end: Ctrl-Break, which is also how a group of processes is asked to end.
    pub const TERM: i32 = 15;
    /// An end at once.
    pub const KILL: i32 = 9;
    /// To go on after a stop: nothing stops here.
    pub const CONT: i32 = 18;
    /// A wish of one's own: nobody can send it here.
    pub const USR1: i32 = 10;
    /// Nobody reads from a pipe.
    pub const PIPE: i32 = 13;
    /// A process gave itself up.
    pub const ABRT: i32 = 6;
    /// Memory of a file that is not there.
    pub const BUS: i32 = 7;
    /// A write went beyond the largest file that the process may make.
    pub const XFSZ: i32 = 25;
}

struct Heard {
    /// Those that somebody waits for.
    wanted: Vec<i32>,
    waiting: Vec<i32>,
}

static HEARD: Mutex<Heard> = Mutex::new(Heard { wanted: Vec::new(), waiting: Vec::new() });
static CHANGED: Condvar = Condvar::new();

/// Called by the system on a thread of its own.
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
        // The process is ended as soon as this returns, or some seconds after: what it writes at its end is to come first.
        std::thread::sleep(std::time::Duration::from_secs(20));
    }
    1
}

/// Signals that are waited for, one after the other.
#[derive(Debug)]
pub struct Signals(());

impl Signals {
    /// From now on these signals wait here, and do nothing else.
    ///
    /// # Errors
    /// As `SetConsoleCtrlHandler`.
    pub fn new(signals: impl IntoIterator<Item = impl std::borrow::Borrow<i32>>) -> io::Result<Signals> {
        static ONCE: Once = Once::new();
        let mut outcome = Ok(());
        HEARD.lock().unwrap_or_else(PoisonError::into_inner).wanted.extend(signals.into_iter().map(|s| *s.borrow()));
        // SAFETY: the function is there as long as the process. The first call has Ctrl-C heard again where whoever started this process in a
        // group of its own had it ignored.
        ONCE.call_once(|| unsafe {
            c::SetConsoleCtrlHandler(None, 0);
            outcome = nt::check(c::SetConsoleCtrlHandler(Some(console), 1));
        });
        outcome.map(|()| Signals(()))
    }

    /// Waits for the next, again and again.
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

/// Has a signal set a flag: nobody can send such a one here, so the flag stays as it is.
///
/// # Errors
/// None.
pub fn set_on_signal(_signal: i32, _flag: Arc<AtomicBool>) -> io::Result<()> {
    Ok(())
}

/// The signal that ended a process, if one did: of a console alone.
#[must_use]
pub fn exit_signal(status: &ExitStatus) -> Option<i32> {
    (status.code() == Some(STATUS_CONTROL_C_EXIT)).then_some(signal::INT)
}
