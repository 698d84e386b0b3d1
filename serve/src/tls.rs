//! TLS with the user's certificate and key.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::{Error as PemError, PemObject};
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::rustls::{self, ServerConfig};

/// Certificate chain and private key, ready for use.
#[derive(Clone)]
pub struct Tls(pub(crate) TlsAcceptor);

impl std::fmt::Debug for Tls {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Tls(..)")
    }
}

/// Error from reading a certificate or key.
#[derive(Debug, thiserror::Error)]
pub enum TlsError {
    /// The file cannot be read.
    #[error("cannot read {}: {why}", path.display())]
    Read {
        /// Path of the file.
        path: PathBuf,
        /// The reason, as a phrase that follows a colon.
        why: String,
    },
    /// The file contains no certificate or key.
    #[error("{} does not contain a {what} in PEM format: {why}", path.display())]
    Pem {
        /// Path of the file.
        path: PathBuf,
        /// Missing item: `certificate` or `private key`.
        what: &'static str,
        /// The reason, as a phrase that follows a colon.
        why: String,
    },
    /// The certificate and key do not match, or their type is no longer supported.
    #[error("the certificate in {} cannot be used with the key in {}: {why}", certificate.display(), key.display())]
    Unfit {
        /// Path of the certificate file.
        certificate: PathBuf,
        /// Path of the key file.
        key: PathBuf,
        /// Error returned by the TLS library.
        why: rustls::Error,
    },
}

impl Tls {
    /// Reads the certificates and the key from PEM files. `read` opens and reads a file, so the caller controls which
    /// files may be opened and how much of them is read.
    ///
    /// # Errors
    /// Returns an error if a file cannot be read or contains no certificate or key, or if the certificate and key do
    /// not match.
    pub fn read(
        certificate: &Path,
        key: &Path,
        read: impl Fn(&Path) -> Result<Vec<u8>, String>,
    ) -> Result<Tls, TlsError> {
        let bytes = |path: &Path| read(path).map_err(|error| TlsError::Read { path: path.to_owned(), why: error });
        let pem =
            |path: &Path, what, error: PemError| TlsError::Pem { path: path.to_owned(), what, why: error.to_string() };
        let chain = CertificateDer::pem_slice_iter(&bytes(certificate)?)
            .collect::<Result<Vec<_>, _>>()
            .and_then(|chain| if chain.is_empty() { Err(PemError::NoItemsFound) } else { Ok(chain) })
            .map_err(|e| pem(certificate, "certificate", e))?;
        let secret = PrivateKeyDer::from_pem_slice(&bytes(key)?).map_err(|e| pem(key, "private key", e))?;
        let unfit = |error| TlsError::Unfit { certificate: certificate.to_owned(), key: key.to_owned(), why: error };
        let mut config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .map_err(unfit)?
            .with_no_client_auth()
            .with_single_cert(chain, secret)
            .map_err(unfit)?;
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        Ok(Tls(TlsAcceptor::from(Arc::new(config))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn whole(path: &Path) -> Result<Vec<u8>, String> {
        std::fs::read(path).map_err(|e| e.to_string())
    }

    #[test]
    fn what_is_no_certificate_is_said_with_its_file() {
        let missing =
            Tls::read(Path::new("/nowhere/cert.pem"), Path::new("/nowhere/key.pem"), whole).expect_err("missing");
        assert!(missing.to_string().contains("cannot read /nowhere/cert.pem"), "{missing}");
        let here = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml"));
        let wrong = Tls::read(here, here, whole).expect_err("no PEM").to_string();
        assert!(wrong.contains("Cargo.toml does not contain a certificate in PEM format"), "{wrong}");
    }
}
