//! Arguments of `secchi limits`, and those about the catalogue.

use super::table::table_parser;
use crate::exit;
use crate::inputs::contracts::Needs;
use analysis::catalog::{CATALOG_SOURCES, CatalogSource};
use clap::builder::{PossibleValue, TypedValueParser};
use clap::{Args, Subcommand};
use model::{Bytes, Limit, Nanos};
use std::path::PathBuf;

#[derive(Debug, Args)]
pub struct Limits {
    #[command(subcommand)]
    pub what: LimitsCommand,
}

#[derive(Debug, Subcommand)]
pub enum LimitsCommand {
    /// What the catalogue knows
    List(LimitsList),
    /// One kind of volume or type of instance, with where its figures are from
    Show(LimitsShow),
    /// What a volume and an instance let a workload do, point by point: which limit binds, the next, the headroom
    Explain(Box<LimitsExplain>),
    /// The smallest volume of each kind and the smallest instances that meet needs
    Solve(LimitsSolve),
    /// Make a catalogue file of what a vendor's tool prints
    Import(LimitsImport),
}

#[derive(Debug, Clone, Default, Args)]
pub struct CatalogArg {
    /// More published limits, in a file of the form of docs/limits.md; its rows replace those of the same name; may be repeated
    #[arg(long = "catalog", value_name = "FILE")]
    pub catalogs: Vec<PathBuf>,
}

#[derive(Debug, Args)]
pub struct LimitsList {
    /// Only this provider
    #[arg(long, value_name = "NAME")]
    pub provider: Option<String>,

    /// Only names with this in them
    #[arg(value_name = "TEXT")]
    pub part: Option<String>,

    /// Print one JSON document
    #[arg(long)]
    pub json: bool,

    #[command(flatten)]
    pub catalog: CatalogArg,
}

#[derive(Debug, Args)]
pub struct LimitsShow {
    /// A kind of volume or type of instance, such as gp3, gp3:size=500GiB or m4.xlarge
    #[arg(value_name = "TYPE")]
    pub name: String,

    /// Print one JSON document
    #[arg(long)]
    pub json: bool,

    #[command(flatten)]
    pub catalog: CatalogArg,
}

#[derive(Debug, Args)]
#[command(after_help = exit::TABLE)]
pub struct LimitsExplain {
    /// The volume as bought, such as gp3:size=2000GiB,iops=6000,mbps=125
    #[arg(long, value_name = "VOLUME")]
    pub volume: Option<String>,

    /// The instance it is attached to, such as m4.xlarge
    #[arg(long, value_name = "INSTANCE")]
    pub instance: Option<String>,

    /// A further limit, such as 'volume iops=6000 mbps=125MiB'; may be repeated
    #[arg(long = "limit", value_name = "LIMIT")]
    pub limits: Vec<Limit>,

    /// Block sizes
    #[arg(long, value_delimiter = ',', default_value = "4k,8k,16k,64k,256k", value_name = "LIST")]
    pub bs: Vec<Bytes>,

    /// Operations in flight
    #[arg(long, value_delimiter = ',', default_value = "32", value_name = "LIST")]
    pub depth: Vec<u32>,

    /// Latency of one operation alone, such as 0.63ms; without it the queue is left out
    #[arg(long, value_name = "TIME")]
    pub latency: Option<Nanos>,

    /// Pattern: randread, randwrite, randrw, read, write, rw
    #[arg(long, default_value = "randread", value_name = "NAME")]
    pub pattern: String,

    /// Percent of reads of a mix
    #[arg(long, default_value_t = 50, value_parser = clap::value_parser!(u8).range(0..=100), value_name = "PERCENT")]
    pub read_percent: u8,

    /// Print one JSON document
    #[arg(long)]
    pub json: bool,

    #[command(flatten)]
    pub catalog: CatalogArg,
}

#[derive(Debug, Args)]
pub struct LimitsSolve {
    /// What is needed, such as '8k randread: iops>=6000, avg<=2ms', a file of needs, or a contract (iris-flash, etcd, ranread,
    /// ibm-endurance:IOPS); may be repeated
    #[arg(long = "need", value_name = "NEED", required = true)]
    pub needs: Vec<Needs>,

    /// The needs are of the same time: what they take adds up
    #[arg(long)]
    pub together: bool,

    /// Room needed on the volume, such as 500GiB
    #[arg(long, value_name = "SIZE")]
    pub capacity: Option<Bytes>,

    /// Only these providers
    #[arg(long, value_delimiter = ',', value_name = "LIST")]
    pub provider: Vec<String>,

    /// The smallest instance of every family, not only the first few
    #[arg(long)]
    pub all: bool,

    /// Print one JSON document
    #[arg(long)]
    pub json: bool,

    #[command(flatten)]
    pub catalog: CatalogArg,
}

#[derive(Debug, Args)]
pub struct LimitsImport {
    /// What printed it: ec2 is `aws ec2 describe-instance-types`
    #[arg(value_parser = sources(), value_name = "FORMAT")]
    pub format: &'static CatalogSource,

    /// Its output, JSON
    #[arg(value_name = "FILE")]
    pub file: PathBuf,

    /// Where to [default: limits/FORMAT.toml in $XDG_CONFIG_HOME/secchi, where it is read from by itself]; - is standard output
    #[arg(long, value_name = "FILE")]
    pub output: Option<PathBuf>,

    /// Replace what stands at the output's name, though it is no earlier output of secchi
    #[arg(long)]
    pub force: bool,
}

/// The sources there are.
fn sources() -> impl TypedValueParser<Value = &'static CatalogSource> {
    table_parser(CATALOG_SOURCES, |source| PossibleValue::new(source.name).help(source.help))
}
