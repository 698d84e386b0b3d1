//! The machine a process runs on, and the streams it was given.

use std::io;
pub use std::os::fd::AsFd as Stream;

/// What this machine is called.
#[must_use]
pub fn host_name() -> String {
    rustix::system::uname().nodename().to_string_lossy().into_owned()
}

/// Bytes of a page of memory.
#[must_use]
pub fn page_size() -> usize {
    rustix::param::page_size()
}

/// Lets others go first by so many steps of `nice(2)`. Only less is asked for, so it cannot fail.
pub fn lower_own_priority(by: i32) {
    let _ = rustix::process::nice(by);
}

/// The process that started this one; `None` where the system does not tell.
#[must_use]
pub fn parent_process() -> Option<u32> {
    Some(std::os::unix::process::parent_id())
}

/// Has standard output and standard error go where nothing is kept.
///
/// # Errors
/// As `open(2)`, `dup2(2)`.
pub fn silence_standard_streams() -> io::Result<()> {
    let nowhere = std::fs::File::options().write(true).open("/dev/null")?;
    rustix::stdio::dup2_stdout(&nowhere)?;
    Ok(rustix::stdio::dup2_stderr(&nowhere)?)
}

/// Columns of the terminal a stream goes to; `None` where it goes to none, or that does not tell.
#[must_use]
pub fn terminal_width(stream: &impl Stream) -> Option<usize> {
    rustix::termios::tcgetwinsize(stream).ok().map(|size| usize::from(size.ws_col)).filter(|w| *w > 0)
}

/// A stream of ours, to be written to as a file: a second way to the same place.
///
/// # Errors
/// As `fcntl(2)`.
pub fn stream_file(stream: &impl Stream) -> io::Result<std::fs::File> {
    Ok(stream.as_fd().try_clone_to_owned()?.into())
}
