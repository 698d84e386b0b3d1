//! Recognition of PostgreSQL's own files by the names that the server gives them. A link counts only if it leads to one
//! of the database's directories.

use crate::{DirectoryEntry, EntryKind, Marker};

/// Names of files in a cluster's directory.
const TOP: [&str; 12] = [
    "PG_VERSION",
    "postgresql.conf",
    "postgresql.auto.conf",
    "postgresql.auto.conf.tmp",
    "pg_hba.conf",
    "pg_ident.conf",
    "postmaster.pid",
    "postmaster.opts",
    "current_logfiles",
    "current_logfiles.tmp",
    "backup_label",
    "tablespace_map",
];

/// Directories in a cluster in which the server uses numbers as file names.
const NUMBERED: [&str; 15] = [
    "pg_commit_ts",
    "pg_dynshmem",
    "pg_logical",
    "pg_multixact",
    "pg_notify",
    "pg_replslot",
    "pg_serial",
    "pg_snapshots",
    "pg_stat",
    "pg_stat_tmp",
    "pg_subtrans",
    "pg_twophase",
    "pg_xact",
    "pg_upgrade_output.d",
    "log",
];

/// Subdirectories of the directories in [`NUMBERED`].
const INSIDE: [&str; 5] = ["members", "offsets", "mappings", "snapshots", "archive_status"];

/// Returns `true` if PostgreSQL, or secchi on its behalf, creates this directory entry.
pub fn owns(marker: &Marker, item: &DirectoryEntry<'_>) -> bool {
    let dirs = &marker.directories;
    let parts = item.parts();
    let file = matches!(item.kind, EntryKind::File | EntryKind::Other);
    let data = dirs.data.iter().any(|dir| dir == item.directory);
    match (parts.as_slice(), item.kind) {
        (["cluster"], EntryKind::Directory) => item.directory == dirs.data[0],
        (["cluster", inside @ ..], kind) if item.directory == dirs.data[0] => is_cluster_entry(marker, inside, kind),
        (["tablespace"], EntryKind::Directory) => data,
        (["tablespace", version], EntryKind::Directory) => data && version.starts_with("PG_"),
        (["tablespace", version, inside @ ..], kind) => {
            data && version.starts_with("PG_") && is_database_entry(inside, kind)
        }
        (["wal"], EntryKind::Directory) => item.directory == dirs.journal,
        (["wal", inside @ ..], kind) if item.directory == dirs.journal => is_wal_entry(inside, kind),
        (["server.log" | "server.log.1"], _) => file && item.directory == dirs.work,
        (["socket"], EntryKind::Directory) => item.directory == dirs.work,
        (["socket", name], _) => file && item.directory == dirs.work && name.starts_with(".s.PGSQL."),
        _ => false,
    }
}

fn is_cluster_entry(marker: &Marker, inside: &[&str], kind: EntryKind<'_>) -> bool {
    let dirs = &marker.directories;
    match (inside, kind) {
        ([name], EntryKind::File) => TOP.contains(name),
        (["pg_wal"], EntryKind::Link(target)) => dirs.journal != dirs.data[0] && target == dirs.journal.join("wal"),
        (["pg_tblspc", number], EntryKind::Link(target)) => {
            is_number(number) && dirs.data.iter().skip(1).any(|dir| target == dir.join("tablespace"))
        }
        ([name], EntryKind::Directory) => {
            NUMBERED.contains(name) || matches!(*name, "base" | "global" | "pg_tblspc" | "pg_wal")
        }
        (["base", inside @ ..], kind) => is_database_entry(inside, kind),
        (["global", inside @ ..], kind) => {
            inside.len() == 1 && (is_relation_file(inside[0], kind) || is_control(inside[0]))
        }
        (["pg_wal", inside @ ..], kind) => is_wal_entry(inside, kind),
        ([name, inside], EntryKind::Directory) => NUMBERED.contains(name) && INSIDE.contains(inside),
        ([name, inside @ ..], EntryKind::File) => {
            let last = inside.last().copied().unwrap_or_default();
            NUMBERED.contains(name)
                && inside.len() <= 2
                && inside[..inside.len().saturating_sub(1)].iter().all(|d| INSIDE.contains(d))
                && (is_hex(last) || is_stat(last))
        }
        _ => false,
    }
}

/// Returns `true` for entries such as `5/16384`, `5/16384_fsm`, `5/16384.1`, `5/PG_VERSION`,
/// `pgsql_tmp/pgsql_tmp123.0`.
fn is_database_entry(inside: &[&str], kind: EntryKind<'_>) -> bool {
    match (inside, kind) {
        ([name], EntryKind::Directory) => is_number(name) || *name == "pgsql_tmp",
        (["pgsql_tmp", name], EntryKind::File) => name.starts_with("pgsql_tmp"),
        ([database, name], kind) if is_number(database) => is_relation_file(name, kind),
        _ => false,
    }
}

fn is_relation_file(name: &str, kind: EntryKind<'_>) -> bool {
    if kind != EntryKind::File {
        return false;
    }
    if matches!(name, "PG_VERSION" | "pg_filenode.map" | "pg_filenode.map.tmp") || name.starts_with("pg_internal.init")
    {
        return true;
    }
    // A session's temporary table, such as t3_16384.
    let name =
        name.strip_prefix('t').and_then(|n| n.split_once('_')).filter(|(s, _)| is_number(s)).map_or(name, |n| n.1);
    let name = name.split_once('.').map_or(name, |(first, segment)| if is_number(segment) { first } else { "" });
    let fork = ["_fsm", "_vm", "_init"].into_iter().find_map(|f| name.strip_suffix(f)).unwrap_or(name);
    is_number(fork)
}

fn is_control(name: &str) -> bool {
    matches!(name, "pg_control" | "pg_stat" | "pgstat.stat")
}

fn is_wal_entry(inside: &[&str], kind: EntryKind<'_>) -> bool {
    match (inside, kind) {
        (["archive_status" | "summaries"], EntryKind::Directory) => true,
        (["archive_status", name], EntryKind::File) => name.ends_with(".ready") || name.ends_with(".done"),
        (["summaries", name], EntryKind::File) => name.ends_with(".summary") || name.starts_with("temp."),
        ([name], EntryKind::File) => {
            name.starts_with("xlogtemp.")
                || name.ends_with(".history")
                || (name.len() >= 24 && name.is_char_boundary(24) && is_hex(&name[..24]) && {
                    let rest = &name[24..];
                    rest.is_empty() || rest == ".partial" || rest == ".deleted" || rest.ends_with(".backup")
                })
        }
        _ => false,
    }
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit())
}

fn is_hex(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_hexdigit())
}

/// Returns `true` for files of statistics, replication checkpoints, exported snapshots, and file-backed shared memory.
fn is_stat(name: &str) -> bool {
    ["pgstat.stat", "pgstat.tmp", "replorigin_checkpoint", "replorigin_checkpoint.tmp", "state", "state.tmp"]
        .contains(&name)
        || (name.ends_with(".stat") && !name.starts_with('.'))
        || name.strip_prefix("mmap.").is_some_and(is_number)
        || name
            .split_once('-')
            .is_some_and(|(a, b)| is_hex(a) && b.bytes().all(|c| c.is_ascii_hexdigit() || c == b'-' || c == b'.'))
}
