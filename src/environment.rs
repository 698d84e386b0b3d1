//! Where things lie on this machine, as the environment tells.

use std::ffi::OsString;
use std::path::PathBuf;
use store::TeamAccess;

/// Directory of the run store: as asked, else `$XDG_DATA_HOME/secchi`, else `~/.local/share/secchi`.
///
/// `None` when neither is known; the caller then names `--store`.
pub fn store_dir(asked: Option<&PathBuf>) -> Option<PathBuf> {
    let var = |name: &str| std::env::var_os(name).filter(|v: &OsString| !v.is_empty()).map(PathBuf::from);
    if let Some(dir) = asked {
        return Some(dir.clone());
    }
    // The specification calls relative paths invalid.
    if let Some(dir) = var("XDG_DATA_HOME").filter(|d| d.is_absolute()) {
        return Some(dir.join("secchi"));
    }
    var("HOME").filter(|d| d.is_absolute()).map(|home| home.join(".local/share/secchi"))
}

/// Where runs wait that have not been put into a team's store yet.
pub fn waiting_dir() -> Option<PathBuf> {
    Some(store_dir(None)?.join("teams"))
}

/// What the variables and files of PostgreSQL's own programs tell of a team's store.
pub fn team_access() -> TeamAccess {
    let var = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
    let home = std::env::var_os("HOME").map(PathBuf::from).filter(|home| home.is_absolute());
    TeamAccess {
        password: var("PGPASSWORD"),
        sslmode: var("PGSSLMODE"),
        sslrootcert: var("PGSSLROOTCERT"),
        root_file: home.map(|home| home.join(".postgresql/root.crt")),
    }
}

/// Directory of the user's settings: `$XDG_CONFIG_HOME/secchi`, else `~/.config/secchi`; `None` when neither is known.
pub fn config_dir() -> Option<PathBuf> {
    let var = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|d| d.is_absolute());
    let dir = var("XDG_CONFIG_HOME").or_else(|| var("HOME").map(|home| home.join(".config")))?;
    Some(dir.join("secchi"))
}

/// Name of the variable by which `ab` tells a run its own process and the id the run is to have.
pub const ROUND: &str = "SECCHI_ROUND";

/// Who conducts this run as one of several, and the id it is to have.
pub fn round() -> Option<(u32, String)> {
    let value = std::env::var(ROUND).ok()?;
    let (pid, id) = value.split_once(':')?;
    Some((pid.parse().ok()?, id.to_owned()))
}

/// Name of the variable that tells a child process which descriptor leads to its supervisor.
pub const SUPERVISED: &str = "SECCHI_SUPERVISED";

/// The descriptor leading to the supervisor, when this process has one.
pub fn supervisor_fd() -> Option<(u32, i32)> {
    let value = std::env::var(SUPERVISED).ok()?;
    let (pid, fd) = value.split_once(':')?;
    Some((pid.parse().ok()?, fd.parse().ok()?))
}

/// Name of the variable that tells a child process which descriptors hold what its parent read and nobody can read again.
pub const HANDED: &str = "SECCHI_HANDED";

/// What the parent handed on.
pub fn handed() -> Option<String> {
    std::env::var(HANDED).ok()
}

/// Identities of devices that jobs may overwrite without being asked again, for machines whose disks are there for that.
pub fn may_destroy() -> Vec<String> {
    let list = std::env::var("SECCHI_DESTROY").unwrap_or_default();
    list.split(',').map(str::trim).filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

/// Directories that programs are looked for in.
pub fn path() -> Vec<PathBuf> {
    std::env::var_os("PATH").map(|path| std::env::split_paths(&path).collect()).unwrap_or_default()
}

/// The path in the first of these variables that is set and not empty.
pub fn path_in(variables: &[&str]) -> Option<PathBuf> {
    variables.iter().find_map(|name| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from))
}
