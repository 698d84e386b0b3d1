//! Jobs of a job file that do no I/O, and shell commands that run before and after a job: their plans.

use crate::Nanos;
use serde::{Deserialize, Serialize};

/// Work of a job that does no I/O and runs alongside other jobs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum OtherWork {
    /// Burns CPU time (fio's `cpuio`).
    Burn(Burn),
    /// Runs a program (fio's `exec`).
    Program(Program),
}

/// Burning of CPU time: alternating periods of work and rest.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Burn {
    /// Share of a CPU in percent, 1 to 100 (fio's `cpuload`).
    pub load: u32,
    /// Length of a period of work (fio's `cpuchunks`); unused if `sorts` is set.
    pub chunk: Nanos,
    /// True if a period of work sorts one megabyte of numbers, false if it loops until its time is over (fio's
    /// `cpumode`).
    pub sorts: bool,
    /// True if the burning ends when all jobs with I/O have ended (fio's `exit_on_io_done`).
    pub until_io_ends: bool,
}

impl Burn {
    /// Returns the length of the rest after a period of work of this length.
    #[must_use]
    pub fn rest(&self, work: Nanos) -> Nanos {
        let load = u64::from(self.load.clamp(1, 100));
        Nanos(work.as_nanos().saturating_mul(100 - load) / load)
    }
}

/// A program that runs as long as its job.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Program {
    /// The program; further words separated by spaces are its first arguments, as in fio.
    pub program: String,
    /// Arguments as typed (fio's `arguments`).
    pub arguments: Option<String>,
    /// Arguments in which the name and the duration of the job have been filled in.
    pub expanded: Option<String>,
    /// Prefix of the names of the files that receive the program's output; `None` means standard error (fio's
    /// `std_redirect=0`).
    pub output: Option<String>,
    /// Time between the signal that requests termination and the signal that kills the program (fio's `grace_time`).
    pub grace: Nanos,
    /// True if the job ends when the program ends, because the job has no duration.
    pub ends_job: bool,
}

impl Program {
    /// Returns the program and its arguments, split at spaces. There are no quotes, as in fio.
    #[must_use]
    pub fn words(&self) -> Vec<&str> {
        let texts = [Some(self.program.as_str()), self.expanded.as_deref()];
        texts.into_iter().flatten().flat_map(|text| text.split(' ')).filter(|word| !word.is_empty()).collect()
    }

    /// Returns the files for standard output and standard error, or `None` if they are not redirected.
    #[must_use]
    pub fn files(&self) -> Option<[String; 2]> {
        self.output.as_ref().map(|name| [format!("{name}.stdout"), format!("{name}.stderr")])
    }
}

/// Shell commands run before and after the load of a job.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct ShellCommands {
    /// Name of the section, used as the prefix of the output files.
    pub name: String,
    /// Command run before the load; if it fails, the job does not start (fio's `exec_prerun`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
    /// Command run after the load (fio's `exec_postrun`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
}

impl ShellCommands {
    /// Returns `true` if there are no commands.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.before.is_none() && self.after.is_none()
    }

    /// Returns the file for the output of the command before the job.
    #[must_use]
    pub fn file_before(&self) -> String {
        format!("{}.prerun.txt", self.name)
    }

    /// Returns the file for the output of the command after the job.
    #[must_use]
    pub fn file_after(&self) -> String {
        format!("{}.postrun.txt", self.name)
    }

    /// Returns the names of all files that the commands' output is written to.
    pub fn files(&self) -> impl Iterator<Item = String> {
        let before = self.before.is_some().then(|| self.file_before());
        before.into_iter().chain(self.after.is_some().then(|| self.file_after()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rest_makes_the_load() {
        let burn = |load| Burn { load, chunk: Nanos::from_micros(50), sorts: false, until_io_ends: false };
        assert_eq!(burn(100).rest(Nanos::from_micros(50)), Nanos(0));
        assert_eq!(burn(50).rest(Nanos::from_micros(50)), Nanos::from_micros(50));
        assert_eq!(burn(3).rest(Nanos::from_micros(50)), Nanos(1_616_666));
        assert_eq!(burn(0).rest(Nanos(100)), Nanos(9_900), "never a division by zero");
    }

    #[test]
    fn words_are_split_at_spaces_as_by_fio() {
        let program = Program {
            program: "/bin/echo -n".to_owned(),
            arguments: None,
            expanded: Some("  -t 2  'a b' job".to_owned()),
            output: Some("job".to_owned()),
            grace: Nanos(0),
            ends_job: false,
        };
        assert_eq!(program.words(), ["/bin/echo", "-n", "-t", "2", "'a", "b'", "job"]);
        assert_eq!(program.files(), Some(["job.stdout".to_owned(), "job.stderr".to_owned()]));
    }
}
