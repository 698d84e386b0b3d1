//! Other tools' files, read into the nouns of the house.
//!
//! What a file does not tell is missing, with the reason; nothing is guessed in its place, and percentiles that another
//! tool computed are never averaged. Every value keeps its line, its words and the interval its rounding leaves. Stands on `model`
//! and `messages`; opens nothing and reads no clock: bytes come in.
//!
//! | folder | formats of |
//! |---|---|
//! | `fio`, `ioping`, `vdbench` | these tools |
//! | `windows` | diskspd, CrystalDiskMark, performance counters of Windows |
//! | `linux` | tools of a Linux system: sysstat, vmstat, nfsiostat, blktrace, hdparm, dd |
//! | `clusters` | elbencho, IOR, mdtest, IO500: many hosts on one file system |
//! | `databases` | pgbench, `pg_test_fsync`, `pg_stat_io`, sysbench, and the M scripts of `secchi db script` |
//! | `iris` | InterSystems IRIS and Caché: mgstat, irisstat, `PerfTools`, ^SystemPerformance |
//! | `cloudwatch.rs` | AWS `CloudWatch` |
//! | `recordings` | recordings of requests: blktrace, fio's iologs, biosnoop ([`RECORDING_FORMATS`]) |
//! | `text` | what their readers share: lines, numbers, dates, JSON, samples over time |
//!
//! # A further format
//!
//! One file with a `const FORMAT: Format` (its name, `recognise`, `read`), in the folder of its tool, and its row in [`FORMATS`]
//! (`read.rs`). The row says its place: a format that could be taken for another stands before it.

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
