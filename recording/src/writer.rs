//! Writes a recording while requests come.

use super::columns::{MOST, TICK, encode};
use super::frame::{FrameKind, write_frame, write_head};
use model::{LostRequests, Nanos, RecordedRequest, RecordedTarget, RecordingEnd, RecordingHeader};
use serde::Serialize;
use std::io::{self, Write};

/// Writes a recording. What was handed over and flushed is read again whatever happens later.
#[derive(Debug)]
pub struct RecordingWriter<W> {
    out: W,
    targets: usize,
    requests: u64,
    bytes: u64,
    /// Nanoseconds of the unit of time.
    tick: u64,
}

impl<W: Write> RecordingWriter<W> {
    /// Writes what stands before the first request.
    ///
    /// # Errors
    /// As `out` has them, here and below.
    pub fn begin(mut out: W, header: &RecordingHeader) -> io::Result<Self> {
        write_head(&mut out)?;
        let mut writer = RecordingWriter { out, targets: 0, requests: 0, bytes: 16, tick: TICK };
        writer.write_json(FrameKind::Header, header)?;
        Ok(writer)
    }

    /// Keeps every nanosecond, for times that others measured; they are kept to 100 ns otherwise.
    #[must_use]
    pub const fn keep_nanoseconds(mut self) -> Self {
        self.tick = 1;
        self
    }

    /// Writes the targets, if there are more than before. Requests name them by their place among all.
    ///
    /// # Errors
    /// As above.
    pub fn write_targets(&mut self, targets: &[RecordedTarget]) -> io::Result<()> {
        if targets.len() > self.targets {
            self.targets = targets.len();
            self.write_json(FrameKind::Targets, targets)?;
        }
        Ok(())
    }

    /// Writes requests, in any order. All that were issued before `complete` have been handed over with these; later ones may
    /// still come.
    ///
    /// # Errors
    /// As above.
    pub fn write_requests(&mut self, requests: &mut [RecordedRequest], complete: Nanos) -> io::Result<()> {
        requests.sort_by_key(|r| r.at);
        let mut parts = requests.chunks(MOST).peekable();
        while let Some(part) = parts.next() {
            // Behind all but the last one the next ones are missing.
            let complete = parts.peek().and_then(|next| next.first()).map_or(complete, |next| next.at.min(complete));
            let payload = encode(part, complete, self.tick)?;
            self.bytes += write_frame(&mut self.out, FrameKind::Requests, &payload)?;
            self.requests += part.len() as u64;
        }
        Ok(())
    }

    /// Says that something is missing.
    ///
    /// # Errors
    /// As above.
    pub fn write_lost(&mut self, lost: &LostRequests) -> io::Result<()> {
        self.write_json(FrameKind::Lost, lost)
    }

    /// Hands everything on to where it is written.
    ///
    /// # Errors
    /// As above.
    pub fn flush(&mut self) -> io::Result<&mut W> {
        self.out.flush()?;
        Ok(&mut self.out)
    }

    /// Writes the end; the number of requests is filled in.
    ///
    /// # Errors
    /// As above.
    pub fn end(mut self, end: &RecordingEnd) -> io::Result<W> {
        let end = RecordingEnd { requests: self.requests, ..end.clone() };
        self.write_json(FrameKind::End, &end)?;
        self.out.flush()?;
        Ok(self.out)
    }

    /// Requests written so far.
    #[must_use]
    pub const fn requests(&self) -> u64 {
        self.requests
    }

    /// Bytes written so far.
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
