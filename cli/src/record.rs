//! Arguments of `secchi record`.

use crate::table::named_values;
use crate::{StoreArg, Watch};
use clap::Args;
use model::{Nanos, recording::RecordedLayer};
use session::targets::NamedPath;
use std::ffi::OsString;
use std::path::PathBuf;

const CODES: &str = "\
Exit codes:
  0    recorded; Ctrl-C ends a recording without --for
  2    recorded, but requests are missing: the kernel dropped events, or COMMAND did not end when signalled
  4    a resource or permission is missing (tracing requires root)
  64   bad input; nothing was started
  130  interrupted before --for elapsed (143 by SIGTERM); the partial recording is kept
If COMMAND ended by itself, secchi uses its exit code, or 128 plus the number of the signal that killed it.";

#[derive(Debug, Clone, Args)]
#[command(after_help = CODES, override_usage = "secchi record -o FILE [OPTIONS] [-- COMMAND...]\n       secchi record -o FILE --from RECORDING [--role NAME=TARGET]")]
pub struct Record {
    /// Recording to write, such as db.sqio; the file must not exist
    #[arg(short, long, value_name = "FILE")]
    pub output: PathBuf,

    /// Layer at which requests are recorded [default: block]
    #[arg(long, value_name = "LAYER", value_parser = named_values(LAYERS))]
    pub layer: Option<RecordedLayer>,

    /// Role of a file, directory or device, such as data=/srv/db; repeatable
    ///
    /// secchi records all requests to the devices that hold these paths. Requests outside the paths are reported as
    /// unmapped. With --from, PATH is the name of a disk or file in the recording to convert.
    #[arg(long = "role", value_name = "NAME=PATH")]
    pub roles: Vec<NamedPath>,

    /// Process to record, with its descendants; requires --layer syscalls; repeatable
    #[arg(long = "pid", value_name = "PID")]
    pub pids: Vec<u32>,

    /// Recording from another tool to convert: blktrace (binary), fio iolog version 2 or 3, or biosnoop text
    #[arg(long, value_name = "RECORDING", conflicts_with_all = ["layer", "pids", "devices", "length", "command"])]
    pub from: Option<PathBuf>,

    /// Device to record, such as vda or /dev/mapper/data; repeatable [default: devices of the roles, or every disk]
    #[arg(long = "device", value_name = "DEVICE")]
    pub devices: Vec<PathBuf>,

    /// Duration [default: until Ctrl-C or the end of COMMAND]
    ///
    /// If COMMAND is still running after this time, secchi sends SIGTERM to it and its descendants.
    #[arg(long = "for", allow_hyphen_values = true, value_name = "TIME")]
    pub length: Option<Nanos>,

    /// Omit the names of the machine, devices, files and command; role names are kept
    #[arg(long)]
    pub redact: bool,

    /// Do not print progress
    #[arg(long, short)]
    pub quiet: bool,

    #[command(flatten)]
    pub store: StoreArg,

    /// Command to run; the recording ends when the command does or after --for, whichever comes first
    #[arg(last = true, value_name = "COMMAND")]
    pub command: Vec<OsString>,
}

/// Names of the layers, with their help texts.
const LAYERS: &[(&str, RecordedLayer, &str)] = &[
    ("block", RecordedLayer::Block, "Requests to devices, from all processes"),
    (
        "syscalls",
        RecordedLayer::Syscalls,
        "Reads, writes and syncs of COMMAND or --pid and their descendants, including page-cache hits",
    ),
];

impl Record {
    /// Returns the layer as stored in recordings.
    pub fn layer(&self) -> RecordedLayer {
        self.layer.unwrap_or_default()
    }

    /// Returns an equivalent watch of the same devices and command.
    pub fn as_watch(&self) -> Watch {
        Watch {
            layer: self.layer(),
            interval: Nanos::from_secs(1),
            devices: self.devices.clone(),
            roles: self.roles.clone(),
            trace_blocks: self.layer() == RecordedLayer::Block,
            pids: self.pids.clone(),
            length: self.length,
            plain: true,
            one_line: true,
            store: self.store.clone(),
            command: self.command.clone(),
            ..Watch::default()
        }
    }
}
