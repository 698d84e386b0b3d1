//! Reads arbitrary bytes as a file of another tool. The first byte selects the reader: its number in `import::FORMATS`,
//! or recognition of the format if there are fewer readers.
//!
//! `cargo +nightly fuzz run formats -- -max_total_time=600 -dict=formats.dict`, with recorded files as the initial
//! corpus, each after a byte of 255: all files of `../import/tests/data` and `../import/tests/fio`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let Some((number, data)) = data.split_first() else { return };
    match import::FORMATS.get(usize::from(*number)) {
        Some(format) => fuzz::one_format(format, data),
        None => fuzz::any_format(data),
    }
});
