//! The control plane: phases, ramps, collection, watchdog.
//!
//! Hands plans to `load`, events to a sink. Knows nothing of stores, reports or terminals; from `analysis` it takes the
//! rules that end a step or a ramp, so that the rule that stops is the rule that later judges.

mod background;
pub mod calibrate;
mod caps;
mod conduct;
mod context;
mod fill;
mod follow;
mod grid;
mod jobs;
mod levels;
pub mod mark;
mod open_target;
mod other_work;
mod pause;
pub mod preflight;
mod programs;
pub mod qualify;
mod rate_snapshot;
mod sink;
mod steady;
mod traced;
mod waits;
mod watch;
mod workers;

pub use background::BackgroundSampler;
pub use conduct::conduct;
pub use context::{Ending, Identity, Interrupt, LEAVE};
pub use jobs::{Files, LayoutError, conduct_jobs};
pub use open_target::{NullTarget, OpenTarget};
pub use programs::LeftRunning;
pub use sink::{JobsProgress, Progress, Sink};
pub use watch::{Around, ChildCommand, NeverStop, StopRequest, conduct_watch, shared_device};
pub use workers::{Decision, Live, Load, LoadEnd, LoadError, WINDOW, Watch, WatchAll, run_load, run_together};
