//! Reads arbitrary bytes as a file of the format `pgbench`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| fuzz::one_format("pgbench", data));
