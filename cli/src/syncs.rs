//! Arguments of `secchi durable PATH`, which tests how sync calls reach the device.

use crate::{ResultArgs, StoreArg};
use clap::Args;
use model::Nanos;
use std::path::PathBuf;

pub(crate) const CODES: &str = "\
Exit codes:
  0    every sync reached the lowest visible layer
  1    a sync did not reach the device
  2    the result is doubtful or not observable here, or the run is invalid
  3    refused for safety; nothing was changed
  4    a resource or permission is missing
  5    the storage hung
  64   bad input; nothing was opened
  130  interrupted (143 by SIGTERM); the partial result is kept";

#[derive(Debug, Clone, Args)]
pub struct DurableSyncs {
    /// Directory on the storage to test
    ///
    /// secchi creates a new directory there for its files, and removes the directory at the end.
    #[arg(value_name = "PATH", default_value = ".")]
    pub path: PathBuf,

    /// Test duration per sync method, in seconds or with a unit
    #[arg(short, long, value_name = "TIME", default_value = "2", value_parser = super::mark::seconds, allow_hyphen_values = true)]
    pub time: Nanos,

    /// Abort when an operation has been in flight for this duration
    #[arg(long, allow_hyphen_values = true, default_value = "60s", value_name = "TIME")]
    pub hang: Nanos,

    /// Print the record and its judgement as one JSON document
    #[arg(long)]
    pub json: bool,

    #[command(flatten)]
    pub results: ResultArgs,

    #[command(flatten)]
    pub store: StoreArg,
}
