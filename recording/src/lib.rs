//! Recordings: I/O requests to storage, one by one.
//!
//! [`RecordingWriter`] writes the file (`.sqio`) while requests are recorded, and [`RecordingReader`] returns them in
//! the order in which they were issued. The fields are documented in `model` ([`model::recording::RecordedRequest`]), the file
//! format in `frame.rs` and `columns.rs`. This crate opens no files: the caller passes the reader or writer.
//!
//! # Example
//!
//! ```
//! use model::{Nanos, measured::RequestKind, recording::*};
//! use recording::{RecordingReader, RecordingWriter};
//!
//! let (at, latency) = (Nanos::from_millis(3), Some(Nanos::from_micros(250)));
//! let (kind, flags) = (RequestKind::Read, RequestFlags::default());
//! let request = RecordedRequest { at, latency, target: 0, kind, flags, offset: 1 << 20, bytes: 8192 };
//!
//! let header = RecordingHeader { has_latency: true, ..RecordingHeader::default() };
//! let mut writer = RecordingWriter::begin(Vec::new(), &header)?;
//! writer.write_targets(&[RecordedTarget { role: "data".to_owned(), ..RecordedTarget::default() }])?;
//! writer.write_requests(&mut [request], Nanos::from_secs(1))?;
//! let file = writer.end(&RecordingEnd { length: Nanos::from_secs(1), ..RecordingEnd::default() })?;
//!
//! let reader = RecordingReader::begin(file.as_slice())?;
//! assert_eq!(reader.collect::<Vec<_>>(), [request]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod columns;
mod frame;
mod numbers;
mod reader;
mod writer;

pub use frame::RecordingError;
pub use reader::RecordingReader;
pub use writer::RecordingWriter;
