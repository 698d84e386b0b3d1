//! Any bytes as a file of another tool: whatever is recognised, then each format in turn, chosen by the first byte. One sentence or
//! figures whose values lie in their intervals, never a panic.
//!
//! `cargo +nightly fuzz run import -- -max_total_time=600 -dict=import.dict`, with what was recorded as a first corpus: each file of
//! `../import/tests/data` and `../import/tests/fio`, and the same behind each byte below the number of formats.
#![no_main]

use import::{FORMATS, ImportError, Source};
use libfuzzer_sys::fuzz_target;
use model::ForeignFile;

fn judge(outcome: Result<Vec<ForeignFile>, ImportError>, sorted: bool) {
    match outcome {
        Ok(files) => {
            for test in files.iter().flat_map(|f| f.tests.iter().chain(&f.disks).chain(&f.groups)) {
                for value in &test.values {
                    let (low, high) = value.between;
                    assert!(value.value.is_none_or(|v| low <= v && v <= high), "{value:?}");
                }
            }
            for series in files.iter().flat_map(|f| &f.series) {
                assert!(series.points.iter().all(|p| p.at.is_finite() && p.value.is_finite()), "{}", series.name);
                assert!(!sorted || series.points.is_sorted_by(|a, b| a.at <= b.at), "{}", series.name);
            }
        }
        Err(why) => {
            let why = why.to_string();
            assert!(!why.contains('\n'), "more than one line: {why}");
            assert!(why.chars().count() < 2000, "too long: {why}");
        }
    }
}

fuzz_target!(|data: &[u8]| {
    judge(import::read("fuzz_lat.1.log", data), true);
    // A reader must stand what its recogniser would have refused.
    if let Some((format, rest)) = data.split_first()
        && let Ok(source) = Source::new("fuzz_bw.1.log", rest, &|| false)
    {
        let format = &FORMATS[usize::from(*format) % FORMATS.len()];
        judge((format.read)(&source), false);
        let _ = (format.recognise)(&source);
    }
});
