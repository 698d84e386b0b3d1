//! Command that ran during a watch.

use crate::{Bytes, Nanos, text::Message};
use serde::{Deserialize, Serialize};

/// Resource usage of a command that ran during a watch.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CommandUse {
    /// Process ID.
    pub pid: u32,
    /// Time at which the command started, on the run's clock.
    pub began: Nanos,
    /// Time at which the command ended; `None` if its end was not observed.
    pub ended: Option<Nanos>,
    /// Exit status.
    pub exit: Option<CommandExit>,
    /// Time at which secchi sent the command the signal to terminate because the watch was over.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub told_to_end: Option<Nanos>,
    /// User CPU time of the command and of the children that it waited for (wait4).
    pub user: Nanos,
    /// System CPU time.
    pub system: Nanos,
    /// Maximum resident size of the command or of any of these children.
    pub max_resident: Bytes,
    /// Context switches.
    pub switches: u64,
    /// Bytes read from block devices by the command and by the children that it waited for, read after it ended.
    pub read: Option<u64>,
    /// Bytes written to block devices.
    pub write: Option<u64>,
    /// The kernel's separate counts of blocks read and written, in units of 512 bytes (`ru_inblock`, `ru_oublock`), as
    /// a cross-check.
    pub blocks: (u64, u64),
}

impl CommandUse {
    /// Returns how the command ended, to be printed after its name: `succeeded after 5.2 s`.
    #[must_use]
    pub fn ending(&self) -> Message {
        let after = |at: Nanos| at.since(self.began);
        let Some(told_to_end) = self.told_to_end else {
            let Some(exit) = self.exit else { return Message::new("command-not-seen") };
            return match self.ended {
                Some(at) => Message::new("command-after").put("how", exit.to_message()).put("time", after(at)),
                None => exit.to_message(),
            };
        };
        let said = |id: &str| Message::new(id).put("time", after(told_to_end));
        match self.exit {
            Some(CommandExit::Code(0) | CommandExit::Signal(CommandExit::TERM)) => said("command-told-and-did"),
            Some(exit) => said("command-told-and").put("how", exit.to_message()),
            None => said("command-told-and-left").put("pid", self.pid),
        }
    }

    /// Returns `true` if the command was sent the signal to terminate and its end was not observed.
    #[must_use]
    pub fn left_running(&self) -> bool {
        self.told_to_end.is_some() && self.exit.is_none()
    }
}

/// Exit status of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum CommandExit {
    /// Exited by itself with this code.
    Code(i32),
    /// Killed by this signal.
    Signal(i32),
}

impl CommandExit {
    /// Number of SIGTERM, the signal that requests a program to terminate.
    const TERM: i32 = 15;

    /// Returns the text printed after the command's name.
    fn to_message(self) -> Message {
        match self {
            CommandExit::Code(0) => Message::new("command-succeeded"),
            CommandExit::Code(code) => Message::new("command-code").put("code", code),
            CommandExit::Signal(signal) => Message::new("command-signal").put("signal", signal),
        }
    }

    /// Returns the exit code as a shell reports it: for a signal, 128 plus its number.
    #[must_use]
    pub const fn code(self) -> i32 {
        match self {
            CommandExit::Code(code) => code,
            CommandExit::Signal(signal) => 128 + signal,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_code_of_a_signal_is_that_of_a_shell() {
        assert_eq!((CommandExit::Code(3).code(), CommandExit::Signal(9).code()), (3, 137));
    }
}
