//! A connection for each question, none held in between: questions are few, and nobody is connected while a run is measured.
//! Every question has a limit in time, whatever the server does: connections to one that was stopped are still accepted.

use super::error::TeamError;
use super::tls;
use super::url::{Address, cause};
use crate::index::schema::VERSION;
use std::error::Error as _;
use std::io;
use std::time::Duration;
use tokio::time::timeout;
use tokio_postgres::error::SqlState;
use tokio_postgres::{Error, IsolationLevel, Transaction};

/// What is left of a connection is waited for so long.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(1);
/// Packets that nobody acknowledges for so long end a connection.
const TCP_USER_TIMEOUT: Duration = Duration::from_secs(30);

/// How long is waited.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Limits {
    /// For a connection to each host, TLS and password included.
    pub(crate) connect: Duration,
    /// For all that a question reads.
    pub(crate) read: Duration,
    /// For all that it puts there.
    pub(crate) change: Duration,
}

/// How a server is reached.
pub(crate) struct Link {
    address: Address,
    limits: Limits,
}

/// What a question does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Reads what is there at one moment.
    Read,
    /// Changes tables of our version.
    Change,
    /// Changes whatever is there.
    Found,
}

/// Why there is no answer.
enum AskError {
    /// The driver or the server said so.
    Said(Error),
    /// Nothing came in this time.
    Late(Duration),
    /// The tables are of this version.
    Version(i64),
    /// The system gives no means to ask.
    Here(io::Error),
}

impl From<Error> for AskError {
    fn from(error: Error) -> Self {
        AskError::Said(error)
    }
}

impl Link {
    /// Nothing is connected yet. Whoever only reads is held to it by the server.
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

    pub(crate) fn name(&self) -> &str {
        &self.address.shown
    }

    /// Asks something in one transaction.
    pub(super) fn ask<T>(
        &self,
        kind: Kind,
        question: impl AsyncFnOnce(&Transaction<'_>) -> Result<T, Error>,
    ) -> Result<T, TeamError> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|e| self.to_team_error(&AskError::Here(e)))?;
        let answer = runtime.block_on(self.run_transaction(kind, question));
        // A name that is still being looked up is not waited for.
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
                let found = row.try_get(0)?;
                if found != i64::from(VERSION) {
                    return Err(AskError::Version(found));
                }
            }
            let answer = question(&transaction).await?;
            transaction.commit().await?;
            Ok(answer)
        };
        let limit = if kind == Kind::Read { self.limits.read } else { self.limits.change };
        let answer = timeout(limit, answered).await.unwrap_or(Err(AskError::Late(limit)));
        drop(client);
        // What ended the connection says more than that it has ended.
        match (answer, timeout(CLOSE_TIMEOUT, line).await) {
            (Err(AskError::Said(error)), Ok(Ok(Err(why)))) if error.is_closed() => Err(AskError::Said(why)),
            (answer, _) => answer,
        }
    }

    fn to_team_error(&self, silence: &AskError) -> TeamError {
        let store = self.name().to_owned();
        match silence {
            AskError::Said(error) => server_error(store, error),
            AskError::Late(limit) => TeamError::Away { store, why: format!("no answer within {} s", limit.as_secs()) },
            AskError::Version(found) => TeamError::OtherVersion { store, found: *found, ours: VERSION.into() },
            AskError::Here(error) => TeamError::Other { store, why: error.to_string() },
        }
    }
}

/// An error of the driver in our words.
fn server_error(store: String, error: &Error) -> TeamError {
    let Some(db) = error.as_db_error() else {
        let why = model::without_passwords(&cause(error));
        return match untrusted(error) {
            Some(why) => TeamError::Insecure { store, why },
            // The driver's own words, where it says no more.
            None if why.contains("does not support TLS") || why.contains("channel binding") => {
                TeamError::Insecure { store, why }
            }
            // No answer, or none that the driver understood.
            None => TeamError::Away { store, why },
        };
    };
    let code = db.code();
    let why = model::without_passwords(db.message());
    let class = code.code().get(..2).unwrap_or_default();
    if [SqlState::UNDEFINED_TABLE, SqlState::INVALID_SCHEMA_NAME].contains(code) {
        TeamError::Missing { store }
    } else if *code == SqlState::INSUFFICIENT_PRIVILEGE || *code == SqlState::READ_ONLY_SQL_TRANSACTION {
        TeamError::Denied { store, why }
    } else if class == "28" || class == "3D" {
        TeamError::Login { store, why }
    } else if matches!(class, "08" | "57" | "53") {
        TeamError::Away { store, why }
    } else {
        TeamError::Other { store, why: format!("{why} (SQLSTATE {})", code.code()) }
    }
}

/// What a TLS handshake failed by.
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
