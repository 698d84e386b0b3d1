//! Parses arbitrary text as a size, time or count: the result is within bounds or a short error, and formatted values
//! parse back.
#![no_main]

use libfuzzer_sys::fuzz_target;
use model::{Bytes, Nanos};

fuzz_target!(|text: &str| {
    for units in [
        job::Units { kb_base: 1024, fio_compat: false },
        job::Units { kb_base: 1024, fio_compat: true },
        job::Units { kb_base: 1000, fio_compat: false },
    ] {
        match job::size(text, units) {
            Ok(size) => {
                assert!(size.0 <= 1 << 62);
                assert_eq!(job::size(&size.0.to_string(), units), Ok(size));
            }
            Err(why) => assert!(why.to_string().chars().count() < 400, "too long: {why}"),
        }
        if let Ok(job::Extent::Percent(percent)) = job::extent(text, units) {
            assert!((0..=100).contains(&percent));
        }
    }
    if let Ok(time) = job::time(text, Nanos::from_micros(1)) {
        assert_eq!(job::time(&format!("{}ns", time.0), Nanos(1)), Ok(time));
    }
    let _ = job::count(text);
    let _ = job::signed(text);
    // The native commands have a separate parser for units.
    if let Ok(Bytes(size)) = text.parse::<Bytes>() {
        assert!(size <= 1 << 63);
    }
    let _ = text.parse::<Nanos>();
});
