//! Other tools' files, read into the nouns of the house: one file per format.
//!
//! What a file does not tell is missing, with the reason; nothing is guessed in its place, and percentiles that another
//! tool computed are never averaged. Stands on `model` alone; opens nothing: bytes come in.

mod civil;
pub mod fio_json;
pub mod m_result;

/// Larger files are not read (`measurement.md` 3.7).
pub const LARGEST: u64 = 256 << 20;

/// Why a file cannot be read as what it was taken for.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ImportError(pub String);
