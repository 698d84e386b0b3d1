//! Arguments of the commands that describe this program: completions, manual pages, and the long form of the version.

use clap::Args;
use clap_complete::Shell;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub struct Completions {
    /// The shell that is to complete words
    #[arg(value_enum, value_name = "bash|elvish|fish|powershell|zsh", hide_possible_values = true)]
    pub shell: Shell,
}

#[derive(Debug, Args)]
pub struct Manual {
    /// The command, such as `qualify` or `db ranread` [default: secchi itself]
    #[arg(value_name = "COMMAND", conflicts_with = "dir")]
    pub command: Vec<String>,

    /// Write the pages of all commands into this directory, which must be there: secchi.1, secchi-qualify.1, ...
    #[arg(long, value_name = "DIR")]
    pub dir: Option<PathBuf>,

    /// Replace what stands at the name of a page, though it is none that secchi wrote
    #[arg(long, requires = "dir")]
    pub force: bool,
}

/// `secchi --version --verbose`.
#[derive(Debug)]
pub struct VersionDetails {
    /// As one JSON document.
    pub json: bool,
}
