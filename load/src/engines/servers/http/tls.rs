//! Encrypted connections. Server certificates are checked against the certificates of the system, or not at all
//! (`https=insecure`).

use super::security::Tls;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, ring, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{
    ClientConfig, ClientConnection, DigitallySignedStruct, Error, RootCertStore, SignatureScheme, StreamOwned,
};
use std::io::{self, IoSlice, Read, Write};
use std::net::TcpStream;
use std::sync::Arc;

pub(super) enum Link {
    Plain(TcpStream),
    Encrypted(Box<StreamOwned<ClientConnection, TcpStream>>),
}

impl Read for Link {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        match self {
            Link::Plain(stream) => stream.read(into),
            Link::Encrypted(stream) => stream.read(into),
        }
    }
}

impl Write for Link {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Link::Plain(stream) => stream.write(bytes),
            Link::Encrypted(stream) => stream.write(bytes),
        }
    }

    fn write_vectored(&mut self, pieces: &[IoSlice<'_>]) -> io::Result<usize> {
        match self {
            Link::Plain(stream) => stream.write_vectored(pieces),
            Link::Encrypted(stream) => stream.write_vectored(pieces),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Link::Plain(stream) => stream.flush(),
            Link::Encrypted(stream) => stream.flush(),
        }
    }
}

pub(super) struct Connector {
    config: Option<(Arc<ClientConfig>, ServerName<'static>)>,
}

impl Connector {
    /// Creates a connector. `named` is true if the host includes a port number.
    ///
    /// # Errors
    /// Returns an error if the host name is invalid or the system has no certificates.
    pub(super) fn new(host: &str, named: bool, tls: Tls) -> io::Result<Connector> {
        if tls == Tls::Off {
            return Ok(Connector { config: None });
        }
        let name = if named { host.rsplit_once(':').map_or(host, |(name, _)| name) } else { host };
        let name = name.trim_start_matches('[').trim_end_matches(']').to_owned();
        let name = ServerName::try_from(name).map_err(io::Error::other)?;
        let provider = Arc::new(ring::default_provider());
        let builder = ClientConfig::builder_with_provider(Arc::clone(&provider));
        let builder = builder.with_safe_default_protocol_versions().map_err(io::Error::other)?;
        let config = if tls == Tls::Unchecked {
            let anyone = Arc::new(Anyone(provider));
            builder.dangerous().with_custom_certificate_verifier(anyone).with_no_client_auth()
        } else {
            let mut roots = RootCertStore::empty();
            let loaded = rustls_native_certs::load_native_certs();
            roots.add_parsable_certificates(loaded.certs);
            if roots.is_empty() {
                let cause = loaded.errors.first().map_or_else(String::new, |e| format!(": {e}"));
                return Err(io::Error::other(format!(
                    "this machine has no trusted root certificates to verify the server{cause}"
                )));
            }
            builder.with_root_certificates(roots).with_no_client_auth()
        };
        Ok(Connector { config: Some((Arc::new(config), name)) })
    }

    /// Wraps a connected socket and performs the handshake.
    ///
    /// # Errors
    /// Returns an error if the handshake fails.
    pub(super) fn over(&self, mut stream: TcpStream) -> io::Result<Link> {
        let Some((config, name)) = &self.config else { return Ok(Link::Plain(stream)) };
        let mut connection = ClientConnection::new(Arc::clone(config), name.clone()).map_err(io::Error::other)?;
        while connection.is_handshaking() {
            connection.complete_io(&mut stream)?;
        }
        Ok(Link::Encrypted(Box::new(StreamOwned::new(connection, stream))))
    }
}

/// Verifier that accepts any certificate. It still checks that the server holds the matching private key.
#[derive(Debug)]
struct Anyone(Arc<CryptoProvider>);

impl ServerCertVerifier for Anyone {
    fn verify_server_cert(
        &self,
        _: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls12_signature(message, certificate, signed, &self.0.signature_verification_algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls13_signature(message, certificate, signed, &self.0.signature_verification_algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.signature_verification_algorithms.supported_schemes()
    }
}
