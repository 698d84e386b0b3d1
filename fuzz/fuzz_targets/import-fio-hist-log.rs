//! Reads arbitrary bytes as a file of the format `fio-hist-log`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| fuzz::one_format("fio-hist-log", data));
