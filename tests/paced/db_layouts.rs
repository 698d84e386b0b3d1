//! `secchi db ... --compare-layout`: moving files off a capped volume is reported as a gain, equal volumes as no
//! difference, in alternating runs. The comparison uses its own copy of the database and removes it.

use crate::db::Base;
use crate::support::{Blkio, Ended, Loop, Mounted, PATIENCE, Secchi, alone, eventually, loop_and_ext4, names_in, skip};
use model::judged::{LayoutAnswer, LayoutComparison};
use model::measured::FileRole;
use rustix::process::{Pid, Signal, kill_process};
use serde::Deserialize;
use std::path::{Path, PathBuf};

/// A database of the model on the first of two separate disks.
struct Two {
    base: Base,
    disks: [(Mounted, Loop); 2],
}

impl Two {
    fn new() -> Result<Two, String> {
        let mut base = Base::within("data");
        let disk =
            |name: &str| loop_and_ext4(&base.sandbox.path(&format!("{name}.image")), 1 << 29, &base.sandbox.path(name));
        let disks = [disk("one")?, disk("two")?];
        base.at = disks[0].0.point.join("ran");
        base.make("model", "--profile iris")?;
        base.run_ok("create-globals", "-g 2 -s 10000");
        Ok(Two { base, disks })
    }

    fn second(&self) -> &Path {
        &self.disks[1].0.point
    }

    /// Asserts that nothing of the copy remains.
    fn is_clean(&self) {
        let home = names_in(&self.base.at);
        assert_eq!(home, ["data", "secchi-database.json", "work"], "{home:?}");
        assert_eq!(names_in(self.second()), ["lost+found"]);
    }
}

fn parse_comparison(ended: &Ended) -> LayoutComparison {
    #[derive(Deserialize)]
    struct Document {
        layouts: LayoutComparison,
    }
    let document: Document = serde_json::from_str(&ended.stdout)
        .unwrap_or_else(|e| panic!("no layouts: {e}\n{}\n{}", ended.stdout, ended.stderr));
    assert_eq!(testkit::schema_violations("layouts", &ended.stdout).unwrap_or_default(), "");
    document.layouts
}

fn comparing(two: &Two, words: &str) -> Secchi {
    let mut secchi = two.base.command("ranwrite", words);
    secchi.arg(format!("--compare-layout=journal={}", two.second().display()));
    secchi
}

#[test]
fn a_journal_moved_off_a_capped_volume_is_told_as_gain() {
    let _alone = alone();
    let two = match Two::new() {
        Ok(two) => two,
        Err(why) => skip!("{why}"),
    };
    let group = match Blkio::on(&two.base.at) {
        Ok(group) => group,
        Err(why) => skip!("{why}"),
    };
    group.cap_writes(60, 0);
    let ended = comparing(&two, "-p 2 -t 2 --write-back 1s --pause 0 --seed 7 --json").inside(group.path()).run();
    let parsed = parse_comparison(&ended);
    assert_eq!(parsed.answer, LayoutAnswer::Worth, "{:#?}\n{}", parsed.comparison, ended.stderr);
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    // Five runs of each, alternating: in two rounds each side has the same mean position.
    let (a, b) = (&parsed.comparison.a.runs, &parsed.comparison.b.runs);
    assert!(a.len() == 5 && b.len() == 5 && a.iter().all(|run| !b.contains(run)), "{a:?} {b:?}");
    assert_eq!(parsed.sides[0].binds, Some(FileRole::Journal), "{:?}", parsed.sides[0]);
    let journal =
        |side: usize| parsed.sides[side].roles.iter().find(|r| r.role == FileRole::Journal).expect("a journal");
    assert!(journal(1).moved && journal(0).devices != journal(1).devices, "{:?}", parsed.sides);
    let data = |side: usize| parsed.sides[side].roles.iter().find(|r| r.role == FileRole::Data).expect("data");
    assert!(!data(1).moved && data(0).devices == data(1).devices, "{:?}", parsed.sides);
    let rate = parsed.comparison.figures.iter().find(|f| f.subject == "transactions").expect("their rate");
    assert!(rate.ratio.expect("a ratio") > 1.5, "{rate:?}");
    two.is_clean();
    // Both kinds of runs are stored like any other, and drew the same keys.
    let listed = two.base.run_ok("history", "");
    assert!(listed.contains("RanWrite"), "{listed}");
}

#[test]
fn between_equal_volumes_there_is_no_difference() {
    let _alone = alone();
    let two = match Two::new() {
        Ok(two) => two,
        Err(why) => skip!("{why}"),
    };
    let ended = comparing(&two, "-p 1 -t 1 --within 50% --json").run();
    let parsed = parse_comparison(&ended);
    let equal = matches!(parsed.answer, LayoutAnswer::NoDifference | LayoutAnswer::CannotTell);
    assert!(equal, "{:#?}", parsed.comparison);
    assert_eq!(ended.code, if parsed.answer == LayoutAnswer::NoDifference { 0 } else { 2 });
    two.is_clean();
    // The same for a reader, keeping the copy: it is a normal database.
    let ended = comparing(&two, "-p 1 -n 500 --rounds 4 --keep-layout --full").run();
    for part in ["journal=", "sessions wait", "medians of the runs"] {
        assert!(ended.stdout.contains(part), "`{part}` is not in {}", ended.stdout);
    }
    let kept: PathBuf = {
        let line = ended.stderr.lines().find_map(|l| l.split_once("is kept: ")).expect("it is named");
        line.1.trim().into()
    };
    assert!(kept.starts_with(&two.base.at), "{}", kept.display());
    let mut check = Secchi::new(&two.base.sandbox.path("home"));
    let checked = check.arg("db").arg("check").arg(&kept).run();
    assert!(checked.code == 0 && checked.stdout.contains("20000 nodes"), "{}{}", checked.stdout, checked.stderr);
    let mut purge = Secchi::new(&two.base.sandbox.path("home"));
    assert_eq!(purge.arg("db").arg("purge").arg(&kept).run().code, 0);
    two.is_clean();
}

#[test]
fn a_comparison_that_is_stopped_takes_its_copy_with_it() {
    let two = match Two::new() {
        Ok(two) => two,
        Err(why) => skip!("{why}"),
    };
    let running = comparing(&two, "-t 60").start();
    let at_work = eventually(PATIENCE, || {
        let work = |home: &Path| names_in(&home.join("work")).iter().any(|name| name.starts_with("running-"));
        let copy = names_in(&two.base.at).into_iter().find(|name| name.starts_with("layout-"));
        copy.is_some_and(|name| {
            let copy = two.base.at.join(name);
            copy.join("work").is_dir()
                && (work(&copy) || work(&two.base.at))
                && running.stderr().contains("alternating runs")
        })
    });
    assert!(at_work, "no run began: {}", running.stderr());
    kill_process(Pid::from_raw(running.pid() as i32).expect("a process"), Signal::INT).expect("a signal");
    let ended = running.wait(PATIENCE);
    assert_eq!(ended.code, 130, "{}", ended.stderr);
    assert!(ended.stderr.contains("stopped after 0 of "), "{}", ended.stderr);
    two.is_clean();
}

#[test]
fn what_cannot_be_laid_out_is_refused_by_name() {
    let two = match Two::new() {
        Ok(two) => two,
        Err(why) => skip!("{why}"),
    };
    let refused = |base: &Base, verb: &str, words: &str, needles: &[&str]| {
        let ended = base.db(verb, words);
        assert_eq!(ended.code, 64, "{words}: {}", ended.stderr);
        assert!(needles.iter().all(|needle| ended.stderr.contains(needle)), "{words}: {}", ended.stderr);
    };
    let (base, second) = (&two.base, two.second().display().to_string());
    refused(base, "ranwrite", "--compare-layout jornal=/x", &["did you mean `journal`?"]);
    refused(base, "ranwrite", "--compare-layout journal", &["not ROLE=DIR"]);
    refused(base, "ranwrite", &format!("--compare-layout journal={second},journal=/x"), &["given twice"]);
    refused(base, "ranwrite", "--compare-layout journal=/not/there", &["/not/there", "no such directory"]);
    let same = base.at.parent().expect("a place").display().to_string();
    refused(base, "ranwrite", &format!("--compare-layout image={same}"), &["on the same file system as now"]);
    let many = vec![format!("data={second}"); 3].join(",");
    refused(base, "ranwrite", &format!("--compare-layout {many}"), &["3 directories", "2 globals"]);
    refused(base, "ranwrite", &format!("--compare-layout journal={second} --rounds 3"), &["4 to 1000"]);
    refused(base, "ranread", &format!("--compare-layout journal={second}"), &["--through engine"]);
    refused(base, "ranwrite", "--keep-layout", &["--compare-layout"]);
    let other = match Base::set_up("sqlite", "") {
        Ok(base) => base,
        Err(why) => skip!("{why}"),
    };
    refused(&other, "ranwrite", &format!("--compare-layout journal={second}"), &["--engine model", "sqlite"]);
    let postgres = match Base::set_up("model --profile postgres", "") {
        Ok(base) => base,
        Err(why) => skip!("{why}"),
    };
    refused(&postgres, "ranwrite", &format!("--compare-layout image={second}"), &["no image journal"]);
    two.is_clean();
}
