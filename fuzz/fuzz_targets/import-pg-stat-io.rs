//! Reads arbitrary bytes as a file of the format `pg-stat-io`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| fuzz::one_format("pg-stat-io", data));
