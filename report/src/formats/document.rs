//! JSON documents, terminated by a newline.

use super::DocumentKind;
use crate::widgets::sanitise::is_harmful;
use serde::Serialize;
use serde_json::ser::{Formatter, Serializer};
use std::io::{self, Write};

/// A document with the address of its schema.
#[derive(Serialize)]
struct Linked<T> {
    #[serde(rename = "$schema")]
    schema: String,
    #[serde(flatten)]
    document: T,
}

/// Writes a document with the address of its schema, on one line and safe to print to a terminal.
///
/// # Errors
/// Returns an error if writing to `out` fails.
pub fn write_document(kind: DocumentKind, document: impl Serialize, out: &mut dyn Write) -> io::Result<()> {
    write_value(&Linked { schema: kind.schema_url(), document }, out)
}

/// Writes a value that has no schema, on one line and safe to print to a terminal.
pub(crate) fn write_value(value: &impl Serialize, out: &mut dyn Write) -> io::Result<()> {
    value.serialize(&mut Serializer::with_formatter(&mut *out, Harmless))?;
    out.write_all(b"\n")
}

/// Returns a text as a string of JSON, with quotes.
pub(super) fn quoted(text: &str) -> String {
    let mut out = Vec::new();
    text.serialize(&mut Serializer::with_formatter(&mut out, Harmless)).expect("a vector takes every byte");
    String::from_utf8(out).expect("JSON is text")
}

/// Compact JSON formatter that escapes characters for which [`is_harmful`] is true. serde_json already escapes C0.
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
