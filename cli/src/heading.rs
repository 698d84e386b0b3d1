//! Headings of the option groups in help texts and manual pages.

use clap::Command;
use std::collections::HashMap;
use std::sync::LazyLock;

/// Headings with the long names of their options. A name after a command (`watch role`) applies only to that command
/// and its subcommands, and takes precedence over the plain name.
const HEADINGS: &[(&str, &str)] = &[
    (
        "Target",
        "adopt, device, dir, fold, grow, keep, pid, record role, replay role, shared-file, size, target, \
         watch all, watch role, watch top",
    ),
    (
        "Workload",
        "accept, block, bs, buffered, count, data, effort, engine, db from, group, grow-to, interval, loops, \
         mark only, max-depth, metadata, metadata-files, metadata-threads, mix, new-nodes, node-depth, order, \
         patterns, pause, pause-var, processes, profile, rate, rate-process, read-pct, replay depth, scale, seed, \
         skew, step, stop, mark test, through, time, timing, to, to-rate, txn, value, verb, warm-up",
    ),
    ("Named nodes", "db create-globals node-depth, name-length, subnode-length"),
    ("Engine", "cache, commit, journal-mode, set, write-back"),
    ("Layout", "compare-layout, db rounds, db within, keep-layout"),
    (
        "Limits and needs",
        "cached, catalog, contract, controller-cache, headroom, instance, limit, memory, need, volume",
    ),
    ("Tracing", "role, trace-blocks"),
    ("Alerts", "alert, on-alert, until-alert"),
    ("Safety", "destroy, hang, max-written, plan, share, yes"),
    (
        "Output",
        "csv, force, format, full, html, json, junit, lang, one-line, output, plain, prometheus, quiet, store, \
         watch listen",
    ),
];

/// Headings by the names in [`HEADINGS`]: every start of the program looks up every option.
static HEADING_BY_OPTION: LazyLock<HashMap<&str, &str>> = LazyLock::new(|| {
    let rows = HEADINGS.iter().map(|(heading, options)| options.split(", ").map(|option| (option, *heading)));
    rows.flatten().collect()
});

/// Commands with too few options for groups, or with options that fit no group.
const WITHOUT_GROUPS: &[&str] = &["db export", "db history", "db setup", "limits import", "manual"];

/// Returns a command with its options under their headings.
pub fn with_headings(command: Command, path: &str) -> Command {
    command.mut_args(|arg| {
        let heading = arg.get_long().and_then(|long| heading_of(path, long));
        arg.help_heading(heading)
    })
}

fn heading_of(path: &str, long: &str) -> Option<&'static str> {
    if WITHOUT_GROUPS.contains(&path) && long != "lang" {
        return None;
    }
    let named = |name: &str| HEADING_BY_OPTION.get(name).copied();
    let parent = path.split(' ').next().unwrap_or_default();
    [path, parent].into_iter().find_map(|command| named(&format!("{command} {long}"))).or_else(|| named(long))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::map_commands;

    #[test]
    fn every_name_in_the_table_is_an_option() {
        let known = std::cell::RefCell::new(Vec::new());
        map_commands(crate::command(), "", &|command, path| {
            for long in command.get_arguments().filter_map(clap::Arg::get_long) {
                let parent = path.split(' ').next().unwrap_or_default();
                known.borrow_mut().extend([long.to_owned(), format!("{path} {long}"), format!("{parent} {long}")]);
            }
            command
        });
        for name in HEADINGS.iter().flat_map(|(_, options)| options.split(", ")) {
            assert!(known.borrow().iter().any(|k| k == name), "no option `{name}`");
        }
    }

    #[test]
    fn options_without_a_group_are_few() {
        map_commands(crate::command(), "", &|command, path| {
            let loose = command.get_arguments().filter(|a| a.get_long().is_some() && a.get_help_heading().is_none());
            let loose = loose.count();
            assert!(loose <= 12, "`{path}` has {loose} options without a heading");
            command
        });
    }
}
