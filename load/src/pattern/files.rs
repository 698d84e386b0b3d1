//! Choice of the next file of a job.

use super::distribution::OffsetDistribution;
use crate::random::Random;
use model::plan::{Distribution, FileOrder};

/// Choice among the files that are not done in this pass.
#[derive(Debug, Clone)]
pub(super) struct Files {
    order: Choice,
    /// Number of operations per turn.
    turn: u32,
    current: usize,
    left: u32,
    done: Vec<bool>,
    live: usize,
}

#[derive(Debug, Clone)]
enum Choice {
    /// Round robin. With `u32::MAX` operations per turn, each file is finished before the next one begins.
    Next,
    Drawn(OffsetDistribution),
    /// Random choice, weighted by size, with the cumulative sizes of the files.
    BySize(Box<[u64]>, Random),
    /// Random choice with hot spots. A file that reaches its end begins again, as in fio.
    Uneven(OffsetDistribution),
}

impl Files {
    /// Creates the choice among files of these sizes (at least one). `seed` is common to all workers.
    pub(super) fn new(sizes: &[u64], order: FileOrder, seed: u64, random: Random) -> Self {
        let count = sizes.len();
        let law = |kind, random| OffsetDistribution::new(kind, None, count as u64, seed, random);
        let (order, turn) = match order {
            FileOrder::RoundRobin(n) => (Choice::Next, n),
            FileOrder::Sequential => (Choice::Next, u32::MAX),
            FileOrder::Random(n) => (Choice::Drawn(law(Distribution::Uniform, random)), n),
            FileOrder::BySize => {
                let ends = sizes.iter().scan(0, |end, size| {
                    *end += size;
                    Some(*end)
                });
                (Choice::BySize(ends.collect(), random), 1)
            }
            FileOrder::Zipf(theta) => (Choice::Uneven(law(Distribution::Zipf(theta), random)), 1),
            FileOrder::Pareto(h) => (Choice::Uneven(law(Distribution::Pareto(h), random)), 1),
            FileOrder::Normal(d) => (Choice::Uneven(law(Distribution::Normal(d), random)), 1),
        };
        Files { order, turn: turn.max(1), current: count - 1, left: 0, done: vec![false; count], live: count }
    }

    /// Returns the file for the next operation, or `None` when all files are done.
    #[inline]
    pub(super) fn next(&mut self) -> Option<usize> {
        if self.done.len() == 1 {
            return (self.live == 1).then_some(0);
        }
        if self.left > 0 && !self.done[self.current] {
            // Turns without a limit are not counted.
            self.left -= u32::from(self.turn != u32::MAX);
            return Some(self.current);
        }
        self.turn_over()
    }

    fn turn_over(&mut self) -> Option<usize> {
        if self.live == 0 {
            return None;
        }
        let count = self.done.len();
        let first = match &mut self.order {
            Choice::Next => self.current + 1,
            Choice::BySize(ends, random) => {
                let at = random.below(ends[count - 1]);
                ends.partition_point(|end| *end <= at)
            }
            Choice::Drawn(law) | Choice::Uneven(law) => law.next() as usize,
        };
        // If the drawn file is done, take the next one after it.
        let file = (first..first + count).map(|i| i % count).find(|i| !self.done[*i])?;
        (self.current, self.left) = (file, self.turn - 1);
        Some(file)
    }

    /// Returns `true` if a file that reaches its end begins again immediately instead of waiting for the next pass.
    pub(super) fn begin_anew(&self) -> bool {
        matches!(self.order, Choice::Uneven(_))
    }

    /// Marks the file as done until the next pass.
    pub(super) fn finish(&mut self, file: usize) {
        if !std::mem::replace(&mut self.done[file], true) {
            self.live -= 1;
        }
    }

    /// Begins a new pass.
    pub(super) fn restart(&mut self) {
        self.done.fill(false);
        self.live = self.done.len();
        (self.current, self.left) = (self.live - 1, 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taken(order: FileOrder, count: usize, n: usize) -> Vec<usize> {
        let mut files = Files::new(&vec![1; count], order, 3, Random::new(1));
        (0..n).map(|_| files.next().unwrap()).collect()
    }

    #[test]
    fn files_take_turns() {
        assert_eq!(taken(FileOrder::RoundRobin(1), 3, 6), [0, 1, 2, 0, 1, 2]);
        assert_eq!(taken(FileOrder::RoundRobin(2), 2, 6), [0, 0, 1, 1, 0, 0]);
        assert_eq!(taken(FileOrder::Sequential, 3, 4), [0, 0, 0, 0]);
    }

    #[test]
    fn a_file_that_is_done_is_passed_over_until_the_next_pass() {
        let mut files = Files::new(&[1; 3], FileOrder::Sequential, 3, Random::new(1));
        assert_eq!(files.next(), Some(0));
        files.finish(0);
        assert_eq!([files.next(), files.next()], [Some(1), Some(1)]);
        files.finish(1);
        assert_eq!(files.next(), Some(2));
        files.finish(2);
        assert_eq!(files.next(), None);
        files.restart();
        assert_eq!(files.next(), Some(0));
    }

    #[test]
    fn files_drawn_by_size_have_their_share() {
        let mut files = Files::new(&[100, 300, 600], FileOrder::BySize, 3, Random::new(1));
        let mut count = [0u32; 3];
        (0..10_000).for_each(|_| count[files.next().unwrap()] += 1);
        assert!(count[0].abs_diff(1000) < 150 && count[1].abs_diff(3000) < 250, "{count:?}");
    }

    #[test]
    fn drawn_files_are_drawn_for_so_many_operations_each() {
        let drawn = taken(FileOrder::Random(4), 8, 40_000);
        assert!(drawn.chunks(4).all(|turn| turn.iter().all(|f| *f == turn[0])));
        let mut count = [0u32; 8];
        drawn.iter().for_each(|f| count[*f] += 1);
        assert!(count.iter().all(|n| n.abs_diff(5000) < 800), "{count:?}");
        let mut hits = [0u32; 8];
        taken(FileOrder::Zipf(1.2), 8, 10_000).iter().for_each(|f| hits[*f] += 1);
        assert!(*hits.iter().max().unwrap() > 3000, "{hits:?}");
    }
}
