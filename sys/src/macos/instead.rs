//! Alternatives that error messages suggest on macOS, where secchi does not measure.

/// Reason of the error.
pub(crate) const WHY: &str = "secchi does not measure on macOS";
/// Alternative to queues with many operations in flight.
pub(crate) const DEEP: &str = "measure on Linux or Windows";
/// Alternative to commands sent to drives.
pub(crate) const COMMANDS: &str = DEEP;
/// Alternative to engines for storage servers.
pub(crate) const SERVERS: &str = DEEP;
/// Reason why there are no vectored reads and writes, and the alternative.
pub(crate) const PIECES: [&str; 2] = [WHY, DEEP];
/// Alternative to engines of M.
pub(crate) const M: &str = DEEP;
