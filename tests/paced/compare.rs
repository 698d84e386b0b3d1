//! `secchi compare`, `ab` and `judge`: results, refusals, exit codes, and the files they read and write.

use crate::db::Base;
use crate::support::{
    Browser, Ended, PATIENCE, Sandbox, Secchi, Viewport, alone, beside, eventually, paced, skip, undisturbed,
};
use model::bounds::Metric;
use model::judged::{Answer, Comparison};
use rustix::process::{Pid, Signal, kill_process};
use serde::Deserialize;
use std::path::Path;

/// Returns the command `secchi WORDS --store STORE REST`.
fn secchi(sandbox: &Sandbox, words: &str, rest: &[&str]) -> Secchi {
    let mut secchi = Secchi::new(&sandbox.path("home"));
    secchi.words(words).arg(format!("--store={}", sandbox.store().display()));
    rest.iter().for_each(|word| {
        secchi.arg(word);
    });
    secchi
}

/// Performs a short fio run on a file in the sandbox and returns its id.
fn fio(sandbox: &Sandbox, words: &str, group: Option<&Path>) -> String {
    let mut run = secchi(sandbox, "fio --name=r --size=64m --direct=1 --time_based --output=/dev/null", &[]);
    run.arg(format!("--filename={}", sandbox.data().join("t.dat").display())).words(words);
    if let Some(group) = group {
        run.inside(group);
    }
    let ended = run.run();
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    newest(sandbox)
}

fn newest(sandbox: &Sandbox) -> String {
    let journals = std::fs::read_dir(sandbox.store().join("runs")).expect("the store stands").flatten();
    let newest = journals.max_by_key(|e| e.metadata().and_then(|m| m.modified()).expect("a time"));
    newest.expect("a run").path().file_stem().expect("a name").to_string_lossy().into_owned()
}

fn comparison(ended: &Ended) -> Comparison {
    #[derive(Deserialize)]
    struct Document {
        comparison: Comparison,
    }
    let document: Document = serde_json::from_str(&ended.stdout)
        .unwrap_or_else(|e| panic!("no comparison: {e}\n{}\n{}", ended.stdout, ended.stderr));
    document.comparison
}

fn compare(sandbox: &Sandbox, words: &str, a: &[String], b: &[String]) -> Ended {
    let mut run = secchi(sandbox, "compare --json", &[]);
    run.words(words);
    a.iter().for_each(|id| {
        run.arg(id);
    });
    run.arg("--");
    b.iter().for_each(|id| {
        run.arg(id);
    });
    run.run()
}

#[test]
fn three_percent_less_is_found_and_nothing_is_found_where_nothing_is() {
    // The short form of docs/design/goals.md, "Reliability", G5; the long form with its figures is in
    // bench/journal/2026-11-21-compare.md.
    let _paced = paced();
    let (sandbox, disk) = match Sandbox::with_own_disk() {
        Ok(made) => made,
        Err(why) => skip!("{why}"),
    };
    fio(&sandbox, "--rw=write --bs=1m --ioengine=libaio --runtime=100ms", None);
    let load = "--rw=randread --bs=4k --ioengine=libaio --iodepth=16 --runtime=600ms --ramp_time=100ms";
    undisturbed(|| {
        let mut sides: [Vec<String>; 3] = Default::default();
        // A B C C B A ...: A and C under the same cap.
        for side in [0, 1, 2, 2, 1, 0].into_iter().cycle().take(15) {
            disk.group.cap_reads([6000, 5820, 6000][side], 0);
            sides[side].push(fio(&sandbox, load, Some(disk.group.path())));
        }
        let less = comparison(&compare(&sandbox, "--metric iops", &sides[0], &sides[1]));
        let none = comparison(&compare(&sandbox, "--metric iops", &sides[0], &sides[2]));
        let mut wrong = Vec::new();
        if (less.figures[0].answer, less.exit_code) != (Answer::Changed, 1) {
            wrong.push(format!("-3 % was not found: {:?}", less.figures[0]));
        }
        if none.figures[0].answer == Answer::Changed {
            wrong.push(format!("a change where there is none: {:?}", none.figures[0]));
        }
        wrong
    });
}

#[test]
fn runs_are_found_wherever_they_lie_and_what_did_not_do_the_same_is_refused() {
    // Figures disturbed by other tests on the disk would be struck, and `more_runs` would be absent.
    let _alone = alone();
    let sandbox = Sandbox::new();
    let one = fio(&sandbox, "--rw=randread --bs=4k --ioengine=psync --runtime=200ms", None);
    let two = fio(&sandbox, "--rw=randread --bs=8k --ioengine=psync --runtime=200ms", None);
    let json = sandbox.path("one.json");
    let shown = secchi(&sandbox, "show --json", &[&one]).run();
    std::fs::write(&json, &shown.stdout).expect("a file of ours");
    let journal = sandbox.store().join("runs").join(format!("{two}.journal"));
    // A document compared with a journal: bs differs.
    let words = [json.to_str().expect("UTF-8"), "--", journal.to_str().expect("UTF-8")];
    secchi(&sandbox, "compare", &words).run().refuses(64, "bs is 4k in A and 8k in B");
    let ended = secchi(&sandbox, "compare --allow bs --json", &words).run();
    assert_eq!(ended.code, 2, "one run a side tells nothing: {}", ended.stderr);
    let compared = comparison(&ended);
    assert_eq!(compared.differing[0].name, "bs");
    // A p99 needs a thousand operations, which a busy machine may not reach.
    assert!(compared.figures.iter().all(|f| f.answer == Answer::CannotTell));
    // More runs do not help if other load spoilt the figures, which are left out.
    assert_eq!(
        compared.figures[0].more_runs.is_none(),
        compared.figures[0].why.contains("left out"),
        "{:?}",
        compared.figures[0]
    );
    // fio's JSON, written by secchi.
    let fios = sandbox.path("fio.json");
    let mut run = secchi(&sandbox, "fio --name=r --size=64m --direct=1 --time_based --rw=randread --bs=4k", &[]);
    run.words("--ioengine=psync --runtime=200ms --output-format=json").arg(format!("--output={}", fios.display()));
    run.arg(format!("--filename={}", sandbox.data().join("t.dat").display()));
    assert_eq!(run.run().code, 0);
    let ended = secchi(&sandbox, "compare --json", &[&one[..8], fios.to_str().expect("UTF-8")]).run();
    assert_eq!(comparison(&ended).b.tools.len(), 1, "{}", ended.stderr);

    secchi(&sandbox, "compare", &[&one, &one[..9]]).run().refuses(64, "given twice");
    secchi(&sandbox, "compare", &[&one, &two, &one]).run().refuses(64, "after `--`");
    secchi(&sandbox, "compare --allow sbs", &[&one, "--", &two]).run().refuses(64, "did you mean `bs`?");
    secchi(&sandbox, "compare", &[&one, "--", &two, "--json"]).run().refuses(64, "use --allow bs");
    secchi(&sandbox, "compare --within 3", &[&one, &two]).run().refuses(64, "percent");
    secchi(&sandbox, "compare --metric p101", &[&one, &two]).run().refuses(64, "percentile 101");
    let text = sandbox.path("text.json");
    std::fs::write(&text, "no JSON").expect("a file of ours");
    secchi(&sandbox, "compare", &[&one, text.to_str().expect("UTF-8")]).run().refuses(64, "no JSON");
    secchi(&sandbox, "compare", &[&one, "/nowhere/x.json"]).run().refuses(64, "No such file");
}

#[test]
fn two_plans_are_run_in_turn_and_every_run_is_kept() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    let plan = |depth: u32| {
        let file = sandbox.data().join("t.dat");
        format!(
            "fio --name=r --size=16m --direct=1 --time_based --runtime=100ms --rw=randread --bs=4k --ioengine=libaio \
             --iodepth={depth} --filename={}",
            file.display()
        )
    };
    let ended =
        secchi(&sandbox, "ab --rounds 4 --seed 1 --json --metric iops,avg", &["--a", &plan(1), "--b", &plan(8)]).run();
    assert!(matches!(ended.code, 0..=2), "{}", ended.stderr);
    let compared = comparison(&ended);
    assert_eq!((compared.a.runs.len(), compared.b.runs.len(), compared.figures.len()), (4, 4, 2));
    assert_eq!(compared.differing.iter().map(|d| d.name.as_str()).collect::<Vec<_>>(), ["depth"]);
    assert_eq!(i32::from(compared.exit_code), ended.code);
    let kept = sandbox.secchi("runs --ids").run().stdout;
    assert!(compared.a.runs.iter().chain(&compared.b.runs).all(|id| kept.contains(id.as_str())), "{kept}");
    // Compare the same runs by hand.
    let again = comparison(&compare(&sandbox, "--metric iops,avg --allow depth", &compared.a.runs, &compared.b.runs));
    assert_eq!(again.figures, compared.figures);

    secchi(&sandbox, "ab", &["--a", "show x", "--b", &plan(1)])
        .run()
        .refuses(64, "begin with `fio`, `qualify`, `ping`, `mark` or `db`");
    secchi(&sandbox, "ab --rounds 3", &["--a", &plan(1), "--b", &plan(1)]).run().refuses(64, "4 to 1000");
    // A plan is refused when it runs: its message is passed on.
    let refused = format!("fio --name=x --rw=write --size=1m --filename={}", sandbox.path("foreign").display());
    std::fs::write(sandbox.path("foreign"), "mine").expect("a file of ours");
    let ended = secchi(&sandbox, "ab --rounds 4", &["--a", &refused, "--b", &refused]).run();
    assert_eq!(ended.code, 3, "{}", ended.stderr);
}

#[test]
fn a_signal_ends_the_turns_and_leaves_nobody_behind() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    let file = sandbox.data().join("t.dat");
    let plan = format!(
        "fio --name=r --size=16m --time_based --runtime=60s --rw=randread --bs=4k --ioengine=psync --filename={}",
        file.display()
    );
    let running = secchi(&sandbox, "ab --rounds 4", &["--a", &plan, "--b", &plan]).start();
    let begun = || crate::support::processes_about(&file).len() >= 3;
    assert!(eventually(PATIENCE, begun), "a run begins");
    kill_process(Pid::from_raw(running.pid() as i32).expect("a process"), Signal::INT).expect("it can be signalled");
    let ended = running.wait(PATIENCE);
    assert_eq!(ended.code, 130, "{}", ended.stderr);
    assert!(eventually(PATIENCE, || crate::support::processes_about(&file).is_empty()), "no orphan");
}

#[test]
fn a_kept_run_is_judged_by_lines_files_and_contracts() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    let words = "--rw=randread --bs=4k --ioengine=psync --numjobs=2 --runtime=1s";
    let undisturbed = (0..5).map(|_| fio(&sandbox, words, None)).find(|id| {
        let met = secchi(&sandbox, "judge", &[id.as_str(), "--need", "4k randread: iops>=1"]).run();
        !met.starved()
    });
    let Some(id) = undisturbed else { skip!("others had the CPU in each of five runs") };
    let judge = |rest: &[&str]| {
        let mut words = vec![id.as_str()];
        words.extend(rest);
        secchi(&sandbox, "judge", &words).run()
    };
    let met = judge(&["--need", "4k randread: iops>=1, max<=1h"]);
    assert_eq!(met.code, 0, "{}{}", met.stdout, met.stderr);
    assert!(met.stdout.contains("1 need: 1 met"), "{}", met.stdout);
    assert_eq!(judge(&["--need", "4k randread: iops>=900000000"]).code, 1);
    let open = judge(&["--need", "etcd"]);
    assert_eq!(open.code, 2);
    assert!(open.stdout.contains("secchi qualify"), "{}", open.stdout);

    let file = sandbox.path("ours.toml");
    std::fs::write(
        &file,
        "title = 'ours'\n[[need]]\nblock = '4k'\nmode = 'randread'\nclauses = ['iops>=1']\n\
         [[need]]\nline = '4k randread: iops>=900000000'\n[[need]]\nline = '8k randwrite: p99<=1ms'\n",
    )
    .expect("a file of ours");
    let report = sandbox.path("junit.xml");
    let file = file.to_str().expect("UTF-8");
    let both = judge(&["--need", file, "--junit", report.to_str().expect("UTF-8")]);
    assert_eq!(both.code, 1, "{}", both.stderr);
    assert!(both.stdout.contains("1 met, 1 not met, 1 undecided"), "{}", both.stdout);
    let xml = std::fs::read_to_string(&report).expect("the report stands");
    assert!(xml.contains(r#"tests="3" failures="1" errors="1""#), "{xml}");
    assert_eq!(judge(&["--need", &format!("@{file}")]).code, 1);

    judge(&[]).refuses(64, "nothing to judge by");
    judge(&["--need", "iris-flahs"]).refuses(64, "iris-flash");
    judge(&["--need", "ibm-endurance"]).refuses(64, "ibm-endurance:40000");
    judge(&["--need", "@/nowhere"]).refuses(64, "No such file");
    judge(&["--need", "4k randread: iops>=1", "--junit", "/nowhere/x.xml"]).refuses(4, "cannot write");
}

#[test]
fn two_runs_of_a_database_are_compared_by_what_was_set_and_what_came_of_it() {
    let _beside = beside();
    let base = match Base::set_up("sqlite", "") {
        Ok(base) => base,
        Err(why) => skip!("{why}"),
    };
    base.run_ok("create-globals", "-g 1 -s 1000");
    let run = |words: &str| {
        let ended = base.db("ranwrite", &format!("-n 3000 --pause 0 {words}"));
        ended.measured();
        base.sandbox.newest().expect("it is kept").record.id
    };
    let (on, off): (Vec<String>, Vec<String>) =
        (0..3).map(|_| (run("--journal-mode on"), run("--journal-mode off"))).unzip();
    compare(&base.sandbox, "", &on, &off).refuses(64, "journal is on in A and off in B");
    let ended = compare(&base.sandbox, "--allow commit,journal", &on, &off);
    let compared = comparison(&ended);
    assert!([0, 1, 2].contains(&ended.code), "{}: {}", ended.code, ended.stderr);
    let journal = compared.differing.iter().find(|d| d.name == "journal").expect("told");
    assert_eq!((journal.a.as_str(), journal.b.as_str()), ("on", "off"));
    let named: Vec<(&str, Metric)> = compared.figures.iter().map(|f| (f.subject.as_str(), f.metric)).collect();
    for wanted in [("RanWrite updates", Metric::Iops), ("RanWrite commits", Metric::Percentile(99.0))] {
        assert!(named.contains(&wanted), "{named:?}");
    }
    // A test of another kind cannot be compared with it.
    let read = base.db("ranread", "-n 200");
    read.measured();
    let read = base.sandbox.newest().expect("it is kept").record.id;
    let refused = compare(&base.sandbox, "", &on[..1], &[read]);
    assert_eq!(refused.code, 64, "{}{}", refused.stdout, refused.stderr);
}

#[test]
fn a_comparison_is_written_into_files_and_opens_in_a_browser() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    for _ in 0..2 {
        let ended = sandbox
            .qualify(sandbox.data(), "--size 64m --engine psync --patterns randread --bs 4k,8k --max-depth 2")
            .run();
        assert!(ended.code <= 2, "{}", ended.stderr);
    }
    let file = |ending: &str| sandbox.path(&format!("c.{ending}"));
    let mut run = secchi(&sandbox, "compare last-1 last", &[]);
    for ending in ["html", "md", "csv", "json", "xml", "txt"] {
        run.arg("-o").arg(file(ending));
    }
    let ended = run.run();
    assert!(ended.code <= 2, "{}", ended.stderr);
    let text = |ending: &str| std::fs::read_to_string(file(ending)).expect("it was written");
    assert!(text("md").contains("| figure | A | B |") && text("csv").starts_with("workload,figure,a,b,ratio,"));
    let document: serde_json::Value = serde_json::from_str(&text("json")).expect("JSON");
    let figures = document["comparison"]["figures"].as_array().expect("figures").len();
    assert_eq!(text("csv").lines().count(), figures + 1);
    assert!(text("txt").contains("VERDICT"));
    assert!(text("xml").contains(&format!("tests=\"{figures}\"")));
    // Written again, the files are recognized as earlier outputs.
    let mut again = secchi(&sandbox, "compare last-1 last", &[]);
    for ending in ["html", "md", "csv", "json", "xml", "txt"] {
        again.arg("-o").arg(file(ending));
    }
    assert!(again.run().code <= 2);
    let mut browser = match Browser::start(&sandbox.path("home")) {
        Ok(browser) => browser,
        Err(why) => skip!("{why}"),
    };
    browser.open_file(&file("html"), Viewport::DESK);
    // If other load spoilt every figure on either side, there is no change to draw.
    if document["comparison"]["figures"].as_array().expect("figures").iter().any(|f| f["ratio"].is_f64()) {
        browser.until("document.querySelector('#chart-changes svg') !== null");
    } else {
        assert_eq!(browser.eval("document.querySelector('#chart-changes')"), serde_json::Value::Null);
        testkit::skipped("the chart of changes: others spoilt every figure");
    }
    assert_eq!(
        browser.eval("document.querySelectorAll('main > .part table.figures tbody tr:has(td)').length").as_u64(),
        Some(figures as u64)
    );
    assert_eq!(browser.eval("document.querySelectorAll('article').length").as_u64(), Some(2), "both runs below it");
    assert!(browser.said.is_empty(), "{:?}", browser.said);
}
