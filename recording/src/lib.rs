//! Recordings: I/O requests to storage, one by one.
//!
//! [`RecordingWriter`] writes the file (`.sqio`) while requests are recorded, and [`RecordingReader`] returns them in
//! the order in which they were issued. The fields are documented in `model` ([`model::recording::RecordedRequest`]), the file
//! format in `frame.rs` and `columns.rs`. This crate opens no files: the caller passes the reader or writer.

mod columns;
mod frame;
mod numbers;
mod reader;
mod writer;

pub use frame::RecordingError;
pub use reader::RecordingReader;
pub use writer::RecordingWriter;
