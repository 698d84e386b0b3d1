//! Parser of POSIX shell and bash.
//!
//! It covers the grammar (POSIX.1-2024 XCU 2, "Shell Command Language", and bash's arrays, `[[`, `((`, here-strings and
//! process substitutions), not the semantics. The alternative, brush-parser 0.4, depends on 77 crates.

use super::syntax::{Assigned, Assignment, Broken, Node, Piece, Redirection, Simple, Word, is_name};
use std::rc::Rc;

type Parsed<T> = Result<T, Broken>;

/// Maximum nesting. Scripts written by people have fewer than 10 levels.
const DEEPEST: u32 = 40;

/// Maximum length of `((...))`, in characters, so that an unclosed `((` does not cause a search through the whole
/// script.
const LONGEST_EXPRESSION: usize = 4096;

/// Characters that end an unquoted word.
const ENDS_WORD: [char; 10] = [' ', '\t', '\n', '\r', ';', '&', '|', '<', '>', '('];

/// Words that end a list of commands.
const CLOSERS: [&str; 8] = ["done", "fi", "then", "else", "elif", "esac", "}", "do"];

/// Parses a script whose first line has the number `line`. With `windows`, backslashes in front of letters and colons
/// are kept, because a typed command may contain Windows paths.
///
/// # Errors
/// The first construct that is not closed or is not shell.
pub fn parse(text: &str, line: u32, windows: bool) -> Parsed<Vec<Node>> {
    Parser::new(text, line, windows, 0).script()
}

struct Parser {
    chars: Vec<char>,
    at: usize,
    /// Number of the first line of the text.
    line: u32,
    newlines: Vec<usize>,
    windows: bool,
    depth: u32,
    /// Position after the here-documents that begin on this line.
    after_documents: Option<usize>,
}

impl Parser {
    fn new(text: &str, line: u32, windows: bool, depth: u32) -> Self {
        let chars: Vec<char> = text.chars().collect();
        let newlines = chars.iter().enumerate().filter(|(_, c)| **c == '\n').map(|(i, _)| i).collect();
        Parser { chars, at: 0, line, newlines, windows, depth, after_documents: None }
    }

    fn line_at(&self, at: usize) -> u32 {
        let newlines = self.newlines.partition_point(|n| *n < at);
        self.line.saturating_add(u32::try_from(newlines).unwrap_or(u32::MAX))
    }

    fn broken<T>(&self, at: usize, what: impl Into<String>) -> Parsed<T> {
        Err(Broken { line: self.line_at(at), what: what.into() })
    }

    fn peek(&self) -> Option<char> {
        self.chars.get(self.at).copied()
    }

    fn starts(&self, text: &str) -> bool {
        text.chars().enumerate().all(|(i, c)| self.chars.get(self.at + i) == Some(&c))
    }

    fn take(&mut self, text: &str) -> bool {
        let starts = self.starts(text);
        self.at += if starts { text.chars().count() } else { 0 };
        starts
    }

    fn slice(&self, from: usize) -> String {
        self.chars[from..self.at].iter().collect()
    }

    /// Skips blanks, continued lines and a comment.
    fn blanks(&mut self) {
        loop {
            match self.peek() {
                Some(' ' | '\t' | '\r') => self.at += 1,
                Some('\\') if self.chars.get(self.at + 1) == Some(&'\n') => self.at += 2,
                Some('\\') if self.chars.get(self.at + 1..self.at + 3) == Some(&['\r', '\n']) => self.at += 3,
                Some('#') => self.at = self.end_of_line(),
                _ => return,
            }
        }
    }

    fn end_of_line(&self) -> usize {
        self.chars[self.at..].iter().position(|c| *c == '\n').map_or(self.chars.len(), |n| self.at + n)
    }

    /// Skips blanks and newlines, and the here-documents after them.
    fn newlines(&mut self) {
        loop {
            self.blanks();
            if self.peek() != Some('\n') {
                return;
            }
            self.at = self.after_documents.take().unwrap_or(self.at + 1);
        }
    }

    /// Returns the unquoted word at this position, without consuming it.
    fn keyword(&self) -> String {
        let rest = &self.chars[self.at..];
        rest.iter().take_while(|c| !ENDS_WORD.contains(c) && **c != ')').collect()
    }

    fn script(&mut self) -> Parsed<Vec<Node>> {
        let nodes = self.list()?;
        match self.peek() {
            None => Ok(nodes),
            Some(_) => {
                let word = self.keyword();
                let what = if word.is_empty() { self.peek().map_or_else(String::new, String::from) } else { word };
                self.broken(self.at, format!("`{}` closes nothing", model::clip(&what)))
            }
        }
    }

    /// Parses commands up to a word that closes the list, `)`, `;;` or the end.
    fn list(&mut self) -> Parsed<Vec<Node>> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return self.broken(self.at, format!("commands are nested more than {DEEPEST} deep"));
        }
        let mut nodes = Vec::new();
        loop {
            self.newlines();
            if matches!(self.peek(), None | Some(')')) || self.starts(";;") || self.starts(";&") {
                break;
            }
            if CLOSERS.contains(&self.keyword().as_str()) {
                break;
            }
            if self.take(";") || self.take("&") {
                continue;
            }
            let node = self.chain()?;
            self.blanks();
            if self.starts("&") && !self.starts("&&") {
                self.at += 1;
                nodes.push(Node::Background(Box::new(node)));
            } else {
                nodes.push(node);
            }
        }
        self.depth -= 1;
        Ok(nodes)
    }

    fn chain(&mut self) -> Parsed<Node> {
        let mut nodes = vec![self.pipeline()?];
        loop {
            self.blanks();
            if !(self.take("&&") || self.take("||")) {
                break;
            }
            self.newlines();
            nodes.push(self.pipeline()?);
        }
        Ok(if nodes.len() == 1 { nodes.remove(0) } else { Node::Chain(nodes) })
    }

    fn pipeline(&mut self) -> Parsed<Node> {
        while ["!", "time"].contains(&self.keyword().as_str()) {
            let before = self.at;
            self.at += self.keyword().chars().count();
            self.blanks();
            if self.keyword() == "-p" {
                self.at += 2;
                self.blanks();
            } else if self.starts("-") {
                // The program `time` with its options.
                self.at = before;
                break;
            }
        }
        let mut nodes = vec![self.command()?];
        loop {
            self.blanks();
            if self.starts("||") || !(self.take("|&") || self.take("|")) {
                break;
            }
            self.newlines();
            nodes.push(self.command()?);
        }
        Ok(if nodes.len() == 1 { nodes.remove(0) } else { Node::Pipeline(nodes) })
    }

    /// Consumes a keyword, or reports which construct lacks it.
    fn expect(&mut self, word: &str, from: usize, construct: &str) -> Parsed<()> {
        self.newlines();
        let is_here = if word.starts_with(char::is_alphabetic) { self.keyword() == word } else { self.starts(word) };
        if !is_here {
            return self.broken(from, format!("`{construct}` without its `{word}`"));
        }
        self.at += word.chars().count();
        Ok(())
    }

    fn command(&mut self) -> Parsed<Node> {
        self.blanks();
        let from = self.at;
        if self.starts("((")
            && let Some(expression) = self.arithmetic("((")
        {
            return Ok(Node::Arithmetic(expression));
        }
        if self.take("(") {
            let body = self.list()?;
            self.expect(")", from, "(")?;
            return self.redirected(Node::Subshell(body));
        }
        let word = self.keyword();
        let node = match word.as_str() {
            "{" => {
                self.at += 1;
                let body = self.list()?;
                self.expect("}", from, "{")?;
                Node::Group(body)
            }
            "if" => self.conditional()?,
            "while" | "until" => {
                self.at += word.len();
                let mut body = self.list()?;
                self.expect("do", from, &word)?;
                body.extend(self.list()?);
                self.expect("done", from, &word)?;
                Node::Loop(body)
            }
            "for" | "select" => self.repetition(&word)?,
            "case" => self.cases()?,
            "[[" => return self.test(),
            "function" => {
                self.at += word.len();
                self.blanks();
                let name = self.keyword();
                self.at += name.chars().count();
                self.blanks();
                if self.take("(") {
                    self.expect(")", from, "(")?;
                }
                self.newlines();
                return Ok(Node::Function { name, body: Rc::new(vec![self.command()?]) });
            }
            _ => {
                self.at += word.chars().count();
                self.blanks();
                if !word.is_empty() && !word.contains(['=', '$', '"', '\'', '`', '\\']) && self.take("(") {
                    self.blanks();
                    if self.take(")") {
                        self.newlines();
                        return Ok(Node::Function { name: word, body: Rc::new(vec![self.command()?]) });
                    }
                    return self.broken(from, format!("`(` after `{}`", model::clip(&word)));
                }
                self.at = from;
                return Ok(Node::Simple(self.simple()?));
            }
        };
        self.redirected(node)
    }

    fn redirected(&mut self, node: Node) -> Parsed<Node> {
        self.blanks();
        if CLOSERS.contains(&self.keyword().as_str()) {
            return Ok(node);
        }
        let tail = self.simple()?;
        match tail.words.first() {
            Some(word) => self.broken(self.at, format!("`{}` after the end of a command", model::clip(&word.text))),
            None if tail.redirections.is_empty() => Ok(node),
            None => Ok(Node::Redirected(Box::new(node), tail)),
        }
    }

    fn conditional(&mut self) -> Parsed<Node> {
        let from = self.at;
        self.at += 2;
        let mut nodes = self.list()?;
        self.expect("then", from, "if")?;
        let mut arms = vec![self.list()?];
        let mut is_complete = false;
        loop {
            self.newlines();
            match self.keyword().as_str() {
                "elif" => {
                    self.at += 4;
                    let mut arm = self.list()?;
                    self.expect("then", from, "elif")?;
                    arm.extend(self.list()?);
                    arms.push(arm);
                }
                "else" => {
                    self.at += 4;
                    is_complete = true;
                    arms.push(self.list()?);
                }
                _ => break,
            }
        }
        self.expect("fi", from, "if")?;
        nodes.push(Node::Branches { arms, is_complete });
        Ok(Node::Group(nodes))
    }

    fn repetition(&mut self, word: &str) -> Parsed<Node> {
        let from = self.at;
        self.at += word.len();
        self.blanks();
        if self.starts("((") {
            let Some(expression) = self.arithmetic("((") else { return self.broken(from, "`((` without its `))`") };
            self.newlines();
            self.take(";");
            let mut body = vec![Node::Arithmetic(expression)];
            body.extend(self.body(from)?);
            return Ok(Node::Loop(body));
        }
        let name = self.keyword();
        if !is_name(&name) {
            return self.broken(from, format!("`{word}` without the name of a variable"));
        }
        self.at += name.chars().count();
        self.newlines();
        let mut values = None;
        if self.keyword() == "in" {
            self.at += 2;
            let mut words = Vec::new();
            loop {
                self.blanks();
                match self.word()? {
                    Some(word) => words.extend(expand_braces(word)),
                    None => break,
                }
            }
            values = Some(words);
        }
        self.blanks();
        self.take(";");
        let body = self.body(from)?;
        Ok(Node::For { name, values, body, line: self.line_at(from) })
    }

    /// Parses `do ... done` or `{ ... }`.
    fn body(&mut self, from: usize) -> Parsed<Vec<Node>> {
        self.newlines();
        let (open, close) = if self.keyword() == "{" { ("{", "}") } else { ("do", "done") };
        self.expect(open, from, "for")?;
        let body = self.list()?;
        self.expect(close, from, "for")?;
        Ok(body)
    }

    fn cases(&mut self) -> Parsed<Node> {
        let from = self.at;
        self.at += 4;
        self.blanks();
        let mut nodes = Vec::new();
        if let Some(word) = self.word()? {
            nodes.push(Node::Simple(Simple {
                line: self.line_at(from),
                words: vec![Word::literal(":"), word],
                ..Simple::default()
            }));
        }
        self.expect("in", from, "case")?;
        let (mut arms, mut is_complete) = (Vec::new(), false);
        loop {
            self.newlines();
            if self.keyword() == "esac" {
                break;
            }
            self.take("(");
            is_complete |= self.keyword() == "*";
            loop {
                self.blanks();
                if self.word()?.is_none() && !self.take("|") {
                    break;
                }
            }
            self.expect(")", from, "case")?;
            arms.push(self.list()?);
            self.newlines();
            if !(self.take(";;&") || self.take(";;") || self.take(";&")) {
                break;
            }
        }
        self.expect("esac", from, "case")?;
        nodes.push(Node::Branches { arms, is_complete });
        Ok(Node::Group(nodes))
    }

    /// Parses `[[ ... ]]`, of which only the words are kept.
    fn test(&mut self) -> Parsed<Node> {
        let from = self.at;
        let mut words = vec![Word::literal("[[")];
        self.at += 2;
        loop {
            self.newlines();
            if self.keyword() == "]]" {
                self.at += 2;
                break;
            }
            match self.word()? {
                Some(word) => words.push(word),
                None if self.peek().is_none() => return self.broken(from, "`[[` without its `]]`"),
                None => self.at += 1,
            }
        }
        Ok(Node::Simple(Simple { line: self.line_at(from), text: self.slice(from), words, ..Simple::default() }))
    }

    fn simple(&mut self) -> Parsed<Simple> {
        self.blanks();
        let from = self.at;
        let mut simple = Simple { line: self.line_at(from), ..Simple::default() };
        let mut end = from;
        loop {
            self.blanks();
            if self.redirection(&mut simple)? {
                end = self.at;
                continue;
            }
            let start = self.at;
            if let Some(assignment) = self.assignment(&simple)? {
                simple.assignments.push(assignment);
                end = self.at;
                continue;
            }
            self.at = start;
            let Some(word) = self.word()? else { break };
            end = self.at;
            simple.words.extend(expand_braces(word));
        }
        if self.peek() == Some('(') {
            return self.broken(self.at, "`(` inside a command");
        }
        let text: String = self.chars[from..end].iter().collect();
        simple.text = text.lines().map(|l| l.trim().trim_end_matches('\\')).collect::<Vec<_>>().join(" ");
        Ok(simple)
    }

    /// Parses `NAME=value` in front of a command, and `NAME=(...)` anywhere.
    fn assignment(&mut self, simple: &Simple) -> Parsed<Option<Assignment>> {
        let text = self.keyword();
        let Some((name, _)) = text.split_once('=') else { return Ok(None) };
        let (bare, append) = name.strip_suffix('+').map_or((name, false), |n| (n, true));
        if !is_name(bare) {
            return Ok(None);
        }
        self.at += name.chars().count() + 1;
        if self.take("(") {
            let from = self.at;
            let mut words = Vec::new();
            loop {
                self.newlines();
                match self.word()? {
                    Some(word) => words.extend(expand_braces(word)),
                    None if self.take(")") => break,
                    None => return self.broken(from, "`(` without its `)`"),
                }
            }
            return Ok(Some(Assignment { name: bare.to_owned(), append, value: Assigned::Array(words) }));
        }
        if !simple.words.is_empty() {
            return Ok(None);
        }
        let value = Assigned::Scalar(self.word()?.unwrap_or_default());
        Ok(Some(Assignment { name: bare.to_owned(), append, value }))
    }

    fn redirection(&mut self, simple: &mut Simple) -> Parsed<bool> {
        let from = self.at;
        let digits = self.chars[self.at..].iter().take_while(|c| c.is_ascii_digit()).count();
        let stream: String = self.chars[self.at..self.at + digits].iter().collect();
        self.at += digits;
        let operators = ["<<<", "<<-", "<<", "<>", "<&", "<(", "<", "&>>", "&>", ">>", ">|", ">&", ">(", ">"];
        let Some(operator) = operators.into_iter().find(|o| self.starts(o)) else {
            self.at = from;
            return Ok(false);
        };
        if operator.ends_with('(') || digits > 0 && operator.starts_with('&') {
            self.at = from;
            return Ok(false);
        }
        self.take(operator);
        self.blanks();
        let target = self.at;
        let Some(word) = self.word()? else {
            return self.broken(from, format!("`{operator}` without a file name"));
        };
        let is_output = ["", "1"].contains(&stream.as_str());
        simple.redirections.push(match operator {
            "<<" | "<<-" => self.document(target, &word, operator == "<<-")?,
            "<<<" => {
                let mut body = word;
                body.pieces.push(Piece::Text { text: "\n".to_owned(), quoted: true });
                Redirection::Text { body, line: self.line_at(from) }
            }
            "<" if ["", "0"].contains(&stream.as_str()) => Redirection::Input(word),
            ">" | ">|" if is_output => Redirection::Output { file: word, append: false },
            ">>" if is_output => Redirection::Output { file: word, append: true },
            "&>" => Redirection::Output { file: word, append: false },
            "&>>" => Redirection::Output { file: word, append: true },
            _ => Redirection::Other(word),
        });
        Ok(true)
    }

    /// Reads the here-document whose delimiter was just parsed.
    fn document(&mut self, target: usize, word: &Word, tabs: bool) -> Parsed<Redirection> {
        let quoted = self.slice(target).contains(['\'', '"', '\\']);
        let delimiter: String = word
            .pieces
            .iter()
            .map(|p| match p {
                Piece::Text { text, .. } => text.as_str(),
                Piece::Variable { text, .. } | Piece::Commands { text, .. } | Piece::Arithmetic { text, .. } => text,
                Piece::Unfollowed(text) => text,
            })
            .collect();
        let mut at = self.after_documents.unwrap_or_else(|| (self.end_of_line() + 1).min(self.chars.len()));
        let line = self.line_at(at);
        let mut body = String::new();
        while at < self.chars.len() {
            let length = self.chars[at..].iter().position(|c| *c == '\n').unwrap_or(self.chars.len() - at);
            let text: String = self.chars[at..at + length].iter().collect();
            at = (at + length + 1).min(self.chars.len());
            let text = if tabs { text.trim_start_matches('\t') } else { &text };
            if text.trim_end_matches('\r') == delimiter {
                break;
            }
            body.push_str(text);
            body.push('\n');
        }
        self.after_documents = Some(at);
        let body = match quoted {
            true => Word::literal(&body),
            false => Parser::new(&body, line, self.windows, self.depth).text_to(None)?,
        };
        Ok(Redirection::Text { body, line })
    }

    /// Parses a word, if one starts here.
    fn word(&mut self) -> Parsed<Option<Word>> {
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
                '$' => {
                    let piece = self.dollar(false)?;
                    pieces.push(piece);
                }
                '`' => {
                    let piece = self.backquotes(false)?;
                    pieces.push(piece);
                }
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
    fn text_to(&mut self, close: Option<char>) -> Parsed<Word> {
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
                '$' => {
                    let piece = self.dollar(true)?;
                    pieces.push(piece);
                }
                '`' => {
                    let piece = self.backquotes(true)?;
                    pieces.push(piece);
                }
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
    fn arithmetic(&mut self, open: &str) -> Option<String> {
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

    fn push(&mut self, piece: Piece) {
        self.0.push(piece);
    }
}

/// Maximum number of words from a brace expansion.
const MOST_WORDS: usize = 256;

/// Expands `{a,b}` and `{1..4}` (bash, "Brace Expansion") in unquoted text.
fn expand_braces(word: Word) -> Vec<Word> {
    let mut done = Vec::new();
    let mut open = vec![word];
    while let Some(word) = open.pop() {
        let group = word.pieces.iter().enumerate().find_map(|(i, piece)| match piece {
            Piece::Text { text, quoted: false } => brace_group(text).map(|group| (i, group)),
            _ => None,
        });
        match group {
            Some((i, (before, choices, after))) if open.len() + done.len() + choices.len() <= MOST_WORDS => {
                open.extend(choices.into_iter().rev().map(|choice| {
                    let mut pieces = word.pieces.clone();
                    pieces[i] = Piece::Text { text: format!("{before}{choice}{after}"), quoted: false };
                    Word { pieces, text: word.text.clone() }
                }));
            }
            // There are too many words to follow.
            Some((i, _)) => {
                let mut pieces = word.pieces;
                pieces[i] = Piece::Unfollowed(word.text.clone());
                done.push(Word { pieces, text: word.text });
            }
            None => done.push(word),
        }
    }
    done
}

/// Returns the first brace group that expands: the text before it, its choices, and the text after it.
fn brace_group(text: &str) -> Option<(&str, Vec<String>, &str)> {
    let open = text.find('{')?;
    let close = open + text[open..].find('}')?;
    // The innermost group expands first, because the order of the words does not matter here.
    let open = text[..close].rfind('{')?;
    let inner = &text[open + 1..close];
    let choices: Vec<String> = match inner.split_once("..") {
        Some((from, to)) => {
            let (to, step) = to.split_once("..").unwrap_or((to, "1"));
            let letter =
                |t: &str| t.parse::<char>().ok().filter(char::is_ascii_alphabetic).map(|c| i64::from(u32::from(c)));
            let step: i64 = step.parse().ok()?;
            let is_padded = [from, to].iter().any(|t| t.len() > 1 && t.trim_start_matches('-').starts_with('0'));
            let width = if is_padded { from.len().max(to.len()) } else { 0 };
            let letters = letter(from).zip(letter(to));
            let (from, to) = letters.or_else(|| from.parse().ok().zip(to.parse().ok()))?;
            let show = |n: i64| match letters {
                Some(_) => u8::try_from(n).map_or_else(|_| String::new(), |n| char::from(n).to_string()),
                None => format!("{n:0width$}"),
            };
            let count = from.abs_diff(to) / step.unsigned_abs().max(1);
            let step = step.abs().max(1) * if to < from { -1 } else { 1 };
            let count = i64::try_from(count.min(MOST_WORDS as u64)).ok()?;
            (0..=count).map(|n| show(from + n * step)).collect()
        }
        None if inner.contains(',') => inner.split(',').map(str::to_owned).collect(),
        None => return None,
    };
    Some((&text[..open], choices, &text[close + 1..]))
}
