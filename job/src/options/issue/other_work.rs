//! Jobs that do no I/O: CPU load (`cpuio`) and programs (`exec`). Their options are in the table of engine options.

use crate::options::{Context, JobOptions};
use crate::value::{Value, words};
use crate::value_error::ValueError;
use model::Nanos;

/// Options of engines that do no I/O.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct OtherWorkOptions {
    /// CPU load in percent of one CPU; 0 = not given.
    pub load: u32,
    /// Duration of one burst of work.
    pub chunk: Nanos,
    /// Computation that uses the CPU.
    pub mode: CpuMode,
    /// True if the job ends when all jobs that do I/O have ended.
    pub until_io_ends: bool,
    /// Program to run.
    pub program: Option<String>,
    /// Arguments of the program.
    pub arguments: Option<String>,
    /// Time that the program has to exit after the termination signal. It is killed afterwards.
    pub grace: Nanos,
    /// True if the program's output is written to files.
    pub redirect: bool,
}

words! {
    /// Computation that uses the CPU.
    CpuMode, default Noop {
        Noop = "noop": "empty loop that lasts for the duration of a burst",
        Qsort = "qsort": "sorting of a megabyte of numbers",
    }
}

/// Sets the CPU load. As in fio, values above 100 percent count as 100 percent.
pub(super) fn set_load(job: &mut JobOptions, value: Value, _: &mut Context<'_>) -> Result<(), ValueError> {
    if let Value::Int(load) = value {
        job.other_work.load = load.clamp(0, 100) as u32;
    }
    Ok(())
}

pub(super) fn set_chunk(job: &mut JobOptions, value: Value, _: &mut Context<'_>) -> Result<(), ValueError> {
    if let Value::Time(chunk) = value {
        if chunk == Nanos(0) {
            return Err("a burst of work must last at least 1 us".into());
        }
        job.other_work.chunk = chunk;
    }
    Ok(())
}
