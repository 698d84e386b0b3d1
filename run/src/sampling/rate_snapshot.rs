//! Progress display during a load: refresh intervals and rates.

use crate::workers::Live;
use model::{BytesPerSecond, Iops, Nanos, measured::Window};

/// Interval between updates of the progress, in nanoseconds.
const REFRESH: u64 = Nanos::from_millis(200).as_nanos();
/// Time after which a load without a complete window is shown without a rate, in nanoseconds.
const WITHOUT_RATE: u64 = Nanos::from_millis(500).as_nanos();

/// Timer of the progress display. Consecutive loads share one timer, so that short loads do not make the display
/// flicker.
#[derive(Debug, Default)]
pub struct RefreshTimer {
    last: u64,
}

impl RefreshTimer {
    /// Returns `true` if a load that began at `began` should be shown now.
    pub fn due(&mut self, live: &Live<'_>, began: u64) -> bool {
        let blind = live.recent.is_empty() && live.stuck.is_none() && live.now.as_nanos() < began + WITHOUT_RATE;
        if blind || live.now.as_nanos() < self.last + REFRESH {
            return false;
        }
        self.last = live.now.as_nanos();
        true
    }
}

/// Rate, bandwidth and mean latency over a few windows.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct RateSnapshot {
    /// Operations per second.
    pub iops: Iops,
    /// Bytes per second.
    pub bandwidth: BytesPerSecond,
    /// Mean latency of completed operations.
    pub latency: Option<Nanos>,
}

impl RateSnapshot {
    /// Returns the rates over `windows`.
    #[must_use]
    pub fn over(windows: &[Window]) -> Self {
        let seconds = windows.iter().map(|w| w.length).sum::<Nanos>().secs().max(1e-9);
        let ops: u64 = windows.iter().map(Window::total_ops).sum();
        let bytes: u64 = windows.iter().map(Window::total_bytes).sum();
        let latency: u64 = windows.iter().map(|w| w.latency_sum).sum();
        RateSnapshot {
            iops: Iops(ops as f64 / seconds),
            bandwidth: BytesPerSecond(bytes as f64 / seconds),
            latency: latency.checked_div(ops).map(Nanos),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn live(now: u64, recent: &[Window]) -> Live<'_> {
        Live { now: Nanos::from_millis(now), windows: &[], before: 0, recent, stuck: None }
    }

    #[test]
    fn a_load_is_shown_five_times_a_second_and_not_before_it_has_a_rate() {
        let mut timer = RefreshTimer::default();
        let window = [Window::default()];
        assert!(!timer.due(&live(1_050, &[]), 1_000_000_000), "no window yet");
        assert!(timer.due(&live(1_110, &window), 1_000_000_000));
        assert!(!timer.due(&live(1_200, &window), 1_000_000_000), "shown just now");
        assert!(timer.due(&live(1_320, &window), 1_000_000_000));
    }

    #[test]
    fn a_load_that_stays_without_a_window_is_shown_all_the_same() {
        let mut timer = RefreshTimer::default();
        assert!(timer.due(&live(1_600, &[]), 1_000_000_000), "half a second has passed");
        let stuck = Live { stuck: Some(Nanos::from_secs(11)), ..live(2_000, &[]) };
        assert!(timer.due(&stuck, 1_990_000_000), "there is a warning to show");
    }

    #[test]
    fn a_glance_divides_by_the_real_length() {
        let window = |ms: u64, ops: u64| Window {
            length: Nanos::from_millis(ms),
            ops: [ops, 0, 0, 0],
            bytes: [ops * 4096, 0, 0, 0],
            latency_sum: ops * 1_000,
            ..Window::default()
        };
        let glance = RateSnapshot::over(&[window(100, 10), window(50, 20)]);
        assert!((glance.iops.per_second() - 200.0).abs() < 1e-6);
        assert!((glance.bandwidth.per_second() - 200.0 * 4096.0).abs() < 1e-3);
        assert_eq!(glance.latency, Some(Nanos::from_micros(1)));
        assert_eq!(RateSnapshot::over(&[]).latency, None);
    }
}
