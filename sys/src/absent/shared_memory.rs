//! System V shared memory of M engines: there are no such engines here, and nothing of theirs is looked for.

use crate::common::SharedMemory;
use std::io;

/// The segments of this machine: none.
///
/// # Errors
/// None.
pub fn shared_memory() -> io::Result<Vec<SharedMemory>> {
    Ok(Vec::new())
}

/// There is no segment to remove.
///
/// # Errors
/// Always: [`crate::errno::ENOENT`].
pub fn remove_shared_memory(_segment: SharedMemory) -> io::Result<()> {
    Err(io::Error::from_raw_os_error(crate::errno::ENOENT))
}
