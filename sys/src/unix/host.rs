//! The machine that the process runs on, and its standard streams.

use std::io;
pub use std::os::fd::AsFd as Stream;

/// Returns the name of this machine.
#[must_use]
pub fn host_name() -> String {
    rustix::system::uname().nodename().to_string_lossy().into_owned()
}

/// Returns the size of a memory page, in bytes.
#[must_use]
pub fn page_size() -> usize {
    rustix::param::page_size()
}

/// Lowers the priority of this process by this many steps of `nice(2)`. Lowering it cannot fail.
pub fn lower_own_priority(by: i32) {
    let _ = rustix::process::nice(by);
}

/// Redirects standard output and standard error to the null device.
///
/// # Errors
/// As `open(2)`, `dup2(2)`.
pub fn silence_standard_streams() -> io::Result<()> {
    let nowhere = std::fs::File::options().write(true).open("/dev/null")?;
    rustix::stdio::dup2_stdout(&nowhere)?;
    Ok(rustix::stdio::dup2_stderr(&nowhere)?)
}

/// Returns the width in columns of the terminal of a stream; `None` if it is not a terminal or the width is unknown.
#[must_use]
pub fn terminal_width(stream: &impl Stream) -> Option<usize> {
    rustix::termios::tcgetwinsize(stream).ok().map(|size| usize::from(size.ws_col)).filter(|w| *w > 0)
}

/// Duplicates a standard stream as a file that writes to the same destination.
///
/// # Errors
/// As `fcntl(2)`.
pub fn stream_file(stream: &impl Stream) -> io::Result<std::fs::File> {
    Ok(stream.as_fd().try_clone_to_owned()?.into())
}
