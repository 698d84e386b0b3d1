//! Needs from samples of other tools: their resolution and doubts, as a contract; files without a need.

use crate::support::commands::{fixture, judge, needs, written};
use crate::support::{Sandbox, Secchi, beside, skip};
use serde_json::Value;
use std::fmt::Write;
use std::path::PathBuf;

fn doubts(judged: &Value) -> Vec<&str> {
    judged["doubts"].as_array().expect("a list").iter().filter_map(|d| d["id"].as_str()).collect()
}

/// Returns mgstat output with a row every `step` seconds for two minutes: constant reads, and writes in bursts.
fn mgstat(step: u64) -> String {
    let mut text = "Date, Time, Glorefs, GRratio, PhyRds, Gloupds, Rourefs, PhyWrs, WDQsz, WDphase, Jrnwrts, WDpass, IJUcnt, IJULock\n".to_owned();
    for i in 0..120 / step {
        let (minute, second, writes) = (i * step / 60, i * step % 60, if i % 4 == 0 { 8000 } else { 0 });
        let _ =
            writeln!(text, "04/15/2022, 10:{minute:02}:{second:02}, 1, 0, 1500, 1, 0, {writes}, 0, 5, 25, 72, 0, 0");
    }
    text
}

fn cloudwatch() -> String {
    let list = |value: &dyn Fn(u32) -> String, from: u32| (from..from + 12).map(value).collect::<Vec<_>>().join(",");
    let times = list(&|i| format!("\"2026-04-15T10:{:02}:00Z\"", i * 5), 0);
    let metric = |label: &str, values: String| {
        format!("{{\"Label\": \"vol-1 {label}\", \"Timestamps\": [{times}], \"Values\": [{values}]}}")
    };
    let metrics = [
        metric("VolumeReadOps", list(&|i| (300 * 100 * (i % 2)).to_string(), 0)),
        metric("VolumeReadBytes", list(&|i| (300 * 100 * 16384 * u64::from(i % 2)).to_string(), 0)),
        metric("VolumeWriteOps", list(&|_| (300 * 50).to_string(), 0)),
        metric("VolumeIOPSExceededCheck", list(&|i| u32::from(i == 3).to_string(), 0)),
    ];
    format!("{{\"MetricDataResults\": [{}]}}", metrics.join(","))
}

#[test]
fn samples_of_every_tool_tell_a_need_at_their_resolution() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    let html = format!(
        "<html>\nProfile run \"x\" started by user \"u\" at 10:00:00 on Apr 15 2022.\n<!-- beg_mgstat -->\n{}<!-- end_mgstat -->\n</html>\n",
        mgstat(10)
    );
    // File, resolution in seconds, first role, requests of that role, an expected doubt.
    let cases = [
        (written(&sandbox, "a.mgst", &mgstat(1)), 1.0, "data", 120 * 1500 + 30 * 8000, "demand-no-size"),
        (written(&sandbox, "b.html", &html), 10.0, "data", 120 * 1500 + 30 * 8000, "demand-blocks"),
        (written(&sandbox, "c.json", &cloudwatch()), 300.0, "vol-1", 6 * 30_000 + 12 * 15_000, "demand-exceeded"),
        (fixture("made/azure-monitor-lun.json"), 60.0, "LUN 0", 283_710, "demand-gaps"),
        (fixture("pg_stat_io.csv"), 10.1, "data", 29_307, "demand-calls"),
        (fixture("iostat.txt"), 1.0, "vda", 13_341, "recording-short"),
    ];
    for (file, resolution, role, requests, doubt) in cases {
        let name = file.display();
        let judged = judge(&sandbox, &file);
        let seconds = judged["resolution"].as_f64().expect("samples have one") / 1e9;
        assert!((seconds - resolution).abs() < 0.02, "{name}: {seconds}");
        let first = &judged["roles"][0];
        let moved = ["read", "write"].map(|kind| first["kinds"][kind]["requests"].as_u64().unwrap_or(0));
        assert_eq!((first["role"].as_str(), moved.iter().sum::<u64>()), (Some(role), requests), "{name}");
        assert!(doubts(&judged).contains(&doubt) && doubts(&judged).contains(&"demand-sampled"), "{name}: {judged}");
        // Unknown figures are absent, not zero.
        let absent =
            [&first["working_set"], &first["kinds"]["write"]["sequential"], &first["kinds"]["write"]["latency"]["p99"]];
        assert!(absent.iter().all(|value| value.is_null()), "{name}: {first}");
        if resolution > 1.0 {
            let sustained = first["iops"]["sustained"].as_array().expect("a list");
            assert!(sustained.iter().all(|s| s["length"].as_f64().expect("told") >= resolution * 1e9), "{name}");
        }
        let screen = needs(&sandbox, &file, "");
        assert!(screen.stdout.contains("one sample per"), "{name}: {}", screen.stdout);
    }
}

#[test]
fn a_contract_of_samples_names_their_resolution_and_a_candidate_can_be_held_against_it() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    let file = written(&sandbox, "a.mgst", &mgstat(10));
    let (contract, page) = (sandbox.path("need.toml"), sandbox.path("need.html"));
    let mut secchi = Secchi::new(&sandbox.path("home"));
    secchi.words("needs --headroom 0%").arg(&file).arg("-o").arg(&contract).arg("--html").arg(&page);
    // An earlier output is replaced.
    for _ in 0..2 {
        let ended = secchi.run();
        assert_eq!(ended.code, 0, "{}", ended.stderr);
    }
    let text = std::fs::read_to_string(&contract).expect("a contract");
    assert!(text.contains("# One sample each 10.0 s: bursts within it are not visible"), "{text}");
    assert!(text.contains("iops>=9500") && text.contains("# journal: ") && !text.contains("p99"), "{text}");
    let plan = sandbox.qualify(sandbox.data(), "--plan --need").arg(&contract).run();
    assert_eq!(plan.code, 0, "{}", plan.stderr);
    assert!(std::fs::read_to_string(&page).expect("a page").contains("\"id\":\"asked\""));
    // Another file is not.
    std::fs::write(&page, "mine\n").expect("written");
    let ended = secchi.run();
    assert_eq!(ended.code, 3, "{}", ended.stderr);
    assert_eq!(std::fs::read_to_string(&page).expect("there"), "mine\n");
}

#[test]
fn what_tells_no_need_is_refused_by_what_it_lacks() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    let snapshots = std::fs::read_to_string(fixture("pg_stat_io.csv")).expect("there");
    let second = snapshots.match_indices("now,").nth(1).expect("several snapshots").0;
    let one = written(&sandbox, "one.csv", &snapshots[..second]);
    needs(&sandbox, &one, "").refuses(64, "at least two samples with times");
    needs(&sandbox, &fixture("iostat-y.txt"), "").refuses(64, "at least two samples with times");
    needs(&sandbox, &fixture("ioping.txt"), "").refuses(64, "it contains no samples of reads and writes");
    needs(&sandbox, &written(&sandbox, "x.txt", "hello\n"), "").refuses(64, "has no samples of a known tool");
    needs(&sandbox, &written(&sandbox, "empty", ""), "").refuses(64, "it is empty");
    needs(&sandbox, &sandbox.path("nowhere"), "").refuses(64, "cannot read");
    // A clock that goes back is reported, and no rate is computed across it.
    let text = mgstat(1);
    let back = text.replacen("10:01:30", "10:00:30", 1);
    let judged = judge(&sandbox, &written(&sandbox, "back.mgst", &back));
    let said = judged["doubts"]
        .as_array()
        .expect("a list")
        .iter()
        .any(|d| d["statement"].as_str().is_some_and(|s| s.contains("went back")));
    assert!(said, "{judged}");
    assert_eq!(judged["roles"][0]["kinds"]["read"]["iops"]["mean"], 1500.0);
}

#[test]
fn published_samples_tell_their_need() {
    let Some(data) = std::env::var_os("SECCHI_PUBLISHED").map(PathBuf::from) else {
        skip!("SECCHI_PUBLISHED names no directory with the published files");
    };
    let _beside = beside();
    let sandbox = Sandbox::new();
    // Each burst of the write daemon is 92,000 blocks, wherever its seconds are cut off.
    let told_csv = judge(&sandbox, &data.join("mgstat.csv"));
    let writes = told_csv["roles"][0]["kinds"]["write"]["requests"].as_f64().expect("told");
    assert!((writes - 312_000.0).abs() < 12_000.0, "{writes}");
    let terminal = judge(&sandbox, &data.join("mgstat-terminal.txt"));
    let writes = terminal["roles"][0]["kinds"]["write"]["bytes"].as_f64().expect("told");
    assert!((writes / 2.34e9 - 1.0).abs() < 0.05, "{writes}");
    needs(&sandbox, &data.join("typeperf.csv"), "").refuses(64, "do not contain reads and writes per second");
}
