//! Interaction with the report page in a real browser: both colour schemes and a phone, hovering, zooming, saving,
//! tables; its figures are compared with those of `show --json`.

use crate::db::Base;
use crate::support::{Browser, OwnDisk, Run, Sandbox, Secchi, Viewport, beside, eventually, paced, skip};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::time::Duration;

const LOOKS: [(&str, Viewport); 3] = [("light", Viewport::DESK), ("dark", Viewport::NIGHT), ("phone", Viewport::PHONE)];

fn written(sandbox: &Sandbox, words: &str, name: &str) -> PathBuf {
    let page = sandbox.path(name);
    let mut secchi = Secchi::new(&sandbox.path("home"));
    secchi.words("report").words(words).arg("-o").arg(&page).arg("--store").arg(sandbox.store());
    let ended = secchi.run();
    assert_eq!(ended.code, 0, "{}{}", ended.stdout, ended.stderr);
    page
}

/// Returns a run with all levels in the charts, which leave out levels disturbed by other load, or the reason if every
/// attempt was disturbed. Runs under a cap, so that other tests may use the processors.
fn qualified(sandbox: &Sandbox, disk: &OwnDisk, words: &str) -> Result<Run, String> {
    disk.group.cap_reads(3000, 0);
    let mut spoilt = Vec::new();
    for _ in 0..5 {
        let mut secchi = sandbox.qualify(sandbox.data(), "--size 64m --max-depth 4 --patterns randread");
        secchi.words(words).arg("--need").arg("8k randread: iops>=1");
        let ended = secchi.inside(disk.group.path()).run();
        assert!(ended.code <= 2, "{}", ended.stderr);
        let run = sandbox.newest().expect("a run is kept");
        spoilt = run.judgement.patterns.iter().flat_map(|p| &p.levels).filter_map(|l| l.struck.clone()).collect();
        if spoilt.is_empty() {
            return Ok(run);
        }
        eprintln!("with a neighbour? {spoilt:#?}");
    }
    assert!(spoilt.iter().all(|why| ["host-busy", "foreign-load"].iter().any(|id| why.starts_with(id))), "{spoilt:#?}");
    Err(format!("others spoilt five runs: {}", spoilt[0]))
}

/// Opens a page and waits for the charts that are drawn only when scrolled to.
fn open_whole(browser: &mut Browser, page: &Path) {
    browser.open_file(page, Viewport::DESK);
    browser.until("document.querySelectorAll('.chart svg').length === document.querySelectorAll('.chart').length");
}

/// Asserts, in every viewport: no console messages, no network requests, every chart drawn, no horizontal overflow.
pub fn looks_right(browser: &mut Browser, page: &Path, name: &str, charts: &[&str]) {
    for (kind, look) in LOOKS {
        browser.open_file(page, look);
        for id in charts {
            let drawn = |what: &str| format!("document.querySelectorAll('#chart-{id} svg {what}').length > 2");
            browser.until(&format!("{} && {}", drawn("path"), drawn("text")));
        }
        let dark = browser.eval("matchMedia('(prefers-color-scheme: dark)').matches");
        assert_eq!(dark, json!(look.dark));
        let over = browser.eval("document.documentElement.scrollWidth - innerWidth");
        assert!(over.as_i64().is_some_and(|w| w <= 0), "{name}, {kind}: {over} pixels beyond the edge");
        // Charts contain lines, and no figure is undefined.
        let text = browser.eval(
            "document.body.innerText + [...document.querySelectorAll('svg')].map((s) => s.textContent).join(' ')",
        );
        let text = text.as_str().expect("a page has text");
        for wrong in ["undefined", "NaN", "Infinity", "[object"] {
            assert!(!text.contains(wrong), "{name}, {kind}: `{wrong}` on the page");
        }
        browser.picture(&format!("{name}-{kind}"));
    }
    // For printing, the charts of a wide window scale to the paper.
    let scaled = "[...document.querySelectorAll('.chart svg')].every((s) => s.hasAttribute('viewBox'))";
    assert_eq!(browser.eval(&format!("(dispatchEvent(new Event('beforeprint')), {scaled})")), true, "{name}");
    assert!(browser.said.is_empty(), "{name}: {:#?}", browser.said);
    assert!(browser.fetched.is_empty(), "{name}: {:#?}", browser.fetched);
    faultless(browser, name);
}

/// Checks the page with axe-core if it is available.
fn faultless(browser: &mut Browser, name: &str) {
    let Some(file) = std::env::var_os("SECCHI_AXE") else {
        skip!("{name} before axe-core: SECCHI_AXE names no axe.min.js")
    };
    let axe = std::fs::read_to_string(file).expect("SECCHI_AXE names axe.min.js");
    for (_, look) in LOOKS {
        browser.set_viewport(look);
        browser.eval(&format!("{axe}; 0"));
        let violations = browser.eval(
            "axe.run({ exclude: ['.chart svg'] }).then((r) => r.violations.filter((v) => ['serious', 'critical'].includes(v.impact)).map((v) => v.id + ': ' + v.nodes.slice(0, 3).map((n) => n.html).join(' ')))",
        );
        assert_eq!(violations, json!([]), "{name}");
    }
}

/// Returns the visible time range of a chart, in percent.
fn zoom_range(browser: &mut Browser, id: &str) -> (f64, f64) {
    let zoom = browser.eval(&format!(
        "(() => {{ const z = echarts.getInstanceByDom(document.querySelector('#chart-{id} .chart')).getOption().dataZoom[0]; return [z.start, z.end]; }})()"
    ));
    (zoom[0].as_f64().expect("a number"), zoom[1].as_f64().expect("a number"))
}

/// Asserts that pointing at a value of a chart's first line shows its figures.
pub fn hovers(browser: &mut Browser, id: &str) {
    let chart = format!("#chart-{id} .chart");
    browser.middle(&chart);
    // Texts are no proof: a chart that is linked with the last one may still show those of the same time.
    let point = browser.eval(&format!(
        "(() => {{ const box = document.querySelector('{chart}'), chart = echarts.getInstanceByDom(box), r = box.getBoundingClientRect(); \
         window.shown = 0; chart.on('showTip', () => {{ window.shown += 1; }}); \
         const data = chart.getOption().series[0].data.filter((d) => d[1] !== null && d[1] !== undefined); \
         const at = chart.convertToPixel({{ seriesIndex: 0 }}, data[Math.floor(data.length / 2)]); return [r.x + at[0], r.y + at[1]]; }})()"
    ));
    let at = |i: usize| point[i].as_f64().unwrap_or_else(|| panic!("{id}: no value to point at: {point}"));
    browser.point((at(0) - 3.0, at(1) + 3.0));
    browser.point((at(0), at(1)));
    browser.until("window.shown > 0");
}

/// Returns the rows of a chart's table.
pub fn table(browser: &mut Browser, id: &str) -> Vec<Vec<String>> {
    browser.click(&format!("#chart-{id} .tools button[aria-pressed]"));
    browser.until(&format!("!document.querySelector('#chart-{id} .data').hidden"));
    let rows = browser.eval(&format!(
        "[...document.querySelectorAll('#chart-{id} .data tr')].map((r) => [...r.children].map((c) => c.textContent))"
    ));
    // Close it with the keyboard.
    browser.enter(&format!("#chart-{id} .tools button[aria-pressed]"));
    browser.until(&format!("document.querySelector('#chart-{id} .data').hidden"));
    serde_json::from_value(rows).expect("rows of texts")
}

fn column(rows: &[Vec<String>], name: &str) -> usize {
    rows[0].iter().position(|h| h == name).unwrap_or_else(|| panic!("no column {name} in {:?}", rows[0]))
}

/// Returns `true` if a figure of a chart equals the value; charts keep five digits.
fn close(text: &str, value: f64) -> bool {
    text.parse::<f64>().is_ok_and(|shown| (shown - value).abs() <= value.abs() * 1e-4)
}

#[test]
fn a_page_of_a_qualification_is_pointed_at_zoomed_and_saved_from() {
    let turn = paced();
    let (sandbox, disk) = match Sandbox::with_own_disk() {
        Ok(made) => made,
        Err(why) => skip!("{why}"),
    };
    let run = match qualified(&sandbox, &disk, "--bs 4k,8k") {
        Ok(run) => run,
        Err(why) => skip!("{why}"),
    };
    drop(turn);
    let _beside = beside();
    let mut browser = match Browser::start(&sandbox.path("home")) {
        Ok(browser) => browser,
        Err(why) => skip!("{why}"),
    };
    let page = written(&sandbox, "last", "one.html");
    let charts = ["ramp", "curve", "sizes", "percentiles", "time", "counters", "heat"];
    looks_right(&mut browser, &page, "qualify", &charts);
    open_whole(&mut browser, &page);

    // The page shows the figures of the run.
    let values = browser.eval("[...document.querySelectorAll('[data-v]')].map((e) => e.dataset.v)");
    let values: Vec<String> = serde_json::from_value(values).expect("texts");
    let sound = || run.judgement.patterns.iter().flat_map(|p| &p.levels).filter(|l| l.struck.is_none());
    for level in sound() {
        assert!(values.contains(&level.iops.value.to_string()), "{} of {values:?}", level.iops.value);
        assert!(values.contains(&level.ops.to_string()), "{} of {values:?}", level.ops);
    }
    let rows = table(&mut browser, "ramp");
    let (iops, n) = (column(&rows, "IOPS"), column(&rows, "in flight"));
    let first =
        run.judgement.patterns.iter().find(|p| p.levels.iter().filter(|l| !l.hold).count() > 1).expect("a ramp");
    for level in first.levels.iter().filter(|l| !l.hold && l.struck.is_none()) {
        let is_shown =
            rows[1..].iter().any(|r| r[n] == level.concurrency().to_string() && close(&r[iops], level.iops.value));
        assert!(is_shown, "{} at {}: {rows:#?}", level.iops.value, level.concurrency());
    }

    charts.iter().filter(|id| **id != "heat").for_each(|id| hovers(&mut browser, id));

    // Scrolling with Ctrl zooms all charts that share the time axis; without Ctrl the page scrolls.
    let middle = browser.middle("#chart-time .chart");
    browser.roll((middle.0, middle.1 - 80.0), -240.0, true);
    let zoom = "echarts.getInstanceByDom(document.querySelector('#chart-time .chart')).getOption().dataZoom[0]";
    browser.until(&format!("{zoom}.end - {zoom}.start < 99"));
    let part = zoom_range(&mut browser, "time");
    for id in ["counters", "heat"] {
        let other = zoom_range(&mut browser, id);
        assert!((other.0 - part.0).abs() < 0.1 && (other.1 - part.1).abs() < 0.1, "{id}: {other:?}, {part:?}");
    }
    browser.eval("[...document.querySelectorAll('#chart-heat .tools button')].find((b) => !b.ariaLabel && !b.ariaPressed).click()");
    browser.until(&format!("{zoom}.start === 0 && {zoom}.end === 100"));

    saves(&mut browser, &sandbox.path("saved"), &rows);

    // The button that switches the colour scheme.
    let ground = "getComputedStyle(document.body).backgroundColor";
    let light = browser.eval(ground);
    browser.click("#theme");
    browser.until(&format!("{ground} !== {light}"));
    assert!(browser.said.is_empty() && browser.fetched.is_empty(), "{:?} {:?}", browser.said, browser.fetched);
}

fn saves(browser: &mut Browser, folder: &Path, rows: &[Vec<String>]) {
    std::fs::create_dir_all(folder).expect("our own place");
    browser.call("Page.setDownloadBehavior", json!({"behavior": "allow", "downloadPath": folder}));
    for (kind, ending) in [("PNG", "png"), ("SVG", "svg"), ("CSV", "csv")] {
        browser.click(&format!("#chart-ramp .tools button[aria-label$=': {kind}']"));
        let file = folder.join(format!("secchi-ramp.{ending}"));
        let whole = || std::fs::metadata(&file).is_ok_and(|m| m.len() > 0);
        let done = eventually(Duration::from_secs(60), || {
            browser.eval("0");
            whole()
        });
        assert!(done, "{kind} was not saved");
        let bytes = std::fs::read(&file).expect("it was saved");
        match kind {
            "PNG" => assert!(bytes.starts_with(b"\x89PNG\r\n\x1a\n") && bytes.len() > 5000, "{} bytes", bytes.len()),
            "SVG" => assert!(bytes.starts_with(b"<svg"), "{}", String::from_utf8_lossy(&bytes[..40])),
            _ => assert_eq!(String::from_utf8_lossy(&bytes).lines().count(), rows.len()),
        }
    }
}

#[test]
fn three_runs_are_laid_over_each_other() {
    let turn = paced();
    let (sandbox, disk) = match Sandbox::with_own_disk() {
        Ok(made) => made,
        Err(why) => skip!("{why}"),
    };
    let runs: Vec<Run> = match (0..3).map(|_| qualified(&sandbox, &disk, "--bs 8k")).collect() {
        Ok(runs) => runs,
        Err(why) => skip!("{why}"),
    };
    drop(turn);
    let _beside = beside();
    let mut browser = match Browser::start(&sandbox.path("home")) {
        Ok(browser) => browser,
        Err(why) => skip!("{why}"),
    };
    let ids: Vec<&str> = runs.iter().map(|r| r.record.id.as_str()).collect();
    let page = written(&sandbox, &format!("first={} second={} third={}", ids[0], ids[1], ids[2]), "three.html");
    looks_right(&mut browser, &page, "three", &["ramp", "curve", "percentiles", "time", "heat"]);
    open_whole(&mut browser, &page);
    let rows = table(&mut browser, "ramp");
    for (name, run) in ["first", "second", "third"].iter().zip(&runs) {
        let iops = column(&rows, &format!("{name}: IOPS"));
        let ramp = run.judgement.patterns.iter().find(|p| p.levels.len() > 2).expect("a ramp");
        for level in ramp.levels.iter().filter(|l| !l.hold && l.struck.is_none()) {
            let is_shown = rows[1..].iter().any(|r| close(&r[iops], level.iops.value));
            assert!(is_shown, "{name}: {} in {rows:#?}", level.iops.value);
        }
    }
    let lines = browser.eval(
        "echarts.getInstanceByDom(document.querySelector('#chart-percentiles .chart')).getOption().series.length",
    );
    assert!(lines.as_u64().is_some_and(|n| n >= 3), "{lines}");
    hovers(&mut browser, "ramp");
    // A list below the chart selects the run whose time series is shown.
    let option = "document.querySelector('#chart-time select').options.length";
    assert_eq!(browser.eval(option), json!(3));
    browser.eval("(() => { const s = document.querySelector('#chart-time select'); s.value = '2'; s.dispatchEvent(new Event('change')); })()");
    browser.until("document.querySelectorAll('#chart-time svg path').length > 5");
    assert!(browser.said.is_empty(), "{:?}", browser.said);
}

#[test]
fn a_database_run_shows_its_checkpoints() {
    let _beside = beside();
    let base = match Base::set_up("sqlite", "--name PAGE") {
        Ok(base) => base,
        Err(why) => skip!("{why}"),
    };
    base.run_ok("create-globals", "-g 4 -s 2000");
    let run = base.measured("ranwrite", "-p 4 -t 4 --txn 20 --write-back 1s");
    let phases = run.record.database().map_or(0, |d| d.phases.len());
    assert!(phases > 0, "no checkpoint in four seconds");
    let mut browser = match Browser::start(&base.sandbox.path("home")) {
        Ok(browser) => browser,
        Err(why) => skip!("{why}"),
    };
    let page = written(&base.sandbox, "last", "db.html");
    looks_right(&mut browser, &page, "db", &["percentiles", "time", "counters"]);
    open_whole(&mut browser, &page);
    let areas = browser.eval(
        "echarts.getInstanceByDom(document.querySelector('#chart-time .chart')).getOption().series[0].markArea.data.map((a) => a[0].name)",
    );
    let named = areas
        .as_array()
        .map_or(0, |a| a.iter().filter(|n| n.as_str().is_some_and(|n| n.contains("checkpoint"))).count());
    assert_eq!(named, phases, "{areas}");
    let wave = run.judgement.database().and_then(|d| d.waves.first()).expect("a wave");
    let values = browser.eval("[...document.querySelectorAll('[data-v]')].map((e) => e.dataset.v)");
    for (kind, figures) in wave.kinds() {
        assert!(
            values.as_array().is_some_and(|t| t.contains(&Value::from(figures.count.to_string()))),
            "{kind}: {values}"
        );
    }
    hovers(&mut browser, "time");
}
