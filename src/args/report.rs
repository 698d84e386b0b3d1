//! Arguments of `secchi report`.

use super::StoreArg;
use super::table::table_parser;
use crate::exit;
use clap::Args;
use clap::builder::{PossibleValue, TypedValueParser};
use report::{FORMATS, Format};
use std::path::PathBuf;

#[derive(Debug, Clone, Args)]
#[command(after_help = exit::TABLE)]
pub struct Report {
    /// Ids of runs or their beginnings; `last`, `last-1`; tags; journals, or documents of --json. NAME=RUN gives a run a name
    /// on a page of several. The first leads, the others are laid over its charts
    #[arg(value_name = "RUN", required = true, num_args = 1..)]
    pub runs: Vec<String>,

    /// Write to this file: .html, .md, .csv, .xml (JUnit), .json or .txt says the format; `-` or none is standard output
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,

    /// Replace what stands at the output's name, though it is no earlier output of secchi
    #[arg(long)]
    pub force: bool,

    /// The format, whatever the file is called [default: terminal on standard output]
    #[arg(short, long, value_parser = formats(), value_name = "FORMAT")]
    pub format: Option<&'static Format>,

    #[command(flatten)]
    pub store: StoreArg,
}

/// The formats there are.
fn formats() -> impl TypedValueParser<Value = &'static Format> {
    table_parser(FORMATS, |format| PossibleValue::new(format.name).help(format.help).aliases(format.aliases))
}
