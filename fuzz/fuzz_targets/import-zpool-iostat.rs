//! Reads arbitrary bytes as a file of the format `zpool-iostat`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| fuzz::one_format("zpool-iostat", data));
