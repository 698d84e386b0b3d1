//! Extended attributes of a file: a few bytes stored with the file, lost when it is replaced by another
//! (`NtQueryEaFile`).

use crate::windows::nt;
use std::fs::File;
use std::io;
use windows_sys::Wdk::Storage::FileSystem::{NtQueryEaFile, NtSetEaFile};

/// Maximum length of a value; a longer one was not written by secchi.
const LONGEST: usize = 4096;

/// Returns the value of an attribute (`user.something`) of an open file. `None` if it does not exist, the file system
/// has no attributes, or the value is longer than 4096 bytes.
///
/// # Errors
/// Errors of `NtQueryEaFile`; [`io::ErrorKind::InvalidInput`] for a name longer than 254 bytes.
pub fn read_attribute(file: &File, name: &str) -> io::Result<Option<Vec<u8>>> {
    let length = name_length(name)?;
    // FILE_GET_EA_INFORMATION: offset of the next entry, length of the name, and the name with a zero.
    let mut asked = vec![0, 0, 0, 0, length];
    asked.extend(name.bytes().chain([0]));
    let asked = words(&asked);
    let mut answer = words(&vec![0; LONGEST + 512]);
    let mut status = nt::no_status();
    // SAFETY: the handle is open; the call reads one entry of the list and writes at most the bytes of the answer. Both
    // live until it returns.
    let done = unsafe {
        NtQueryEaFile(
            nt::handle(file),
            &raw mut status,
            answer.as_mut_ptr().cast(),
            size_of_val(answer.as_slice()) as u32,
            true,
            asked.as_ptr().cast(),
            5 + u32::from(length) + 1,
            std::ptr::null(),
            true,
        )
    };
    if done < 0 {
        // No attributes here, none with this name, or a value that is too long.
        return Ok(None);
    }
    Ok(value(&bytes(&answer), name))
}

/// Parses the value of a FILE_FULL_EA_INFORMATION: next, flags, lengths of name and value, name with a zero, value.
fn value(entry: &[u8], name: &str) -> Option<Vec<u8>> {
    let of_name = usize::from(*entry.get(5)?);
    let of_value = usize::from(u16::from_le_bytes([*entry.get(6)?, *entry.get(7)?]));
    let entry_name = entry.get(8..8 + of_name)?;
    let value = entry.get(9 + of_name..9 + of_name + of_value)?;
    // A missing attribute is reported with an empty value.
    let ours = entry_name.eq_ignore_ascii_case(name.as_bytes()) && !value.is_empty() && value.len() <= LONGEST;
    ours.then(|| value.to_vec())
}

/// Sets an attribute of an open file, new or replacing its old value. Returns `false` if the file system has no
/// attributes, or no room for this one.
///
/// # Errors
/// [`io::ErrorKind::InvalidInput`] for a name longer than 254 bytes.
pub fn write_attribute(file: &File, name: &str, value: &[u8]) -> io::Result<bool> {
    let length = name_length(name)?;
    let Ok(of_value) = u16::try_from(value.len()) else { return Ok(false) };
    let mut entry = vec![0, 0, 0, 0, 0, length];
    entry.extend(of_value.to_le_bytes());
    entry.extend(name.bytes().chain([0]).chain(value.iter().copied()));
    let (bytes, entry) = (entry.len(), words(&entry));
    let mut status = nt::no_status();
    // SAFETY: the handle is open; the call reads one entry, which lives until it returns.
    let done = unsafe { NtSetEaFile(nt::handle(file), &raw mut status, entry.as_ptr().cast(), bytes as u32) };
    Ok(done >= 0)
}

fn name_length(name: &str) -> io::Result<u8> {
    let fits = u8::try_from(name.len()).ok().filter(|length| *length < 255);
    fits.ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "an attribute name must not exceed 254 bytes"))
}

/// Copies bytes to memory that is aligned for structures of the system.
fn words(bytes: &[u8]) -> Vec<u64> {
    let word = |eight: &[u8]| {
        let mut whole = [0; 8];
        whole[..eight.len()].copy_from_slice(eight);
        u64::from_ne_bytes(whole)
    };
    bytes.chunks(8).map(word).collect()
}

fn bytes(words: &[u64]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_ne_bytes()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_back_or_the_file_system_has_no_attributes() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("f");
        let file = File::options().read(true).write(true).create_new(true).open(path).unwrap();
        assert_eq!(read_attribute(&file, "user.secchi").unwrap(), None);
        if !write_attribute(&file, "user.secchi", b"mark").unwrap() {
            testkit::skip!("this file system has no extended attributes (wine)");
        }
        assert_eq!(read_attribute(&file, "user.secchi").unwrap(), Some(b"mark".to_vec()));
        assert!(write_attribute(&file, "user.secchi", b"other").unwrap());
        assert_eq!(read_attribute(&file, "user.secchi").unwrap(), Some(b"other".to_vec()));
    }

    #[test]
    fn an_entry_is_read_and_an_empty_one_is_none() {
        let entry = |value: &[u8]| {
            let mut bytes = vec![0, 0, 0, 0, 0, 3];
            bytes.extend((value.len() as u16).to_le_bytes());
            bytes.extend(b"ABC\0".iter().chain(value));
            bytes
        };
        assert_eq!(value(&entry(b"xy"), "abc"), Some(b"xy".to_vec()));
        assert_eq!((value(&entry(b""), "abc"), value(&entry(b"xy"), "abd"), value(&[0; 4], "abc")), (None, None, None));
    }
}
