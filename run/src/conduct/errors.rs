//! Descriptions of failed operations.

use super::open_target::OpenTarget;
use crate::workers::LoadEnd;
use messages::sentence;
use model::{Job, Op, Sentence};

/// Returns the text of an errno, without its number if the text is known.
pub(super) fn text_of(errno: i32) -> String {
    let known = model::measured::errno_text(errno).map(|(_, text)| text.to_owned());
    known.unwrap_or_else(|| std::io::Error::from_raw_os_error(errno).to_string())
}

/// Describes the change of a target that was truncated or whose device was removed; `None` if it is unchanged.
pub(super) fn lost(target: &dyn OpenTarget, end: &LoadEnd) -> Option<Sentence> {
    target.present().err().map(|e| e.to_string().into()).or_else(|| device_gone(end))
}

/// Describes the removal of a device, if that is the cause of failed operations.
pub(super) fn device_gone(end: &LoadEnd) -> Option<Sentence> {
    /// Errors that show that the device no longer exists.
    const GONE: [i32; 3] = [sys::errno::ENXIO, sys::errno::ENODEV, sys::errno::EREMOTEIO];
    let errors = |op: Op| end.total.op(op).tally.errors.keys();
    let errno = Op::ALL.into_iter().flat_map(errors).find(|e| GONE.contains(*e))?;
    Some(sentence!("end-lost", error = text_of(*errno)))
}

/// Describes the errors of a job, by kind of operation and error.
pub(super) fn describe_errors(job: &Job, end: &LoadEnd) -> Sentence {
    if let Some(trouble) = &end.workers.trouble {
        return trouble.clone();
    }
    if let Some(broken) = &end.workers.broken {
        return format!("{}: {broken}", job.label()).into();
    }
    let mut kinds: Vec<Sentence> = Vec::new();
    for op in Op::ALL {
        for (errno, n) in &end.total.op(op).tally.errors {
            let reason = match *errno {
                load::worker::END_OF_FILE => sentence!("end-error-end-of-file"),
                model::measured::WRONG_DATA => sentence!("end-error-wrong-data"),
                errno => text_of(errno).into(),
            };
            kinds.push(sentence!("end-error-kind", n = *n, op, why = reason));
        }
    }
    if kinds.is_empty() {
        // The operations failed during the drain.
        kinds.push(sentence!("end-errors-draining", n = end.workers.failed));
    }
    sentence!("end-errors", workload = job.label(), errors = Sentence::join(kinds, ", "))
}
