//! The command line for completions and manual pages: without hidden commands, but with the options of `fio` and
//! `ping`.

use clap::{Command, ValueHint};
use cli as args;

/// Returns the command line as users see it.
pub fn command() -> Command {
    let whole = args::command();
    let shown = whole.get_subcommands().filter(|c| !c.is_hide_set()).cloned().map(|command| match command.get_name() {
        "fio" => command.args(fio::arguments()).mut_arg("words", |words| {
            let files = "Job files; job options before the first --name are defaults of every job";
            words.value_name("FILE").help(files).value_hint(ValueHint::FilePath)
        }),
        "ping" => {
            let after = [Some(ioping::CODES.trim_end().to_owned()), args::examples_text("ping")];
            command
                .args(ioping::arguments())
                .mut_arg("words", |words| {
                    words.value_name("PATH").help("A directory, file or device").value_hint(ValueHint::AnyPath)
                })
                .override_usage("secchi ping [OPTIONS] <PATH>")
                .after_long_help(after.into_iter().flatten().collect::<Vec<_>>().join("\n\n"))
        }
        _ => command,
    });
    // clap cannot remove a subcommand, so build a new command from the same parts.
    let offered = Command::new("secchi")
        .version(env!("CARGO_PKG_VERSION"))
        .about(whole.get_about().cloned().unwrap_or_default())
        .after_help(whole.get_after_help().cloned().unwrap_or_default())
        .after_long_help(whole.get_after_long_help().cloned().unwrap_or_default())
        .subcommand_required(true)
        .args(whole.get_arguments().cloned())
        .subcommands(shown);
    args::with_groups(offered)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(command: &Command) -> Vec<&str> {
        command.get_subcommands().map(Command::get_name).collect()
    }

    #[test]
    fn what_is_offered_is_all_but_what_is_hidden() {
        let (whole, offered) = (args::command(), command());
        let hidden: Vec<&str> = whole.get_subcommands().filter(|c| c.is_hide_set()).map(Command::get_name).collect();
        assert_eq!(hidden, [db::SERVE_COMMAND]);
        let shown: Vec<&str> = names(&whole).into_iter().filter(|name| !hidden.contains(name)).collect();
        assert_eq!(names(&offered), shown);
        assert!(shown.contains(&"qualify") && shown.contains(&"completions"));
        // The help of the rebuilt command must be the same as that of the original command.
        let help = |mut command: Command| command.render_long_help().to_string();
        assert_eq!(help(offered), help(whole));
    }

    #[test]
    fn fio_and_ping_have_the_options_of_their_tables() {
        let mut offered = command();
        offered.build();
        let has = |name: &str, option: &str| {
            let command = offered.find_subcommand(name).expect("it is offered");
            command.get_arguments().find(|a| a.get_long() == Some(option)).cloned()
        };
        for (name, option) in
            [("fio", "rw"), ("fio", "hipri"), ("fio", "destroy"), ("ping", "rapid"), ("ping", "nagios")]
        {
            assert!(has(name, option).is_some(), "secchi {name} --{option}");
        }
        let engines = has("fio", "ioengine").expect("an option of jobs").get_possible_values();
        assert!(engines.iter().any(|word| word.get_name() == "io_uring"), "{engines:?}");
        assert_eq!(has("ping", "count").expect("ioping's").get_short(), Some('c'));
    }
}
