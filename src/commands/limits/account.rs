//! `secchi limits account FILE`: the volumes or instances of an account as specifications for `--volume` and
//! `--instance`, with their caps and prices.

use super::{all_caps, print_sheet};
use analysis::catalog::{OwnItem, OwnKind, own_items};
use anyhow::Result;
use cli::LimitsAccount;
use messages::sentence;
use model::Sentence;
use report::{SheetColumn, SheetPart, SheetRow};
use serde_json::json;
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
    let (list, key, title, note) = match kind {
        OwnKind::Volumes => ("volumes", "volume", sentence!("limits-account"), sentence!("limits-account-note")),
        OwnKind::Instances => {
            ("instances", "instance", sentence!("limits-account-instances"), sentence!("limits-account-instances-note"))
        }
    };
    let (mut rows, mut documents) = (Vec::new(), Vec::new());
    for OwnItem { name, option, attached } in &items {
        let resolved = match kind {
            OwnKind::Volumes => catalog.resolve_volume(option),
            OwnKind::Instances => catalog.resolve_instance(option),
        };
        let (caps, price): (Sentence, Option<f64>) = match &resolved {
            Ok(resolved) => (all_caps(&resolved.limits), resolved.price.as_ref().map(|p| p.amount)),
            Err(error) => (error.to_string().into(), None),
        };
        let (limits, error) =
            (resolved.as_ref().ok().map(|r| &r.limits), resolved.as_ref().err().map(ToString::to_string));
        documents.push(json!({
            "name": name, key: option, "attached": attached, "limits": limits, "price": price, "error": error,
        }));
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
    print_sheet(options.json, &json!({ list: documents }), &parts)
}
