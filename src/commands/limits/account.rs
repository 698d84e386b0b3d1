//! `secchi limits account FILE`: the volumes of an account as specifications for `--volume`, with their caps and prices.

use super::{all_caps, print_sheet};
use analysis::catalog::{OwnVolume, own_volumes};
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
    let volumes = own_volumes(&text(&options.file)?).map_err(wrong)?;
    let columns = vec![
        SheetColumn::words("limits-head-volume"),
        SheetColumn::words("limits-head-attached").droppable(1),
        SheetColumn::words("limits-head-option"),
        SheetColumn::words("limits-head-caps").droppable(2),
        SheetColumn::figures("purchase-head-price"),
    ];
    let (mut rows, mut documents) = (Vec::new(), Vec::new());
    for OwnVolume { name, volume, attached } in &volumes {
        let resolved = catalog.resolve_volume(volume);
        let (caps, price): (Sentence, Option<f64>) = match &resolved {
            Ok(resolved) => (all_caps(&resolved.limits), resolved.price.as_ref().map(|p| p.amount)),
            Err(error) => (error.to_string().into(), None),
        };
        let (limits, error) =
            (resolved.as_ref().ok().map(|r| &r.limits), resolved.as_ref().err().map(ToString::to_string));
        documents.push(json!({
            "name": name, "volume": volume, "attached": attached, "limits": limits, "price": price, "error": error,
        }));
        rows.push(SheetRow::Cells(vec![
            name.as_str().into(),
            attached.clone().unwrap_or_default().into(),
            volume.as_str().into(),
            caps,
            price.map_or_else(String::new, report::money).into(),
        ]));
    }
    let parts = [
        SheetPart::Heading(sentence!("limits-account"), volumes.len().to_string().into()),
        SheetPart::Table(columns, rows),
        SheetPart::Labelled("limits-label-note", sentence!("limits-account-note")),
    ];
    print_sheet(options.json, &json!({ "volumes": documents }), &parts)
}
