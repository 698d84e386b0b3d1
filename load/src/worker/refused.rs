//! Reasons why a worker cannot run its job.

/// Unsupported job or combination of options.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    /// Two options that cannot be combined.
    #[error("{what} cannot be combined with {with}: {advice}")]
    Together {
        /// First option.
        what: &'static str,
        /// Second option.
        with: &'static str,
        /// Advice to the user.
        advice: &'static str,
    },
    /// Blocks are too small to be verified.
    #[error("{0}; make blocks or the interval larger")]
    NoRoom(String),
}
