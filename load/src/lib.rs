//! The data plane: engines, targets, patterns, pacing, the worker loop and its recorder.
//!
//! Stands on `model` and `sys`. Knows jobs and requests; knows nothing of phases, ramps, records on disk or reports.

pub mod content;
pub mod contents;
pub mod engine;
pub mod engines;
pub mod names;
pub mod pacer;
pub mod pattern;
pub mod random;
pub mod recorder;
pub mod session;
pub mod target;
pub mod verify;
pub mod worker;
pub mod zoned;

/// A file for tests that goes when it is closed, and that engines may open anew meanwhile.
#[cfg(test)]
fn test_file() -> std::fs::File {
    let place = sys::canonical(std::env::temp_dir()).expect("a place for temporary files");
    let place = sys::open_no_links(None, &place, sys::OpenHow::plain(sys::Access::Directory)).expect("it is there");
    sys::create_nameless(&place).expect("a file")
}

/// An open directory, for tests.
#[cfg(test)]
fn test_directory(path: &std::path::Path) -> std::fs::File {
    let path = sys::canonical(path).expect("it is there");
    sys::open_no_links(None, &path, sys::OpenHow::plain(sys::Access::Directory)).expect("it opens")
}

/// A file for tests beside the sources, on a disk where they lie on one; it goes when it is closed.
#[cfg(test)]
fn test_disk_file() -> std::fs::File {
    sys::create_nameless(&test_directory(std::path::Path::new("."))).expect("a file")
}
