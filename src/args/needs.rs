//! Arguments of `secchi needs`.

use clap::Args;
use std::path::PathBuf;
use std::str::FromStr;

const CODES: &str = "\
Exit codes:
  0    told
  2    told, but the recording breaks off or is damaged; what came before is in the figures
  64   bad input: no such file, or neither a recording nor samples that tell a need";

#[derive(Debug, Clone, Args)]
#[command(after_help = CODES)]
pub struct RecordingNeeds {
    /// A recording, as `secchi record` makes it; or samples: mgstat, SystemPerformance, iostat -x -t, CloudWatch, pg_stat_io
    #[arg(value_name = "FILE")]
    pub recording: PathBuf,

    /// How much more than the busiest ten seconds is demanded, such as 30%
    #[arg(long, default_value = "30%", value_name = "SHARE")]
    pub headroom: Headroom,

    /// Write the needs as a contract, for `secchi qualify --need FILE`
    #[arg(short = 'o', long = "contract", value_name = "FILE")]
    pub contract: Option<PathBuf>,

    /// Write a page for a browser: rates over time with their bursts, sizes, latencies, what caches would hold
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,

    /// Replace what stands at the names of outputs, though it is no earlier output of this command
    #[arg(long)]
    pub force: bool,

    /// Print one JSON document
    #[arg(long)]
    pub json: bool,
}

/// A share that is added to what is demanded: 0.3 = 30 %.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Headroom(pub f64);

impl FromStr for Headroom {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("`{}` is no share from 0% to 1000%, such as 30%", model::clip(text));
        let number = text.trim().strip_suffix('%').ok_or_else(wrong)?;
        let percent: f64 = number.trim().parse().map_err(|_| wrong())?;
        if (0.0..=1000.0).contains(&percent) { Ok(Headroom(percent / 100.0)) } else { Err(wrong()) }
    }
}
