//! Encryption of a connection.

/// Encryption of a connection, with or without a check of the server's certificate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tls {
    /// Unencrypted.
    Off,
    /// Encrypted, with the server's certificate checked.
    #[cfg_attr(not(feature = "https"), expect(dead_code, reason = "refused before it is made"))]
    Checked,
    /// Encrypted, without checking the server's certificate.
    #[cfg_attr(not(feature = "https"), expect(dead_code, reason = "refused before it is made"))]
    Unchecked,
}
