//! The control plane: phases, ramps, collection, watchdog.
//!
//! Hands plans to `load`, events to a sink. Knows nothing of stores, reports or terminals; from `analysis` it takes the
//! rules that end a step or a ramp, so that the rule that stops is the rule that later judges.

pub mod calibrate;
mod caps;
mod conduct;
mod fill;
mod follow;
mod frame;
mod glance;
mod grid;
mod jobs;
mod levels;
pub mod mark;
mod other_work;
mod pause;
pub mod preflight;
mod programs;
pub mod qualify;
mod sink;
mod site;
mod steady;
mod traced;
mod upkeep;
mod waits;
mod watch;
mod workers;

pub use conduct::conduct;
pub use frame::{Ending, Identity, Interrupt, LEAVE};
pub use jobs::{Files, LayoutError, conduct_jobs};
pub use programs::LeftRunning;
pub use sink::{JobsProgress, Progress, Sink};
pub use site::{Nowhere, Site};
pub use upkeep::Upkeep;
pub use watch::{Around, Companion, NoWishes, Wishes, conduct_watch, shared_device};
pub use workers::{Decision, Live, Load, LoadEnd, LoadError, WINDOW, Watch, WatchAll, run_load, run_together};
