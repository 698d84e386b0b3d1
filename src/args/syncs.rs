//! Arguments of `secchi durable PATH`: what syncs become.

use super::{ResultArgs, StoreArg};
use clap::Args;
use model::Nanos;
use std::path::PathBuf;

pub(super) const CODES: &str = "\
Exit codes:
  0    every promise was kept, down to the lowest layer that is seen
  1    a promise was broken
  2    a promise is doubtful or cannot be seen here, or the run is not valid
  3    refused for safety; nothing was changed
  4    cannot: a resource or permission is missing
  5    the storage hung
  64   bad input; nothing was opened
  130  interrupted (143 by SIGTERM); what was seen is kept";

#[derive(Debug, Clone, Args)]
pub struct DurableSyncs {
    /// A directory on the storage in question: files are made in a directory of its own there, and removed
    #[arg(value_name = "PATH", default_value = ".")]
    pub path: PathBuf,

    /// Time for each way to make writes durable, in seconds or with a unit
    #[arg(short, long, value_name = "TIME", default_value = "2", value_parser = super::mark::seconds, allow_hyphen_values = true)]
    pub time: Nanos,

    /// Give up when an operation has been in flight for so long
    #[arg(long, allow_hyphen_values = true, default_value = "60s", value_name = "TIME")]
    pub hang: Nanos,

    /// Print the whole record and its judgement as one JSON document
    #[arg(long)]
    pub json: bool,

    #[command(flatten)]
    pub results: ResultArgs,

    #[command(flatten)]
    pub store: StoreArg,
}
