//! Clocks: the time-stamp counter where it can be trusted, the system's monotonic clock elsewhere.
//!
//! Two stamps per I/O are the largest single cost of a measuring loop (33 ns of 36 with the counter, 61 with
//! clock_gettime on the null engine: `docs/journal`), so the worker is generic over the clock and asks nothing at run
//! time; everything else has a [`RunClock`], and is compiled once. Both clocks count nanoseconds from one shared zero.

use crate::platform::clock::{monotonic_ns, tsc_trusted};
use std::io;

/// A source of nanoseconds since the run's zero. Cheap to copy, the same for every thread.
pub trait Clock: Copy + Send + 'static {
    /// Nanoseconds since the zero. Never goes backwards on one thread.
    fn now(&self) -> u64;

    /// Lets about `ns` nanoseconds pass, asleep. A simulated clock advances instead.
    fn sleep(&self, ns: u64) {
        std::thread::sleep(std::time::Duration::from_nanos(ns));
    }

    /// Lets a moment pass, awake.
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
    /// Zero is now.
    #[must_use]
    pub fn start() -> Self {
        MonotonicClock { zero: monotonic_ns() }
    }
}

impl MonotonicClock {
    /// The same clock, showing `ns` nanoseconds more.
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
    /// Measures the counter's rate over about `calibrate_ns` and starts at zero.
    ///
    /// # Errors
    /// `Unsupported` when the processor has no invariant counter or the kernel itself does not trust it.
    pub fn start(calibrate_ns: u64) -> io::Result<Self> {
        if !tsc_trusted() {
            return Err(io::Error::new(
                io::ErrorKind::Unsupported,
                "the time-stamp counter is not invariant here, or the kernel does not use it",
            ));
        }
        let (tick0, ns0) = pair();
        while monotonic_ns() - ns0 < calibrate_ns {
            std::hint::spin_loop();
        }
        let (tick1, ns1) = pair();
        let (ticks, ns) = (tick1.wrapping_sub(tick0), ns1 - ns0);
        if ticks == 0 {
            return Err(io::Error::new(io::ErrorKind::Unsupported, "the time-stamp counter stands still"));
        }
        let scale = ((u128::from(ns) << 32) / u128::from(ticks)) as u64;
        Ok(TscClock { zero: ticks_now(), scale })
    }
}

#[cfg(target_arch = "x86_64")]
impl TscClock {
    /// The same clock, showing `ns` nanoseconds more.
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

/// The clock of a run, whichever it is: one value for all that asks the time now and then.
///
/// Loops that ask twice for each operation are compiled for the counter by itself, too; [`RunClock::visit`] chooses once.
#[derive(Debug, Clone, Copy)]
pub enum RunClock {
    /// The time-stamp counter.
    #[cfg(target_arch = "x86_64")]
    Tsc(TscClock),
    /// CLOCK_MONOTONIC.
    Monotonic(MonotonicClock),
    /// What a test makes of time.
    #[cfg(feature = "test-support")]
    Simulated(SimulatedClock),
}

/// What is compiled for each kind of clock.
pub trait ClockVisitor {
    /// What comes of it.
    type Output;

    /// Does it with the clock of the run.
    fn visit<K: Clock>(self, clock: K) -> Self::Output;
}

impl RunClock {
    /// Zero is now: the time-stamp counter where it can be trusted, else CLOCK_MONOTONIC.
    #[must_use]
    pub fn start() -> Self {
        #[cfg(target_arch = "x86_64")]
        // Ten milliseconds give the counter's rate to a few millionths.
        if let Ok(clock) = TscClock::start(10_000_000) {
            return RunClock::Tsc(clock);
        }
        RunClock::Monotonic(MonotonicClock::start())
    }

    /// The same clock, showing `ns` nanoseconds more: that of another machine is made to show what the run's shows. It must not
    /// be asked for times before zero.
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

    /// What records call it: `tsc`, `monotonic`.
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

    /// Hands the counter over as what it is. Reading any other clock costs so much that asking which it is does not show: those
    /// share what is compiled for this type.
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

/// Time as a test wants it.
#[cfg(feature = "test-support")]
#[derive(Debug, Clone, Copy)]
pub struct SimulatedClock {
    /// What `now` is given: CLOCK_MONOTONIC at the zero, for clocks that run with it.
    pub zero: u64,
    /// Nanoseconds since the run's zero.
    pub now: fn(zero: u64) -> u64,
    /// Lets so many nanoseconds pass.
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

/// A counter value and the monotonic time nearest to it: of several tries the one the counter brackets most tightly.
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
    // SAFETY: every x86-64 processor has the instruction; user mode may use it unless the system forbade it to this
    // process, which nothing here asks for.
    unsafe { core::arch::x86_64::_rdtsc() }
}

#[cfg(not(target_arch = "x86_64"))]
#[inline(always)]
fn ticks_now() -> u64 {
    0
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
