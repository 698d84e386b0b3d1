//! Recordings: what was asked of storage, request by request.
//!
//! [`RecordingWriter`] writes the file (`.sqio`) while requests come, [`RecordingReader`] gives them back in the order in which
//! they were issued. What the numbers mean is said by the nouns in `model` ([`model::RecordedRequest`]); the format
//! of the file is documented in `frame.rs` and `columns.rs`. No file is opened here: the caller passes what is written to or read from.

mod columns;
mod frame;
mod numbers;
mod reader;
mod writer;

pub use frame::RecordingError;
pub use reader::RecordingReader;
pub use writer::RecordingWriter;
