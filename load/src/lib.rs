//! Load generation: engines, targets, patterns, pacing, the worker loop and its recorder.
//!
//! Depends on `model` and `sys`. Handles jobs and requests, but not phases, ramps, stored results or reports.
//!
//! # Example
//!
//! ```
//! use load::engine::{Opening, Request};
//! use load::engines::find;
//! use std::io::Write;
//! use std::sync::Arc;
//!
//! let mut file = tempfile::tempfile()?;
//! file.write_all(&[7; 4096])?;
//!
//! let files = vec![Arc::new(file)];
//! let opening = Opening { files, size: 4096, depth: 1, buffer_size: 4096, ..Opening::default() };
//! let mut engine = (find("psync")?.open)(&opening)?.engine;
//! let read = Request { len: 4096, ..Request::default() };
//! assert_eq!(engine.single(&read, &mut Vec::new())?, 4096);
//! assert!(engine.buffer(0)[..4096].iter().all(|byte| *byte == 7));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

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
pub mod stamp;
pub mod target;
pub mod verify;
pub mod worker;
pub mod zoned;

#[cfg(test)]
use test_files::{test_directory, test_disk_file, test_file};

#[cfg(test)]
extern crate self as load;

#[cfg(test)]
#[path = "../tests/support/granules.rs"]
mod granules;

#[cfg(test)]
mod test_files {
    /// Returns an unnamed test file, which is deleted when it is closed. Engines may reopen it until then.
    pub(crate) fn test_file() -> std::fs::File {
        let place = sys::files::canonical(std::env::temp_dir()).expect("a directory for temporary files");
        let place = sys::files::open_no_links(None, &place, sys::files::OpenHow::plain(sys::files::Access::Directory))
            .expect("it is there");
        sys::files::create_nameless(&place).expect("a file")
    }

    /// Opens a directory for tests.
    pub(crate) fn test_directory(path: &std::path::Path) -> std::fs::File {
        let path = sys::files::canonical(path).expect("it is there");
        sys::files::open_no_links(None, &path, sys::files::OpenHow::plain(sys::files::Access::Directory))
            .expect("it opens")
    }

    /// Returns an unnamed test file in the current directory, which is the source directory during tests. The file is on a
    /// disk if the sources are, and is deleted when it is closed.
    pub(crate) fn test_disk_file() -> std::fs::File {
        sys::files::create_nameless(&test_directory(std::path::Path::new("."))).expect("a file")
    }
}
