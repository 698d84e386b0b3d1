//! `secchi limits contracts`: lists the contracts that come with secchi.

use super::print_sheet;
use analysis::{CONTRACTS, Contract, preset};
use anyhow::Result;
use cli::LimitsContracts;
use messages::sentence;
use report::{SheetColumn, SheetPart, SheetRow};
use serde_json::json;
use session::exit::{self, Code, coded};

/// Rate in the examples of contracts that require one.
const EXAMPLE: &str = "10000";

pub fn run(options: &LimitsContracts) -> Result<Code> {
    let read = |(name, _): &(&str, &str)| -> Result<(String, Contract)> {
        let with_rate = || format!("{name}:{EXAMPLE}");
        let (typed, read) = match preset(name) {
            Some(Ok(contract)) => ((*name).to_owned(), Ok(contract)),
            _ => (with_rate(), preset(&with_rate()).expect("it is in the list")),
        };
        Ok((typed, read.map_err(|e| coded(exit::CANNOT, e))?))
    };
    let contracts: Vec<(String, Contract)> = CONTRACTS.iter().map(read).collect::<Result<_>>()?;
    let lines = |c: &Contract| c.needs.iter().map(|n| n.text.clone()).collect::<Vec<_>>();
    let document = json!({
        "contracts": contracts.iter().map(|(name, c)| json!({
            "name": name, "title": c.title, "needs": lines(c), "source": c.source, "date": c.date,
        })).collect::<Vec<_>>(),
    });
    let mut parts = vec![SheetPart::Heading(sentence!("limits-contracts"), contracts.len().to_string().into())];
    let columns = vec![SheetColumn::words("limits-head-contract"), SheetColumn::words("limits-head-needs")];
    let mut rows = Vec::new();
    for (name, contract) in &contracts {
        for (at, line) in lines(contract).into_iter().enumerate() {
            let name = if at == 0 { name.as_str() } else { "" };
            rows.push(SheetRow::Cells(vec![name.into(), line.into()]));
        }
    }
    parts.push(SheetPart::Table(columns, rows));
    parts.push(SheetPart::Labelled("limits-label-note", sentence!("limits-contracts-note")));
    print_sheet(options.json, &document, &parts)
}
