//! Decoding of a file to lines of text: encodings, line ends and limits (docs/design/bad-input.md, "Files that are
//! read").

use messages::{Sentence, sentence};
use model::foreign::{ForeignFile, ForeignRemark};
use std::borrow::Cow;

/// Size limit for files, in bytes (docs/design/bad-input.md, "Files that are read").
pub const LARGEST: u64 = 256 << 20;
/// Maximum length of a line, in bytes, for line-based formats.
pub const LONGEST_LINE: usize = 1 << 20;
/// Maximum number of lines, for line-based formats.
pub const MOST_LINES: usize = 1_000_000;

/// Reason why a file cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ImportError(pub String);

/// Decoded text of a file, and the remarks from decoding it.
pub struct Source<'a> {
    /// Name of the file as given by the user.
    pub name: &'a str,
    text: Cow<'a, str>,
    /// Remarks from decoding, such as a guessed encoding or removed bytes.
    pub remarks: Vec<ForeignRemark>,
    late: &'a dyn Fn() -> bool,
}

impl<'a> Source<'a> {
    /// Decodes a file. `late` returns `true` when the time for reading is over.
    ///
    /// # Errors
    /// Returns an error if the file is empty or larger than [`LARGEST`].
    pub fn new(name: &'a str, bytes: &'a [u8], late: &'a dyn Fn() -> bool) -> Result<Self, ImportError> {
        if bytes.len() as u64 > LARGEST {
            return Err(ImportError(format!("it is larger than {} MiB", LARGEST >> 20)));
        }
        let (mut text, how) = decode(bytes);
        let mut remarks: Vec<ForeignRemark> = how.map(|how| remark(0, how)).into_iter().collect();
        // Logs contain null bytes if the machine crashed, or if they were truncated while being written.
        let nulls = text.bytes().filter(|b| *b == 0).count();
        if nulls > 0 {
            remarks.push(remark(0, sentence!("import-nul-bytes", n = nulls)));
            text = Cow::Owned(text.replace('\0', ""));
        }
        if text.trim_ascii().is_empty() {
            return Err(ImportError("it is empty".to_owned()));
        }
        if let Some(unquoted) = without_quotes(&text) {
            remarks.push(remark(0, sentence!("import-quoted")));
            text = Cow::Owned(unquoted);
        }
        Ok(Source { name, text, remarks, late })
    }

    /// Returns the whole text.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the beginning of the text, by which the format is recognised.
    #[must_use]
    pub fn head(&self) -> &str {
        let mut end = self.text.len().min(256 << 10);
        while !self.text.is_char_boundary(end) {
            end -= 1;
        }
        &self.text[..end]
    }

    /// Returns the same source with another text and without remarks.
    #[must_use]
    pub fn with_text<'b>(&'b self, text: impl Into<Cow<'b, str>>) -> Source<'b> {
        Source { name: self.name, text: text.into(), remarks: Vec::new(), late: self.late }
    }

    /// Returns a copy of the source that keeps only the lines whose numbers `is_in` accepts. All other lines are blank.
    #[must_use]
    pub fn only(&self, is_in: impl Fn(u32) -> bool) -> Source<'_> {
        let lines = (1..).zip(self.text.split('\n')).map(|(number, line)| if is_in(number) { line } else { "" });
        self.with_text(lines.collect::<Vec<&str>>().join("\n"))
    }

    /// Returns the lines without line ends, and their numbers, counted from 1. Progress reports that overwrote each
    /// other, separated by carriage returns, are returned as lines with the same number.
    ///
    /// # Errors
    /// Returns an error if a line is too long, or if there are too many lines.
    pub fn lines(&self) -> Result<impl Iterator<Item = (u32, &str)>, ImportError> {
        let mut count = 0;
        for line in self.text.split('\n') {
            count += 1;
            if line.len() > LONGEST_LINE {
                return Err(ImportError(format!("line {count} is longer than 1 MiB")));
            }
            if count > MOST_LINES {
                return Err(ImportError(format!("it has more than {MOST_LINES} lines: split the file")));
            }
        }
        let numbered = (1..).zip(self.text.split('\n'));
        Ok(numbered.flat_map(|(n, line)| line.split('\r').filter(move |l| !l.trim().is_empty()).map(move |l| (n, l))))
    }

    /// Calls `each` with the number and the trimmed text of every line.
    ///
    /// # Errors
    /// Returns an error in the same cases as [`Source::lines`] and [`Source::in_time`].
    pub fn each_line(&self, mut each: impl FnMut(u32, &str)) -> Result<(), ImportError> {
        for (number, line) in self.lines()? {
            self.in_time_at(number)?;
            each(number, line.trim());
        }
        Ok(())
    }

    /// Checks at every 64th line that the time for reading is not over.
    ///
    /// # Errors
    /// Returns an error if the time is over.
    pub fn in_time_at(&self, line: u32) -> Result<(), ImportError> {
        if line.is_multiple_of(64) { self.in_time() } else { Ok(()) }
    }

    /// Checks that the time for reading is not over.
    ///
    /// # Errors
    /// Returns an error if the time is over.
    pub fn in_time(&self) -> Result<(), ImportError> {
        if (self.late)() { Err(ImportError("reading it takes too long: split the file".to_owned())) } else { Ok(()) }
    }
}

/// Returns the text without the `> ` that mail programs and forums prepend to quoted lines. Line numbers do not change.
/// Returns `None` if fewer than half of the nonblank lines are quoted.
fn without_quotes(text: &str) -> Option<String> {
    // WinSAT begins its own lines with `> `.
    let is_winsat = || ["> Disk  ", "> Disk Random ", "> Disk Sequential "].iter().any(|line| text.contains(line));
    if !text.contains('>') || is_winsat() {
        return None;
    }
    let is_quoted = |line: &str| line.starts_with("> ") || line.trim_end() == ">" || line.starts_with(">>");
    let filled = text.split('\n').filter(|line| !line.trim().is_empty());
    let (quoted, plain) = filled.fold((0usize, 0usize), |(quoted, plain), line| match is_quoted(line) {
        true => (quoted + 1, plain),
        false => (quoted, plain + 1),
    });
    if quoted < 2 || quoted < plain {
        return None;
    }
    let unquoted = |mut line: &'_ str| -> String {
        while let Some(rest) = line.strip_prefix('>').filter(|_| is_quoted(line)) {
            line = rest.strip_prefix(' ').unwrap_or(rest);
        }
        line.to_owned()
    };
    Some(text.split('\n').map(unquoted).collect::<Vec<String>>().join("\n"))
}

/// Decodes bytes to text. Adds a remark if the encoding had to be guessed.
fn decode(bytes: &[u8]) -> (Cow<'_, str>, Option<Sentence>) {
    match bytes {
        [0xff, 0xfe, rest @ ..] => return (utf16(rest, u16::from_le_bytes), None),
        [0xfe, 0xff, rest @ ..] => return (utf16(rest, u16::from_be_bytes), None),
        // This is UTF-16 without a byte order mark, in which every second byte of plain text is zero.
        [a, 0, b, 0, ..] if *a != 0 && *b != 0 => {
            return (utf16(bytes, u16::from_le_bytes), Some(sentence!("import-utf-16-untold")));
        }
        [0, a, 0, b, ..] if *a != 0 && *b != 0 => {
            return (utf16(bytes, u16::from_be_bytes), Some(sentence!("import-utf-16-untold")));
        }
        _ => {}
    }
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    match std::str::from_utf8(bytes) {
        Ok(text) => (Cow::Borrowed(text), None),
        Err(_) => {
            let text = bytes.iter().map(|b| char::from(*b)).collect();
            (Cow::Owned(text), Some(sentence!("import-latin-1")))
        }
    }
}

fn utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> Cow<'static, str> {
    let (pairs, _) = bytes.as_chunks::<2>();
    Cow::Owned(char::decode_utf16(pairs.iter().map(|p| unit(*p))).map(|c| c.unwrap_or('\u{fffd}')).collect())
}

/// Creates a remark on a line. Line 0 means the whole file.
pub(crate) fn remark(line: u32, text: impl Into<Sentence>) -> ForeignRemark {
    ForeignRemark { line, text: text.into(), not_understood: false }
}

/// Maximum number of remarks on lines that are kept per file. Each remark takes memory, and only some of them are
/// printed.
const MOST_OF_LINES: usize = 1000;

/// Adds a remark on a line, unless the file already has the maximum number of remarks.
pub(crate) fn add_remark(remarks: &mut Vec<ForeignRemark>, line: u32, text: impl FnOnce() -> Sentence) {
    push(remarks, || remark(line, text()));
}

fn push(remarks: &mut Vec<ForeignRemark>, one: impl FnOnce() -> ForeignRemark) {
    if remarks.len() < MOST_OF_LINES {
        remarks.push(one());
    }
}

/// Adds a remark on a line that is not understood.
pub(crate) fn pass_over(remarks: &mut Vec<ForeignRemark>, line: u32, text: &str) {
    let said = || sentence!("import-passed-over", text = clip(text));
    push(remarks, || ForeignRemark { not_understood: true, ..remark(line, said()) });
}

/// Adds a fault, which is evidence in the file that its figures are not valid.
pub(crate) fn fault(file: &mut ForeignFile, line: u32, text: impl FnOnce() -> Sentence) {
    add_remark(&mut file.faults, line, text);
}

/// Adds an error message of the tool as a fault.
pub(crate) fn tool_error(file: &mut ForeignFile, line: u32, text: &str) {
    fault(file, line, || sentence!("import-tool-error", text = clip(text)));
}

/// Adds a fault because the end of the output is missing. `missing` is the text with which complete output ends.
pub(crate) fn cut(file: &mut ForeignFile, missing: &str) {
    fault(file, 0, || sentence!("import-end-missing", missing));
}

/// Counter for lines that the reader of a document does not understand. The first ten lines are reported. All others
/// are only counted.
#[derive(Default)]
pub(crate) struct Unknown(usize);

impl Unknown {
    const MOST: usize = 10;

    pub fn line(&mut self, remarks: &mut Vec<ForeignRemark>, number: u32, text: &str) {
        self.0 += 1;
        if self.0 <= Self::MOST {
            pass_over(remarks, number, text);
        }
    }

    /// Adds a remark with the number of unreported lines, at the end of a document.
    pub fn end(&mut self, remarks: &mut Vec<ForeignRemark>) {
        let n = std::mem::take(&mut self.0).saturating_sub(Self::MOST);
        if n > 0 {
            add_remark(remarks, 0, || sentence!("import-more-lines", n));
        }
    }
}

/// Drops documents that have no tests. If no document has tests, the error contains the first fault in the file.
pub(crate) fn with_tests(files: Vec<ForeignFile>, tool: &str) -> Result<Vec<ForeignFile>, ImportError> {
    let (mut filled, empty): (Vec<_>, Vec<_>) = files.into_iter().partition(|file| !file.tests.is_empty());
    if filled.is_empty() {
        let reason = empty.iter().flat_map(|file| &file.faults).next();
        let reason = reason.map_or(String::new(), |reason| format!(": {}", reason.text));
        return Err(ImportError(format!("it contains no result of {tool}{reason}")));
    }
    // Remarks from documents without results apply to the file as a whole and do not invalidate a run.
    let said = empty.into_iter().flat_map(|file| file.remarks.into_iter().chain(file.faults));
    filled[0].remarks.extend(said);
    Ok(filled)
}

/// Reason why a part of a file has no results. This is an error if the file consists only of that part. Otherwise it is
/// a remark.
pub(crate) struct Nothing(pub Sentence);

impl From<ImportError> for Nothing {
    fn from(error: ImportError) -> Self {
        Nothing(error.0.into())
    }
}

impl From<Nothing> for ImportError {
    fn from(nothing: Nothing) -> Self {
        ImportError(nothing.0.into())
    }
}

/// Shortens text from a file for messages: the first 160 characters, on one line, without control characters.
pub(crate) fn clip(text: &str) -> String {
    let text = text.trim();
    let (short, dots) = match text.char_indices().nth(160) {
        Some((end, _)) => (&text[..end], "..."),
        None => (text, ""),
    };
    short.replace(char::is_control, " ") + dots
}

/// Returns `true` for the hyphens and minus signs that word processors and web pages substitute for `-`.
pub(crate) fn is_typographic_dash(c: char) -> bool {
    matches!(c, '\u{2010}'..='\u{2015}' | '\u{2212}' | '\u{fe58}' | '\u{fe63}' | '\u{ff0d}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(bytes: &[u8]) -> Vec<(u32, String)> {
        let source = Source::new("x", bytes, &|| false).unwrap();
        source.lines().unwrap().map(|(n, l)| (n, l.to_owned())).collect()
    }

    #[test]
    fn every_encoding_of_windows_and_unix_gives_the_same_lines() {
        let text = "a\r\n\r\nb −c\r\n";
        let wide = |unit: fn(u16) -> [u8; 2]| text.encode_utf16().flat_map(unit).collect::<Vec<u8>>();
        let wanted = vec![(1, "a".to_owned()), (3, "b −c".to_owned())];
        let mut little = vec![0xff, 0xfe];
        little.extend(wide(u16::to_le_bytes));
        let mut big = vec![0xfe, 0xff];
        big.extend(wide(u16::to_be_bytes));
        let mut marked = b"\xef\xbb\xbf".to_vec();
        marked.extend(text.as_bytes());
        for bytes in [text.as_bytes(), &little, &big, &marked] {
            assert_eq!(lines(bytes), wanted);
        }
        let bare = "ab\r\ncd".encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>();
        assert_eq!(lines(&bare), [(1, "ab".to_owned()), (2, "cd".to_owned())]);
    }

    #[test]
    fn latin_1_nuls_and_progress_reports_are_read() {
        assert_eq!(lines(b"caf\xe9\n"), [(1, "café".to_owned())]);
        assert_eq!(lines(b"a\0\0b\n"), [(1, "ab".to_owned())]);
        assert_eq!(lines(b"10%\r20%\rdone\n"), [(1, "10%".to_owned()), (1, "20%".to_owned()), (1, "done".to_owned())]);
    }

    #[test]
    fn quoted_lines_lose_their_marks_and_keep_their_numbers() {
        assert_eq!(lines(b"> a\n>\n> >  b\nme\n"), [(1, "a".to_owned()), (3, " b".to_owned()), (4, "me".to_owned())]);
        // These lines are a shell prompt, and a fio latency bucket that a mail program wrapped.
        let plain = b"> fio x\na\nb\nc\n>=2000=8.42%\n";
        assert_eq!(lines(plain)[0], (1, "> fio x".to_owned()));
        assert_eq!(lines(b"a\n>=2000=8.42%\n>=4=1%\n")[1], (2, ">=2000=8.42%".to_owned()));
    }

    #[test]
    fn what_is_beyond_the_bounds_is_refused() {
        let long = vec![b'a'; LONGEST_LINE + 1];
        assert!(Source::new("x", &long, &|| false).unwrap().lines().is_err());
        let many = vec![b'\n'; MOST_LINES + 1];
        assert!(Source::new("x", &many, &|| false).is_err());
        let mut many = b"a\n".repeat(MOST_LINES + 1);
        assert!(Source::new("x", &many, &|| false).unwrap().lines().is_err());
        many.truncate(2 * (MOST_LINES - 1));
        assert!(Source::new("x", &many, &|| false).unwrap().lines().is_ok());
    }
}
