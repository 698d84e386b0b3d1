//! Whether and how a connection is encrypted.

/// Whether and how the connection is encrypted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tls {
    /// The connection is not encrypted.
    Off,
    /// Encrypted, the server's certificate checked.
    #[cfg_attr(not(feature = "https"), expect(dead_code, reason = "refused before it is made"))]
    Checked,
    /// Encrypted, whoever the server is.
    #[cfg_attr(not(feature = "https"), expect(dead_code, reason = "refused before it is made"))]
    Unchecked,
}
