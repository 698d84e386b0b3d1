//! Windows: file names are 16-bit units, which may not be valid text.

use std::ffi::OsString;
use std::os::windows::ffi::OsStringExt;

pub(super) fn os_string(bytes: Vec<u8>) -> Option<OsString> {
    let bytes = match String::from_utf8(bytes) {
        Ok(text) => return Some(text.into()),
        Err(e) => e.into_bytes(),
    };
    let mut units = Vec::with_capacity(bytes.len());
    let mut rest = &bytes[..];
    while let Some(chunk) = rest.utf8_chunks().next() {
        units.extend(chunk.valid().encode_utf16());
        rest = match &rest[chunk.valid().len()..] {
            [] => &[],
            // A lone surrogate, encoded as UTF-8 would encode it.
            [0xed, high @ 0xa0..=0xbf, low @ 0x80..=0xbf, rest @ ..] => {
                units.push(0xd000 | u16::from(high & 0x3f) << 6 | u16::from(low & 0x3f));
                rest
            }
            _ => return None,
        };
    }
    let name = OsString::from_wide(&units);
    // Two surrogates that form a pair have a different encoding, so they do not survive the round trip.
    (name.as_encoded_bytes() == bytes).then_some(name)
}
