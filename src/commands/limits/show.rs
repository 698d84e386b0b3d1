//! `secchi limits show TYPE`: shows one row of the catalogue, with the source of its figures.

use super::list::{bandwidth_rule, iops_rule};
use super::{all_caps, format_caps, format_origin, origin_document, print_sheet, row_document};
use analysis::catalog::row::{Figure, Volume, format_charging};
use analysis::catalog::{Catalog, LookupError, Resolved};
use anyhow::Result;
use cli::LimitsShow;
use messages::sentence;
use report::documents::{LimitsParameter, LimitsVolume};
use report::{DocumentKind, SheetColumn, SheetPart, SheetRow};
use session::exit::{self, Code, coded};
use session::inputs::catalogue::{catalogue, today};

pub fn run(options: &LimitsShow) -> Result<Code> {
    let catalog = catalogue(&options.catalog.catalogs)?;
    let name = options.name.split(':').next().unwrap_or_default();
    let settings = options.name.contains(':');
    // A name that is both a volume and an instance is taken as the volume. No shipped name is both.
    match (catalog.volume(name), catalog.instance(name)) {
        (Ok(volume), _) => volume_shown(&catalog, volume, options, settings),
        (_, Ok(_)) => {
            let bought = catalog.resolve_instance(&options.name).map_err(|e| coded(exit::BAD_INPUT, e))?;
            row_shown(&bought, options, &bought.origin.date)
        }
        (Err(volume), Err(instance)) => Err(coded(exit::BAD_INPUT, unknown(&catalog, name, &volume, &instance))),
    }
}

/// Returns the error for an unknown name: of the two errors, one that suggests similar names, if there is one.
fn unknown(catalog: &Catalog, name: &str, volume: &LookupError, instance: &LookupError) -> String {
    if let Some(telling) = [instance, volume].into_iter().find(|e| e.names_candidates()) {
        return telling.to_string();
    }
    let hint = catalog.nearest(name).map(|n| format!("; did you mean `{n}`?")).unwrap_or_default();
    format!("the catalogue has no volume or instance `{}`{hint} (`secchi limits list` shows all)", model::clip(name))
}

fn row_shown(bought: &Resolved, options: &LimitsShow, title: &str) -> Result<Code> {
    print_sheet(options.json, DocumentKind::LimitsRow, &row_document(bought), &facts(bought, title))
}

/// Returns the limits, notes and source of a row with all its settings chosen, below the heading of the row.
fn facts(bought: &Resolved, title: &str) -> Vec<SheetPart> {
    let mut parts = vec![SheetPart::Heading(bought.row.as_str().into(), title.into())];
    parts.extend(bought.limits.iter().map(|l| SheetPart::Labelled("limits-label-caps", format_caps(l))));
    if let Some(size) = bought.limits.iter().find_map(model::Limit::crossover) {
        parts.push(SheetPart::Labelled("limits-label-crosses", sentence!("limits-crosses-at", size)));
    }
    if let Some(limit) = bought.limits.first() {
        parts.extend(limit.charging.map(|c| SheetPart::Labelled("limits-label-counts", format_charging(c))));
        parts.extend(limit.promised.map(|p| {
            let text = sentence!("limits-promised", share = format!("{:.0}", p * 100.0));
            SheetPart::Labelled("limits-label-promise", text)
        }));
    }
    parts.extend(bought.price.as_ref().map(|p| {
        let (amount, currency) = (format!("{:.2}", p.amount), p.currency.as_str());
        let text = sentence!("limits-price", amount, currency, region = p.region.as_str(), date = p.date.as_str());
        SheetPart::Labelled("limits-label-price", text)
    }));
    parts.extend(bought.doubts.iter().map(|d| SheetPart::Doubt("limits-label-above", d.clone())));
    parts.extend(bought.notes.iter().map(|n| SheetPart::Labelled("limits-label-note", n.into())));
    parts.push(SheetPart::Labelled("limits-label-source", format_origin(&bought.origin, &today())));
    parts
}

fn volume_shown(catalog: &Catalog, volume: &Volume, options: &LimitsShow, settings: bool) -> Result<Code> {
    if settings || volume.fixed_size().is_some() || !volume.sized && volume.parameters.is_empty() {
        let bought = catalog.resolve_volume(&options.name).map_err(|e| coded(exit::BAD_INPUT, e))?;
        return row_shown(&bought, options, &volume.title);
    }
    let (iops, bandwidth) = (iops_rule(volume), bandwidth_rule(volume));
    let parameters = volume.parameters.iter();
    let document = LimitsVolume {
        name: volume.name(),
        title: &volume.title,
        iops_rule: iops.clone(),
        bandwidth_rule: bandwidth.clone(),
        size_unit: volume.size_unit.name,
        size: volume.size,
        parameters: parameters.map(|p| LimitsParameter { name: &p.name, values: &p.values, unit: &p.unit }).collect(),
        notes: &volume.notes,
        origin: origin_document(&volume.origin),
    };
    let mut parts = vec![SheetPart::Heading(volume.name().into(), volume.title.as_str().into())];
    for p in &volume.parameters {
        let values = p.values.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
        parts.push(SheetPart::Labelled("limits-label-chosen", format!("{}: {values} {}", p.name, p.unit).into()));
    }
    parts.extend(iops.map(|f| SheetPart::Labelled("IOPS", f)));
    parts.extend(bandwidth.map(|f| SheetPart::Labelled("limits-label-bytes", f)));
    parts.extend(ladder(catalog, volume));
    parts.extend(volume.charging.map(|c| SheetPart::Labelled("limits-label-counts", format_charging(c))));
    parts.extend(volume.notes.iter().map(|n| SheetPart::Labelled("limits-label-note", n.into())));
    parts.push(SheetPart::Labelled("limits-label-source", format_origin(&volume.origin, &today())));
    print_sheet(options.json, DocumentKind::LimitsVolume, &document, &parts)
}

/// Returns a table of some sizes with their caps. Returns `None` if the caps also depend on a chosen setting.
fn ladder(catalog: &Catalog, volume: &Volume) -> Option<SheetPart> {
    let chosen = |f: &Option<Figure>| matches!(f, Some(Figure::Chosen { .. }));
    if chosen(&volume.iops) || chosen(&volume.bandwidth) || !volume.parameters.is_empty() {
        return None;
    }
    let (least, most) = (volume.size.0.unwrap_or(1.0), volume.size.1.unwrap_or(65_536.0));
    let mut sizes = vec![least];
    sizes.extend((0..17).map(|i| f64::from(1u32 << i)).filter(|s| *s > least && *s < most));
    sizes.push(most);
    let rows: Vec<SheetRow> = sizes
        .iter()
        .filter_map(|size| catalog.resolve_volume(&format!("{}:size={size}", volume.name())).ok().map(|r| (size, r)))
        .map(|(size, r)| {
            let size = volume.size_unit.print(size * volume.size_unit.bytes);
            SheetRow::Cells(vec![size.into(), all_caps(&r.limits)])
        })
        .collect();
    Some(SheetPart::Table(vec![SheetColumn::figures("limits-head-size"), SheetColumn::words("limits-head-caps")], rows))
}
