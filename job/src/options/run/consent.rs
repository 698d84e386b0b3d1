//! Options that fio does not have: consent and the hang timeout. The binary passes them to the parser together with the
//! command line. They are defined here so that the help, the reference and the man page use the same entries.

use crate::options::{OptionSpec, Setter::Nowhere, option};
use crate::value::Kind;

/// Options that secchi adds to fio's command line. They are returned in [`crate::JobFile::extra`].
pub const CONSENT: &[OptionSpec] = &[
    option("device", Kind::Text, "", Nowhere)
        .on_command_line()
        .help("Block devices to read, separated by commas; unnecessary if a job names the devices. secchi only."),
    option("destroy", Kind::Text, "", Nowhere).on_command_line().help(
        "Allow overwriting the device with this serial number (NAME:BYTES if it has no serial number). secchi only.",
    ),
    option("trace-blocks", Kind::Flag, "0", Nowhere)
        .on_command_line()
        .help("Trace sizes and latencies of the requests that reach the device, grouped by job. secchi only."),
    option("role", Kind::Text, "", Nowhere)
        .on_command_line()
        .help("Group traced requests by role instead of by job, such as data=/srv/db,journal=/srv/wal. secchi only."),
    option("share", Kind::Flag, "0", Nowhere)
        .on_command_line()
        .help("Allow other runs on the same files, and allow reading devices that are in use. secchi only."),
    option("shared-file", Kind::Text, "", Nowhere).on_command_line().help(
        "In a run on many hosts, all ranks share each job's file: segmented (each rank has a contiguous part of \
         `size` bytes) or interleaved (blocks alternate between ranks). secchi only.",
    ),
    option("force", Kind::Flag, "0", Nowhere)
        .on_command_line()
        .help("Overwrite existing output and log files that secchi did not write. secchi only."),
    option("report", Kind::Text, "", Nowhere)
        .alias(&["o"])
        .on_command_line()
        .help("Also write the result to this file: .html, .md, .csv, .json, .xml or .txt; repeatable. secchi only."),
    option("lang", Kind::Text, "", Nowhere)
        .on_command_line()
        .help("Language for doubts and notes: en, ja, zh, ru. secchi only."),
    option("hang", Kind::Text, "60s", Nowhere)
        .on_command_line()
        .help("Abort when an operation has been in flight for this duration. secchi only."),
];
