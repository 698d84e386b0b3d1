//! Results of past database runs: the screen, history, SQL, exports, and what `reset` leaves untouched.

use crate::support::{Ended, Sandbox, Secchi, beside, names_in};
use std::path::{Path, PathBuf};

/// Runs `secchi db WORDS REST --store STORE`.
fn db(sandbox: &Sandbox, words: &str, rest: &[&Path]) -> Ended {
    let mut run = Secchi::new(&sandbox.path("home"));
    run.words("db").words(words);
    rest.iter().for_each(|word| {
        run.arg(word);
    });
    run.arg(format!("--store={}", sandbox.store().display()));
    run.run()
}

fn ok(ended: Ended) -> Ended {
    assert!(ended.code == 0 || ended.starved(), "{}\n{}", ended.stdout, ended.stderr);
    ended
}

/// Creates a database with two globals, next to another one.
fn set_up(sandbox: &Sandbox, name: &str) -> PathBuf {
    let dir = sandbox.data().join(name);
    let setup = |words: &str, rest: &[&Path]| {
        let mut run = Secchi::new(&sandbox.path("home"));
        run.words("db").words(words);
        rest.iter().for_each(|word| {
            run.arg(word);
        });
        ok(run.run())
    };
    setup("setup --engine sqlite", &[&dir]);
    ok(db(sandbox, "create-globals -g 2 -s 2000", &[&dir]));
    dir
}

#[test]
fn runs_on_a_database_are_shown_asked_about_exported_and_forgotten() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    let dir = set_up(&sandbox, "ran");
    let other = set_up(&sandbox, "decoy");
    ok(db(&sandbox, "ranwrite -p 2 -t 1s --pause 1ms", &[&other]));
    let run = ok(db(&sandbox, "ranwrite -p 2 -t 1s --pause 1ms --txn 20 --full", &[&dir]));
    let verdict = run.stdout.lines().find(|line| line.starts_with("VERDICT  ")).expect("a verdict");
    assert!(
        verdict.starts_with("VERDICT  RanWrite: ") || verdict.starts_with("VERDICT  not valid: "),
        "{}",
        run.stdout
    );
    // A doubt in the verdict moves its line breaks.
    let words = run.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("in transactions of 20") && words.contains("WritesPerSec"), "{}", run.stdout);
    ok(db(&sandbox, "ranread -p 2 -t 1s", &[&dir]));

    let history = ok(db(&sandbox, "history", &[&dir])).stdout;
    let rows: Vec<&str> = history.lines().filter(|l| l.contains("Ran")).collect();
    assert_eq!(rows.len(), 2, "tests only, and of this database: {history}");
    assert!(rows[0].contains("RanWrite") && rows[1].contains("RanRead"), "{history}");

    let sum = "select count(*), sum(Writes) > 0 from PerfTools.RanWrite";
    let mut ask = Secchi::new(&sandbox.path("home"));
    ask.words("db sql").arg(&dir).arg(sum).words("--format csv").arg(format!("--store={}", sandbox.store().display()));
    assert_eq!(ok(ask.run()).stdout.lines().nth(1), Some("2,1"), "a row for each worker");
    let mut drop = Secchi::new(&sandbox.path("home"));
    drop.words("db sql").arg(&dir).arg("drop table RanWrite").arg(format!("--store={}", sandbox.store().display()));
    let refused = drop.run();
    assert_eq!(refused.code, 64);
    assert!(refused.stderr.contains("a single"), "{}", refused.stderr);

    let csv = ok(db(&sandbox, "export", &[&dir])).stdout;
    assert_eq!(csv.lines().count(), 3, "{csv}");
    let out = sandbox.path("exports");
    std::fs::create_dir(&out).expect("a directory");
    let both = db(&sandbox, "export --format perftools-v3", &[&dir]);
    assert_eq!(both.code, 64, "a file for each class");
    let mut files = Secchi::new(&sandbox.path("home"));
    files.words("db export --format perftools-v3 -o").arg(&out).arg(&dir);
    files.arg(format!("--store={}", sandbox.store().display()));
    ok(files.run());
    let names = names_in(&out);
    assert!(
        names.len() == 2 && names.iter().all(|n| n.starts_with("PerfToolsRan") && n.ends_with(".txt")),
        "{names:?}"
    );

    // Runs of the other database remain, and so does the database itself.
    ok(db(&sandbox, "reset", &[&dir]));
    assert!(ok(db(&sandbox, "history", &[&dir])).stdout.contains("no runs on this database yet"));
    assert!(ok(db(&sandbox, "history", &[&other])).stdout.contains("RanWrite"));
    assert_eq!(db(&sandbox, "export", &[&dir]).code, 64);
    let mut count = Secchi::new(&sandbox.path("home"));
    count.words("db count-subscripts").arg(&dir);
    assert!(ok(count.run()).stdout.contains("2000"));
}

#[test]
fn what_is_no_database_of_ours_has_no_history() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    let data = sandbox.data();
    for verb in ["history", "reset", "export"] {
        let ended = db(&sandbox, verb, &[&data]);
        assert!(ended.code != 0 && !ended.stderr.is_empty(), "{verb}");
    }
    let near = db(&sandbox, "export --format perftools-3", &[&data]);
    assert_eq!(near.code, 64);
    assert!(near.stderr.contains("did you mean `perftools-v3`?"), "{}", near.stderr);
}
