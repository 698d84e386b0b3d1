//! `secchi limits`: published limits, and their effect on a workload.

mod explain;
mod import;
mod list;
mod show;
mod solve;

use crate::args::{Limits, LimitsCommand};
use crate::exit::{self, Code, coded};
use crate::terminal::print;
use analysis::catalog::row::Origin;
use analysis::catalog::{Catalog, age_remark};
use anyhow::Result;
use model::{Burst, BurstLasts, BytesPerSecond, Iops, Limit, LimitAxis, Nanos, nearest};
use report::{SheetPart, duration};
use serde_json::{Value, json};

pub fn run(options: &Limits) -> Result<Code> {
    match &options.what {
        LimitsCommand::List(o) => list::run(o),
        LimitsCommand::Show(o) => show::run(o),
        LimitsCommand::Explain(o) => explain::run(o),
        LimitsCommand::Solve(o) => solve::run(o),
        LimitsCommand::Import(o) => import::run(o),
    }
}

/// Prints a sheet, or its document.
fn print_sheet(json: bool, document: &Value, parts: &[SheetPart]) -> Result<Code> {
    print(
        |style, out| if json { report::write_document(document, out) } else { report::write_sheet(parts, style, out) },
    )?;
    Ok(exit::OK)
}

/// Checks that the catalogue knows a provider.
fn check_provider(catalog: &Catalog, name: &str) -> Result<()> {
    let known = catalog.providers();
    if known.contains(&name) {
        return Ok(());
    }
    let hint = nearest(name, known.iter().copied()).map(|n| format!("; did you mean `{n}`?")).unwrap_or_default();
    let name = model::clip(name);
    Err(coded(
        exit::BAD_INPUT,
        format!("provider `{name}` is not in the catalogue: expected one of {}{hint}", known.join(", ")),
    ))
}

/// Describes the source of figures, with a remark on their age.
fn origin_said(origin: &Origin, today: &str) -> String {
    let source = if origin.source.is_empty() { &origin.file } else { &origin.source };
    let mark = match origin.mark.letter() {
        "S" => " (a secondary source)",
        "own" => " (your own row)",
        _ => "",
    };
    match age_remark(&origin.date, today) {
        Some(age) => format!("{source}{mark}; {age}"),
        None => format!("{source}{mark}; published {}", origin.date),
    }
}

fn origin_json(origin: &Origin, today: &str) -> Value {
    json!({
        "source": origin.source, "date": origin.date, "mark": origin.mark.letter(), "file": origin.file,
        "line": origin.line, "remark": age_remark(&origin.date, today),
    })
}

/// Formats caps: `6,000 IOPS`, `131.1 MB/s`, with the burst of each.
fn caps_said(limit: &Limit) -> String {
    let mut parts = Vec::new();
    for axis in [LimitAxis::Iops, LimitAxis::Bandwidth] {
        let Some(cap) = limit.cap(axis) else { continue };
        let figure = figure(axis, cap);
        parts.push(match limit.burst(axis) {
            Some(burst) => format!("{figure} (burst {})", burst_said(axis, &burst, cap)),
            None => figure,
        });
    }
    let op = limit.op.map(|op| format!("{op}: ")).unwrap_or_default();
    format!("{op}{}", parts.join(", "))
}

/// Formats caps briefly: `3,600 IOPS (burst 18,750 IOPS)`.
fn caps_short(limit: &Limit) -> String {
    let cap = |axis| {
        let base = figure(axis, limit.cap(axis)?);
        let burst = limit.burst(axis).map(|b| format!(" (burst {})", figure(axis, b.rate)));
        Some(base + &burst.unwrap_or_default())
    };
    let op = limit.op.map(|op| format!("{op}: ")).unwrap_or_default();
    let caps: Vec<String> = [LimitAxis::Iops, LimitAxis::Bandwidth].into_iter().filter_map(cap).collect();
    format!("{op}{}", caps.join(", "))
}

fn figure(axis: LimitAxis, value: f64) -> String {
    match axis {
        LimitAxis::Iops => format!("{} IOPS", Iops(value)),
        LimitAxis::Bandwidth => BytesPerSecond(value).to_string(),
    }
}

fn burst_said(axis: LimitAxis, burst: &Burst, base: f64) -> String {
    let seconds = burst.seconds_at(burst.rate, base);
    let lasts = duration(Nanos::from_secs_f64(seconds));
    let again = match (burst.lasts, burst.refill_seconds(base)) {
        (BurstLasts::Bucket { .. }, Some(s)) => format!(", {} to refill", duration(Nanos::from_secs_f64(s))),
        (BurstLasts::Time { .. }, Some(s)) => format!(" every {}", duration(Nanos::from_secs_f64(s))),
        (_, None) => String::new(),
    };
    format!("{} for {lasts}{again}", figure(axis, burst.rate))
}
