//! Inspection of our own descriptors by number, on Linux.

use super::files::*;
use crate::Roots;
use std::io::{Seek, SeekFrom, Write};
use std::os::fd::AsRawFd;

#[test]
fn a_descriptor_is_looked_at_with_its_flags_and_position() {
    let dir = tempfile::tempdir().expect("a directory");
    let path = dir.path().join("file");
    let mut file = std::fs::OpenOptions::new().create(true).append(true).open(&path).expect("made");
    file.write_all(b"hello").expect("written");
    file.seek(SeekFrom::Start(3)).expect("there");
    let own = std::process::id();
    let Looked::File(told) = look(&Roots::host(), own, file.as_raw_fd()) else { panic!("a file") };
    assert_eq!((told.path.as_path(), told.size, told.position), (&*sys::canonical(&path).expect("there"), 5, 3));
    assert!(told.appends && told.closes && !told.durable && !told.directory);
    std::fs::remove_file(&path).expect("removed");
    let Looked::File(told) = look(&Roots::host(), own, file.as_raw_fd()) else { panic!("a file") };
    assert!(told.path.ends_with("file"), "{told:?}");
    let (reader, _writer) = std::io::pipe().expect("a pipe");
    let pipe = look(&Roots::host(), own, reader.as_raw_fd());
    assert!(matches!(pipe, Looked::Other { nameless: true, closes: true }), "{pipe:?}");
    let proc = std::fs::File::open("/proc/self/stat").expect("there");
    assert!(matches!(look(&Roots::host(), own, proc.as_raw_fd()), Looked::Other { nameless: false, .. }));
    assert!(matches!(look(&Roots::host(), own, 1_000_000), Looked::Gone));
}
