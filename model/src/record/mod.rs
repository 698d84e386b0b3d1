//! Record of a run: its events, the record folded from them, and figures derived from a record alone.

mod coarse;
mod drive;
mod event;
mod facts;
mod joint;
mod listed;
mod ranks;
mod replayed;
mod run_record;
mod wave;

pub use drive::*;
pub use event::*;
pub use facts::*;
pub use joint::measured_together;
pub use listed::*;
pub use ranks::*;
pub use replayed::*;
pub use run_record::*;
pub use wave::*;
