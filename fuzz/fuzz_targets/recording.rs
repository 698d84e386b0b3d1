//! Reads arbitrary bytes as a recording (`.sqio`): its requests are in order, and damage is a one-line error.
#![no_main]

use recording::RecordingReader;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let damage = match RecordingReader::begin(data) {
        Ok(reader) => {
            let (recording, damage) = reader.collect_all();
            assert!(recording.requests.is_sorted_by_key(|request| request.at));
            damage
        }
        Err(error) => Some(error),
    };
    assert!(damage.is_none_or(|error| !error.to_string().contains('\n')));
});
