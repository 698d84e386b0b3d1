//! Record of a run: its events, the record folded from them, and figures derived from a record alone.

mod caveat;
mod coarse;
mod command;
mod drive;
mod event;
mod facts;
mod host_facts;
mod joint;
mod listed;
mod pinged;
mod rank_facts;
mod ranks;
mod replayed;
mod run_record;
mod series;
mod step_end;
mod wave;

pub use caveat::*;
pub use command::*;
pub use drive::*;
pub use event::*;
pub use facts::*;
pub use host_facts::*;
pub use joint::measured_together;
pub use listed::*;
pub use pinged::*;
pub use rank_facts::*;
pub use replayed::*;
pub use run_record::*;
pub use step_end::*;
pub use wave::*;
