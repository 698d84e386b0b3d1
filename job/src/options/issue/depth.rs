//! Options for the number of operations in flight.

use crate::options::{Context, JobOptions, OptionSpec, Setter::Job, option, put};
use crate::value::{Kind, Take, Value, words};
use crate::value_error::ValueError;
use messages::sentence;

/// Options for the number of operations in flight and for batch sizes.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct DepthOptions {
    /// Maximum number of operations in flight per clone.
    pub iodepth: u32,
    /// Number of operations submitted in one batch; 0 = as many as there is room for.
    pub batch_submit: u32,
    /// Minimum number of completions to wait for; 0 = do not wait.
    pub batch_complete_min: u32,
    /// Maximum number of completions taken in one batch; `None` = `batch_complete_min`.
    pub batch_complete_max: Option<u32>,
    /// Depth to which the queue drains before it is filled again; `None` = the queue is kept full.
    pub low: Option<u32>,
    /// True if an operation waits until no operation on an overlapping range is in flight.
    pub serialize_overlap: bool,
    /// Thread that submits operations.
    pub submit_mode: SubmitMode,
}

words! {
    /// Thread that submits operations.
    SubmitMode, default Inline {
        Inline = "inline": "the job's own thread",
        Offload = "offload": "in fio, separate threads",
    }
}

fn set_submit_mode(job: &mut JobOptions, value: Value, ctx: &mut Context<'_>) -> Result<(), ValueError> {
    job.depth.submit_mode = Take::take(value)?;
    if job.depth.submit_mode == SubmitMode::Offload {
        ctx.notes.push(sentence!("job-own-thread-sends"));
    }
    Ok(())
}

/// Maximum queue depth of one clone.
pub const MAX_DEPTH: i64 = 65_536;

pub(in crate::options) const OPTIONS: &[OptionSpec] = &[
    option("iodepth", Kind::Int { min: 1, max: MAX_DEPTH }, "1", put!(depth.iodepth)).help(
        "Number of operations that each clone keeps in flight. Synchronous engines always have only one; the report \
         states this.",
    ),
    option("iodepth_batch", Kind::Int { min: 0, max: MAX_DEPTH }, "1", put!(depth.batch_submit))
        .alias(&["iodepth_batch_submit"])
        .help("Number of operations to submit in one batch; 0 = as many as there is room for."),
    option("iodepth_batch_complete_min", Kind::Int { min: 0, max: MAX_DEPTH }, "1", put!(depth.batch_complete_min))
        .alias(&["iodepth_batch_complete"])
        .help("Minimum number of completions to reap in one batch; 0 = poll without waiting."),
    option("iodepth_batch_complete_max", Kind::Int { min: 0, max: MAX_DEPTH }, "", put!(depth.batch_complete_max))
        .help("Maximum number of completions to reap in one batch; by default, the same as the minimum."),
    option("iodepth_low", Kind::Int { min: 0, max: MAX_DEPTH }, "", put!(depth.low))
        .help("Queue depth to which the queue drains before it is filled to `iodepth` again."),
    option("serialize_overlap", Kind::Bool, "0", put!(depth.serialize_overlap))
        .help("Do not submit an operation while another operation on an overlapping range is in flight."),
    option("io_submit_mode", Kind::words(SubmitMode::WORDS), "inline", Job(set_submit_mode)).help(
        "In fio: submit operations from the job's own thread or from a separate thread, so that slow submissions do \
         not reduce the rate.",
    ),
];
