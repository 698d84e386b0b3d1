//! Arguments of `secchi durable`.

use super::{DurableSyncs, count, count_u32};
use ::durable::experiment::SyncMethod;
use clap::{Args, Subcommand};
use model::{Bytes, Nanos};
use std::net::SocketAddr;
use std::path::PathBuf;
use uuid::Uuid;

const WRITE_CODES: &str = "\
Exit codes:
  0    it wrote to its end: --for was over, or a signal ended an experiment without --for
  2    an operation on the storage failed; what was acknowledged before stays so
  3    refused for safety; nothing was changed
  4    cannot: room, rights, or a witness that is away or refuses
  5    the storage hung (--hang); what the witness keeps stays acknowledged
  64   bad input; nothing was opened
  130  interrupted before --for was over (143 by SIGTERM)";

const VERIFY_CODES: &str = "\
Exit codes:
  0    every promise that was tested was kept
  1    a promise was broken
  2    nothing was promised yet, so it does not tell
  3    refused for safety: an experiment is being written there, or it is another user's
  4    cannot: a file cannot be read, or the witness that alone could tell is away
  64   bad input, or no experiment is there";

const WITNESS_CODES: &str = "\
Exit codes:
  0    it was ended by a signal
  3    refused: another witness works in the directory
  4    cannot: a resource or permission is missing
  64   bad input; nothing was opened";

#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true, after_help = super::syncs::CODES)]
pub struct Durable {
    #[command(subcommand)]
    pub what: Option<DurableCommand>,

    #[command(flatten)]
    pub syncs: DurableSyncs,
}

#[derive(Debug, Subcommand)]
pub enum DurableCommand {
    /// Write and sync until the power is cut, and tell a witness of each sync that returned
    Write(Box<DurableWrite>),
    /// Keep, on another machine, what writers were told is durable
    Witness(DurableWitness),
    /// Tell, after the power was cut, which promises the storage kept and which it broke
    Verify(DurableVerify),
}

#[derive(Debug, Clone, Args)]
#[command(after_help = WRITE_CODES)]
pub struct DurableWrite {
    /// A directory on the storage in question; the experiment makes its own in it, secchi-durable
    #[arg(value_name = "PATH")]
    pub path: PathBuf,

    /// The witness: where `secchi durable witness` listens, on a machine whose power stays. The token goes there in clear text
    #[arg(long, value_name = "HOST:PORT", requires = "token")]
    pub witness: Option<String>,

    /// File with the witness' token
    #[arg(long, value_name = "FILE", requires = "witness")]
    pub token: Option<PathBuf>,

    /// How writes are made durable: fdatasync, fsync, dsync (O_DSYNC), sync (O_SYNC), direct-dsync (O_DIRECT|O_DSYNC)
    #[arg(long, value_name = "METHOD", default_value = "fdatasync")]
    pub sync: SyncMethod,

    /// Bytes of a block: what is to be written whole or not at all
    #[arg(long, allow_hyphen_values = true, value_name = "SIZE", default_value = "4k")]
    pub block: Bytes,

    /// Bytes of the file of each writer of blocks; it is filled first
    #[arg(long, allow_hyphen_values = true, value_name = "SIZE", default_value = "64m")]
    pub size: Bytes,

    /// Writers of blocks, beside one of a file that grows and one of names
    #[arg(long, allow_hyphen_values = true, value_name = "N", default_value = "1", value_parser = count_u32::<1, 64>)]
    pub jobs: u32,

    /// Names that files are renamed to and removed from
    #[arg(long, allow_hyphen_values = true, value_name = "N", default_value = "64", value_parser = count::<2, 65_536>)]
    pub names: u64,

    /// End in order after so long [default: at a signal, or when the power goes]
    #[arg(long = "for", allow_hyphen_values = true, value_name = "TIME")]
    pub length: Option<Nanos>,

    /// End by name once the witness has been away for so long
    #[arg(long, allow_hyphen_values = true, value_name = "TIME", default_value = "30s", requires = "witness")]
    pub patience: Nanos,

    /// Give up when a sync of some writer has not returned for so long
    #[arg(long, allow_hyphen_values = true, value_name = "TIME", default_value = "60s")]
    pub hang: Nanos,

    /// Begin anew though the experiment that stands there was cut off: what it could tell is lost
    #[arg(long)]
    pub discard: bool,

    /// No line that says how far it is
    #[arg(long, short)]
    pub quiet: bool,
}

#[derive(Debug, Clone, Args)]
#[command(after_help = WITNESS_CODES)]
pub struct DurableWitness {
    /// Where to listen; port 0 takes one that is free. Whoever can reach it may read; telling it something takes the token
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:7418")]
    pub listen: SocketAddr,

    /// Directory in which it keeps what it is told; made if there is none
    #[arg(long, value_name = "DIR")]
    pub state: PathBuf,

    /// File with the token that writers show: 16 to 128 letters and digits [default: one that is made once, and kept in --state]
    #[arg(long, value_name = "FILE")]
    pub token: Option<PathBuf>,
}

#[derive(Debug, Clone, Args)]
#[command(after_help = VERIFY_CODES)]
pub struct DurableVerify {
    /// The directory that `secchi durable write` was given
    #[arg(value_name = "PATH")]
    pub path: PathBuf,

    /// The witness that was told; without it only the order of the writes tells what must be there
    #[arg(long, value_name = "HOST:PORT")]
    pub witness: Option<String>,

    /// The experiment, by what `write` said of it: where the storage has lost even that
    #[arg(long, value_name = "UUID", requires = "witness")]
    pub run: Option<Uuid>,

    /// Blocks that are there in part do not count: the engine writes twice, or keeps whole pages in its journal
    #[arg(long)]
    pub may_tear: bool,

    /// Print one JSON document (docs/design/durability.md, "What is told")
    #[arg(long)]
    pub json: bool,

    /// Then remove the experiment's directory, and with --token let the witness forget it
    #[arg(long)]
    pub remove: bool,

    /// File with the witness' token
    #[arg(long, value_name = "FILE", requires_all = ["witness", "remove"])]
    pub token: Option<PathBuf>,
}
