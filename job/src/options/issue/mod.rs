//! Options for issuing operations (engine, server, depth, rate), and for work that replaces I/O.

pub(super) mod depth;
pub(super) mod engine;
pub(super) mod other_work;
pub(super) mod rate;

pub use depth::*;
pub use engine::*;
pub use other_work::*;
pub use rate::*;
