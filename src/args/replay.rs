//! Arguments of `secchi replay`.

use super::{NamedPath, ResultArgs, StoreArg};
use clap::Args;
use model::{Bytes, Nanos};
use std::path::PathBuf;
use std::str::FromStr;

/// When what is recorded goes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Timing {
    /// At its time, divided by this: 1 = as recorded, 2 = twice as fast.
    Scaled(f64),
    /// As soon as there is room in the queue.
    AsFastAsPossible,
}

impl FromStr for Timing {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let scale = |text: &str| text.parse::<f64>().ok().filter(|speed| (0.001..=1000.0).contains(speed));
        match text {
            "recorded" => Ok(Timing::Scaled(1.0)),
            "as-fast-as-possible" => Ok(Timing::AsFastAsPossible),
            _ => match text.strip_prefix("scale=").map(scale) {
                Some(Some(speed)) => Ok(Timing::Scaled(speed)),
                Some(None) => {
                    Err(format!("`{}`: a scale is a number from 0.001 to 1000; 2 is twice as fast", model::clip(text)))
                }
                None => Err(format!("`{}` is none of recorded, as-fast-as-possible, scale=2.0", model::clip(text))),
            },
        }
    }
}

const CODES: &str = "\
Exit codes:
  0    made again, in time
  1    the storage did not keep up
  2    not valid: operations failed, or the record says so
  3    refused: a guard stands before what would be harmed
  4    cannot: a resource or permission is missing
  64   bad input; nothing was begun
  130  interrupted (143 by SIGTERM); what was seen is kept";

#[derive(Debug, Clone, Args)]
#[command(after_help = CODES)]
pub struct Replay {
    /// What `secchi record` wrote, or another tool's recording: fio's iologs, blktrace, biosnoop
    #[arg(value_name = "RECORDING")]
    pub recording: PathBuf,

    /// The directory in which files are made for the roles
    #[arg(value_name = "PATH", default_value = ".", conflicts_with = "device")]
    pub path: PathBuf,

    /// A role that is made again, and the directory of its file if that is another than PATH: data=/mnt/a, or data; may be repeated
    /// [default: all roles; requests of none only where there is nothing else]
    #[arg(long = "role", value_name = "NAME[=PATH]")]
    pub roles: Vec<String>,

    /// When operations go: recorded, as-fast-as-possible, scale=2.0 (twice as fast)
    #[arg(long, value_name = "TIMING", default_value = "recorded")]
    pub timing: Timing,

    /// The largest file of a role: places beyond are folded back into it
    #[arg(long, value_name = "SIZE", allow_hyphen_values = true)]
    pub fold: Option<Bytes>,

    /// Leave what the recording wrote before it read it unwritten, as a file that grows finds its space, and trim what it trimmed [default: all is written before]
    #[arg(long, conflicts_with_all = ["device", "keep"])]
    pub grow: bool,

    /// Operations in flight at most, of each role [default: twice as many as were recorded, 64 at least]
    #[arg(long, value_name = "N", allow_hyphen_values = true, value_parser = super::count_u32::<1, 4096>)]
    pub depth: Option<u32>,

    /// Trace the block layer too (root): what a recording of it is to be held against, device against device
    #[arg(long)]
    pub trace_blocks: bool,

    /// Engine: auto, io_uring, libaio, psync; on Windows auto, windowsaio, psync
    #[arg(long, help_heading = "Target and safety", default_value = "auto", value_name = "NAME")]
    pub engine: String,

    /// Go through the page cache instead of around it
    #[arg(long, help_heading = "Target and safety")]
    pub buffered: bool,

    /// Make it on this block device; recorded writes need --destroy
    #[arg(long, value_name = "DEVICE", help_heading = "Target and safety")]
    pub device: Option<PathBuf>,

    /// Allow overwriting the device: type its serial number, or NAME:BYTES where it has none
    #[arg(long, value_name = "SERIAL", requires = "device", help_heading = "Target and safety")]
    pub destroy: Option<String>,

    /// Keep the files, so that the next replay need not fill them
    #[arg(long, help_heading = "Target and safety")]
    pub keep: bool,

    /// Allow another run on the same target at the same time
    #[arg(long, help_heading = "Target and safety")]
    pub share: bool,

    /// Give up when an operation has been in flight for so long
    #[arg(
        long,
        help_heading = "Target and safety",
        allow_hyphen_values = true,
        default_value = "60s",
        value_name = "TIME"
    )]
    pub hang: Nanos,

    /// Print the whole record and its judgement as one JSON document
    #[arg(long)]
    pub json: bool,

    #[command(flatten)]
    pub results: ResultArgs,

    #[command(flatten)]
    pub store: StoreArg,
}

impl Replay {
    /// Roles as they were named, each with its own directory if it has one.
    pub fn roles(&self) -> Vec<(String, Option<PathBuf>)> {
        let split = |text: &String| match text.parse::<NamedPath>() {
            Ok(named) => (named.name, Some(named.path)),
            Err(_) => (text.clone(), None),
        };
        self.roles.iter().map(split).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timings_are_words_or_a_scale() {
        assert_eq!("recorded".parse(), Ok(Timing::Scaled(1.0)));
        assert_eq!("scale=2.5".parse(), Ok(Timing::Scaled(2.5)));
        assert_eq!("as-fast-as-possible".parse(), Ok(Timing::AsFastAsPossible));
        for wrong in ["", "scale=", "scale=0", "scale=-1", "scale=nan", "fast"] {
            assert!(wrong.parse::<Timing>().is_err(), "{wrong}");
        }
    }
}
