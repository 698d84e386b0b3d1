//! Connections to the server, and the settings with which each connection starts.

use super::failed_to;
use crate::DbError;
use postgres::config::SslMode;
use postgres::{Client, Config, NoTls};
use std::io;
use std::path::Path;
use std::time::Duration;

/// Address of a server, and the schema to use on that server.
#[derive(Debug, Clone)]
pub struct Link {
    config: Config,
    /// Schema with all our relations.
    pub schema: String,
    /// Prefix of the names of connections to this database, including connections from other processes.
    pub name: String,
}

/// Settings that make the server read by key regardless of statistics, use one plan for all values, and avoid parallel
/// workers, which would make two runs differ. Any user may change these settings.
const SETTINGS: &str = "-c enable_seqscan=off -c enable_bitmapscan=off -c enable_sort=off -c plan_cache_mode=force_generic_plan \
-c jit=off -c max_parallel_workers_per_gather=0 -c client_min_messages=warning -c statement_timeout=0 -c lock_timeout=0 \
-c idle_in_transaction_session_timeout=0 -c default_transaction_isolation=read\\ committed -c default_transaction_read_only=off";

impl Link {
    /// Returns a link to a server that secchi runs, through the server's socket.
    pub fn to_own(sockets: &Path, role: &str, uuid: &uuid::Uuid) -> Link {
        let mut config = Config::new();
        // A host that begins with a slash is a socket directory.
        config.host(&sockets.to_string_lossy()).user(role).dbname("postgres");
        Link::from_config(config, "secchi".into(), uuid)
    }

    /// Returns a link to the server at a URL.
    pub fn from_url(url: &str, uuid: &uuid::Uuid) -> Result<Link, DbError> {
        let refused = |reason: String| {
            DbError::refused(
                "--url",
                reason,
                "use the form postgresql://user:password@host:5432/database, or host=/var/run/postgresql dbname=...",
            )
        };
        let mut config: Config = url.parse().map_err(|e| refused(error_text(&e)))?;
        if config.get_ssl_mode() == SslMode::Require {
            return Err(refused("sslmode=require: secchi does not encrypt these connections".into()));
        }
        if config.get_hosts().is_empty() {
            return Err(refused("it does not name a host".into()));
        }
        if let Some(options) = config.get_options() {
            return Err(refused(format!(
                "options={}: secchi sets the options of its connections itself",
                model::clip(options)
            )));
        }
        config.connect_timeout(Duration::from_secs(10));
        Ok(Link::from_config(config, format!("secchi_{}", uuid.simple()), uuid))
    }

    fn from_config(mut config: Config, schema: String, uuid: &uuid::Uuid) -> Link {
        config.keepalives(true);
        Link { config, schema, name: format!("secchi {}", &uuid.simple().to_string()[..12]) }
    }

    /// Returns a copy of the link that uses this value of `synchronous_commit`.
    pub fn committing(&self, commit: &str) -> Link {
        let mut link = self.clone();
        link.config.options(&format!("{SETTINGS} -c synchronous_commit={commit}"));
        link
    }

    /// Returns the name of connections from this process.
    pub fn own_name(&self) -> String {
        format!("{} {}", self.name, std::process::id())
    }

    /// Connects to the server. `what` is the purpose of the connection, which becomes the end of its name.
    pub fn connect(&self, what: &str) -> Result<Client, postgres::Error> {
        let mut config = self.config.clone();
        if config.get_options().is_none() {
            config.options(SETTINGS);
        }
        config.application_name(&format!("{} {what}", self.own_name()));
        let connected = config.connect(NoTls);
        let hosts = self.config.get_hosts();
        tracing::debug!(?hosts, purpose = what, is_connected = connected.is_ok(), "connect to PostgreSQL");
        connected
    }

    /// Connects for one of the engine's own tasks.
    pub fn control(&self) -> Result<Client, DbError> {
        self.connect("control").map_err(failed_to("accept a connection"))
    }

    /// Returns the qualified name of one of our relations.
    pub fn table(&self, name: &str) -> String {
        format!("{}.{name}", self.schema)
    }

    /// Returns the name of a global's table, without the schema.
    pub fn table_of_global(number: u32) -> String {
        format!("{GLOBAL}{number}")
    }
}

/// Prefix of the names of globals' tables. The number of the global follows.
pub const GLOBAL: &str = "ran_write_global_";
/// Name of the table with the sizes of globals.
pub const SIZES: &str = "ran_write_global_sizes";

/// Formats an error as one clause, with its SQLSTATE if the server reported it.
pub fn error_text(error: &postgres::Error) -> String {
    use std::error::Error;
    if let Some(db) = error.as_db_error() {
        let mut text = format!("{} (SQLSTATE {})", db.message(), db.code().code());
        for more in [db.detail(), db.hint()].into_iter().flatten() {
            text = text + "; " + more;
        }
        return text;
    }
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(inner) = source {
        if !text.contains(&inner.to_string()) {
            text = format!("{text}: {inner}");
        }
        source = inner.source();
    }
    text
}

/// Converts an error from a session. A conflict with another transaction becomes `Deadlock`.
#[cold]
pub fn io_error(what: &str, error: &postgres::Error) -> io::Error {
    let in_the_way = error.code().is_some_and(|code| ["40P01", "40001"].contains(&code.code()));
    let kind = match error.as_db_error() {
        Some(_) if in_the_way => io::ErrorKind::Deadlock,
        Some(_) => io::ErrorKind::Other,
        // The server did not answer; its log has the cause.
        None => io::ErrorKind::ConnectionAborted,
    };
    io::Error::new(kind, format!("postgres cannot {what}: {}", error_text(error)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_that_cannot_be_kept_to_are_refused_by_name() {
        let uuid = uuid::Uuid::nil();
        for (url, expected) in [
            ("postgresql://u@h/db?sslmode=require", "sslmode=require"),
            ("postgresql:///db", "does not name a host"),
            ("postgresql://u@h/db?options=-c%20x", "options"),
            ("nonsense", "--url"),
        ] {
            let refused = Link::from_url(url, &uuid).unwrap_err().to_string();
            assert!(refused.contains(expected), "{url}: {refused}");
        }
        let link = Link::from_url("postgresql://u:p@h:5433/db", &uuid).unwrap();
        assert_eq!(link.table(&Link::table_of_global(3)), format!("secchi_{}.ran_write_global_3", uuid.simple()));
    }
}
