//! TLS to a team's store, as libpq's `sslmode` and `sslrootcert` ask for it (PostgreSQL documentation, "SSL Support").
//!
//! Whoever only encrypts (`require`, without a root certificate) believes any certificate, but the server must have its
//! key: else channel binding would bind to nothing.

use crate::os;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::client::{verify_server_cert_signed_by_trust_anchor, verify_server_name};
use rustls::crypto::{CryptoProvider, ring, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::pem::{self, PemObject};
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::server::ParsedCertificate;
use rustls::{CertificateError, ClientConfig, DigitallySignedStruct, Error, RootCertStore, SignatureScheme};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio_postgres_rustls::MakeRustlsConnect;
use x509_cert::Certificate;
use x509_cert::der::asn1::ObjectIdentifier;
use x509_cert::der::{Decode, Tag, Tagged};
use x509_cert::ext::pkix::SubjectAltName;
use x509_cert::ext::pkix::name::GeneralName;

/// Largest file of certificates, in bytes.
const CERTIFICATES: u64 = 4 << 20;

/// Modes there are, by name.
const MODES: [&str; 5] = ["disable", "prefer", "require", "verify-ca", "verify-full"];

/// Why a connection cannot be secured as it is asked for.
#[derive(Debug, thiserror::Error)]
pub(crate) enum TlsError {
    /// The mode `allow`, which is libpq's and not offered.
    #[error("sslmode=allow: it encrypts only after a refusal without, which nobody gains by: say prefer or require")]
    Allow,
    /// There is no mode of this name.
    #[error("sslmode={}: there are {}{}", model::clip(.0), MODES.join(", "), nearest_mode(.0))]
    NoMode(String),
    /// The file of root certificates cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    Unread {
        /// The file.
        path: PathBuf,
        /// What the system answered.
        source: io::Error,
    },
    /// The file has something else in it.
    #[error("{} is no certificate in PEM form: {source}", path.display())]
    NoPem {
        /// The file.
        path: PathBuf,
        /// What was found wrong.
        source: pem::Error,
    },
    /// The file has no certificate in it.
    #[error("{} holds no certificate in PEM form", .0.display())]
    NoCertificate(PathBuf),
    /// A certificate of the file cannot be a root.
    #[error("a certificate in {} cannot be used: {source}", path.display())]
    Unusable {
        /// The file.
        path: PathBuf,
        /// What was found wrong.
        source: Error,
    },
    /// The machine trusts nobody.
    #[error("this machine has no certificates that it trusts (Debian's package is ca-certificates)")]
    NoneTrusted,
    /// The library cannot be set up.
    #[error(transparent)]
    Library(#[from] Error),
}

/// `; did you mean ...?`, if a mode has a name like it.
fn nearest_mode(word: &str) -> String {
    model::nearest(word, MODES).map(|n| format!("; did you mean `{n}`?")).unwrap_or_default()
}

/// What is asked of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    /// No TLS.
    Disable,
    /// TLS where the server offers it.
    Prefer,
    /// TLS, whoever the server is.
    Require,
    /// A server whose certificate is signed by one of the roots.
    VerifyCa,
    /// And which is the one that was named.
    VerifyFull,
}

impl Mode {
    pub(crate) fn read(word: &str) -> Result<Mode, TlsError> {
        match word {
            "disable" => Ok(Mode::Disable),
            "prefer" => Ok(Mode::Prefer),
            "require" => Ok(Mode::Require),
            "verify-ca" => Ok(Mode::VerifyCa),
            "verify-full" => Ok(Mode::VerifyFull),
            "allow" => Err(TlsError::Allow),
            other => Err(TlsError::NoMode(other.to_owned())),
        }
    }

    /// As the driver is told: what is verified it leaves to us.
    pub(crate) fn of_driver(self) -> tokio_postgres::config::SslMode {
        use tokio_postgres::config::SslMode;
        match self {
            Mode::Disable => SslMode::Disable,
            Mode::Prefer => SslMode::Prefer,
            Mode::Require | Mode::VerifyCa | Mode::VerifyFull => SslMode::Require,
        }
    }
}

/// Certificates that are believed.
#[derive(Debug, Clone)]
pub(crate) struct Roots {
    store: RootCertStore,
    /// As they stand: a server may show one of them itself.
    own: Vec<CertificateDer<'static>>,
}

impl Roots {
    /// Those of a file in PEM form. The error says why there are none.
    pub(crate) fn from_file(path: &Path) -> Result<Roots, TlsError> {
        let text = os::read_bounded(path, CERTIFICATES)
            .map_err(|source| TlsError::Unread { path: path.to_owned(), source })?;
        let found: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(&text).collect();
        let own = found.map_err(|source| TlsError::NoPem { path: path.to_owned(), source })?;
        if own.is_empty() {
            return Err(TlsError::NoCertificate(path.to_owned()));
        }
        let mut store = RootCertStore::empty();
        for certificate in &own {
            store.add(certificate.clone()).map_err(|source| TlsError::Unusable { path: path.to_owned(), source })?;
        }
        Ok(Roots { store, own })
    }

    /// Those the machine trusts.
    pub(crate) fn from_system() -> Result<Roots, TlsError> {
        let found = rustls_native_certs::load_native_certs();
        let mut store = RootCertStore::empty();
        store.add_parsable_certificates(found.certs);
        match store.is_empty() {
            true => Err(TlsError::NoneTrusted),
            false => Ok(Roots { store, own: Vec::new() }),
        }
    }
}

/// What makes connections of a mode; without `roots` nothing is verified but that the server has its key.
///
/// # Errors
/// When the library cannot be set up.
pub(crate) fn connector(mode: Mode, roots: Option<Roots>) -> Result<MakeRustlsConnect, TlsError> {
    let provider = Arc::new(ring::default_provider());
    let verifier = Verifier { provider: Arc::clone(&provider), roots, name: mode == Mode::VerifyFull };
    let mut config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()?
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(verifier))
        .with_no_client_auth();
    // Servers that are spoken to in TLS from the first byte (sslnegotiation=direct) want to hear it.
    config.alpn_protocols = vec![b"postgresql".to_vec()];
    Ok(MakeRustlsConnect::new(config))
}

#[derive(Debug)]
struct Verifier {
    provider: Arc<CryptoProvider>,
    roots: Option<Roots>,
    name: bool,
}

impl ServerCertVerifier for Verifier {
    fn verify_server_cert(
        &self,
        shown: &CertificateDer<'_>,
        between: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        _: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        let Some(roots) = &self.roots else { return Ok(ServerCertVerified::assertion()) };
        let parsed = ParsedCertificate::try_from(shown)?;
        // A certificate that signed itself, and was handed out as its own root.
        if roots.own.iter().any(|root| root.as_ref() == shown.as_ref()) {
            valid(shown, now)?;
        } else {
            let known = self.provider.signature_verification_algorithms.all;
            verify_server_cert_signed_by_trust_anchor(&parsed, &roots.store, between, now, known)?;
        }
        if self.name
            && let Err(error) = verify_server_name(&parsed, name)
            && !is_common_name(shown, &name.to_str())
        {
            return Err(error);
        }
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        shown: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls12_signature(message, shown, signed, &self.provider.signature_verification_algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        shown: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls13_signature(message, shown, signed, &self.provider.signature_verification_algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}

fn read(shown: &CertificateDer<'_>) -> Option<Certificate> {
    Certificate::from_der(shown.as_ref()).ok()
}

/// Whether it is neither of yesterday nor of tomorrow.
fn valid(shown: &CertificateDer<'_>, now: UnixTime) -> Result<(), Error> {
    let certificate = read(shown).ok_or(CertificateError::BadEncoding)?;
    let validity = certificate.tbs_certificate.validity;
    let (from, until) = (validity.not_before.to_unix_duration(), validity.not_after.to_unix_duration());
    match now.as_secs() {
        now if now < from.as_secs() => Err(CertificateError::NotValidYet.into()),
        now if now > until.as_secs() => Err(CertificateError::Expired.into()),
        _ => Ok(()),
    }
}

const COMMON_NAME: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.5.4.3");

/// Whether the certificate has no alternative names, and its common name is this one: as libpq does it, for the
/// certificates that PostgreSQL's documentation has people make.
fn is_common_name(shown: &CertificateDer<'_>, host: &str) -> bool {
    let Some(certificate) = read(shown) else { return false };
    let tbs = certificate.tbs_certificate;
    let named = |name: &GeneralName| matches!(name, GeneralName::DnsName(_) | GeneralName::IpAddress(_));
    match tbs.get::<SubjectAltName>() {
        Ok(None) => {}
        Ok(Some((_, names))) if !names.0.iter().any(named) => {}
        _ => return false,
    }
    let words = [Tag::Utf8String, Tag::PrintableString, Tag::Ia5String, Tag::TeletexString];
    let mut attributes = tbs.subject.0.iter().flat_map(|part| part.0.iter());
    let name = attributes.find(|a| a.oid == COMMON_NAME && words.contains(&a.value.tag()));
    name.and_then(|a| std::str::from_utf8(a.value.value()).ok()).is_some_and(|name| is_name(name, host))
}

/// `*.example.com` is every name with one word before that; what libpq takes, no more.
fn is_name(pattern: &str, host: &str) -> bool {
    let host = host.trim_end_matches('.');
    match pattern.strip_prefix("*.") {
        None => pattern.eq_ignore_ascii_case(host),
        Some(rest) => {
            let address = host.parse::<std::net::IpAddr>().is_ok();
            !address && host.split_once('.').is_some_and(|(word, of)| !word.is_empty() && of.eq_ignore_ascii_case(rest))
        }
    }
}

/// What is wrong with a handshake, in one clause.
pub(crate) fn why(error: &Error) -> String {
    let Error::InvalidCertificate(wrong) = error else { return error.to_string() };
    let text = wrong.to_string();
    match wrong {
        CertificateError::UnknownIssuer => {
            "its certificate is signed by none of those in sslrootcert; ask its owner for the root certificate".into()
        }
        CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
            format!("its certificate is another's ({text}); name it as the certificate does")
        }
        CertificateError::Expired | CertificateError::ExpiredContext { .. } => {
            format!("its certificate is no longer valid ({text})")
        }
        CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => {
            format!("its certificate is not valid yet ({text}); is the clock right?")
        }
        _ if text.contains("UnsupportedCertVersion") => {
            "its certificate is of X.509 version 1, which is not read here: have one made with extensions".into()
        }
        _ => format!("its certificate cannot be believed: {text}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_held_against_each_other_as_libpq_does() {
        for (pattern, host) in [
            ("db.example", "DB.example"),
            ("db.example", "db.example."),
            ("*.example.com", "db.example.com"),
            ("192.0.2.7", "192.0.2.7"),
        ] {
            assert!(is_name(pattern, host), "{pattern} {host}");
        }
        for (pattern, host) in [
            ("*.example.com", "a.db.example.com"),
            ("*.example.com", "example.com"),
            ("*.example.com", ".example.com"),
            ("*", "db"),
            ("d*.example.com", "db.example.com"),
            ("*.0.2.7", "192.0.2.7"),
            ("", "db"),
        ] {
            assert!(!is_name(pattern, host), "{pattern} {host}");
        }
    }

    #[test]
    fn modes_are_known_by_name_and_others_refused_with_the_nearest() {
        assert!(matches!(Mode::read("verify-full"), Ok(Mode::VerifyFull)));
        let unknown = Mode::read("verify-al").expect_err("no mode").to_string();
        assert!(unknown.contains("verify-full") && unknown.contains("did you mean"), "{unknown}");
        assert!(matches!(Mode::read("allow"), Err(TlsError::Allow)));
    }

    #[test]
    fn a_file_that_is_no_root_certificate_is_said_to_be_none() {
        let missing = Roots::from_file(Path::new("/nowhere/root.crt")).expect_err("missing").to_string();
        assert!(missing.contains("cannot read /nowhere/root.crt"), "{missing}");
        let here = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml"));
        let none = Roots::from_file(here).expect_err("no PEM").to_string();
        assert!(none.contains("Cargo.toml holds no certificate"), "{none}");
    }
}
