//! Reads arbitrary bytes as a file of the format `pg-test-fsync`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| fuzz::one_format("pg-test-fsync", data));
