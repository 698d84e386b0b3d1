//! Arguments of `completions`, `manual` and `--version --verbose`.

use clap::Args;
use clap_complete::Shell;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub struct Completions {
    /// Shell that will use the script
    #[arg(value_enum, value_name = "bash|elvish|fish|powershell|zsh", hide_possible_values = true)]
    pub shell: Shell,
}

#[derive(Debug, Args)]
pub struct Manual {
    /// Command, such as `qualify` or `db ranread` [default: secchi itself]
    #[arg(value_name = "COMMAND", conflicts_with = "dir")]
    pub command: Vec<String>,

    /// Write the pages for all commands to this existing directory: secchi.1, secchi-qualify.1, ...
    #[arg(long, value_name = "DIR")]
    pub dir: Option<PathBuf>,

    /// Overwrite existing files that secchi did not write
    #[arg(long, requires = "dir")]
    pub force: bool,
}

/// `secchi --version --verbose`.
#[derive(Debug)]
pub struct VersionDetails {
    /// Print one JSON document.
    pub json: bool,
}
