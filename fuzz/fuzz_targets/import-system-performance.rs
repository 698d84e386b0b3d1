//! Reads arbitrary bytes as a file of the format `system-performance`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| fuzz::one_format("system-performance", data));
