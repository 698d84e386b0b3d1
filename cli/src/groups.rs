//! Command groups in `secchi --help`.

use clap::Command;
use std::fmt::Write as _;

/// Groups in the order of the help, with their commands.
const GROUPS: &[(&str, &[&str])] = &[
    ("Measure", &["qualify", "fio", "mark", "ping", "durable", "hydration", "ab"]),
    ("Judge", &["judge", "compare", "lint", "limits"]),
    ("Databases", &["db"]),
    ("Production", &["watch", "record", "needs", "replay"]),
    ("Results", &["show", "report", "runs", "rm", "serve"]),
    ("Setup", &["completions", "manual", "help"]),
];

/// Returns the command line with its commands in groups instead of one list.
pub fn with_groups(command: Command) -> Command {
    let styles = command.get_styles().clone();
    let (header, literal) = (styles.get_header(), styles.get_literal());
    let width = GROUPS.iter().flat_map(|(_, names)| *names).map(|name| name.len()).max().unwrap_or(0);
    let mut list = String::new();
    for (group, names) in GROUPS {
        writeln!(list, "{header}{group}:{header:#}").expect("writing to memory does not fail");
        for name in *names {
            let about = command.find_subcommand(name).and_then(Command::get_about).map(ToString::to_string);
            let about = about.unwrap_or_else(|| "Print this help or the help of a command".to_owned());
            writeln!(list, "  {literal}{name}{literal:#}{:1$}  {about}", "", width - name.len())
                .expect("writing to memory does not fail");
        }
        list.push('\n');
    }
    let template = format!(
        "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{list}{header}Options:{header:#}\n{{options}}{{after-help}}"
    );
    command.help_template(template)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_command_is_in_one_group() {
        let command = crate::command();
        let shown = command.get_subcommands().filter(|c| !c.is_hide_set()).map(Command::get_name);
        let shown: BTreeSet<&str> = shown.chain(["help"]).collect();
        let grouped: Vec<&str> = GROUPS.iter().flat_map(|(_, names)| names.iter().copied()).collect();
        assert_eq!(grouped.len(), shown.len(), "each once");
        assert_eq!(grouped.into_iter().collect::<BTreeSet<_>>(), shown);
    }
}
