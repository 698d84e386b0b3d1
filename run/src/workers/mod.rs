//! Loads and their threads: a group of workers for each load, a thread for each job without I/O, the commands before
//! and after a job, and the time grid that merges the windows of all workers.

mod grid;
mod group;
mod load;
mod other_work;
mod programs;
mod thread;
mod waits;

pub use group::{run_load, run_together};
pub use load::{Decision, Live, Load, LoadEnd, LoadError, WatchAll};
pub use programs::LeftRunning;
