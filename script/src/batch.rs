//! Parser of Windows batch files (cmd.exe): `set`, `for`, `if`, blocks, carets, `%NAME%`.

use crate::syntax::{Assigned, Assignment, Broken, Node, Piece, Redirection, Simple, Word};

type Parsed<T> = Result<T, Broken>;

/// Maximum nesting of blocks.
const DEEPEST: u32 = 40;

/// Maximum number of values of a `for /L`.
const MOST_VALUES: i64 = 256;

/// Returns the name under which a batch variable is stored: in upper case, because cmd.exe ignores case.
fn variable_name(name: &str) -> String {
    name.to_ascii_uppercase()
}

/// Parses a batch file.
///
/// # Errors
/// A block that is not closed, or blocks nested too deep.
pub fn parse(text: &str) -> Parsed<Vec<Node>> {
    let chars: Vec<char> = text.chars().filter(|c| *c != '\r').collect();
    let newlines = chars.iter().enumerate().filter(|(_, c)| **c == '\n').map(|(i, _)| i).collect();
    let mut parser = Parser { chars, newlines, at: 0, depth: 0 };
    let mut nodes = Vec::new();
    while parser.at < parser.chars.len() {
        nodes.extend(parser.list()?);
        // A closing parenthesis without an open one is ignored, as in cmd.exe.
        parser.at += 1;
    }
    Ok(nodes)
}

struct Parser {
    chars: Vec<char>,
    newlines: Vec<usize>,
    at: usize,
    depth: u32,
}

impl Parser {
    fn line(&self) -> u32 {
        let newlines = self.newlines.partition_point(|n| *n < self.at);
        u32::try_from(newlines + 1).unwrap_or(u32::MAX)
    }

    fn peek(&self) -> Option<char> {
        self.chars.get(self.at).copied()
    }

    fn take(&mut self, c: char) -> bool {
        let is_here = self.peek() == Some(c);
        self.at += usize::from(is_here);
        is_here
    }

    fn blanks(&mut self) {
        while matches!(self.peek(), Some(' ' | '\t'))
            || self.peek() == Some('^') && self.chars.get(self.at + 1) == Some(&'\n')
        {
            self.at += if self.peek() == Some('^') { 2 } else { 1 };
        }
    }

    fn skip_line(&mut self) {
        while self.peek().is_some_and(|c| c != '\n') {
            self.at += 1;
        }
    }

    fn keyword(&self) -> String {
        let ends = |c: &char| c.is_whitespace() || "&|()<>\"=%".contains(*c);
        self.chars.iter().skip(self.at).take_while(|c| !ends(c)).collect::<String>().to_ascii_lowercase()
    }

    fn list(&mut self) -> Parsed<Vec<Node>> {
        let mut nodes = Vec::new();
        loop {
            self.blanks();
            match self.peek() {
                None | Some(')') => return Ok(nodes),
                Some('\n' | '&' | '@') => self.at += 1,
                Some(':') => self.skip_line(),
                Some(_) => nodes.push(self.pipeline()?),
            }
        }
    }

    fn pipeline(&mut self) -> Parsed<Node> {
        let mut nodes = vec![self.command()?];
        loop {
            self.blanks();
            if !self.take('|') || self.take('|') {
                break;
            }
            nodes.push(self.command()?);
        }
        Ok(if nodes.len() == 1 { nodes.remove(0) } else { Node::Pipeline(nodes) })
    }

    fn command(&mut self) -> Parsed<Node> {
        self.blanks();
        while self.take('@') {}
        let line = self.line();
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(Broken { line, what: format!("commands are nested more than {DEEPEST} deep") });
        }
        let word = self.keyword();
        let node = match word.as_str() {
            "rem" => {
                self.skip_line();
                Node::Group(Vec::new())
            }
            "for" => self.repetition(line)?,
            "if" => self.conditional()?,
            "set" => self.set(line),
            _ if self.take('(') => {
                let body = self.list()?;
                if !self.take(')') {
                    return Err(Broken { line, what: "`(` without its `)`".to_owned() });
                }
                self.blanks();
                let has_tail = self.peek().is_some_and(|c| c == '>' || c == '<' || c.is_ascii_digit());
                let tail = if has_tail { self.simple(line) } else { Simple::default() };
                match tail.redirections.is_empty() {
                    true => Node::Group(body),
                    false => Node::Redirected(Box::new(Node::Group(body)), tail),
                }
            }
            _ => Node::Simple(self.simple(line)),
        };
        self.depth -= 1;
        Ok(node)
    }

    /// Parses `set NAME=value` and `set "NAME=value"`; values of `/a` and `/p` are unknown here.
    fn set(&mut self, line: u32) -> Node {
        let from = self.at;
        self.at += 3;
        self.blanks();
        let is_computed = self.peek() == Some('/');
        while is_computed && self.peek().is_some_and(|c| !c.is_whitespace()) {
            self.at += 1;
        }
        self.blanks();
        let is_quoted = self.take('"');
        let mut name = String::new();
        while let Some(c) = self.peek().filter(|c| !"=\n&|\"".contains(*c)) {
            name.push(c);
            self.at += 1;
        }
        let mut simple = Simple { line, ..Simple::default() };
        if self.take('=') {
            let mut value = self.text(|c| c == '\n' || if is_quoted { c == '"' } else { "&|)".contains(c) });
            if is_computed {
                value.pieces = vec![Piece::Unfollowed(value.text.clone())];
            }
            let name = variable_name(name.trim());
            simple.assignments.push(Assignment { name, append: false, value: Assigned::Scalar(value) });
        }
        self.take('"');
        simple.text = self.chars[from..self.at].iter().collect();
        Node::Simple(simple)
    }

    /// Parses `for [/option] %%N in (values) do command`.
    fn repetition(&mut self, line: u32) -> Parsed<Node> {
        let broken = |what: &str| Err(Broken { line, what: what.to_owned() });
        self.at += 3;
        let mut option = String::new();
        let name = loop {
            self.blanks();
            match self.peek() {
                Some('%') => {
                    while self.take('%') {}
                    let Some(letter) = self.peek() else { return broken("`for` without its variable") };
                    self.at += 1;
                    break format!("%%{letter}");
                }
                None | Some('\n') => return broken("`for` without its variable"),
                Some(_) => {
                    let word = self.text(char::is_whitespace).text;
                    if word.starts_with('/') {
                        option = word.to_ascii_lowercase();
                    }
                }
            }
        };
        self.blanks();
        if self.keyword() != "in" {
            return broken("`for` without its `in`");
        }
        self.at += 2;
        self.blanks();
        if !self.take('(') {
            return broken("`for ... in` without its `(`");
        }
        let mut values = Vec::new();
        loop {
            while self.peek().is_some_and(|c| c.is_whitespace() || ",;".contains(c)) {
                self.at += 1;
            }
            match self.peek() {
                None => return broken("`(` without its `)`"),
                Some(')') => break self.at += 1,
                Some(_) => values.push(self.text(|c| c.is_whitespace() || ",;)".contains(c))),
            }
        }
        self.blanks();
        if self.keyword() != "do" {
            return broken("`for` without its `do`");
        }
        self.at += 2;
        if option == "/l" {
            let numbers: Option<Vec<i64>> = values.iter().map(|w| w.text.trim().parse().ok()).collect();
            values = match numbers.as_deref() {
                Some(&[first, step, last]) if step != 0 => (0..MOST_VALUES)
                    .map(|n| first.saturating_add(n.saturating_mul(step)))
                    .take_while(|n| if step > 0 { *n <= last } else { *n >= last })
                    .map(|n| Word::literal(&n.to_string()))
                    .collect(),
                _ => vec![Word { pieces: vec![Piece::Unfollowed(name.clone())], text: name.clone() }],
            };
        } else if !option.is_empty() {
            values = vec![Word { pieces: vec![Piece::Unfollowed(name.clone())], text: name.clone() }];
        }
        let body = vec![self.command()?];
        Ok(Node::For { name, values: Some(values), body, line })
    }

    fn conditional(&mut self) -> Parsed<Node> {
        self.at += 2;
        let word = |parser: &mut Self| {
            parser.blanks();
            parser.text(|c| c.is_whitespace()).text
        };
        let mut first = word(self);
        while ["/i", "not"].contains(&first.to_ascii_lowercase().as_str()) {
            first = word(self);
        }
        match first.to_ascii_lowercase().as_str() {
            text if matches!(text, "exist" | "defined" | "errorlevel") || text.ends_with("==") => {
                word(self);
            }
            text if text.contains("==") => {}
            _ => {
                let operator = word(self);
                if operator == "==" || !operator.starts_with("==") {
                    word(self);
                }
            }
        }
        let mut arms = vec![vec![self.command()?]];
        self.blanks();
        let is_complete = self.keyword() == "else";
        if is_complete {
            self.at += 4;
            arms.push(vec![self.command()?]);
        }
        Ok(Node::Branches { arms, is_complete })
    }

    fn simple(&mut self, line: u32) -> Simple {
        let from = self.at;
        let mut simple = Simple { line, ..Simple::default() };
        loop {
            self.blanks();
            let start = self.at;
            let stream = self.peek().filter(|c| c.is_ascii_digit() && self.chars.get(self.at + 1) == Some(&'>'));
            self.at += usize::from(stream.is_some());
            if self.take('>') {
                let append = self.take('>');
                let is_copy = self.take('&');
                self.blanks();
                let file = self.word();
                simple.redirections.push(match stream {
                    None | Some('1') if !is_copy => Redirection::Output { file, append },
                    _ => Redirection::Other(file),
                });
            } else if self.take('<') {
                self.blanks();
                let file = self.word();
                simple.redirections.push(Redirection::Input(file));
            } else if matches!(self.peek(), None | Some('\n' | '&' | '|' | ')')) {
                break;
            } else {
                self.at = start;
                let word = self.word();
                simple.words.push(word);
            }
        }
        let text: String = self.chars[from..self.at].iter().collect();
        simple.text = text.lines().map(|l| l.trim().trim_end_matches('^')).collect::<Vec<_>>().join(" ");
        simple.text.truncate(simple.text.trim_end().len());
        simple
    }

    fn word(&mut self) -> Word {
        self.text(|c| c.is_whitespace() || "&|)<>".contains(c))
    }

    /// Parses text up to an unquoted character that ends it.
    fn text(&mut self, ends: impl Fn(char) -> bool) -> Word {
        let from = self.at;
        let mut pieces: Vec<Piece> = Vec::new();
        let mut literal = String::new();
        let mut quoted = false;
        while let Some(c) = self.peek() {
            if c == '\n' || !quoted && ends(c) {
                break;
            }
            if let Some(variable) = self.variable(quoted) {
                if !literal.is_empty() {
                    pieces.push(Piece::Text { text: std::mem::take(&mut literal), quoted: true });
                }
                pieces.push(variable);
                continue;
            }
            self.at += 1;
            match c {
                '"' => quoted = !quoted,
                '^' if !quoted => {
                    let next = self.peek();
                    self.at += usize::from(next.is_some());
                    literal.extend(next.filter(|n| *n != '\n'));
                }
                '%' if self.peek() == Some('%') => {
                    self.at += 1;
                    literal.push('%');
                }
                c => literal.push(c),
            }
        }
        let text: String = self.chars[from..self.at].iter().collect();
        if !literal.is_empty() || pieces.is_empty() && text.starts_with('"') {
            pieces.push(Piece::Text { text: literal, quoted: true });
        }
        Word { pieces, text }
    }

    /// Parses `%NAME%`, `!NAME!`, `%%N`, `%~dp0` and `%1`.
    fn variable(&mut self, quoted: bool) -> Option<Piece> {
        let rest = &self.chars[self.at..];
        let (name, length) = match rest {
            ['%', '%', '~', letter, ..] if letter.is_ascii_alphabetic() => (format!("%%{letter}"), 4),
            ['%', '%', letter, ..] if letter.is_ascii_alphabetic() => (format!("%%{letter}"), 3),
            ['%', '*', ..] => ("*".to_owned(), 2),
            ['%', digit, ..] if digit.is_ascii_digit() => (digit.to_string(), 2),
            ['%', '~', ..] => {
                let length = rest[2..].iter().take_while(|c| c.is_ascii_alphabetic()).count() + 3;
                let text = rest[..length.min(rest.len())].iter().collect();
                self.at += length;
                return Some(Piece::Unfollowed(text));
            }
            [mark @ ('%' | '!'), after @ ..] => {
                let length = after.iter().position(|c| c == mark)?;
                let name: String = after[..length].iter().collect();
                if !crate::syntax::is_name(&name) {
                    return None;
                }
                (variable_name(&name), length + 2)
            }
            _ => return None,
        };
        let text = rest[..length].iter().collect();
        self.at += length;
        Some(Piece::Variable { name, index: None, default: None, quoted, text })
    }
}
