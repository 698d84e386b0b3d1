//! Connections to a server. Each query uses its own connection, because queries are rare, and no connection should be
//! open during a measurement. Each query has a time limit, because a stopped server process still accepts connections.

use super::tls;
use super::url::{Address, cause};
use crate::index::schema::VERSION;
use crate::runs::team_error::TeamError;
use std::error::Error as _;
use std::io;
use std::time::Duration;
use tokio::time::timeout;
use tokio_postgres::error::SqlState;
use tokio_postgres::{Error, IsolationLevel, Transaction};

/// Maximum time to wait for a connection to close.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(1);
/// Time without acknowledgement after which a connection is closed.
const TCP_USER_TIMEOUT: Duration = Duration::from_secs(30);

/// Time limits for connecting and for queries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Limits {
    /// Time limit for connecting to each host, including TLS and authentication.
    pub(crate) connect: Duration,
    /// Time limit for a query that only reads.
    pub(crate) read: Duration,
    /// Time limit for a query that changes tables.
    pub(crate) change: Duration,
}

/// Address and time limits of a server.
pub(crate) struct Link {
    address: Address,
    limits: Limits,
}

/// Type of a query.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Reads a consistent snapshot.
    Read,
    /// Changes tables of this version.
    Change,
    /// Changes tables of any version, or creates them.
    Found,
}

/// Reason why a query failed.
enum AskError {
    /// Error from the driver or the server.
    Said(Error),
    /// The server did not respond within this time.
    Late(Duration),
    /// The tables have this version, which differs from this program's version.
    Version(i64),
    /// The local system could not provide a runtime.
    Here(io::Error),
}

impl From<Error> for AskError {
    fn from(error: Error) -> Self {
        AskError::Said(error)
    }
}

impl Link {
    /// Creates a link without connecting. If `read_only` is set, the server enforces read-only transactions.
    pub(crate) fn new(address: Address, read_only: bool, limits: Limits) -> Link {
        let mut address = address.with_settings(read_only, limits.read.as_secs());
        let asked = address.config.get_connect_timeout().copied();
        let limits = Limits { connect: asked.unwrap_or(limits.connect), ..limits };
        address.config.connect_timeout(limits.connect);
        if address.config.get_tcp_user_timeout().is_none() {
            address.config.tcp_user_timeout(TCP_USER_TIMEOUT);
        }
        Link { address, limits }
    }

    pub(super) fn shown(&self) -> &str {
        &self.address.shown
    }

    /// Runs a query in one transaction.
    pub(super) fn ask<T>(
        &self,
        kind: Kind,
        question: impl AsyncFnOnce(&Transaction<'_>) -> Result<T, Error>,
    ) -> Result<T, TeamError> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|e| self.to_team_error(&AskError::Here(e)))?;
        let answer = runtime.block_on(self.run_transaction(kind, question));
        // Do not wait for a host name lookup that is still in progress.
        runtime.shutdown_background();
        answer.map_err(|silence| self.to_team_error(&silence))
    }

    async fn run_transaction<T>(
        &self,
        kind: Kind,
        question: impl AsyncFnOnce(&Transaction<'_>) -> Result<T, Error>,
    ) -> Result<T, AskError> {
        let Address { config, tls, .. } = &self.address;
        let hosts = u32::try_from(config.get_hosts().len()).unwrap_or(u32::MAX);
        let patience = self.limits.connect.saturating_mul(hosts.max(1));
        tracing::debug!(store = self.shown(), ?kind, ?patience, "connect to the team's store");
        let connected = timeout(patience, config.connect(tls.clone())).await;
        let (mut client, connection) = connected.map_err(|_| AskError::Late(patience))??;
        let line = tokio::spawn(connection);
        let answered = async {
            let mut transaction = client.build_transaction();
            if kind == Kind::Read {
                transaction = transaction.isolation_level(IsolationLevel::RepeatableRead).read_only(true);
            }
            let transaction = transaction.start().await?;
            if kind != Kind::Found {
                let row = transaction.query_one("SELECT version FROM secchi.about", &[]).await?;
                let version = row.try_get(0)?;
                if version != i64::from(VERSION) {
                    return Err(AskError::Version(version));
                }
            }
            let answer = question(&transaction).await?;
            transaction.commit().await?;
            Ok(answer)
        };
        let limit = if kind == Kind::Read { self.limits.read } else { self.limits.change };
        let answer = timeout(limit, answered).await.unwrap_or(Err(AskError::Late(limit)));
        drop(client);
        // Prefer the error that ended the connection. It is more informative than an error that only reports the closed
        // connection.
        match (answer, timeout(CLOSE_TIMEOUT, line).await) {
            (Err(AskError::Said(error)), Ok(Ok(Err(why)))) if error.is_closed() => Err(AskError::Said(why)),
            (answer, _) => answer,
        }
    }

    fn to_team_error(&self, silence: &AskError) -> TeamError {
        let store = self.shown().to_owned();
        match silence {
            AskError::Said(error) => server_error(store, error),
            AskError::Late(limit) => TeamError::Away { store, why: format!("no answer within {} s", limit.as_secs()) },
            AskError::Version(version) => TeamError::OtherVersion { store, found: *version, ours: VERSION.into() },
            AskError::Here(error) => TeamError::Other { store, why: error.to_string() },
        }
    }
}

/// Converts an error from the driver.
fn server_error(store: String, error: &Error) -> TeamError {
    let Some(db) = error.as_db_error() else {
        let reason = super::without_passwords(&cause(error));
        return match untrusted(error) {
            Some(why) => TeamError::Insecure { store, why },
            // The driver has no distinct error for these, so its text is checked.
            None if reason.contains("does not support TLS") || reason.contains("channel binding") => {
                TeamError::Insecure { store, why: reason }
            }
            // The server did not respond, or the driver did not understand the response.
            None => TeamError::Away { store, why: reason },
        };
    };
    let code = db.code();
    let reason = super::without_passwords(db.message());
    let class = code.code().get(..2).unwrap_or_default();
    if [SqlState::UNDEFINED_TABLE, SqlState::INVALID_SCHEMA_NAME].contains(code) {
        TeamError::Missing { store }
    } else if *code == SqlState::INSUFFICIENT_PRIVILEGE || *code == SqlState::READ_ONLY_SQL_TRANSACTION {
        TeamError::Denied { store, why: reason }
    } else if class == "28" || class == "3D" {
        TeamError::Login { store, why: reason }
    } else if matches!(class, "08" | "57" | "53") {
        TeamError::Away { store, why: reason }
    } else {
        TeamError::Other { store, why: format!("{reason} (SQLSTATE {})", code.code()) }
    }
}

/// Returns the reason if a TLS handshake failed.
fn untrusted(error: &Error) -> Option<String> {
    let mut next = error.source();
    while let Some(inner) = next {
        let within = inner.downcast_ref::<io::Error>().and_then(io::Error::get_ref);
        if let Some(wrong) = within.and_then(|e| e.downcast_ref::<rustls::Error>()) {
            return Some(tls::why(wrong));
        }
        next = inner.source();
    }
    None
}
