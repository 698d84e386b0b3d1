//! Text output for a verification: first the promises, then an example of each violation.

use super::{LostMarker, LostWrite, Promise, PromiseResult, Verdict, Verification, WriterResult};
use crate::geometry::WriterKind;
use messages::{message, sentence};
use model::{Bytes, Sentence};

/// Formats a Unix time in nanoseconds as `2026-11-26 12:03:04.123 UTC`.
#[must_use]
pub fn instant(ns: u64) -> String {
    let milliseconds = i64::try_from(ns / 1_000_000).unwrap_or(i64::MAX);
    match jiff::Timestamp::from_millisecond(milliseconds) {
        Ok(at) => at.strftime("%Y-%m-%d %H:%M:%S.%3f UTC").to_string(),
        Err(_) => "?".to_owned(),
    }
}

impl Verification {
    /// Returns the lines that are printed on the terminal.
    #[must_use]
    pub fn lines(&self) -> Vec<Sentence> {
        let (run, generation, path) = (self.run.to_string(), self.generation, &self.path);
        let mut lines = vec![sentence!("durable-experiment", run, generation, path, sync = self.sync.name())];
        lines.extend(self.promises.iter().map(|p| self.promise_line(p)));
        lines.extend(self.lost_marker.iter().map(|lost| match lost {
            LostMarker::Directory => sentence!("durable-lost-directory"),
            LostMarker::Older => sentence!("durable-lost-generation"),
            LostMarker::Damaged(reason) => sentence!("durable-lost-marker", why = reason),
        }));
        for writer in &self.writers {
            lines.push(writer_line(writer));
            if writer.unreadable > 0 {
                let (number, bytes) = (writer.writer, Bytes(writer.unreadable).to_string());
                lines.push(sentence!("durable-unreadable", writer = number, bytes));
            }
            let shown = [&writer.data, &writer.size, &writer.names].into_iter().filter_map(|loss| loss.first.as_ref());
            lines.extend(shown.map(lost_line));
            lines.extend(writer.first_torn.iter().map(torn_line));
        }
        lines
    }

    fn promise_line(&self, result: &PromiseResult) -> Sentence {
        let call = self.sync.call();
        let promise = match result.promise {
            Promise::Data => message!("durable-data", sync = call),
            Promise::Order => message!("durable-order"),
            Promise::Size => message!("durable-size", sync = call),
            Promise::Names => message!("durable-names"),
            Promise::Whole => message!("durable-whole", block = Bytes(u64::from(self.block)).to_string()),
        };
        let (n, acknowledged) = (whole(result.broken), whole(result.acknowledged));
        let what = match (result.promise, result.earliest_ns) {
            (Promise::Order, _) => message!("durable-broken-order", n),
            (Promise::Whole, _) => message!("durable-broken-torn", n),
            (_, Some(ns)) => message!("durable-broken-since", n, acknowledged, time = instant(ns)),
            (_, None) => message!("durable-broken-lost", n, acknowledged),
        };
        match result.verdict {
            Verdict::Kept => sentence!("durable-kept", promise, n = whole(result.tested)),
            Verdict::NotTested => sentence!("durable-not-tested", promise),
            Verdict::Broken => sentence!("durable-broken", promise, what),
        }
    }
}

/// Formats a count with its digits in groups of three.
#[must_use]
pub fn whole(n: u64) -> String {
    // `thousands` would add decimals to numbers below a thousand.
    if n < 1000 { n.to_string() } else { model::units::thousands(n as f64) }
}

fn writer_line(w: &WriterResult) -> Sentence {
    let kind = match w.kind {
        WriterKind::Blocks => message!("durable-kind-blocks"),
        WriterKind::Append => message!("durable-kind-append"),
        WriterKind::Names => message!("durable-kind-names"),
    };
    let (writer, acknowledged, newest) = (w.writer, w.acknowledged, w.newest);
    sentence!("durable-writer", writer, kind, acknowledged, newest, promised = w.proven, compared = w.compared)
}

fn lost_line(lost: &LostWrite) -> Sentence {
    let (file, at, expected) = (&lost.file, lost.offset, lost.expected);
    let contents = match lost.found {
        Some(found) => message!("durable-found", found),
        None => message!("durable-found-nothing"),
    };
    match lost.acknowledged_ns {
        Some(ns) => sentence!("durable-lost-since", file, at, expected, found = contents, time = instant(ns)),
        None => sentence!("durable-lost", file, at, expected, found = contents),
    }
}

fn torn_line(torn: &LostWrite) -> Sentence {
    let (file, at, new) = (&torn.file, torn.offset, torn.expected);
    sentence!("durable-torn", file, at, new, old = torn.found.unwrap_or(0))
}
