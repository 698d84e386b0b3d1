//! `secchi limits account FILE`: the volumes or instances of an account as specifications for `--volume` and
//! `--instance`, with their caps and prices.

use super::{all_caps, print_sheet};
use analysis::catalog::{OwnItem, OwnKind, own_items};
use anyhow::Result;
use cli::LimitsAccount;
use messages::sentence;
use model::Sentence;
use report::documents::{AccountItem, LimitsAccount as Document};
use report::{DocumentKind, SheetColumn, SheetPart, SheetRow};
use session::exit::{self, Code, coded};
use session::inputs::catalogue::{catalogue, text};

pub fn run(options: &LimitsAccount) -> Result<Code> {
    let catalog = catalogue(&options.catalog.catalogs)?;
    let wrong = |e| coded(exit::BAD_INPUT, format!("{}: {e}", options.file.display()));
    let (kind, items) = own_items(&text(&options.file)?).map_err(wrong)?;
    let columns = vec![
        SheetColumn::words("limits-head-volume"),
        SheetColumn::words("limits-head-attached").droppable(1),
        SheetColumn::words("limits-head-option"),
        SheetColumn::words("limits-head-caps").droppable(2),
        SheetColumn::figures("purchase-head-price"),
    ];
    let (title, note) = match kind {
        OwnKind::Volumes => (sentence!("limits-account"), sentence!("limits-account-note")),
        OwnKind::Instances => (sentence!("limits-account-instances"), sentence!("limits-account-instances-note")),
    };
    let resolve = |item: &OwnItem| match kind {
        OwnKind::Volumes => catalog.resolve_volume(&item.option),
        OwnKind::Instances => catalog.resolve_instance(&item.option),
    };
    let resolved: Vec<_> = items.iter().map(resolve).collect();
    let (mut rows, mut documents) = (Vec::new(), Vec::new());
    for (OwnItem { name, option, attached }, resolved) in items.iter().zip(&resolved) {
        let (caps, price): (Sentence, Option<f64>) = match resolved {
            Ok(resolved) => (all_caps(&resolved.limits), resolved.price.as_ref().map(|p| p.amount)),
            Err(error) => (error.to_string().into(), None),
        };
        documents.push(AccountItem {
            name,
            volume: (kind == OwnKind::Volumes).then_some(option.as_str()),
            instance: (kind == OwnKind::Instances).then_some(option.as_str()),
            attached: attached.as_deref(),
            limits: resolved.as_ref().ok().map(|r| r.limits.as_slice()),
            price,
            error: resolved.as_ref().err().map(ToString::to_string),
        });
        rows.push(SheetRow::Cells(vec![
            name.as_str().into(),
            attached.clone().unwrap_or_default().into(),
            option.as_str().into(),
            caps,
            price.map_or_else(String::new, report::money).into(),
        ]));
    }
    let parts = [
        SheetPart::Heading(title, items.len().to_string().into()),
        SheetPart::Table(columns, rows),
        SheetPart::Labelled("limits-label-note", note),
    ];
    let document = match kind {
        OwnKind::Volumes => Document { volumes: Some(documents), instances: None },
        OwnKind::Instances => Document { volumes: None, instances: Some(documents) },
    };
    print_sheet(options.json, DocumentKind::LimitsAccount, &document, &parts)
}
