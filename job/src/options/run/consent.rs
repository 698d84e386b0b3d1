//! Options that fio does not have: consent and the hang timeout. The binary passes them in with the command line. They
//! are defined here so that the help, the reference and the man page use the same entries.

use crate::options::{OptionSpec, option};
use crate::value::Kind;

/// secchi's own options on fio's command line, returned in [`crate::JobFile::extra`].
pub const CONSENT: &[OptionSpec] = &[
    option(
        "device",
        Kind::Text,
        "",
        "Block devices that are read, several with commas; naming one in a job is enough. Ours.",
    )
    .on_command_line(),
    option(
        "destroy",
        Kind::Text,
        "",
        "Allow overwriting the device of this serial number, or NAME:BYTES where it has none. Ours.",
    )
    .on_command_line(),
    option(
        "trace-blocks",
        Kind::Flag,
        "0",
        "Trace the block layer: sizes and times of the requests that reach the device, by job. Ours.",
    )
    .on_command_line(),
    option(
        "role",
        Kind::Text,
        "",
        "Trace by these roles of files instead of by jobs, such as data=/srv/db,journal=/srv/wal. Ours.",
    )
    .on_command_line(),
    option("share", Kind::Flag, "0", "Allow other runs on the same files, and reading devices that are in use. Ours.")
        .on_command_line(),
    option(
        "shared-file",
        Kind::Text,
        "",
        "All ranks of a run on many hosts work on each job's file: segmented (size= for each, one behind the other) or interleaved (blocks in turns). Ours.",
    )
    .on_command_line(),
    option("force", Kind::Flag, "0", "Replace files at the names of outputs and logs that are no earlier ones. Ours.")
        .on_command_line(),
    option(
        "report",
        Kind::Text,
        "",
        "Write the result to this file too, in the format its name says: .html, .md, .csv, .json, .xml, .txt; repeatable. Ours.",
    )
    .alias(&["o"])
    .on_command_line(),
    option("lang", Kind::Text, "", "Language of what is doubted and noted: en, ja, zh, ru. Ours.").on_command_line(),
    option("hang", Kind::Text, "60s", "Give up when an operation has been in flight for so long. Ours.")
        .on_command_line(),
];
