//! Arguments of `secchi judge` and `secchi lint`.

use super::{CatalogArg, StoreArg};
use crate::exit;
use crate::inputs::contracts::Needs;
use clap::Args;
use jiff::tz::TimeZone;
use model::{Bytes, Limit};
use std::ffi::OsString;
use std::path::PathBuf;

/// Limits as bought, from the command line or the catalogue.
#[derive(Debug, Clone, Args)]
pub struct BoughtArgs {
    /// What the storage was sold as, such as 'volume iops=6000 mbps=125MiB'; may be repeated; on=NAME for a target of a run
    #[arg(long = "limit", value_name = "LIMIT")]
    pub limits: Vec<Limit>,

    /// The volume as bought, from the catalogue, such as gp3:size=2000GiB,iops=6000 (secchi limits list)
    ///
    /// Of a run with several targets: NAME=VOLUME for one of them, repeated; without a name for each of the others
    #[arg(long = "volume", value_name = "VOLUME")]
    pub volumes: Vec<String>,

    /// The instance it is attached to, from the catalogue, such as m4.xlarge
    #[arg(long, value_name = "INSTANCE")]
    pub instance: Option<String>,

    #[command(flatten)]
    pub catalog: CatalogArg,
}

#[derive(Debug, Args)]
#[command(after_help = exit::TABLE, override_usage = "secchi judge [OPTIONS] <FILE|RUN>...")]
pub struct Judge {
    /// Files of other tools, `-` for standard input, or one kept run: its id or the beginning of it, a journal, a document of
    /// --json. What a file is its content tells; several files make one table
    #[arg(value_name = "FILE|RUN", required_unless_present_any = ["rules", "explain"])]
    pub sources: Vec<String>,

    /// What is needed: a line such as '8k randread: p99<=5ms', a file of needs, or a contract (iris-flash, etcd, ranread,
    /// ibm-endurance:IOPS); may be repeated [default: the run's own needs]
    #[arg(long = "need", value_name = "NEED")]
    pub needs: Vec<Needs>,

    #[command(flatten)]
    pub bought: BoughtArgs,

    /// Of files: memory of the machine that was measured; data of less than twice of it are doubted
    #[arg(long, value_name = "SIZE")]
    pub memory: Option<Bytes>,

    /// Take all files of directories, and of those in them
    #[arg(long)]
    pub recursive: bool,

    /// Write the needs as a JUnit report, for CI
    #[arg(long, value_name = "FILE")]
    pub junit: Option<PathBuf>,

    /// Replace what stands at the output's name, though it is no earlier output of secchi
    #[arg(long)]
    pub force: bool,

    /// Print one JSON document: of a run the whole record and its judgement, of files the table and what was found
    #[arg(long)]
    pub json: bool,

    /// Of files that tell the clock on the wall and no zone (iostat, mgstat, fio's text): the zone it is of, such as Asia/Tokyo or
    /// +09:00 [default: that of the files beside them]
    #[arg(long, allow_hyphen_values = true, value_name = "ZONE", value_parser = zone)]
    pub time_zone: Option<TimeZone>,

    /// Of files: print the table as CSV
    #[arg(long, conflicts_with = "json")]
    pub csv: bool,

    /// List the rules that files are judged by
    #[arg(long, conflicts_with_all = ["sources", "explain"])]
    pub rules: bool,

    /// Explain a rule, such as B01-first-touch or B01
    #[arg(long, value_name = "ID", conflicts_with = "sources")]
    pub explain: Option<String>,

    #[command(flatten)]
    pub store: StoreArg,
}

fn zone(text: &str) -> Result<TimeZone, String> {
    jiff::fmt::temporal::DateTimeParser::new().parse_time_zone(text).map_err(|_| {
        format!(
            "`{}`: a name that this machine's zone files know is wanted (Asia/Tokyo), or hours (+09:00)",
            model::clip(text)
        )
    })
}

#[derive(Debug, Args)]
#[command(after_help = exit::LINTED, override_usage = "secchi lint [OPTIONS] <PLAN>...")]
pub struct Lint {
    /// A command line in quotes such as 'fio --name=r --rw=randread ...' or 'qualify /mnt/data --bs 8k', a job file, a script or
    /// .bat with such lines, a kept run or its document of --json; or the words of one fio command
    #[arg(value_name = "PLAN", required_unless_present_any = ["rules", "explain"])]
    pub plans: Vec<OsString>,

    #[command(flatten)]
    pub bought: BoughtArgs,

    /// Memory of the machine it would run on [default: this one's]
    #[arg(long, value_name = "SIZE")]
    pub memory: Option<Bytes>,

    /// Processors of the machine it would run on [default: this one's]
    #[arg(long, value_name = "N")]
    pub cpus: Option<u32>,

    /// Print one JSON document
    #[arg(long)]
    pub json: bool,

    /// List the rules that plans are held against
    #[arg(long, conflicts_with_all = ["plans", "explain"])]
    pub rules: bool,

    /// Explain a rule, such as L01-page-cache or L01
    #[arg(long, value_name = "ID", conflicts_with = "plans")]
    pub explain: Option<String>,

    #[command(flatten)]
    pub store: StoreArg,
}
