//! Syntax tree of a script, common to shells and batch files.

use std::rc::Rc;

/// Part of a word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece {
    /// Literal text. Only unquoted text is checked for braces to expand and for keywords.
    Text { text: String, quoted: bool },
    /// `$NAME`, `${NAME:-default}`, `${NAME[@]}`, `%NAME%`.
    Variable { name: String, index: Option<String>, default: Option<Word>, quoted: bool, text: String },
    /// `$(...)`, backquotes, `<(...)`.
    Commands { body: Vec<Node>, quoted: bool, text: String },
    /// `$((...))`: the expression.
    Arithmetic { expression: String, text: String },
    /// An expansion that is not followed, such as `${NAME//a/b}`.
    Unfollowed(String),
}

/// Word before its expansion.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Word {
    pub pieces: Vec<Piece>,
    /// Source text.
    pub text: String,
}

impl Word {
    /// Returns a word of literal, quoted text.
    pub fn literal(text: &str) -> Self {
        Word { pieces: vec![Piece::Text { text: text.to_owned(), quoted: true }], text: text.to_owned() }
    }
}

/// `NAME=value`, `NAME+=value`, `NAME=(a b)`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Assignment {
    pub name: String,
    pub append: bool,
    pub value: Assigned,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Assigned {
    Scalar(Word),
    Array(Vec<Word>),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Redirection {
    /// `< file`.
    Input(Word),
    /// `> file`, `>> file` for standard output.
    Output { file: Word, append: bool },
    /// Here-document or here-string, with the line of its first line.
    Text { body: Word, line: u32 },
    /// Redirection of another stream: only its word is expanded.
    Other(Word),
}

/// Simple command.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Simple {
    /// Line, counted from 1.
    pub line: u32,
    /// Source text on one line.
    pub text: String,
    pub assignments: Vec<Assignment>,
    pub words: Vec<Word>,
    pub redirections: Vec<Redirection>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Node {
    Simple(Simple),
    /// Commands connected by `|`.
    Pipeline(Vec<Node>),
    /// Commands connected by `&&` and `||`.
    Chain(Vec<Node>),
    /// Arms of `if` and `case`, of which exactly one runs. If the arms are not complete, it is possible that none runs.
    Branches {
        arms: Vec<Vec<Node>>,
        is_complete: bool,
    },
    /// `for NAME in WORDS`. If the values are `None`, the loop is over the positional parameters.
    For {
        name: String,
        values: Option<Vec<Word>>,
        body: Vec<Node>,
        line: u32,
    },
    /// `while`, `until` and `for ((...))`: condition and body.
    Loop(Vec<Node>),
    /// `{ ... }`.
    Group(Vec<Node>),
    /// `( ... )`.
    Subshell(Vec<Node>),
    Function {
        name: String,
        body: Rc<Vec<Node>>,
    },
    /// A compound command with redirections. They are stored in a simple command without words.
    Redirected(Box<Node>, Simple),
    /// `((...))` and `let`: the expression.
    Arithmetic(String),
    Background(Box<Node>),
}

/// Reason why a script cannot be parsed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Broken {
    /// Line, counted from 1.
    pub line: u32,
    /// Description of the error.
    pub what: String,
}

/// Returns `true` if a text is the name of a variable.
pub fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}
