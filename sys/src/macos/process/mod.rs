//! The process, the machine, and the identity of other processes.

mod started;
mod thread;

pub use crate::elsewhere::process::*;
pub use crate::unix::child::*;
pub use crate::unix::group::*;
pub use crate::unix::host::*;
pub use crate::unix::memory::*;
pub use crate::unix::signals::*;
pub use crate::unix::usage::*;
pub use started::*;
pub use thread::*;
