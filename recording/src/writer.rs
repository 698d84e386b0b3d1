//! Writer of a recording, used while requests are recorded.

use super::columns::{MOST, TICK, encode};
use super::frame::{FrameKind, write_frame, write_head};
use model::Nanos;
use model::recording::{LostRequests, RecordedRequest, RecordedTarget, RecordingEnd, RecordingHeader};
use serde::Serialize;
use std::io::{self, Write};

/// Writer of a recording. Requests that were written and flushed remain readable if the program is stopped later.
#[derive(Debug)]
pub struct RecordingWriter<W> {
    out: W,
    targets: usize,
    requests: u64,
    bytes: u64,
    /// Unit of time, in nanoseconds.
    tick: u64,
}

impl<W: Write> RecordingWriter<W> {
    /// Writes the data before the first request.
    ///
    /// # Errors
    /// Returns an error if writing to `out` fails.
    pub fn begin(mut out: W, header: &RecordingHeader) -> io::Result<Self> {
        write_head(&mut out)?;
        let mut writer = RecordingWriter { out, targets: 0, requests: 0, bytes: 16, tick: TICK };
        writer.write_json(FrameKind::Header, header)?;
        Ok(writer)
    }

    /// Stores times with a resolution of 1 ns instead of the default of 100 ns. Used for times from other tools.
    #[must_use]
    pub const fn keep_nanoseconds(mut self) -> Self {
        self.tick = 1;
        self
    }

    /// Writes the targets if targets were added since the last call. Requests refer to them by index.
    ///
    /// # Errors
    /// Returns an error if the underlying writer fails.
    pub fn write_targets(&mut self, targets: &[RecordedTarget]) -> io::Result<()> {
        if targets.len() > self.targets {
            self.targets = targets.len();
            self.write_json(FrameKind::Targets, targets)?;
        }
        Ok(())
    }

    /// Writes requests in any order. All requests issued before `complete` must be among `requests` or have been
    /// written earlier. Requests issued later may still follow.
    ///
    /// # Errors
    /// Returns an error if the underlying writer fails.
    pub fn write_requests(&mut self, requests: &mut [RecordedRequest], complete: Nanos) -> io::Result<()> {
        requests.sort_by_key(|r| r.at);
        let mut parts = requests.chunks(MOST).peekable();
        while let Some(part) = parts.next() {
            // After every part but the last, the recording is complete only up to the first request of the next part.
            let complete = parts.peek().and_then(|next| next.first()).map_or(complete, |next| next.at.min(complete));
            let payload = encode(part, complete, self.tick)?;
            self.bytes += write_frame(&mut self.out, FrameKind::Requests, &payload)?;
            self.requests += part.len() as u64;
        }
        Ok(())
    }

    /// Records that requests were lost.
    ///
    /// # Errors
    /// Returns an error if the underlying writer fails.
    pub fn write_lost(&mut self, lost: &LostRequests) -> io::Result<()> {
        self.write_json(FrameKind::Lost, lost)
    }

    /// Flushes the underlying writer and returns it.
    ///
    /// # Errors
    /// Returns an error if the underlying writer fails.
    pub fn flush(&mut self) -> io::Result<&mut W> {
        self.out.flush()?;
        Ok(&mut self.out)
    }

    /// Writes the end frame, with the number of requests filled in.
    ///
    /// # Errors
    /// Returns an error if the underlying writer fails.
    pub fn end(mut self, end: &RecordingEnd) -> io::Result<W> {
        let end = RecordingEnd { requests: self.requests, ..end.clone() };
        self.write_json(FrameKind::End, &end)?;
        self.out.flush()?;
        Ok(self.out)
    }

    /// Returns the number of requests written so far.
    #[must_use]
    pub const fn requests(&self) -> u64 {
        self.requests
    }

    /// Returns the number of bytes written so far.
    #[must_use]
    pub const fn bytes(&self) -> u64 {
        self.bytes
    }

    fn write_json<T: Serialize + ?Sized>(&mut self, kind: FrameKind, value: &T) -> io::Result<()> {
        let payload = serde_json::to_vec(value).map_err(io::Error::other)?;
        self.bytes += write_frame(&mut self.out, kind, &payload)?;
        Ok(())
    }
}
