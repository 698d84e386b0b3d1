//! Address of a team's store: parsing, checks, and display without its password.

use super::tls::{self, Mode, Roots};
use super::{SCHEMES, TeamAccess, without_passwords};
use crate::hex::hex;
use crate::runs::team_error::TeamError;
use percent_encoding::percent_decode_str;
use sha2::{Digest, Sha256};
use std::path::Path;
use tokio_postgres::Config;
use tokio_postgres::config::{Host, SslNegotiation};
use tokio_postgres_rustls::MakeRustlsConnect;

/// Settings of every connection, except the statement timeout.
const SETTINGS: &str = "-c search_path=secchi -c lock_timeout=20s -c client_min_messages=warning";

/// Address and connection settings of a team's store.
pub(crate) struct Address {
    pub(crate) config: Config,
    pub(crate) tls: MakeRustlsConnect,
    pub(crate) shown: String,
}

/// URL without the parameters that the driver does not support, and the values of these parameters.
struct Parts {
    url: String,
    sslmode: Option<String>,
    sslrootcert: Option<String>,
}

impl Parts {
    fn parse(url: &str) -> Result<Parts, String> {
        // The scheme may be in capitals, but the driver requires lower case.
        let lower = url.to_ascii_lowercase();
        let rest = SCHEMES.iter().find(|s| lower.starts_with(**s)).map_or(url, |s| &url[s.len()..]);
        // Follow the driver's rule: everything before the first @ is the user and password.
        let host = rest.find('@').map_or(0, |at| at + 1);
        let query = rest[host..].find('?').map(|at| host + at);
        let mut parts = Parts {
            url: format!("postgres://{}", &rest[..query.unwrap_or(rest.len())]),
            sslmode: None,
            sslrootcert: None,
        };
        let words = query.map_or("", |at| &rest[at + 1..]).split('&').filter(|word| !word.is_empty());
        let mut sign = '?';
        for word in words {
            let (key, value) = word.split_once('=').unwrap_or((word, ""));
            let read = |text: &str| percent_decode_str(text).decode_utf8().map(|t| t.into_owned());
            let key = read(key).map_err(|e| e.to_string())?;
            let parameter = match key.as_str() {
                "sslmode" => &mut parts.sslmode,
                "sslrootcert" => &mut parts.sslrootcert,
                _ => {
                    parts.url.push(sign);
                    parts.url.push_str(word);
                    sign = '&';
                    continue;
                }
            };
            *parameter = Some(read(value).map_err(|e| format!("{key}: {e}"))?);
        }
        Ok(parts)
    }
}

impl Address {
    /// Parses an address. Values missing from the address are taken from `access`.
    pub(crate) fn read(url: &str, access: &TeamAccess) -> Result<Address, TeamError> {
        let wrong = |why: String| TeamError::Url { why: without_passwords(&why) };
        let parts = Parts::parse(url).map_err(wrong)?;
        let mut config: Config = parts.url.parse().map_err(|e| wrong(cause(&e)))?;
        if config.get_hosts().is_empty() {
            return Err(wrong("it does not name a host".to_owned()));
        }
        if config.get_user().is_none() {
            return Err(wrong("it does not name a user".to_owned()));
        }
        if let Some(options) = config.get_options() {
            return Err(wrong(format!(
                "options={}: secchi sets the options of its connections itself",
                model::clip(options)
            )));
        }
        if let (None, Some(password)) = (config.get_password(), &access.password) {
            config.password(password);
        }
        let (mode, roots) = security(&parts, access, &config).map_err(wrong)?;
        config.ssl_mode(mode.of_driver()).application_name("secchi");
        let tls = tls::connector(mode, roots).map_err(|e| wrong(format!("sslmode: {e}")))?;
        Ok(Address { config, tls, shown: without_passwords(url) })
    }

    /// Sets the connection options: `read_only`, and the statement timeout in seconds.
    pub(crate) fn with_settings(mut self, read_only: bool, seconds: u64) -> Address {
        let read_only = if read_only { "on" } else { "off" };
        let more = format!("-c default_transaction_read_only={read_only} -c statement_timeout={seconds}s");
        self.config.options(format!("{SETTINGS} {more}"));
        self
    }

    /// Returns the name of the store's local directory. The name is the same for every spelling of the store's address.
    pub(crate) fn key(&self) -> String {
        let c = &self.config;
        let text =
            format!("{:?} {:?} {:?} {:?}", c.get_hosts(), c.get_ports(), c.get_dbname().or(c.get_user()), c.get_user());
        hex(&Sha256::digest(text))[..16].to_owned()
    }
}

/// Determines the mode and the root certificates of a connection. By default, TLS is mandatory for servers on other
/// machines, so that no connection to them is unencrypted without notice. For servers on this machine, TLS is used if
/// the server offers it.
fn security(parts: &Parts, access: &TeamAccess, config: &Config) -> Result<(Mode, Option<Roots>), String> {
    let sockets = config.get_hosts().iter().filter(|h| !matches!(h, Host::Tcp(_))).count();
    let far = config.get_hosts().iter().any(|h| matches!(h, Host::Tcp(name) if !is_near(name)));
    let root = parts.sslrootcert.as_ref().or(access.sslrootcert.as_ref()).filter(|r| !r.is_empty());
    let system = root.is_some_and(|r| r == "system");
    let word = parts.sslmode.as_ref().or(access.sslmode.as_ref()).filter(|m| !m.is_empty());
    let mode = match word {
        Some(word) => Mode::read(word).map_err(|e| e.to_string())?,
        None if system => Mode::VerifyFull,
        None if far => Mode::Require,
        None => Mode::Prefer,
    };
    // Data on a Unix domain socket does not leave the machine; like libpq, secchi never encrypts it.
    if sockets == config.get_hosts().len() {
        return Ok((Mode::Disable, None));
    }
    if sockets > 0 && !matches!(mode, Mode::Disable | Mode::Prefer) {
        return Err("its hosts are both sockets and names, and TLS works with names only: use one kind".to_owned());
    }
    if config.get_ssl_negotiation() == SslNegotiation::Direct && matches!(mode, Mode::Disable | Mode::Prefer) {
        return Err("sslnegotiation=direct requires sslmode=require, verify-ca or verify-full".to_owned());
    }
    if mode == Mode::Disable {
        return match &parts.sslrootcert {
            Some(_) => Err("sslrootcert has no effect with sslmode=disable".to_owned()),
            None => Ok((mode, None)),
        };
    }
    if system && mode != Mode::VerifyFull {
        return Err(
            "sslrootcert=system requires sslmode=verify-full: a public authority signs for any server, so the name \
             must be verified too"
                .to_owned(),
        );
    }
    let home = access.root_file.as_deref().filter(|f| f.exists());
    let roots = match root {
        Some(_) if system => Some(Roots::from_system().map_err(|e| format!("sslrootcert=system: {e}"))?),
        Some(file) => Some(Roots::from_file(Path::new(file)).map_err(|e| format!("sslrootcert: {e}"))?),
        None => home.map(Roots::from_file).transpose().map_err(|e| e.to_string())?,
    };
    match roots {
        None if matches!(mode, Mode::VerifyCa | Mode::VerifyFull) => {
            Err("verification needs a root certificate: set its file (sslrootcert=/etc/ssl/db-root.crt, or \
                 ~/.postgresql/root.crt), or use the ones this machine trusts (sslrootcert=system)"
                .to_owned())
        }
        roots => Ok((mode, roots)),
    }
}

/// Returns `true` if packets to `host` do not leave the machine.
fn is_near(host: &str) -> bool {
    let address = host.trim_start_matches('[').trim_end_matches(']').parse::<std::net::IpAddr>();
    host.eq_ignore_ascii_case("localhost") || address.is_ok_and(|a| a.is_loopback())
}

/// Returns the message of the innermost cause.
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
    use tokio_postgres::config::SslMode;

    fn read(url: &str) -> Result<Address, String> {
        Address::read(url, &TeamAccess::default()).map_err(|e| e.to_string())
    }

    fn good(url: &str) -> Address {
        read(url).unwrap_or_else(|e| panic!("{url}: {e}"))
    }

    #[test]
    fn an_address_is_shown_without_its_password_and_names_one_directory() {
        let a = good("postgres://ann:s3cret@localhost/runs");
        assert_eq!(a.shown, "postgres://ann:***@localhost/runs");
        let access = TeamAccess { password: Some("other".into()), ..TeamAccess::default() };
        let b = Address::read("PostgreSQL://ann@localhost/runs?sslmode=disable", &access).expect("an address");
        assert_eq!(a.key(), b.key());
        assert_eq!(b.config.get_password(), Some(&b"other"[..]));
        assert_eq!(a.config.get_password(), Some(&b"s3cret"[..]), "its own comes first");
        assert_ne!(a.key(), good("postgres://ann@localhost/other").key());
    }

    #[test]
    fn a_server_elsewhere_is_spoken_to_in_tls_unless_it_is_said_otherwise() {
        for (url, mode) in [
            ("postgres://ann@localhost/d", SslMode::Prefer),
            ("postgres://ann@[::1]/d", SslMode::Prefer),
            ("postgres://ann@db.example/d", SslMode::Require),
            ("postgres://ann@db.example/d?sslmode=disable", SslMode::Disable),
            ("postgres://ann@db.example/d?connect_timeout=3&sslmode=prefer", SslMode::Prefer),
            ("postgres://ann@db.example/d?ssl%6Dode=require&channel_binding=require", SslMode::Require),
            ("postgres://ann@%2Frun%2Fpg/d?sslmode=require", SslMode::Disable),
            // The password contains text that looks like a query parameter.
            ("postgres://ann:?sslmode=disable@db.example/d", SslMode::Require),
        ] {
            assert_eq!(good(url).config.get_ssl_mode(), mode, "{url}");
        }
        let access = TeamAccess { sslmode: Some("disable".into()), ..TeamAccess::default() };
        let mode = |url: &str| Address::read(url, &access).expect("an address").config.get_ssl_mode();
        assert_eq!(mode("postgres://ann@db.example/d"), SslMode::Disable);
        assert_eq!(mode("postgres://ann@db.example/d?sslmode=require"), SslMode::Require, "its own comes first");
    }

    #[test]
    fn what_cannot_be_done_is_refused_by_name() {
        for (url, needle) in [
            ("postgres://ann:s3cret@h/d?sslmode=allow", "sslmode=allow is not supported"),
            ("postgres://ann:s3cret@h/d?sslmode=verify", "sslmode=verify is unknown; allowed: disable, prefer"),
            ("postgres://ann:s3cret@h/d?sslmode=verify-full", "verification needs a root certificate"),
            ("postgres://ann:s3cret@h/d?sslmode=require&sslrootcert=/nowhere/x", "cannot read /nowhere/x"),
            ("postgres://ann:s3cret@h/d?sslmode=disable&sslrootcert=/nowhere/x", "no effect with sslmode=disable"),
            ("postgres://ann:s3cret@h/d?sslmode=verify-ca&sslrootcert=system", "requires sslmode=verify-full"),
            ("postgres://ann:s3cret@h/d?sslcert=/x", "sslcert"),
            ("postgres://ann:s3cret@localhost/d?sslnegotiation=direct", "requires sslmode=require"),
            ("postgres://ann:s3cret@h,%2Frun/d?sslmode=require", "use one kind"),
            ("postgres:///d?user=ann", "does not name a host"),
            ("postgres://localhost/d", "does not name a user"),
            ("postgres://ann:s3cret@localhost:port/d", "invalid"),
            ("postgres://ann:s3cret@localhost/d?options=-csearch_path%3Dx", "sets the options of its connections"),
        ] {
            let text = match read(url) {
                Err(text) => text,
                Ok(a) => panic!("{}", a.shown),
            };
            assert!(text.contains(needle) && !text.contains("s3cret") && !text.contains('\n'), "{url}: {text}");
        }
    }
}
