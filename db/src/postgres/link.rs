//! How the server is reached, and what every connection of ours says first.

use super::failed;
use crate::DbError;
use postgres::config::SslMode;
use postgres::{Client, Config, NoTls};
use std::io;
use std::path::Path;
use std::time::Duration;

/// Reaches a server.
#[derive(Debug, Clone)]
pub struct Link {
    config: Config,
    /// Schema that everything of ours is in.
    pub schema: String,
    /// What connections of this database call themselves; others of the same database by other processes too.
    name: String,
}

/// Plans that read by key whatever the statistics say, one plan for all values, and no server-side helpers that would
/// make two runs differ. Settings any user may change.
const SETTINGS: &str = "-c enable_seqscan=off -c enable_bitmapscan=off -c enable_sort=off -c plan_cache_mode=force_generic_plan \
-c jit=off -c max_parallel_workers_per_gather=0 -c client_min_messages=warning -c statement_timeout=0 -c lock_timeout=0 \
-c idle_in_transaction_session_timeout=0 -c default_transaction_isolation=read\\ committed -c default_transaction_read_only=off";

impl Link {
    /// To a server of ours, through its socket.
    pub fn to_own(sockets: &Path, role: &str, uuid: &uuid::Uuid) -> Link {
        let mut config = Config::new();
        // A host that begins with a slash is a directory of sockets.
        config.host(&sockets.to_string_lossy()).user(role).dbname("postgres");
        Link::from_config(config, "secchi".into(), uuid)
    }

    /// To the server of a URL.
    pub fn from_url(url: &str, uuid: &uuid::Uuid) -> Result<Link, DbError> {
        let refused = |why: String| {
            DbError::refused(
                "--url",
                why,
                "it reads postgresql://user:password@host:5432/database, or host=/var/run/postgresql dbname=...",
            )
        };
        let mut config: Config = url.parse().map_err(|e| refused(error_text(&e)))?;
        if config.get_ssl_mode() == SslMode::Require {
            return Err(refused("sslmode=require: connections are not encrypted here".into()));
        }
        if config.get_hosts().is_empty() {
            return Err(refused("it names no host".into()));
        }
        if let Some(options) = config.get_options() {
            return Err(refused(format!("options={}: connections set their own", model::clip(options))));
        }
        config.connect_timeout(Duration::from_secs(10));
        Ok(Link::from_config(config, format!("secchi_{}", uuid.simple()), uuid))
    }

    fn from_config(mut config: Config, schema: String, uuid: &uuid::Uuid) -> Link {
        config.keepalives(true);
        Link { config, schema, name: format!("secchi {}", &uuid.simple().to_string()[..12]) }
    }

    /// The same, with commits that return as `synchronous_commit` of this value has them.
    pub fn committing(&self, commit: &str) -> Link {
        let mut link = self.clone();
        link.config.options(&format!("{SETTINGS} -c synchronous_commit={commit}"));
        link
    }

    /// What connections of this process call themselves.
    pub fn own_name(&self) -> String {
        format!("{} {}", self.name, std::process::id())
    }

    /// What connections of every process to this database begin with.
    pub fn name_prefix(&self) -> &str {
        &self.name
    }

    /// Connects; `what` the connection is for ends its name.
    pub fn connect(&self, what: &str) -> Result<Client, postgres::Error> {
        let mut config = self.config.clone();
        if config.get_options().is_none() {
            config.options(SETTINGS);
        }
        config.application_name(&format!("{} {what}", self.own_name()));
        config.connect(NoTls)
    }

    /// Connects for a task of the engine's own.
    pub fn control(&self) -> Result<Client, DbError> {
        self.connect("control").map_err(|e| failed("be connected to".into(), error_text(&e)))
    }

    /// A relation of ours, qualified.
    pub fn table(&self, name: &str) -> String {
        format!("{}.{name}", self.schema)
    }

    /// Table of a global, without its schema.
    pub fn table_of_global(number: u32) -> String {
        format!("{GLOBAL}{number}")
    }
}

/// What tables of globals begin with, before the number.
pub const GLOBAL: &str = "ran_write_global_";
/// Table of the sizes of globals.
pub const SIZES: &str = "ran_write_global_sizes";

/// An error in one clause, with its SQLSTATE where the server spoke.
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

/// The same as a session tells it: what another transaction was in the way of is a deadlock.
#[cold]
pub fn io_error(what: &str, error: &postgres::Error) -> io::Error {
    let in_the_way = error.code().is_some_and(|code| ["40P01", "40001"].contains(&code.code()));
    let kind = match error.as_db_error() {
        Some(_) if in_the_way => io::ErrorKind::Deadlock,
        Some(_) => io::ErrorKind::Other,
        // The server did not answer: the cause is in its log.
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
        for (url, why) in [
            ("postgresql://u@h/db?sslmode=require", "sslmode=require"),
            ("postgresql:///db", "no host"),
            ("postgresql://u@h/db?options=-c%20x", "options"),
            ("nonsense", "--url"),
        ] {
            let refused = Link::from_url(url, &uuid).unwrap_err().to_string();
            assert!(refused.contains(why), "{url}: {refused}");
        }
        let link = Link::from_url("postgresql://u:p@h:5433/db", &uuid).unwrap();
        assert_eq!(link.table(&Link::table_of_global(3)), format!("secchi_{}.ran_write_global_3", uuid.simple()));
    }
}
