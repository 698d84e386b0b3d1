//! `secchi report`: the page in a real browser, and the other formats of the same run.

use crate::support::{Browser, Ended, Run, Sandbox, Secchi, Viewport, beside, skip};
use model::judged::PatternJudgement;
use serde_json::json;

fn report(sandbox: &Sandbox, words: &str) -> Ended {
    let mut run = Secchi::new(&sandbox.path("home"));
    run.words("report").words(words).arg(format!("--store={}", sandbox.store().display())).run()
}

fn ok(ended: Ended) -> Ended {
    assert_eq!(ended.code, 0, "{}{}", ended.stdout, ended.stderr);
    ended
}

#[test]
fn a_page_opens_in_a_browser_draws_its_charts_and_says_nothing() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    for _ in 0..2 {
        let qualify = "--size 64m --patterns randread --bs 4k,8k --max-depth 4 --need";
        let ended = sandbox.qualify(sandbox.data(), qualify).arg("8k randread: iops>=1").run();
        assert!(ended.code <= 2, "{}", ended.stderr);
    }
    let run = sandbox.newest().expect("a run is kept");
    let page = sandbox.path("one.html");
    ok(report(&sandbox, &format!("last -o {}", page.display())));
    let text = std::fs::read_to_string(&page).expect("it was written");
    assert!(text.len() < 3 << 20, "{} bytes", text.len());
    // The same figures as in the document of --json.
    for level in run.judgement.patterns.iter().flat_map(|p| &p.levels).filter(|l| l.struck.is_none()) {
        assert!(text.contains(&format!("data-v=\"{}\"", level.iops.value)), "{}", level.iops.value);
        assert!(text.contains(&format!("data-v=\"{}\"", level.ops)), "{}", level.ops);
    }
    let mut browser = match Browser::start(&sandbox.path("home")) {
        Ok(browser) => browser,
        Err(why) => skip!("{why}"),
    };
    // For printing, charts that were not scrolled to are drawn too.
    let drawn = "document.querySelectorAll('.chart svg').length";
    browser.open_file(&page, Viewport::DESK);
    let printed = browser.eval(&format!("(dispatchEvent(new Event('beforeprint')), {drawn})"));
    // A figure that has no data, because others disturbed every level, shows the reason instead of a chart.
    assert_eq!(printed, browser.eval("document.querySelectorAll('figure .reason[hidden]').length"));
    let figures = browser.eval("document.querySelectorAll('figure').length");
    assert!(figures.as_u64().is_some_and(|n| n >= 5), "{figures} figures");

    let other = sandbox.path("two.html");
    let ids = ok(sandbox.secchi("runs --ids").run()).stdout;
    let ids: Vec<&str> = ids.split_whitespace().collect();
    ok(report(&sandbox, &format!("before={} after={} --lang ja -o {}", ids[1], ids[0], other.display())));
    browser.open_file(&other, Viewport::DESK);
    // The chart shows the first workload that has a line; with a busy neighbour levels are struck, and a run may have
    // none.
    let before = sandbox.secchi(&format!("show --json {}", ids[1])).run().json();
    let lines = |run: &Run| -> Vec<String> {
        let rises = |p: &&PatternJudgement| p.levels.iter().filter(|l| !l.hold && l.struck.is_none()).count() > 1;
        run.judgement.patterns.iter().filter(rises).map(|p| p.label.clone()).collect()
    };
    let each = [("before", lines(&before)), ("after", lines(&run))];
    let shown = each.iter().find_map(|(_, lines)| lines.first());
    for (name, lines) in &each {
        if shown.is_some_and(|shown| lines.contains(shown)) {
            let line = format!("{name}: IOPS");
            browser.until(&format!("document.querySelector('#chart-ramp svg')?.textContent.includes('{line}')"));
        } else {
            testkit::skipped(&format!("the line of {name}: its levels are struck"));
        }
    }
    assert_eq!(
        (browser.said.len(), browser.eval("document.documentElement.lang")),
        (0, json!("ja")),
        "{:?}",
        browser.said
    );
    // Texts are translated; the figures are the same.
    let words = ["Workloads", "ワークロード", "工作负载", "Нагрузки"];
    for (language, word) in ["en", "ja", "zh", "ru"].into_iter().zip(words) {
        let page = sandbox.path(&format!("{language}.html"));
        ok(report(&sandbox, &format!("last --lang {language} -o {}", page.display())));
        let text = std::fs::read_to_string(&page).expect("it was written");
        assert!(text.contains(&format!("<h2>{word}</h2>")), "{language}");
        assert!(text.contains(&format!("<html lang=\"{language}\">")), "{language}");
        // If other load disturbed every level, none is held.
        for figure in run
            .judgement
            .patterns
            .iter()
            .flat_map(|p| &p.levels)
            .filter(|l| l.hold && l.struck.is_none())
            .map(|l| &l.iops)
        {
            let figure = model::units::thousands(figure.value);
            let figure = if language == "ru" { figure.replace(',', "\u{202f}") } else { figure };
            assert!(text.contains(&figure), "{language}");
        }
    }
}

#[test]
fn a_run_is_told_in_every_format_and_what_cannot_be_is_refused() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    let none = report(&sandbox, "last");
    assert_eq!(none.code, 64, "{}", none.stderr);
    let ended = sandbox.qualify(sandbox.data(), "--size 64m --patterns randread --bs 8k --max-depth 2").run();
    assert!(ended.code <= 2, "{}", ended.stderr);
    let verdict = sandbox.newest().expect("a run is kept").judgement.verdict;
    let screen = ok(report(&sandbox, "last")).stdout;
    assert!(screen.starts_with("BINDS") && screen.contains("\nVERDICT"), "{screen}");
    let issue = ok(report(&sandbox, "last -f markdown")).stdout;
    assert!(issue.starts_with("<!-- secchi report -->\n- **BINDS** "), "{issue}");
    let csv = ok(report(&sandbox, "last --format csv")).stdout;
    assert!(csv.starts_with("run,started,workload,") && csv.lines().count() > 2, "{csv}");
    let document: serde_json::Value = serde_json::from_str(&ok(report(&sandbox, "last -f json")).stdout).expect("JSON");
    assert_eq!(document["judgement"]["verdict"], *verdict);

    let file = sandbox.path("told.doc");
    report(&sandbox, &format!("last -o {}", file.display())).refuses(64, "unknown file extension");
    assert!(!file.exists());
    report(&sandbox, "last last -f csv").refuses(64, "given twice");
    report(&sandbox, "last --lang jp -o a.html").refuses(64, "jp");
}
