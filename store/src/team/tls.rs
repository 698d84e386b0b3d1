//! TLS connections to a team's store, configured by libpq's `sslmode` and `sslrootcert` (PostgreSQL documentation, "SSL
//! Support").
//!
//! With `require` and no root certificate, any certificate is accepted. The server must still prove that it holds the
//! certificate's private key, because otherwise channel binding would have no effect.

use crate::os;
use model::units::suggestion;
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
use strum::{EnumString, VariantNames};
use tokio_postgres_rustls::MakeRustlsConnect;
use x509_cert::Certificate;
use x509_cert::der::asn1::ObjectIdentifier;
use x509_cert::der::{Decode, Tag, Tagged};
use x509_cert::ext::pkix::SubjectAltName;
use x509_cert::ext::pkix::name::GeneralName;

/// Maximum size of a certificate file, in bytes.
const CERTIFICATES: u64 = 4 << 20;

/// Reason why a connection cannot be secured as requested.
#[derive(Debug, thiserror::Error)]
pub(crate) enum TlsError {
    /// The mode is `allow`, which libpq supports but secchi does not.
    #[error(
        "sslmode=allow is not supported, because it encrypts only if an unencrypted connection is refused: use prefer \
         or require"
    )]
    Allow,
    /// There is no mode with this name.
    #[error(
        "sslmode={} is unknown; allowed: {}{}",
        model::clip(.0),
        Mode::VARIANTS.join(", "),
        suggestion(.0, Mode::VARIANTS.iter().copied())
    )]
    NoMode(String),
    /// The file of root certificates cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    Unread {
        /// Path of the file.
        path: PathBuf,
        /// Error that the system reported.
        source: io::Error,
    },
    /// The file is not in PEM format.
    #[error("{} is not a certificate in PEM format: {source}", path.display())]
    NoPem {
        /// Path of the file.
        path: PathBuf,
        /// Error from the parser.
        source: pem::Error,
    },
    /// The file contains no certificate.
    #[error("{} does not contain a certificate in PEM format", .0.display())]
    NoCertificate(PathBuf),
    /// A certificate in the file cannot be used as a root certificate.
    #[error("a certificate in {} cannot be used: {source}", path.display())]
    Unusable {
        /// Path of the file.
        path: PathBuf,
        /// Error from the TLS library.
        source: Error,
    },
    /// The system has no trusted root certificates.
    #[error("this machine has no trusted root certificates (on Debian, install ca-certificates)")]
    NoneTrusted,
    /// The TLS library cannot be initialized.
    #[error(transparent)]
    Library(#[from] Error),
}

/// Requested security of a connection (`sslmode`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, EnumString, VariantNames)]
#[strum(serialize_all = "kebab-case")]
pub(crate) enum Mode {
    /// Connection without TLS.
    Disable,
    /// TLS if the server offers it.
    Prefer,
    /// TLS without verification of the server's identity.
    Require,
    /// TLS with a certificate signed by one of the roots.
    VerifyCa,
    /// TLS with a certificate that is signed by one of the roots and matches the host name.
    VerifyFull,
}

impl Mode {
    pub(crate) fn read(word: &str) -> Result<Mode, TlsError> {
        match word {
            "allow" => Err(TlsError::Allow),
            other => other.parse().map_err(|_| TlsError::NoMode(other.to_owned())),
        }
    }

    /// Returns the corresponding mode of the driver. The driver leaves verification to [`Verifier`].
    pub(crate) fn of_driver(self) -> tokio_postgres::config::SslMode {
        use tokio_postgres::config::SslMode;
        match self {
            Mode::Disable => SslMode::Disable,
            Mode::Prefer => SslMode::Prefer,
            Mode::Require | Mode::VerifyCa | Mode::VerifyFull => SslMode::Require,
        }
    }
}

/// Trusted root certificates.
#[derive(Debug, Clone)]
pub(crate) struct Roots {
    store: RootCertStore,
    /// Certificates as stored in the file. They are kept because a server may present one of them as its own
    /// certificate.
    own: Vec<CertificateDer<'static>>,
}

impl Roots {
    /// Reads root certificates from a file in PEM format.
    pub(crate) fn from_file(path: &Path) -> Result<Roots, TlsError> {
        let text = os::read_bounded(path, CERTIFICATES)
            .map_err(|source| TlsError::Unread { path: path.to_owned(), source })?;
        let parsed: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(&text).collect();
        let certificates = parsed.map_err(|source| TlsError::NoPem { path: path.to_owned(), source })?;
        if certificates.is_empty() {
            return Err(TlsError::NoCertificate(path.to_owned()));
        }
        let mut store = RootCertStore::empty();
        for certificate in &certificates {
            store.add(certificate.clone()).map_err(|source| TlsError::Unusable { path: path.to_owned(), source })?;
        }
        Ok(Roots { store, own: certificates })
    }

    /// Returns the root certificates that the system trusts.
    pub(crate) fn from_system() -> Result<Roots, TlsError> {
        let loaded = rustls_native_certs::load_native_certs();
        let mut store = RootCertStore::empty();
        store.add_parsable_certificates(loaded.certs);
        match store.is_empty() {
            true => Err(TlsError::NoneTrusted),
            false => Ok(Roots { store, own: Vec::new() }),
        }
    }
}

/// Returns a TLS connector for a mode. Without `roots`, the connector only verifies that the server holds the private
/// key of its certificate.
///
/// # Errors
/// Returns an error if the library cannot be initialized.
pub(crate) fn connector(mode: Mode, roots: Option<Roots>) -> Result<MakeRustlsConnect, TlsError> {
    let provider = Arc::new(ring::default_provider());
    let verifier = Verifier { provider: Arc::clone(&provider), roots, name: mode == Mode::VerifyFull };
    let mut config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()?
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(verifier))
        .with_no_client_auth();
    // Servers that use TLS from the first byte (sslnegotiation=direct) require ALPN.
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
        // The server presents a self-signed certificate that is also listed as a root.
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

/// Checks the certificate's period of validity.
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

/// Returns `true` if the certificate has no alternative names and its common name matches `host`. libpq does the same,
/// to support certificates created as in PostgreSQL's documentation.
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

/// Returns `true` if `host` matches `pattern`. `*.example.com` matches any single label before `.example.com`; libpq
/// supports no other wildcards.
fn is_name(pattern: &str, host: &str) -> bool {
    let host = host.trim_end_matches('.');
    match pattern.strip_prefix("*.") {
        None => pattern.eq_ignore_ascii_case(host),
        Some(rest) => {
            let address = host.parse::<std::net::IpAddr>().is_ok();
            !address
                && host
                    .split_once('.')
                    .is_some_and(|(word, domain)| !word.is_empty() && domain.eq_ignore_ascii_case(rest))
        }
    }
}

/// Returns the reason for a failed handshake, in one clause.
pub(crate) fn why(error: &Error) -> String {
    let Error::InvalidCertificate(wrong) = error else { return error.to_string() };
    let text = wrong.to_string();
    match wrong {
        CertificateError::UnknownIssuer => {
            "its certificate is not signed by a root certificate in sslrootcert; ask its owner for the root certificate"
                .into()
        }
        CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
            format!("its certificate is for another host name ({text}); use the name in the certificate")
        }
        CertificateError::Expired | CertificateError::ExpiredContext { .. } => {
            format!("its certificate is no longer valid ({text})")
        }
        CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => {
            format!("its certificate is not valid yet ({text}); is the clock right?")
        }
        _ if text.contains("UnsupportedCertVersion") => {
            "its certificate has X.509 version 1, which is not supported: create one with X.509 version 3".into()
        }
        _ => format!("its certificate cannot be verified: {text}"),
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
        assert!(none.contains("Cargo.toml does not contain a certificate"), "{none}");
    }
}
