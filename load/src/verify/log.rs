//! The log of writes: where, how long, by which write. Set aside before the load; it says how much room it has, and a
//! load that would exceed it is checked before it goes on.

/// Writes a log holds at most: 24 bytes each, resident only as far as they are used.
const MOST: u64 = 4 << 20;

/// One write that can be checked, or a range of which nothing is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Written {
    pub(super) at: u64,
    pub(super) write: u64,
    pub(super) len: u32,
    pub(super) file: u16,
    known: bool,
    /// Something newer touches it.
    old: bool,
}

/// The writes of one worker.
pub(super) struct Log {
    all: Vec<Written>,
    /// How many of the first are being checked, and how many of them were given out.
    upto: usize,
    given: usize,
    most: usize,
    spare: usize,
}

impl Log {
    pub(super) fn new(most: u64, depth: u32) -> Self {
        let most = most.min(MOST) as usize;
        // Failures and trims take entries too, at most as many as are in flight.
        let spare = 2 * depth.max(1) as usize + 64;
        let all = if most == 0 { Vec::new() } else { Vec::with_capacity(most + spare) };
        Log { all, upto: 0, given: 0, most, spare }
    }

    /// Writes that can still be logged.
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

    /// What failed, or was trimmed: hides older writes and is not checked.
    pub(super) fn unknown(&mut self, at: u64, len: u32, file: u16, write: u64) {
        self.all.push(Written { at, write, len, file, known: false, old: false });
    }

    /// Leaves what can be checked, in order of place.
    pub(super) fn tidy(&mut self) {
        // Of writes to one and the same place the newest first, so that only it stays.
        self.all.sort_unstable_by_key(|w| (w.file, w.at, w.len, std::cmp::Reverse((w.write, !w.known))));
        self.all.dedup_by_key(|w| (w.file, w.at, w.len));
        for i in 0..self.all.len() {
            let (file, end) = (self.all[i].file, self.all[i].at + u64::from(self.all[i].len));
            for j in i + 1..self.all.len() {
                if self.all[j].file != file || self.all[j].at >= end {
                    break;
                }
                // A failure has the number its write would be followed by; it hides that write.
                let older = if self.all[i].write < self.all[j].write { i } else { j };
                self.all[older].old = true;
            }
        }
        self.all.retain(|w| w.known && !w.old);
    }

    /// Begins to give out the first `n`.
    pub(super) fn begin(&mut self, n: u64) {
        self.given = 0;
        self.upto = (self.all.len() as u64).min(n) as usize;
    }

    pub(super) fn next(&mut self) -> Option<Written> {
        let written = *self.all[..self.upto].get(self.given)?;
        self.given += 1;
        Some(written)
    }

    /// What was given out is done with.
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
            let mut all = Vec::new();
            for (i, (at, len, file, known)) in writes.into_iter().enumerate() {
                let write = i as u64 + 1;
                if known { log.wrote(at, len, file, write) } else { log.unknown(at, len, file, write) }
                let from = usize::from(file) * 50 + at as usize;
                truth[from..from + len as usize].fill(write);
                all.push((from, len as usize, write, known));
            }
            log.tidy();
            log.begin(u64::MAX);
            let mut left: Vec<u64> = std::iter::from_fn(|| log.next()).map(|w| w.write).collect();
            left.sort_unstable();
            let expected: Vec<u64> = all
                .iter()
                .filter(|(from, len, write, known)| *known && truth[*from..from + len].iter().all(|w| w == write))
                .map(|(_, _, write, _)| *write)
                .collect();
            prop_assert_eq!(left, expected);
        }
    }
}
