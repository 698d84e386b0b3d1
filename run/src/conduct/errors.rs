//! What is said of operations that failed.

use super::open_target::OpenTarget;
use crate::workers::LoadEnd;
use messages::sentence;
use model::{Job, Op, Sentence};

/// Returns the text of an errno, without its number where the text is known.
pub(super) fn text_of(errno: i32) -> String {
    let known = model::errno_text(errno).map(|(_, text)| text.to_owned());
    known.unwrap_or_else(|| std::io::Error::from_raw_os_error(errno).to_string())
}

/// What happened to the target, if it is not what it was: it was cut, or its device was taken away.
pub(super) fn lost(target: &dyn OpenTarget, end: &LoadEnd) -> Option<Sentence> {
    target.present().err().map(|e| e.to_string().into()).or_else(|| device_gone(end))
}

/// That the device was taken away, if that is what its operations met.
pub(super) fn device_gone(end: &LoadEnd) -> Option<Sentence> {
    /// There is no device any more.
    const GONE: [i32; 3] = [sys::errno::ENXIO, sys::errno::ENODEV, sys::errno::EREMOTEIO];
    let errors = |op: Op| end.total.op(op).tally.errors.keys();
    let errno = Op::ALL.into_iter().flat_map(errors).find(|e| GONE.contains(*e))?;
    Some(sentence!("end-lost", error = text_of(*errno)))
}

/// What a job met, by kind of operation and error.
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
            let why = match *errno {
                load::worker::END_OF_FILE => sentence!("end-error-end-of-file"),
                model::WRONG_DATA => sentence!("end-error-wrong-data"),
                errno => text_of(errno).into(),
            };
            kinds.push(sentence!("end-error-kind", n = *n, op, why));
        }
    }
    if kinds.is_empty() {
        // Failed while draining.
        kinds.push(sentence!("end-errors-draining", n = end.workers.failed));
    }
    sentence!("end-errors", workload = job.label(), errors = Sentence::join(kinds, ", "))
}
