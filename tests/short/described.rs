//! Shell completions, manual pages, and the long form of the version.

use crate::support::{Ended, Sandbox, Secchi, beside, names_in, print_of, skip, tool};
use std::path::Path;
use std::process::Command;

fn run(sandbox: &Sandbox, words: &str) -> Ended {
    let mut secchi = Secchi::new(&sandbox.path("home"));
    secchi.words(words).run()
}

/// Returns the output of a command that only prints.
fn printed(sandbox: &Sandbox, words: &str) -> String {
    let ended = run(sandbox, words);
    assert_eq!((ended.code, ended.stderr.as_str()), (0, ""), "{words}");
    ended.stdout
}

/// Returns `true` if a program can be started on this machine.
fn there(program: &str) -> bool {
    Command::new(program).arg("--version").output().is_ok()
}

/// Writes the script for a shell to a file.
fn script(sandbox: &Sandbox, shell: &str) -> std::path::PathBuf {
    let script = printed(sandbox, &format!("completions {shell}"));
    assert!(!script.contains("db-session"), "{shell}: a command of ours alone is completed");
    let path = sandbox.path(&format!("secchi.{shell}"));
    std::fs::write(&path, script).expect("the sandbox takes it");
    path
}

fn accepted(sandbox: &Sandbox, shell: &str) {
    let script = script(sandbox, shell);
    let said = tool(shell, &["-n".as_ref(), script.as_ref()]);
    assert_eq!(said, Ok(String::new()), "{shell} -n");
}

#[test]
fn bash_takes_the_script_and_completes_with_it() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    let home = sandbox.path("home");
    for words in ["fio --name=j --ioengine=null --size=1m", "runs tag last nightly"] {
        let ended = Secchi::new(&home).words(words).run();
        assert_eq!(ended.code, 0, "{words}: {}", ended.stderr);
    }
    let shown = Secchi::new(&home).arg("show").run();
    assert!(shown.code == 0 && shown.stdout.contains("nightly"), "{}", shown.stderr);
    accepted(&sandbox, "bash");
    let program = Path::new(env!("CARGO_BIN_EXE_secchi")).parent().expect("its directory");
    // As bash calls the function: the words of the line and the index of the word to complete.
    let completed = |line: &str| {
        let words: Vec<&str> = line.split(' ').collect();
        let last = words.len() - 1;
        let ask = format!(
            "unset XDG_DATA_HOME; export HOME={} PATH={}:$PATH; . {}; COMP_WORDS=({line}); COMP_CWORD={last}; \
             _clap_complete_secchi secchi '{}' '{}'; echo \"${{COMPREPLY[@]}}\"",
            home.display(),
            program.display(),
            sandbox.path("secchi.bash").display(),
            words[last],
            words[last - 1]
        );
        tool("bash", &["--norc".as_ref(), "-c".as_ref(), ask.as_ref()]).expect("bash answers")
    };
    assert_eq!(completed("secchi qual"), "qualify");
    assert_eq!(completed("secchi db ranr"), "ranread");
    assert_eq!(completed("secchi qualify --max-d"), "--max-depth");
    assert_eq!(completed("secchi qualify --effort st"), "standard");
    assert_eq!(completed("secchi fio --rw randr"), "randread randrw");
    assert_eq!(completed("secchi show la"), "last");
    assert_eq!(completed("secchi report nig"), "nightly");
    assert_eq!(completed("secchi qualify . --volume gp"), "gp2 gp3");
    assert_eq!(completed("secchi qualify . --instance aws/m6i.x"), "aws/m6i.xlarge");
    assert_eq!(completed("secchi db-s"), "", "that one is nobody's to type");
}

fn accepted_where_installed(shell: &str) {
    let _beside = beside();
    if !there(shell) {
        skip!("no {shell} here");
    }
    accepted(&Sandbox::new(), shell);
}

#[test]
fn zsh_takes_the_script() {
    accepted_where_installed("zsh");
}

#[test]
fn fish_takes_the_script() {
    accepted_where_installed("fish");
}

#[test]
fn other_shells_get_a_script_and_a_mistake_names_those_there_are() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    for shell in ["elvish", "powershell"] {
        script(&sandbox, shell);
    }
    run(&sandbox, "completions").refuses(64, "bash|elvish|fish|powershell|zsh");
    run(&sandbox, "completions tcsh").refuses(64, "bash, elvish, fish, powershell, zsh");
}

/// Returns the messages of a checker of manual pages; empty if it finds no error.
fn lint(pages: &Path, program: &str, options: &[&str]) -> String {
    let ended = Command::new(program)
        .args(options)
        .args(names_in(pages))
        .current_dir(pages)
        .env("LC_ALL", "C.UTF-8")
        .output()
        .expect("it was there");
    String::from_utf8_lossy(&[ended.stdout, ended.stderr].concat()).into_owned()
}

fn pages(sandbox: &Sandbox) -> std::path::PathBuf {
    let dir = sandbox.path("man1");
    std::fs::create_dir(&dir).expect("a directory");
    let ended = run(sandbox, &format!("manual --dir {}", dir.display()));
    assert_eq!((ended.code, ended.stdout.as_str()), (0, ""), "{}", ended.stderr);
    assert!(ended.stderr.contains("manual pages to"), "{}", ended.stderr);
    dir
}

#[test]
fn every_command_has_a_page_that_is_printed_and_written_the_same() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    let dir = pages(&sandbox);
    let names = names_in(&dir);
    assert!(names.len() > 40 && names.iter().all(|n| n.starts_with("secchi") && n.ends_with(".1")), "{names:?}");
    for words in ["", "qualify", "fio", "ping", "db ranread"] {
        let file = dir.join(format!("secchi {words}").trim().replace(' ', "-") + ".1");
        let written = std::fs::read_to_string(&file).expect("its page");
        assert_eq!(printed(&sandbox, &format!("manual {words}")), written, "{words}");
        for heading in ["NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "\"EXIT STATUS\"", "EXAMPLES"] {
            let bare = heading.trim_matches('"');
            let has = |h: &str| written.contains(&format!("\n.SH {h}\n"));
            assert!(has(heading) || has(bare), "{words}: {heading}");
        }
    }
    run(&sandbox, "manual db ranraed").refuses(64, "did you mean `ranread`?");
    run(&sandbox, "manual db-session").refuses(64, "no manual page");
}

#[test]
fn pages_replace_earlier_pages_and_nothing_else() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    let dir = pages(&sandbox);
    let again = run(&sandbox, &format!("manual --dir {}", dir.display()));
    assert_eq!(again.code, 0, "{}", again.stderr);
    // Another file with that name is kept, and so is every other page.
    let foreign = dir.join("secchi-qualify.1");
    std::fs::write(&foreign, ".TH MINE 1\n").expect("it is writable");
    std::fs::remove_file(dir.join("secchi.1")).expect("it is there");
    let before = print_of(&foreign);
    run(&sandbox, &format!("manual --dir {}", dir.display())).refuses(3, "secchi-qualify.1");
    assert_eq!(print_of(&foreign), before);
    assert!(!dir.join("secchi.1").exists(), "all or none");
    let forced = run(&sandbox, &format!("manual --force --dir {}", dir.display()));
    assert_eq!(forced.code, 0, "{}", forced.stderr);
    // The directory must exist and must not be a file.
    let none = sandbox.path("none");
    run(&sandbox, &format!("manual --dir {}", none.display())).refuses(64, "no such directory");
    assert!(!none.exists());
    run(&sandbox, &format!("manual --dir {}", foreign.display())).refuses(64, "it is not a directory");
}

#[test]
fn formatters_of_manuals_find_nothing_wrong() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    let dir = pages(&sandbox);
    if there("groff") {
        assert_eq!(lint(&dir, "groff", &["-man", "-Kutf8", "-Tutf8", "-ww", "-z"]), "");
    } else {
        testkit::skipped("no groff here");
    }
    if there("mandoc") {
        // Pages have no date, so that they are reproducible; the lines of examples are not wrapped.
        let output = lint(&dir, "mandoc", &["-Tlint", "-Wwarning"]);
        let wrong: Vec<&str> = output.lines().filter(|line| !line.contains("missing date")).collect();
        assert!(wrong.is_empty(), "{wrong:#?}");
    } else {
        testkit::skipped("no mandoc here");
    }
}

#[test]
fn the_long_version_tells_features_and_what_works_here() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    let line = printed(&sandbox, "--version");
    for words in ["--version --verbose", "-V --verbose", "--verbose --version"] {
        let text = printed(&sandbox, words);
        assert!(text.starts_with(&line), "{words}: {text}");
        for needle in ["features: ", "kernel: ", "engines: ", "databases: ", "  psync ", "  rbd ", "  sqlite "] {
            assert!(text.contains(needle), "{words}: `{needle}` is not in:\n{text}");
        }
        // Blocking calls work on every machine, and SQLite is built in.
        assert!(text.lines().any(|l| l.trim_start().starts_with("psync ") && l.ends_with(" usable")), "{text}");
        assert!(text.lines().any(|l| l.trim_start().starts_with("sqlite ") && l.contains("usable: SQLite")), "{text}");
    }
    let document: serde_json::Value =
        serde_json::from_str(&printed(&sandbox, "--version --verbose --json")).expect("one JSON document");
    assert_eq!(document["version"], env!("CARGO_PKG_VERSION"));
    let engines = document["engines"].as_array().expect("a list");
    let names: Vec<_> = engines.iter().filter_map(|e| e["name"].as_str()).collect();
    let expected: Vec<_> = load::engines::ENGINES.iter().map(|e| e.spec.name).collect();
    assert_eq!(names, expected);
    for engine in engines {
        assert_eq!(engine["usable"].as_bool(), Some(engine["why_not"].is_null()), "{engine}");
    }
    assert_eq!(document["features"]["html"].as_bool(), Some(cfg!(feature = "html")));
    run(&sandbox, "--json show last").refuses(64, "--verbose");
}
