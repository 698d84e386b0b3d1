//! Arguments of `secchi mark`.

use super::StoreArg;
use clap::{Args, ValueEnum};
use model::{Bytes, MARK_PROFILES, MarkProfile, MarkTest, Nanos};
use report::formats::mark::{MARK_FORMATS, MarkFormat};
use run::sharing::FileSharing;
use std::path::PathBuf;

#[derive(Debug, Clone, Args)]
#[command(after_help = MARK_HELP)]
pub struct Mark {
    /// A directory to make the test file in, or a file that secchi made earlier
    #[arg(value_name = "PATH", default_value = ".", conflicts_with = "device")]
    pub path: PathBuf,

    /// Which tests: default, nvme, cdm6, peak, real, demo
    #[arg(short, long, value_name = "NAME", default_value = "default", value_parser = profile_named)]
    pub profile: &'static MarkProfile,

    /// A test of your own instead of a profile's, such as SEQ512K-Q4T2; may be repeated
    #[arg(long = "test", value_name = "TEST", conflicts_with = "profile")]
    pub tests: Vec<MarkTest>,

    /// How often each test is run; the best loop is shown, and the median beside it
    #[arg(short = 'n', long, value_name = "N", default_value = "5", allow_hyphen_values = true, value_parser = super::count_u32::<0, { u32::MAX as u64 }>)]
    pub loops: u32,

    /// Size of the test file, such as 64m, 1g, 16g; with --shared-file each rank's part of it [default: 1g]
    #[arg(short, long, value_name = "SIZE", allow_hyphen_values = true)]
    pub size: Option<Bytes>,

    /// In a run on many hosts all ranks work on one test file instead of one each: segmented (each has a stretch, one behind the other, as IOR
    /// without -F) or interleaved (blocks in turns) [default: segmented, where nothing is said]
    #[arg(long, value_name = "HOW", num_args = 0..=1, require_equals = true, default_missing_value = "segmented", conflicts_with = "device")]
    pub shared_file: Option<FileSharing>,

    /// Time of each loop, in seconds or with a unit
    #[arg(short, long, value_name = "TIME", default_value = "5", value_parser = seconds, allow_hyphen_values = true)]
    pub time: Nanos,

    /// Pause between tests, in seconds or with a unit
    #[arg(short, long, value_name = "TIME", default_value = "5", value_parser = seconds, allow_hyphen_values = true)]
    pub interval: Nanos,

    /// Also read and write at once, with so many percent reads
    #[arg(short, long, value_name = "READS", num_args = 0..=1, require_equals = true, default_missing_value = "70",
          value_parser = clap::value_parser!(u8).range(1..=99))]
    pub mix: Option<u8>,

    /// Only these: read, write, mix
    #[arg(long, value_name = "LIST", value_enum, value_delimiter = ',', hide_possible_values = true)]
    pub only: Vec<Only>,

    /// What is written: random (neither compresses nor repeats) or zero
    #[arg(short, long, value_name = "DATA", value_enum, default_value_t = Data::Random, hide_possible_values = true)]
    pub data: Data,

    /// Write the result to this file too: .html, .png, .svg, .txt, .csv, .json or .md; may be repeated
    #[arg(short, long = "output", value_name = "FILE")]
    pub outputs: Vec<PathBuf>,

    /// Replace what stands at the output's name, though it is no earlier output of secchi
    #[arg(long)]
    pub force: bool,

    /// What is printed: table, text (CrystalDiskMark's), csv, json, markdown
    #[arg(short, long, value_name = "FORMAT", default_value = "table", value_parser = format_named)]
    pub format: &'static MarkFormat,

    /// Test this block device: reading only, unless --destroy is given
    #[arg(long, value_name = "DEVICE", help_heading = "Target and safety")]
    pub device: Option<PathBuf>,

    /// Allow overwriting the device: type its serial number, or NAME:BYTES where it has none
    #[arg(long, value_name = "SERIAL", requires = "device", help_heading = "Target and safety")]
    pub destroy: Option<String>,

    /// Engine: auto, io_uring, libaio, psync; on Windows auto, windowsaio, psync
    #[arg(long, help_heading = "Target and safety", default_value = "auto", value_name = "NAME")]
    pub engine: String,

    /// Go through the page cache instead of around it
    #[arg(long, help_heading = "Target and safety")]
    pub buffered: bool,

    /// Keep the test file, so that the next run need not fill it
    #[arg(long, help_heading = "Target and safety")]
    pub keep: bool,

    /// Allow another run on the same target at the same time
    #[arg(long, help_heading = "Target and safety")]
    pub share: bool,

    /// Write at most this many bytes in all, the filling of the test file included; write tests are cut short at the bound
    /// [default: the smallest of four times the test file, 16 GiB and 2 % of the device]
    #[arg(long, help_heading = "Target and safety", value_name = "SIZE", allow_hyphen_values = true)]
    pub max_written: Option<Bytes>,

    /// Write without a bound, and allow filling more than 100 GiB or a tenth of the target
    #[arg(long, help_heading = "Target and safety")]
    pub yes: bool,

    /// Give up when an operation has been in flight for so long
    #[arg(
        long,
        help_heading = "Target and safety",
        allow_hyphen_values = true,
        default_value = "60s",
        value_name = "TIME"
    )]
    pub hang: Nanos,

    /// Seed of everything random; the same seed asks the same
    #[arg(long, help_heading = "Target and safety", default_value_t = 1, value_name = "N")]
    pub seed: u64,

    /// Print the whole record and its judgement as one JSON document
    #[arg(long, conflicts_with = "format")]
    pub json: bool,

    #[command(flatten)]
    pub store: StoreArg,
}

/// What stands behind the options of `mark`.
const MARK_HELP: &str = "\
Examples:
  secchi mark                                  this directory, as CrystalDiskMark would
  secchi mark /mnt/usb -n 3 -s 256m -o usb.png quick, with a picture to show
  secchi mark /mnt/nvme -p nvme --mix          NVMe tests, and 70 % reads with 30 % writes
  secchi mark --test RND16K-Q8T4 --test SEQ4M  tests of your own

A file of secchi's own is made, filled, and removed at the end; nothing else is written.";

/// What `mark` is narrowed to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Only {
    Read,
    Write,
    // Both at once.
    Mix,
}

/// What is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Data {
    // Neither compresses nor repeats.
    Random,
    Zero,
}

fn profile_named(name: &str) -> Result<&'static MarkProfile, String> {
    let names = || MARK_PROFILES.iter().map(|p| p.name);
    MARK_PROFILES.iter().find(|p| p.name == name).ok_or_else(|| unknown("profile", name, names().collect()))
}

pub(super) fn format_named(name: &str) -> Result<&'static MarkFormat, String> {
    let text = || MARK_FORMATS.iter().filter(|f| f.is_text);
    let found = text().find(|f| f.name == name);
    found.ok_or_else(|| unknown("format", name, text().map(|f| f.name).collect()))
}

fn unknown(what: &str, name: &str, known: Vec<&'static str>) -> String {
    let hint = model::nearest(name, known.iter().copied()).map(|n| format!(" (did you mean `{n}`?)"));
    format!("unknown {what}: {}{}", known.join(", "), hint.unwrap_or_default())
}

/// A time that is in seconds where it has no unit.
pub(super) fn seconds(text: &str) -> Result<Nanos, model::UnitError> {
    let bare = text.trim().ends_with(|c: char| c.is_ascii_digit());
    if bare { format!("{}s", text.trim()).parse() } else { text.parse() }
}
