//! Arguments of `secchi record`.

use super::{NamedPath, ResultArgs, StoreArg, Watch};
use clap::{Args, ValueEnum};
use model::{Nanos, RecordedLayer};
use std::ffi::OsString;
use std::path::PathBuf;

const CODES: &str = "\
Exit codes:
  0    recorded; an open recording ended by Ctrl-C is complete
  2    recorded, but requests are missing: the kernel had no room for their events, or the COMMAND did not end when it was told to
  4    cannot: a resource or permission is missing (traces need root)
  64   bad input; nothing was begun
  130  interrupted before its time (143 by SIGTERM); what was seen is kept
With a COMMAND that ended by itself its own code, 128 and the signal's number if one killed it.";

#[derive(Debug, Clone, Args)]
#[command(after_help = CODES, override_usage = "secchi record -o FILE [OPTIONS] [-- COMMAND...]\n       secchi record -o FILE --from RECORDING [--role NAME=TARGET]")]
pub struct Record {
    /// The recording, such as db.sqio; it may not be there yet
    #[arg(short, long, value_name = "FILE")]
    pub output: PathBuf,

    /// Where requests are seen [default: block]
    #[arg(long, value_name = "LAYER")]
    pub layer: Option<Layer>,

    /// Files, a directory or a device, by what they are for, such as data=/srv/db; may be repeated. Requests to the devices under
    /// them are recorded, those of no such file as unmapped. With --from, what the file calls a disk or a file
    #[arg(long = "role", value_name = "NAME=PATH")]
    pub roles: Vec<NamedPath>,

    /// A process, with all that come from it, whose calls are recorded (--layer syscalls); may be repeated
    #[arg(long = "pid", value_name = "PID")]
    pub pids: Vec<u32>,

    /// Another tool's recording, which is written anew: blktrace (binary), fio's iolog of version 2 or 3, biosnoop's text
    #[arg(long, value_name = "RECORDING", conflicts_with_all = ["layer", "pids", "devices", "length", "command"])]
    pub from: Option<PathBuf>,

    /// A device, such as vda or /dev/mapper/data; may be repeated [default: those under the roles, else every disk]
    #[arg(long = "device", value_name = "DEVICE")]
    pub devices: Vec<PathBuf>,

    /// End after so long [default: when told to, or with the command]; a COMMAND that still runs is sent SIGTERM then, with
    /// all it started, and waited for
    #[arg(long = "for", allow_hyphen_values = true, value_name = "TIME")]
    pub length: Option<Nanos>,

    /// Leave names out: of the machine, of devices, of files and of the command. Roles keep theirs
    #[arg(long)]
    pub redact: bool,

    /// No line each second
    #[arg(long, short)]
    pub quiet: bool,

    #[command(flatten)]
    pub store: StoreArg,

    /// A command that is run meanwhile; the recording ends with it, or with --for, whichever comes first
    #[arg(last = true, value_name = "COMMAND")]
    pub command: Vec<OsString>,
}

/// Where a recording sees requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Layer {
    /// Requests to devices, of whomever
    Block,
    /// Reads, writes and syncs of the COMMAND or of --pid, and of all that they start: also what the page cache answers
    Syscalls,
}

impl Record {
    /// The layer, as recordings call it.
    pub fn layer(&self) -> RecordedLayer {
        match self.layer {
            Some(Layer::Syscalls) => RecordedLayer::Syscalls,
            Some(Layer::Block) | None => RecordedLayer::Block,
        }
    }

    /// The watch that a recording is: of the same devices, beside the same command.
    pub fn as_watch(&self) -> Watch {
        Watch {
            layer: self.layer(),
            interval: Nanos::from_secs(1),
            devices: self.devices.clone(),
            all: false,
            roles: self.roles.clone(),
            trace_blocks: self.layer() == RecordedLayer::Block,
            pids: self.pids.clone(),
            length: self.length,
            limits: Vec::new(),
            volumes: Vec::new(),
            instance: None,
            catalog: super::CatalogArg::default(),
            alerts: Vec::new(),
            on_alert: None,
            until_alert: false,
            plain: true,
            one_line: true,
            json: false,
            csv: None,
            html: None,
            openmetrics: None,
            results: ResultArgs::default(),
            listen: None,
            store: self.store.clone(),
            command: self.command.clone(),
        }
    }
}
