//! Arguments of `secchi needs`.

use clap::Args;
use std::path::PathBuf;
use std::str::FromStr;

const CODES: &str = "\
Exit codes:
  0    reported
  2    the recording is damaged or incomplete; the figures cover the part that was read
  64   bad input: no such file, or neither a recording nor samples with rates";

#[derive(Debug, Clone, Args)]
#[command(after_help = CODES)]
pub struct RecordingNeeds {
    /// Recording from `secchi record`, or samples from mgstat, SystemPerformance, iostat -x -t, CloudWatch, Azure
    /// Monitor, pg_stat_io
    #[arg(value_name = "FILE")]
    pub recording: PathBuf,

    /// Margin above the load of the busiest ten seconds
    #[arg(long, default_value = "30%", value_name = "SHARE")]
    pub headroom: Headroom,

    /// Write the needs as a contract, for `secchi qualify --need FILE`
    #[arg(short = 'o', long = "contract", value_name = "FILE")]
    pub contract: Option<PathBuf>,

    /// Write an HTML page with rates and bursts, sizes, latencies and cache hit rates
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,

    /// Overwrite existing files that secchi did not write
    #[arg(long)]
    pub force: bool,

    /// Print one JSON document
    #[arg(long)]
    pub json: bool,
}

/// Margin that is added to a need, as a fraction: 0.3 is 30 %.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Headroom(pub f64);

impl FromStr for Headroom {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("`{}` is not a share from 0% to 1000%, such as 30%", model::clip(text));
        let number = text.trim().strip_suffix('%').ok_or_else(wrong)?;
        let percent: f64 = number.trim().parse().map_err(|_| wrong())?;
        if (0.0..=1000.0).contains(&percent) { Ok(Headroom(percent / 100.0)) } else { Err(wrong()) }
    }
}
