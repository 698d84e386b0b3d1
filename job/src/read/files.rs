//! Parsing of job files and of the files that they include.

use super::reader::Reader;
use crate::entry::{Entry, Head, Raw, RawSection};
use crate::error::{JobError, SourceLocation};
use crate::text;
use messages::sentence;
use model::clip;
use std::sync::Arc;

/// Maximum nesting of includes.
const MOST_INCLUDES: usize = 8;

/// Maximum total number of includes. Without this limit, nested includes could multiply.
const MOST_INCLUDED: usize = 256;

/// Maximum total number of option lines in all files.
const MOST_ENTRIES: usize = 200_000;

impl<'a> Reader<'a> {
    /// Parses one job file given as text, as if it were the only argument.
    pub(crate) fn job_text(mut self, name: &str, bytes: &[u8]) -> Result<Raw, JobError> {
        self.lines(0, &Arc::from(name), bytes, &SourceLocation::Whole)?;
        self.note_unset();
        Ok(self.raw)
    }

    pub(super) fn file(&mut self, number: usize, path: &str, at: &SourceLocation) -> Result<(), JobError> {
        let bytes = self.lookup.read(&text::to_path(path), None).map_err(|why| {
            let hint = match path {
                p if p.contains('=') => "; an option begins with `--`",
                "0" | "1" => "; a flag takes its value after `=`",
                _ => "",
            };
            JobError::new(at, format!("job file `{}`: {why}{hint}", clip(&text::printable(path))))
        })?;
        self.lines(number, &Arc::from(text::printable(path)), &bytes, at)
    }

    pub(super) fn lines(
        &mut self,
        number: usize,
        name: &Arc<str>,
        bytes: &[u8],
        at: &SourceLocation,
    ) -> Result<(), JobError> {
        let in_file = |line: usize, column: usize| SourceLocation::Line { file: Arc::clone(name), line, column };
        let text = self.decode_file(name, bytes, at)?;
        let mut section: Option<RawSection> = None;
        self.collect_unset(&text, &in_file);
        for (i, raw_line) in text.lines().enumerate() {
            let (line, column) = self.clean_line(raw_line, &in_file(i + 1, 1));
            let at = in_file(i + 1, column);
            if line.is_empty() {
                continue;
            }
            if let Some(rest) = line.strip_prefix('[') {
                let head = self.section_head(rest, &at)?;
                let next = RawSection { at, head, entries: Vec::new(), file: Some(number) };
                if let Some(done) = section.replace(next) {
                    self.push(done)?;
                }
                continue;
            }
            let Some(current) = section.as_mut() else {
                let stray = text::stray_byte(&line).map(|b| format!("not text (byte 0x{b:02x})"));
                let reason = stray.unwrap_or_else(|| format!("`{}` is before the first [section]", clip(&line)));
                return Err(JobError::new(&at, reason));
            };
            let mut entries = std::mem::take(&mut current.entries);
            self.option_line(&line, &at, &mut entries, &mut vec![name.to_string()])?;
            current.entries = entries;
        }
        match section {
            Some(done) => self.push(done),
            None => Err(JobError::new(at, format!("job file `{}` contains no jobs", clip(name)))),
        }
    }

    /// Returns a line without its comment and surrounding spaces, and the column at which it begins.
    fn clean_line(&mut self, raw: &str, at: &SourceLocation) -> (String, usize) {
        let mended = text::mend_spaces(raw);
        let line = mended.as_deref().unwrap_or(raw);
        let indent = line.chars().take_while(|c| c.is_whitespace()).count();
        let body = without_comment(line.trim());
        if mended.is_some() && !body.is_empty() {
            self.note(at, sentence!("job-space-taken"));
        }
        (body.to_owned(), indent + 1)
    }

    fn section_head(&mut self, rest: &str, at: &SourceLocation) -> Result<Head, JobError> {
        let Some(end) = rest.rfind(']') else {
            return Err(JobError::new(at, format!("`[{}` has no closing bracket", clip(rest))));
        };
        let after = rest[end + 1..].trim();
        if !after.is_empty() {
            self.note(at, sentence!("job-after-section", rest = clip(after)));
        }
        let name = self.job_name(&rest[..end], at)?;
        Ok(if name == "global" { Head::Global } else { Head::Job(name) })
    }

    /// Parses `key`, `key=value` or `include file`.
    fn option_line(
        &mut self,
        line: &str,
        at: &SourceLocation,
        entries: &mut Vec<Entry>,
        files: &mut Vec<String>,
    ) -> Result<(), JobError> {
        let (name, value) = match line.split_once('=') {
            Some((name, value)) => (name.trim_end(), Some(value.trim().to_owned())),
            None => (line, None),
        };
        if value.is_none()
            && let Some((word, path)) = line.split_once(char::is_whitespace)
            && word == "include"
        {
            return self.include(path.trim(), at, entries, files);
        }
        let mended = text::mend_dashes(name);
        if mended.is_some() {
            self.note(at, sentence!("job-dash-option", name = clip(name)));
        }
        let name = mended.as_deref().unwrap_or(name);
        let bare = name.trim_start_matches('-');
        if bare != name {
            self.note(at, sentence!("job-dashes-in-file", name = clip(name)));
        }
        if let Some(byte) = text::stray_byte(bare) {
            return Err(JobError::new(at, format!("not text (byte 0x{byte:02x})")));
        }
        let spec = match self.table.exact(bare) {
            Some(spec) if spec.command => {
                return Err(JobError::new(at, format!("`{bare}` belongs on the command line, not in a job file")));
            }
            Some(spec) => spec,
            None => return Err(JobError::new(at, self.table.unknown(bare, false).to_string())),
        };
        self.entries += 1;
        if self.entries > MOST_ENTRIES {
            return Err(JobError::new(at, format!("more than {MOST_ENTRIES} option lines")));
        }
        entries.push(self.entry(spec, value, at.clone())?);
        Ok(())
    }

    fn include(
        &mut self,
        path: &str,
        at: &SourceLocation,
        entries: &mut Vec<Entry>,
        files: &mut Vec<String>,
    ) -> Result<(), JobError> {
        let (path, unset) = self.substitute(path, at);
        if unset {
            return Err(self.unset_error(at));
        }
        let shown = text::printable(&path);
        if files.contains(&shown) {
            let cycle = files.iter().map(String::as_str).chain([shown.as_str()]).map(clip).collect::<Vec<_>>();
            return Err(JobError::new(at, format!("circular includes: {}", cycle.join(" -> "))));
        }
        if files.len() > MOST_INCLUDES {
            return Err(JobError::new(at, format!("includes are nested more than {MOST_INCLUDES} levels deep")));
        }
        self.included += 1;
        if self.included > MOST_INCLUDED {
            return Err(JobError::new(at, format!("more than {MOST_INCLUDED} includes in total")));
        }
        let from = files.last().cloned();
        let bytes = self
            .lookup
            .read(&text::to_path(&path), from.as_deref())
            .map_err(|why| JobError::new(at, format!("include `{}`: {why}", clip(&shown))))?;
        let text = self.decode_file(&shown, &bytes, at)?;
        let name: Arc<str> = Arc::from(shown.as_str());
        files.push(shown);
        for (i, raw_line) in text.lines().enumerate() {
            let start = SourceLocation::Line { file: Arc::clone(&name), line: i + 1, column: 1 };
            let (line, column) = self.clean_line(raw_line, &start);
            let at = SourceLocation::Line { file: Arc::clone(&name), line: i + 1, column };
            if line.starts_with('[') {
                return Err(JobError::new(&at, "an included file must contain only options, no sections"));
            }
            if !line.is_empty() {
                self.option_line(&line, &at, entries, files)?;
            }
        }
        files.pop();
        Ok(())
    }
}

/// Removes a comment, which begins at the first `#` or `;` outside of quotes.
fn without_comment(line: &str) -> &str {
    let mut quote = None;
    for (i, c) in line.char_indices() {
        match (quote, c) {
            (None, '#' | ';') => return line[..i].trim_end(),
            // An unclosed quote does not count.
            (None, '"' | '\'') if line[i + 1..].contains(c) => quote = Some(c),
            (Some(open), c) if c == open => quote = None,
            _ => {}
        }
    }
    line
}
