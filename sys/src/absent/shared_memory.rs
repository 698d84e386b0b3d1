//! System V shared memory of M engines. There are no such engines on this system, so no segments are listed or removed.

use crate::common::SharedMemory;
use std::io;

/// Returns an empty list of segments.
///
/// # Errors
/// None.
pub fn shared_memory() -> io::Result<Vec<SharedMemory>> {
    Ok(Vec::new())
}

/// Returns an error: there is no segment to remove.
///
/// # Errors
/// Always: [`crate::errno::ENOENT`].
pub fn remove_shared_memory(_segment: SharedMemory) -> io::Result<()> {
    Err(io::Error::from_raw_os_error(crate::errno::ENOENT))
}
