//! The history as one JSON document: `{"history": [...]}`, one element per batch, in the units of `book/src/reference/record.md`.

use super::{Batch, Export};
use crate::formats::write_document;
use serde::Serialize;
use std::io::{self, Write};

pub struct Json;

#[derive(Serialize)]
struct Document<'a> {
    history: &'a [&'a Batch],
}

impl Export for Json {
    fn name(&self) -> &'static str {
        "json"
    }

    fn classes(&self) -> &'static [&'static str] {
        &[]
    }

    fn file_name(&self, _class: &str, _now: &str) -> Option<String> {
        None
    }

    fn write(&self, batches: &[&Batch], out: &mut dyn Write) -> io::Result<()> {
        write_document(&Document { history: batches }, out)
    }
}
