//! Reads arbitrary bytes as a file of the format `pidstat`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| fuzz::one_format("pidstat", data));
