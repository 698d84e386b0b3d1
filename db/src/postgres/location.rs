//! Location of an external server's reads and writes: the server's process and directories, if the server is on this
//! machine.

use super::link::{Link, error_text};
use crate::engine::IoLocation;
use postgres::Client;
use std::fs;
use std::path::{Path, PathBuf};

/// Returns the first process and the directories of the server, if the server is on this machine and its process and
/// directories can be inspected.
pub fn locate_server(client: &mut Client, link: &Link) -> IoLocation {
    try_locate(client, link).unwrap_or_else(IoLocation::Unknown)
}

fn try_locate(client: &mut Client, link: &Link) -> Result<IoLocation, String> {
    let row = client
        .query_one(
            "SELECT current_setting('data_directory', true), extract(epoch FROM pg_postmaster_start_time())::bigint, \
             pg_has_role('pg_read_all_settings', 'member')",
            &[],
        )
        .map_err(|e| error_text(&e))?;
    let (data, started): (Option<String>, i64) = (row.get(0), row.get(1));
    let may = "this role may not read the server's data directory setting (grant it pg_read_all_settings)";
    let data = PathBuf::from(data.filter(|d| !d.is_empty()).ok_or(may)?);
    let pid = first_process(&data, started)?;
    let mut directories = vec![data.clone()];
    // Tablespaces that may contain our globals: the database's and the role's defaults, and the tablespaces in use.
    let rows = client
        .query(
            "SELECT DISTINCT pg_tablespace_location(t.oid) FROM pg_tablespace t WHERE pg_tablespace_location(t.oid) <> '' \
             AND (t.spcname = current_setting('default_tablespace') \
               OR t.oid = (SELECT dattablespace FROM pg_database WHERE datname = current_database()) \
               OR t.oid IN (SELECT c.reltablespace FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace \
                            WHERE n.nspname = $1))",
            &[&link.schema],
        )
        .map_err(|e| error_text(&e))?;
    directories.extend(rows.iter().map(|row| PathBuf::from(row.get::<_, String>(0))));
    let real = |path: PathBuf| sys::files::canonical(&path).unwrap_or(path);
    let journal = real(data.join("pg_wal"));
    Ok(IoLocation::ExternalServer { pid, data: directories.into_iter().map(real).collect(), journal })
}

/// Reads the ID of the server's first process from the lock file, and verifies that the process belongs to the
/// connected server, which started at `started`. The server may be on another machine, and this machine may have a
/// directory of the same name with a server in it.
fn first_process(data: &Path, started: i64) -> Result<u32, String> {
    let lock = data.join("postmaster.pid");
    let text = fs::read_to_string(&lock).map_err(|e| match e.kind() {
        std::io::ErrorKind::NotFound => {
            format!("it runs on another machine or in a container ({} is not here)", lock.display())
        }
        _ => format!("{} cannot be read: {e}", lock.display()),
    })?;
    let mut lines = text.lines();
    let pid = lines.next().and_then(|l| l.trim().parse::<u32>().ok());
    let begun = lines.nth(1).and_then(|l| l.trim().parse::<i64>().ok());
    let reason = format!("{} belongs to another server", lock.display());
    // The lock file is created shortly before the start time that the server reports.
    match pid.zip(begun) {
        Some((pid, begun)) if (begun - started).abs() <= 60 && sys::process::is_process(pid) => Ok(pid),
        _ => Err(reason),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lock_file_must_be_of_the_server_that_was_asked() {
        let dir = tempfile::tempdir().unwrap();
        let missing = first_process(dir.path(), 1000).unwrap_err();
        assert!(missing.contains("another machine"), "{missing}");
        let pid = std::process::id();
        fs::write(dir.path().join("postmaster.pid"), format!("{pid}\n/data\n1000\n5432\n")).unwrap();
        assert_eq!(first_process(dir.path(), 1001), Ok(pid));
        assert!(first_process(dir.path(), 5000).unwrap_err().contains("belongs to another server"));
    }
}
