//! The only module that reads files named by the user. It reads regular files of limited size, without blocking, and
//! remembers which files were read, so that no output of the same command overwrites them.

pub mod catalogue;
pub mod recordings;

use crate::environment;
use crate::locked::locked;
use model::{Bytes, clip};
use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::{Duration, Instant};
use sys::files::{FileTypeExt, Guards, Metadata, MetadataExt, OpenGuarded};

/// Device and inode number, which identify a file under any of its names.
pub type FileKey = (u64, u64);

/// Files that this command has read so far.
static READ: Mutex<BTreeMap<FileKey, Vec<PathBuf>>> = Mutex::new(BTreeMap::new());

/// Returns the key of a file.
pub fn key_of(meta: &Metadata) -> FileKey {
    (meta.dev(), meta.ino())
}

/// Remembers a file as one that this command reads.
fn noted(meta: &Metadata, path: &Path) {
    let mut read = locked(&READ);
    let names = read.entry(key_of(meta)).or_default();
    if !names.iter().any(|name| name == path) {
        names.push(path.to_owned());
    }
}

/// Returns the name under which a file was read; `None` if it was not read. The path is checked again, because the
/// inode number of a removed file may be reused.
pub fn read_as(key: FileKey) -> Option<PathBuf> {
    let stands = |path: &Path| sys::files::metadata(path).is_ok_and(|meta| key_of(&meta) == key);
    locked(&READ).get(&key)?.iter().find(|path| stands(path)).cloned()
}

/// Opens a regular file for reading. A pipe created by the shell (`<(...)`, `/dev/stdin`) is accepted as well, because
/// its writer exists.
///
/// # Errors
/// The reason, phrased so that it can follow the file's name.
pub fn open(path: &Path) -> Result<(File, Metadata), String> {
    // Opening the file must not block on a pipe without a writer or on a terminal, and must not trigger an action of a
    // device.
    let named = sys::files::metadata(path).map_err(|e| e.to_string())?;
    kind(&named, path)?;
    let file = OpenOptions::new().read(true).open_guarded(path, Guards::NO_WAIT).map_err(|e| e.to_string())?;
    let meta = sys::files::file_metadata(&file).map_err(|e| e.to_string())?;
    kind(&meta, path)?;
    if meta.file_type().is_fifo() {
        // From here on, reads block as they do on standard input.
        sys::streams::wait_again(&file).map_err(|e| e.to_string())?;
    } else {
        noted(&meta, path);
    }
    Ok((file, meta))
}

/// Checks that this kind of file can be read to its end.
fn kind(meta: &Metadata, path: &Path) -> Result<(), String> {
    let kind = meta.file_type();
    let inherited = ["/dev/stdin", "/dev/fd", "/proc/self/fd"].iter().any(|d| path.starts_with(d));
    let what = match () {
        () if kind.is_file() || kind.is_fifo() && inherited => return Ok(()),
        () if kind.is_dir() => "it is a directory",
        () if kind.is_fifo() => "it is a named pipe, not a regular file",
        () if kind.is_socket() => "it is a socket, not a regular file",
        () => "it is a device, not a regular file",
    };
    Err(what.to_owned())
}

/// Reads a whole file of at most `most` bytes.
///
/// # Errors
/// The reason why it cannot be read, phrased so that it can follow the file's name.
pub fn bytes(path: &Path, most: u64) -> Result<Vec<u8>, String> {
    let (file, meta) = open(path)?;
    if meta.len() > most {
        return Err(too_large(most));
    }
    read_to_end(file, most)
}

/// Reads all of standard input.
///
/// # Errors
/// Same as for [`bytes`].
pub fn standard(most: u64) -> Result<Vec<u8>, String> {
    read_to_end(std::io::stdin().lock(), most)
}

/// Reads a whole job file, which may also be standard input (`-`) or a pipe. These can be read only once, but the load
/// process has to read them again, so their content is kept for it ([`pass_to_child`]).
///
/// # Errors
/// Same as for [`bytes`].
pub fn job_file(path: &Path, most: u64) -> Result<Vec<u8>, String> {
    if let Some(bytes) = handed(path) {
        return Ok(bytes);
    }
    let bytes = match path {
        _ if path == Path::new("-") => standard(most)?,
        _ if sys::files::metadata(path).is_ok_and(|meta| meta.file_type().is_fifo()) => pipe(path, most)?,
        _ => return bytes(path, most),
    };
    let kept = keep(&bytes).map_err(|e| format!("cannot keep it for the load process: {e}"))?;
    locked(&ONCE).push((path.to_owned(), kept));
    Ok(bytes)
}

/// Time to wait for a writer to open a named pipe.
const WRITER: Duration = Duration::from_secs(2);

/// Reads a whole named pipe. Waits a limited time for a writer, then reads until the writer closes the pipe.
fn pipe(path: &Path, most: u64) -> Result<Vec<u8>, String> {
    let to_text = |e: std::io::Error| e.to_string();
    let mut file = OpenOptions::new().read(true).open_guarded(path, Guards::NO_WAIT).map_err(to_text)?;
    let (began, mut first) = (Instant::now(), [0; 4096]);
    let length = loop {
        match file.read(&mut first) {
            // No process has it open for writing.
            Ok(0) if began.elapsed() < WRITER => std::thread::sleep(Duration::from_millis(5)),
            Ok(0) => return Err("it is a named pipe, and no process writes to it".to_owned()),
            Ok(length) => break length,
            Err(error) if error.kind() == ErrorKind::WouldBlock => break 0,
            Err(error) => return Err(to_text(error)),
        }
    };
    sys::streams::wait_again(&file).map_err(to_text)?;
    read_to_end(first[..length].chain(file), most)
}

/// Content of inputs that can be read only once, in memory files.
static ONCE: Mutex<Vec<(PathBuf, File)>> = Mutex::new(Vec::new());

fn keep(bytes: &[u8]) -> std::io::Result<File> {
    let mut file = sys::files::memory_file("secchi-input")?;
    file.write_all(bytes)?;
    Ok(file)
}

/// Returns the value of [`environment::HANDED`] for a child process, which lists the inputs that can be read only once.
/// After this call, child processes inherit the descriptors of these inputs.
///
/// # Errors
/// Errors of the system.
pub fn pass_to_child() -> std::io::Result<Option<String>> {
    let once = locked(&ONCE);
    if once.is_empty() {
        return Ok(None);
    }
    let mut named = Vec::new();
    for (path, file) in once.iter() {
        named.push((path, sys::streams::inherit(file)?));
    }
    serde_json::to_string(&named).map(Some).map_err(std::io::Error::other)
}

/// Returns the content that the parent process read and passed on under this name.
fn handed(path: &Path) -> Option<Vec<u8>> {
    let named: Vec<(PathBuf, u64)> = serde_json::from_str(&environment::handed()?).ok()?;
    let (_, descriptor) = named.iter().find(|(name, _)| name == path)?;
    let mut bytes = Vec::new();
    sys::streams::inherited(*descriptor, false).ok()?.read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

/// Reads a source to its end, regardless of the size that it reports: files in `/proc` report 0.
fn read_to_end(source: impl Read, most: u64) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    source.take(most + 1).read_to_end(&mut bytes).map_err(|e| e.to_string())?;
    if bytes.len() as u64 > most { Err(too_large(most)) } else { Ok(bytes) }
}

fn too_large(most: u64) -> String {
    format!("it is larger than {}", Bytes(most))
}

/// Reads a whole text file.
///
/// # Errors
/// Same as for [`bytes`], and if the file is not valid UTF-8.
pub fn text(path: &Path, most: u64) -> Result<String, String> {
    String::from_utf8(bytes(path, most)?).map_err(|_| "it is not valid UTF-8".to_owned())
}

/// Returns `cannot read FILE: REASON`.
pub fn cannot_read(path: &Path, reason: &str) -> String {
    format!("cannot read {}: {reason}", clip(&path.display().to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_regular_files_within_bounds_are_read() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("f");
        std::fs::write(&file, "12345").unwrap();
        assert_eq!(bytes(&file, 5), Ok(b"12345".to_vec()));
        assert!(bytes(&file, 4).unwrap_err().contains("larger than"));
        assert!(bytes(dir.path(), 9).unwrap_err().contains("directory"));
        assert!(bytes(Path::new("/dev/zero"), 9).unwrap_err().contains("device"));
        // This file reports a size of 0 but has content.
        assert!(bytes(Path::new("/proc/self/maps"), 9).unwrap_err().contains("larger than"));
        let pipe = dir.path().join("p");
        sys::streams::create_pipe(&pipe).unwrap();
        assert!(bytes(&pipe, 9).unwrap_err().contains("named pipe"));
    }

    #[test]
    fn what_was_read_is_known_by_every_name_of_it() {
        let dir = tempfile::tempdir().unwrap();
        let (file, link) = (dir.path().join("f"), dir.path().join("l"));
        std::fs::write(&file, "x").unwrap();
        std::fs::hard_link(&file, &link).unwrap();
        assert_eq!(read_as(key_of(&sys::files::metadata(&link).unwrap())), None);
        bytes(&file, 9).unwrap();
        assert_eq!(read_as(key_of(&sys::files::metadata(&link).unwrap())), Some(file));
    }
}
