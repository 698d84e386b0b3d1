//! `secchi completions SHELL`: prints a script that makes a shell call secchi for completions, and answers these calls.
//!
//! The answers depend on the machine: stored runs, tags, and names of the catalogue.

use super::reference;
use analysis::catalog::Catalog;
use anyhow::Result;
use clap::Arg;
use clap_complete::CompleteEnv;
use clap_complete::engine::{ArgValueCompleter, CompletionCandidate, PathCompleter, ValueCompleter};
use clap_complete::env::Shells;
use cli::Completions;
use report::harmless;
use session::environment::store_dir;
use session::exit::{self, Code, coded};
use session::{console, run_store};
use std::ffi::OsStr;

/// Name of the variable that the script sets to request completions; its value is the shell.
const REQUEST: &str = "SECCHI_COMPLETE";
/// Maximum number of runs that are offered, newest first.
const MOST_RUNS: usize = 50;

pub fn run(options: &Completions) -> Result<Code> {
    let script = script(&options.shell.to_string())?;
    console::print(|_, out| out.write_all(&script))?;
    Ok(exit::OK)
}

fn script(shell: &str) -> Result<Vec<u8>> {
    let shells = Shells::builtins();
    let known = shells.completer(shell).ok_or_else(|| coded(exit::BAD_INPUT, format!("no completions for {shell}")))?;
    let mut script = Vec::new();
    known.write_registration(REQUEST, "secchi", "secchi", "secchi", &mut script)?;
    if shell == "zsh" {
        // The first use loads this file as the function `_secchi`, which must complete as well.
        script.extend_from_slice(b"[[ $funcstack[1] = _secchi ]] && _clap_dynamic_completer_secchi \"$@\"\n");
    }
    Ok(script)
}

/// Answers a shell that requests completions. Returns `None` if this process was not started by its script.
pub fn answer() -> Option<Code> {
    std::env::var_os(REQUEST)?;
    let directory = std::env::current_dir().ok();
    let command = || with_values(reference::command());
    let answer = CompleteEnv::with_factory(command).var(REQUEST).bin("secchi").completer("secchi");
    match answer.try_complete(std::env::args_os(), directory.as_deref()) {
        Ok(true) => Some(exit::OK),
        Ok(false) => None,
        Err(error) => {
            console::refuse(exit::BAD_INPUT, error.to_string().trim());
            Some(exit::BAD_INPUT)
        }
    }
}

/// Adds the values that only this machine knows to the arguments of all commands.
fn with_values(command: clap::Command) -> clap::Command {
    let command = command.mut_args(|argument| match values_of(&argument) {
        Some(values) => argument.add(values),
        None => argument,
    });
    command.mut_subcommands(with_values)
}

fn values_of(argument: &Arg) -> Option<ArgValueCompleter> {
    let names: Vec<&str> = argument.get_value_names()?.iter().flat_map(|name| name.split('|')).collect();
    let has = |name: &str| names.contains(&name);
    // `judge FILE|RUN` and `compare A B` also take files.
    let with_files = |current: &OsStr| joined(runs(current), PathCompleter::any().complete(current));
    if has("FILE") && has("RUN") || has("A") || has("B") {
        Some(ArgValueCompleter::new(with_files))
    } else if has("RUN") || has("WORD") {
        Some(ArgValueCompleter::new(runs))
    } else if has("VOLUME") {
        Some(ArgValueCompleter::new(volumes))
    } else if has("INSTANCE") {
        Some(ArgValueCompleter::new(instances))
    } else if has("TYPE") {
        Some(ArgValueCompleter::new(|current: &OsStr| joined(volumes(current), instances(current))))
    } else {
        None
    }
}

fn joined(first: Vec<CompletionCandidate>, second: Vec<CompletionCandidate>) -> Vec<CompletionCandidate> {
    first.into_iter().chain(second).collect()
}

/// Returns the newest runs of the default store and the tags that name a run, without any message if there is no store.
fn runs(current: &OsStr) -> Vec<CompletionCandidate> {
    let Ok(Some(store)) = run_store::open_existing(store_dir(None).as_ref()) else { return Vec::new() };
    let Ok(listing) = store.list() else { return Vec::new() };
    let newest = || listing.runs.iter().take(MOST_RUNS);
    let about = |run: &store::RunSummary| harmless(&format!("{} {} {}", run.started, run.command, run.target));
    let last = newest().take(10).enumerate().map(|(n, run)| match n {
        0 => ("last".to_owned(), about(run)),
        n => (format!("last-{n}"), about(run)),
    });
    let tags = newest().flat_map(|run| run.labels.tags.iter().map(move |tag| (tag.clone(), about(run))));
    let ids = newest().map(|run| (run.id.chars().take(8).collect(), about(run)));
    let named = last.chain(tags).chain(ids).filter(|(name, _)| begins(name, current));
    named.map(|(name, about)| CompletionCandidate::new(name).help(Some(about.into()))).collect()
}

fn volumes(current: &OsStr) -> Vec<CompletionCandidate> {
    let rows = Catalog::shipped().volumes.iter();
    named(current, rows.map(|row| (row.provider.as_str(), row.kind.as_str(), row.title.as_str())))
}

fn instances(current: &OsStr) -> Vec<CompletionCandidate> {
    let rows = Catalog::shipped().instances.iter();
    named(current, rows.map(|row| (row.provider.as_str(), row.kind.as_str(), row.title.as_str())))
}

/// Returns the rows of the catalogue that begin with the typed text: with their provider once it contains a `/`.
fn named<'a>(current: &OsStr, rows: impl Iterator<Item = (&'a str, &'a str, &'a str)>) -> Vec<CompletionCandidate> {
    let whole = current.to_string_lossy().contains('/');
    // Names with a `*` are patterns.
    let rows = rows.filter(|(_, kind, _)| !kind.contains(['*', ' ']));
    let names = rows.map(|(provider, kind, title)| {
        let name = if whole { format!("{provider}/{kind}") } else { kind.to_owned() };
        (name, format!("{provider}: {title}"))
    });
    let names = names.filter(|(name, _)| begins(name, current));
    names.map(|(name, about)| CompletionCandidate::new(name).help(Some(about.into()))).collect()
}

fn begins(name: &str, typed: &OsStr) -> bool {
    name.as_bytes().starts_with(typed.as_encoded_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::ValueEnum;

    #[test]
    fn every_shell_has_a_script_that_calls_secchi() {
        for shell in clap_complete::Shell::value_variants() {
            let script = String::from_utf8(script(&shell.to_string()).expect("a known shell")).expect("text");
            assert!(script.contains(REQUEST) && script.contains("secchi"), "{shell}: {script}");
        }
        assert!(script("csh").is_err());
    }

    #[test]
    fn values_of_this_machine_are_offered_where_they_can_be_typed() {
        let mut command = with_values(reference::command());
        let mut complete = |line: &str| -> Vec<String> {
            let words: Vec<std::ffi::OsString> = line.split(' ').map(Into::into).collect();
            let last = words.len() - 1;
            let answers = clap_complete::engine::complete(&mut command, words, last, None).expect("an answer");
            answers.iter().map(|a| a.get_value().to_string_lossy().into_owned()).collect()
        };
        assert_eq!(complete("secchi qual"), ["qualify"]);
        assert!(complete("secchi qualify . --max-d").contains(&"--max-depth".to_owned()));
        assert_eq!(complete("secchi limits explain --volume gp"), ["gp2", "gp3"]);
        assert!(complete("secchi qualify . --instance aws/m6i.").contains(&"aws/m6i.xlarge".to_owned()));
        assert!(complete("secchi ").contains(&"show".to_owned()));
        assert!(!complete("secchi ").iter().any(|word| word == db::SERVE_COMMAND));
    }

    #[test]
    fn every_argument_that_takes_a_run_a_volume_or_an_instance_has_completions() {
        fn missing(command: &clap::Command, path: &str, left_out: &mut Vec<String>) {
            for argument in command.get_arguments().filter(|a| values_of(a).is_none()) {
                let help = argument.get_help().map(ToString::to_string).unwrap_or_default();
                if help.contains("`last`") {
                    left_out.push(format!("{path} {}", argument.get_id()));
                }
            }
            command.get_subcommands().for_each(|c| missing(c, &format!("{path} {}", c.get_name()), left_out));
        }
        let mut left_out = Vec::new();
        missing(&reference::command(), "secchi", &mut left_out);
        assert_eq!(left_out, [""; 0]);
    }
}
