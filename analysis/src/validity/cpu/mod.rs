//! Did the load generator have the CPU it needed: the share of it that it used up itself (`generator`), what others took of it
//! (`starved`), and when the control group stopped it (`throttling`).

pub(crate) mod generator;
pub(crate) mod starved;
mod throttling;
