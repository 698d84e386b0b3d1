//! Checks the structure of the repository: which crates import each other, where unsafe code and platform conditions
//! are allowed, and that every cited page and section exists.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::{Path, PathBuf};

/// Allowed dependencies between our crates, development dependencies included, as in ARCHITECTURE.md, section "Crates".
const ARROWS: &[(&str, &[&str])] = &[
    ("model", &[]),
    // Knows nothing about the data that it embeds; build scripts use it too.
    ("embed", &[]),
    // Defines messages, independent of their subject.
    ("messages", &["model", "embed"]),
    ("sys", &[]),
    // Only numbers, but one of its results is a sentence.
    ("statistics", &["model", "messages"]),
    // Its tests pass in the engines of `load`.
    ("job", &["model", "messages", "load"]),
    ("load", &["model", "sys"]),
    ("monitor", &["model", "messages", "sys"]),
    ("recording", &["model", "messages"]),
    ("script", &["model", "messages"]),
    // `sys` locks, reserves and renames its files on every system.
    ("store", &["model", "messages", "sys"]),
    // A test parses the output of its scripts.
    ("db", &["model", "embed", "sys", "load", "import"]),
    // Its rules are tested on published results, read by the importers.
    ("analysis", &["model", "messages", "embed", "statistics", "import"]),
    ("import", &["model", "messages"]),
    ("report", &["model", "messages", "embed", "analysis"]),
    ("run", &["model", "messages", "sys", "load", "monitor", "analysis"]),
    // Knows nothing about runs: the binary passes in the responses.
    ("serve", &[]),
    ("durable", &["model", "messages", "sys"]),
    // A command in its process; it prints through the console that the binary installs.
    (
        "session",
        &[
            "model",
            "messages",
            "sys",
            "load",
            "db",
            "monitor",
            "recording",
            "store",
            "analysis",
            "import",
            "report",
            "run",
        ],
    ),
    ("cli", &["model", "messages", "db", "durable", "analysis", "report", "run", "session"]),
    (
        "dbrun",
        &[
            "model", "messages", "sys", "load", "db", "monitor", "script", "store", "analysis", "import", "report",
            "run", "session", "cli",
        ],
    ),
    (
        "fio",
        &[
            "model", "messages", "sys", "job", "load", "monitor", "analysis", "import", "report", "run", "session",
            "cli",
        ],
    ),
    ("ioping", &["model", "messages", "sys", "load", "analysis", "report", "run", "session", "cli"]),
    (
        "secchi",
        &[
            "model",
            "messages",
            "sys",
            "load",
            "monitor",
            "recording",
            "script",
            "store",
            "analysis",
            "report",
            "run",
            "job",
            "import",
            "db",
            "serve",
            "durable",
            "session",
            "cli",
            "dbrun",
            "fio",
            "ioping",
        ],
    ),
    // Shared by tests; nothing that is shipped depends on it.
    ("testkit", &[]),
    // The benchmark drives the data plane in the same way as the binary.
    ("bench", &["model", "sys", "load", "run"]),
];

/// Heavy external dependencies and the crates that may use them.
const GUESTS: &[(&str, &[&str])] = &[
    ("rusqlite", &["store", "db"]),
    ("postgres", &["db"]),
    ("tokio-postgres", &["store"]),
    ("io-uring", &["sys"]),
    ("libc", &["sys"]),
    // Tests call the system directly.
    ("rustix", &["sys", "testkit", "secchi"]),
    ("signal-hook", &["sys"]),
    ("windows-sys", &["sys"]),
    ("clap", &["secchi", "cli", "dbrun", "fio", "ioping"]),
    ("anyhow", &["secchi", "session", "cli", "dbrun", "fio", "ioping", "bench"]),
    // Libraries emit events with `tracing`; only the binary decides where they go.
    ("tracing-subscriber", &["secchi"]),
    ("schemars", &["model", "report", "store", "durable"]),
    ("indicatif", &["secchi"]),
    ("ratatui", &["report", "secchi"]),
    ("fluent-bundle", &["messages"]),
    ("tiny-skia", &["report"]),
    ("hyper", &["serve"]),
    // Queries to a server need timeouts.
    ("tokio", &["serve", "store"]),
    // Objects over HTTPS.
    ("rustls", &["store", "load"]),
    ("tokio-rustls", &["serve"]),
    // The tests use it for a file system that does not keep its promises.
    ("fuser", &["durable", "secchi"]),
];

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn metadata() -> cargo_metadata::Metadata {
    cargo_metadata::MetadataCommand::new()
        .manifest_path(root().join("Cargo.toml"))
        .no_deps()
        .other_options(vec!["--offline".to_owned()])
        .exec()
        .expect("cargo metadata of this workspace")
}

/// Returns the direct dependencies of each of our crates. Our crates have the name of their directory here, without the
/// prefix under which they are published.
fn dependencies() -> BTreeMap<String, BTreeSet<String>> {
    let short = |name: &str| name.strip_prefix("secchi-").unwrap_or(name).to_owned();
    metadata()
        .packages
        .iter()
        .map(|p| {
            // Tests of every crate may use testkit; shipped code may not.
            let shared = |d: &&cargo_metadata::Dependency| {
                let for_tests = d.kind == cargo_metadata::DependencyKind::Development;
                // A crate may depend on itself to share helpers between its integration tests and its unit tests.
                for_tests && (d.name == "secchi-testkit" || d.name == *p.name)
            };
            (short(&p.name), p.dependencies.iter().filter(|d| !shared(d)).map(|d| short(&d.name)).collect())
        })
        .collect()
}

/// Returns the files of the repository with one of these extensions.
fn files(ends: &[&str]) -> Vec<PathBuf> {
    testkit::files_below(&root(), ends)
}

/// Returns the Rust files of our crates, including tests and examples.
fn sources() -> Vec<PathBuf> {
    let out = files(&["rs"]);
    assert!(out.len() > 50, "the sources were not found");
    out
}

#[test]
fn no_arrow_runs_where_the_picture_has_none() {
    let dependencies = dependencies();
    let ours: BTreeSet<&str> = ARROWS.iter().map(|(name, _)| *name).collect();
    for (name, imports) in &dependencies {
        let (_, allowed) = ARROWS
            .iter()
            .find(|(n, _)| n == name)
            .unwrap_or_else(|| panic!("crate `{name}` is not in the picture: add it to ARCHITECTURE.md and here"));
        for import in imports.iter().filter(|i| ours.contains(i.as_str())) {
            assert!(
                allowed.contains(&import.as_str()),
                "`{name}` imports `{import}`, which the picture does not allow"
            );
        }
    }
}

#[test]
fn heavy_guests_live_in_one_room() {
    for (name, imports) in dependencies() {
        for (guest, hosts) in GUESTS {
            assert!(
                !imports.contains(*guest) || hosts.contains(&name.as_str()),
                "`{name}` imports `{guest}`: {hosts:?} may"
            );
        }
    }
}

#[test]
fn unsafe_code_stands_only_in_sys() {
    let inside = root().join("sys");
    let word = ["uns", "afe"].concat();
    for file in sources().iter().filter(|f| !f.starts_with(&inside)) {
        let text = std::fs::read_to_string(file).expect("a source file");
        for (n, line) in text.lines().enumerate() {
            let code = line.split("//").next().unwrap_or_default();
            let is_unsafe = code.contains(&format!("{word} {{")) || code.contains(&format!("{word} fn"));
            assert!(!is_unsafe, "{}:{}: {line}", file.display(), n + 1);
        }
    }
}

/// Files outside `sys` that contain code for one system, each with the reason.
const OF_ONE_SYSTEM: &[(&str, &str)] = &[
    ("model/src/path_bytes/bytes.rs", "what a name is made of; model stands on nothing"),
    ("model/src/path_bytes/wide.rs", "what a name is made of; model stands on nothing"),
    ("monitor/src/trace/calls/descriptor_tests.rs", "it looks at a descriptor of its own by number"),
    ("testkit/src/cgroup.rs", "control groups of tests; testkit stands on nothing"),
    ("testkit/src/postgres.rs", "servers of tests; testkit stands on nothing"),
    ("testkit/src/system/unix.rs", "links and groups of tests; testkit stands on nothing"),
    ("testkit/src/system/windows.rs", "links of tests; testkit stands on nothing"),
];

/// Returns the sources of shipped code and of testkit. Tests are excluded: they drive the program as it runs on Linux.
fn shipped() -> Vec<PathBuf> {
    let root = root();
    let is_test = |path: &Path| {
        let inside = path.strip_prefix(&root).expect("a file of the repository");
        inside.components().any(|part| ["tests", "fuzz"].iter().any(|dir| part.as_os_str() == *dir))
    };
    sources().into_iter().filter(|path| !path.starts_with(root.join("sys")) && !is_test(path)).collect()
}

/// Returns `true` if a line contains a `cfg` condition on the system, in any combination with other conditions.
fn asks_for_a_system(line: &str) -> bool {
    let asked = |rest: &str| {
        let end = rest.find('"').unwrap_or(rest.len());
        let named = |word: &str| ["unix", "windows", "target_os", "target_family", "target_vendor"].contains(&word);
        rest[..end].split(|c: char| !c.is_alphanumeric() && c != '_').any(named)
    };
    ["cfg(", "cfg_attr(", "cfg!("].iter().any(|word| line.split(word).skip(1).any(asked))
}

#[test]
fn conditions_on_systems_are_found_in_every_form() {
    for line in [
        "#[cfg(unix)]",
        "#[cfg(not(windows))]",
        "#[cfg(all(test, target_os = \"linux\"))]",
        "#[cfg_attr(target_os = \"macos\", path = \"a.rs\")]",
        "if cfg!(not(unix)) {",
        "#[cfg(target_vendor = \"apple\")]",
    ] {
        assert!(asks_for_a_system(line), "{line}");
    }
    for line in ["#[cfg(test)]", "#[cfg(feature = \"unix\")]", "mod windows;", "cfg!(debug_assertions)"] {
        assert!(!asks_for_a_system(line), "{line}");
    }
}

/// Files outside `sys` that have a condition on `unix` (Linux and macOS): each of them means the same on both systems.
const ON_UNIX: &[(&str, &str)] = &[
    ("model/src/path_bytes.rs", "names are any bytes"),
    ("testkit/src/lib.rs", "what needs Linux is skipped aloud where it is not"),
    ("testkit/src/system.rs", "links, users and groups of processes"),
];

#[test]
fn what_linux_alone_has_is_not_asked_for_as_unix() {
    let root = root();
    let asks = |text: &str| {
        let word = |line: &str| line.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == "unix");
        text.lines().any(|line| asks_for_a_system(line) && word(line))
    };
    let mut files = BTreeSet::new();
    for file in sources().into_iter().filter(|file| !file.ends_with("tests/architecture.rs")) {
        let inside = file.strip_prefix(&root).expect("a file of the repository").to_string_lossy().into_owned();
        // `sys` selects its implementations here.
        if inside != "sys/src/lib.rs" && asks(&std::fs::read_to_string(&file).expect("a source file")) {
            files.insert(inside);
        }
    }
    let allowed: BTreeSet<String> = ON_UNIX.iter().map(|(path, _)| (*path).to_owned()).collect();
    assert_eq!(files, allowed, "`unix` is macOS, too: target_os = \"linux\", or a reason in ON_UNIX");
}

/// Nothing is measured on macOS: its implementation returns errors that name the limit, and creates no queue.
#[test]
fn what_is_not_made_for_macos_is_refused_and_never_pretended() {
    let half = root().join("sys/src/macos");
    let files: Vec<PathBuf> = sources().into_iter().filter(|file| file.starts_with(&half)).collect();
    assert!(files.len() > 10, "the half of macOS was not found");
    for file in files {
        let text = std::fs::read_to_string(&file).expect("a source file");
        for word in ["todo!", "unimplemented!", "unreachable!", "panic!"] {
            assert!(!text.contains(word), "{}: {word}", file.display());
        }
        if file.ends_with("queues.rs") || file.ends_with("files/unmeasured.rs") {
            let made = text.lines().find(|line| line.contains("Ok(") && !line.contains("Ok(None)"));
            assert!(made.is_none(), "{}: {made:?}", file.display());
        }
    }
}

#[test]
fn platforms_are_named_only_on_module_lines() {
    for file in shipped() {
        let text = std::fs::read_to_string(&file).expect("a source file");
        let lines: Vec<&str> = text.lines().collect();
        // testkit lists its re-exports next to its modules.
        let shown = if file.ends_with("testkit/src/lib.rs") { "pub use " } else { "mod " };
        for (n, line) in lines.iter().enumerate().filter(|(_, l)| asks_for_a_system(l)) {
            // Further attributes (`#[path]`) may come between them.
            let next = lines[n + 1..].iter().map(|l| l.trim_start()).find(|l| !l.starts_with("#["));
            let is_module = |l: &str| {
                let line = l.strip_prefix("pub").map_or(l, |l| l.trim_start_matches(|c| c != ' ').trim_start());
                line.starts_with("mod ") || l.starts_with(shown)
            };
            assert!(next.is_some_and(is_module), "{}:{}: {line}", file.display(), n + 1);
        }
    }
}

#[test]
fn only_sys_speaks_to_one_system() {
    let words = ["std::os::", "rustix", "libc::", "windows_sys"];
    let root = root();
    let mut files = BTreeSet::new();
    for file in shipped() {
        let text = std::fs::read_to_string(&file).expect("a source file");
        let name = file.strip_prefix(&root).expect("a file of the repository").to_string_lossy().into_owned();
        let Some(line) = text.lines().find(|line| words.iter().any(|word| line.contains(word))) else { continue };
        assert!(OF_ONE_SYSTEM.iter().any(|(path, _)| *path == name), "{name}: ask sys instead: {line}");
        files.insert(name);
    }
    let allowed: BTreeSet<String> = OF_ONE_SYSTEM.iter().map(|(path, _)| (*path).to_owned()).collect();
    assert_eq!(files, allowed, "what needs no leave any more is struck from the list");
}

/// On Windows, `std::fs::canonicalize` returns paths beginning with `\\?\`, which users do not write and should not
/// see.
#[test]
fn paths_are_resolved_by_sys() {
    let word = ["canonical", "ize("].concat();
    for file in shipped() {
        let text = std::fs::read_to_string(&file).expect("a source file");
        assert!(!text.contains(&word), "{}: sys::files::canonical", file.display());
    }
}

#[test]
fn sql_stands_only_in_store_and_with_the_engines_it_is_the_workload_of() {
    let engines = ["db/src/sqlite", "db/src/postgres", "db/tests/postgres.rs", "testkit/src/postgres.rs"]
        .map(|path| root().join(path));
    let inside = [vec![root().join("store")], engines.to_vec()].concat();
    for file in sources().iter().filter(|f| !inside.iter().any(|dir| f.starts_with(dir))) {
        let text = std::fs::read_to_string(file).expect("a source file");
        for verb in ["SELECT ", "INSERT INTO", "CREATE TABLE", "PRAGMA "] {
            let verb = verb.to_owned();
            let here = file.ends_with("tests/architecture.rs");
            assert!(here || !text.contains(&verb), "{}: {verb}", file.display());
        }
    }
}

/// Returns the production code of shipped sources: everything before a file's tests.
fn production() -> Vec<(PathBuf, String)> {
    let is_for_tests = |path: &Path| {
        let name = path.file_stem().and_then(|name| name.to_str()).unwrap_or_default();
        path.starts_with(root().join("testkit"))
            || ["tests", "testkit", "fixture", "scenarios"].iter().any(|word| name.ends_with(word))
    };
    let code = |path: PathBuf| {
        let text = std::fs::read_to_string(&path).expect("a source file");
        let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
        let lines = code.lines().filter(|line| !line.trim_start().starts_with("//"));
        (path, lines.collect::<Vec<_>>().join("\n"))
    };
    shipped().into_iter().filter(|path| !is_for_tests(path)).map(code).collect()
}

/// The kind of a run is `plan.kind`; the word of its command is for people.
#[test]
fn no_logic_depends_on_the_word_of_a_command() {
    for (path, code) in production() {
        for compared in [".command ==", ".command !=", ".command.as_str()"] {
            assert!(!code.contains(compared), "{}: {compared}", path.display());
        }
    }
}

/// `run/src/peers.rs` is the interface between the conductor and other processes.
#[test]
fn the_conductor_does_not_depend_on_ranks() {
    let conductor = |(path, _): &(PathBuf, String)| path.starts_with(root().join("run/src/conduct"));
    for (path, code) in production().into_iter().filter(conductor) {
        let words = code.split(|c: char| !c.is_alphanumeric() && c != '_');
        let named: Vec<&str> = words.filter(|word| ["ranks", "rank", "Leader", "Team"].contains(word)).collect();
        assert!(named.is_empty(), "{}: {named:?}", path.display());
    }
}

/// A command runs through a session, which knows whether there are other hosts.
#[test]
fn no_command_handles_the_processes_of_other_hosts() {
    let commands = ["src/commands", "dbrun/src", "fio/src", "ioping/src"].map(|folder| root().join(folder));
    let is_command = |path: &Path| commands.iter().any(|folder| path.starts_with(folder));
    for (path, code) in production().into_iter().filter(|(path, _)| is_command(path)) {
        for word in ["Ranks", "ranks::", "Team,", "Team>", "&mut Team", "follows("] {
            assert!(!code.contains(word), "{}: {word}", path.display());
        }
    }
}

/// Words of the kernel that sentences contain as well.
const OF_THE_KERNEL: [&str; 2] = ["write back", "write through"];

/// Returns the string literals that code compares with a text, or searches in it.
fn compared(code: &str) -> Vec<&str> {
    const BEFORE: [&str; 11] = [
        "contains(",
        "starts_with(",
        "ends_with(",
        "strip_prefix(",
        "strip_suffix(",
        "split_once(",
        "trim_start_matches(",
        "trim_end_matches(",
        "find(",
        "== ",
        "!= ",
    ];
    let after = BEFORE.into_iter().flat_map(|word| code.match_indices(word).map(|(at, _)| &code[at + word.len()..]));
    after.filter_map(|rest| rest.trim_start().trim_start_matches('&').strip_prefix('"')?.split('"').next()).collect()
}

/// Sentences may change with every revision of their language: code compares their identifier, or data.
#[test]
fn no_code_matches_a_sentence_of_the_catalogues() {
    let catalogues: String = std::fs::read_dir(root().join("messages/catalogues/en"))
        .expect("the catalogues")
        .map(|file| std::fs::read_to_string(file.expect("a file").path()).expect("a catalogue"))
        .collect();
    let is_phrase = |text: &str| text.split_whitespace().filter(|w| w.chars().any(char::is_alphabetic)).count() > 1;
    assert_eq!(compared("if x.starts_with(\"as requested\") || y == \"a b\" {}"), ["as requested", "a b"]);
    let mut matches = Vec::new();
    // Readers of other programs' output match the words of those programs.
    let of_others = ["import", "db"].map(|dir| root().join(dir));
    for (path, code) in production().iter().filter(|(path, _)| !of_others.iter().any(|dir| path.starts_with(dir))) {
        let phrases = compared(code).into_iter().map(str::trim).filter(|text| is_phrase(text));
        let ours = phrases.filter(|text| catalogues.contains(text) && !OF_THE_KERNEL.contains(text));
        matches.extend(ours.map(|text| format!("{}: {text:?}", path.display())));
    }
    assert!(matches.is_empty(), "code that matches sentences:\n{}", matches.join("\n"));
}

/// Returns the fields for people that code compares with a literal, each with the literal.
fn compared_fields(code: &str) -> Vec<(&str, &str)> {
    const FIELDS: [&str; 8] = [".label", ".title", ".statement", ".remedy", ".evidence", ".why", ".reason", ".warning"];
    const JOINTS: [&str; 7] =
        [" == ", " != ", ".starts_with(", ".ends_with(", ".contains(", ".strip_prefix(", ".strip_suffix("];
    let literal = |rest: &'_ str| -> Option<usize> {
        let rest = rest.strip_prefix(".as_str()").unwrap_or(rest);
        JOINTS.iter().find_map(|joint| Some(rest.strip_prefix(joint)?.trim_start_matches('&').strip_prefix('"')?.len()))
    };
    let places = FIELDS.into_iter().flat_map(|field| code.match_indices(field));
    let compared = places.filter_map(|(at, field)| {
        let left = literal(&code[at + field.len()..])?;
        Some((field, code[code.len() - left..].split('"').next()?))
    });
    compared.collect()
}

/// A label that is only built by code is in no catalogue.
#[test]
fn no_code_compares_a_text_for_people() {
    let code = "if p.label.starts_with(\"pause\") || f.why.as_str() == \"x\" || r.reason.contains(&y) {}";
    assert_eq!(compared_fields(code), [(".label", "pause"), (".why", "x")]);
    for (path, code) in production() {
        let compared = compared_fields(&code);
        assert!(compared.is_empty(), "{}: {compared:?}", path.display());
    }
}

/// Kinds of runs, with the names of their files and folders.
const KINDS: [(&str, &[&str]); 10] = [
    ("Blocks", &["blocks", "qualify"]),
    ("Metadata", &["metadata"]),
    ("Mark", &["mark", "marks"]),
    ("JobFile", &["fio", "job", "job_file", "section"]),
    ("Ping", &["ping", "ioping"]),
    ("Replay", &["replay", "replayed"]),
    ("Durability", &["durability", "durable"]),
    ("Hydration", &["hydration"]),
    ("Database", &["database", "db", "dbrun"]),
    ("Watch", &["watch"]),
];

/// Number of times that files name a kind of run to which they do not belong. The first group is the enums and the
/// matches of each layer; in the others, one kind differs in a detail. Lower a number if it is too high; do not raise
/// it: the code belongs to a file of the kind.
const NAMED_ELSEWHERE: &[(&str, usize)] = &[
    ("analysis/src/judge.rs", 10),
    ("model/src/judged/judgement.rs", 4),
    ("model/src/plan/kind.rs", 3),
    ("model/src/record/run_record/results.rs", 15),
    ("report/src/kinds/charts/mod.rs", 7),
    ("report/src/kinds/mod.rs", 9),
    ("src/commands/show.rs", 4),
    // Details of one kind.
    ("analysis/src/compare/reduce.rs", 5),
    ("analysis/src/validity/cache.rs", 1),
    ("analysis/src/validity/caveats.rs", 3),
    ("analysis/src/verdict/commands.rs", 1),
    ("model/src/record/joint.rs", 2),
    ("report/src/kinds/blocks/mod.rs", 2),
    ("report/src/kinds/common.rs", 2),
    ("report/src/kinds/list.rs", 1),
    ("report/src/kinds/plan.rs", 1),
    ("report/src/kinds/runs.rs", 1),
    ("report/src/languages.rs", 2),
    ("run/src/ranks/follow.rs", 1),
    ("run/src/ranks/lead.rs", 4),
    ("run/src/ranks/mod.rs", 1),
    ("run/src/ranks/parts.rs", 1),
    ("session/src/run_store.rs", 1),
    ("src/commands/lint/mod.rs", 1),
    ("store/src/plan_key.rs", 1),
    ("model/src/plan/stages.rs", 3),
];

#[test]
fn kinds_of_runs_are_named_in_their_own_files() {
    let mut named: BTreeMap<String, usize> = BTreeMap::new();
    for (path, code) in production() {
        let path = path.strip_prefix(root()).expect("a file of the repository").to_string_lossy().into_owned();
        let parts: Vec<&str> = path.split(['/', '.']).collect();
        let of_enums = ["RunKind::", "KindName::", "Results::", "KindFigures::"];
        let places = of_enums.into_iter().flat_map(|of| code.match_indices(of).map(move |(at, _)| at + of.len()));
        let variant = |at: usize| code[at..].split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
        let words = |name: &str| KINDS.iter().find(|(kind, _)| *kind == name).map(|(_, words)| *words);
        let elsewhere = |at: &usize| words(variant(*at)).is_some_and(|words| !words.iter().any(|w| parts.contains(w)));
        let count = places.filter(elsewhere).count();
        if count > 0 {
            named.insert(path, count);
        }
    }
    let allowed: BTreeMap<String, usize> = NAMED_ELSEWHERE.iter().map(|(path, n)| ((*path).to_owned(), *n)).collect();
    assert_eq!(named, allowed, "see CONTRIBUTING.md, \"Adding a kind of run\"");
}

/// These macros panic if the stream is full or closed, and a panic ends a run. `session::console` writes instead, and
/// handles lost output.
#[test]
fn the_binary_prints_by_no_macro_that_panics() {
    fn below(dir: &Path, found: &mut Vec<PathBuf>) {
        for entry in std::fs::read_dir(dir).expect("sources").flatten() {
            let path = entry.path();
            if path.is_dir() {
                below(&path, found);
            } else if path.extension().is_some_and(|e| e == "rs") {
                found.push(path);
            }
        }
    }
    let mut files = Vec::new();
    below(&root().join("src"), &mut files);
    assert!(files.len() > 50, "the sources of the binary");
    for path in files {
        let text = std::fs::read_to_string(&path).expect("a source file");
        for macro_name in ["print!", "println!", "eprint!", "eprintln!"] {
            // After a letter it is the end of another macro's name.
            let used =
                text.match_indices(macro_name).any(|(at, _)| !text[..at].ends_with(|c: char| c.is_alphanumeric()));
            assert!(!used, "{} in {}", macro_name, path.display());
        }
    }
}

/// Libraries print and exit through `session::console`, whose streams the binary provides.
#[test]
fn only_the_binary_has_the_standard_streams_and_the_exit() {
    // `sys` ends processes. An output named /dev/stdout and a program that a job runs get duplicates of the streams.
    let duplicates = ["session/src/outputs.rs", "run/src/workers/programs.rs"];
    let folders = ["src", "sys", "testkit", "bench", "fuzz"];
    let exempt: Vec<PathBuf> = folders.iter().chain(&duplicates).map(|path| root().join(path)).collect();
    for (path, code) in production().into_iter().filter(|(path, _)| !exempt.iter().any(|e| path.starts_with(e))) {
        for word in ["io::stdout()", "io::stderr()", "process::exit_now(", "process::exit("] {
            assert!(!code.contains(word), "{}: {word}", path.display());
        }
    }
}

/// Largest number of lines of the binary, tests included. Verbs belong to the crate that owns their subject.
const BINARY: usize = 12_000;

#[test]
fn the_binary_is_thin() {
    let files = files(&["rs"]).into_iter().filter(|path| path.starts_with(root().join("src")));
    let lines: usize = files.map(|path| std::fs::read_to_string(path).expect("a source file").lines().count()).sum();
    assert!((1..=BINARY).contains(&lines), "{lines} lines below src, of at most {BINARY}");
}

#[test]
fn every_message_is_asked_for() {
    // Messages of the pages are looked up through the tables of their names, which have their own test.
    let ours = |id: &&str| !id.starts_with("page-") && !id.starts_with("board-");
    let inside = root().join("messages");
    let sources: Vec<String> = sources()
        .into_iter()
        .filter(|path| !path.starts_with(&inside))
        .map(|path| std::fs::read_to_string(path).expect("a source"))
        .collect();
    // The texts of rules are looked up by the identifiers of the rules.
    let rules = || analysis::foreign_rules().chain(analysis::unjudged()).chain(job::lint::lint_rules());
    let of_rules: BTreeSet<String> =
        rules().flat_map(|r| [r.title(), r.explanation(), r.remedy()]).map(|text| text.id).collect();
    let ids = messages::ids();
    let known: BTreeSet<&str> = ids.iter().map(String::as_str).collect();
    let untold: Vec<&String> = of_rules.iter().filter(|id| !known.contains(id.as_str())).collect();
    assert!(untold.is_empty(), "rules lack {untold:?}");
    // Every string between two quotes.
    let quoted: HashSet<&str> = sources.iter().flat_map(|text| text.split('"').skip(1)).collect();
    // Column headings of other tools' tables are looked up by their names.
    let heads: HashSet<&str> = sources
        .iter()
        .flat_map(|text| text.split("head(\"").skip(1))
        .filter_map(|rest| rest.split('"').next())
        .collect();
    let head = |id: &str| id.strip_prefix("judged-column-").is_some_and(|name| heads.contains(name));
    let asked = |id: &str| {
        if of_rules.contains(id) || head(id) {
            return true;
        }
        // A message is used by its identifier or by its English words.
        let words = messages::message(messages::Language::English, id, &[]);
        quoted.contains(id) || quoted.contains(words.as_str())
    };
    let unused: Vec<&str> = ids.iter().map(String::as_str).filter(ours).filter(|id| !asked(id)).collect();
    assert!(unused.is_empty(), "nothing says {unused:?}");
}

/// Returns the arguments of every `name!(` in a source, up to the closing parenthesis.
fn calls<'a>(text: &'a str, name: &str) -> Vec<&'a str> {
    let closed = |rest: &'a str| {
        let (mut depth, mut quoted, mut escaped) = (1, false, false);
        rest.char_indices().find_map(|(at, c)| {
            match c {
                _ if escaped => escaped = false,
                '\\' if quoted => escaped = true,
                '"' => quoted = !quoted,
                '(' | '[' | '{' if !quoted => depth += 1,
                ')' | ']' | '}' if !quoted => depth -= 1,
                _ => {}
            }
            (depth == 0).then(|| &rest[..at])
        })
    };
    text.match_indices(name).filter_map(|(at, _)| closed(&text[at + name.len()..])).collect()
}

/// Parses `"id", a, b = f(x, y)` into the identifier and the names of the placeholders.
fn identifier_and_places(arguments: &str) -> Option<(String, BTreeSet<String>)> {
    let (id, rest) = arguments.trim_start().strip_prefix('"')?.split_once('"')?;
    let (mut depth, mut quoted, mut part, mut names) = (0, false, String::new(), BTreeSet::new());
    let name = |part: &str| part.trim().chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect::<String>();
    for c in rest.chars().chain([',']) {
        match c {
            '"' => quoted = !quoted,
            '(' | '[' | '{' if !quoted => depth += 1,
            ')' | ']' | '}' if !quoted => depth -= 1,
            ',' if !quoted && depth == 0 => {
                names.insert(name(&part));
                part.clear();
                continue;
            }
            _ => {}
        }
        part.push(c);
    }
    names.remove("");
    Some((id.to_owned(), names))
}

/// Returns the placeholders of each message in the English catalogues.
fn catalogued() -> BTreeMap<String, BTreeSet<String>> {
    let mut messages: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for entry in std::fs::read_dir(root().join("messages/catalogues/en")).expect("catalogues").flatten() {
        let text = std::fs::read_to_string(entry.path()).expect("a catalogue");
        let mut id = None;
        for line in text.lines().filter(|l| !l.starts_with('#')) {
            if let Some((own, _)) = line.split_once(" =").filter(|_| line.starts_with(|c: char| c.is_ascii_lowercase()))
            {
                id = Some(own.to_owned());
            }
            let Some(id) = &id else { continue };
            let name = |rest: &str| rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
            messages.entry(id.clone()).or_default().extend(line.split('$').skip(1).map(name));
        }
    }
    messages
}

#[test]
fn every_sentence_that_is_said_is_in_the_catalogues_with_its_places() {
    let catalogued = catalogued();
    let mut said = 0;
    for path in
        sources().into_iter().filter(|p| !p.starts_with(root().join("messages")) && !p.ends_with("architecture.rs"))
    {
        let text = std::fs::read_to_string(&path).expect("a source");
        for arguments in calls(&text, "sentence!(").into_iter().chain(calls(&text, "message!(")) {
            let Some((id, names)) = identifier_and_places(arguments) else { continue };
            let wanted =
                catalogued.get(id.as_str()).unwrap_or_else(|| panic!("{}: {id} is in no catalogue", path.display()));
            assert_eq!(&names, wanted, "{}: places of {id}", path.display());
            said += 1;
        }
    }
    assert!(said > 0, "only {said} were found");
}

/// Text that may cite pages: comments in code and whole pages, joined across line ends, with the line numbers of its
/// parts.
struct Passage {
    text: String,
    /// Offsets in the text at which lines begin, and their line numbers.
    lines: Vec<(usize, usize)>,
}

impl Passage {
    fn line(&self, at: usize) -> usize {
        self.lines.iter().rev().find(|(from, _)| *from <= at).map_or(0, |(_, n)| *n)
    }
}

/// Returns the text after a comment marker, or the whole line of a page.
fn commented<'a>(line: &'a str, extension: &str) -> Option<&'a str> {
    let line = line.trim();
    let mark = match extension {
        "md" => return (!line.is_empty()).then_some(line),
        "rs" => "//",
        _ => "#",
    };
    let (code, comment) = match line.strip_prefix(mark) {
        Some(comment) => ("", comment),
        None => line.rsplit_once(&format!(" {mark} "))?,
    };
    // A marker within quotes does not begin a comment.
    (code.matches('"').count() % 2 == 0).then(|| comment.trim_start_matches(['/', '!', '#']).trim())
}

fn passages(text: &str, extension: &str) -> Vec<Passage> {
    let mut passages: Vec<Passage> = Vec::new();
    let mut last = None;
    for (n, line) in text.lines().enumerate() {
        let Some(words) = commented(line, extension) else { continue };
        match passages.last_mut().filter(|_| last.is_some_and(|last| last + 1 == n)) {
            Some(passage) => {
                passage.text.push(' ');
                passage.lines.push((passage.text.len(), n + 1));
                passage.text.push_str(words);
            }
            None => passages.push(Passage { text: words.to_owned(), lines: vec![(0, n + 1)] }),
        }
        last = Some(n);
    }
    passages
}

/// File extension of a page.
const PAGE: &str = ".md";

/// Citation of a page: its position, the name of the page, and the sections named after it.
struct Citation {
    at: usize,
    page: String,
    sections: Vec<String>,
}

/// Finds `page.md`, `page.md, "A section"`, `` `page.md`, "A section" and "another" ``. Web addresses, and pages that
/// follow the name of another repository (`owner/name page.md, other.md`), are not ours and are skipped.
fn citations(text: &str) -> Vec<Citation> {
    const AROUND: &[char] =
        &['"', '\'', '`', '(', ')', '[', ']', '{', '}', '<', '>', ',', ';', ':', '|', '*', '=', '!', '#'];
    let mut citations = Vec::new();
    let mut foreign_until = 0;
    for (at, _) in text.match_indices(PAGE) {
        let end = at + PAGE.len();
        let before = |c: char| c.is_whitespace() || AROUND.contains(&c);
        let start = text[..at].rfind(before).map_or(0, |i| i + text[i..].chars().next().map_or(1, char::len_utf8));
        let page = &text[start..end];
        let goes_on = text[end..].starts_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '/'));
        if start == at || goes_on || page.starts_with("//") || page.ends_with("/.md") {
            continue;
        }
        let lead = text[..start].trim_end_matches([' ', '`', ',']);
        if foreign_until > 0 && lead.len() <= foreign_until || is_repository(lead) {
            foreign_until = end;
            continue;
        }
        citations.push(Citation { at: start, page: page.to_owned(), sections: sections(&text[end..]) });
    }
    citations
}

/// Returns `true` if the last word is the `owner/name` of another repository.
fn is_repository(lead: &str) -> bool {
    let word = lead.rsplit([' ', '`', '(', '"']).next().unwrap_or_default();
    let plain = |part: &str| {
        !part.is_empty() && part.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.'))
    };
    let two = word.split_once('/').is_some_and(|(owner, name)| plain(owner) && plain(name));
    (two || word.ends_with("github.io")) && !root().join(word).exists()
}

/// Returns the quoted section names after a page.
fn sections(rest: &str) -> Vec<String> {
    let mut names = Vec::new();
    let mut rest = rest.strip_prefix('`').unwrap_or(rest);
    for joint in [", section \"", ", \""] {
        if let Some(name) = rest.strip_prefix(joint) {
            rest = name;
            while let Some((name, behind)) = rest.split_once('"') {
                names.push(name.to_owned());
                let more = [", \"", " and \""].iter().find_map(|joint| behind.strip_prefix(joint));
                let Some(more) = more else { break };
                rest = more;
            }
            break;
        }
    }
    names
}

/// Returns the headings of a page, without code marks.
fn headings(page: &str) -> Vec<String> {
    let mut fenced = false;
    let mut headings = Vec::new();
    for line in page.lines() {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
        } else if !fenced && line.starts_with('#') {
            headings.push(line.trim_start_matches('#').trim().replace('`', ""));
        }
    }
    headings
}

/// Returns the errors in the citations of one file, one line each.
fn uncited(path: &Path, text: &str) -> Vec<String> {
    // Notes that accompanied the first pages of the journal but were never part of this repository
    // (docs/design/README.md).
    const ONCE_OUTSIDE: [&str; 4] = ["measurement", "limits", "field", "databases"];
    let extension = path.extension().and_then(|e| e.to_str()).unwrap_or_default();
    let shown = path.strip_prefix(root()).unwrap_or(path);
    let mut wrong = Vec::new();
    let mut check = |line: usize, citation: &Citation| {
        let beside = path.parent().map(|dir| dir.join(&citation.page));
        let file = [Some(root().join(&citation.page)), beside].into_iter().flatten().find(|p| p.is_file());
        let Citation { page, sections, .. } = citation;
        let place = format!("{}:{line}", shown.display());
        let Some(file) = file else {
            let stem = page.strip_suffix(PAGE).unwrap_or(page);
            if !(shown.starts_with("bench/journal") && ONCE_OUTSIDE.contains(&stem)) {
                wrong.push(format!("{place}: there is no {page}"));
            }
            return;
        };
        let known = headings(&std::fs::read_to_string(&file).expect("a page"));
        for name in sections.iter().filter(|name| !known.contains(name)) {
            wrong.push(format!("{place}: {page} has no heading \"{name}\" (it has {known:?})"));
        }
        if extension != "md" && page.starts_with("docs/design/") && sections.is_empty() {
            wrong.push(format!("{place}: {page} is cited without a section: {page}, \"...\""));
        }
    };
    for passage in passages(text, extension) {
        for citation in citations(&passage.text) {
            check(passage.line(citation.at), &citation);
        }
    }
    // Messages to users name pages by their whole path.
    if extension == "rs" {
        for (n, line) in text.lines().enumerate().filter(|(_, line)| commented(line, extension).is_none()) {
            for citation in citations(line).iter().filter(|c| c.page.starts_with("docs/")) {
                check(n + 1, citation);
            }
        }
    }
    wrong
}

#[test]
fn every_page_that_is_cited_is_here_and_has_the_section() {
    let (mut wrong, mut seen) = (Vec::new(), 0);
    for path in files(&["rs", "toml", "sh", "ftl", "md", "py"]) {
        // Its tests cite pages that do not exist.
        if path.ends_with("tests/architecture.rs") {
            continue;
        }
        let text = std::fs::read_to_string(&path).expect("a file of the repository is text");
        seen += passages(&text, path.extension().and_then(|e| e.to_str()).unwrap_or_default())
            .iter()
            .map(|p| citations(&p.text).len())
            .sum::<usize>();
        wrong.extend(uncited(&path, &text));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(seen > 150, "only {seen} citations were found");
}

#[test]
fn a_page_or_section_that_is_not_there_is_told_with_its_line() {
    let errors = |name: &str, text: &str| uncited(&root().join(name), text);
    let code = "let x = 1;\n//! By docs/design/results.md, \"Exit\n//! codes\" and \"Entry codes\".\n";
    let told_of_code = errors("src/x.rs", code);
    assert_eq!(told_of_code.len(), 1, "{told_of_code:?}");
    assert!(told_of_code[0].starts_with("src/x.rs:2: docs/design/results.md has no heading \"Entry codes\""));
    assert_eq!(errors("src/x.rs", "\n// Rule 3 of `results.md`.\n"), ["src/x.rs:2: there is no results.md"]);
    assert_eq!(errors("src/x.rs", "f(\"a.md\"); // see nowhere.md\n"), ["src/x.rs:1: there is no nowhere.md"]);
    assert_eq!(errors("src/x.rs", "f(\"see docs/none.md\")\n"), ["src/x.rs:1: there is no docs/none.md"]);
    assert_eq!(errors("src/x.rs", "// docs/design/results.md says so\n").len(), 1, "a section is named");
    assert_eq!(errors("a.toml", "source = \"x.md\"\n# other.md\n"), ["a.toml:2: there is no other.md"]);
    assert_eq!(
        errors("docs/design/x.md", "one\n\n[two](limits.md) and [three](three.md)\n"),
        ["docs/design/x.md:3: there is no three.md"]
    );
    assert_eq!(errors("bench/journal/x.md", "As `field.md` says, and `fields.md`.\n").len(), 1);
    let others = "awsdocs/guide doc/a.md, b.md; a/b, `c.md`; https://host/d.md; *.md, {name}.md";
    assert_eq!(errors("docs/x.md", others), Vec::<String>::new());
    assert_eq!(
        errors("docs/x.md", "docs/design three.md"),
        ["docs/x.md:1: there is no three.md"],
        "a directory of ours"
    );
    assert_eq!(errors("src/x.rs", "// ARCHITECTURE.md, section \"Crates\" and no more\n"), Vec::<String>::new());
}

/// Checks the licences of all dependencies against `deny.toml`. `cargo deny` checks the same and more if it is
/// installed.
#[test]
fn every_dependency_has_a_licence_that_is_allowed_and_comes_from_the_registry() {
    let text = std::fs::read_to_string(root().join("deny.toml")).expect("deny.toml is here");
    let rules: toml::Table = text.parse().expect("deny.toml is TOML");
    let allowed: BTreeSet<&str> =
        rules["licenses"]["allow"].as_array().expect("a list").iter().filter_map(toml::Value::as_str).collect();
    let here = format!("{}-unknown-linux-gnu", std::env::consts::ARCH);
    let metadata = cargo_metadata::MetadataCommand::new()
        .manifest_path(root().join("Cargo.toml"))
        .features(cargo_metadata::CargoOpt::AllFeatures)
        // Dependencies of other platforms were not fetched.
        .other_options(vec!["--offline".to_owned(), "--locked".to_owned(), format!("--filter-platform={here}")])
        .exec()
        .expect("cargo metadata of this workspace");
    let mut wrong = Vec::new();
    for package in &metadata.packages {
        let name = format!("{} {}", package.name, package.version);
        let licence = package.license.as_deref().unwrap_or("no licence");
        let fits = spdx::Expression::parse_mode(licence, spdx::ParseMode::LAX).is_ok_and(|expression| {
            expression.evaluate(|wanted| wanted.license.id().is_some_and(|id| allowed.contains(id.name)))
        });
        if !fits {
            wrong.push(format!("{name}: {licence}"));
        }
        if package.source.as_ref().is_some_and(|source| !source.is_crates_io()) {
            wrong.push(format!("{name}: not from crates.io"));
        }
    }
    assert!(metadata.packages.len() > 200, "the dependencies were not found");
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Number of test functions when the tiers were split. Raise it when many tests are added.
const TESTS: usize = 2946;

#[test]
fn every_test_that_is_not_fast_is_in_the_recipe_of_the_paced_tier() {
    let recipe = std::fs::read_to_string(root().join(".ci/recipes/paced")).expect("the recipe");
    let named: BTreeSet<&str> =
        recipe.split("--test ").skip(1).filter_map(|rest| rest.split([' ', '\'']).next()).collect();
    let packages = metadata().packages;
    let targets = packages.iter().flat_map(|p| &p.targets);
    let paced: BTreeSet<&str> = targets.filter(|t| t.is_test() && !t.test).map(|t| t.name.as_str()).collect();
    assert_eq!(paced, named);
    let is_test = |line: &str| line.trim() == concat!("#[", "test]");
    let texts = sources().into_iter().filter(|p| !p.starts_with(root().join("fuzz")));
    let count: usize =
        texts.map(|p| std::fs::read_to_string(p).expect("a source").lines().filter(|line| is_test(line)).count()).sum();
    assert!(count >= TESTS, "{count} tests are left of {TESTS}");
}
