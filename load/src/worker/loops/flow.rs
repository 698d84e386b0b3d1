//! Jobs that keep their numbers of operations in proportion (fio's `flow`).
//!
//! As in fio's `flow.c`, every job counts its own operations, and all jobs of a flow count the total. A job waits while
//! its share of all operations exceeds its share of the weights. All weights count from the beginning of the run, even
//! those of jobs that start later. When a job ends, its weight and operations are subtracted.

use model::plan::FlowRule;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Minimum time that a job waits before it checks again, in nanoseconds; fio does not wait at all by default.
const LEAST_PAUSE: u64 = 1_000;

/// Counters shared by the jobs of one flow.
#[derive(Debug, Default)]
pub struct Flow {
    ops: AtomicU64,
    weight: AtomicU64,
}

impl Flow {
    /// Adds the weight of workers that will run later.
    pub fn expect(&self, weight: u32) {
        self.weight.fetch_add(weight.into(), Relaxed);
    }
}

/// A worker's share of a flow. Dropping it subtracts its weight and operations from the flow.
#[derive(Debug)]
pub(in crate::worker) struct FlowShare {
    flow: Arc<Flow>,
    weight: u64,
    pause: u64,
    own: u64,
}

impl FlowShare {
    /// Creates a share whose weight was [added](Flow::expect) earlier.
    pub(in crate::worker) fn new(flow: Arc<Flow>, rule: FlowRule) -> Self {
        FlowShare { flow, weight: rule.weight.into(), pause: rule.pause.as_nanos().max(LEAST_PAUSE), own: 0 }
    }

    /// Counts an operation if it is this worker's turn; otherwise returns the time to wait, in nanoseconds.
    pub(in crate::worker) fn take(&mut self) -> Result<(), u64> {
        // Count one more operation than there were, as in fio, so that the very first operation does not exceed a
        // share.
        let total = self.flow.ops.load(Relaxed) + 1;
        if self.own as f64 / total as f64 > self.weight as f64 / self.flow.weight.load(Relaxed) as f64 {
            return Err(self.pause);
        }
        self.own += 1;
        self.flow.ops.fetch_add(1, Relaxed);
        Ok(())
    }
}

impl Drop for FlowShare {
    fn drop(&mut self) {
        self.flow.ops.fetch_sub(self.own, Relaxed);
        self.flow.weight.fetch_sub(self.weight, Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::Nanos;

    fn shares(weights: &[u32]) -> (Arc<Flow>, Vec<FlowShare>) {
        let flow = Arc::new(Flow::default());
        weights.iter().for_each(|weight| flow.expect(*weight));
        let rule = |weight: &u32| FlowRule { id: 1, weight: *weight, pause: Nanos(0) };
        let shares = weights.iter().map(|weight| FlowShare::new(Arc::clone(&flow), rule(weight))).collect();
        (flow, shares)
    }

    #[test]
    fn operations_keep_the_proportion_of_the_weights_and_whoever_ends_leaves_it() {
        let (_flow, mut shares) = shares(&[1, 2, 3]);
        let turns = |shares: &mut Vec<FlowShare>, n: u32| {
            let mut done = vec![0; shares.len()];
            for _ in 0..n {
                for (share, done) in shares.iter_mut().zip(&mut done) {
                    *done += u32::from(share.take().is_ok());
                }
            }
            done
        };
        let done = turns(&mut shares, 3000);
        assert!((f64::from(done[1]) / f64::from(done[0]) - 2.0).abs() < 0.05, "{done:?}");
        assert!((f64::from(done[2]) / f64::from(done[0]) - 3.0).abs() < 0.05, "{done:?}");
        shares.pop();
        let done = turns(&mut shares, 3000);
        assert!((f64::from(done[1]) / f64::from(done[0]) - 2.0).abs() < 0.05, "{done:?}");
        assert!(done[1] > 2900, "nobody waits for one that has ended: {done:?}");
    }

    #[test]
    fn one_alone_never_waits() {
        let (_flow, mut shares) = shares(&[7]);
        assert!((0..1000).all(|_| shares[0].take().is_ok()));
    }
}
