//! Arguments of `secchi report`.

use super::StoreArg;
use crate::exit;
use clap::{Args, ValueEnum};
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
    #[arg(short, long, value_enum, value_name = "FORMAT")]
    pub format: Option<ReportFormat>,

    #[command(flatten)]
    pub store: StoreArg,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ReportFormat {
    /// A page of one file for a browser: charts, tables, print; opens offline
    Html,
    /// As on the screen
    Terminal,
    /// For issues and wikis
    #[value(alias = "md")]
    Markdown,
    /// A line for each level
    Csv,
    /// The needs as test cases
    Junit,
    /// The whole record and its judgement
    Json,
}
