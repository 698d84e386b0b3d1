//! Arguments of `secchi limits` and of the catalogue.

use crate::ResultArgs;
use crate::contracts::Needs;
use crate::needs::Headroom;
use crate::table::table_parser;
use analysis::catalog::{CATALOG_SOURCES, CatalogSource};
use clap::builder::{PossibleValue, TypedValueParser};
use clap::{Args, Subcommand};
use model::{Bytes, Limit, Nanos};
use session::exit;
use std::path::PathBuf;
use std::str::FromStr;

#[derive(Debug, Args)]
pub struct Limits {
    #[command(subcommand)]
    pub what: LimitsCommand,
}

#[derive(Debug, Subcommand)]
pub enum LimitsCommand {
    /// List the volumes and instances in the catalogue
    List(LimitsList),
    /// Show one volume or instance type, with the source of its figures
    Show(LimitsShow),
    /// Show what a volume and an instance allow: the limit that binds, the next limit and the headroom
    Explain(Box<LimitsExplain>),
    /// Find what to buy for needs, for samples of a load, or for a recording
    Solve(Box<LimitsSolve>),
    /// List the contracts that come with secchi: what databases need of their storage
    Contracts(LimitsContracts),
    /// Show the volumes or instances of your account as options, from the output of your cloud's command line
    Account(LimitsAccount),
    /// Convert the output of a vendor's tool to a catalogue file
    Import(LimitsImport),
}

#[derive(Debug, Clone, Default, Args)]
pub struct CatalogArg {
    /// File with additional published limits; repeatable
    ///
    /// Rows in this file replace catalogue rows with the same name.
    #[arg(long = "catalog", value_name = "FILE")]
    pub catalogs: Vec<PathBuf>,
}

#[derive(Debug, Args)]
pub struct LimitsList {
    /// Provider to list [default: all]
    #[arg(long, value_name = "NAME")]
    pub provider: Option<String>,

    /// Text that names must contain
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
    /// Volume or instance type, such as gp3, gp3:size=500GiB or m6i.xlarge
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
    /// Volume that was paid for, such as gp3:size=2000GiB,iops=6000,mbps=125
    #[arg(long, value_name = "VOLUME")]
    pub volume: Option<String>,

    /// Instance that the volume is attached to, such as m6i.xlarge
    #[arg(long, value_name = "INSTANCE")]
    pub instance: Option<String>,

    /// Additional limit, such as 'volume iops=6000 mbps=125MiB'; repeatable
    #[arg(long = "limit", value_name = "LIMIT")]
    pub limits: Vec<Limit>,

    /// Block sizes, separated by commas
    #[arg(long, value_delimiter = ',', default_value = "4k,8k,16k,64k,256k", value_name = "LIST")]
    pub bs: Vec<Bytes>,

    /// Queue depths (operations in flight), separated by commas
    #[arg(long, value_delimiter = ',', default_value = "32", value_name = "LIST")]
    pub depth: Vec<u32>,

    /// Latency of one operation, such as 0.63ms; if omitted, the queue depth is ignored
    #[arg(long, value_name = "TIME")]
    pub latency: Option<Nanos>,

    /// Pattern: randread, randwrite, randrw, read, write, rw
    #[arg(long, default_value = "randread", value_name = "NAME")]
    pub pattern: String,

    /// Percentage of reads in a mixed pattern
    #[arg(long, default_value_t = 50, value_parser = clap::value_parser!(u8).range(0..=100), value_name = "PERCENT")]
    pub read_percent: u8,

    /// Print one JSON document
    #[arg(long)]
    pub json: bool,

    #[command(flatten)]
    pub catalog: CatalogArg,
}

#[derive(Debug, Args)]
pub struct LimitsContracts {
    /// Print one JSON document
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct LimitsAccount {
    /// List of volumes, instances or types of instances as JSON
    ///
    /// Read are aws ec2 describe-volumes, describe-instances and describe-instance-types; az disk list, vm list and vm
    /// list-skus; gcloud compute disks list, instances list and machine-types list; oci bv volume list, compute
    /// instance list and compute shape list; ibmcloud is volumes and instances.
    #[arg(value_name = "FILE")]
    pub file: PathBuf,

    /// Print one JSON document
    #[arg(long)]
    pub json: bool,

    #[command(flatten)]
    pub catalog: CatalogArg,
}

const SOLVE_CODES: &str = "\
Exit codes:
  0    at least one purchase carries the load
  1    nothing in the catalogue carries the load
  2    a recording is damaged or incomplete; the figures cover the part that was read
  64   bad input: unknown need, file, provider or type";

#[derive(Debug, Args)]
#[command(after_help = SOLVE_CODES)]
pub struct LimitsSolve {
    /// Samples of a load, or recordings of requests; a purchase must carry each of them
    ///
    /// Samples are what `secchi needs` reads: SystemPerformance, mgstat, iostat, sar, perfmon, typeperf, CloudWatch,
    /// Azure Monitor, pg_stat_io. Recordings come from `secchi record`, blktrace, fio or biosnoop. Every second must be
    /// carried. Burst credits are taken into account.
    #[arg(value_name = "FILE", conflicts_with_all = ["needs", "together"])]
    pub files: Vec<PathBuf>,

    /// Requirement, such as '8k randread: iops>=6000, avg<=2ms'; repeatable
    ///
    /// NEED can also be a file that contains needs, or the name of a contract, such as iris-flash or etcd (`secchi limits
    /// contracts` lists them).
    #[arg(long = "need", value_name = "NEED", required_unless_present_any = ["files", "recordings"])]
    pub needs: Vec<Needs>,

    /// The same as FILE
    #[arg(long = "recording", value_name = "FILE", conflicts_with_all = ["needs", "together"])]
    pub recordings: Vec<PathBuf>,

    /// Margin above the load [default: 30% for files, none for needs]
    #[arg(long, value_name = "SHARE")]
    pub headroom: Option<Headroom>,

    /// Longest time that a request may wait in a queue, in whole seconds
    #[arg(long, default_value = "0s", value_name = "TIME")]
    pub wait: Nanos,

    /// Duration for which burst credits must last while the load repeats [default: unlimited]
    #[arg(long = "for", value_name = "TIME")]
    pub lasting: Option<Nanos>,

    /// Fill level of the credit buckets at the start of the load
    #[arg(long, default_value = "100%", value_name = "SHARE")]
    pub credits: Credits,

    /// Instance that the volumes are attached to, such as m7i.xlarge
    #[arg(long, visible_alias = "keep-instance", value_name = "INSTANCE")]
    pub instance: Option<String>,

    /// Volume to try, such as gp2:size=100GiB or 4*gp3:size=250GiB; repeatable
    #[arg(long = "volume", value_name = "VOLUME")]
    pub volumes: Vec<String>,

    /// Volume that is in use now, such as gp2:size=500GiB: show what it throttles
    #[arg(long, value_name = "VOLUME")]
    pub current: Option<String>,

    /// Treat the needs as simultaneous and add them up
    #[arg(long)]
    pub together: bool,

    /// Capacity of the volume, such as 500GiB; repeatable [default: the capacity of the recorded devices]
    ///
    /// ROLE=SIZE, such as journal=20GiB, gives the capacity for one role of the recording.
    #[arg(long, value_name = "[ROLE=]SIZE")]
    pub capacity: Vec<Capacity>,

    /// File with prices that replace those of the catalogue; repeatable
    #[arg(long = "prices", value_name = "FILE")]
    pub prices: Vec<PathBuf>,

    /// Providers to consider [default: all]
    #[arg(long, value_delimiter = ',', value_name = "LIST")]
    pub provider: Vec<String>,

    /// Region of the prices, such as us-east-1: consider only providers with prices in this region
    #[arg(long, value_name = "REGION")]
    pub region: Option<String>,

    /// Show all entries, and also previous generations and instances for special purposes
    #[arg(long)]
    pub all: bool,

    #[command(flatten)]
    pub results: ResultArgs,

    /// Print one JSON document
    #[arg(long)]
    pub json: bool,

    #[command(flatten)]
    pub catalog: CatalogArg,
}

#[derive(Debug, Args)]
pub struct LimitsImport {
    /// Tool that produced the file: ec2 for `aws ec2 describe-instance-types`
    #[arg(value_parser = sources(), value_name = "FORMAT")]
    pub format: &'static CatalogSource,

    /// JSON output of the tool
    #[arg(value_name = "FILE")]
    pub file: PathBuf,

    /// Catalogue file to write; - is standard output [default: limits/FORMAT.toml in $XDG_CONFIG_HOME/secchi]
    ///
    /// secchi reads the default file automatically.
    #[arg(long, value_name = "FILE")]
    pub output: Option<PathBuf>,

    /// Overwrite an existing file that secchi did not write
    #[arg(long)]
    pub force: bool,
}

/// Capacity of a volume, for one role or for all roles.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Capacity {
    /// Role; `None` = all roles.
    pub role: Option<String>,
    /// Capacity in bytes.
    pub size: Bytes,
}

impl FromStr for Capacity {
    type Err = model::units::UnitError;

    fn from_str(text: &str) -> Result<Self, model::units::UnitError> {
        // Names of roles may contain `=`, sizes may not.
        match text.rsplit_once('=') {
            Some((role, size)) => Ok(Capacity { role: Some(role.to_owned()), size: size.parse()? }),
            None => Ok(Capacity { role: None, size: text.parse()? }),
        }
    }
}

/// Fill level of credit buckets, from 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Credits(pub f64);

impl FromStr for Credits {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let share = text.parse::<Headroom>().ok().filter(|share| share.0 <= 1.0);
        share
            .map(|share| Credits(share.0))
            .ok_or_else(|| format!("`{}` is not a share from 0% to 100%, such as 50%", model::clip(text)))
    }
}

/// Returns a parser for the names of the sources.
fn sources() -> impl TypedValueParser<Value = &'static CatalogSource> {
    table_parser(CATALOG_SOURCES, |source| PossibleValue::new(source.name).help(source.help))
}
