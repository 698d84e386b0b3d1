//! `secchi limits contracts`: lists the contracts that come with secchi.

use super::print_sheet;
use analysis::{CONTRACTS, Contract, preset};
use anyhow::Result;
use cli::LimitsContracts;
use messages::sentence;
use report::documents::{LimitsContract, LimitsContracts as Document};
use report::{DocumentKind, SheetColumn, SheetPart, SheetRow};
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
    let document = Document { contracts: contracts.iter().map(|(name, contract)| described(name, contract)).collect() };
    let mut parts = vec![SheetPart::Heading(sentence!("limits-contracts"), contracts.len().to_string().into())];
    let columns = vec![SheetColumn::words("limits-head-contract"), SheetColumn::words("limits-head-needs")];
    let mut rows = Vec::new();
    for (name, contract) in &contracts {
        for (at, need) in contract.needs.iter().enumerate() {
            let name = if at == 0 { name.as_str() } else { "" };
            rows.push(SheetRow::Cells(vec![name.into(), need.text.as_str().into()]));
        }
    }
    parts.push(SheetPart::Table(columns, rows));
    parts.push(SheetPart::Labelled("limits-label-note", sentence!("limits-contracts-note")));
    print_sheet(options.json, DocumentKind::LimitsContracts, &document, &parts)
}

fn described<'a>(name: &'a str, contract: &'a Contract) -> LimitsContract<'a> {
    LimitsContract {
        name,
        title: &contract.title,
        needs: contract.needs.iter().map(|need| need.text.as_str()).collect(),
        source: &contract.source,
        date: &contract.date,
    }
}
