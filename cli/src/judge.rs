//! Arguments of `secchi judge` and `secchi lint`.

use crate::contracts::Needs;
use crate::{CatalogArg, ResultArgs, StoreArg};
use anyhow::Result;
use clap::Args;
use jiff::tz::TimeZone;
use model::{Bytes, Limit};
use session::exit::{self, coded};
use session::inputs::catalogue::{bought_by, catalogue};
use std::ffi::OsString;
use std::path::PathBuf;

/// Limits that were paid for, from the command line or the catalogue.
#[derive(Debug, Clone, Args)]
pub struct BoughtArgs {
    /// Limit that was paid for, such as 'volume iops=6000 mbps=125MiB'; repeatable
    ///
    /// on=NAME applies the limit to one target of a run.
    #[arg(long = "limit", value_name = "LIMIT")]
    pub limits: Vec<Limit>,

    /// Volume from the catalogue, such as gp3:size=2000GiB,iops=6000 (see `secchi limits list`)
    ///
    /// NAME=VOLUME applies to one target of a run; a volume without a name applies to the other targets.
    #[arg(long = "volume", value_name = "VOLUME")]
    pub volumes: Vec<String>,

    /// Instance that the volume is attached to, such as m6i.xlarge (see `secchi limits list`)
    #[arg(long, value_name = "INSTANCE")]
    pub instance: Option<String>,

    #[command(flatten)]
    pub catalog: CatalogArg,
}

impl BoughtArgs {
    /// Returns the purchased limits. `names` are the targets of a run; `on=` and `--volume NAME=...` may refer to them.
    ///
    /// # Errors
    /// If a limit names an unknown target, or if the catalogue does not know a name.
    pub fn resolve(&self, names: &[&str]) -> Result<Vec<Limit>> {
        // The hosts of a run on many hosts become known later.
        let known = !(names.is_empty() && session::hosts::are_expected());
        for limit in self.limits.iter().filter(|_| known) {
            let Some(unknown) = limit.on.iter().find(|on| !names.contains(&on.as_str())) else { continue };
            let message = if names.is_empty() {
                format!("limit `{limit}`: `on=` names targets of a run, and these results have none")
            } else {
                let near = model::units::nearest(unknown, names.iter().copied())
                    .map_or_else(String::new, |n| format!(": `{n}`?"));
                format!(
                    "limit `{limit}`: the run has no target `{}`, but {}{near}",
                    model::clip(unknown),
                    names.join(", ")
                )
            };
            return Err(coded(exit::BAD_INPUT, message));
        }
        let mut limits = self.limits.clone();
        if self.volumes.is_empty() && self.instance.is_none() {
            return Ok(limits);
        }
        let catalog = catalogue(&self.catalog.catalogs)?;
        limits.extend(bought_by(&catalog, names, &self.volumes, self.instance.as_ref())?);
        Ok(limits)
    }
}

#[derive(Debug, Args)]
#[command(after_help = exit::TABLE, override_usage = "secchi judge [OPTIONS] <FILE|RUN>...")]
pub struct Judge {
    /// Files from other tools, `-` for standard input, or one stored run
    ///
    /// Files are recognised by content, and several files are judged in one table. A run can be given by its
    /// id, a prefix of its id, its journal, or its JSON file.
    #[arg(value_name = "FILE|RUN", required_unless_present_any = ["rules", "explain"])]
    pub sources: Vec<String>,

    /// Requirement, such as '8k randread: p99<=5ms'; repeatable [default: needs stored in the run]
    ///
    /// NEED can also be a file that contains needs, or the name of a contract, such as iris-flash or etcd (`secchi limits
    /// contracts` lists them).
    #[arg(long = "need", value_name = "NEED")]
    pub needs: Vec<Needs>,

    #[command(flatten)]
    pub bought: BoughtArgs,

    /// Memory size of the measured machine; figures are doubted if the data is less than twice this size
    ///
    /// This option applies to files from other tools.
    #[arg(long, value_name = "SIZE")]
    pub memory: Option<Bytes>,

    /// Read directories and their subdirectories
    #[arg(long)]
    pub recursive: bool,

    /// Write the results for the needs as a JUnit report, for CI
    #[arg(long, value_name = "FILE")]
    pub junit: Option<PathBuf>,

    #[command(flatten)]
    pub results: ResultArgs,

    /// Print one JSON document: the record and judgement of a run, or the table and findings for files
    #[arg(long)]
    pub json: bool,

    /// Time zone for files that contain only local times, such as Asia/Tokyo or +09:00
    ///
    /// The text output of iostat, mgstat and fio contains local times without a time zone. Without this option, secchi
    /// assumes that these files are from the same machine.
    #[arg(long, allow_hyphen_values = true, value_name = "ZONE", value_parser = zone)]
    pub time_zone: Option<TimeZone>,

    /// Print the table of files as CSV
    #[arg(long, conflicts_with = "json")]
    pub csv: bool,

    /// List the rules for files
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
        format!("`{}` is unknown: expected a time zone name (Asia/Tokyo) or an offset (+09:00)", model::clip(text))
    })
}

#[derive(Debug, Args)]
#[command(after_help = exit::LINTED, override_usage = "secchi lint [OPTIONS] <PLAN>...")]
pub struct Lint {
    /// Quoted command line, job file, script, stored run, or the words of one fio command
    ///
    /// Examples of quoted command lines: 'fio --name=r --rw=randread ...', 'qualify /mnt/data --bs 8k'. Scripts may be
    /// shell scripts or .bat files.
    #[arg(value_name = "PLAN", required_unless_present_any = ["rules", "explain"])]
    pub plans: Vec<OsString>,

    #[command(flatten)]
    pub bought: BoughtArgs,

    /// Memory size of the machine that will run the plan [default: the memory size of this machine]
    #[arg(long, value_name = "SIZE")]
    pub memory: Option<Bytes>,

    /// Number of CPUs in the machine that will run the plan [default: the number in this machine]
    #[arg(long, value_name = "N")]
    pub cpus: Option<u32>,

    /// Print one JSON document
    #[arg(long)]
    pub json: bool,

    /// List the rules for plans
    #[arg(long, conflicts_with_all = ["plans", "explain"])]
    pub rules: bool,

    /// Explain a rule, such as L01-page-cache or L01
    #[arg(long, value_name = "ID", conflicts_with = "plans")]
    pub explain: Option<String>,

    #[command(flatten)]
    pub store: StoreArg,
}
