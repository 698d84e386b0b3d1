//! Unix: file names are bytes.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;

pub(super) fn os_string(bytes: Vec<u8>) -> Option<OsString> {
    Some(OsString::from_vec(bytes))
}
