//! Arguments of `secchi durable`.

use crate::{ResultArgs, StoreArg, count, count_u32};
use ::durable::experiment::SyncMethod;
use clap::{Args, Subcommand};
use model::{Bytes, Nanos};
use std::net::SocketAddr;
use std::path::PathBuf;
use uuid::Uuid;

const SYNC_CODES: &str = "\
Exit codes:
  0    every sync reached the lowest visible layer
  1    a sync did not reach the device
  2    the result is doubtful or not observable here, or the run is invalid
  3    refused for safety; nothing was changed
  4    a resource or permission is missing
  5    the storage hung
  64   bad input; nothing was opened
  130  interrupted (143 by SIGTERM); the partial result is kept";

const WRITE_CODES: &str = "\
Exit codes:
  0    complete: --for elapsed, or a signal ended an experiment without --for
  2    an I/O operation failed; earlier acknowledgements remain valid
  3    refused for safety; nothing was changed
  4    no space, no permission, or the witness is unreachable or refuses the reports
  5    the storage hung (--hang); the witness's acknowledgements remain valid
  64   bad input; nothing was opened
  130  interrupted before --for elapsed (143 by SIGTERM)";

const VERIFY_CODES: &str = "\
Exit codes:
  0    every acknowledged write that was checked is present
  1    an acknowledged write is lost
  2    inconclusive: nothing was acknowledged yet
  3    refused for safety: the experiment is still running, or belongs to another user
  4    a file cannot be read, or the witness is needed and unreachable
  64   bad input, or no experiment in this directory";

const WITNESS_CODES: &str = "\
Exit codes:
  0    ended by a signal
  3    refused: another witness uses the directory
  4    a resource or permission is missing
  64   bad input; nothing was opened";

#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true, after_help = SYNC_CODES)]
pub struct Durable {
    #[command(subcommand)]
    pub what: Option<DurableCommand>,

    #[command(flatten)]
    pub syncs: DurableSyncs,
}

/// Arguments of `secchi durable PATH`, which tests how sync calls reach the device.
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

#[derive(Debug, Subcommand)]
pub enum DurableCommand {
    /// Write and sync until the power is cut, and report each completed sync to a witness
    Write(Box<DurableWrite>),
    /// Record acknowledged writes on another machine
    Witness(DurableWitness),
    /// Check after a power cut which acknowledged writes survived
    Verify(DurableVerify),
}

#[derive(Debug, Clone, Args)]
#[command(after_help = WRITE_CODES)]
pub struct DurableWrite {
    /// Directory on the storage to test; the experiment creates secchi-durable in it
    #[arg(value_name = "PATH")]
    pub path: PathBuf,

    /// Address of `secchi durable witness` on a machine that stays powered
    ///
    /// The token is sent in clear text.
    #[arg(long, value_name = "HOST:PORT", requires = "token")]
    pub witness: Option<String>,

    /// File that contains the witness's token
    #[arg(long, value_name = "FILE", requires = "witness")]
    pub token: Option<PathBuf>,

    /// Method for making writes durable: fdatasync, fsync, dsync (O_DSYNC), sync (O_SYNC), direct-dsync
    /// (O_DIRECT|O_DSYNC)
    #[arg(long, value_name = "METHOD", default_value = "fdatasync")]
    pub sync: SyncMethod,

    /// Size of a block; after a power cut, a partly written block counts as an error
    #[arg(long, allow_hyphen_values = true, value_name = "SIZE", default_value = "4k")]
    pub block: Bytes,

    /// Size of each block writer's file; secchi fills the file first
    #[arg(long, allow_hyphen_values = true, value_name = "SIZE", default_value = "64m")]
    pub size: Bytes,

    /// Number of block writers, in addition to a writer that extends a file and a writer that renames files
    #[arg(long, allow_hyphen_values = true, value_name = "N", default_value = "1", value_parser = count_u32::<1, 64>)]
    pub jobs: u32,

    /// Number of file names for renames and removals
    #[arg(long, allow_hyphen_values = true, value_name = "N", default_value = "64", value_parser = count::<2, 65_536>)]
    pub names: u64,

    /// Duration [default: until a signal or the power cut]
    #[arg(long = "for", allow_hyphen_values = true, value_name = "TIME")]
    pub length: Option<Nanos>,

    /// Abort when the witness has been unreachable for this duration
    #[arg(long, allow_hyphen_values = true, value_name = "TIME", default_value = "30s", requires = "witness")]
    pub patience: Nanos,

    /// Abort when a sync has been in flight for this duration
    #[arg(long, allow_hyphen_values = true, value_name = "TIME", default_value = "60s")]
    pub hang: Nanos,

    /// Replace an interrupted experiment without verifying it
    #[arg(long)]
    pub discard: bool,

    /// Do not print progress
    #[arg(long, short)]
    pub quiet: bool,
}

#[derive(Debug, Clone, Args)]
#[command(after_help = WITNESS_CODES)]
pub struct DurableWitness {
    /// Address to listen on; port 0 chooses a free port
    ///
    /// Reading does not require the token, but reporting does.
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:7418")]
    pub listen: SocketAddr,

    /// Directory for the acknowledgements; created if missing
    #[arg(long, value_name = "DIR")]
    pub state: PathBuf,

    /// File with the token for writers: 16 to 128 letters and digits [default: generated once and kept in --state]
    #[arg(long, value_name = "FILE")]
    pub token: Option<PathBuf>,
}

#[derive(Debug, Clone, Args)]
#[command(after_help = VERIFY_CODES)]
pub struct DurableVerify {
    /// Directory that was passed to `secchi durable write`
    #[arg(value_name = "PATH")]
    pub path: PathBuf,

    /// Address of the witness
    ///
    /// Without a witness, secchi can only use the order of the writes to determine which ones must be present.
    #[arg(long, value_name = "HOST:PORT")]
    pub witness: Option<String>,

    /// Experiment id, as printed by `write`; needed if the storage lost the id
    #[arg(long, value_name = "UUID", requires = "witness")]
    pub run: Option<Uuid>,

    /// Ignore torn blocks, for engines that write pages twice or log full pages
    #[arg(long)]
    pub may_tear: bool,

    /// Print one JSON document (see docs/design/durability.md, "What is reported")
    #[arg(long)]
    pub json: bool,

    /// Remove the experiment afterwards; with --token, also on the witness
    #[arg(long)]
    pub remove: bool,

    /// File that contains the witness's token
    #[arg(long, value_name = "FILE", requires_all = ["witness", "remove"])]
    pub token: Option<PathBuf>,
}
