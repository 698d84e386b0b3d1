//! The guide's table of the cases D01 to D10 of iris-aws-diskio: every command of it is run, short, on the I/O of IRIS, and mgstat's columns
//! that it names are told. And how far a load of the model may be raised so that a need is met.

use crate::db::Base;
use crate::support::{Ended, Run, Sandbox, Secchi, beside, skip};
use model::{judged::Outcome, measured::MGSTAT_COLUMNS};
use std::path::Path;

/// A row of the table: the case, its commands, the columns.
struct Case {
    name: String,
    commands: Vec<String>,
    columns: Vec<String>,
}

fn cases() -> Vec<Case> {
    let guide = Path::new(env!("CARGO_MANIFEST_DIR")).join("book/src/guides/database-model.md");
    let text = std::fs::read_to_string(guide).expect("the page");
    let rows = text.lines().filter(|l| l.starts_with("| D0") || l.starts_with("| D10"));
    rows.map(|row| {
        let cells: Vec<&str> = row.trim_matches('|').split('|').map(str::trim).collect();
        let [name, commands, columns] = cells[..] else { panic!("three cells: {row}") };
        let commands = commands.split('`').skip(1).step_by(2).filter(|c| c.starts_with("secchi ")).map(str::to_owned);
        let columns = columns.split(',').map(|c| c.trim().to_owned()).filter(|c| !c.is_empty() && !c.starts_with('('));
        Case { name: name[..3].to_owned(), commands: commands.collect(), columns: columns.collect() }
    })
    .collect()
}

/// A command of the guide in a place of its own, with fewer records and less time.
fn run(sandbox: &Sandbox, command: &str) -> Ended {
    let mounts = format!("{}/", sandbox.data().display());
    let words = command.trim_start_matches("secchi ").replace("/mnt/", &mounts).replace("8834947", "12000");
    let words = words.replace("--to 64", "--to 2");
    let mut secchi = Secchi::new(&sandbox.path("home"));
    secchi.words(&words);
    let measures = !["setup", "create-globals", "add-globals"].iter().any(|verb| words.contains(verb));
    if measures {
        secchi.words("-t 1.5 --json");
    }
    secchi.arg("--store").arg(sandbox.store());
    secchi.run()
}

#[test]
fn every_case_of_the_guide_runs_and_tells_the_columns_of_mgstat_that_it_names() {
    let _beside = beside();
    let cases = cases();
    assert_eq!(cases.len(), 10);
    let sandbox = Sandbox::new();
    for name in ["h", "i", "k", "l", "j", "n"] {
        std::fs::create_dir(sandbox.data().join(name)).expect("a directory of ours");
    }
    let done = |ended: &Ended, command: &str| {
        assert!(ended.code == 0 || ended.starved(), "{command}: {}{}", ended.stdout, ended.stderr);
    };
    let find_case = |name: &str| cases.iter().find(|c| c.name == name).expect("it is in the table");
    let ended = run(&sandbox, &find_case("D10").commands[0]);
    if ended.code == 4 || ended.stderr.contains("does not support direct I/O") {
        skip!("{}", ended.stderr.trim());
    }
    done(&ended, "setup");
    let making = "secchi db create-globals /mnt/h/ran -g 3 -s 8834947 --value 256";
    done(&run(&sandbox, making), making);
    for case in cases.iter().filter(|c| c.name != "D10") {
        assert!(!case.commands.is_empty(), "{} has no command", case.name);
        for command in &case.commands {
            let ended = run(&sandbox, command);
            if command.contains("--trace-blocks") && ended.code == 4 {
                testkit::skipped(&format!("{}: {}", case.name, ended.stderr.trim()));
                continue;
            }
            done(&ended, command);
            if !ended.stdout.starts_with('{') {
                continue;
            }
            let run: Run = ended.json();
            let engine = &run.judgement.database().expect("a database").engine;
            for column in &case.columns {
                let figures = engine.iter().find(|e| e.name == *column);
                let figures = figures.unwrap_or_else(|| panic!("{command}: no {column} in {engine:?}"));
                // Lazy commits write the journal now and then: perhaps not within a short run without enough CPU time.
                let busy = ended.stdout.contains("host-busy") && command.contains("--commit lazy");
                assert!(busy || figures.total.is_none_or(|n| n > 0.0), "{command}: {figures:?}");
            }
        }
    }
    // D04: what a node takes, as it was counted there.
    let room =
        std::fs::read_dir(sandbox.data().join("i")).expect("it is there").flatten().map(|e| e.path().join("g4.pages"));
    let length = room.filter_map(|file| file.metadata().ok()).map(|m| m.len()).sum::<u64>();
    let each = length as f64 / 12_000.0;
    assert!((each / 303.0 - 1.0).abs() < 0.03, "{each} bytes a node");
}

#[test]
fn columns_of_mgstat_that_a_model_has_not_are_named_as_not_told() {
    let _beside = beside();
    let base = match Base::set_up("model --profile iris", "") {
        Ok(base) => base,
        Err(why) => skip!("{why}"),
    };
    base.run_ok("create-globals", "-g 1 -s 2000");
    let shown = base.run_ok("ranwrite", "-t 1.5 --write-back 300ms --full");
    let line = shown.lines().find(|l| l.contains("not reported by this engine: ")).unwrap_or_else(|| panic!("{shown}"));
    assert_eq!(line.trim(), "not reported by this engine: GRratio, Rourefs, IJUcnt, IJULock");
    let phases = ["WDphase 5", "WDphase 8"].map(|name| shown.lines().any(|l| l.trim().starts_with(name)));
    assert_eq!(phases, [true, true], "{shown}");
    let run = base.measured("ranwrite", "-n 5000 --write-back 200ms");
    let used = run.record.database().expect("a database");
    let count = |name: &str| used.mgstat.iter().find(|(n, _)| n == name).map(|(_, n)| *n);
    assert!(
        used.mgstat.iter().all(|(name, _)| MGSTAT_COLUMNS.contains(&name.as_str()) || name == "WIJwri"),
        "{used:?}"
    );
    // 5,000 updates, for all that read nothing else.
    assert_eq!((count("Gloupds"), count("Glorefs")), (Some(5000.0), Some(5000.0)));
}

#[test]
fn a_ramp_says_up_to_where_a_need_is_met() {
    let _beside = beside();
    let base = match Base::set_up("model --profile iris", "") {
        Ok(base) => base,
        Err(why) => skip!("{why}"),
    };
    base.run_ok("create-globals", "-g 2 -s 2000");
    let ramp = |words: &str| -> Run {
        let ended = base.db("ramp", &format!("--verb ranwrite --json {words}"));
        assert!(matches!(ended.code, 0..=2), "{words}: {}", ended.stderr);
        ended.json()
    };
    let limit = |run: &Run| run.judgement.database().and_then(|d| d.need_limit.clone()).expect("it is told");
    // By processes: every commit keeps a need this wide, and none one this narrow.
    let met = ramp("--to 2 -t 1 --pause 0 --stop gain<0% --need commit:p50<=1h");
    let need_limit = limit(&met);
    // Without a CPU to spare nothing is told by latencies.
    let starved = |run: &Run| run.judgement.caveats.iter().any(|c| c.severity == model::Severity::Invalid);
    assert!(!need_limit.by_rate && !need_limit.outcomes.contains(&Outcome::Fail), "{need_limit:?}");
    assert!(starved(&met) || need_limit.met == Some(need_limit.outcomes.len() - 1), "{need_limit:?}");
    assert!(starved(&met) || met.judgement.verdict.to_string().contains("is met up to"), "{}", met.judgement.verdict);
    let missed = ramp("--to 2 -t 1 --pause 0 --need commit:p50<=1ns");
    let need_limit = limit(&missed);
    // It ends with the first level.
    if !starved(&missed) {
        assert_eq!((need_limit.met, need_limit.outcomes), (None, vec![Outcome::Fail]));
        let verdict = missed.judgement.verdict.to_string();
        assert!(verdict.contains("is not met even at 1 worker"), "{verdict}");
        assert_eq!(missed.judgement.exit_code, 1);
    }
    // By rate: what nobody can keep up with is not met, however short each commit is.
    let raised = ramp(
        "--from 2 -t 2 --txn 50 --rate 20 --rate-process fixed --to-rate 200000 --step x100 --stop gain<0% --need commit:p50<=1h",
    );
    let need_limit = limit(&raised);
    assert!(need_limit.by_rate && need_limit.outcomes.last() == Some(&Outcome::Fail), "{need_limit:?}");
    let verdict = raised.judgement.verdict.to_string();
    assert!(verdict.contains("transactions/s requested from 2 workers"), "{verdict}");
    assert!(
        starved(&raised) || need_limit.met.is_some() && verdict.contains("; not met at"),
        "{need_limit:?} {verdict}"
    );
    let refused = base.db("ramp", "--verb ranwrite --rate 100 --to-rate 50");
    assert!(refused.code == 64 && refused.stderr.contains("--to-rate"), "{}", refused.stderr);
    base.db("ramp", "--verb ranwrite --to-rate 50").refuses(64, "--rate");
}
