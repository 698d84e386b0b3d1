//! Growth of kernel counters.

/// Range of counters that the kernel keeps or prints in 32 bits: milliseconds of a device wrap after 49 days of
/// requests, and all counters wrap on 32-bit machines.
const NARROW: u64 = 1 << 32;

/// Returns the growth between two readings; `None` if the counter decreased in a way that 32-bit wrapping does not
/// explain. In that case it was reset, and its growth is unknown.
pub(super) fn grown(then: u64, now: u64) -> Option<u64> {
    if now >= then {
        return Some(now - then);
    }
    // The counter wrapped once at 32 bits. Growth by half of that range between two readings is implausible and means a
    // reset.
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
