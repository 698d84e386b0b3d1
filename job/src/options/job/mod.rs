//! Options for the job itself: clones, time, goals, order, processes.

pub(super) mod general;
pub(super) mod goals;
pub(super) mod process;
pub(super) mod time;

pub use general::*;
pub use goals::*;
pub use process::*;
pub use time::*;
