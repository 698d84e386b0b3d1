//! Recording and replaying of traces: known, not done.

use crate::options::{OptionSpec, refuse};

const WHY: &str = "traces are neither recorded nor replayed; describe the load with rw, bssplit and rate";

pub(in crate::options) const OPTIONS: &[OptionSpec] = &[
    refuse("write_iolog", "Records the operations.", WHY),
    refuse("read_iolog", "Replays recorded operations.", WHY),
    refuse("read_iolog_chunked", "Reads the record in parts.", WHY),
    refuse("replay_no_stall", "Replays as fast as possible.", WHY),
    refuse("replay_redirect", "Replays onto another device.", WHY),
    refuse("replay_scale", "Divides offsets.", WHY),
    refuse("replay_align", "Aligns offsets.", WHY),
    refuse("replay_time_scale", "Stretches time.", WHY),
    refuse("replay_skip", "Leaves directions out.", WHY),
    refuse("merge_blktrace_file", "Merges traces.", WHY),
    refuse("merge_blktrace_scalars", "Stretches merged traces.", WHY),
    refuse("merge_blktrace_iters", "Repeats merged traces.", WHY),
];
