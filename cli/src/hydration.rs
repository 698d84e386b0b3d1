//! Arguments of `secchi hydration`.

use crate::{ResultArgs, StoreArg, count};
use clap::Args;
use model::{BytesPerSecond, Nanos};
use std::path::PathBuf;

const CODES: &str = "\
Exit codes:
  0    loaded: at most 1 % of the volume is not loaded yet; with --warm, all of it has been read
  1    still loading
  2    undecided, or the run is invalid
  3    refused for safety
  4    a resource or permission is missing
  5    the storage hung
  64   bad input; nothing was opened
  130  interrupted (143 by SIGTERM); the partial result is kept";

#[derive(Debug, Clone, Args)]
#[command(after_help = CODES)]
pub struct Hydration {
    /// Block device or file on the volume, which is only read
    #[arg(value_name = "PATH")]
    pub path: PathBuf,

    /// Number of random blocks to sample [default: 400]
    #[arg(long, value_name = "N", allow_hyphen_values = true, value_parser = count::<0, { u64::MAX }>, conflicts_with = "warm")]
    pub samples: Option<u64>,

    /// Read everything, so that later reads do not wait for the snapshot
    ///
    /// If the last run with --warm on this volume was interrupted, this run continues where it ended.
    #[arg(long)]
    pub warm: bool,

    /// Maximum rate of --warm, such as 100MiB
    #[arg(long, value_name = "BYTES/S", allow_hyphen_values = true, requires = "warm")]
    pub rate: Option<BytesPerSecond>,

    /// Begin --warm at the start of the volume, even if an earlier run was interrupted
    #[arg(long, requires = "warm")]
    pub restart: bool,

    /// Number of large reads in flight
    #[arg(long, default_value_t = 8, allow_hyphen_values = true, value_name = "N")]
    pub depth: u32,

    /// Allow reading a device that is in use, such as a mounted one
    #[arg(long)]
    pub share: bool,

    /// Random seed, which determines the sampled blocks [default: different each time]
    #[arg(long, value_name = "N", conflicts_with = "warm")]
    pub seed: Option<u64>,

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
