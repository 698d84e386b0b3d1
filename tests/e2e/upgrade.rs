//! Stores of older releases: this release lists, shows, judges and exports their runs, and names those that it no
//! longer reads.

use crate::support::{Ended, Sandbox, beside, names_in};
use serde_json::Value;
use std::path::{Path, PathBuf};

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("store/tests/store/fixtures/upgrade")
}

/// Returns the record versions of the stored fixtures: those that are readable today, or the others.
fn versions(read: bool) -> Vec<u32> {
    let names = names_in(&fixtures());
    let numbers = names.iter().filter_map(|name| name.strip_prefix("record-")?.parse().ok());
    let matches: Vec<u32> = numbers.filter(|version| model::readable(*version).is_ok() == read).collect();
    assert!(!matches.is_empty(), "{names:?}");
    matches
}

/// Returns a sandbox with a copy of the store that the first release with a record version wrote. The documents that it
/// printed are in `shown` next to the store.
fn upgraded(version: u32) -> Sandbox {
    let sandbox = Sandbox::new();
    testkit::unpack(&fixtures().join(format!("record-{version}")), &sandbox.root());
    sandbox
}

/// Returns the documents of the runs, as the old release wrote them.
fn shown(sandbox: &Sandbox) -> Vec<Value> {
    let files = std::fs::read_dir(sandbox.path("shown")).expect("documents").flatten();
    let text = files.map(|file| std::fs::read_to_string(file.path()).expect("reads"));
    text.map(|text| serde_json::from_str(&text).expect("a document")).collect()
}

fn json(ended: &Ended) -> Value {
    serde_json::from_str(&ended.stdout).unwrap_or_else(|e| panic!("{e}: {}{}", ended.stdout, ended.stderr))
}

fn word<'a>(value: &'a Value, pointer: &str) -> &'a str {
    value.pointer(pointer).and_then(Value::as_str).unwrap_or_else(|| panic!("{pointer} of {value}"))
}

#[test]
fn runs_that_older_releases_kept_are_listed_shown_judged_and_exported() {
    let _beside = beside();
    for version in versions(true) {
        let sandbox = upgraded(version);
        let documents = shown(&sandbox);
        let listed = sandbox.secchi("runs --json").run();
        assert_eq!((listed.code, listed.stderr.as_str()), (0, ""), "record version {version}");
        let rows = json(&listed)["runs"].as_array().expect("runs").clone();
        assert_eq!(rows.len(), documents.len(), "record version {version}");
        for document in &documents {
            let [id, state, command] =
                ["/record/id", "/record/state", "/record/plan/command"].map(|pointer| word(document, pointer));
            let what = format!("{command} {id} of record version {version}");
            let row = rows.iter().find(|row| row["id"] == id).unwrap_or_else(|| panic!("{what} is not listed"));
            assert_eq!((word(row, "/state"), word(row, "/command")), (state, command), "{what}");
            let again = sandbox.secchi(&format!("show --json {id}")).run();
            assert_eq!(again.code, 0, "{what}: {}", again.stderr);
            let screen = sandbox.secchi(&format!("show {id}")).run();
            assert_eq!(screen.code, 0, "{what}: {}", screen.stderr);
            assert!(screen.stdout.contains(&id[..8]), "{what}: {}", screen.stdout);
            // The document and the run have the same contents.
            let file = sandbox.path(&format!("shown/{id}.json"));
            let before = std::fs::read(&file).expect("what the old program told");
            assert_eq!(again.json().record, store::RunDocument::read(&before).expect("a record").record, "{what}");
            for source in [id.to_owned(), file.display().to_string()] {
                let mut report = sandbox.secchi("report --format markdown");
                let rendered = report.arg(&source).run();
                assert!(
                    rendered.code == 0 && rendered.stdout.contains("BINDS"),
                    "{what}: {}{}",
                    rendered.stdout,
                    rendered.stderr
                );
            }
            if command == "qualify" && state == "complete" {
                judged(&sandbox, id, &what);
            }
        }
        carried(&sandbox, documents.len());
    }
}

/// Judges a run by a need that any storage meets, and by one that none meets.
fn judged(sandbox: &Sandbox, id: &str, what: &str) {
    for (need, word) in [("8k randread: iops>=1", "met"), ("8k randread: iops>=900m", "not met")] {
        let mut judge = sandbox.secchi("judge");
        let ended = judge.arg(id).arg("--need").arg(need).run();
        assert!([0, 1, 2].contains(&ended.code), "{what}: {}{}", ended.stdout, ended.stderr);
        assert!(ended.stdout.contains("8k randread"), "{what}, {word}: {}{}", ended.stdout, ended.stderr);
    }
}

/// Exports all runs into one file, and imports them into another store.
fn carried(sandbox: &Sandbox, count: usize) {
    let bundle = sandbox.path("carried.secchi");
    let mut export = sandbox.secchi("runs export --where took>=0s");
    let exported = export.arg("-o").arg(&bundle).run();
    assert_eq!(exported.code, 0, "{}", exported.stderr);
    let other = Sandbox::new();
    let imported = other.secchi("runs import").arg(&bundle).run();
    assert_eq!(imported.code, 0, "{}", imported.stderr);
    assert_eq!(other.secchi("runs --ids").run().stdout.lines().count(), count);
}

#[test]
fn runs_of_a_record_version_that_is_no_longer_read_are_refused_with_what_to_do() {
    let _beside = beside();
    for version in versions(false) {
        let sandbox = upgraded(version);
        let named = format!("the run has record version {version}, this secchi reads versions");
        let what_to_do = "read it with the secchi that wrote it";
        let listed = sandbox.secchi("runs --json").run();
        assert_eq!((listed.code, listed.stderr.as_str()), (0, ""));
        let rows = json(&listed)["runs"].as_array().expect("runs").clone();
        let documents = shown(&sandbox);
        assert_eq!(rows.len(), documents.len());
        for document in &documents {
            let id = word(document, "/record/id");
            let row = rows.iter().find(|row| row["id"] == id).expect("it is listed");
            assert_eq!(word(row, "/state"), "unreadable");
            assert!(word(row, "/verdict").contains(&named), "{row}");
            let file = sandbox.path(&format!("shown/{id}.json"));
            for source in [id.to_owned(), file.display().to_string()] {
                for command in ["report", "judge --need etcd"] {
                    let refused = sandbox.secchi(command).arg(&source).run();
                    refused.refuses(64, &named);
                    refused.refuses(64, what_to_do);
                }
            }
            let refused = sandbox.secchi(&format!("show --json {id}")).run();
            refused.refuses(64, &named);
            refused.refuses(64, what_to_do);
            let bundle = sandbox.path("carried.secchi");
            let refused = sandbox.secchi(&format!("runs export {id}")).arg("-o").arg(&bundle).run();
            refused.refuses(64, &named);
            assert!(!bundle.exists());
        }
        // Unreadable runs can be deleted.
        let id = word(&documents[0], "/record/id");
        assert_eq!(sandbox.secchi(&format!("rm {id}")).run().code, 0);
        assert_eq!(sandbox.secchi("runs --ids").run().stdout.lines().count(), documents.len() - 1);
    }
}
