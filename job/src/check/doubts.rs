//! Settings that are applied as given, but may not be what the user meant.

use super::effects::{has_log, writes};
use crate::error::Note;
use crate::file::Section;
use crate::options::VerifyMethod;
use messages::sentence;
use model::Nanos;

/// Minimum log interval. Shorter intervals would disturb the measurement.
pub(crate) const SHORTEST_LOG: Nanos = Nanos::from_millis(10);

/// Adds notes for logs whose interval is too short.
pub(super) fn short_logs(section: &Section, notes: &mut Vec<Note>) {
    let o = &section.options;
    let asked = [("log_avg_msec", has_log(o), o.logs.avg), ("log_hist_msec", o.logs.hist.is_some(), o.logs.hist_every)];
    for (option, on, time) in asked {
        if on && time > Nanos(0) && time < SHORTEST_LOG {
            let text = sentence!("job-log-too-fine", option, time, least = SHORTEST_LOG);
            notes.push(Note::new(section.place_of(option), text));
        }
    }
}

/// Adds notes for verification settings that are unlikely to be intended. fio warns about the same cases.
pub(super) fn doubtful_verify(section: &Section, notes: &mut Vec<Note>) {
    let o = &section.options;
    if o.verify.method == VerifyMethod::None || !o.verify.do_verify || !writes(o) {
        return;
    }
    if o.engine.engine.is_null() {
        notes.push(Note::new(section.place_of("verify"), sentence!("job-null-verifies-nothing")));
        return;
    }
    if o.job.numjobs > 1 && !o.files.filenames.is_empty() {
        notes.push(Note::new(section.place_of("numjobs"), sentence!("job-clones-overwrite")));
    }
    if o.time.time_based && !o.pattern.rw.reads() && o.verify.backlog == 0 {
        notes.push(Note::new(section.place_of("time_based"), sentence!("job-never-verified")));
    }
}
