//! Reads arbitrary bytes as a file of any tool, as recognised; the targets `import-FORMAT` test one reader each.
//!
//! `cargo +nightly fuzz run import -- -max_total_time=600 -dict=import.dict`, with recorded files as the initial
//! corpus: all files of `../import/tests/data` and `../import/tests/fio`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| fuzz::any_format(data));
