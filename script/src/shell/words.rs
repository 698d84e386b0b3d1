//! Words: quotes, variables, substitutions.

use super::{DEEPEST, ENDS_WORD, Parsed, Parser};
use crate::syntax::{Piece, Word};

/// Maximum length of `((...))`, in characters, so that an unclosed `((` does not cause a search through the whole
/// script.
const LONGEST_EXPRESSION: usize = 4096;

impl Parser {
    /// Parses a word, if one starts here.
    pub(super) fn word(&mut self) -> Parsed<Option<Word>> {
        let from = self.at;
        let mut pieces = Pieces::default();
        let mut is_word = false;
        while let Some(c) = self.peek() {
            match c {
                '<' | '>' if self.chars.get(self.at + 1) == Some(&'(') => {
                    let start = self.at;
                    self.at += 2;
                    let body = self.list()?;
                    self.expect(")", start, "(")?;
                    pieces.0.push(Piece::Commands { body, quoted: true, text: self.slice(start) });
                    // Its value is the path of a pipe, which only the shell knows.
                    pieces.0.push(Piece::Unfollowed(self.slice(start)));
                }
                c if ENDS_WORD.contains(&c) || c == ')' => break,
                '\\' => self.backslash(&mut pieces),
                '\'' => {
                    let start = self.at;
                    self.at += 1;
                    let Some(length) = self.chars[self.at..].iter().position(|c| *c == '\'') else {
                        return self.broken(start, "a quote is not closed");
                    };
                    let text: String = self.chars[self.at..self.at + length].iter().collect();
                    self.at += length + 1;
                    pieces.text(&text, true);
                }
                '"' => {
                    self.at += 1;
                    pieces.text("", true);
                    pieces.0.extend(self.text_to(Some('"'))?.pieces);
                }
                '$' => pieces.0.push(self.dollar(false)?),
                '`' => pieces.0.push(self.backquotes(false)?),
                c => {
                    self.at += 1;
                    pieces.text(c.encode_utf8(&mut [0; 4]), false);
                }
            }
            is_word = true;
        }
        Ok(is_word.then(|| Word { pieces: pieces.0, text: self.slice(from) }))
    }

    fn backslash(&mut self, pieces: &mut Pieces) {
        let next = self.chars.get(self.at + 1).copied();
        self.at += 2;
        match next {
            None => {
                self.at -= 1;
                pieces.text("\\", true);
            }
            Some('\n') => {}
            Some(c) if self.windows && (c.is_alphanumeric() || matches!(c, ':' | '.' | '\\')) => {
                pieces.text("\\", true);
                // `\\` starts the name of a share or a device.
                pieces.text(c.encode_utf8(&mut [0; 4]), true);
            }
            Some(c) => pieces.text(c.encode_utf8(&mut [0; 4]), true),
        }
    }

    /// Parses text up to a closing quote, or to the end of the input, in which `$`, backquotes and some backslashes are
    /// special.
    pub(super) fn text_to(&mut self, close: Option<char>) -> Parsed<Word> {
        let from = self.at;
        let mut pieces = Pieces::default();
        loop {
            let Some(c) = self.peek() else {
                if close.is_some() {
                    return self.broken(from, "a quote is not closed");
                }
                break;
            };
            if Some(c) == close {
                self.at += 1;
                break;
            }
            match c {
                '\\' => {
                    let next = self.chars.get(self.at + 1).copied();
                    let escapes = matches!(next, Some('$' | '`' | '\\' | '\n')) || next.is_some() && next == close;
                    let escapes = escapes && !(self.windows && next == Some('\\'));
                    self.at += if escapes { 2 } else { 1 };
                    match next.filter(|_| escapes) {
                        Some('\n') => {}
                        Some(c) => pieces.text(c.encode_utf8(&mut [0; 4]), true),
                        None => pieces.text("\\", true),
                    }
                }
                '$' => pieces.0.push(self.dollar(true)?),
                '`' => pieces.0.push(self.backquotes(true)?),
                c => {
                    self.at += 1;
                    pieces.text(c.encode_utf8(&mut [0; 4]), true);
                }
            }
        }
        Ok(Word { pieces: pieces.0, text: self.slice(from) })
    }

    /// Parses `((...))` or `$((...))` and returns the expression. The position changes only if the expression is
    /// closed.
    pub(super) fn arithmetic(&mut self, open: &str) -> Option<String> {
        let from = self.at + open.chars().count();
        let mut depth = 0;
        for at in from..self.chars.len().min(from + LONGEST_EXPRESSION) {
            match self.chars[at] {
                '(' => depth += 1,
                ')' if depth > 0 => depth -= 1,
                ')' if self.chars.get(at + 1) == Some(&')') => {
                    self.at = at + 2;
                    return Some(self.chars[from..at].iter().collect());
                }
                ')' => return None,
                _ => {}
            }
        }
        None
    }

    fn dollar(&mut self, quoted: bool) -> Parsed<Piece> {
        let from = self.at;
        if self.starts("$((")
            && let Some(expression) = self.arithmetic("$((")
        {
            return Ok(Piece::Arithmetic { expression, text: self.slice(from) });
        }
        if self.take("$(") {
            let outer = self.after_documents.take();
            let body = self.list()?;
            self.expect(")", from, "$(")?;
            self.after_documents = outer;
            return Ok(Piece::Commands { body, quoted, text: self.slice(from) });
        }
        if self.starts("${") {
            return self.parameter(quoted);
        }
        self.at += 1;
        match self.peek() {
            Some('\'') if !quoted => {
                self.at += 1;
                self.escaped_text(from)
            }
            Some('"') if !quoted => {
                // A translated string is treated as a normal string.
                Ok(Piece::Text { text: String::new(), quoted: true })
            }
            Some(c) if c.is_ascii_alphabetic() || c == '_' => {
                let length =
                    self.chars[self.at..].iter().take_while(|c| c.is_ascii_alphanumeric() || **c == '_').count();
                let name = self.chars[self.at..self.at + length].iter().collect();
                self.at += length;
                Ok(Piece::Variable { name, index: None, default: None, quoted, text: self.slice(from) })
            }
            Some(c) if c.is_ascii_digit() || "@*#?$!-".contains(c) => {
                self.at += 1;
                Ok(Piece::Variable { name: c.into(), index: None, default: None, quoted, text: self.slice(from) })
            }
            _ => Ok(Piece::Text { text: "$".to_owned(), quoted: true }),
        }
    }

    /// Parses the rest of `$'...'`.
    fn escaped_text(&mut self, from: usize) -> Parsed<Piece> {
        let mut text = String::new();
        while let Some(c) = self.peek() {
            self.at += 1;
            match c {
                '\'' => return Ok(Piece::Text { text, quoted: true }),
                '\\' => {
                    let next = self.peek().unwrap_or('\\');
                    self.at += 1;
                    text.push(match next {
                        'n' => '\n',
                        't' => '\t',
                        other => other,
                    });
                }
                c => text.push(c),
            }
        }
        self.broken(from, "a quote is not closed")
    }

    /// Parses `${...}`.
    fn parameter(&mut self, quoted: bool) -> Parsed<Piece> {
        let from = self.at;
        self.at += 2;
        let start = self.at;
        let (mut depth, mut quote) = (1, None);
        loop {
            let Some(c) = self.peek() else { return self.broken(from, "`${` without its `}`") };
            self.at += 1;
            match c {
                '\\' => self.at += 1,
                c if quote == Some(c) => quote = None,
                '\'' | '"' if quote.is_none() && !(quoted && c == '\'') => quote = Some(c),
                '{' if quote.is_none() => depth += 1,
                '}' if quote.is_none() => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                break;
            }
        }
        self.at = self.at.min(self.chars.len());
        let inner: String = self.chars[start..self.at - 1].iter().collect();
        let text = self.slice(from);
        let length = inner.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(inner.len());
        let length = if length == 0 && inner.starts_with(['@', '*']) { 1 } else { length };
        let (name, mut rest) = inner.split_at(length);
        let mut index = None;
        if let Some((inside, after)) = rest.strip_prefix('[').and_then(|r| r.split_once(']')) {
            (index, rest) = (Some(inside.to_owned()), after);
        }
        let default = [":-", "-", ":=", "="].iter().find_map(|o| rest.strip_prefix(o));
        let default = match default {
            None => None,
            Some(text) if self.depth < DEEPEST => {
                let mut parser = Parser::new(text, self.line_at(start), self.windows, self.depth + 1);
                Some(parser.default_word()?)
            }
            Some(_) => return self.broken(from, format!("commands are nested more than {DEEPEST} deep")),
        };
        let is_plain = rest.is_empty() || default.is_some() || rest.starts_with(":?") || rest.starts_with('?');
        if name.is_empty() || !is_plain {
            return Ok(Piece::Unfollowed(text));
        }
        Ok(Piece::Variable { name: name.to_owned(), index, default, quoted, text })
    }

    /// Parses the whole input as one word, blanks included.
    fn default_word(&mut self) -> Parsed<Word> {
        let mut pieces = Vec::new();
        while let Some(c) = self.peek() {
            match self.word()? {
                Some(word) => pieces.extend(word.pieces),
                None => {
                    self.at += 1;
                    pieces.push(Piece::Text { text: c.into(), quoted: false });
                }
            }
        }
        Ok(Word { pieces, text: self.chars.iter().collect() })
    }

    fn backquotes(&mut self, quoted: bool) -> Parsed<Piece> {
        let from = self.at;
        self.at += 1;
        let mut inner = String::new();
        loop {
            let Some(c) = self.peek() else { return self.broken(from, "a backquote is not closed") };
            self.at += 1;
            match c {
                '`' => break,
                '\\' if matches!(self.peek(), Some('`' | '\\' | '$')) => {
                    inner.extend(self.peek());
                    self.at += 1;
                }
                c => inner.push(c),
            }
        }
        let body = Parser::new(&inner, self.line_at(from), self.windows, self.depth).script()?;
        Ok(Piece::Commands { body, quoted, text: self.slice(from) })
    }
}

/// Pieces of a word; neighbouring text of one kind is joined.
#[derive(Default)]
struct Pieces(Vec<Piece>);

impl Pieces {
    fn text(&mut self, more: &str, is_quoted: bool) {
        match self.0.last_mut() {
            Some(Piece::Text { text, quoted }) if *quoted == is_quoted => text.push_str(more),
            _ => self.0.push(Piece::Text { text: more.to_owned(), quoted: is_quoted }),
        }
    }
}
