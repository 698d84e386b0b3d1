//! By how much a counter of the kernel grew.

/// Counters that the kernel keeps or prints in 32 bits begin again there: milliseconds of a device after 49 days of
/// requests, everything on machines of 32 bits.
const NARROW: u64 = 1 << 32;

/// What was added between two readings. `None` where the counter stepped back in a way that no width explains: it began
/// anew, and what it had before is unknown.
pub(super) fn grown(then: u64, now: u64) -> Option<u64> {
    if now >= then {
        return Some(now - then);
    }
    // Once around in 32 bits; half of that in a second is no plausible growth, but a beginning.
    (then < NARROW).then(|| now + NARROW - then).filter(|by| *by < NARROW / 2)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_counter_of_32_bits_goes_around_and_one_that_began_anew_does_not() {
        assert_eq!(grown(5, 9), Some(4));
        assert_eq!(grown(u64::from(u32::MAX) - 1, 8), Some(10));
        assert_eq!(grown(1000, 8), None);
        assert_eq!(grown(NARROW + 5, 3), None);
    }

    proptest! {
        #[test]
        fn growth_in_32_bits_is_found_again(then: u32, by in 0u32..u32::MAX / 2) {
            prop_assert_eq!(grown(then.into(), then.wrapping_add(by).into()), Some(by.into()));
        }

        #[test]
        fn no_pair_makes_it_panic(then: u64, now: u64) {
            let _ = grown(then, now);
        }
    }
}
