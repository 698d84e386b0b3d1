//! Reads arbitrary bytes as the journal of a run: the result is the record of its intact parts or a one-line error.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    if let Err(error) = store::recover_from(data, data.len() as u64) {
        let message = error.to_string();
        assert!(!message.contains('\n'), "more than one line: {message}");
    }
});
