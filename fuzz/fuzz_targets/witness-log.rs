//! Any bytes as the file of a run that a witness keeps: none, or what stands in its whole beginning, which reads the same alone.
#![no_main]

use durable::witness::log::read_log;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let Some((known, whole)) = read_log(data) else { return };
    assert!(whole <= data.len() && known.marker.check().is_ok());
    let writers = known.marker.geometry.writers();
    assert!(known.batches.iter().flat_map(|b| &b.reached).all(|(writer, _)| *writer < writers));
    // What is behind it changed nothing, and each shorter file knows no more.
    let (again, length) = read_log(&data[..whole]).expect("it was read");
    assert!(again == known && length == whole);
    if let Some((less, shorter)) = read_log(&data[..whole - 1]) {
        assert!(shorter < whole && known.batches.starts_with(&less.batches));
    }
});
