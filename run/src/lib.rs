//! The control plane: phases, ramps, collection, watchdog.
//!
//! This crate passes plans to `load` and events to a sink. It does not depend on stores, reports or terminals. It uses
//! the rules of `analysis` to end steps and ramps, so that the same rules later judge the results.
//!
//! # Example
//!
//! ```
//! use model::{Bytes, Nanos, Target, plan::TargetKind};
//! use run::hydration::{Request, Task, plan};
//!
//! let task = Task::Sample { blocks: Some(100), seed: 1 };
//! let request = Request { args: Vec::new(), task, depth: 8, hang: Nanos::from_secs(60) };
//! let volume = Target { kind: TargetKind::Device, ..Target::null("/dev/vdb", Bytes::from_gib(10)) };
//! let plan = plan(&request, &volume)?;
//!
//! // Each half of the sample is read twice; the last stage measures the rate.
//! assert_eq!(plan.stages.len(), 5);
//! assert_eq!(plan.stages[0].job.stop.max_ops, Some(50));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod conduct;
mod context;
mod peers;
mod plans;
pub mod preflight;
pub mod ranks;
mod sampling;
mod sink;
mod watch;
mod wave;
mod workers;

pub use conduct::{Files, LayoutError, OpenTarget, RunInputs, Targets, calibrate, conduct};
pub use context::{Ending, Identity, Interrupt, LEAVE, known_doubts};
pub use plans::{durable, hydration, mark, metadata, qualify, sharing, write_bound};
pub use sampling::{BackgroundSampler, RequestTap};
pub use sink::{JobsProgress, Progress, Sink};
pub use watch::{ChildCommand, NotStarted, StopRequest, WatchControl, conduct_watch, shared_device};
pub use workers::{Decision, LeftRunning, Live, Load, LoadEnd, LoadError, WatchAll, run_load, run_together};
