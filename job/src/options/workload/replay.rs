//! Options for recording a job's operations and for replaying recordings.

use super::files::split_list;
use crate::options::{Context, JobOptions, OptionSpec, Setter::Job, noted, option, parse, put};
use crate::value::{Kind, Value};
use crate::value_error::ValueError;
use model::{Bytes, clip};
use std::path::PathBuf;

/// Options for recording and replay.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ReplayOptions {
    /// File in which the job's operations are recorded.
    pub write: Option<PathBuf>,
    /// Recordings to replay, distributed among the clones; empty = the job's own operations.
    pub read: Vec<PathBuf>,
    /// True if operations are replayed as fast as possible.
    pub no_stall: bool,
    /// File or device to which all operations are redirected.
    pub redirect: Option<PathBuf>,
    /// Number by which offsets are divided; 0 = unchanged.
    pub scale: u32,
    /// Alignment to which offsets are rounded down and lengths in blktrace files are rounded up; 0 = unchanged.
    pub align: Bytes,
    /// Replay rate as a percentage of the recorded rate.
    pub time_scale: u32,
    /// Flags for reads, writes, trims and flushes. A flag is true if this kind of operation is skipped.
    pub skip: [bool; 4],
    /// File into which the recordings are merged.
    pub merge: Option<PathBuf>,
    /// Percentage by which the times of each merged recording are scaled; empty = 100.
    pub merge_scalars: Vec<f64>,
    /// Number of repetitions of each merged recording; empty = each recording once.
    pub merge_iterations: Vec<f64>,
}

/// Kinds of operations that can be skipped, in the order of [`ReplayOptions::skip`].
const KINDS: [&str; 4] = ["read", "write", "trim", "sync"];

fn set_align(job: &mut JobOptions, value: Value, _: &mut Context<'_>) -> Result<(), ValueError> {
    let Value::Size(align) = value else { return Ok(()) };
    if !align.is_zero() && !align.as_u64().is_power_of_two() {
        return Err(ValueError::out_of_range(&align.as_u64().to_string(), "a power of two".to_owned()));
    }
    job.replay.align = align;
    Ok(())
}

fn skipped_kinds(given: &str) -> Result<[bool; 4], ValueError> {
    let mut skip = [false; 4];
    for word in given.split([',', ':']).map(str::trim) {
        let Some(kind) = KINDS.iter().position(|kind| *kind == word) else {
            return Err(format!("`{}` is not one of {}", clip(word), KINDS.join(", ")).into());
        };
        skip[kind] = true;
    }
    Ok(skip)
}

const MOST_MERGED: usize = 64;

pub(in crate::options) const OPTIONS: &[OptionSpec] = &[
    option("write_iolog", Kind::Path, "", put!(replay.write)).help(
        "Record every operation in version 3 of fio's iolog format. Times are in microseconds since the start of the \
         job, in ascending order; failed operations are omitted. An existing file is replaced, but only if it is an \
         iolog; fio would append to it.",
    ),
    option("read_iolog", Kind::Path, "", parse!(replay.read, split_list)).help(
        "Replay recorded operations from a fio iolog (version 2 or 3), a binary blktrace file, or a recording from \
         `secchi record`. The job uses the recorded files, unless `replay_redirect` names another one; missing files \
         are created with the required size. The files in a list separated by `:` are distributed among the \
         clones. Each operation is due at its recorded time relative to the first one, independently of the others, \
         and starts as soon as `iodepth` allows. The job ends after the last operation. If the file is a blktrace, \
         the requests issued to the device are replayed.",
    ),
    noted("read_iolog_chunked", Kind::Bool, "0", "job-noted-chunked").help("In fio: read the recording in chunks."),
    option("replay_no_stall", Kind::Bool, "0", put!(replay.no_stall))
        .help("Ignore recorded times and replay in order, as fast as `iodepth` allows."),
    option("replay_redirect", Kind::Path, "", put!(replay.redirect))
        .help("Single file or device that receives all operations."),
    option("replay_scale", Kind::from(0), "0", put!(replay.scale))
        .help("Number by which offsets are divided; 0 = unchanged."),
    option("replay_align", Kind::Size { min: 0, max: 1 << 40 }, "0", Job(set_align)).help(
        "Power of two to whose multiples offsets are rounded down and lengths from a blktrace are rounded up; 0 = \
         unchanged.",
    ),
    option("replay_time_scale", Kind::from(1), "100", put!(replay.time_scale))
        .help("Replay rate as a percentage of the recorded rate: 200 is twice as fast."),
    option("replay_skip", Kind::Form("list of read, write, trim, sync"), "", parse!(replay.skip, skipped_kinds))
        .help("Kinds of operations to skip; `sync` means all flushes."),
    option("merge_blktrace_file", Kind::Path, "", put!(replay.merge)).help(
        "Merge all recordings from `read_iolog` by time into this file, and replay it. The file is a blktrace of \
         requests as they were queued. An existing file is replaced only if it is a blktrace.",
    ),
    option(
        "merge_blktrace_scalars",
        Kind::Floats { min: 0.0, max: 1e9, most: MOST_MERGED },
        "",
        put!(replay.merge_scalars),
    )
    .help("Time scale for each merged recording, in percent: 50 is twice as fast."),
    option(
        "merge_blktrace_iters",
        Kind::Floats { min: 1.0, max: 1e6, most: MOST_MERGED },
        "",
        put!(replay.merge_iterations),
    )
    .help("Number of repetitions of each merged recording."),
];
