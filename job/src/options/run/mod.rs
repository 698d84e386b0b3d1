//! What stands on the command line only, and what a run writes.

pub(super) mod command;
pub(super) mod consent;
pub(super) mod logs;
pub(super) mod report;

pub use command::*;
pub use consent::CONSENT;
pub use logs::*;
pub use report::*;
