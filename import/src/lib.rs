//! Converts output files of other tools to secchi's types.
//!
//! A value that a file does not contain is reported as missing, with the reason, and never guessed. Percentiles that
//! another tool computed are never averaged. Every value keeps its line number, its wording, and the interval of values
//! that the tool would have printed in the same way.
//!
//! The crate depends on `model` and `messages`. It opens no files and reads no clock: the caller passes bytes.
//!
//! | folder or file | readers for |
//! |---|---|
//! | `fio`, `ioping`, `vdbench` | the tools with these names |
//! | `windows` | diskspd, CrystalDiskMark, `WinSAT`, Windows performance counters |
//! | `linux` | Linux tools: sysstat, vmstat, nfsiostat, blktrace, hdparm, dd, YABS |
//! | `clusters` | tools for many hosts on one file system: elbencho, IOR, mdtest, IO500; Kubernetes: kubestr, kbench |
//! | `databases` | pgbench, `pg_test_fsync`, `pg_stat_io`, sysbench, HammerDB, M scripts of `secchi db script` |
//! | `iris` | InterSystems IRIS and Caché: mgstat, irisstat, `PerfTools`, ^SystemPerformance |
//! | `clouds` | metrics of clouds: AWS `CloudWatch`, Azure Monitor |
//! | `recordings` | recordings of requests: blktrace, fio iologs, biosnoop ([`RECORDING_FORMATS`]) |
//! | `text` | (helpers that all readers share: lines, numbers, dates, JSON, samples over time) |
//!
//! # Example
//!
//! ```
//! let output = "Device    r/s    w/s  w_await  aqu-sz  %util
//! sda     13.00   4.00     1.25    0.30  46.70
//! ";
//! let files = import::read("iostat.txt", output.as_bytes())?;
//! assert_eq!(files[0].format, "iostat");
//!
//! let reads = files[0].series("sda r/s").ok_or("no reads")?;
//! assert_eq!((reads.points[0].value, reads.points[0].line), (13.0, 2));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Adding a format
//!
//! Add a file with a `const FORMAT: Format` (name, `recognise`, `read`) to the folder of the tool, and add a row to
//! [`FORMATS`] (`read.rs`). The order of the rows matters: if `recognise` of another format would also accept the
//! files, the more specific format comes first.

mod clouds;
mod clusters;
mod databases;
mod fio;
mod format;
mod ioping;
mod iris;
mod linux;
mod read;
mod recordings;
mod text;
mod vdbench;
mod windows;

pub use databases::m_scripts::{MRun, MWorker, read_runs};
pub use fio::json::figures::read_figures;
pub use format::Format;
pub use read::{FORMATS, read, read_until};
pub use recordings::{
    BLKTRACE_BEGINS, NoDevice, RECORDING_FORMATS, RecordingFormat, RecordingImportError, read_recording, write_blktrace,
};
pub use text::source::{ImportError, LARGEST, LONGEST_LINE, MOST_LINES, Source};
