//! What to take on Windows in place of what Linux alone has.

/// Of queues with many operations in flight.
pub(crate) const DEEP: &str = "take windowsaio";
/// Of commands to drives.
pub(crate) const COMMANDS: &str = "take windowsaio on the drive (\\\\.\\PhysicalDrive1)";
/// Of what servers keep.
pub(crate) const SERVERS: &str = "it runs on Linux";
/// Of calls for lists of pieces: why there are none, and what to take.
pub(crate) const PIECES: [&str; 2] = ["Windows reads and writes no lists of pieces through its cache", "take psync"];
/// Of engines of M.
pub(crate) const M: &str = "take sqlite (without --engine), or model";
