//! Clocks: the time-stamp counter if it can be trusted, otherwise the system's monotonic clock.
//!
//! Taking two time stamps per I/O is the largest single cost of a measuring loop (33 ns of 36 with the counter, 61 with
//! clock_gettime on the null engine: `bench/journal`). The worker is therefore generic over the clock and does not
//! dispatch at run time. All other code uses a [`RunClock`] and is compiled once. Both clocks count nanoseconds from
//! the same zero.

use crate::platform::clock::is_tsc_used;
pub use crate::platform::clock::{boottime_ns, monotonic_ns, realtime_ns};
pub use crate::platform::files::clock_ticks;
pub use crate::platform::process::wake_on_time;
use std::io;

/// A source of nanoseconds since the zero of the run. Cheap to copy, and the same for every thread.
pub trait Clock: Copy + Send + 'static {
    /// Returns the nanoseconds since the zero. Never goes backwards on one thread.
    fn now(&self) -> u64;

    /// Sleeps for about `ns` nanoseconds. A simulated clock advances instead.
    fn sleep(&self, ns: u64) {
        std::thread::sleep(std::time::Duration::from_nanos(ns));
    }

    /// Spins for a moment.
    fn pause(&self) {
        std::hint::spin_loop();
    }
}

/// CLOCK_MONOTONIC counted from a zero.
#[derive(Debug, Clone, Copy)]
pub struct MonotonicClock {
    zero: u64,
}

impl MonotonicClock {
    /// Starts a clock whose zero is now.
    #[must_use]
    pub fn start() -> Self {
        MonotonicClock { zero: monotonic_ns() }
    }

    /// Returns the same clock, set forward by `ns` nanoseconds.
    fn advanced(self, ns: i64) -> Self {
        MonotonicClock { zero: self.zero.wrapping_sub(ns as u64) }
    }
}

impl Clock for MonotonicClock {
    #[inline(always)]
    fn now(&self) -> u64 {
        monotonic_ns() - self.zero
    }
}

/// The time-stamp counter, scaled to nanoseconds by a factor measured against CLOCK_MONOTONIC.
#[derive(Debug, Clone, Copy)]
pub struct TscClock {
    zero: u64,
    /// Nanoseconds per tick, as 32.32 fixed point.
    scale: u64,
}

impl TscClock {
    /// Measures the rate of the counter over about `calibrate_ns` and starts a clock whose zero is now.
    ///
    /// # Errors
    /// `Unsupported` if the processor has no invariant counter or the kernel itself does not trust it.
    pub fn start(calibrate_ns: u64) -> io::Result<Self> {
        if !has_invariant_tsc() || !is_tsc_used() {
            return Err(io::Error::new(
                io::ErrorKind::Unsupported,
                "the time-stamp counter of this CPU is not invariant, or the kernel does not use it",
            ));
        }
        let (tick0, ns0) = pair();
        while monotonic_ns() - ns0 < calibrate_ns {
            std::hint::spin_loop();
        }
        let (tick1, ns1) = pair();
        let (ticks, ns) = (tick1.wrapping_sub(tick0), ns1 - ns0);
        if ticks == 0 {
            return Err(io::Error::new(io::ErrorKind::Unsupported, "the time-stamp counter does not advance"));
        }
        let scale = ((u128::from(ns) << 32) / u128::from(ticks)) as u64;
        Ok(TscClock { zero: ticks_now(), scale })
    }
}

#[cfg(target_arch = "x86_64")]
impl TscClock {
    /// Returns the same clock, set forward by `ns` nanoseconds.
    fn advanced(self, ns: i64) -> Self {
        let ticks = (i128::from(ns) << 32) / i128::from(self.scale);
        TscClock { zero: self.zero.wrapping_sub(ticks as u64), ..self }
    }
}

impl Clock for TscClock {
    #[inline(always)]
    fn now(&self) -> u64 {
        let ticks = ticks_now().wrapping_sub(self.zero);
        ((u128::from(ticks) * u128::from(self.scale)) >> 32) as u64
    }
}

/// The clock of a run, of any kind: a single type for code that reads the time occasionally.
///
/// Loops that read it twice per operation are also compiled for the counter alone; [`RunClock::visit`] chooses once.
#[derive(Debug, Clone, Copy)]
pub enum RunClock {
    /// The time-stamp counter.
    #[cfg(target_arch = "x86_64")]
    Tsc(TscClock),
    /// CLOCK_MONOTONIC.
    Monotonic(MonotonicClock),
    /// A clock controlled by a test.
    #[cfg(feature = "test-support")]
    Simulated(SimulatedClock),
}

/// Code that is compiled for each kind of clock.
pub trait ClockVisitor {
    /// Result of the code.
    type Output;

    /// Runs the code with the clock of the run.
    fn visit<K: Clock>(self, clock: K) -> Self::Output;
}

impl RunClock {
    /// Starts a clock whose zero is now: the time-stamp counter if it can be trusted, otherwise CLOCK_MONOTONIC.
    #[must_use]
    pub fn start() -> Self {
        #[cfg(target_arch = "x86_64")]
        // Ten milliseconds determine the rate of the counter to within a few millionths.
        if let Ok(clock) = TscClock::start(10_000_000) {
            return RunClock::Tsc(clock);
        }
        RunClock::Monotonic(MonotonicClock::start())
    }

    /// Returns the same clock, set forward by `ns` nanoseconds, so that the clock of another machine shows the time of
    /// the run's clock. The result must not be read at times before its zero.
    #[must_use]
    pub fn advanced(self, ns: i64) -> Self {
        match self {
            #[cfg(target_arch = "x86_64")]
            RunClock::Tsc(clock) => RunClock::Tsc(clock.advanced(ns)),
            RunClock::Monotonic(clock) => RunClock::Monotonic(clock.advanced(ns)),
            #[cfg(feature = "test-support")]
            RunClock::Simulated(clock) => RunClock::Simulated(clock),
        }
    }

    /// Returns the name used in records: `tsc`, `monotonic`.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            #[cfg(target_arch = "x86_64")]
            RunClock::Tsc(_) => "tsc",
            RunClock::Monotonic(_) => "monotonic",
            #[cfg(feature = "test-support")]
            RunClock::Simulated(_) => "simulated",
        }
    }

    /// Passes the time-stamp counter to the visitor as its own type. All other clocks are passed as a `RunClock` and
    /// share one compiled copy: reading them costs so much that the dispatch does not matter.
    pub fn visit<V: ClockVisitor>(self, visitor: V) -> V::Output {
        match self {
            #[cfg(target_arch = "x86_64")]
            RunClock::Tsc(clock) => visitor.visit(clock),
            other => visitor.visit(other),
        }
    }
}

impl Clock for RunClock {
    #[inline]
    fn now(&self) -> u64 {
        match self {
            #[cfg(target_arch = "x86_64")]
            RunClock::Tsc(clock) => clock.now(),
            RunClock::Monotonic(clock) => clock.now(),
            #[cfg(feature = "test-support")]
            RunClock::Simulated(clock) => clock.now(),
        }
    }

    fn sleep(&self, ns: u64) {
        match self {
            #[cfg(feature = "test-support")]
            RunClock::Simulated(clock) => clock.sleep(ns),
            _ => std::thread::sleep(std::time::Duration::from_nanos(ns)),
        }
    }
}

/// A clock controlled by a test.
#[cfg(feature = "test-support")]
#[derive(Debug, Clone, Copy)]
pub struct SimulatedClock {
    /// CLOCK_MONOTONIC at the zero, passed to `now`, for clocks derived from it.
    pub zero: u64,
    /// Returns the nanoseconds since the zero of the run.
    pub now: fn(zero: u64) -> u64,
    /// Lets this many nanoseconds pass.
    pub sleep: fn(ns: u64),
}

#[cfg(feature = "test-support")]
impl Clock for SimulatedClock {
    fn now(&self) -> u64 {
        (self.now)(self.zero)
    }

    fn sleep(&self, ns: u64) {
        (self.sleep)(ns);
    }
}

/// Returns a counter value and the monotonic time read with it: of 32 attempts, the one with the shortest interval
/// between the two counter readings.
fn pair() -> (u64, u64) {
    let mut best = (u64::MAX, 0, 0);
    for _ in 0..32 {
        let before = ticks_now();
        let ns = monotonic_ns();
        let after = ticks_now();
        let width = after.wrapping_sub(before);
        if width < best.0 {
            best = (width, before + width / 2, ns);
        }
    }
    (best.1, best.2)
}

#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn ticks_now() -> u64 {
    // SAFETY: every x86-64 processor has the instruction, and user mode may use it unless the system forbade it for
    // this process, which nothing here requests.
    unsafe { core::arch::x86_64::_rdtsc() }
}

/// Returns `true` if the counter runs at one rate in every power state: leaf 0x8000_0007, EDX bit 8.
#[cfg(target_arch = "x86_64")]
fn has_invariant_tsc() -> bool {
    use core::arch::x86_64::__cpuid;
    __cpuid(0x8000_0000).eax >= 0x8000_0007 && __cpuid(0x8000_0007).edx & (1 << 8) != 0
}

#[cfg(not(target_arch = "x86_64"))]
#[inline(always)]
fn ticks_now() -> u64 {
    0
}

/// Returns `false`: no such counter is known on this architecture.
#[cfg(not(target_arch = "x86_64"))]
fn has_invariant_tsc() -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_counter_keeps_pace_with_the_kernels_clock() {
        let Ok(tsc) = TscClock::start(5_000_000) else { testkit::skip!("no steady time-stamp counter here") };
        let (a, m0) = (tsc.now(), monotonic_ns());
        while monotonic_ns() - m0 < 50_000_000 {
            std::hint::spin_loop();
        }
        let (b, m1) = (tsc.now(), monotonic_ns());
        let ratio = (b - a) as f64 / (m1 - m0) as f64;
        // A preempted reading may widen the pair; a wrong scale would be far off.
        assert!((ratio - 1.0).abs() < 0.01, "{ratio}");
    }

    #[test]
    fn a_visitor_meets_the_clock_of_the_run() {
        struct Twice;
        impl ClockVisitor for Twice {
            type Output = (u64, u64);

            fn visit<K: Clock>(self, clock: K) -> (u64, u64) {
                (clock.now(), clock.now())
            }
        }
        for clock in [RunClock::start(), RunClock::Monotonic(MonotonicClock::start())] {
            let before = clock.now();
            let (first, second) = clock.visit(Twice);
            assert!(before <= first && first <= second && second <= clock.now(), "{}", clock.name());
        }
    }

    #[test]
    fn monotonic_starts_at_zero() {
        assert!(MonotonicClock::start().now() < 1_000_000_000);
    }
}
