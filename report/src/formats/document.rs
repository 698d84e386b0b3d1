//! JSON documents: on one line, ended by a newline, harmless to a terminal.

use crate::widgets::sanitise::is_harmful;
use serde::Serialize;
use serde_json::ser::{Formatter, Serializer};
use std::io::{self, Write};

/// A document of a command that shows no run: on one line, harmless to a terminal.
///
/// # Errors
/// Those of `out`.
pub fn write_document(document: &impl Serialize, out: &mut dyn Write) -> io::Result<()> {
    document.serialize(&mut Serializer::with_formatter(&mut *out, Harmless))?;
    out.write_all(b"\n")
}

/// Compact JSON that escapes what [`is_harmful`]. C0 is escaped by serde_json already.
struct Harmless;

impl Formatter for Harmless {
    fn write_string_fragment<W: ?Sized + Write>(&mut self, out: &mut W, fragment: &str) -> io::Result<()> {
        let mut rest = fragment;
        while let Some(at) = rest.find(is_harmful) {
            let c = rest[at..].chars().next().expect("a character was found here");
            out.write_all(&rest.as_bytes()[..at])?;
            for unit in c.encode_utf16(&mut [0; 2]) {
                write!(out, "\\u{unit:04x}")?;
            }
            rest = &rest[at + c.len_utf8()..];
        }
        out.write_all(rest.as_bytes())
    }
}
