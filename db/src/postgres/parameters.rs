//! Parameters of our server's write path that a run may set by name (`--set full_page_writes=off`). Parameters that
//! have a secchi option, and those that would make the results independent of the disk, are rejected.

use super::{failed_to, log};
use crate::DbError;
use crate::postgres::cluster::Cluster;
use postgres::Client;

/// Parameters that may be set.
const ALLOWED: [&str; 24] = [
    "autovacuum",
    "backend_flush_after",
    "bgwriter_delay",
    "bgwriter_flush_after",
    "bgwriter_lru_maxpages",
    "bgwriter_lru_multiplier",
    "checkpoint_completion_target",
    "checkpoint_flush_after",
    "commit_delay",
    "commit_siblings",
    "full_page_writes",
    "max_wal_size",
    "min_wal_size",
    COMMIT,
    "wal_buffers",
    "wal_compression",
    "wal_init_zero",
    "wal_level",
    "wal_log_hints",
    "wal_recycle",
    "wal_skip_threshold",
    "wal_sync_method",
    "wal_writer_delay",
    "wal_writer_flush_after",
];
/// Parameter that decides when a commit returns. It is set for each connection, not only for the server.
pub const COMMIT: &str = "synchronous_commit";
/// Parameters that are always reported.
const ALWAYS_REPORTED: [&str; 3] = ["wal_sync_method", "full_page_writes", "checkpoint_completion_target"];

/// Parameters that have a secchi option or must not be set, each with the alternative.
const ELSEWHERE: [(&str, &str); 4] = [
    ("checkpoint_timeout", "use --write-back"),
    ("shared_buffers", "use --cache"),
    ("debug_io_direct", "it is on if the server and the file system support it"),
    ("fsync", "leave it on: without flushes the disk is not measured; --commit lazy does not wait for commits"),
];

/// A parameter and its value.
pub type Parameter = (&'static str, String);

/// Returns the parameters with these names, if all of them may be set.
pub fn allowed(asked: &[(String, String)]) -> Result<Vec<Parameter>, DbError> {
    let check = |(name, value): &(String, String)| {
        if let Some(known) = ALLOWED.iter().find(|known| *known == name) {
            return Ok((*known, value.clone()));
        }
        let what = format!("--set {}", model::clip(name));
        if let Some((_, instead)) = ELSEWHERE.iter().find(|(known, _)| known == name) {
            return Err(DbError::refused(what, "secchi sets it itself", *instead));
        }
        let near = model::units::suggestion(name, ALLOWED.iter().copied());
        let known = format!("allowed: {}{}", ALLOWED.join(", "), near);
        Err(DbError::refused(what, "it is not one of the PostgreSQL write-path parameters that can be set here", known))
    };
    asked.iter().map(check).collect()
}

/// Checks with the server's own program that the server accepts these values. Nothing is started.
pub fn check_values(cluster: &Cluster, parameters: &[Parameter]) -> Result<(), DbError> {
    for (name, value) in parameters {
        let data = cluster.data();
        let data = data.to_str().unwrap_or_default();
        let setting = format!("{name}={value}");
        let out = cluster.postgres(&["-C", name, "-D", data, "-c", &setting])?;
        if !out.status.success() {
            let reason = log::summarize_errors(&String::from_utf8_lossy(&out.stderr));
            return Err(DbError::refused(
                format!("--set {}", model::clip(&setting)),
                format!("PostgreSQL {} rejects it: {reason}", cluster.programs.version),
                "use a value that it accepts",
            ));
        }
    }
    Ok(())
}

/// Replaces settings with the parameters of the same name, and appends the other parameters.
pub fn put_into(settings: &mut Vec<Parameter>, parameters: &[Parameter]) {
    for (name, value) in parameters {
        settings.retain(|(known, _)| known != name);
        settings.push((name, value.clone()));
    }
}

/// Returns the write path parameters to report: parameters that are always reported, parameters that were set, and
/// parameters that differ from PostgreSQL's defaults.
pub fn query_reported(client: &mut Client, set: &[Parameter]) -> Result<Vec<(String, String)>, DbError> {
    let names: Vec<&str> = ALLOWED.to_vec();
    let always: Vec<&str> = ALWAYS_REPORTED.iter().copied().chain(set.iter().map(|(name, _)| *name)).collect();
    let rows = client
        .query(
            "SELECT name, current_setting(name) FROM pg_settings WHERE name = ANY($1) \
             AND (name = ANY($2) OR setting IS DISTINCT FROM boot_val AND source <> 'override') ORDER BY name",
            &[&names, &always],
        )
        .map_err(failed_to("read its parameters"))?;
    Ok(rows.iter().map(|row| (row.get(0), row.get(1))).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pair(name: &str) -> [(String, String); 1] {
        [(name.to_owned(), "off".to_owned())]
    }

    #[test]
    fn what_may_not_be_set_is_refused_by_name_with_what_to_do_instead() {
        assert_eq!(allowed(&pair("full_page_writes")).unwrap(), [("full_page_writes", "off".to_owned())]);
        for (name, word) in [
            ("full_page_write", "did you mean `full_page_writes`"),
            ("shared_buffers", "--cache"),
            ("checkpoint_timeout", "--write-back"),
            ("fsync", "the disk is not measured"),
            ("archive_command", "allowed: autovacuum"),
        ] {
            let refused = allowed(&pair(name)).unwrap_err().to_string();
            assert!(refused.contains(&format!("--set {name}")) && refused.contains(word), "{refused}");
        }
        assert!(ALLOWED.is_sorted());
    }

    #[test]
    fn a_parameter_stands_in_place_of_what_is_set_anyway() {
        let mut settings = vec![("full_page_writes", "on".to_owned()), ("fsync", "on".to_owned())];
        put_into(&mut settings, &[("full_page_writes", "off".to_owned()), ("commit_delay", "10".to_owned())]);
        settings.sort_unstable();
        let text: Vec<String> = settings.iter().map(|(n, v)| format!("{n}={v}")).collect();
        assert_eq!(text, ["commit_delay=10", "fsync=on", "full_page_writes=off"]);
    }
}
