//! Arguments of `secchi watch`.

use crate::{CatalogArg, ResultArgs, StoreArg};
use clap::Args;
use model::{Limit, Nanos, bounds::Alert};
use session::targets::NamedPath;
use std::ffi::OsString;
use std::net::SocketAddr;
use std::path::PathBuf;

const CODES: &str = "\
Exit codes:
  0    watched; Ctrl-C or q ends a watch without --for
  1    watched, and an --alert was raised
  2    no sample was taken, or COMMAND did not end within 10 s of SIGTERM and is still running
  4    a resource or permission is missing
  64   bad input; nothing was started
  130  interrupted before --for elapsed (143 by SIGTERM); the partial result is kept
If COMMAND ended by itself, secchi uses its exit code, or 128 plus the number of the signal that killed it.";

#[derive(Debug, Clone, Default, Args)]
#[command(after_help = CODES, override_usage = "secchi watch [OPTIONS] [-- COMMAND...]")]
pub struct Watch {
    /// Layer at which requests are recorded.
    #[arg(skip)]
    pub layer: model::recording::RecordedLayer,

    /// Interval between samples, 10ms to 1h
    #[arg(long, allow_hyphen_values = true, default_value = "1s", value_name = "TIME")]
    pub interval: Nanos,

    /// Device to watch, such as vda or /dev/mapper/data; repeatable [default: every active disk]
    #[arg(long = "device", value_name = "DEVICE")]
    pub devices: Vec<PathBuf>,

    /// Include loop, zram, ram and floppy devices and optical drives
    #[arg(long, conflicts_with_all = ["devices", "roles"])]
    pub all: bool,

    /// Role name for the device that holds a path, such as data=/srv/db; repeatable
    #[arg(long = "role", value_name = "NAME=PATH")]
    pub roles: Vec<NamedPath>,

    /// Trace sizes, latencies and processes of the requests to each device, by role (requires root)
    #[arg(long)]
    pub trace_blocks: bool,

    /// Process to watch, with its children; repeatable
    #[arg(long = "pid", value_name = "PID")]
    pub pids: Vec<u32>,

    /// Number of processes with the most I/O to name in each sample; 0 = none
    ///
    /// Processes are ranked by bytes, by system calls, and by the time that they wait for I/O.
    #[arg(long, default_value_t = 3, value_name = "N")]
    pub top: usize,

    /// Duration [default: until Ctrl-C or the end of COMMAND]
    ///
    /// If COMMAND is still running after this time, secchi sends SIGTERM to it and its descendants.
    #[arg(long = "for", allow_hyphen_values = true, value_name = "TIME")]
    pub length: Option<Nanos>,

    /// Cap that the devices share, such as 'instance iops=6000 mbps=93.75MB'; repeatable
    ///
    /// A cap is compared with the total for all devices; on=NAME applies the cap to one role or device.
    #[arg(long = "limit", value_name = "LIMIT")]
    pub limits: Vec<Limit>,

    /// Volume from the catalogue, such as gp3:size=2000GiB,iops=6000; NAME=VOLUME applies to one role
    #[arg(long = "volume", value_name = "VOLUME")]
    pub volumes: Vec<String>,

    /// Instance that all devices are attached to, such as m6i.xlarge (see `secchi limits list`)
    #[arg(long, value_name = "INSTANCE")]
    pub instance: Option<String>,

    #[command(flatten)]
    pub catalog: CatalogArg,

    /// Raise an alert when a metric crosses a bound, such as 'await>20ms for 30s on=data'; repeatable
    ///
    /// Other examples: 'cap>95% for 1m', 'iops<100'. Metrics: iops r_iops w_iops mbps r_mbps w_mbps await r_await
    /// w_await queue busy cap, and p99 with --trace-blocks.
    #[arg(long = "alert", value_name = "ALERT")]
    pub alerts: Vec<Alert>,

    /// Shell command to run for each alert; its environment contains SECCHI_ALERT, SECCHI_OF and SECCHI_VALUE
    #[arg(long, value_name = "COMMAND", requires = "alerts")]
    pub on_alert: Option<String>,

    /// End the watch at the first alert
    #[arg(long, requires = "alerts")]
    pub until_alert: bool,

    /// Print lines instead of the live screen
    #[arg(long)]
    pub plain: bool,

    /// Print one line per sample, with the total for all devices
    ///
    /// Columns: time, IOPS, MB/s, mean latencies, the busiest device, and the cap with the highest utilization.
    #[arg(long, conflicts_with = "json")]
    pub one_line: bool,

    /// Print only the result, as one JSON document
    #[arg(long)]
    pub json: bool,

    /// Write all samples to this CSV file
    #[arg(long, value_name = "FILE")]
    pub csv: Option<PathBuf>,

    /// Write an HTML page in the SystemPerformance format, which yaspe can chart
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,

    /// Write the totals as metrics for Prometheus after each sample, for node_exporter's textfile collector
    ///
    /// The file is replaced atomically.
    #[arg(long, value_name = "FILE")]
    pub prometheus: Option<PathBuf>,

    #[command(flatten)]
    pub results: ResultArgs,

    /// Serve the totals to Prometheus at http://ADDRESS/metrics; loopback only, such as 127.0.0.1:9417
    ///
    /// The format is Prometheus's text format, or OpenMetrics for clients that accept it.
    #[arg(long, value_name = "ADDRESS")]
    pub listen: Option<SocketAddr>,

    /// Not supported; the error names the alternative
    #[arg(long, value_name = "URL", hide = true)]
    pub otlp: Option<String>,

    #[command(flatten)]
    pub store: StoreArg,

    /// Command to run; the watch ends when the command does or after --for, whichever comes first
    #[arg(last = true, value_name = "COMMAND")]
    pub command: Vec<OsString>,
}
