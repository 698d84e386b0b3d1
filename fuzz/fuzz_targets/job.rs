//! Parses arbitrary bytes as a job file and as a command line: errors have one line, and nothing panics.
//!
//! `cargo +nightly fuzz run job -- -max_total_time=600 -dict=job.dict`, with the test cases as the initial corpus:
//! `cp ../job/tests/cases/*.fio corpus/job/`.
#![no_main]

use libfuzzer_sys::fuzz_target;
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::Path;
use std::sync::LazyLock;

/// Lookup that returns the fuzzed text for every name, so that includes are followed.
struct Mirror<'a>(&'a [u8]);

impl job::Lookup for Mirror<'_> {
    fn read(&self, _: &Path, from: Option<&str>) -> Result<Vec<u8>, job::LookupError> {
        // Included files must not contain sections; job files may.
        match from {
            Some(_) => Ok(self.0.split(|b| *b == b'[').next().unwrap_or_default().to_vec()),
            None => Ok(self.0.to_vec()),
        }
    }

    fn variable(&self, name: &str) -> Option<String> {
        (name != "NOPE").then(|| name.to_owned())
    }

    fn engines(&self) -> &job::Engines {
        static ENGINES: LazyLock<job::Engines> = LazyLock::new(|| job::Engines::new(load::engines::specs()));
        &ENGINES
    }

    fn machine(&self) -> job::Machine {
        job::Machine { cpus: 2, page_size: 4096, memory_mb: 16_384 }
    }
}

fn judge(outcome: Result<job::JobFile, job::JobError>) {
    match outcome {
        Ok(file) => {
            assert!(job::command_line(&file).ends_with('\n'));
            assert!(file.notes.iter().all(|n| !n.to_string().contains('\n')));
        }
        Err(error) => {
            let message = error.to_string();
            assert!(!message.contains('\n'), "more than one line: {message}");
            assert!(message.chars().count() < 2000, "too long: {message}");
        }
    }
}

fuzz_target!(|data: &[u8]| {
    judge(job::parse_text("fuzz.fio", data, &Mirror(data)));
    // The same bytes as a command line, split at newlines.
    let args: Vec<OsString> = data.split(|b| *b == b'\n').map(|a| OsString::from_vec(a.to_vec())).collect();
    judge(job::parse_arguments(&args, &[], &Mirror(data)));
});
