//! Tests of the inspection of our own descriptors, on Linux.

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
    let pid = std::process::id();
    let Looked::File(inspected) = inspect(&Roots::host(), pid, file.as_raw_fd()) else { panic!("a file") };
    assert_eq!(
        (inspected.path.as_path(), inspected.size, inspected.position),
        (&*sys::files::canonical(&path).expect("there"), 5, 3)
    );
    assert!(inspected.appends && inspected.closes && !inspected.durable && !inspected.directory);
    std::fs::remove_file(&path).expect("removed");
    let Looked::File(inspected) = inspect(&Roots::host(), pid, file.as_raw_fd()) else { panic!("a file") };
    assert!(inspected.path.ends_with("file"), "{inspected:?}");
    let (reader, _writer) = std::io::pipe().expect("a pipe");
    let pipe = inspect(&Roots::host(), pid, reader.as_raw_fd());
    assert!(matches!(pipe, Looked::Other { nameless: true, closes: true }), "{pipe:?}");
    let proc = std::fs::File::open("/proc/self/stat").expect("there");
    assert!(matches!(inspect(&Roots::host(), pid, proc.as_raw_fd()), Looked::Other { nameless: false, .. }));
    assert!(matches!(inspect(&Roots::host(), pid, 1_000_000), Looked::Gone));
}
