//! The address of a team's store: read, checked, and shown without its password.

use super::{SCHEMES, TeamError};
use crate::bundle::hex;
use model::without_passwords;
use postgres::Config;
use postgres::config::{Host, SslMode};
use sha2::{Digest, Sha256};
use std::time::Duration;

/// A server that does not answer within this time is away.
const CONNECT: Duration = Duration::from_secs(5);
/// Settings of every connection.
const SETTINGS: &str = "-c search_path=secchi -c statement_timeout=60s -c lock_timeout=20s -c client_min_messages=warning \
                        -c default_transaction_read_only=off";

/// Where a team's store is.
pub(crate) struct Address {
    pub(crate) config: Config,
    pub(crate) shown: String,
}

impl Address {
    /// Reads an address; `password` is taken where it has none.
    pub(crate) fn read(url: &str, password: Option<&str>) -> Result<Address, TeamError> {
        let wrong = |why: String| TeamError::Url { why: without_passwords(&why) };
        // The scheme may be in capitals; the driver knows small letters.
        let lower = url.to_ascii_lowercase();
        let rest = SCHEMES.iter().find(|s| lower.starts_with(**s)).map_or(url, |s| &url[s.len()..]);
        if let Some(mode) = ["require", "verify-ca", "verify-full", "allow"]
            .into_iter()
            .find(|m| lower.contains(&format!("sslmode={m}")))
        {
            return Err(wrong(format!(
                "sslmode={mode}: connections are not encrypted here; go through a tunnel (ssh -L) or a socket, with sslmode=disable"
            )));
        }
        let mut config: Config = format!("postgres://{rest}").parse().map_err(|e| wrong(cause(&e)))?;
        if config.get_hosts().is_empty() {
            return Err(wrong("it names no host".to_owned()));
        }
        if config.get_user().is_none() {
            return Err(wrong("it names no user".to_owned()));
        }
        if let Some(options) = config.get_options() {
            return Err(wrong(format!("options={}: connections set their own", model::clip(options))));
        }
        let far = config.get_hosts().iter().find_map(|h| match h {
            Host::Tcp(name) if !is_near(name) => Some(name.clone()),
            _ => None,
        });
        if let (Some(host), true) = (far, config.get_ssl_mode() != SslMode::Disable) {
            return Err(wrong(format!(
                "the connection to {} would not be encrypted: say sslmode=disable if the network may be trusted, or go through \
                 a tunnel (ssh -L)",
                model::clip(&host)
            )));
        }
        if let (None, Some(password)) = (config.get_password(), password) {
            config.password(password);
        }
        config.connect_timeout(CONNECT).options(SETTINGS).application_name("secchi");
        config.tcp_user_timeout(Duration::from_secs(30));
        Ok(Address { config, shown: without_passwords(url) })
    }

    /// Name of its directory here: the same for every way to write the same store.
    pub(crate) fn key(&self) -> String {
        let c = &self.config;
        let text =
            format!("{:?} {:?} {:?} {:?}", c.get_hosts(), c.get_ports(), c.get_dbname().or(c.get_user()), c.get_user());
        hex(&Sha256::digest(text))[..16].to_owned()
    }
}

/// Whether packets to it do not leave the machine.
fn is_near(host: &str) -> bool {
    let address = host.trim_start_matches('[').trim_end_matches(']').parse::<std::net::IpAddr>();
    host.eq_ignore_ascii_case("localhost") || address.is_ok_and(|a| a.is_loopback())
}

/// The innermost cause, which is what there is to say.
pub(crate) fn cause(error: &dyn std::error::Error) -> String {
    let mut inner = error;
    while let Some(deeper) = inner.source() {
        inner = deeper;
    }
    inner.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn why(url: &str) -> String {
        match Address::read(url, None) {
            Err(e) => e.to_string(),
            Ok(a) => panic!("{}", a.shown),
        }
    }

    #[test]
    fn an_address_is_shown_without_its_password_and_names_one_directory() {
        let a = Address::read("postgres://ann:s3cret@localhost/runs", None).expect("an address");
        assert_eq!(a.shown, "postgres://ann:***@localhost/runs");
        let b = Address::read("PostgreSQL://ann@localhost/runs?sslmode=disable", Some("other")).expect("an address");
        assert_eq!(a.key(), b.key());
        assert_eq!(b.config.get_password(), Some(&b"other"[..]));
        assert_eq!(a.config.get_password(), Some(&b"s3cret"[..]), "its own comes first");
        assert_ne!(a.key(), Address::read("postgres://ann@localhost/other", None).expect("an address").key());
    }

    #[test]
    fn what_cannot_be_done_is_refused_by_name() {
        for (url, needle) in [
            ("postgres://ann:s3cret@h/d?sslmode=require", "sslmode=require: connections are not encrypted"),
            ("postgres://ann:s3cret@h/d?sslmode=verify-full", "sslmode=verify-full"),
            ("postgres://ann:s3cret@db.example/d", "the connection to db.example would not be encrypted"),
            ("postgres:///d?user=ann", "names no host"),
            ("postgres://localhost/d", "names no user"),
            ("postgres://ann:s3cret@localhost:port/d", "invalid"),
            ("postgres://ann:s3cret@localhost/d?sslrootcert=x", "sslrootcert"),
            ("postgres://ann:s3cret@localhost/d?options=-csearch_path%3Dx", "connections set their own"),
        ] {
            let text = why(url);
            assert!(text.contains(needle) && !text.contains("s3cret") && !text.contains('\n'), "{url}: {text}");
        }
    }
}
