//! `secchi limits solve`: finds the smallest volume and instance that meet the needs, or that support a recording.

mod recording;

use super::list::aged;
use super::{all_caps, check_provider, format_caps_briefly, origin_json};
use analysis::catalog::solve::{Answer, Demand, Demands, instances, volumes};
use anyhow::Result;
use cli::{Capacity, LimitsSolve};
use messages::sentence;
use model::{Bytes, Iops, Sentence};
use report::{SheetColumn, SheetPart, SheetRow, Subject, clauses};
use serde_json::{Value, json};
use session::exit::{self, Code, coded};
use session::inputs::catalogue::{catalogue, today};
use session::outputs::Outputs;
use session::result_files::{ResultFiles, print_subject};

/// Number of instances shown without `--all`.
const SHOWN: usize = 12;

pub fn run(options: &LimitsSolve) -> Result<Code> {
    let catalog = catalogue(&options.catalog.catalogs)?;
    options.provider.iter().try_for_each(|p| check_provider(&catalog, p))?;
    if let Some(path) = &options.recording {
        return recording::run(options, path, &catalog);
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
    let mut parts = vec![SheetPart::Heading(sentence!("limits-solve-title"), Sentence::default())];
    for d in &demands.all {
        parts.push(SheetPart::Labelled("limits-label-need", format_need(d)));
    }
    if demands.all.len() > 1 {
        let text = if options.together { sentence!("limits-solve-together") } else { sentence!("limits-solve-apart") };
        parts.push(SheetPart::Labelled("", text));
    }
    parts.push(SheetPart::Blank);
    parts.extend(table(sentence!("limits-solve-volumes"), sentence!("limits-solve-no-volume"), &volumes, usize::MAX));
    parts.push(SheetPart::Blank);
    let limit = if options.all { usize::MAX } else { SHOWN };
    parts.extend(table(sentence!("limits-solve-instances"), sentence!("limits-solve-no-instance"), &instances, limit));
    parts.push(SheetPart::Blank);
    parts.push(SheetPart::Labelled("limits-label-note", sentence!("limits-solve-note")));
    let subject = Subject::Sheet { name: "limits solve", parts: &parts, document: &document };
    ResultFiles::claim(&options.results.outputs, &mut Outputs::new(options.results.force))?.write_subject(subject)?;
    print_subject(subject, options.json)?;
    // Exit code 1 means that no volume meets the needs.
    Ok(if volumes.is_empty() { Code(1) } else { exit::OK })
}

/// Returns the capacity that the volume must have to meet all needs.
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

/// Formats a need in figures: `8k randread: ...: 6,000 IOPS, 49.15 MB/s; with at most 12.0 operations in
/// flight (Little's law: IOPS * mean latency)`.
fn format_need(d: &Demand) -> Sentence {
    let bandwidth = model::BytesPerSecond(d.iops * d.block.as_u64() as f64);
    let need = sentence!("limits-solve-need", need = d.text.as_str(), rate = Iops(d.iops), bandwidth);
    let depth =
        d.mean.map(|mean| sentence!("limits-solve-depth", depth = model::units::thousands(d.iops * mean.secs())));
    clauses([Some(need), depth].into_iter().flatten())
}

fn table(title: Sentence, none: Sentence, answers: &[Answer], most: usize) -> Vec<SheetPart> {
    if answers.is_empty() {
        return vec![SheetPart::Doubt("limits-label-none", none)];
    }
    let columns = vec![
        SheetColumn::words("purchase-head-buy"),
        SheetColumn::words("limits-head-caps").droppable(1),
        SheetColumn::words("limits-head-tightest").droppable(2),
        SheetColumn::figures("limits-head-headroom"),
    ];
    let mut remarks: Vec<(Sentence, usize)> = Vec::new();
    let mut rows = Vec::new();
    for a in answers.iter().take(most) {
        rows.push(SheetRow::Cells(vec![
            a.bought.row.as_str().into(),
            all_caps(&a.bought.limits, format_caps_briefly),
            a.room.name.as_str().into(),
            format!("{:.2} x", a.room.factor).into(),
        ]));
        if let Some(age) = aged(&a.bought.origin.date) {
            match remarks.iter_mut().find(|(r, _)| *r == age) {
                Some((_, n)) => *n += 1,
                None => remarks.push((age, 1)),
            }
        }
    }
    if answers.len() > most {
        rows.push(SheetRow::Across(sentence!("limits-solve-more", n = answers.len() - most)));
    }
    let mut parts = vec![SheetPart::Heading(title, Sentence::default()), SheetPart::Table(columns, rows)];
    if !remarks.is_empty() {
        let list = remarks.into_iter().map(|(remark, n)| sentence!("limits-solve-aged", remark, n));
        parts.push(SheetPart::Labelled("limits-label-dates", clauses(list)));
    }
    parts
}
