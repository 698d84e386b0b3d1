//! Reference page of published limits (`book/src/reference/limits.md`): the format of catalogue files, and all rows of
//! the catalogue.

use analysis::catalog::Catalog;
use analysis::catalog::formula::Formula;
use analysis::catalog::row::{BaseMax, BurstRow, Figure, Instance, Lasts, Volume};
use model::{BytesPerSecond, Iops};
use std::fmt::Write;

/// First part of the page, written by hand: the file format and the computation.
const FORM: &str = include_str!("../../analysis/catalog/FORM.md");

/// Returns the reference in Markdown.
pub fn page() -> String {
    let catalog = Catalog::shipped();
    let mut text = FORM.to_owned();
    text.push_str("\n## Volumes\n\n");
    text.push_str(
        "An operation larger than the I/O unit counts as several operations. The mark is C if the figures are from \
         the vendor's document, and S if they are from a secondary source. The last column is the date of the \
         document.\n\n",
    );
    text.push_str(
        "| name | size | IOPS | bandwidth | burst | I/O unit | mark | date |\n|---|---|---|---|---|---|---|---|\n",
    );
    let ladder = |a: &Volume, b: &Volume| a.rung && b.rung && (&a.provider, &a.title) == (&b.provider, &b.title);
    for v in catalog.volumes.chunk_by(ladder).flatten() {
        let _ = writeln!(
            text,
            "| `{}` | {} | {} | {} | {} | {} | {} | {} |",
            v.name(),
            size(v),
            code(&figure(v.iops.as_ref(), &v.read.iops, &v.write.iops)),
            bandwidth(v),
            bursts(v),
            v.charging.map_or_else(|| "-".to_owned(), |c| c.unit.to_string()),
            v.origin.mark.letter(),
            date(&v.origin.date),
        );
    }
    text.push_str("\n## Instances\n\n");
    text.push_str(
        "The figures are sustained rates; the maximum during bursts is in parentheses. If reads and writes have \
         separate figures, the table shows the larger one.\n\n",
    );
    text.push_str("| family | types | IOPS | MB/s | mark | date |\n|---|---|---|---|---|---|\n");
    let family =
        |a: &Instance, b: &Instance| (&a.provider, a.family(), &a.title) == (&b.provider, b.family(), &b.title);
    for list in catalog.instances.chunk_by(family) {
        let (first, last) = (&list[0], &list[list.len() - 1]);
        let names = match list {
            [one] => format!("`{}`", one.kind),
            _ => format!("`{}` to `{}` ({})", first.kind, last.kind, list.len()),
        };
        let _ = writeln!(
            text,
            "| {}/{} | {names} | {} | {} | {} | {} |",
            first.provider,
            first.family(),
            range(list, Instance::most_iops, |v| Iops(v).to_string()),
            range(list, Instance::most_bandwidth, |v| BytesPerSecond(v)
                .to_string()
                .trim_end_matches(" MB/s")
                .to_owned()),
            first.origin.mark.letter(),
            date(&first.origin.date),
        );
    }
    text.push_str("\n## Sources\n\n");
    let mut sources: Vec<String> = Vec::new();
    let origins = catalog.volumes.iter().map(|v| &v.origin).chain(catalog.instances.iter().map(|i| &i.origin));
    for o in origins {
        let line = format!("- `{}`: {}, {}\n", o.file, o.source, date(&o.date));
        if !sources.contains(&line) {
            text.push_str(&line);
            sources.push(line);
        }
    }
    text
}

fn code(text: &str) -> String {
    if text == "-" { text.to_owned() } else { format!("`{text}`") }
}

fn date(date: &str) -> &str {
    if date.is_empty() { "undated" } else { date }
}

fn size(v: &Volume) -> String {
    let unit = v.size_unit.name;
    match v.size {
        (Some(a), Some(b)) if a == b => format!("{a} {unit}"),
        (Some(a), Some(b)) => format!("{a} to {b} {unit}"),
        (Some(a), None) => format!("from {a} {unit}"),
        _ => "-".to_owned(),
    }
}

/// Returns the formula of a figure as text: `3000 to min(16000, 500*size), 3000 included`.
fn figure(figure: Option<&Figure>, read: &Option<Formula>, write: &Option<Formula>) -> String {
    match figure {
        Some(Figure::Fixed(f)) => f.to_string(),
        Some(Figure::Chosen { default: Some(d), min, max }) => format!("{min} to {max}, {d} included"),
        Some(Figure::Chosen { min, max, .. }) => format!("{min} to {max}"),
        None => {
            let side = |name: &str, f: &Option<Formula>| f.as_ref().map(|f| format!("{name} {f}"));
            let sides: Vec<String> = [side("read", read), side("write", write)].into_iter().flatten().collect();
            if sides.is_empty() { "-".to_owned() } else { sides.join(", ") }
        }
    }
}

fn bandwidth(v: &Volume) -> String {
    let text = figure(v.bandwidth.as_ref(), &v.read.bandwidth, &v.write.bandwidth);
    if text == "-" { text } else { format!("`{text}` {}", v.bandwidth_unit.name) }
}

fn bursts(v: &Volume) -> String {
    let one = |row: &BurstRow, unit: &str| match &row.lasts {
        Lasts::Bucket(f) => format!("`{}` {unit}, bucket `{f}`", row.rate),
        Lasts::Time { time, .. } => format!("`{}` {unit} for {:.0} min", row.rate, time.secs() / 60.0),
    };
    let iops = v.burst_iops.as_ref().map(|b| one(b, "IOPS"));
    let bytes = v.burst_bandwidth.as_ref().map(|b| one(b, v.bandwidth_unit.name));
    let texts: Vec<String> = [iops, bytes].into_iter().flatten().collect();
    if texts.is_empty() { "-".to_owned() } else { texts.join("; ") }
}

fn range(list: &[Instance], of: impl Fn(&Instance) -> Option<BaseMax>, print: impl Fn(f64) -> String) -> String {
    let figures: Vec<BaseMax> = list.iter().filter_map(of).collect();
    let span = |of: fn(&BaseMax) -> f64| {
        let least = figures.iter().map(of).fold(f64::INFINITY, f64::min);
        let most = figures.iter().map(of).fold(0.0, f64::max);
        if least == most { print(least) } else { format!("{} to {}", print(least), print(most)) }
    };
    match figures.len() {
        0 => "-".to_owned(),
        _ if figures.iter().any(|l| l.bursts()) => format!("{} ({})", span(|l| l.base), span(|l| l.max)),
        _ => span(|l| l.base),
    }
}
