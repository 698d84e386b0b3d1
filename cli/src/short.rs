//! Options in the short help (`-h`) of commands with many options; `--help` lists all options.

use clap::Command;

/// Commands, each with the long names of the options in its short help.
const COMMON: &[(&str, &str)] = &[
    (
        "qualify",
        "device, size, plan, max-written, effort, patterns, bs, limit, volume, instance, need, output, full, json",
    ),
    ("mark", "profile, loops, size, time, only, mix, device, max-written, yes, output, json"),
    ("judge", "need, limit, volume, instance, memory, recursive, junit, json, csv, explain"),
    ("watch", "interval, device, role, for, limit, alert, one-line, plain, output, json"),
    ("replay", "role, timing, fold, depth, device, destroy, output, json"),
    ("limits solve", "need, current, capacity, instance, volume, provider, headroom, all, json"),
    ("db ranread", DB_LOAD),
    ("db ranwrite", DB_LOAD),
    ("db ranio", DB_LOAD),
    ("db seqwrite", DB_LOAD),
    ("db seqread", DB_LOAD),
    ("db insert", DB_LOAD),
    ("db tpcb", "processes, scale, time, rate, cache, need, limit, volume, role, output, full, json"),
    ("db ramp", "verb, from, to, step, accept, time, need, limit, volume, output, full, json"),
];

/// Options in the short help of database tests.
const DB_LOAD: &str = "processes, time, rate, pause, cache, need, limit, volume, role, output, full, json";

/// Returns a command whose short help lists only its common options.
pub fn with_short_help(command: Command, path: &str) -> Command {
    let Some((_, common)) = COMMON.iter().find(|(name, _)| *name == path) else { return command };
    command.mut_args(|arg| match arg.get_long() {
        Some(long) if long != "help" && !common.split(", ").any(|option| option == long) => arg.hide_short_help(true),
        _ => arg,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::map_commands;

    fn find<'a>(command: &'a Command, path: &str) -> &'a Command {
        path.split(' ')
            .fold(command, |c, name| c.find_subcommand(name).unwrap_or_else(|| panic!("no command `{path}`")))
    }

    #[test]
    fn every_common_option_exists() {
        let command = crate::command();
        for (path, options) in COMMON {
            let known: Vec<&str> = find(&command, path).get_arguments().filter_map(clap::Arg::get_long).collect();
            for option in options.split(", ") {
                assert!(known.contains(&option), "`{path}` has no option --{option}");
            }
        }
    }

    /// Checks the number of options rather than of lines, which depends on the width of the terminal.
    #[test]
    fn the_short_help_is_short() {
        map_commands(crate::command(), "", &|command, path| {
            let is_shown = |a: &&clap::Arg| a.get_long().is_some() && !a.is_hide_short_help_set() && !a.is_hide_set();
            let shown = command.get_arguments().filter(is_shown).count();
            assert!(shown <= 15, "`{path}` lists {shown} options in its short help");
            command
        });
    }
}
