//! The commands, one file each.

use cli::{Command, DbVerb, DurableCommand};

pub mod ab;
pub mod compare;
pub mod completions;
pub mod durable;
pub mod judge;
pub mod limits;
pub mod lint;
pub mod manual;
pub mod mark;
mod metadata;
pub mod needs;
pub mod qualify;
pub mod record;
mod reference;
pub mod replay;
pub mod reports;
pub mod runs;
pub mod serve;
pub mod show;
pub mod version;
pub mod watch;

/// Returns the name of a command that measures, that drives something measured, or that examines the results of a load.
/// Returns `None` for commands that read and judge. `fio` and `ping` can also print and explain, so they check the
/// system themselves when it is clear that they measure.
pub fn measuring(command: &Command) -> Option<&'static str> {
    Some(match command {
        Command::Qualify(_) => "qualify",
        Command::Ab(_) => "ab",
        Command::Mark(_) => "mark",
        Command::Watch(_) => "watch",
        Command::Record(_) => "record",
        Command::Replay(_) => "replay",
        Command::DbSession(_) => "db",
        Command::Db(options) => match options.verb {
            DbVerb::Script(_) | DbVerb::History(_) | DbVerb::Sql(_) | DbVerb::Export(_) | DbVerb::Reset(_) => {
                return None;
            }
            _ => "db",
        },
        Command::Durable(options) => match options.what {
            Some(DurableCommand::Witness(_)) => return None,
            _ => "durable",
        },
        Command::Fio(_)
        | Command::Ping(_)
        | Command::Limits(_)
        | Command::Compare(_)
        | Command::Judge(_)
        | Command::Lint(_)
        | Command::Needs(_)
        | Command::Runs(_)
        | Command::Show(_)
        | Command::Report(_)
        | Command::Serve(_)
        | Command::Rm(_)
        | Command::Completions(_)
        | Command::Manual(_)
        | Command::Version(_) => return None,
    })
}
