//! Plan of a run: its stages and jobs, and all settings of a job.
//!
//! A plan is complete: all defaults are filled in when it is created, and later code does not add defaults.

mod blocks;
mod commit;
mod detail;
mod engine;
mod hydration;
pub(crate) mod job;
mod kind;
mod mark;
mod other_work;
mod ping;
mod replay;
pub(crate) mod secrets;
mod section;
mod session;
mod stages;
mod trace;
mod tuning;
mod watch;
mod work;
mod workload;
mod zero_for_none;

pub use blocks::*;
pub use commit::*;
pub use detail::*;
pub use engine::*;
pub use hydration::*;
pub use job::*;
pub use kind::*;
pub use mark::*;
pub use other_work::*;
pub use ping::*;
pub use replay::*;
pub use secrets::*;
pub use section::*;
pub use session::*;
pub use stages::*;
pub use trace::*;
pub use tuning::*;
pub use watch::*;
pub use work::*;
pub use workload::*;
pub use zero_for_none::none_if_zero;
