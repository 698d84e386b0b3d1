//! Parallel execution on all CPUs.

use std::sync::atomic::{AtomicUsize, Ordering};

/// Applies a function to each item on all CPUs; the results are in the order of the items.
///
/// Each thread takes the next item when it has finished one, so the cost may differ between items.
///
/// # Panics
/// Panics if the function panics.
pub fn map_on_all_cpus<T: Sync, R: Send>(items: &[T], map: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(items.len());
    if threads <= 1 {
        return items.iter().map(map).collect();
    }
    let next = AtomicUsize::new(0);
    let work = || {
        let mut done: Vec<(usize, R)> = Vec::new();
        loop {
            let place = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(place) else { return done };
            done.push((place, map(item)));
        }
    };
    let mut results: Vec<(usize, R)> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        let join = |thread: std::thread::ScopedJoinHandle<'_, Vec<(usize, R)>>| {
            thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        };
        threads.into_iter().flat_map(join).collect()
    });
    results.sort_unstable_by_key(|(place, _)| *place);
    results.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_in_the_order_of_the_items() {
        for n in [0, 1, 2, 1000] {
            let items: Vec<u64> = (0..n).collect();
            let expected: Vec<u64> = items.iter().map(|x| x * x).collect();
            assert_eq!(map_on_all_cpus(&items, |x| x * x), expected);
        }
    }
}
