//! Arguments of `secchi limits`, and those about the catalogue.

use super::needs::Headroom;
use super::table::table_parser;
use crate::exit;
use crate::inputs::contracts::Needs;
use analysis::catalog::{CATALOG_SOURCES, CatalogSource};
use clap::builder::{PossibleValue, TypedValueParser};
use clap::{Args, Subcommand};
use model::{Bytes, Limit, Nanos};
use std::path::PathBuf;
use std::str::FromStr;

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

const SOLVE_CODES: &str = "\
Exit codes:
  0    something in the catalogue meets it
  1    nothing does
  2    told, but the recording breaks off or is damaged; what came before is in the figures
  64   bad input: no such need, recording, provider or type";

#[derive(Debug, Args)]
#[command(after_help = SOLVE_CODES)]
pub struct LimitsSolve {
    /// What is needed, such as '8k randread: iops>=6000, avg<=2ms', a file of needs, or a contract (iris-flash, etcd, ranread,
    /// ibm-endurance:IOPS); may be repeated
    #[arg(long = "need", value_name = "NEED", required_unless_present = "recording")]
    pub needs: Vec<Needs>,

    /// A recording, as `secchi record` makes it: purchases that carry it second by second, credits included
    #[arg(long, value_name = "FILE", conflicts_with_all = ["needs", "together"])]
    pub recording: Option<PathBuf>,

    /// How much more than was recorded is to be carried, such as 30%
    #[arg(long, default_value = "30%", value_name = "SHARE")]
    pub headroom: Headroom,

    /// How long a request of the recording may wait for its turn, in whole seconds
    #[arg(long, default_value = "0s", value_name = "TIME")]
    pub wait: Nanos,

    /// How long it is to go on like the recording, which is repeated: credits must last so long [default: without end]
    #[arg(long = "for", value_name = "TIME", requires = "recording")]
    pub lasting: Option<Nanos>,

    /// How full buckets of credits are when the recording begins
    #[arg(long, default_value = "100%", value_name = "SHARE")]
    pub credits: Credits,

    /// The instance that the volumes are attached to, such as m7i.xlarge
    #[arg(long, value_name = "INSTANCE", requires = "recording")]
    pub instance: Option<String>,

    /// A volume to be tried with the recording, such as gp2:size=100GiB; may be repeated
    #[arg(long = "volume", value_name = "VOLUME", requires = "recording")]
    pub volumes: Vec<String>,

    /// The needs are of the same time: what they take adds up
    #[arg(long)]
    pub together: bool,

    /// Room needed on the volume, such as 500GiB; of one role of a recording, such as journal=20GiB; may be repeated [default: that
    /// of the recorded devices]
    #[arg(long, value_name = "[ROLE=]SIZE")]
    pub capacity: Vec<Capacity>,

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

/// Room on a volume, for one role or for all.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Capacity {
    /// The role; `None` = all.
    pub role: Option<String>,
    /// Room.
    pub size: Bytes,
}

impl FromStr for Capacity {
    type Err = model::UnitError;

    fn from_str(text: &str) -> Result<Self, model::UnitError> {
        // Roles may have the sign in their names, sizes have not.
        match text.rsplit_once('=') {
            Some((role, size)) => Ok(Capacity { role: Some(role.to_owned()), size: size.parse()? }),
            None => Ok(Capacity { role: None, size: text.parse()? }),
        }
    }
}

/// How full buckets of credits are: 1 = full.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Credits(pub f64);

impl FromStr for Credits {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let share = text.parse::<Headroom>().ok().filter(|share| share.0 <= 1.0);
        share
            .map(|share| Credits(share.0))
            .ok_or_else(|| format!("`{}` is no share from 0% to 100%, such as 50%", model::clip(text)))
    }
}

/// The sources there are.
fn sources() -> impl TypedValueParser<Value = &'static CatalogSource> {
    table_parser(CATALOG_SOURCES, |source| PossibleValue::new(source.name).help(source.help))
}
