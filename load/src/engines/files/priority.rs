//! I/O priorities per operation: fio's `cmdprio_*`. Each operation's priority is drawn at random; the probabilities
//! depend on the operation's direction and size.

use crate::engine::{OpenError, Request};
use crate::engines::options::Options;
use crate::random::Random;
use model::Op;

/// Share of the operations of one size, with the priority of these operations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Share {
    /// Size of the operations in bytes; 0 = every size.
    size: u32,
    /// Cumulative percentage, 1 to 100. The priority applies to draws (0 to 99) below this value.
    below: u64,
    /// Priority, encoded as for `ioprio_set(2)`: hint, class and level.
    value: u16,
}

/// Generator of priorities. An operation outside all shares gets the thread's priority.
#[derive(Debug)]
pub(super) struct Priorities {
    /// Shares for reads and for writes.
    of: [Vec<Share>; 2],
    random: Random,
    /// Last priority drawn for each slot.
    drawn: Box<[u16]>,
}

impl Priorities {
    /// Parses the option `cmdprio`: a comma-separated list of `direction/size/percent/value`, with direction 0 for
    /// reads and 1 for writes, and size 0 for all sizes. Returns `None` if the option is missing.
    pub(super) fn take(options: &mut Options<'_>, depth: u32) -> Result<Option<Priorities>, OpenError> {
        let Some(text) = options.text("cmdprio") else { return Ok(None) };
        let mut by_direction: [Vec<Share>; 2] = Default::default();
        for entry in text.split(',') {
            let numbers: Option<Vec<u64>> = entry.split('/').map(|n| n.parse().ok()).collect();
            let Some([way @ 0..=1, size, percent @ 1..=100, value]) = numbers.as_deref() else {
                return Err(options.wrong("cmdprio", text, "direction/size/percent/value, comma-separated"));
            };
            let shares = &mut by_direction[*way as usize];
            let before = shares.iter().rev().find(|s| u64::from(s.size) == *size).map_or(0, |s| s.below);
            shares.push(Share { size: *size as u32, below: before + percent, value: *value as u16 });
        }
        Ok(Some(Priorities {
            of: by_direction,
            random: Random::new(0xC3D),
            drawn: vec![0; depth.max(1) as usize].into(),
        }))
    }

    /// Draws the priority of an operation; 0 = the priority of the thread. The rest of a short operation keeps its
    /// priority.
    #[inline]
    pub(super) fn draw(&mut self, request: &Request) -> u16 {
        if request.skip == 0 {
            self.drawn[request.slot as usize] = self.drawn_for(request);
        }
        self.drawn[request.slot as usize]
    }

    /// Returns the last priority drawn for a slot.
    pub(super) fn of_slot(&self, slot: u32) -> u16 {
        self.drawn[slot as usize]
    }

    fn drawn_for(&mut self, request: &Request) -> u16 {
        let shares = match request.op {
            Op::Read => &self.of[0],
            Op::Write => &self.of[1],
            Op::Trim | Op::Flush => return 0,
        };
        let roll = self.random.below(100);
        let share = shares.iter().find(|s| (s.size == 0 || s.size == request.len) && roll < s.below);
        share.map_or(0, |s| s.value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Opening;

    fn priorities(text: &str) -> Result<Option<Priorities>, OpenError> {
        let opening = Opening { options: vec![("cmdprio".into(), text.into())], ..Opening::default() };
        Priorities::take(&mut Options::new("io_uring", &opening), 4)
    }

    #[test]
    fn shares_are_drawn_by_direction_and_size() {
        let mut law = priorities("0/65536/25/8193,0/65536/75/24578,1/0/20/8192").unwrap().unwrap();
        let mut count = |op, len, value| {
            let request = Request { op, len, ..Request::default() };
            (0..10_000).filter(|_| law.draw(&request) == value).count()
        };
        assert!((2300..2700).contains(&count(Op::Read, 65536, 8193)));
        assert!((7300..7700).contains(&count(Op::Read, 65536, 24578)));
        assert_eq!(count(Op::Read, 4096, 0), 10_000, "no share of this size");
        assert!((1800..2200).contains(&count(Op::Write, 512, 8192)));
        assert_eq!(count(Op::Flush, 0, 0), 10_000);
    }

    #[test]
    fn the_rest_of_a_short_operation_keeps_its_priority() {
        let mut law = priorities("0/0/50/8193").unwrap().unwrap();
        for _ in 0..100 {
            let request = Request { slot: 3, len: 4096, ..Request::default() };
            let first = law.draw(&request);
            assert_eq!(law.of_slot(3), first);
            assert_eq!(law.draw(&request.after(512)), first);
        }
    }

    #[test]
    fn what_is_no_list_is_refused() {
        for wrong in ["", "0/1/2", "2/0/10/1", "0/0/0/1", "0/0/x/1"] {
            assert!(priorities(wrong).is_err(), "{wrong}");
        }
    }
}
