//! Alternatives that error messages suggest on Windows for features that only Linux has.

/// Alternative to queues with many operations in flight.
pub(crate) const DEEP: &str = "take windowsaio";
/// Alternative to commands sent to drives.
pub(crate) const COMMANDS: &str = "take windowsaio on the drive (\\\\.\\PhysicalDrive1)";
/// Alternative to engines for storage servers.
pub(crate) const SERVERS: &str = "it runs on Linux";
/// Reason why there are no vectored reads and writes, and the alternative.
pub(crate) const PIECES: [&str; 2] = ["Windows reads and writes no lists of pieces through its cache", "take psync"];
/// Alternative to engines of M.
pub(crate) const M: &str = "take sqlite (without --engine), or model";
