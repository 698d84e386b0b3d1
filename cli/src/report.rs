//! Arguments of `secchi report`.

use crate::StoreArg;
use crate::table::table_parser;
use clap::Args;
use clap::builder::{PossibleValue, TypedValueParser};
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

    /// Output file: .html, .md, .csv, .xml (JUnit), .json or .txt [default: -, standard output]
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,

    /// Overwrite an existing file that secchi did not write
    #[arg(long)]
    pub force: bool,

    /// Output format [default: determined by the file name; terminal for standard output]
    #[arg(short, long, value_parser = formats(), value_name = "FORMAT")]
    pub format: Option<&'static Format>,

    #[command(flatten)]
    pub store: StoreArg,
}

/// Returns a parser for the names of the formats.
fn formats() -> impl TypedValueParser<Value = &'static Format> {
    table_parser(FORMATS, |format| PossibleValue::new(format.name).help(format.help).aliases(format.aliases))
}
