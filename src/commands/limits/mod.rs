//! `secchi limits`: shows published limits and their effect on a workload.

mod account;
mod contracts;
mod explain;
mod import;
mod list;
mod show;
mod solve;

use analysis::catalog::row::Origin;
use analysis::catalog::{Catalog, Resolved, age_remark};
use anyhow::Result;
use cli::{Limits, LimitsCommand};
use messages::sentence;
use model::bounds::{Burst, BurstLasts, LimitAxis};
use model::{BytesPerSecond, Iops, Limit, Nanos, Sentence, units::suggestion};
use report::documents::{LimitsOrigin, LimitsRow};
use report::{DocumentKind, SheetPart, Subject, clauses, duration, listed, op_word};
use serde::Serialize;
use session::exit::{self, Code, coded};
use session::inputs::catalogue::today;
use session::result_files::print_subject;

pub fn run(options: &Limits) -> Result<Code> {
    match &options.what {
        LimitsCommand::List(o) => list::run(o),
        LimitsCommand::Show(o) => show::run(o),
        LimitsCommand::Explain(o) => explain::run(o),
        LimitsCommand::Solve(o) => solve::run(o),
        LimitsCommand::Contracts(o) => contracts::run(o),
        LimitsCommand::Account(o) => account::run(o),
        LimitsCommand::Import(o) => import::run(o),
    }
}

/// Prints a sheet, or its JSON document.
fn print_sheet(json: bool, kind: DocumentKind, document: &impl Serialize, parts: &[SheetPart]) -> Result<Code> {
    let document = &serde_json::to_value(document)?;
    print_subject(Subject::Sheet { name: "limits", parts, kind, document }, json)?;
    Ok(exit::OK)
}

/// Checks that the catalogue knows a provider.
fn check_provider(catalog: &Catalog, name: &str) -> Result<()> {
    let known = catalog.providers();
    if known.contains(&name) {
        return Ok(());
    }
    let hint = suggestion(name, known.iter().copied());
    let name = model::clip(name);
    Err(coded(
        exit::BAD_INPUT,
        format!("provider `{name}` is not in the catalogue: expected one of {}{hint}", known.join(", ")),
    ))
}

/// Describes the source of figures, with a remark on their age.
fn format_origin(origin: &Origin, today: &str) -> Sentence {
    let source = if origin.source.is_empty() { &origin.file } else { &origin.source };
    let source = match origin.mark.letter() {
        "S" => sentence!("limits-secondary-source", source),
        "own" => sentence!("limits-own-row", source),
        _ => source.into(),
    };
    let age = age_remark(&origin.date, today);
    let published = age.unwrap_or_else(|| sentence!("limits-published", date = origin.date.as_str()));
    clauses([source, published])
}

fn origin_document(origin: &Origin) -> LimitsOrigin<'_> {
    LimitsOrigin {
        source: &origin.source,
        date: &origin.date,
        mark: origin.mark.letter(),
        file: &origin.file,
        line: origin.line,
        remark: age_remark(&origin.date, &today()),
    }
}

fn row_document(row: &Resolved) -> LimitsRow<'_> {
    LimitsRow {
        row: &row.row,
        limits: &row.limits,
        notes: &row.notes,
        doubts: &row.doubts,
        price: row.price.as_ref(),
        origin: origin_document(&row.origin),
    }
}

/// Formats caps with the burst of each: `6,000 IOPS`, `131.1 MB/s`.
fn format_caps(limit: &Limit) -> Sentence {
    let cap_of = |axis| -> Option<Sentence> {
        let base = limit.cap(axis)?;
        let cap = figure(axis, base);
        Some(match limit.burst(axis) {
            Some(burst) => sentence!("limits-with-burst", cap, burst = format_burst(axis, &burst, base)),
            None => cap.into(),
        })
    };
    let caps = listed([LimitAxis::Iops, LimitAxis::Bandwidth].into_iter().filter_map(cap_of));
    let Some(op) = limit.op else { return caps };
    sentence!("limits-of-op", op = op_word(op), caps)
}

/// Joins the caps of the limits of one row.
fn all_caps(limits: &[Limit]) -> Sentence {
    clauses(limits.iter().map(format_caps))
}

fn figure(axis: LimitAxis, value: f64) -> String {
    match axis {
        LimitAxis::Iops => format!("{} IOPS", Iops(value)),
        LimitAxis::Bandwidth => BytesPerSecond(value).to_string(),
    }
}

fn format_burst(axis: LimitAxis, burst: &Burst, base: f64) -> Sentence {
    let seconds = burst.seconds_at(burst.rate, base);
    let lasts = duration(Nanos::from_secs_f64(seconds));
    let rate = figure(axis, burst.rate);
    let Some(again) = burst.refill_seconds(base).map(|s| duration(Nanos::from_secs_f64(s))) else {
        return sentence!("limits-burst-lasts", rate, lasts);
    };
    match burst.lasts {
        BurstLasts::Bucket { .. } => sentence!("limits-burst-refilled", rate, lasts, again),
        BurstLasts::Time { .. } => sentence!("limits-burst-every", rate, lasts, again),
    }
}
