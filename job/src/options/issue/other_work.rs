//! Jobs that do no I/O: what burns CPU time (`cpuio`), and programs (`exec`). Their options stand in the table among those of
//! engines.

use crate::options::{Context, JobOptions};
use crate::value::{Value, words};
use crate::value_error::ValueError;
use model::Nanos;

/// What is told to engines that do no I/O.
#[derive(Debug, Clone, PartialEq)]
pub struct OtherWorkOptions {
    /// Share of a CPU in percent; 0 = not given.
    pub load: u32,
    /// Length of a stretch of work.
    pub chunk: Nanos,
    /// What is computed.
    pub mode: CpuMode,
    /// End when jobs with I/O have ended.
    pub until_io_ends: bool,
    /// The program.
    pub program: Option<String>,
    /// Its arguments.
    pub arguments: Option<String>,
    /// Time between the signal to end and the one that ends it.
    pub grace: Nanos,
    /// Whether its output goes to files.
    pub redirect: bool,
}

impl Default for OtherWorkOptions {
    fn default() -> Self {
        OtherWorkOptions {
            load: 0,
            chunk: Nanos::from_millis(50),
            mode: CpuMode::Noop,
            until_io_ends: false,
            program: None,
            arguments: None,
            grace: Nanos::from_secs(1),
            redirect: true,
        }
    }
}

words! {
    /// What is computed to burn CPU time.
    CpuMode, default Noop {
        Noop = "noop": "nothing: a loop until the time is over",
        Qsort = "qsort": "a megabyte of numbers is sorted",
    }
}

/// More than all of a CPU is all of it, as in fio.
pub(super) fn set_load(job: &mut JobOptions, value: Value, _: &mut Context<'_>) -> Result<(), ValueError> {
    if let Value::Int(load) = value {
        job.other_work.load = load.clamp(0, 100) as u32;
    }
    Ok(())
}

pub(super) fn set_chunk(job: &mut JobOptions, value: Value, _: &mut Context<'_>) -> Result<(), ValueError> {
    if let Value::Time(chunk) = value {
        if chunk == Nanos(0) {
            return Err("a stretch of work takes some time: 1 us at least".into());
        }
        job.other_work.chunk = chunk;
    }
    Ok(())
}
