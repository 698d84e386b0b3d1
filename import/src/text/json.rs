//! Parser for JSON as tools actually write it, with the line number of every value.
//!
//! General-purpose parsers are not sufficient. They do not report line numbers, the decimals of a number, or duplicate
//! keys. They rightly reject bare `nan` and `-inf`, several documents between other messages, and truncated documents.

use crate::text::figure::{self, Figure};
use crate::text::source::ImportError;
use messages::{Message, Sentence, sentence};
use std::borrow::Cow;

/// Maximum nesting depth (docs/design/bad-input.md, "Files that are read").
const DEEPEST: usize = 64;
/// Maximum number of values in a file. At about 70 bytes each, this many values take 350 MB of memory.
const MOST_VALUES: usize = 5_000_000;

/// Value and the line on which it begins.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Value<'a> {
    /// Line number, counted from 1.
    pub line: u32,
    pub kind: Kind<'a>,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Kind<'a> {
    Null,
    Bool(bool),
    /// Number as written, and as a figure unless it is `nan` or infinite.
    Number(&'a str, Option<Figure>),
    Text(Cow<'a, str>),
    List(Vec<Value<'a>>),
    Map(Vec<(Cow<'a, str>, Value<'a>)>),
}

impl<'a> Value<'a> {
    /// Returns the member with this key. If the key is duplicated, returns the last member.
    pub fn get(&self, key: &str) -> Option<&Value<'a>> {
        self.members().iter().rev().find(|(k, _)| k == key).map(|(_, v)| v)
    }

    /// Returns the members of an object. Empty for other kinds of values.
    pub fn members(&self) -> &[(Cow<'a, str>, Value<'a>)] {
        if let Kind::Map(members) = &self.kind { members } else { &[] }
    }

    /// Returns the elements of a list. Empty for other kinds of values.
    pub fn elements(&self) -> &[Value<'a>] {
        if let Kind::List(list) = &self.kind { list } else { &[] }
    }

    pub fn text(&self) -> Option<&str> {
        if let Kind::Text(text) = &self.kind { Some(text) } else { None }
    }

    pub fn figure(&self) -> Option<Figure> {
        if let Kind::Number(_, figure) = &self.kind { *figure } else { None }
    }

    pub fn number(&self) -> Option<f64> {
        self.figure().map(|f| f.value)
    }

    pub fn bool(&self) -> Option<bool> {
        if let Kind::Bool(b) = &self.kind { Some(*b) } else { None }
    }

    /// Returns the number in the member with this key.
    pub fn number_of(&self, key: &str) -> Option<f64> {
        self.get(key)?.number()
    }

    /// Returns the text in the member with this key.
    pub fn text_of(&self, key: &str) -> Option<&str> {
        self.get(key)?.text()
    }

    /// Returns the elements of the list in the member with this key. Empty if there is none.
    pub fn elements_of(&self, key: &str) -> &[Value<'a>] {
        self.get(key).map(Value::elements).unwrap_or_default()
    }

    /// Returns the value as written, for messages. Empty for lists and objects.
    pub fn written(&self) -> &str {
        match &self.kind {
            Kind::Number(raw, _) => raw,
            Kind::Text(text) => text,
            Kind::Null => "null",
            Kind::Bool(true) => "true",
            Kind::Bool(false) => "false",
            _ => "",
        }
    }
}

/// JSON documents in a text, and the lines between them.
pub(crate) struct Documents<'a> {
    pub list: Vec<Value<'a>>,
    /// Lines outside of documents, with number and text.
    pub between: Vec<(u32, &'a str)>,
    /// Line on which parsing of an incomplete or malformed document stopped, and the reason.
    pub broken: Option<(u32, Sentence)>,
}

/// Parses all documents in a text. A line that begins with a brace or bracket starts a document.
///
/// # Errors
/// Returns an error if the text contains too many values, or if the time for reading is over.
pub(crate) fn documents<'a>(
    text: &'a str,
    in_time: &dyn Fn() -> Result<(), ImportError>,
) -> Result<Documents<'a>, ImportError> {
    let mut parsed = Documents { list: Vec::new(), between: Vec::new(), broken: None };
    let mut reader = Reader { text, at: 0, line: 1, values: 0, in_time };
    while reader.at < text.len() {
        let (begin, line) = (reader.at, reader.line);
        let rest = &text[begin..];
        let end = rest.find('\n').map_or(rest.len(), |n| n + 1);
        let words = rest[..end].trim();
        if words.starts_with(['{', '[']) {
            match reader.value(0) {
                Ok(value) => {
                    parsed.list.push(value);
                    continue;
                }
                Err(Stop::Beyond(reason)) => return Err(ImportError(reason)),
                Err(Stop::NotJson(reason)) => {
                    // If parsing stopped on the first line, this line is a message such as `[12345] ...`, not a
                    // document.
                    if reader.line > line || reader.at >= text.len() {
                        parsed.broken = Some((reader.line, sentence(Message::new(reason))));
                    }
                    // Lines that were already read are skipped, so that each line is parsed only once.
                    if reader.line > line {
                        continue;
                    }
                }
            }
            (reader.at, reader.line) = (begin, line);
        }
        if !words.is_empty() && !words.chars().all(|c| c == ',' || c == ']' || c == '}') {
            parsed.between.push((line, words));
        }
        reader.at = begin + end;
        reader.line = line + 1;
    }
    Ok(parsed)
}

/// Reason why parsing of a value stopped.
enum Stop {
    /// The text is not JSON. Contains the ID of the message with the reason.
    NotJson(&'static str),
    Beyond(String),
}

struct Reader<'a, 'f> {
    text: &'a str,
    at: usize,
    line: u32,
    values: usize,
    in_time: &'f dyn Fn() -> Result<(), ImportError>,
}

impl<'a> Reader<'a, '_> {
    fn rest(&self) -> &'a [u8] {
        &self.text.as_bytes()[self.at..]
    }

    fn blank(&mut self) {
        while let Some(b) = self.rest().first().filter(|b| b.is_ascii_whitespace()) {
            self.line += u32::from(*b == b'\n');
            self.at += 1;
        }
    }

    fn fail<T>(&self, reason: &'static str) -> Result<T, Stop> {
        Err(Stop::NotJson(if self.at >= self.text.len() { "import-cut" } else { reason }))
    }

    fn value(&mut self, depth: usize) -> Result<Value<'a>, Stop> {
        self.blank();
        self.values += 1;
        if self.values > MOST_VALUES {
            return Err(Stop::Beyond(format!("its JSON has more than {MOST_VALUES} values: split the file")));
        }
        if self.values.is_multiple_of(65_536) {
            (self.in_time)().map_err(|e| Stop::Beyond(e.0))?;
        }
        if depth > DEEPEST {
            return Err(Stop::Beyond(format!("line {}: its JSON is nested deeper than {DEEPEST}", self.line)));
        }
        let line = self.line;
        let kind = match self.rest().first() {
            Some(b'{') => self.map(depth)?,
            Some(b'[') => self.list(depth)?,
            Some(b'"') => Kind::Text(self.string()?),
            _ => self.bare()?,
        };
        Ok(Value { line, kind })
    }

    fn map(&mut self, depth: usize) -> Result<Kind<'a>, Stop> {
        let mut members = Vec::new();
        self.at += 1;
        loop {
            self.blank();
            match self.rest().first() {
                Some(b'}') => break self.at += 1,
                // Some versions of tools write a comma after the last member.
                Some(b',') => self.at += 1,
                Some(b'"') => {
                    let key = self.string()?;
                    self.blank();
                    if self.rest().first() != Some(&b':') {
                        return self.fail("import-no-colon");
                    }
                    self.at += 1;
                    members.push((key, self.value(depth + 1)?));
                }
                _ => return self.fail("import-no-key"),
            }
        }
        Ok(Kind::Map(members))
    }

    fn list(&mut self, depth: usize) -> Result<Kind<'a>, Stop> {
        let mut elements = Vec::new();
        self.at += 1;
        loop {
            self.blank();
            match self.rest().first() {
                Some(b']') => break self.at += 1,
                Some(b',') => self.at += 1,
                None => return self.fail("import-list-open"),
                _ => elements.push(self.value(depth + 1)?),
            }
        }
        Ok(Kind::List(elements))
    }

    fn string(&mut self) -> Result<Cow<'a, str>, Stop> {
        let from = self.at + 1;
        let mut end = from;
        let bytes = self.text.as_bytes();
        let mut plain = true;
        loop {
            match bytes.get(end) {
                Some(b'"') => break,
                Some(b'\\') => {
                    plain = false;
                    end += 2;
                }
                Some(b'\n') | None => {
                    self.at = end.min(self.text.len());
                    return self.fail("import-text-open");
                }
                Some(_) => end += 1,
            }
        }
        self.at = end + 1;
        let Some(raw) = self.text.get(from..end) else { return self.fail("import-text-open") };
        Ok(if plain { Cow::Borrowed(raw) } else { Cow::Owned(unescaped(raw)) })
    }

    fn bare(&mut self) -> Result<Kind<'a>, Stop> {
        let word = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'-' | b'.' | b'#' | b'(' | b')' | b'_');
        let length = self.rest().iter().take_while(|b| word(b)).count();
        let raw = &self.text[self.at..self.at + length];
        let kind = match raw {
            "" => return self.fail("import-no-value"),
            "null" => Kind::Null,
            "true" => Kind::Bool(true),
            "false" => Kind::Bool(false),
            _ => {
                let lower = raw.to_ascii_lowercase();
                let figure = figure::whole(raw);
                if figure.is_none() && !["nan", "inf", "ind"].iter().any(|w| lower.contains(w)) {
                    return self.fail("import-no-such-value");
                }
                Kind::Number(raw, figure)
            }
        };
        self.at += length;
        Ok(kind)
    }
}

fn unescaped(raw: &str) -> String {
    let mut text = String::with_capacity(raw.len());
    let mut chars = raw.chars();
    while let Some(c) = chars.next() {
        if c != '\\' {
            text.push(c);
            continue;
        }
        match chars.next() {
            Some('n') => text.push('\n'),
            Some('t') => text.push('\t'),
            Some('r') => text.push('\r'),
            Some('u') => {
                let digits: String = chars.by_ref().take(4).collect();
                let code = u32::from_str_radix(&digits, 16).ok();
                text.push(code.and_then(char::from_u32).unwrap_or('\u{fffd}'));
            }
            // Backslashes in Windows paths that a tool did not escape are kept.
            Some(other @ ('"' | '\\' | '/')) => text.push(other),
            Some(other) => text.extend(['\\', other]),
            None => text.push('\\'),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(text: &str) -> Documents<'_> {
        documents(text, &|| Ok(())).unwrap()
    }

    #[test]
    fn values_have_their_lines_and_their_digits() {
        let parsed = read(
            "fio: hello\n{\n \"a\" : 1.50,\n \"b\" : [1,\n 2], \"a\" : nan, \"p\" : \"C:\\\\x\\u0041\" }\nbye\n{}\n",
        );
        assert_eq!((parsed.list.len(), parsed.broken.is_none()), (2, true));
        let first = &parsed.list[0];
        assert_eq!(first.members()[0].1.line, 3);
        assert_eq!(first.members()[0].1.figure(), Some(Figure { value: 1.5, ulp: 0.01 }));
        assert_eq!(first.get("b").unwrap().elements()[1].line, 5);
        assert_eq!((first.get("a").unwrap().written(), first.get("a").unwrap().figure()), ("nan", None));
        assert_eq!(first.text_of("p"), Some("C:\\xA"));
        assert_eq!(parsed.between, [(1, "fio: hello"), (6, "bye")]);
    }

    #[test]
    fn a_document_cut_short_is_told_with_its_line() {
        let parsed = read("{ \"a\" : 1 }\n{ \"b\" : [\n 1,\n 2");
        assert_eq!((parsed.list.len(), parsed.broken), (1, Some((4, "it was cut short".into()))));
        let deep = "[".repeat(100);
        assert!(documents(&deep, &|| Ok(())).is_err_and(|e| e.0.contains("deeper than 64")));
    }

    #[test]
    fn what_is_wrong_is_told_in_words() {
        for (text, reason) in [
            ("{\n\"a\" 1,\n}", "a key is not followed by a colon"),
            ("{\n1: 2\n}", "a key is missing"),
            ("[\n\"a\nb\"]", "a string is not closed"),
            ("[\n?]", "a value is missing"),
            ("[\nabc]", "an unknown word instead of a value"),
        ] {
            assert_eq!(read(text).broken.map(|(_, message)| message), Some(reason.into()), "{text}");
        }
    }

    proptest! {
        #[test]
        fn what_serde_reads_is_read_alike(value in tree()) {
            let text = serde_json::to_string_pretty(&value).unwrap();
            let parsed = read(&text);
            prop_assert_eq!(parsed.list.len(), usize::from(!matches!(value, serde_json::Value::Number(_) | serde_json::Value::String(_))));
            if let Some(first) = parsed.list.first() {
                prop_assert!(same(first, &value), "{:?}", first);
            }
        }

        #[test]
        fn no_text_makes_it_panic(text in "[\\[\\]{}\",:0-9a-z.\\\\\\n -]{0,200}") {
            let _ = documents(&text, &|| Ok(()));
        }
    }

    fn tree() -> impl Strategy<Value = serde_json::Value> {
        let leaf = prop_oneof![any::<i32>().prop_map(Into::into), "\\PC{0,10}".prop_map(serde_json::Value::String)];
        leaf.prop_recursive(4, 32, 6, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..6).prop_map(serde_json::Value::Array),
                prop::collection::btree_map("[a-z]{1,5}", inner, 0..6)
                    .prop_map(|m| serde_json::Value::Object(m.into_iter().collect())),
            ]
        })
    }

    fn same(ours: &Value<'_>, expected: &serde_json::Value) -> bool {
        match expected {
            serde_json::Value::Array(list) => {
                list.len() == ours.elements().len() && list.iter().zip(ours.elements()).all(|(t, o)| same(o, t))
            }
            serde_json::Value::Object(map) => map.iter().all(|(k, t)| ours.get(k).is_some_and(|o| same(o, t))),
            serde_json::Value::String(text) => ours.text() == Some(text),
            serde_json::Value::Number(n) => ours.number() == n.as_f64(),
            _ => false,
        }
    }
}
