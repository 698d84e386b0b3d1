//! The control plane: phases, ramps, collection, watchdog.
//!
//! Hands plans to `load`, events to a sink. Knows nothing of stores, reports or terminals; from `analysis` it takes the
//! rules that end a step or a ramp, so that the rule that stops is the rule that later judges.

pub mod calibrate;
mod conduct;
mod fill;
mod follow;
mod glance;
mod levels;
pub mod preflight;
pub mod qualify;
mod sink;
mod site;
mod workers;

pub use conduct::{Ending, Identity, Interrupt, conduct};
pub use sink::{Progress, Sink};
pub use site::{Nowhere, Site};
pub use workers::{Decision, Live, Load, LoadEnd, LoadError, WINDOW, Watch, run_load};
