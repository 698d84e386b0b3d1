//! `secchi report`: the page in a real browser, and the other formats of the same run.

use crate::support::{Ended, Place, Secchi, beside, skip};
use std::path::Path;
use std::process::Command;

fn report(place: &Place, words: &str) -> Ended {
    let mut run = Secchi::new(&place.path("home"));
    run.words("report").words(words).arg(format!("--store={}", place.store().display())).run()
}

fn ok(ended: Ended) -> Ended {
    assert_eq!(ended.code, 0, "{}{}", ended.stdout, ended.stderr);
    ended
}

/// What a browser makes of a page: its elements after the scripts ran, and what it said on its console.
fn opened(page: &Path, home: &Path, dark: bool) -> Result<(String, String), String> {
    let program = ["chromium", "chromium-browser", "google-chrome"].into_iter().find(|name| {
        std::env::var_os("PATH").is_some_and(|path| std::env::split_paths(&path).any(|dir| dir.join(name).is_file()))
    });
    let program = program.ok_or("no Chromium is installed")?;
    let mut browser = Command::new(program);
    browser.args(["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--dump-dom"]);
    browser.args(["--enable-logging=stderr", "--v=0", "--virtual-time-budget=5000", "--window-size=1280,900"]);
    if dark {
        browser.arg("--blink-settings=preferredColorScheme=0");
    }
    browser.arg(format!("--user-data-dir={}", home.join("browser").display()));
    browser.arg(format!("file://{}", page.display())).env("HOME", home);
    let out = browser.output().map_err(|e| e.to_string())?;
    Ok((String::from_utf8_lossy(&out.stdout).into_owned(), String::from_utf8_lossy(&out.stderr).into_owned()))
}

#[test]
fn a_page_opens_in_a_browser_draws_its_charts_and_says_nothing() {
    let _beside = beside();
    let place = Place::new();
    for _ in 0..2 {
        let qualify = "--size 64m --patterns randread --bs 4k,8k --max-depth 4 --need";
        let ended = place.qualify(place.data(), qualify).arg("8k randread: iops>=1").run();
        assert!(ended.code <= 2, "{}", ended.stderr);
    }
    let run = place.newest().expect("a run is kept");
    let page = place.path("one.html");
    ok(report(&place, &format!("last -o {}", page.display())));
    let text = std::fs::read_to_string(&page).expect("it was written");
    assert!(text.len() < 3 << 20, "{} bytes", text.len());
    // The same figures as in the document of --json.
    for level in run.judgement.patterns.iter().flat_map(|p| &p.levels).filter(|l| l.struck.is_none()) {
        assert!(text.contains(&format!("data-v=\"{}\"", level.iops.value)), "{}", level.iops.value);
        assert!(text.contains(&format!("data-v=\"{}\"", level.ops)), "{}", level.ops);
    }
    let home = place.path("home");
    for dark in [false, true] {
        let (dom, said) = match opened(&page, &home, dark) {
            Ok(opened) => opened,
            Err(why) => skip!("{why}"),
        };
        assert!(!said.contains("CONSOLE"), "{said}");
        let charts = dom.matches("<svg").count();
        assert!(charts >= 5, "{charts} charts: {said}");
        assert!(dom.contains("id=\"chart-ramp\"") && dom.contains("id=\"chart-time\""), "{said}");
    }

    let other = place.path("two.html");
    let ids = ok(place.secchi("runs --ids").run()).stdout;
    let ids: Vec<&str> = ids.split_whitespace().collect();
    ok(report(&place, &format!("before={} after={} --lang ja -o {}", ids[1], ids[0], other.display())));
    let (dom, said) = opened(&other, &home, false).expect("it opened before");
    assert!(!said.contains("CONSOLE") && dom.contains("before: IOPS"), "{said}");
}

#[test]
fn a_run_is_told_in_every_format_and_what_cannot_be_is_refused() {
    let _beside = beside();
    let place = Place::new();
    let none = report(&place, "last");
    assert_eq!(none.code, 64, "{}", none.stderr);
    let ended = place.qualify(place.data(), "--size 64m --patterns randread --bs 8k --max-depth 2").run();
    assert!(ended.code <= 2, "{}", ended.stderr);
    let verdict = place.newest().expect("a run is kept").judgement.verdict;
    assert!(ok(report(&place, "last")).stdout.starts_with("VERDICT"));
    assert!(ok(report(&place, "last -f markdown")).stdout.starts_with("**"));
    let csv = ok(report(&place, "last --format csv")).stdout;
    assert!(csv.starts_with("run,started,workload,") && csv.lines().count() > 2, "{csv}");
    let document: serde_json::Value = serde_json::from_str(&ok(report(&place, "last -f json")).stdout).expect("JSON");
    assert_eq!(document["judgement"]["verdict"], verdict);

    let file = place.path("told.doc");
    report(&place, &format!("last -o {}", file.display())).refuses(64, "its name says no format");
    assert!(!file.exists());
    report(&place, "last last").refuses(64, "several runs go on one page");
    report(&place, "last last -f csv").refuses(64, "named twice");
    report(&place, "last --lang jp -o a.html").refuses(64, "jp");
}
