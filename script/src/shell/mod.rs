//! Parser of POSIX shell and bash.
//!
//! It covers the grammar (POSIX.1-2024 XCU 2, "Shell Command Language", and bash's arrays, `[[`, `((`, here-strings and
//! process substitutions), not the semantics. The alternative, brush-parser 0.4, depends on 77 crates.

mod braces;
mod words;

use crate::syntax::{Assigned, Assignment, Broken, Node, Piece, Redirection, Simple, Word, is_name};
use braces::expand_braces;
use std::rc::Rc;

type Parsed<T> = Result<T, Broken>;

/// Maximum nesting. Scripts written by people have fewer than 10 levels.
const DEEPEST: u32 = 40;

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
}
