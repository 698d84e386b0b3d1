//! What to take on macOS in place of what it has not: nothing is measured here.

/// Why there is none.
pub(crate) const WHY: &str = "secchi does not measure on macOS";
/// Of queues with many operations in flight.
pub(crate) const DEEP: &str = "measure on Linux or Windows";
/// Of commands to drives.
pub(crate) const COMMANDS: &str = DEEP;
/// Of what servers keep.
pub(crate) const SERVERS: &str = DEEP;
/// Of calls for lists of pieces: why there are none, and what to take.
pub(crate) const PIECES: [&str; 2] = [WHY, DEEP];
/// Of engines of M.
pub(crate) const M: &str = DEEP;
