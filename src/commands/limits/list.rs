//! `secchi limits list`: lists the catalogue.

use super::{check_provider, print_sheet};
use analysis::catalog::row::{BaseMax, Figure, Instance, Volume};
use anyhow::Result;
use cli::LimitsList;
use messages::sentence;
use model::{BytesPerSecond, Iops, Sentence};
use report::documents::{LimitsList as Document, ListedInstance, ListedVolume};
use report::{DocumentKind, SheetColumn, SheetPart, SheetRow, listed};
use session::exit::Code;
use session::inputs::catalogue::catalogue;
use session::reject;

pub fn run(options: &LimitsList) -> Result<Code> {
    let catalog = catalogue(&options.catalog.catalogs)?;
    if let Some(provider) = &options.provider {
        check_provider(&catalog, provider)?;
    }
    let part = options.part.as_deref().unwrap_or_default().to_lowercase();
    let wanted = |provider: &str, name: &str| {
        options.provider.as_deref().is_none_or(|p| p == provider) && name.to_lowercase().contains(&part)
    };
    let volumes: Vec<&Volume> = catalog.volumes.iter().filter(|v| wanted(&v.provider, &v.name())).collect();
    let instances: Vec<&Instance> = catalog.instances.iter().filter(|i| wanted(&i.provider, &i.name())).collect();
    if volumes.is_empty() && instances.is_empty() {
        reject!("no entry of the catalogue has `{}` in its name", model::clip(&part));
    }
    let document = Document {
        volumes: volumes.iter().map(|v| listed_volume(v)).collect(),
        instances: instances.iter().map(|i| listed_instance(i)).collect(),
    };
    let mut parts = Vec::new();
    if !volumes.is_empty() {
        parts.push(SheetPart::Heading(sentence!("limits-volumes"), volumes.len().to_string().into()));
        parts.push(volume_table(&volumes, part.is_empty()));
    }
    // A list of all types is too long to read: list families first, and list types only if there are few or they were
    // requested.
    let by_family = instances.len() > 60 && part.is_empty();
    if !instances.is_empty() {
        parts.push(SheetPart::Heading(sentence!("limits-instances"), instances.len().to_string().into()));
        parts.push(if by_family { family_table(&instances) } else { instance_table(&instances) });
        if by_family {
            let (family, one) = ("secchi limits list m5.", "secchi limits show m5.large");
            parts.push(SheetPart::Labelled("", sentence!("limits-families-note", family, one)));
        }
    }
    print_sheet(options.json, DocumentKind::LimitsList, &document, &parts)
}

fn listed_volume(volume: &Volume) -> ListedVolume<'_> {
    ListedVolume {
        name: volume.name(),
        title: &volume.title,
        size_unit: volume.size_unit.name,
        size: volume.size,
        iops_rule: iops_rule(volume),
        bandwidth_rule: bandwidth_rule(volume),
        date: &volume.origin.date,
        mark: volume.origin.mark.letter(),
    }
}

fn listed_instance(instance: &Instance) -> ListedInstance<'_> {
    let base = |level: Option<BaseMax>| level.map(|l| l.base);
    ListedInstance {
        name: instance.name(),
        title: &instance.title,
        iops: base(instance.iops),
        iops_max: instance.iops.map(|l| l.max),
        bandwidth: base(instance.bandwidth),
        bandwidth_max: instance.bandwidth.map(|l| l.max),
        read_iops: base(instance.read.iops),
        write_iops: base(instance.write.iops),
        read_bandwidth: base(instance.read.bandwidth),
        write_bandwidth: base(instance.write.bandwidth),
        date: &instance.origin.date,
        mark: instance.origin.mark.letter(),
    }
}

/// Maximum number of tiers of a volume kind that are listed in full.
const LADDER: usize = 12;

/// Formats a rule: `clamp(3*size, 100, 16000)`, `3000 to min(16000, 500*size)`.
fn rule(figure: &Figure) -> Sentence {
    match figure {
        Figure::Fixed(f) => f.to_string().into(),
        Figure::Chosen { min, max, .. } => sentence!("range", low = min.to_string(), high = max.to_string()),
    }
}

fn sides(read: Option<String>, write: Option<String>) -> Option<Sentence> {
    let read = read.map(|figure| sentence!("limits-read-side", figure));
    let write = write.map(|figure| sentence!("limits-write-side", figure));
    (read.is_some() || write.is_some()).then(|| listed([read, write].into_iter().flatten()))
}

/// Returns the rule for the IOPS of a volume kind.
pub(super) fn iops_rule(v: &Volume) -> Option<Sentence> {
    let text = |f: &Option<analysis::catalog::formula::Formula>| f.as_ref().map(ToString::to_string);
    v.iops.as_ref().map(rule).or_else(|| sides(text(&v.read.iops), text(&v.write.iops)))
}

/// Returns the rule for the bandwidth of a volume kind, with its unit.
pub(super) fn bandwidth_rule(v: &Volume) -> Option<Sentence> {
    let text = |f: &Option<analysis::catalog::formula::Formula>| f.as_ref().map(ToString::to_string);
    let rule = v.bandwidth.as_ref().map(rule).or_else(|| sides(text(&v.read.bandwidth), text(&v.write.bandwidth)))?;
    Some(Sentence::concat([rule, format!(" {}", v.bandwidth_unit.name).into()]))
}

/// Shortens a rule for a list; `show` prints long rules in full.
fn brief(rule: Sentence) -> Sentence {
    if rule.chars().count() > 46 { sentence!("limits-by-table") } else { rule }
}

/// Returns the table of volume kinds. With `fold`, a kind with many tiers is shortened to one line.
fn volume_table(volumes: &[&Volume], fold: bool) -> SheetPart {
    let columns = vec![
        SheetColumn::words("limits-head-volume"),
        SheetColumn::words("limits-head-size"),
        SheetColumn::words("IOPS"),
        SheetColumn::words("limits-head-bandwidth").droppable(2),
        SheetColumn::words("limits-head-published").droppable(1),
    ];
    let size = |v: &Volume| {
        let unit = v.size_unit.name;
        match v.size {
            (Some(a), Some(b)) if a == b => format!("{a} {unit}").into(),
            (Some(a), Some(b)) => format!("{a}-{b} {unit}").into(),
            (Some(a), None) => sentence!("limits-from-size", size = format!("{a} {unit}")),
            _ => "-".into(),
        }
    };
    let dash = || "-".into();
    let row = |v: &&Volume| {
        SheetRow::Cells(vec![
            v.name().into(),
            size(v),
            iops_rule(v).map_or_else(dash, brief),
            bandwidth_rule(v).map_or_else(dash, brief),
            if v.origin.date.is_empty() { sentence!("limits-undated") } else { v.origin.date.as_str().into() },
        ])
    };
    let mut rows = Vec::new();
    let ladder = |a: &&Volume, b: &&Volume| a.rung && b.rung && (&a.provider, &a.title) == (&b.provider, &b.title);
    for rungs in volumes.chunk_by(ladder) {
        match rungs {
            [first, .., last] if fold && rungs.len() > LADDER => {
                let (name, more) = (first.name(), rungs.len() - 1);
                let command = format!("secchi limits list {}", first.kind.split('/').next().unwrap_or_default());
                let last = last.kind.as_str();
                rows.push(SheetRow::Across(sentence!("limits-more-rungs", name, more, last, command)));
            }
            _ => rows.extend(rungs.iter().map(row)),
        }
    }
    SheetPart::Table(columns, rows)
}

/// Formats a limit as `3,600`, or as `3,600 (18,750)` if bursts are allowed.
pub(super) fn level(l: Option<BaseMax>, print: impl Fn(f64) -> String) -> String {
    match l {
        None => "-".to_owned(),
        Some(l) if l.bursts() => format!("{} ({})", print(l.base), print(l.max)),
        Some(l) => print(l.base),
    }
}

/// Formats one limit, or separate limits for reads and writes if they are published separately and differ: `25,000 /
/// 15,000`.
fn apart(
    both: Option<BaseMax>,
    read: Option<BaseMax>,
    write: Option<BaseMax>,
    print: impl Fn(f64) -> String,
) -> String {
    match (both, read, write) {
        (None, Some(read), Some(write)) if read != write => {
            format!("{} / {}", level(Some(read), &print), level(Some(write), &print))
        }
        _ => level(both.or(read).or(write), print),
    }
}

fn megabytes(v: f64) -> String {
    let text = BytesPerSecond(v).to_string();
    text.strip_suffix(" MB/s").map_or_else(|| text.clone(), str::to_owned)
}

fn instance_table(instances: &[&Instance]) -> SheetPart {
    let columns = vec![
        SheetColumn::words("limits-head-instance"),
        SheetColumn::figures("limits-head-iops-burst"),
        SheetColumn::figures("limits-head-bandwidth-burst"),
        SheetColumn::words("limits-head-published").droppable(1),
    ];
    let rows = instances.iter().map(|i| {
        SheetRow::Cells(vec![
            i.name().into(),
            apart(i.iops, i.read.iops, i.write.iops, |v| Iops(v).to_string()).into(),
            apart(i.bandwidth, i.read.bandwidth, i.write.bandwidth, megabytes).into(),
            i.origin.date.as_str().into(),
        ])
    });
    SheetPart::Table(columns, rows.collect())
}

fn family_table(instances: &[&Instance]) -> SheetPart {
    let mut families: Vec<(String, Vec<&Instance>)> = Vec::new();
    for i in instances {
        let name = format!("{}/{}", i.provider, i.family());
        match families.iter_mut().find(|(n, _)| *n == name) {
            Some((_, list)) => list.push(i),
            None => families.push((name, vec![i])),
        }
    }
    let columns = vec![
        SheetColumn::words("limits-head-family"),
        SheetColumn::figures("limits-head-types"),
        SheetColumn::figures("IOPS"),
        SheetColumn::figures("MB/s"),
        SheetColumn::words("limits-head-bursts"),
        SheetColumn::words("limits-head-published").droppable(1),
    ];
    let range = |list: &[&Instance], get: fn(&Instance) -> Option<BaseMax>, print: fn(f64) -> String| {
        let values: Vec<f64> = list.iter().filter_map(|i| Some(get(i)?.base)).collect();
        let least = values.iter().copied().fold(f64::INFINITY, f64::min);
        let most = values.iter().copied().fold(0.0, f64::max);
        match values.len() {
            0 => "-".to_owned(),
            _ if least == most => print(least),
            _ => format!("{}-{}", print(least), print(most)),
        }
    };
    let rows = families.iter().map(|(name, list)| {
        let bursting = list.iter().filter(|i| i.burst.is_some()).count();
        let mut dates: Vec<&str> = list.iter().map(|i| i.origin.date.as_str()).collect();
        dates.sort_unstable();
        dates.dedup();
        SheetRow::Cells(vec![
            name.into(),
            list.len().to_string().into(),
            range(list, Instance::most_iops, |v| Iops(v).to_string()).into(),
            range(list, Instance::most_bandwidth, megabytes).into(),
            if bursting > 0 { sentence!("limits-of-them", n = bursting) } else { Sentence::default() },
            dates.join(", ").into(),
        ])
    });
    SheetPart::Table(columns, rows.collect())
}
