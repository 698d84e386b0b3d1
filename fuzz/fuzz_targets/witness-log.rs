//! Parses arbitrary bytes as the log that a witness keeps of a run: the result is nothing or the records of its intact
//! beginning, which alone parses to the same.
#![no_main]

use durable::witness::log::read_log;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let Some((known, whole)) = read_log(data) else { return };
    assert!(whole <= data.len() && known.marker.check().is_ok());
    let writers = known.marker.geometry.writers();
    assert!(known.batches.iter().flat_map(|b| &b.reached).all(|(writer, _)| *writer < writers));
    // Data after the intact part has no effect, and a shorter file never has more records.
    let (again, length) = read_log(&data[..whole]).expect("it was read");
    assert!(again == known && length == whole);
    if let Some((less, shorter)) = read_log(&data[..whole - 1]) {
        assert!(shorter < whole && known.batches.starts_with(&less.batches));
    }
});
