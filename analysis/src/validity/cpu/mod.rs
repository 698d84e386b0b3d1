//! Checks that the load generator had the CPU it needed: the share it used up itself (`generator`), the share that
//! others took (`starved`), and the times when the control group stopped it (`throttling`).

pub(crate) mod generator;
pub(crate) mod starved;
mod throttling;
