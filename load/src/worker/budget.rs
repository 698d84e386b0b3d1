//! Budget of a worker. The loops count operations down; when the count reaches zero, the budget decides whether there
//! is more to send. Byte limits are converted to a number of operations that cannot exceed them, so that no loop has to
//! count bytes and the load still ends exactly at the limit.

use super::{Timeline, Worker};
use crate::stamp::Stamp;
use sys::clock::Clock;

/// Work that remains to be sent.
#[derive(Debug, Clone, Copy)]
pub(super) struct Budget {
    /// Number of operations that have not been granted to a loop yet.
    ops: u64,
    max_bytes: u64,
    pass_bytes: u64,
    /// End of the current pass, in bytes sent.
    pass_end: u64,
    max_block: u64,
    /// Bytes of completed operations, including reads for checks, in recorders that were already sent to the collector.
    pub(super) booked: u64,
    /// Bytes of reads for checks, which do not count as sent.
    pub(super) checked: u64,
    /// Bytes of failed operations.
    pub(super) failed: u64,
    /// Bytes of a range that were skipped.
    left_out: u64,
}

impl Budget {
    pub(super) fn new(timeline: &Timeline, max_block: u64) -> Self {
        Budget {
            ops: timeline.max_ops,
            max_bytes: timeline.max_bytes,
            pass_bytes: timeline.pass_bytes,
            pass_end: timeline.pass_bytes,
            max_block: max_block.max(1),
            booked: 0,
            checked: 0,
            failed: 0,
            left_out: 0,
        }
    }

    /// Returns the number of operations that may be sent next if `sent` bytes have been sent. Only the last of them can
    /// reach the byte limit.
    fn grant(&mut self, sent: u64, room: u64) -> u64 {
        let end = self.max_bytes.min(self.pass_end);
        let fit = match end {
            u64::MAX => u64::MAX,
            end if sent >= end => 0,
            end => (end - sent - 1) / self.max_block + 1,
        };
        let grant = self.ops.min(fit).min(room);
        if self.ops != u64::MAX {
            self.ops -= grant;
        }
        grant
    }

    fn is_gone(&self, sent: u64) -> bool {
        self.ops == 0 || sent >= self.max_bytes
    }
}

impl<K: Clock, S: Stamp, const PARTS: bool, const EVERY: bool, const RANKED: bool> Worker<K, S, PARTS, EVERY, RANKED> {
    /// Grants the loop more operations, if the budget has any. Called only when the loop has used up its operations.
    #[cold]
    pub(super) fn replenish(&mut self) -> bool {
        let sent = self.sent();
        let room = if self.checks { self.stamp.checker().map_or(u64::MAX, |c| c.room()) } else { u64::MAX };
        self.left = self.budget.grant(sent, room);
        self.left > 0
    }

    /// Returns `true` if nothing more may be sent.
    pub(super) fn is_all_sent(&self) -> bool {
        self.left == 0 && self.budget.is_gone(self.sent())
    }

    /// Returns `true` if the current pass has ended.
    pub(super) fn is_pass_over(&self) -> bool {
        self.sent() >= self.budget.pass_end
    }

    /// Begins the next pass.
    pub(super) fn next_pass(&mut self) {
        self.budget.pass_end = self.sent().saturating_add(self.budget.pass_bytes);
    }

    /// Uses up the budget: nothing more is sent.
    pub(super) fn exhaust(&mut self) {
        self.budget.ops = 0;
        self.left = 0;
    }

    /// Skips bytes of the range; they count as done. Returns `true` if the current operation may still be sent.
    pub(super) fn leave_out(&mut self, bytes: u64) -> bool {
        if self.budget.ops != u64::MAX {
            self.budget.ops += self.left + 1;
        }
        self.left = 0;
        self.budget.left_out += bytes;
        if !self.replenish() {
            return false;
        }
        self.left -= 1;
        true
    }

    /// Returns the bytes sent so far, successful or not, excluding reads for checks.
    fn sent(&self) -> u64 {
        if self.budget.max_bytes == u64::MAX && self.budget.pass_bytes == u64::MAX {
            return 0;
        }
        let in_flight: u64 = self.slots.iter().filter(|s| s.busy).map(|s| u64::from(s.len)).sum();
        let booked = self.budget.booked + self.recorder.bytes() + self.budget.failed + self.budget.left_out;
        (booked + in_flight).saturating_sub(self.budget.checked)
    }
}
