//! Prints this crate's screens for made-up records:
//!
//! `cargo run -p report --example screen -- [capped|troubled|plan|runs|progress] [WIDTH] [plain] [ascii]`
#![expect(clippy::print_stdout, reason = "an example to look at")]

#[path = "../src/fixture.rs"]
mod fixture;

use report::{Activity, ProgressView, RunRow, Style, progress_line, write_plan, write_runs, write_terminal};
use std::io;

fn main() -> io::Result<()> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let has = |word: &str| words.iter().any(|w| w == word);
    let style = Style {
        color: !has("plain"),
        unicode: !has("ascii"),
        width: words.iter().find_map(|w| w.parse().ok()).unwrap_or(100),
        language: messages::Language::English,
    };
    let mut out = io::stdout().lock();
    let (record, judgement) = if has("troubled") { fixture::troubled() } else { fixture::capped() };
    let opens =
        ["create /data/secchi/test.dat (8 GiB)".to_owned(), "create /root/.local/share/secchi/runs/".to_owned()];
    if has("plan") {
        return write_plan(&record.plan, &record.preflight, &[], &opens, &style, &mut out);
    }
    if has("runs") {
        return write_runs(&rows(), &style, &mut out);
    }
    if has("progress") {
        println!("{}", progress_line(&view(), &style));
        return Ok(());
    }
    write_terminal(&record, &judgement, &style, &mut out)
}

fn view() -> ProgressView {
    ProgressView {
        label: "8k randread".into(),
        activity: Activity::Measure,
        in_flight: Some(16),
        iops: Some(model::Iops(5_998.0)),
        bandwidth: Some(model::BytesPerSecond(49_135_616.0)),
        latency: Some(model::Nanos::from_micros(2_660)),
        step: 7,
        steps: 31,
        elapsed: model::Nanos::from_secs(104),
        remaining: Some(model::Nanos::from_secs(187)),
    }
}

fn rows() -> Vec<RunRow> {
    let (record, judgement) = fixture::capped();
    let row = RunRow {
        id: record.id.clone(),
        started: record.started.clone(),
        kind: Some(model::plan::KindName::Blocks),
        command: "qualify".into(),
        target: "/data/secchi/test.dat".into(),
        state: "complete",
        duration: record.ended,
        verdict: judgement.verdict.clone(),
        exit: Some(judgement.exit_code),
        host: record.preflight.host.hostname,
        size: record.plan.target.size,
        plan: "1f2e3d4c5b6a".into(),
        labels: model::record::Labels { tags: ["nightly".to_owned()].into(), note: String::new() },
        workloads: Vec::new(),
    };
    let cut = RunRow {
        id: "77b0c2d4-1111-4222-8333-944455566677".into(),
        state: "interrupted",
        duration: model::Nanos::from_secs(31),
        verdict: model::Sentence::default(),
        ..row.clone()
    };
    vec![row, cut]
}
