//! Paths from bytes that may not be valid text, as job files and records store them.

#[cfg_attr(unix, path = "path_bytes/bytes.rs")]
#[cfg_attr(windows, path = "path_bytes/wide.rs")]
mod system;

use std::path::PathBuf;

/// Converts bytes as returned by [`std::ffi::OsStr::as_encoded_bytes`] to a path. Returns `None` if this system has no
/// such path: on Unix any bytes are valid; on Windows they must be UTF-8, except that lone surrogates are allowed.
#[must_use]
pub fn path_of_bytes(bytes: Vec<u8>) -> Option<PathBuf> {
    system::os_string(bytes).map(PathBuf::from)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn text_is_a_path_on_every_system_and_comes_back(text in any::<String>()) {
            let path = path_of_bytes(text.clone().into_bytes()).expect("text is a path");
            prop_assert_eq!(path.as_os_str().as_encoded_bytes(), text.as_bytes());
        }

        #[test]
        fn bytes_that_are_a_path_come_back_as_they_were(bytes in proptest::collection::vec(any::<u8>(), 0..12)) {
            if let Some(path) = path_of_bytes(bytes.clone()) {
                prop_assert_eq!(path.as_os_str().as_encoded_bytes(), &bytes[..]);
            }
        }
    }
}
