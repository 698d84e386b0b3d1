//! Reads arbitrary bytes as a file of the format `io500`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| fuzz::one_format("io500", data));
