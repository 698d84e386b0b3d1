//! Exit codes (`secchi --help`, README).

use load::target::{Class, TargetError};

/// Exit code of the process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Code(pub i32);

/// Success: the run was measured and all checks passed.
pub const OK: Code = Code(0);
/// The measurement is invalid or undecided, or there were I/O errors.
pub const INVALID: Code = Code(2);
/// Refused for safety.
pub const REFUSED: Code = Code(3);
/// A resource, permission or engine is missing.
pub const CANNOT: Code = Code(4);
/// The device hung or disappeared.
pub const HUNG: Code = Code(5);
/// Bad input.
pub const BAD_INPUT: Code = Code(64);

/// Returns the exit code for showing a stored run. A damaged journal is not a valid measurement.
#[must_use]
pub fn of_kept_run(record: &model::RunRecord) -> Code {
    if record.state == model::RunState::Damaged { INVALID } else { OK }
}

/// Returns the exit code for a journal that cannot be read: [`INVALID`] if it is damaged, otherwise [`BAD_INPUT`].
#[must_use]
pub fn unread(error: &store::RecoverError) -> Code {
    if error.cause.is_damage() { INVALID } else { BAD_INPUT }
}

/// Table of exit codes of measurements, for help texts.
pub const TABLE: &str = "\
Exit codes:
  0    measured, and every need was met
  1    measured, and a need was not met
  2    undecided: the measurement is invalid, inconclusive, or had I/O errors
  3    refused for safety; nothing was changed
  4    a resource, permission or engine is missing
  5    the device hung or disappeared; the partial result is kept
  64   bad input; nothing was opened
  130  interrupted (143 by SIGTERM); the partial result is kept";

/// Table of exit codes of comparisons, for help texts.
pub const COMPARED: &str = "\
Exit codes:
  0    every metric is better, or the same within the margin
  1    a metric is worse
  2    undecided; the output estimates how many more runs are needed
  4    a resource, permission or engine is missing
  64   bad input, or runs of different workloads
  130  interrupted (143 by SIGTERM)";

/// Table of exit codes of `secchi lint`, for help texts.
pub const LINTED: &str = "\
Exit codes:
  0    no findings, or only notes
  1    the plan has a mistake
  2    the plan would not run, or needs a feature that secchi does not have
  64   bad input: no plan could be read";

/// Error with its exit code.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct Coded {
    /// Exit code of the process.
    pub code: Code,
    /// Error message, one sentence.
    pub message: String,
}

/// Returns an error with an exit code, to be returned with `?`.
pub fn coded(code: Code, message: impl std::fmt::Display) -> anyhow::Error {
    anyhow::Error::new(Coded { code, message: message.to_string() })
}

/// Returns early with an error that has an exit code, such as `bail!(exit::REFUSED, "{path}: it exists")`.
#[macro_export]
macro_rules! bail {
    ($code:expr, $($message:tt)+) => {
        return Err($crate::exit::coded($code, format_args!($($message)+)))
    };
}

/// Returns early with an error about bad input, such as `reject!("--hang {hang}: must be at least 1 s")`.
#[macro_export]
macro_rules! reject {
    ($($message:tt)+) => {
        $crate::bail!($crate::exit::BAD_INPUT, $($message)+)
    };
}

/// Returns the exit code of a run after its output. If the measurement was complete but the output failed, it is the
/// code of that failure.
pub fn ended(output: &anyhow::Result<()>, code: Code) -> Code {
    match output {
        Err(failure) if code.0 <= INVALID.0 => code_of(failure),
        _ => code,
    }
}

/// Returns the exit code of a run with this ending: [`CANNOT`] if the machine lacked memory or threads, otherwise
/// `code`.
pub fn of_run(ending: &run::Ending, code: Code) -> Code {
    if ending.lacking && code.0 <= INVALID.0 { CANNOT } else { code }
}

/// Returns the exit code of a failure; [`CANNOT`] if it has none.
pub fn code_of(failure: &anyhow::Error) -> Code {
    if let Some(own) = failure.downcast_ref::<Coded>() {
        return own.code;
    }
    match failure.downcast_ref::<TargetError>().map(TargetError::class) {
        Some(Class::Refused) => REFUSED,
        Some(Class::Cannot) => CANNOT,
        Some(Class::BadInput) => BAD_INPUT,
        Some(Class::Lost) => HUNG,
        None if failure.is::<run::qualify::PlanError>() => BAD_INPUT,
        None => CANNOT,
    }
}
