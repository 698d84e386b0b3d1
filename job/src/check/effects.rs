//! Checks for settings that have no effect.

use crate::engines::{Engines, IoEngine};
use crate::error::Note;
use crate::file::{JobFile, Section};
use crate::options::{DedupeMode, JobOptions, OptionSpec, RandomDistribution, Support, VerifyMethod, ZoneMode, all};
use Why::{Says, Without};
use messages::{Message, message, sentence};
use model::{Nanos, plan::BlockSizes};

/// Reason why an option has no effect.
enum Why {
    /// The option has no effect because another option is missing. Contains the name of the missing option.
    Without(&'static str),
    /// ID of the message that explains the reason.
    Says(&'static str),
}

/// Name of an option, the condition under which it has an effect, and the reason to give when it has no effect.
type Effect = (&'static str, fn(&JobOptions) -> bool, Why);

const EFFECTS: &[Effect] = &[
    ("rwmixread", |o| o.pattern.rw.is_mix(), Says("job-no-mix")),
    ("rwmixwrite", |o| o.pattern.rw.is_mix(), Says("job-no-mix")),
    ("norandommap", |o| o.pattern.rw.is_random(), Says("job-not-random")),
    ("random_generator", |o| o.pattern.rw.is_random(), Says("job-not-random")),
    ("random_distribution", |o| o.pattern.rw.is_random(), Says("job-not-random")),
    ("percentage_random", |o| o.pattern.rw.is_random(), Says("job-not-random")),
    ("rw_sequencer", |o| o.pattern.rw_argument.is_some(), Says("job-no-number")),
    ("thinktime_spin", |o| o.rate.thinktime > Nanos(0), Without("thinktime")),
    ("thinktime_blocks", |o| o.rate.thinktime > Nanos(0), Without("thinktime")),
    ("thinktime_blocks_type", |o| o.rate.thinktime > Nanos(0), Without("thinktime")),
    ("thinktime_iotime", |o| o.rate.thinktime > Nanos(0), Without("thinktime")),
    ("rate_process", |o| o.rate.is_limited(), Says("job-no-rate")),
    (
        "rate_ignore_thinktime",
        |o| o.rate.is_limited() && o.rate.thinktime > Nanos(0),
        Says("job-no-rate-with-thinktime"),
    ),
    ("rate_cycle", has_minimum, Says("job-no-least-rate")),
    ("log_avg_msec", has_log, Says("job-no-log")),
    ("log_max_value", has_log, Says("job-no-log")),
    ("log_window_value", has_log, Says("job-no-log")),
    ("log_offset", has_log, Says("job-no-log")),
    ("log_narrow", has_log, Says("job-no-log")),
    ("log_offset", |o| !o.logs.narrow, Says("job-log-is-narrow")),
    ("log_prio", |o| !o.logs.narrow, Says("job-log-is-narrow")),
    ("log_issue_time", |o| !o.logs.narrow, Says("job-log-is-narrow")),
    ("log_hist_msec", |o| o.logs.hist.is_some(), Without("write_hist_log")),
    ("log_hist_coarseness", |o| o.logs.hist.is_some(), Without("write_hist_log")),
    ("write_hist_log", |o| o.logs.hist_every > Nanos(0), Without("log_hist_msec")),
    ("nrfiles", |o| o.files.filenames.is_empty(), Says("job-files-are-named")),
    ("filename_format", |o| o.files.filenames.is_empty(), Says("job-files-are-named")),
    ("exit_what", |o| o.process.exitall, Without("exitall")),
    ("cpus_allowed_policy", |o| !o.process.cpus.is_empty(), Without("cpus_allowed")),
    ("latency_window", |o| o.goals.latency_target > Nanos(0), Without("latency_target")),
    ("latency_percentile", |o| o.goals.latency_target > Nanos(0), Without("latency_target")),
    ("latency_run", |o| o.goals.latency_target > Nanos(0), Without("latency_target")),
    ("steadystate", |o| o.goals.steady_duration > Nanos(0), Without("steadystate_duration")),
    ("steadystate_ramp_time", |o| o.goals.steady_duration > Nanos(0), Without("steadystate_duration")),
    ("zonerange", |o| o.zones.is_strided(), Says("job-not-strided")),
    ("zoneskip", |o| o.zones.is_strided() || zoned(o), Says("job-not-strided")),
    ("zonecapacity", zoned, Without("zonemode")),
    ("read_beyond_wp", zoned, Without("zonemode")),
    ("max_open_zones", zoned, Without("zonemode")),
    ("job_max_open_zones", |o| zoned(o) && writes(o), Without("zonemode")),
    ("ignore_zone_limits", zoned, Without("zonemode")),
    ("zone_reset_threshold", |o| o.zones.reset_frequency > 0.0, Without("zone_reset_frequency")),
    ("zone_reset_frequency", zoned, Without("zonemode")),
    ("do_verify", has_verify, Without("verify")),
    ("verify_interval", has_verify, Without("verify")),
    ("verify_fatal", has_verify, Without("verify")),
    ("verify_backlog", has_verify, Without("verify")),
    ("verify_backlog_batch", |o| o.verify.backlog > 0, Without("verify_backlog")),
    ("buffer_compress_chunk", |o| o.buffers.compress_percentage.is_some(), Without("buffer_compress_percentage")),
    ("dedupe_global", |o| o.buffers.dedupe_mode == DedupeMode::WorkingSet, Without("dedupe_mode")),
    ("dedupe_mode", |o| o.buffers.dedupe_percentage.is_some(), Without("dedupe_percentage")),
    ("bs", |o| has_sizes(o, |b| matches!(b, BlockSizes::Fixed(_))), Says("job-sizes-elsewhere")),
    ("bsrange", |o| has_sizes(o, |b| matches!(b, BlockSizes::Range(..))), Says("job-sizes-of-bssplit")),
    ("write_hint", writes, Says("job-nothing-written")),
    ("log_issue_time", |o| has_log(o) && o.logs.avg == Nanos(0), Says("job-no-log-of-operations")),
    ("bs_unaligned", |o| o.block.bs.iter().any(|b| matches!(b, BlockSizes::Range(..))), Without("bsrange")),
    ("refill_buffers", |o| !o.buffers.zero, Says("job-zeros-written")),
    ("iodepth_batch", |o| !o.engine.engine.is_synchronous(), Says("job-engine-waits")),
    ("iodepth_batch_complete_min", |o| !o.engine.engine.is_synchronous(), Says("job-engine-waits")),
    ("iodepth_batch_complete_max", |o| !o.engine.engine.is_synchronous(), Says("job-engine-waits")),
    ("direct", |o| !o.engine.engine.maps_files() || !o.engine.direct, Says("job-mapped")),
    ("hipri", |o| o.engine.direct || o.engine.engine.commands() || !polls(o), Says("job-polling-direct")),
    ("fsync", writes, Says("job-nothing-written")),
    ("fdatasync", writes, Says("job-nothing-written")),
    ("end_fsync", writes, Says("job-nothing-written")),
    ("fsync_on_close", writes, Says("job-nothing-written")),
    ("sync", writes, Says("job-nothing-written")),
];

/// Returns `true` if the block sizes of any direction satisfy `kind`.
fn has_sizes(o: &JobOptions, kind: fn(&BlockSizes) -> bool) -> bool {
    o.block.bs.iter().any(kind)
}

fn zoned(o: &JobOptions) -> bool {
    o.zones.mode == ZoneMode::Zoned
}

pub(super) fn writes(o: &JobOptions) -> bool {
    o.pattern.rw.writes()
}

fn has_verify(o: &JobOptions) -> bool {
    o.verify.method != VerifyMethod::None
}

pub(super) fn has_log(o: &JobOptions) -> bool {
    o.logs.bw.is_some() || o.logs.lat.is_some() || o.logs.iops.is_some()
}

fn has_minimum(o: &JobOptions) -> bool {
    o.rate.bytes_min.iter().any(|b| !b.is_zero()) || o.rate.iops_min.iter().any(|i| *i > 0)
}

/// Returns `true` if the job polls for completions.
fn polls(o: &JobOptions) -> bool {
    o.engine.option("hipri").is_some() && o.engine.engine.has("hipri")
}

/// Returns `true` if the engine supports the option.
fn belongs(option: &OptionSpec, engine: IoEngine) -> bool {
    engine.has(option.name) || option.engines.contains(&engine.word())
}

/// Adds a note for each option that only other engines support. No note is added if a job with one of these engines
/// shares the setting.
pub(super) fn of_other_engines(section: &Section, file: &JobFile, engines: &Engines, notes: &mut Vec<Note>) {
    let engine = section.options.engine.engine;
    for option in all(engines, &[]).filter(|option| option.support == Support::Done && !belongs(option, engine)) {
        let Some(at) = section.places.get(option.name).filter(|_| !is_default(section, option.name)) else { continue };
        let has_it = |s: &Section| s.places.get(option.name) == Some(at) && belongs(&option, s.options.engine.engine);
        let having = option.engines_having(engines);
        if !having.is_empty() && !file.sections.iter().any(has_it) {
            let reason = message!("job-engines-having-it", engines = having.join(", "));
            notes.push(Note::new(at, sentence!("job-no-effect", option = option.name, why = reason)));
        }
    }
}

pub(super) fn without_effect(section: &Section, notes: &mut Vec<Note>) {
    for (option, effective, why) in EFFECTS {
        if let Some(at) = section.places.get(option)
            && !is_default(section, option)
            && !effective(&section.options)
        {
            let reason = match why {
                Without(other) => message!("job-missing", option = *other),
                Says(id) => Message::new(id),
            };
            notes.push(Note::new(at, sentence!("job-no-effect", option = *option, why = reason)));
        }
    }
    let o = &section.options;
    let uniform = o.pattern.distribution.iter().all(|d| *d == RandomDistribution::default());
    if !uniform && o.pattern.rw.is_random() && !o.pattern.norandommap {
        notes.push(Note::new(section.place_of("random_distribution"), sentence!("job-map-left-out")));
    }
}

/// Returns `true` if an option was explicitly set to `0` or `none`, which needs no note.
fn is_default(section: &Section, option: &str) -> bool {
    let typed = section.own.iter().chain(&section.inherited).find(|t| t.name == option);
    typed.is_some_and(|t| matches!(t.value.as_str(), "0" | "none"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use messages::Language;

    #[test]
    fn every_reason_is_a_message() {
        for (option, _, why) in EFFECTS {
            match why {
                Without(other) => {
                    assert!(crate::all(crate::engines::for_tests(), &[]).any(|s| s.name == *other), "{option}: {other}")
                }
                Says(id) => assert!(!messages::fixed(Language::English, id).is_empty(), "{option}: {id}"),
            }
        }
    }
}
