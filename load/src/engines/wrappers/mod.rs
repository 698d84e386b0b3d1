//! Engines around another engine: what they add, the engine inside knows nothing of.

pub(super) mod faulty;
pub(super) mod locked;
pub(super) mod priority;
pub(super) mod trimming;
