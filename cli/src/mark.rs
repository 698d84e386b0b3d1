//! Arguments of `secchi mark`.

use crate::StoreArg;
use clap::{Args, ValueEnum};
use model::plan::{MARK_PROFILES, MarkProfile, MarkTest};
use model::{Bytes, Nanos};
use report::formats::mark::{MARK_FORMATS, MarkFormat};
use run::sharing::FileSharing;
use std::path::PathBuf;

#[derive(Debug, Clone, Args)]
#[command(after_help = MARK_HELP)]
pub struct Mark {
    /// Directory for the test file, or a test file from an earlier run
    #[arg(value_name = "PATH", default_value = ".", conflicts_with = "device")]
    pub path: PathBuf,

    /// Test profile: default, nvme, cdm6, peak, real, demo
    #[arg(short, long, value_name = "NAME", default_value = "default", value_parser = profile_named)]
    pub profile: &'static MarkProfile,

    /// Custom test instead of a profile, such as SEQ512K-Q4T2; repeatable
    #[arg(long = "test", value_name = "TEST", conflicts_with = "profile")]
    pub tests: Vec<MarkTest>,

    /// Number of loops per test; the best and the median results are shown
    #[arg(short = 'n', long, value_name = "N", default_value = "5", allow_hyphen_values = true, value_parser = super::count_u32::<0, { u32::MAX as u64 }>)]
    pub loops: u32,

    /// Size of the test file, such as 64m, 1g, 16g [default: 1g]
    ///
    /// With --shared-file, this is the size of each rank's part.
    #[arg(short, long, value_name = "SIZE", allow_hyphen_values = true)]
    pub size: Option<Bytes>,

    /// In a run on many hosts, share one test file: segmented or interleaved [default without a value: segmented]
    ///
    /// segmented: each rank has a contiguous part, like IOR without -F. interleaved: blocks alternate between ranks.
    #[arg(long, value_name = "LAYOUT", num_args = 0..=1, require_equals = true, default_missing_value = "segmented", conflicts_with = "device")]
    pub shared_file: Option<FileSharing>,

    /// Duration of a loop, in seconds or with a unit
    #[arg(short, long, value_name = "TIME", default_value = "5", value_parser = seconds, allow_hyphen_values = true)]
    pub time: Nanos,

    /// Pause between tests, in seconds or with a unit
    #[arg(short, long, value_name = "TIME", default_value = "5", value_parser = seconds, allow_hyphen_values = true)]
    pub interval: Nanos,

    /// Also run mixed tests, with this percentage of reads [default without a value: 70]
    #[arg(short, long, value_name = "READS", num_args = 0..=1, require_equals = true, default_missing_value = "70",
          value_parser = clap::value_parser!(u8).range(1..=99))]
    pub mix: Option<u8>,

    /// Directions to test, separated by commas: read, write, mix [default: read,write]
    #[arg(long, value_name = "LIST", value_enum, value_delimiter = ',', hide_possible_values = true)]
    pub only: Vec<Only>,

    /// Data to write: random (incompressible, no duplicates) or zero
    #[arg(short, long, value_name = "DATA", value_enum, default_value_t = Data::Random, hide_possible_values = true)]
    pub data: Data,

    /// Also write the result to this file: .html, .png, .svg, .txt, .csv, .json or .md; repeatable
    #[arg(short, long = "output", value_name = "FILE")]
    pub outputs: Vec<PathBuf>,

    /// Overwrite an existing file that secchi did not write
    #[arg(long)]
    pub force: bool,

    /// Output format: table, text (CrystalDiskMark's), csv, json, markdown
    #[arg(short, long, value_name = "FORMAT", default_value = "table", value_parser = format_named)]
    pub format: &'static MarkFormat,

    /// Test this block device; read-only without --destroy
    #[arg(long, value_name = "DEVICE")]
    pub device: Option<PathBuf>,

    /// Allow overwriting the device with this serial number (NAME:BYTES if it has no serial number)
    #[arg(long, value_name = "SERIAL", requires = "device")]
    pub destroy: Option<String>,

    /// I/O engine: auto, io_uring, libaio, psync; on Windows auto, windowsaio, psync
    #[arg(long, default_value = "auto", value_name = "NAME")]
    pub engine: String,

    /// Use the page cache instead of direct I/O
    #[arg(long)]
    pub buffered: bool,

    /// Keep the test file, so that the next run does not need to fill it
    #[arg(long)]
    pub keep: bool,

    /// Allow other runs on the same target at the same time
    #[arg(long)]
    pub share: bool,

    /// Maximum number of bytes written, including the fill, such as 20g
    ///
    /// When the bound is reached, write tests are shortened. [default: the smallest of four times the test file, 16 GiB
    /// and 2 % of the device]
    #[arg(long, value_name = "SIZE", allow_hyphen_values = true)]
    pub max_written: Option<Bytes>,

    /// Remove the bound on writes, and allow a fill of more than 100 GiB or 10 % of the device
    #[arg(long)]
    pub yes: bool,

    /// Abort when an operation has been in flight for this duration
    #[arg(long, allow_hyphen_values = true, default_value = "60s", value_name = "TIME")]
    pub hang: Nanos,

    /// Random seed; the same seed produces the same requests
    #[arg(long, default_value_t = 1, value_name = "N")]
    pub seed: u64,

    /// Print the record and its judgement as one JSON document
    #[arg(long, conflicts_with = "format")]
    pub json: bool,

    #[command(flatten)]
    pub store: StoreArg,
}

/// Help text after the options of `mark`.
const MARK_HELP: &str = "\
Examples:
  secchi mark                                  current directory, like CrystalDiskMark
  secchi mark /mnt/usb -n 3 -s 256m -o usb.png quick run, with an image of the result
  secchi mark /mnt/nvme -p nvme --mix          NVMe tests, and 70 % reads with 30 % writes
  secchi mark --test RND16K-Q8T4 --test SEQ4M  custom tests

secchi creates a test file, fills it and removes it at the end; it writes nothing else.";

/// Direction of a test.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Only {
    Read,
    Write,
    // Reads and writes at the same time.
    Mix,
}

/// Data that is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Data {
    // Incompressible, without duplicates.
    Random,
    Zero,
}

fn profile_named(name: &str) -> Result<&'static MarkProfile, String> {
    let names = || MARK_PROFILES.iter().map(|p| p.name);
    MARK_PROFILES.iter().find(|p| p.name == name).ok_or_else(|| unknown("profile", name, names().collect()))
}

pub(crate) fn format_named(name: &str) -> Result<&'static MarkFormat, String> {
    let text = || MARK_FORMATS.iter().filter(|f| f.is_text);
    text().find(|f| f.name == name).ok_or_else(|| unknown("format", name, text().map(|f| f.name).collect()))
}

fn unknown(what: &str, name: &str, known: Vec<&'static str>) -> String {
    let hint = model::units::nearest(name, known.iter().copied()).map(|n| format!(" (did you mean `{n}`?)"));
    format!("unknown {what}: {}{}", known.join(", "), hint.unwrap_or_default())
}

/// Parses a duration, in seconds if it has no unit.
pub(crate) fn seconds(text: &str) -> Result<Nanos, model::units::UnitError> {
    let bare = text.trim().ends_with(|c: char| c.is_ascii_digit());
    if bare { format!("{}s", text.trim()).parse() } else { text.parse() }
}
