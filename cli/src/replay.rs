//! Arguments of `secchi replay`.

use crate::{ResultArgs, StoreArg};
use clap::Args;
use model::{Bytes, Nanos};
use session::targets::NamedPath;
use std::path::PathBuf;
use std::str::FromStr;

/// Times at which replay sends the recorded requests.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Timing {
    /// Recorded times, divided by this factor: 1 = as recorded, 2 = twice as fast.
    Scaled(f64),
    /// As soon as the queue has room.
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
                Some(None) => Err(format!(
                    "`{}`: a scale must be a number from 0.001 to 1000; 2 replays twice as fast",
                    model::clip(text)
                )),
                None => Err(format!("`{}` is not one of recorded, as-fast-as-possible, scale=2.0", model::clip(text))),
            },
        }
    }
}

const CODES: &str = "\
Exit codes:
  0    the storage kept up
  1    the storage did not keep up
  2    invalid: operations failed, or the measurement was disturbed
  3    refused for safety; nothing was changed
  4    a resource or permission is missing
  64   bad input; nothing was started
  130  interrupted (143 by SIGTERM); the partial result is kept";

#[derive(Debug, Clone, Args)]
#[command(after_help = CODES)]
pub struct Replay {
    /// Recording from `secchi record` or another tool: fio iolog, blktrace, biosnoop
    #[arg(value_name = "RECORDING")]
    pub recording: PathBuf,

    /// Directory for the roles' files
    #[arg(value_name = "PATH", default_value = ".", conflicts_with = "device")]
    pub path: PathBuf,

    /// Role to replay, optionally with a directory for its file, such as data=/mnt/a; repeatable [default: every role]
    ///
    /// Requests without a role are replayed only if the recording has no roles.
    #[arg(long = "role", value_name = "NAME[=PATH]")]
    pub roles: Vec<String>,

    /// Timing of requests: recorded, as-fast-as-possible, or scale=2.0 (twice as fast)
    #[arg(long, value_name = "TIMING", default_value = "recorded")]
    pub timing: Timing,

    /// Maximum file size per role; offsets beyond it wrap around
    #[arg(long, value_name = "SIZE", allow_hyphen_values = true)]
    pub fold: Option<Bytes>,

    /// Replay trims, and do not fill ranges that the recording writes before it reads them [default: fill all files]
    #[arg(long, conflicts_with_all = ["device", "keep"])]
    pub grow: bool,

    /// Maximum number of operations in flight per role [default: twice the recorded number, at least 64]
    #[arg(long, value_name = "N", allow_hyphen_values = true, value_parser = super::count_u32::<1, 4096>)]
    pub depth: Option<u32>,

    /// Trace requests at the block layer, to compare them with a recording made at that layer (requires root)
    #[arg(long)]
    pub trace_blocks: bool,

    /// I/O engine: auto, io_uring, libaio, psync; on Windows auto, windowsaio, psync
    #[arg(long, default_value = "auto", value_name = "NAME")]
    pub engine: String,

    /// Use the page cache instead of direct I/O
    #[arg(long)]
    pub buffered: bool,

    /// Replay on this block device; recorded writes need --destroy
    #[arg(long, value_name = "DEVICE")]
    pub device: Option<PathBuf>,

    /// Allow overwriting the device with this serial number (NAME:BYTES if it has no serial number)
    #[arg(long, value_name = "SERIAL", requires = "device")]
    pub destroy: Option<String>,

    /// Keep the files, so that the next replay does not need to fill them
    #[arg(long)]
    pub keep: bool,

    /// Allow other runs on the same target at the same time
    #[arg(long)]
    pub share: bool,

    /// Abort when an operation has been in flight for this duration
    #[arg(long, allow_hyphen_values = true, default_value = "60s", value_name = "TIME")]
    pub hang: Nanos,

    /// Print the record and its judgement as one JSON document
    #[arg(long)]
    pub json: bool,

    #[command(flatten)]
    pub results: ResultArgs,

    #[command(flatten)]
    pub store: StoreArg,
}

impl Replay {
    /// Returns the named roles, with their directories if given.
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
