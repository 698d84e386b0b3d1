//! Options that fio does not have: consent and the hang timeout. The binary passes them to the parser together with the
//! command line. They are defined here so that the help, the reference and the man page use the same entries.

use crate::options::{OptionSpec, option};
use crate::value::Kind;

/// Options that secchi adds to fio's command line. They are returned in [`crate::JobFile::extra`].
pub const CONSENT: &[OptionSpec] = &[
    option(
        "device",
        Kind::Text,
        "",
        "Block devices to read, separated by commas; unnecessary if a job names the devices. secchi only.",
    )
    .on_command_line(),
    option(
        "destroy",
        Kind::Text,
        "",
        "Allow overwriting the device with this serial number (NAME:BYTES if it has no serial number). secchi only.",
    )
    .on_command_line(),
    option(
        "trace-blocks",
        Kind::Flag,
        "0",
        "Trace sizes and latencies of the requests that reach the device, grouped by job. secchi only.",
    )
    .on_command_line(),
    option(
        "role",
        Kind::Text,
        "",
        "Group traced requests by role instead of by job, such as data=/srv/db,journal=/srv/wal. secchi only.",
    )
    .on_command_line(),
    option(
        "share",
        Kind::Flag,
        "0",
        "Allow other runs on the same files, and allow reading devices that are in use. secchi only.",
    )
    .on_command_line(),
    option(
        "shared-file",
        Kind::Text,
        "",
        "In a run on many hosts, all ranks share each job's file: segmented (each rank has a contiguous part of \
         `size` bytes) or interleaved (blocks alternate between ranks). secchi only.",
    )
    .on_command_line(),
    option("force", Kind::Flag, "0", "Overwrite existing output and log files that secchi did not write. secchi only.")
        .on_command_line(),
    option(
        "report",
        Kind::Text,
        "",
        "Also write the result to this file: .html, .md, .csv, .json, .xml or .txt; repeatable. secchi only.",
    )
    .alias(&["o"])
    .on_command_line(),
    option("lang", Kind::Text, "", "Language for doubts and notes: en, ja, zh, ru. secchi only.").on_command_line(),
    option("hang", Kind::Text, "60s", "Abort when an operation has been in flight for this duration. secchi only.")
        .on_command_line(),
];
