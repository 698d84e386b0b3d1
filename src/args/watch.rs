//! Arguments of `secchi watch`.

use super::{CatalogArg, NamedPath, ResultArgs, StoreArg};
use clap::Args;
use model::{Alert, Limit, Nanos};
use std::ffi::OsString;
use std::net::SocketAddr;
use std::path::PathBuf;

const CODES: &str = "\
Exit codes:
  0    watched; an open watch ended by Ctrl-C or q is complete
  1    watched, and an --alert went off
  2    no look was taken; or the time was up and the COMMAND did not end within 10 s of SIGTERM (it is left running, and said)
  4    cannot: a resource or permission is missing
  64   bad input; nothing was begun
  130  interrupted before its time (143 by SIGTERM); what was seen is kept
With a COMMAND that ended by itself its own code, 128 and the signal's number if one killed it.";

#[derive(Debug, Clone, Args)]
#[command(after_help = CODES, override_usage = "secchi watch [OPTIONS] [-- COMMAND...]")]
pub struct Watch {
    /// Where a recording beside it sees requests.
    #[arg(skip)]
    pub layer: model::RecordedLayer,

    /// Time between two looks, 10ms to 1h
    #[arg(long, allow_hyphen_values = true, default_value = "1s", value_name = "TIME")]
    pub interval: Nanos,

    /// A device, such as vda or /dev/mapper/data; may be repeated [default: every disk that does anything, see --all]
    #[arg(long = "device", value_name = "DEVICE")]
    pub devices: Vec<PathBuf>,

    /// Loop devices, and zram, ram and floppy disks and optical drives too, which are left out unless they are named
    #[arg(long, conflicts_with_all = ["devices", "roles"])]
    pub all: bool,

    /// The device under a path, by what it is for, such as data=/srv/db; may be repeated
    #[arg(long = "role", value_name = "NAME=PATH")]
    pub roles: Vec<NamedPath>,

    /// Trace the block layer too: sizes and times of the requests that really reach each device, by the files under the
    /// paths of the roles (needs root)
    #[arg(long)]
    pub trace_blocks: bool,

    /// A process, with its children; may be repeated
    #[arg(long = "pid", value_name = "PID")]
    pub pids: Vec<u32>,

    /// End after so long [default: when told to, or with the command]; a COMMAND that still runs is sent SIGTERM then, with
    /// all it started, and waited for
    #[arg(long = "for", allow_hyphen_values = true, value_name = "TIME")]
    pub length: Option<Nanos>,

    /// A cap that the devices share, such as 'instance iops=6000 mbps=93.75MB', held against their sum at the same time;
    /// on=NAME for one role or device; may be repeated
    #[arg(long = "limit", value_name = "LIMIT")]
    pub limits: Vec<Limit>,

    /// The volume as bought, from the catalogue, such as gp3:size=2000GiB,iops=6000; of one role with NAME=VOLUME
    #[arg(long = "volume", value_name = "VOLUME")]
    pub volumes: Vec<String>,

    /// The instance all are attached to, from the catalogue, such as m4.xlarge
    #[arg(long, value_name = "INSTANCE")]
    pub instance: Option<String>,

    #[command(flatten)]
    pub catalog: CatalogArg,

    /// Raise an alarm where a figure of a device is beyond a bound for so long, such as 'await>20ms for 30s on=data', 'cap>95%
    /// for 1m' or 'iops<100'; may be repeated. Figures: iops r_iops w_iops mbps r_mbps w_mbps await r_await w_await queue busy cap,
    /// and p99 with --trace-blocks
    #[arg(long = "alert", value_name = "ALERT")]
    pub alerts: Vec<Alert>,

    /// Run this command with the shell when an alert goes off: SECCHI_ALERT, SECCHI_OF and SECCHI_VALUE say which
    #[arg(long, value_name = "COMMAND", requires = "alerts")]
    pub on_alert: Option<String>,

    /// End the watch when the first alert goes off
    #[arg(long, requires = "alerts")]
    pub until_alert: bool,

    /// Lines instead of the live picture
    #[arg(long)]
    pub plain: bool,

    /// One line a look, with all devices added up, in columns that stay: time, IOPS, MB/s, mean times, the busiest device, the
    /// fullest cap
    #[arg(long, conflicts_with = "json")]
    pub one_line: bool,

    /// Print the whole result as one JSON document, and no lines
    #[arg(long)]
    pub json: bool,

    /// Write every figure of every look to this table
    #[arg(long, value_name = "FILE")]
    pub csv: Option<PathBuf>,

    /// Write a page that readers of SystemPerformance (yaspe) chart
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,

    /// Write the totals as OpenMetrics after each look, the file replaced as a whole: for node_exporter's textfile collector
    #[arg(long, value_name = "FILE")]
    pub openmetrics: Option<PathBuf>,

    #[command(flatten)]
    pub results: ResultArgs,

    /// Serve the same at http://ADDRESS/metrics; loopback only, such as 127.0.0.1:9417
    #[arg(long, value_name = "ADDRESS")]
    pub listen: Option<SocketAddr>,

    #[command(flatten)]
    pub store: StoreArg,

    /// A command that is run meanwhile; the watch ends with it, or with --for, whichever comes first
    #[arg(last = true, value_name = "COMMAND")]
    pub command: Vec<OsString>,
}
