//! `secchi runs`: filters, labels, export and import, deletion, and trends.

use crate::support::{Ended, Sandbox, Secchi, alone};
use serde_json::Value;

/// Performs a short run of `secchi fio` and returns its id.
fn measure(sandbox: &Sandbox, words: &str) -> String {
    let before = if sandbox.store().exists() { ids(sandbox, "") } else { Vec::new() };
    let mut secchi =
        sandbox.secchi("fio --name=r --size=4m --ioengine=psync --rw=randread --number_ios=200 --output=/dev/null");
    secchi.words(words).arg(format!("--filename={}", sandbox.data().join("f").display()));
    let ended = secchi.run();
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    // Two runs that begin in the same second have no order.
    ids(sandbox, "").into_iter().find(|id| !before.contains(id)).expect("one more")
}

fn runs(sandbox: &Sandbox, action: &str, words: &[&str]) -> Ended {
    let mut secchi = Secchi::new(&sandbox.path("home"));
    secchi.words("runs").words(action).arg("--store").arg(sandbox.store());
    for word in words {
        secchi.arg(word);
    }
    secchi.run()
}

/// Returns the ids that a filter lists, newest first.
fn ids(sandbox: &Sandbox, filter: &str) -> Vec<String> {
    let words: &[&str] = if filter.is_empty() { &["--ids"] } else { &["--ids", "--where", filter] };
    let listed = runs(sandbox, "", words);
    assert_eq!(listed.code, 0, "{filter}: {}", listed.stderr);
    listed.stdout.lines().map(str::to_owned).collect()
}

fn json(ended: &Ended) -> Value {
    serde_json::from_str(&ended.stdout).unwrap_or_else(|e| panic!("{e}: {}{}", ended.stdout, ended.stderr))
}

#[test]
fn runs_are_found_by_what_was_asked_and_measured_and_said() {
    // Runs disturbed by other load have no figures to search for.
    let _alone = alone();
    let sandbox = Sandbox::new();
    let small = measure(&sandbox, "--bs=4k");
    let large = measure(&sandbox, "--bs=64k");
    assert_eq!(ids(&sandbox, "bs=4k"), std::slice::from_ref(&small));
    assert_eq!(ids(&sandbox, "target~data and (bs=64k or bs=1m) and since 1h"), std::slice::from_ref(&large));
    assert_eq!(ids(&sandbox, "bs=64k and exit=0 and iops>0"), ids(&sandbox, "bs=64k and exit=0"), "by its rate");
    assert_eq!(ids(&sandbox, "command=fio and engine=psync and pattern=randread").len(), 2);
    assert_eq!(ids(&sandbox, "before 1h"), [""; 0]);
    // Tags and notes in several notations.
    let tagged = runs(&sandbox, "tag", &[&small[..8], "+nightly", "+old", "-never"]);
    assert!(tagged.code == 0 && tagged.stderr.contains("tags nightly, old"), "{}", tagged.stderr);
    assert_eq!(runs(&sandbox, "tag", &[&large, "gp3"]).code, 0);
    assert_eq!(runs(&sandbox, "tag", &[&small, "-old"]).code, 0);
    assert_eq!(runs(&sandbox, "note", &[&small, "it's \"the\" disk; DROP TABLE run"]).code, 0);
    assert_eq!(ids(&sandbox, "tag=nightly"), std::slice::from_ref(&small));
    assert_eq!(ids(&sandbox, "tag=old"), [""; 0]);
    assert_eq!(ids(&sandbox, "note~'drop table'"), std::slice::from_ref(&small));
    assert_eq!(ids(&sandbox, "tag=gp3"), std::slice::from_ref(&large));
    // They appear in the list, on the screen of the run and in the document.
    let list = runs(&sandbox, "", &[]);
    assert!(list.stdout.contains("nightly") && list.stdout.contains("note: it's"), "{}", list.stdout);
    let shown = sandbox.secchi(&format!("show {small}")).run();
    assert!(shown.stdout.starts_with("TAGS     nightly\nNOTE     it's"), "{}", shown.stdout);
    let shown = json(&sandbox.secchi(&format!("show --json {small}")).run());
    assert_eq!(
        (&shown["labels"]["tags"][0], shown["labels"]["note"].as_str().map(str::len)),
        (&"nightly".into(), Some(31))
    );
    for format in ["html", "markdown", "terminal", "json"] {
        let report = sandbox.secchi(&format!("report {small} --format {format} -o -")).run();
        assert!(
            report.stdout.contains("nightly") && report.stdout.contains("disk; DROP TABLE"),
            "{format}: {}",
            report.stderr
        );
    }
    let document = json(&runs(&sandbox, "", &["--json", "--where", "tag=nightly"]));
    assert_eq!(document["runs"][0]["tags"][0], "nightly");
    assert_eq!(document["runs"][0]["workloads"][0]["bs"], 4096);
    let csv = runs(&sandbox, "", &["--csv", "-n", "1"]);
    assert_eq!(csv.stdout.lines().count(), 2, "{}", csv.stdout);
    let mut reversed: Vec<String> =
        runs(&sandbox, "", &["--ids", "--reverse"]).stdout.lines().map(str::to_owned).collect();
    reversed.reverse();
    assert_eq!(reversed, ids(&sandbox, ""));
    // Tags and fields survive the loss of the index.
    std::fs::remove_file(sandbox.store().join("index.sqlite")).expect("it is there");
    assert_eq!(ids(&sandbox, "tag=nightly and bs=4k"), [small]);
}

#[test]
fn mistakes_are_one_sentence_each() {
    let sandbox = Sandbox::new();
    let id = measure(&sandbox, "--bs=4k");
    for (action, words, needle) in [
        ("", &["--where", "blok=4k"][..], "did you mean `block`?"),
        ("", &["--where", "bs=4k and"], "expected at the end"),
        ("", &["--where", "bs=4q"], "unknown unit"),
        ("tag", &["last"], "which tag?"),
        ("tag", &["last", "+two words"], "is not a valid tag"),
        ("tag", &["zzzz", "+x"], "not the id of a run"),
        ("note", &["last", "\u{1b}[2J"], "control characters"),
        ("delete", &["--yes", "--where", "tag=none"], "no run matches the filter"),
        ("join", &["ffffffffffff"], "no run begins with"),
        ("trend", &["ffffffffffff"], "no run begins with"),
        ("import", &["/nowhere/x.secchi"], "cannot read /nowhere/x.secchi"),
        ("import", &["/dev/null"], "it is a device"),
        ("import", &["/proc/self/cmdline"], "not a file written by `secchi runs export`"),
    ] {
        let ended = runs(&sandbox, action, words);
        ended.refuses(64, needle);
    }
    // There is no terminal for a confirmation.
    runs(&sandbox, "delete", &["--where", "command=fio"]).refuses(3, "give --yes");
    assert_eq!(ids(&sandbox, ""), std::slice::from_ref(&id));
    // Runs named by their ids need no confirmation.
    assert_eq!(runs(&sandbox, "delete", &[&id]).code, 0);
    assert_eq!(ids(&sandbox, ""), Vec::<String>::new());
}

#[test]
fn a_run_is_carried_in_one_file_judged_again_there_and_kept_once() {
    let (here, there) = (Sandbox::new(), Sandbox::new());
    let ids_here = [measure(&here, "--bs=4k"), measure(&here, "--bs=8k")];
    assert_eq!(runs(&here, "tag", &[&ids_here[0], "+nightly"]).code, 0);
    let file = here.path("night.secchi");
    let name = file.display().to_string();
    let made = runs(&here, "export", &[&ids_here[0], &ids_here[1], "-o", &name]);
    assert!(made.code == 0 && made.stderr.contains("2 runs"), "{}", made.stderr);
    runs(&here, "export", &["last", "-o", &name]).refuses(3, "it already exists");
    let taken = runs(&there, "import", &[&name]);
    assert_eq!((taken.code, taken.stdout.lines().count()), (0, 2), "{}", taken.stderr);
    assert_eq!(ids(&there, "tag=nightly and bs=4k"), [ids_here[0].clone()]);
    let again = runs(&there, "import", &[&name]);
    assert!(again.code == 0 && again.stderr.contains("0 of 2 runs were imported"), "{}", again.stderr);
    // Both stores return the same document, and the runs can be compared.
    let show = |sandbox: &Sandbox| sandbox.secchi(&format!("show --json {}", ids_here[0])).run();
    assert_eq!(show(&here).stdout, show(&there).stdout);
    let compared = there.secchi(&format!("compare {} {} --allow all", ids_here[0], ids_here[1])).run();
    assert!(compared.code <= 2, "{}", compared.stderr);
    // One changed byte, anywhere after the header: the import is refused, and nothing is imported.
    let mut bytes = std::fs::read(&file).expect("reads");
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    std::fs::write(&file, bytes).expect("writes");
    let empty = Sandbox::new();
    let refused = runs(&empty, "import", &[&name]);
    refused.refuses(64, "nothing was imported");
    assert!(ids(&empty, "").is_empty());
    // Deleted with a filter, including labels.
    let gone = runs(&there, "delete", &["--yes", "--where", "tag=nightly"]);
    assert_eq!(gone.code, 0, "{}", gone.stderr);
    assert_eq!(ids(&there, ""), [ids_here[1].clone()]);
}

#[test]
fn a_plan_is_followed_over_its_runs_whatever_they_were_called_or_how_long_they_took() {
    let _alone = alone();
    let sandbox = Sandbox::new();
    for n in 0..4 {
        measure(&sandbox, &format!("--bs=4k --randseed={n}"));
    }
    let other = measure(&sandbox, "--bs=64k");
    let last = ids(&sandbox, "bs=4k")[0].clone();
    let document = json(&runs(&sandbox, "trend", &[&last, "--json"]));
    let trend = &document["trend"];
    assert_eq!(trend["runs"].as_array().map(Vec::len), Some(4), "{trend}");
    assert_eq!(trend["runs"][3]["id"], last.as_str(), "the newest last");
    assert!(trend["runs"].as_array().expect("runs").iter().all(|r| r["id"] != other.as_str()));
    let line = &trend["lines"][0];
    assert_eq!(line["levels"][0]["mean"], Value::Null, "no mean of four runs");
    // Runs disturbed by other load are not part of a trend.
    let spoilt = ids(&sandbox, "bs=4k and iops>0").len() < 4;
    assert!(spoilt || line["why"].as_str().is_some_and(|w| w.starts_with("16 runs are needed")), "{line}");
    let by_key = runs(&sandbox, "trend", &[trend["plan"].as_str().expect("a key"), "--where", "since 1h"]);
    assert!(by_key.code == 0 && by_key.stdout.contains("4 runs"), "{}{}", by_key.stdout, by_key.stderr);
    assert!(spoilt || by_key.stdout.contains("no mean"), "{}", by_key.stdout);
}

/// Previously a flipped bit in the middle of a journal was reported as "killed or still running", and `judge` printed
/// MET for the first half. Damage is now a separate state: no command that evaluates such a run succeeds.
#[test]
fn a_damaged_journal_is_told_as_that_by_every_command_and_passes_none() {
    let _alone = alone();
    let sandbox = Sandbox::new();
    let words = "--bs=4k --number_ios=1m --time_based --runtime=3 --rate_iops=200";
    let (whole, id) = (measure(&sandbox, words), measure(&sandbox, words));
    let journal = sandbox.store().join("runs").join(format!("{id}.journal"));
    let mut bytes = std::fs::read(&journal).expect("a run is kept");
    let store = format!("--store={}", sandbox.store().display());
    let run = |words: &str| Secchi::new(&sandbox.path("home")).words(words).arg(&store).run();
    let judged = |of: &str| {
        let mut judge = Secchi::new(&sandbox.path("home"));
        judge.words("judge").arg(of).arg(&store).words("--need").arg("4k randread: iops>=1").run()
    };
    let before = judged(&id);
    before.measured();
    assert!(before.starved() || before.stdout.contains("MET"), "{}{}", before.stdout, before.stderr);
    // In the middle, and in the last frame, which records the end of the run.
    for at in [bytes.len() * 3 / 5, bytes.len() - 20] {
        bytes[at] ^= 0x10;
        std::fs::write(&journal, &bytes).expect("ours");
        assert!(runs(&sandbox, "", &[]).stdout.contains("damaged"), "listed before anybody has read it");
        for said in
            [judged(&id), run(&format!("show {id}")), run(&format!("report {id}")), judged(&journal.to_string_lossy())]
        {
            let text = format!("{}{}", said.stdout, said.stderr);
            assert!(said.code == 2 && text.contains("damaged") && !text.contains("killed"), "{}: {text}", said.code);
            assert!(
                !text.lines().any(|l| l.contains("MET") && !l.contains("NOT") && !l.contains("UNDECIDED")),
                "{text}"
            );
        }
        let document = run(&format!("show {id} --json")).stdout;
        assert!(document.contains("\"state\":\"damaged\"") && document.contains("journal-damaged"), "{document}");
        let compared = run(&format!("compare {whole} {id}"));
        assert_eq!(compared.code, 2, "{}{}", compared.stdout, compared.stderr);
        assert_eq!(ids(&sandbox, "state=damaged"), std::slice::from_ref(&id));
        bytes[at] ^= 0x10;
    }
    // It can be exported, and is reported as damaged after the import as well.
    bytes[16 + 8 + 40] ^= 1;
    std::fs::write(&journal, &bytes).expect("ours");
    let said = run(&format!("show {id}"));
    assert!(
        said.code == 2 && said.stderr.contains("the plan at its beginning") && said.stderr.contains("damaged"),
        "{}",
        said.stderr
    );
    assert!(runs(&sandbox, "", &[]).stdout.contains("damaged"));
    bytes[16 + 8 + 40] ^= 1;
    let at = bytes.len() / 2;
    bytes[at] ^= 1;
    std::fs::write(&journal, &bytes).expect("ours");
    let bundle = sandbox.path("runs.secchi");
    assert_eq!(runs(&sandbox, "export", &[&id, "-o", &bundle.to_string_lossy()]).code, 0);
    let other = sandbox.path("other");
    let mut import = Secchi::new(&sandbox.path("home"));
    let imported = import.words("runs import").arg(&bundle).arg("--store").arg(&other).run();
    assert!(imported.code == 0 && imported.stderr.contains("damaged"), "{}", imported.stderr);
    let listed = Secchi::new(&sandbox.path("home")).words("runs --store").arg(&other).run();
    assert!(listed.stdout.contains("damaged"), "{}", listed.stdout);
    // Repaired, it is as before.
    bytes[at] ^= 1;
    std::fs::write(&journal, &bytes).expect("ours");
    assert_eq!(judged(&id).code, 0);
    assert!(!runs(&sandbox, "", &[]).stdout.contains("damaged"));
}
