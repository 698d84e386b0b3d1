//! Options that are valid only on the command line, and the outputs of a run.

pub(super) mod command;
pub(super) mod consent;
pub(super) mod logs;
pub(super) mod report;

pub use command::*;
pub use consent::CONSENT;
pub use logs::*;
pub use report::*;
