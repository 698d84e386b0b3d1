//! Known limits as constraints on a level, and signs of unknown limits in the levels themselves.

pub(crate) mod blocks;
pub(crate) mod burst;
pub(crate) mod caps;
pub(crate) mod counted;
pub(crate) mod single;
pub(crate) mod throttle;
