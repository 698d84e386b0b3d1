//! Why a worker cannot do what its job asks.

/// What cannot be done together.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    /// Two wishes.
    #[error("{what} cannot be combined with {with}: {advice}")]
    Together {
        /// What was asked.
        what: &'static str,
        /// What does not go with it.
        with: &'static str,
        /// What to do.
        advice: &'static str,
    },
    /// Blocks that cannot be checked so.
    #[error("{0}; make blocks or the interval larger")]
    NoRoom(String),
    /// Zones that the job cannot work in so.
    #[error("{0}")]
    Zones(String),
}
