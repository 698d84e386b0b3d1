//! Rules for tracing the block layer.

use serde::{Deserialize, Serialize};

/// Role of requests that belong to no known file.
pub const UNMAPPED: &str = "unmapped";

/// Files of one role, as the user gives them: `data=/srv/db`, `journal=/srv/wal`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RolePath {
    /// Name of the role, chosen by the user.
    pub role: String,
    /// A file, a directory with everything in it, or a block device.
    #[serde(with = "super::job::any_path")]
    #[cfg_attr(feature = "schema", schemars(with = "super::job::any_path::Either"))]
    pub path: std::path::PathBuf,
}

/// Error when parsing a role and its files.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RolePathError {
    /// The text has no `=` followed by a path.
    #[error("`{}`: expected ROLE=PATH, such as data=/srv/db", crate::clip(.0))]
    NoPair(String),
    /// The text before the `=` is too long, empty, or has invalid characters.
    #[error("a role must be a word of 1 to 32 letters, digits, `.`, `_` or `-`")]
    NoRole,
    /// The role is reserved for requests that belong to no role.
    #[error("the role `{UNMAPPED}` is reserved for requests to unknown files: use another word")]
    Reserved,
}

impl std::str::FromStr for RolePath {
    type Err = RolePathError;

    fn from_str(text: &str) -> Result<Self, RolePathError> {
        let wanted = || RolePathError::NoPair(text.to_owned());
        let (role, path) = text.split_once('=').filter(|(_, path)| !path.is_empty()).ok_or_else(wanted)?;
        let good = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
        if role.is_empty() || role.len() > 32 || !role.chars().all(good) {
            return Err(RolePathError::NoRole);
        }
        if role == UNMAPPED {
            return Err(RolePathError::Reserved);
        }
        Ok(RolePath { role: role.to_owned(), path: path.into() })
    }
}

/// Request to trace a run, with the files of the roles.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TraceRule {
    /// Files and their roles; requests to other files are [`UNMAPPED`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub roles: Vec<RolePath>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_role_is_a_word_and_a_path() {
        let role: RolePath = "data=/srv/a=b".parse().expect("a role");
        assert_eq!((role.role.as_str(), role.path.to_str()), ("data", Some("/srv/a=b")));
        for bad in ["/srv", "data=", "=/srv", "my data=/srv", "unmapped=/srv"] {
            assert!(bad.parse::<RolePath>().is_err(), "{bad}");
        }
    }
}
