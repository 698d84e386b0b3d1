//! The process of a session: it loads the engine and serves requests until its standard input ends. It has one thread
//! and never forks.

use super::wire::{Reader, Verb, begin, receive, send, write_result};
use load::session::BatchResult;
use std::io::{self, Read, Write};
use std::path::Path;
use std::time::Instant;
use sys::mumps::{MEngine, MEntry, MReturns};

/// Name of the routine with the entry points.
pub const ROUTINE: &str = "secchises";
/// Text of the routine.
pub const ROUTINE_TEXT: &[u8] = embed::packed!("secchises.m");

/// Entry points of the routine. The constants below are the indexes of the entries for batches.
const ENTRIES: [(&str, MReturns); 18] = [
    ("stage", MReturns::Number),
    ("commit", MReturns::Number),
    ("alone", MReturns::Number),
    ("read", MReturns::Number),
    ("scan", MReturns::Number),
    ("took", MReturns::Number),
    ("missing", MReturns::Number),
    ("empty", MReturns::Number),
    ("count", MReturns::Number),
    ("size", MReturns::Number),
    ("resize", MReturns::Number),
    ("epoch", MReturns::Number),
    ("stat", MReturns::Text),
    ("blocks", MReturns::Text),
    ("version", MReturns::Text),
    ("node", MReturns::Number),
    ("indexed", MReturns::Number),
    ("journal", MReturns::Text),
];
const STAGE: usize = 0;
const COMMIT: usize = 1;
const ALONE: usize = 2;
const READ: usize = 3;
const SCAN: usize = 4;
const TOOK: usize = 5;
const MISSING: usize = 6;
const NODE: usize = 15;

/// Serves requests with `library` on these pipes until the input ends. With `durable`, a commit returns once it is
/// durable. Each update maintains `indexes` secondary indexes.
///
/// # Errors
/// Returns an error if a pipe is broken. The engine's errors are sent over the pipe and end the service.
pub fn serve(
    library: &Path,
    durable: bool,
    indexes: u32,
    input: &mut dyn Read,
    output: &mut dyn Write,
) -> io::Result<()> {
    let (mut input, mut output) = (input, output);
    let mut frame = Vec::new();
    let table: Vec<_> = ENTRIES.iter().map(|(name, returns)| (*name, ROUTINE, *returns)).collect();
    let mut service = match MEngine::start(library, &table) {
        Ok((engine, entries)) => Service { engine, entries, durable, indexes, result: BatchResult::default() },
        Err(error) => return refuse(&mut output, &mut frame, &error),
    };
    begin(&mut frame, 0);
    send(&mut output, &mut frame)?;
    let mut request = Vec::new();
    while receive(&mut input, &mut request)? {
        if let Err(error) = service.answer(&request, &mut frame) {
            return refuse(&mut output, &mut frame, &error);
        }
        send(&mut output, &mut frame)?;
    }
    Ok(())
}

fn refuse(output: &mut impl Write, frame: &mut Vec<u8>, error: &io::Error) -> io::Result<()> {
    begin(frame, 1);
    frame.extend_from_slice(error.to_string().as_bytes());
    send(output, frame)
}

struct Service {
    engine: MEngine,
    entries: Vec<MEntry>,
    durable: bool,
    indexes: u32,
    result: BatchResult,
}

impl Service {
    fn answer(&mut self, request: &[u8], frame: &mut Vec<u8>) -> io::Result<()> {
        let (verb, reader) = Reader::request(request)?;
        if verb == Verb::Ask {
            return self.ask(reader, frame);
        }
        self.batch(verb, reader)?;
        write_result(frame, &self.result);
        Ok(())
    }

    fn batch(&mut self, verb: Verb, mut reader: Reader<'_>) -> io::Result<()> {
        let n = reader.u32()?;
        self.result.clear();
        for i in 1..=i64::from(n) {
            let operation = reader.operation()?;
            let (key, value) = (operation.key, operation.value);
            match operation.name {
                None => {
                    let subscript = i64::try_from(key.subscript).map_err(|_| io::ErrorKind::InvalidData)?;
                    self.number(STAGE, [i, i64::from(key.global), subscript], value)?;
                }
                Some(name) => {
                    let lengths = i64::from(name.before) << 16 | i64::from(name.last);
                    self.number(NODE, [i, i64::from(key.global), lengths], name.text_and_value)?;
                }
            }
            self.result.bytes += value.len() as u64;
        }
        let (entry, safe) = match verb {
            Verb::Commit => (COMMIT, self.durable),
            Verb::Alone => (ALONE, self.durable),
            Verb::Read => (READ, false),
            Verb::Scan | Verb::Ask => (SCAN, false),
        };
        let begun = Instant::now();
        let result = self.number(entry, [i64::from(n), i64::from(safe), i64::from(self.indexes)], &[])?;
        self.result.whole = begun.elapsed().as_nanos() as u64;
        for i in 1..=i64::from(n) {
            // If the clock was set back, a part is negative; `settle` corrects it.
            let took = self.number(TOOK, [i, 0, 0], &[])?.cast_unsigned();
            self.result.each.push(took);
        }
        match verb {
            Verb::Commit => self.result.commits.push(result.cast_unsigned()),
            Verb::Alone => {}
            Verb::Read | Verb::Scan | Verb::Ask => {
                self.result.bytes = result.cast_unsigned();
                self.result.missing = self.number(MISSING, [0; 3], &[])?.cast_unsigned();
            }
        }
        let BatchResult { each, commits, whole, .. } = &mut self.result;
        settle(each, commits, *whole);
        Ok(())
    }

    fn ask(&mut self, mut reader: Reader<'_>, frame: &mut Vec<u8>) -> io::Result<()> {
        let length = reader.u32()? as usize;
        let name = std::str::from_utf8(reader.bytes(length)?).map_err(|_| io::ErrorKind::InvalidData)?;
        let unknown = || io::Error::new(io::ErrorKind::InvalidInput, format!("no entry {name}"));
        let at = ENTRIES.iter().position(|(entry, _)| *entry == name).ok_or_else(unknown)?;
        let args = [reader.u64()?.cast_signed(), reader.u64()?.cast_signed(), 0];
        let text = reader.rest();
        begin(frame, 0);
        match ENTRIES[at].1 {
            MReturns::Number => {
                let number = self.engine.number(self.entries[at], args, text)?;
                frame.extend_from_slice(number.to_string().as_bytes());
            }
            MReturns::Text => frame.extend_from_slice(self.engine.text(self.entries[at], args, text)?),
        }
        Ok(())
    }

    fn number(&mut self, at: usize, args: [i64; 3], text: &[u8]) -> io::Result<i64> {
        self.engine.number(self.entries[at], args, text)
    }
}

/// Maximum difference that is not treated as a step of the wall clock, in microseconds.
const STEP: i64 = 2_000;

/// Converts the durations of a batch's operations and commits from microseconds of the engine's wall clock to
/// nanoseconds, and removes steps of that clock. The clock may be set at any time. If the durations do not add up to
/// `whole` (monotonic clock, in nanoseconds), one of them contains a step. The most extreme duration is then corrected.
fn settle(each: &mut [u64], commits: &mut [u64], whole: u64) {
    let parts = || each.iter().chain(commits.iter()).map(|p| p.cast_signed());
    let sum: i64 = parts().sum();
    let whole = (whole / 1000).cast_signed();
    // Staging and the call itself are included only in `whole`, so without a step, `whole` is never smaller than the
    // sum.
    let step = if sum > whole + STEP {
        parts().max().map(|most| (most, sum - whole))
    } else {
        parts().min().filter(|least| *least < 0).map(|least| (least, sum - whole))
    };
    let mut left = step;
    for part in each.iter_mut().chain(commits.iter_mut()) {
        let mut micros = part.cast_signed();
        if let Some((_, by)) = left.take_if(|(at, _)| *at == micros) {
            micros -= by;
        }
        *part = micros.max(0).cast_unsigned().saturating_mul(1000);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wall_clock_that_is_set_meanwhile_does_not_show_in_latencies() {
        let result = |mut each: Vec<i64>, commit: i64, whole: u64| {
            let mut each: Vec<u64> = each.drain(..).map(i64::cast_unsigned).collect();
            let mut commits = [commit.cast_unsigned()];
            settle(&mut each, &mut commits, whole);
            (each, commits[0])
        };
        assert_eq!(result(vec![10, 20, 30], 500, 600_000), (vec![10_000, 20_000, 30_000], 500_000));
        // The clock is set back by an hour in the second part, and forward by an hour in the commit.
        assert_eq!(result(vec![10, 20 - 3_600_000_000, 30], 500, 560_000).0[1], 20_000);
        assert_eq!(result(vec![10, 20, 30], 3_600_000_500, 560_000).1, 500_000);
        // A `whole` that is longer than the sum of its parts is not a step: it includes restarts.
        assert_eq!(result(vec![10], 5, 90_000_000), (vec![10_000], 5_000));
    }

    #[test]
    fn every_entry_is_in_the_routine() {
        let text = embed::text(ROUTINE_TEXT);
        for (name, _) in ENTRIES {
            assert!(text.contains(&format!("\n{name}(")), "{name}");
        }
    }
}
