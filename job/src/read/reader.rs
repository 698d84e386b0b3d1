//! State and limits of the reader.

use super::lookup::Lookup;
use super::table::Table;
use crate::entry::{Raw, RawSection};
use crate::error::{JobError, Note, SourceLocation};
use crate::text;
use messages::Sentence;
use model::clip;

/// Maximum size of a job file.
const MOST_BYTES: usize = 16 << 20;

/// Maximum number of sections, equal to the maximum number of clones.
const MOST_SECTIONS: usize = 4096;

pub(crate) struct Reader<'a> {
    pub(super) lookup: &'a dyn Lookup,
    pub(super) table: &'a Table<'a>,
    pub(super) raw: Raw,
    pub(super) entries: usize,
    pub(super) included: usize,
    /// True if consent to write to mounted devices is ignored instead of being an error.
    pub(crate) no_consent: bool,
    /// Distinct unset variables. `unset_at` is the location of the first unset variable.
    pub(super) unset: Vec<String>,
    pub(super) unset_at: Option<SourceLocation>,
    /// Arguments with typographic dashes, which share a single note.
    pub(super) odd_dashes: Vec<(SourceLocation, String)>,
}

impl<'a> Reader<'a> {
    pub(crate) fn new(lookup: &'a dyn Lookup, table: &'a Table<'a>) -> Self {
        Reader {
            lookup,
            table,
            raw: Raw::default(),
            entries: 0,
            included: 0,
            no_consent: false,
            unset: Vec::new(),
            unset_at: None,
            odd_dashes: Vec::new(),
        }
    }

    pub(super) fn push(&mut self, section: RawSection) -> Result<(), JobError> {
        if self.raw.sections.len() == MOST_SECTIONS {
            return Err(JobError::new(&section.at, format!("more than {MOST_SECTIONS} sections")));
        }
        self.raw.sections.push(section);
        Ok(())
    }

    pub(super) fn note(&mut self, at: &SourceLocation, text: Sentence) {
        // A large file with an odd character in each line must not fill the memory with notes.
        if self.raw.notes.len() < 1000 {
            self.raw.notes.push(Note::new(at, text));
        }
    }

    pub(super) fn decode_file(&self, name: &str, bytes: &[u8], at: &SourceLocation) -> Result<String, JobError> {
        let wrong = |why: String| JobError::new(at, format!("job file `{}`: {why}", clip(name)));
        if bytes.len() > MOST_BYTES {
            return Err(wrong(format!("{} bytes are too many (max 16 MiB)", bytes.len())));
        }
        text::decode(bytes).map_err(|why| wrong(why.to_string()))
    }
}
