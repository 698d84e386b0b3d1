//! Targets as named on the command line.

use std::path::PathBuf;
use std::str::FromStr;

/// Target with a name that the user chose.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedPath {
    /// Name that the user chose.
    pub name: String,
    /// File, directory or device.
    pub path: PathBuf,
}

impl FromStr for NamedPath {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, path) = text.split_once('=').filter(|(_, path)| !path.is_empty()).ok_or("NAME=PATH is expected")?;
        let good = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
        if name.is_empty() || name.len() > 32 || !name.chars().all(good) {
            return Err("a name must be 1 to 32 letters, digits, `.`, `_` or `-`".to_owned());
        }
        Ok(NamedPath { name: name.to_owned(), path: path.into() })
    }
}

/// Target with a name that the user chose, optionally on one host of several.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostedPath {
    /// Host of the target; `None` if every host has it.
    pub host: Option<String>,
    /// Name that the user chose.
    pub name: String,
    /// File, directory or device.
    pub path: PathBuf,
}

impl HostedPath {
    /// Returns the name that is unique among the targets of all hosts.
    pub fn full_name(&self) -> String {
        self.host.as_ref().map_or_else(|| self.name.clone(), |host| format!("{host}:{}", self.name))
    }

    /// Returns `true` if the target is on a rank: it names the rank itself, or its host if several ranks run on it.
    pub(crate) fn is_on(&self, rank: &str) -> bool {
        let matches = |host: &str| rank == host || rank.strip_prefix(host).is_some_and(|rest| rest.starts_with(':'));
        self.host.as_deref().is_none_or(matches)
    }
}

impl FromStr for HostedPath {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let typed = text.split_once('=').map_or(text, |(name, _)| name);
        let (host, named) = match typed.rsplit_once(':') {
            None => (None, text),
            Some(("", _)) => return Err("HOST:NAME=PATH is expected".to_owned()),
            Some((host, _)) => (Some(host.to_owned()), &text[host.len() + 1..]),
        };
        let NamedPath { name, path } = named.parse()?;
        Ok(HostedPath { host, name, path })
    }
}
