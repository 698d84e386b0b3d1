//! Checks of the importers: a reader returns a one-line error or figures within their
//! intervals, and never panics.

use import::{Format, ImportError, Source};
use model::foreign::ForeignFile;

/// Reads arbitrary bytes as a file of any tool, as recognised.
pub fn any_format(data: &[u8]) {
    check(import::read("fuzz_lat.1.log", data), true);
}

/// Reads arbitrary bytes as a file of one format. A reader must handle even data that its recogniser rejects.
pub fn one_format(format: &Format, data: &[u8]) {
    let Ok(source) = Source::new("fuzz_bw.1.log", data, &|| false) else { return };
    let recognised = (format.recognise)(&source);
    check((format.read)(&source), false);
    // Recognised data also takes the path of a user's file.
    if recognised {
        any_format(data);
    }
}

fn check(outcome: Result<Vec<ForeignFile>, ImportError>, sorted: bool) {
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
        Err(error) => {
            let message = error.to_string();
            assert!(!message.contains('\n'), "more than one line: {message}");
            assert!(message.chars().count() < 2000, "too long: {message}");
        }
    }
}
