//! Reads other tools' files into secchi's own types.
//!
//! A value that a file does not contain is reported as missing, with the reason. Nothing is guessed in its place, and
//! percentiles that another tool computed are never averaged. Every value keeps its line, its wording and the interval
//! that its rounding leaves. Depends on `model` and `messages`. This crate opens no files and reads no clock: the
//! caller passes bytes.
//!
//! | folder or file | formats of |
//! |---|---|
//! | `fio`, `ioping`, `vdbench` | the tools of the same name |
//! | `windows` | diskspd, CrystalDiskMark, Windows performance counters |
//! | `linux` | Linux system tools: sysstat, vmstat, nfsiostat, blktrace, hdparm, dd |
//! | `clusters` | elbencho, IOR, mdtest, IO500: many hosts on one file system |
//! | `databases` | pgbench, `pg_test_fsync`, `pg_stat_io`, sysbench, and the M scripts of `secchi db script` |
//! | `iris` | InterSystems IRIS and Caché: mgstat, irisstat, `PerfTools`, ^SystemPerformance |
//! | `cloudwatch.rs` | AWS `CloudWatch` |
//! | `recordings` | recordings of requests: blktrace, fio iologs, biosnoop ([`RECORDING_FORMATS`]) |
//! | `text` | shared by the readers: lines, numbers, dates, JSON, samples over time |
//!
//! # Adding a format
//!
//! Add one file with a `const FORMAT: Format` (its name, `recognise`, `read`) to the folder of its tool, and add a row
//! to [`FORMATS`] (`read.rs`). The order of the rows matters: a format that could be mistaken for another comes before
//! it.

mod cloudwatch;
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
