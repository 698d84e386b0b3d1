//! Tests of the option table, alone and against the installed fio: no duplicates, no gaps, and complete help.

mod support;

use std::collections::HashSet;
use std::process::Command;
use testkit::skipped as skip;

fn all() -> Vec<job::OptionSpec> {
    job::all(support::engines(), &[]).collect()
}

#[test]
fn every_name_stands_for_one_option() {
    let mut seen = HashSet::new();
    for spec in all() {
        for name in std::iter::once(&spec.name).chain(spec.aliases) {
            assert!(seen.insert(*name), "`{name}` is in the table twice");
        }
    }
}

fn is_reason(name: &str, why: &str) {
    assert!(!why.is_empty() && !why.ends_with('.'), "{name}: {why}");
}

#[test]
fn every_option_is_explained_in_a_sentence_that_ends() {
    for spec in all() {
        assert!(spec.help.ends_with('.'), "{}: {}", spec.name, spec.help);
        match spec.support {
            job::Support::Done => {
                let nowhere = matches!(spec.setter, job::Setter::Nowhere);
                // `name` is handled by the reader. The others accept only one word, which is the default.
                let one_word = spec.kind.accepted_words().len() == 1;
                assert!(!nowhere || one_word || spec.name == "name", "{} is done, but goes nowhere", spec.name);
            }
            job::Support::Noted(id) => is_reason(spec.name, messages::fixed(messages::Language::English, id)),
            job::Support::Refused(why) => is_reason(spec.name, why),
        }
    }
}

#[test]
fn every_default_is_a_value_its_option_takes() {
    for spec in all().into_iter().filter(|s| !s.default.is_empty() && !s.command) {
        if matches!(spec.setter, job::Setter::Nowhere) {
            continue;
        }
        let text = format!("[j]\nsize=1m\n{}={}\n", spec.name, spec.default);
        let needs_more = ["time_based", "steadystate"].contains(&spec.name);
        if let Err(error) = job::parse_text("default", text.as_bytes(), &world::NoWorld) {
            assert!(needs_more, "{}={}: {error}", spec.name, spec.default);
        }
    }
}

#[test]
fn refusals_name_the_option_and_the_reason() {
    for spec in all() {
        if let job::Support::Refused(reason) = spec.support {
            let args = ["--name=j".to_owned(), format!("--{}=1", spec.name)];
            let error = job::parse_arguments(&args, &[], &world::NoWorld).unwrap_err().to_string();
            assert!(error.contains(spec.name) && error.contains(reason), "{error}");
        }
    }
}

/// Returns the lines that fio prints for an argument, or `None` if fio is not installed.
fn fio(argument: &str) -> Option<Vec<String>> {
    let output = Command::new("fio").arg(argument).output().ok()?;
    Some(String::from_utf8_lossy(&output.stdout).lines().map(str::to_owned).collect())
}

#[test]
fn every_option_of_the_installed_fio_is_known() {
    let Some(lines) = fio("--cmdhelp=all") else { return skip("fio is not installed") };
    let ours: HashSet<&str> =
        all().iter().flat_map(|s| std::iter::once(s.name).chain(s.aliases.iter().copied())).collect();
    let unknown = |line: &str| {
        // The continuation lines of a long help text have no colon after the first column.
        let Some((name, _)) = line.split_once(':') else { return Vec::new() };
        let name = name.trim();
        let help = fio(&format!("--cmdhelp={name}")).unwrap_or_default();
        let aliases = help.iter().filter_map(|line| line.trim().strip_prefix("alias: "));
        let names = aliases.chain((!name.contains(' ')).then_some(name));
        names.filter(|name| !ours.contains(name)).map(str::to_owned).collect()
    };
    let missing: Vec<String> = std::thread::scope(|scope| {
        let parts = lines.chunks(lines.len().div_ceil(4).max(1));
        let parts: Vec<_> = parts.map(|part| scope.spawn(|| part.iter().flat_map(|l| unknown(l)).collect())).collect();
        parts.into_iter().flat_map(|part| -> Vec<String> { part.join().expect("fio answers") }).collect()
    });
    assert!(lines.len() > 150, "fio lists its options");
    assert!(missing.is_empty(), "not in our table: {missing:?}");
}

#[test]
fn every_engine_option_of_the_installed_fio_is_known() {
    let Some(engines) = fio("--enghelp") else { return skip("fio is not installed") };
    let ours: HashSet<&str> =
        all().iter().flat_map(|s| std::iter::once(s.name).chain(s.aliases.iter().copied())).collect();
    for engine in engines.iter().filter_map(|l| l.strip_prefix('\t')) {
        for line in fio(&format!("--enghelp={engine}")).unwrap_or_default() {
            let Some((name, _)) = line.split_once(':') else { continue };
            let name = name.trim();
            if !name.contains(' ') {
                assert!(ours.contains(name), "option {name} of engine {engine} is not in our table");
            }
        }
        // The job sets every option that an engine requires, so only the engine itself can be refused.
        let text = format!("[j]\nsize=1m\ncpuload=1\nprogram=true\nioengine={engine}\n");
        if let Err(error) = job::parse_text("e", text.as_bytes(), &world::NoWorld) {
            assert!(error.what.contains("known, but not supported"), "{engine}: {error}");
        }
    }
}

#[test]
fn every_command_line_option_of_the_installed_fio_is_known() {
    let Some(lines) = fio("--help") else { return skip("fio is not installed") };
    for line in lines {
        let Some(rest) = line.trim().strip_prefix("--") else { continue };
        let name = rest.split(['=', ' ', '\t']).next().unwrap_or(rest);
        assert!(all().iter().any(|s| s.is_called(name)), "--{name} is not in our table");
    }
}

mod world {
    //! Lookup without files.

    pub struct NoWorld;

    impl job::Lookup for NoWorld {
        fn read(&self, _: &std::path::Path, _: Option<&str>) -> Result<Vec<u8>, job::LookupError> {
            Err("no such file".into())
        }

        fn variable(&self, _: &str) -> Option<String> {
            None
        }

        fn engines(&self) -> &job::Engines {
            crate::support::engines()
        }

        fn machine(&self) -> job::Machine {
            job::Machine { cpus: 2, page_size: 4096, memory_mb: 16_384 }
        }
    }
}
