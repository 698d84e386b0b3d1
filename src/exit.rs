//! Exit codes, few and in the manual (`secchi --help`, README).

use load::target::{Class, TargetError};

/// What the process ends with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Code(pub i32);

/// Measured, all checks passed.
pub const OK: Code = Code(0);
/// The measurement is invalid, undecided, or met I/O errors.
pub const INVALID: Code = Code(2);
/// Refused for safety.
pub const REFUSED: Code = Code(3);
/// Cannot: a resource or an engine is missing.
pub const CANNOT: Code = Code(4);
/// The device hung or went away.
pub const HUNG: Code = Code(5);
/// Bad input.
pub const BAD_INPUT: Code = Code(64);

/// Of a run that was shown: what could be read of a damaged journal is no measurement.
#[must_use]
pub fn of_kept_run(record: &model::RunRecord) -> Code {
    if record.state == model::RunState::Damaged { INVALID } else { OK }
}

/// Of a journal that cannot be read: where it was one, it is damaged, and what was typed is right.
#[must_use]
pub fn unread(error: &store::RecoverError) -> Code {
    if error.cause.is_damage() { INVALID } else { BAD_INPUT }
}

/// The table for the help texts.
pub const TABLE: &str = "\
Exit codes:
  0    measured, and every need was met
  1    measured, and a need was not met
  2    undecided: the measurement is invalid, met I/O errors, or does not tell
  3    refused for safety; nothing was changed
  4    cannot: a resource, permission or engine is missing
  5    the device hung or went away; the partial result is kept
  64   bad input; nothing was opened
  130  interrupted (143 by SIGTERM); the partial result is kept";

/// The table of comparisons.
pub const COMPARED: &str = "\
Exit codes:
  0    nothing is worse: every figure is the same within the margin, or better
  1    a figure is worse
  2    it cannot be told; the answer says how many runs more would probably tell
  4    cannot: a resource, permission or engine is missing
  64   bad input, or runs that did not do the same
  130  interrupted (143 by SIGTERM)";

/// The table of lints.
pub const LINTED: &str = "\
Exit codes:
  0    nothing was found, or only notes
  1    the plan would get something wrong: a doubt, or worse
  2    it would not run at all as it stands, or asks for what secchi does not do
  64   bad input: no plan could be read";

/// A failure that knows its code.
#[derive(Debug)]
pub struct Coded {
    /// What the process ends with.
    pub code: Code,
    /// One sentence.
    pub message: String,
}

impl std::fmt::Display for Coded {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Coded {}

/// A failure with its code, for `?`.
pub fn coded(code: Code, message: impl std::fmt::Display) -> anyhow::Error {
    anyhow::Error::new(Coded { code, message: message.to_string() })
}

/// The code of a run of which something could not be told: that of the failure where the measurement had come to its end.
pub fn ended(told: &anyhow::Result<()>, code: Code) -> Code {
    match told {
        Err(failure) if code.0 <= INVALID.0 => code_of(failure),
        _ => code,
    }
}

/// The code of a run that ended so: "cannot" where the machine lacked memory or threads for it.
pub fn of_run(ending: &run::Ending, code: Code) -> Code {
    if ending.lacking && code.0 <= INVALID.0 { CANNOT } else { code }
}

/// The code of a failure: its own, or "cannot".
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
