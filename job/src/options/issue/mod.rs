//! How operations are sent: engine, server, depth, rate; and what is done instead of them.

pub(super) mod depth;
pub(super) mod engine;
pub(super) mod other_work;
pub(super) mod rate;

pub use depth::*;
pub use engine::*;
pub use other_work::*;
pub use rate::*;
