//! Parses and follows arbitrary bytes as a shell script, a batch file, a file of unknown kind and a typed command: the
//! work is bounded, errors have one line, and nothing panics.
//!
//! `cargo +nightly fuzz run script -- -max_total_time=600`, with the scripts of this repository as the initial corpus:
//! `cp $(git ls-files '../*.sh') corpus/script/`.
#![no_main]

use libfuzzer_sys::fuzz_target;
use script::{Broken, Followed};
use std::path::Path;

fn check(outcome: Result<Option<Followed>, Broken>) {
    if let Err(broken) = outcome {
        assert!(!broken.what.contains('\n'), "more than one line: {}", broken.what);
    }
}

fuzz_target!(|data: &[u8]| {
    let text = String::from_utf8_lossy(data);
    for name in ["a.sh", "a.bat", "a"] {
        check(script::read(Path::new(name), &text));
    }
    check(script::follow_line(&text).map(Some));
});
