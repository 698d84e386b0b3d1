//! Options for recording a job's operations and for replaying recordings.

use super::files::split_list;
use crate::options::{Context, JobOptions, OptionSpec, option, put};
use crate::text;
use crate::value::{Kind, Value};
use crate::value_error::ValueError;
use model::{Bytes, clip};
use std::path::PathBuf;

/// Options for recording and replay.
#[derive(Debug, Clone, PartialEq)]
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

impl Default for ReplayOptions {
    fn default() -> Self {
        ReplayOptions {
            write: None,
            read: Vec::new(),
            no_stall: false,
            redirect: None,
            scale: 0,
            align: Bytes(0),
            time_scale: 100,
            skip: [false; 4],
            merge: None,
            merge_scalars: Vec::new(),
            merge_iterations: Vec::new(),
        }
    }
}

/// Kinds of operations that can be skipped, in the order of [`ReplayOptions::skip`].
const KINDS: [&str; 4] = ["read", "write", "trim", "sync"];

fn put_path(field: &mut Option<PathBuf>, value: Value) -> Result<(), ValueError> {
    if let Value::Text(given) = value {
        *field = Some(text::to_path(&given));
    }
    Ok(())
}

fn set_read(job: &mut JobOptions, value: Value, _: &mut Context<'_>) -> Result<(), ValueError> {
    let Value::Text(given) = value else { return Ok(()) };
    job.replay.read = split_list(&given)?;
    Ok(())
}

fn set_align(job: &mut JobOptions, value: Value, _: &mut Context<'_>) -> Result<(), ValueError> {
    let Value::Size(align) = value else { return Ok(()) };
    if !align.is_zero() && !align.as_u64().is_power_of_two() {
        return Err(ValueError::out_of_range(&align.as_u64().to_string(), "a power of two".to_owned()));
    }
    job.replay.align = align;
    Ok(())
}

fn set_skip(job: &mut JobOptions, value: Value, _: &mut Context<'_>) -> Result<(), ValueError> {
    let Value::Text(given) = value else { return Ok(()) };
    let mut skip = [false; 4];
    for word in given.split([',', ':']).map(str::trim) {
        let Some(kind) = KINDS.iter().position(|kind| *kind == word) else {
            return Err(format!("`{}` is not one of {}", clip(word), KINDS.join(", ")).into());
        };
        skip[kind] = true;
    }
    job.replay.skip = skip;
    Ok(())
}

const MOST_MERGED: usize = 64;

pub(in crate::options) const OPTIONS: &[OptionSpec] = &[
    option(
        "write_iolog",
        Kind::Path,
        "",
        "Record every operation in version 3 of fio's iolog format. Times are in microseconds since the start of the \
         job, in ascending order; failed operations are omitted. An existing file is replaced, but only if it is an \
         iolog; fio would append to it.",
    )
    .set(|job, value, _| put_path(&mut job.replay.write, value)),
    option(
        "read_iolog",
        Kind::Path,
        "",
        "Replay recorded operations from a fio iolog (version 2 or 3), a binary blktrace file, or a recording from \
         `secchi record`. The job uses the recorded files, unless `replay_redirect` names another one; missing files \
         are created with the required size. The files in a list separated by `:` are distributed among the \
         clones. Each operation is due at its recorded time relative to the first one, independently of the others, \
         and starts as soon as `iodepth` allows. The job ends after the last operation. If the file is a blktrace, \
         the requests issued to the device are replayed.",
    )
    .set(set_read),
    option("read_iolog_chunked", Kind::Bool, "0", "In fio: read the recording in chunks.").noted("job-noted-chunked"),
    option(
        "replay_no_stall",
        Kind::Bool,
        "0",
        "Ignore recorded times and replay in order, as fast as `iodepth` allows.",
    )
    .set(put!(replay.no_stall)),
    option("replay_redirect", Kind::Path, "", "Single file or device that receives all operations.")
        .set(|job, value, _| put_path(&mut job.replay.redirect, value)),
    option("replay_scale", Kind::from(0), "0", "Number by which offsets are divided; 0 = unchanged.")
        .set(put!(replay.scale)),
    option(
        "replay_align",
        Kind::Size { min: 0, max: 1 << 40 },
        "0",
        "Power of two to whose multiples offsets are rounded down and lengths from a blktrace are rounded up; 0 = \
         unchanged.",
    )
    .set(set_align),
    option(
        "replay_time_scale",
        Kind::from(1),
        "100",
        "Replay rate as a percentage of the recorded rate: 200 is twice as fast.",
    )
    .set(put!(replay.time_scale)),
    option(
        "replay_skip",
        Kind::Form("list of read, write, trim, sync"),
        "",
        "Kinds of operations to skip; `sync` means all flushes.",
    )
    .set(set_skip),
    option(
        "merge_blktrace_file",
        Kind::Path,
        "",
        "Merge all recordings from `read_iolog` by time into this file, and replay it. The file is a blktrace of \
         requests as they were queued. An existing file is replaced only if it is a blktrace.",
    )
    .set(|job, value, _| put_path(&mut job.replay.merge, value)),
    option(
        "merge_blktrace_scalars",
        Kind::Floats { min: 0.0, max: 1e9, most: MOST_MERGED },
        "",
        "Time scale for each merged recording, in percent: 50 is twice as fast.",
    )
    .set(put!(replay.merge_scalars)),
    option(
        "merge_blktrace_iters",
        Kind::Floats { min: 1.0, max: 1e6, most: MOST_MERGED },
        "",
        "Number of repetitions of each merged recording.",
    )
    .set(put!(replay.merge_iterations)),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_default_nothing_is_replayed_and_the_rate_is_unchanged() {
        let options = ReplayOptions::default();
        assert!(options.read.is_empty() && options.write.is_none() && options.time_scale == 100);
    }
}
