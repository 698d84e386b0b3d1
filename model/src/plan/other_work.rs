//! Jobs of a job file that do no I/O, and commands beside jobs that do: what of it is planned, and what came of it.

use crate::{LatencyHistogram, Nanos};
use serde::{Deserialize, Serialize};

/// What a job does instead of I/O, beside the other jobs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OtherWork {
    /// Burns CPU time (fio's `cpuio`).
    Burn(Burn),
    /// Runs a program (fio's `exec`).
    Program(Program),
}

/// Burning of CPU time: a stretch of work, then a rest, over and over.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Burn {
    /// Share of a CPU in percent, 1 to 100 (fio's `cpuload`).
    pub load: u32,
    /// Length of a stretch of work (fio's `cpuchunks`); without meaning where numbers are sorted.
    pub chunk: Nanos,
    /// A stretch is the sorting of a megabyte of numbers, rather than a loop until the time is over (fio's `cpumode`).
    pub sorts: bool,
    /// Ends when all jobs with I/O have ended (fio's `exit_on_io_done`).
    pub until_io_ends: bool,
}

impl Burn {
    /// The rest after work that took so long.
    #[must_use]
    pub fn rest(&self, work: Nanos) -> Nanos {
        let load = u64::from(self.load.clamp(1, 100));
        Nanos(work.as_nanos().saturating_mul(100 - load) / load)
    }
}

/// A program that runs as long as its job.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Program {
    /// The program; what stands behind spaces are its first arguments, as in fio.
    pub program: String,
    /// Its arguments as typed (fio's `arguments`).
    pub arguments: Option<String>,
    /// Its arguments with the name and the time of the job put in.
    pub expanded: Option<String>,
    /// What its output goes to begins with this name; `None` = to standard error (fio's `std_redirect=0`).
    pub output: Option<String>,
    /// Time between the signal to end and the one that ends it (fio's `grace_time`).
    pub grace: Nanos,
    /// Whether its end is the end of the job: where the job has no time of its own.
    pub ends_job: bool,
}

impl Program {
    /// Program and arguments, split at spaces; there are no quotes, as in fio.
    #[must_use]
    pub fn words(&self) -> Vec<&str> {
        let texts = [Some(self.program.as_str()), self.expanded.as_deref()];
        texts.into_iter().flatten().flat_map(|text| text.split(' ')).filter(|word| !word.is_empty()).collect()
    }

    /// Files of its standard output and standard error, where they go to files.
    #[must_use]
    pub fn files(&self) -> Option<[String; 2]> {
        self.output.as_ref().map(|name| [format!("{name}.stdout"), format!("{name}.stderr")])
    }
}

/// Arguments of a program with `%r` as the seconds and `%n` as the name of its job.
#[must_use]
pub fn expand_arguments(arguments: &str, name: &str, runtime: Nanos) -> String {
    arguments.replace("%r", &(runtime.whole_secs()).to_string()).replace("%n", name)
}

/// Commands of the shell before and after the load of a job.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ShellCommands {
    /// What their output goes to begins with this name: that of the section.
    pub name: String,
    /// Before it; if it fails, the job does not begin (fio's `exec_prerun`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
    /// After it (fio's `exec_postrun`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
}

impl ShellCommands {
    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.before.is_none() && self.after.is_none()
    }

    /// The file that the output goes to of what runs before the job.
    #[must_use]
    pub fn file_before(&self) -> String {
        format!("{}.prerun.txt", self.name)
    }

    /// The file that the output goes to of what runs after it.
    #[must_use]
    pub fn file_after(&self) -> String {
        format!("{}.postrun.txt", self.name)
    }

    /// Every file that is written, by name.
    pub fn files(&self) -> impl Iterator<Item = String> {
        let before = self.before.is_some().then(|| self.file_before());
        before.into_iter().chain(self.after.is_some().then(|| self.file_after()))
    }
}

/// What a job without I/O did.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct OtherWorkEnd {
    /// How long each stretch of work took, or each look at the program: what fio tells as operations.
    pub turns: LatencyHistogram,
    /// How its program ended, if it ran one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub program: Option<ProgramEnd>,
}

/// How a program ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ProgramEnd {
    /// By itself, with this code.
    Code(i32),
    /// By a signal that was not ours.
    Signal(i32),
    /// Because the time of its job was over.
    Stopped,
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
        let expanded = expand_arguments("  -t %r  'a b' %n", "job", Nanos::from_millis(2_500));
        assert_eq!(expanded, "  -t 2  'a b' job");
        let program = Program {
            program: "/bin/echo -n".to_owned(),
            arguments: None,
            expanded: Some(expanded),
            output: Some("job".to_owned()),
            grace: Nanos(0),
            ends_job: false,
        };
        assert_eq!(program.words(), ["/bin/echo", "-n", "-t", "2", "'a", "b'", "job"]);
        assert_eq!(program.files(), Some(["job.stdout".to_owned(), "job.stderr".to_owned()]));
    }
}
