//! `secchi limits solve`: the smallest volume and instance that meet the needs, or support a recording.

mod recording;

use super::list::aged;
use super::{caps_short, check_provider, origin_json, print_sheet};
use crate::args::{Capacity, LimitsSolve};
use crate::exit::{self, Code, coded};
use crate::inputs::catalogue::{catalogue, today};
use analysis::catalog::solve::{Answer, Demand, Demands, instances, volumes};
use anyhow::Result;
use model::{Bytes, Iops};
use report::{SheetColumn, SheetPart, SheetRow};
use serde_json::{Value, json};

/// Number of instances shown without `--all`.
const SHOWN: usize = 12;

pub fn run(options: &LimitsSolve) -> Result<Code> {
    let catalog = catalogue(&options.catalog)?;
    options.provider.iter().try_for_each(|p| check_provider(&catalog, p))?;
    if let Some(path) = &options.recording {
        return recording::run(options, path, &catalog);
    }
    if let Some(need) = options.needs.iter().flat_map(|n| &n.0).find(|n| n.is_database()) {
        let message = format!(
            "need `{}` is for a database, but volumes and instances are sold by block I/O: use a need such as `8k \
             randwrite`",
            model::clip(&need.text)
        );
        return Err(coded(exit::BAD_INPUT, message));
    }
    if let Some(need) = options.needs.iter().flat_map(|n| &n.0).find(|n| n.is_metadata()) {
        let message = format!(
            "need `{}` is for file operations, but volumes and instances are sold by block I/O",
            model::clip(&need.text)
        );
        return Err(coded(exit::BAD_INPUT, message));
    }
    let demands =
        options.needs.iter().flat_map(|n| &n.0).map(|n| Demand::from_need(n).map_err(|e| coded(exit::BAD_INPUT, e)));
    let demands = Demands { all: demands.collect::<Result<_>>()?, together: options.together };
    let volumes = volumes(&catalog, &demands, common_capacity(options)?, &options.provider);
    let instances = instances(&catalog, &demands, &options.provider);
    let answer = |a: &Answer| {
        json!({
            "row": a.bought.row, "limits": a.bought.limits, "tightest": a.room.name, "headroom": a.room.factor,
            "notes": a.bought.notes, "origin": origin_json(&a.bought.origin, &today()),
        })
    };
    let document = json!({
        "needs": demands.all.iter().map(need_json).collect::<Vec<_>>(),
        "together": options.together,
        "volumes": volumes.iter().map(answer).collect::<Vec<_>>(),
        "instances": instances.iter().map(answer).collect::<Vec<_>>(),
    });
    let mut parts = vec![SheetPart::Heading("volumes and instances that meet the needs".into(), String::new())];
    for d in &demands.all {
        parts.push(SheetPart::Labelled("need", need_said(d)));
    }
    if demands.all.len() > 1 {
        let text = if options.together { "all at the same time" } else { "each separately (--together adds them up)" };
        parts.push(SheetPart::Labelled("", text.into()));
    }
    parts.push(SheetPart::Blank);
    parts.extend(table(
        "the smallest of each kind of volume",
        "no volume in the catalogue meets the needs",
        &volumes,
        usize::MAX,
    ));
    parts.push(SheetPart::Blank);
    let limit = if options.all { usize::MAX } else { SHOWN };
    let title = "the smallest instance of each family, by what it sustains";
    parts.extend(table(title, "no instance in the catalogue meets the needs", &instances, limit));
    parts.push(SheetPart::Blank);
    let note = "caps only: what the volume and the instance may do, not how fast one operation is; measure with secchi qualify";
    parts.push(SheetPart::Labelled("note", note.into()));
    print_sheet(options.json, &document, &parts)?;
    // If no offer meets the need, the answer is no.
    Ok(if volumes.is_empty() { Code(1) } else { exit::OK })
}

/// Returns the capacity that the volume must have for all needs.
fn common_capacity(options: &LimitsSolve) -> Result<Option<Bytes>> {
    let refused = |reason: &str| Err(coded(exit::BAD_INPUT, format!("--capacity {reason}")));
    match options.capacity.as_slice() {
        [] => Ok(None),
        [Capacity { role: None, size }] => Ok(Some(*size)),
        [Capacity { role: Some(_), .. }] => refused("of a role requires --recording"),
        _ => refused("is given more than once"),
    }
}

fn need_json(d: &Demand) -> Value {
    json!({
        "need": d.text, "bs": d.block, "iops": d.iops, "bandwidth": d.iops * d.block.as_u64() as f64,
        "write_percent": d.write_percent, "in_flight": d.mean.map(|m| d.iops * m.secs()),
    })
}

/// Formats a need in figures: `8k randread: ...: 6,000 IOPS, 49.15 MB/s; at most 12.0 in flight (Little: IOPS * mean)`.
fn need_said(d: &Demand) -> String {
    let bandwidth = model::BytesPerSecond(d.iops * d.block.as_u64() as f64);
    let mut text = format!("{}: {} IOPS, {bandwidth}", d.text, Iops(d.iops));
    if let Some(mean) = d.mean {
        let depth = model::thousands(d.iops * mean.secs());
        text.push_str(&format!("; with at most {depth} in flight (Little: IOPS * mean latency)"));
    }
    text
}

fn table(title: &str, none: &str, answers: &[Answer], most: usize) -> Vec<SheetPart> {
    if answers.is_empty() {
        return vec![SheetPart::Doubt("none", none.to_owned())];
    }
    let columns = vec![
        SheetColumn::words("buy"),
        SheetColumn::words("caps").droppable(1),
        SheetColumn::words("tightest").droppable(2),
        SheetColumn::figures("headroom"),
    ];
    let mut remarks: Vec<(String, usize)> = Vec::new();
    let mut rows = Vec::new();
    for a in answers.iter().take(most) {
        rows.push(SheetRow::Cells(vec![
            a.bought.row.clone(),
            a.bought.limits.iter().map(caps_short).collect::<Vec<_>>().join("; "),
            a.room.name.clone(),
            format!("{:.2} x", a.room.factor),
        ]));
        if let Some(age) = aged(&a.bought.origin.date) {
            match remarks.iter_mut().find(|(r, _)| *r == age) {
                Some((_, n)) => *n += 1,
                None => remarks.push((age, 1)),
            }
        }
    }
    if answers.len() > most {
        rows.push(SheetRow::Across(format!("and {} more families: --all", answers.len() - most)));
    }
    let mut parts = vec![SheetPart::Heading(title.to_owned(), String::new()), SheetPart::Table(columns, rows)];
    if !remarks.is_empty() {
        let list: Vec<String> = remarks.iter().map(|(r, n)| format!("{r} ({n} of them)")).collect();
        parts.push(SheetPart::Labelled("dates", list.join("; ")));
    }
    parts
}
