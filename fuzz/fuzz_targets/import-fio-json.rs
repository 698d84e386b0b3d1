//! Reads arbitrary bytes as a file of the format `fio-json`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| fuzz::one_format("fio-json", data));
