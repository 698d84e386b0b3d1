//! Any bytes as a file of another tool, whatever it is recognised as; the targets `import-FORMAT` take one reader each.
//!
//! `cargo +nightly fuzz run import -- -max_total_time=600 -dict=import.dict`, with what was recorded as a first corpus: each file of
//! `../import/tests/data` and `../import/tests/fio`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| fuzz::any_format(data));
