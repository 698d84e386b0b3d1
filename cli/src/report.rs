//! Arguments of `secchi report`.

use crate::StoreArg;
use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use report::{FORMATS, Format};
use session::exit;
use std::path::PathBuf;

#[derive(Debug, Clone, Args)]
#[command(after_help = exit::TABLE)]
pub struct Report {
    /// Runs: ids or prefixes, `last`, `last-1`, tags, journals or JSON files
    ///
    /// If several runs are given, the charts of the first run show all of them. NAME=RUN gives a run a name.
    #[arg(value_name = "RUN", required = true, num_args = 1..)]
    pub runs: Vec<String>,

    /// Output file: .html, .md, .csv, .xml (JUnit), .json or .txt; a directory for parquet [default: -, standard output]
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,

    /// Overwrite an existing file that secchi did not write
    #[arg(long)]
    pub force: bool,

    /// Output format [default: determined by the file name; terminal for standard output]
    #[arg(short, long, value_parser = formats(), value_name = "FORMAT")]
    pub format: Option<ReportFormat>,

    #[command(flatten)]
    pub store: StoreArg,
}

/// Format of a report.
#[derive(Debug, Clone, Copy)]
pub enum ReportFormat {
    /// One document.
    Document(&'static Format),
    /// Tables, as Parquet files in a directory.
    Parquet,
}

/// Returns a parser for the names of the formats.
fn formats() -> impl TypedValueParser<Value = ReportFormat> {
    let documents = FORMATS.iter().map(|f| PossibleValue::new(f.name).help(f.help).aliases(f.aliases));
    let parquet = PossibleValue::new("parquet").help("Tables for data frames and SQL: four files in a directory");
    PossibleValuesParser::new(documents.chain([parquet]))
        .map(|name| report::format(&name).map_or(ReportFormat::Parquet, ReportFormat::Document))
}
