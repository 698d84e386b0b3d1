//! Recordings: what was asked of storage, request by request.
//!
//! [`RecordingWriter`] writes the file (`.sqio`) while requests come, [`RecordingReader`] gives them back in the order in which
//! they were issued. What the numbers mean is said by the nouns in `model` ([`model::RecordedRequest`]); the form of the file
//! stands in `frame.rs` and `columns.rs`, that of earlier files in `first_form.rs`. No file is opened here: whoever calls hands over what is written to or read from.

mod columns;
mod first_form;
mod frame;
mod numbers;
mod reader;
mod writer;

pub use frame::RecordingError;
pub use reader::RecordingReader;
pub use writer::RecordingWriter;
