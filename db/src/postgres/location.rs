//! Where a server that somebody else runs does its reads and writes, as it tells itself: on this machine or not, by which
//! process, in which directories.

use super::link::{Link, error_text};
use crate::engine::IoLocation;
use postgres::Client;
use std::fs;
use std::path::{Path, PathBuf};

/// Its first process and its directories, if it is on this machine and they can be looked into.
pub fn locate_server(client: &mut Client, link: &Link) -> IoLocation {
    match try_locate(client, link) {
        Ok(found) => found,
        Err(why) => IoLocation::Unknown(format!("the server's devices cannot be counted: {why}")),
    }
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
    let may = "it does not tell this role where its data lies (grant it pg_read_all_settings)";
    let data = PathBuf::from(data.filter(|d| !d.is_empty()).ok_or(may)?);
    let pid = first_process(&data, started)?;
    let mut all = vec![data.clone()];
    // Those of our globals lie where the database's or the role's default tablespace is.
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
    all.extend(rows.iter().map(|row| PathBuf::from(row.get::<_, String>(0))));
    let real = |path: PathBuf| sys::canonical(&path).unwrap_or(path);
    let journal = real(data.join("pg_wal"));
    Ok(IoLocation::ExternalServer { pid, data: all.into_iter().map(real).collect(), journal })
}

/// The server's first process by its lock file, if it is the server that was asked: another machine may have a directory of
/// this name, and a server in it.
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
    let why = format!("{} is another server's", lock.display());
    // The lock file is made a moment before the time that the server tells.
    match pid.zip(begun) {
        Some((pid, begun)) if (begun - started).abs() <= 60 && sys::is_process(pid) => Ok(pid),
        _ => Err(why),
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
        assert!(first_process(dir.path(), 5000).unwrap_err().contains("another server's"));
    }
}
