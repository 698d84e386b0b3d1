//! Known limits as constraints on a level, and what levels themselves show of limits that are not known.

pub(crate) mod blocks;
pub(crate) mod burst;
pub(crate) mod caps;
pub(crate) mod counted;
pub(crate) mod single;
pub(crate) mod throttle;
