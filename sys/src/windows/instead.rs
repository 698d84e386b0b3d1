//! Alternatives that error messages suggest on Windows for features that only Linux has.

/// Alternative to queues with many operations in flight.
pub(crate) const DEEP: &str = "use windowsaio";
/// Alternative to commands sent to drives.
pub(crate) const COMMANDS: &str = "use windowsaio on the drive (\\\\.\\PhysicalDrive1)";
/// Alternative to engines for storage servers.
pub(crate) const SERVERS: &str = "run it on Linux";
/// Reason why there are no vectored reads and writes, and the alternative.
pub(crate) const PIECES: [&str; 2] = ["Windows does not support vectored I/O through its cache", "use psync"];
/// Alternative to engines of M.
pub(crate) const M: &str = "use sqlite (without --engine), or model";
