//! Imports arbitrary bytes as exported runs (`secchi runs import`) into an empty store. A rejected file leaves no
//! run, and nothing is written outside the store.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let place = tempfile::tempdir().expect("a directory");
    let store = store::Store::open(&place.path().join("store")).expect("an empty store");
    let outcome = store.import(data);
    let outside = std::fs::read_dir(place.path()).expect("the directory").count();
    assert_eq!(outside, 1, "only the store");
    if let Err(error) = outcome {
        let message = error.to_string();
        assert!(!message.contains('\n'), "more than one line: {message}");
    }
});
