//! Log of writes, with the offset, length and number of each write. It is allocated before the load and reports its
//! remaining room. If the log might not have room for all further writes, the writes so far are verified first.

/// Maximum number of writes in a log. Each takes 24 bytes; only the used part is resident in memory.
const MOST: u64 = 4 << 20;

/// Write that can be verified, or range with unknown contents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Written {
    pub(super) at: u64,
    pub(super) write: u64,
    pub(super) len: u32,
    pub(super) file: u16,
    known: bool,
    /// True if a newer write overlaps this one.
    old: bool,
}

/// Log of the writes of one worker.
pub(super) struct Log {
    all: Vec<Written>,
    /// Number of leading entries that are being verified. `given` is the number of them that have been returned so far.
    upto: usize,
    given: usize,
    most: usize,
    spare: usize,
}

impl Log {
    pub(super) fn new(most: u64, depth: u32) -> Self {
        let most = most.min(MOST) as usize;
        // Failed writes and trims take entries too, at most as many as there are operations in flight.
        let spare = 2 * depth.max(1) as usize + 64;
        let entries = if most == 0 { Vec::new() } else { Vec::with_capacity(most + spare) };
        Log { all: entries, upto: 0, given: 0, most, spare }
    }

    /// Returns the number of writes that can still be logged.
    pub(super) fn room(&self) -> u64 {
        if self.most == 0 { u64::MAX } else { self.most.saturating_sub(self.all.len()) as u64 }
    }

    pub(super) fn is_crowded(&self) -> bool {
        self.all.len() > self.most / 4 * 3
    }

    pub(super) fn grow(&mut self) {
        if self.is_crowded() {
            self.most *= 2;
            self.all.reserve(self.most + self.spare - self.all.len());
        }
    }

    pub(super) fn wrote(&mut self, at: u64, len: u32, file: u16, write: u64) {
        self.all.push(Written { at, write, len, file, known: true, old: false });
    }

    /// Logs a failed write or a trim. The entry hides older writes to the range and is not verified.
    pub(super) fn unknown(&mut self, at: u64, len: u32, file: u16, write: u64) {
        self.all.push(Written { at, write, len, file, known: false, old: false });
    }

    /// Removes entries that cannot be verified, and sorts the rest by offset.
    pub(super) fn tidy(&mut self) {
        // Among writes to the same range, the newest sorts first, so that only the newest is kept.
        self.all.sort_unstable_by_key(|w| (w.file, w.at, w.len, std::cmp::Reverse((w.write, !w.known))));
        self.all.dedup_by_key(|w| (w.file, w.at, w.len));
        for i in 0..self.all.len() {
            let (file, end) = (self.all[i].file, self.all[i].at + u64::from(self.all[i].len));
            for j in i + 1..self.all.len() {
                if self.all[j].file != file || self.all[j].at >= end {
                    break;
                }
                // A failed write is logged with the number of the next write, so that it hides the write that failed.
                let older = if self.all[i].write < self.all[j].write { i } else { j };
                self.all[older].old = true;
            }
        }
        self.all.retain(|w| w.known && !w.old);
    }

    /// Starts returning the first `n` entries.
    pub(super) fn begin(&mut self, n: u64) {
        self.given = 0;
        self.upto = (self.all.len() as u64).min(n) as usize;
    }

    pub(super) fn next(&mut self) -> Option<Written> {
        let written = *self.all[..self.upto].get(self.given)?;
        self.given += 1;
        Some(written)
    }

    /// Removes the entries that were returned.
    pub(super) fn end(&mut self) {
        self.all.drain(..self.given);
        (self.upto, self.given) = (0, 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn what_is_left_is_exactly_what_nothing_newer_touched(
            writes in prop::collection::vec((0u64..40, 1u32..6, 0u16..2, prop::bool::weighted(0.9)), 0..120),
        ) {
            let mut log = Log::new(1000, 4);
            let mut truth = vec![0u64; 100];
            let mut logged = Vec::new();
            for (i, (at, len, file, known)) in writes.into_iter().enumerate() {
                let write = i as u64 + 1;
                if known { log.wrote(at, len, file, write) } else { log.unknown(at, len, file, write) }
                let from = usize::from(file) * 50 + at as usize;
                truth[from..from + len as usize].fill(write);
                logged.push((from, len as usize, write, known));
            }
            log.tidy();
            log.begin(u64::MAX);
            let mut left: Vec<u64> = std::iter::from_fn(|| log.next()).map(|w| w.write).collect();
            left.sort_unstable();
            let expected: Vec<u64> = logged
                .iter()
                .filter(|(from, len, write, known)| *known && truth[*from..from + len].iter().all(|w| w == write))
                .map(|(_, _, write, _)| *write)
                .collect();
            prop_assert_eq!(left, expected);
        }
    }
}
