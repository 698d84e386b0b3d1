//! Follows a parsed script and collects the commands that do I/O, without running anything.
//!
//! Loops over known lists run once per value; after a branch, a variable has the values from all arms. The environment
//! of this process is ignored, because the script may run elsewhere. Anything that cannot be followed becomes a
//! [`Doubt`].

mod builtins;
mod commands;
mod expand;

use crate::arithmetic;
use crate::environment::{Environment, Work};
use crate::plan::{Cause, Doubt, Followed};
use crate::syntax::{Node, Redirection, Simple};
use builtins::DECLARES;
use expand::{choices, names_in, words_of};
use messages::sentence;
use model::{Sentence, clip};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// Maximum work before the reader stops, in bytes and entries that are copied or compared.
pub const MOST_WORK: u64 = 100_000_000;

/// Work counted for a command in addition to the data that it copies.
const COMMAND: usize = 1000;

/// Work per byte of parsed text.
const PARSED: usize = 8;

/// Maximum number of plans; comparing them is quadratic.
const MOST_PLANS: usize = 1024;

/// Maximum depth of nested command lists, including function calls and `bash -c`.
const DEEPEST: u32 = 100;

/// Maximum length of a value, in bytes.
const LONGEST: usize = 1 << 16;

/// Maximum number of words of one command.
const MOST_WORDS: usize = 4096;

/// Follows a script from its first command to its last.
pub fn follow(nodes: &[Node]) -> Followed {
    follow_counted(nodes, &Work::default())
}

/// Follows a script, adding its work to `work`.
pub fn follow_counted(nodes: &[Node], work: &Work) -> Followed {
    let mut follower = Follower { work: work.clone(), ..Follower::default() };
    let mut environment = Environment { work: work.clone(), ..Environment::default() };
    follower.run(nodes, &mut environment, &Input::Terminal);
    // A script that is a library calls none of its functions, so follow the bodies as well.
    let uncalled: Vec<Rc<Vec<Node>>> =
        follower.functions.values().filter(|f| !f.is_called).map(|f| Rc::clone(&f.body)).collect();
    for body in uncalled {
        follower.run(&body, &mut environment.clone(), &Input::Terminal);
    }
    follower.followed
}

/// Standard input of a command.
#[derive(Debug, Clone)]
enum Input {
    Terminal,
    /// Known text, with the line of the script on which it starts. The text is `None` for a pipe or a file with unknown
    /// content.
    Text(Option<Rc<str>>, u32),
}

impl Input {
    /// Returns the text, if it is known.
    fn text(&self) -> Option<Rc<str>> {
        match self {
            Input::Text(text, _) => text.clone(),
            Input::Terminal => None,
        }
    }
}

/// Word after expansion.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Field {
    text: String,
    unknown: Option<Cause>,
}

impl Field {
    fn known(text: &str) -> Self {
        Field { text: text.to_owned(), unknown: None }
    }

    /// Returns the text, if all of it is known.
    fn value(&self) -> Option<String> {
        self.unknown.is_none().then(|| self.text.clone())
    }

    fn add_cause(&mut self, cause: Cause) {
        let is_other = self.unknown.as_ref().is_some_and(|before| *before != cause);
        self.unknown = Some(if is_other { Cause::Run } else { cause });
    }
}

/// Truncates a list that is too long and marks its last word as unknown.
fn bound(fields: &mut Vec<Field>) {
    if fields.len() > MOST_WORDS {
        fields.truncate(MOST_WORDS);
        fields[MOST_WORDS - 1].add_cause(Cause::Run);
    }
}

#[derive(Debug)]
struct Function {
    body: Rc<Vec<Node>>,
    is_called: bool,
}

/// Location and redirections of a simple command.
struct Call<'a> {
    line: u32,
    text: &'a str,
    output: Option<Field>,
}

#[derive(Debug, Default)]
struct Follower {
    followed: Followed,
    functions: BTreeMap<String, Function>,
    /// Doubts so far, to skip duplicates.
    seen: BTreeSet<Doubt>,
    /// Files that the script writes. The value is `None` if the content is unknown.
    files: BTreeMap<String, Option<Rc<str>>>,
    work: Work,
    is_exhausted: bool,
    depth: u32,
    background: u32,
}

impl Follower {
    fn doubt(&mut self, line: u32, text: &str, what: Sentence) {
        let doubt = Doubt { line, text: clip(text), what };
        if self.seen.insert(doubt.clone()) {
            self.followed.doubts.push(doubt);
        }
    }

    /// Follows a list of commands and returns their standard output, if it is known.
    fn run(&mut self, nodes: &[Node], environment: &mut Environment, input: &Input) -> Option<String> {
        self.depth += 1;
        let mut output = Some(String::new());
        if self.depth <= DEEPEST {
            for node in nodes {
                if self.is_exhausted(0) {
                    break;
                }
                self.work.add(COMMAND);
                let more = self.node(node, environment, input);
                output = append(output, more);
            }
        } else {
            self.doubt(0, "", sentence!("lint-nested-too-deep", n = DEEPEST));
        }
        self.depth -= 1;
        output
    }

    fn node(&mut self, node: &Node, environment: &mut Environment, input: &Input) -> Option<String> {
        match node {
            Node::Simple(simple) => self.simple(simple, environment, input),
            Node::Pipeline(nodes) => self.pipeline(nodes, environment, input),
            Node::Chain(nodes) => {
                let (first, rest) = nodes.split_first()?;
                let mut output = self.node(first, environment, input);
                let before = environment.clone();
                for node in rest {
                    let more = self.node(node, environment, input);
                    output = append(output, more);
                }
                environment.join(&before);
                output
            }
            Node::Branches { arms, is_complete } => {
                self.branches(arms, *is_complete, environment, input);
                None
            }
            Node::For { name, values, body, line } => {
                for value in &self.loop_values(values.as_deref(), environment, input) {
                    if self.is_exhausted(*line) {
                        break;
                    }
                    environment.set(name, value.value().map(|v| Rc::new(vec![v])));
                    self.run(body, environment, input);
                }
                None
            }
            Node::Loop(body) => {
                let before = environment.clone();
                // The second pass starts with the values that the first pass leaves.
                self.run(body, environment, input);
                self.run(body, environment, input);
                environment.join(&before);
                None
            }
            Node::Group(nodes) => self.run(nodes, environment, input),
            Node::Subshell(nodes) => self.run(nodes, &mut environment.clone(), input),
            Node::Function { name, body } => {
                self.functions.insert(name.clone(), Function { body: Rc::clone(body), is_called: false });
                Some(String::new())
            }
            Node::Redirected(node, simple) => {
                let (input, file) = self.redirect(simple, environment, input);
                let output = self.node(node, environment, &input);
                self.write(file, output)
            }
            Node::Arithmetic(expression) => {
                self.assign(expression, environment);
                Some(String::new())
            }
            Node::Background(node) => {
                self.background += 1;
                self.node(node, &mut environment.clone(), input);
                self.background -= 1;
                Some(String::new())
            }
        }
    }

    /// Follows commands connected by `|`, each in its own environment.
    fn pipeline(&mut self, nodes: &[Node], environment: &Environment, input: &Input) -> Option<String> {
        let mut input = input.clone();
        let mut output = None;
        for node in nodes {
            output = self.node(node, &mut environment.clone(), &input);
            let line = match &input {
                Input::Text(_, line) => *line,
                Input::Terminal => first_document(node),
            };
            input = Input::Text(output.as_deref().map(Rc::from), line);
        }
        output
    }

    /// Follows every arm. Variables then have the values from all of them.
    fn branches(&mut self, arms: &[Vec<Node>], is_complete: bool, environment: &mut Environment, input: &Input) {
        let before = environment.clone();
        let mut joined = (!is_complete).then(|| before.clone());
        for arm in arms {
            let mut branch = before.clone();
            self.run(arm, &mut branch, input);
            match &mut joined {
                Some(joined) => joined.join(&branch),
                None => joined = Some(branch),
            }
        }
        *environment = joined.unwrap_or(before);
    }

    /// Applies the assignments of `((...))` and `let`.
    fn assign(&mut self, expression: &str, environment: &mut Environment) {
        self.work.add(expression.len());
        arithmetic::assign(expression, |name, change| {
            let number = environment.value(name, None).and_then(|v| v.first()?.parse::<i64>().ok());
            let value = change.and_then(|by| number?.checked_add(by));
            environment.set(name, value.map(|n| Rc::new(vec![n.to_string()])));
        });
    }

    /// Returns `true` if the script is too long to follow further, which is reported once.
    fn is_exhausted(&mut self, line: u32) -> bool {
        let plans = self.followed.plans.len();
        if !self.is_exhausted && (self.work.total() >= MOST_WORK || plans >= MOST_PLANS) {
            self.is_exhausted = true;
            self.doubt(line, "", sentence!("lint-too-long", n = plans));
        }
        self.is_exhausted
    }

    fn simple(&mut self, simple: &Simple, environment: &mut Environment, input: &Input) -> Option<String> {
        let names = names_in(words_of(simple), environment);
        if names.is_empty() {
            return self.simple_once(simple, environment, input);
        }
        let before = environment.clone();
        let mut joined: Option<Environment> = None;
        for choice in choices(&names, &before) {
            if self.is_exhausted(simple.line) {
                break;
            }
            self.work.add(COMMAND);
            let mut chosen = before.clone();
            choice.iter().for_each(|(name, value)| chosen.set(name, value.clone()));
            self.simple_once(simple, &mut chosen, input);
            for (name, value) in &choice {
                if chosen.variables.get(name).is_some_and(|now| now.as_slice() == std::slice::from_ref(value)) {
                    chosen.set_all(name, before.variables.get(name).cloned());
                }
            }
            match &mut joined {
                Some(joined) => joined.join(&chosen),
                None => joined = Some(chosen),
            }
        }
        *environment = joined.unwrap_or(before);
        None
    }

    fn simple_once(&mut self, simple: &Simple, environment: &mut Environment, input: &Input) -> Option<String> {
        let mut fields: Vec<Field> = Vec::new();
        for word in &simple.words {
            if fields.len() > MOST_WORDS {
                break;
            }
            let more = self.expand(word, environment, input);
            fields.extend(more);
        }
        bound(&mut fields);
        let declares = fields.first().is_some_and(|f| DECLARES.contains(&f.text.as_str()));
        let keeps = fields.is_empty() || declares || simple.assignments.is_empty();
        let mut inner;
        let scope = if keeps {
            environment
        } else {
            inner = environment.clone();
            &mut inner
        };
        for assignment in &simple.assignments {
            let value = self.assigned(assignment, scope, input);
            scope.set(&assignment.name, value);
        }
        let (input, file) = self.redirect(simple, scope, input);
        let call = Call { line: simple.line, text: &simple.text, output: file.as_ref().map(|(f, _)| f.clone()) };
        let output = self.dispatch(&call, &fields, scope, &input);
        self.write(file, output)
    }

    /// Records the output that a command writes to a file. Returns the output that remains for a pipe.
    fn write(&mut self, file: Option<(Field, bool)>, output: Option<String>) -> Option<String> {
        let Some((name, append)) = file else { return output };
        self.store(&name, append, output.as_deref());
        Some(String::new())
    }

    fn store(&mut self, name: &Field, append: bool, content: Option<&str>) {
        if name.unknown.is_some() {
            return;
        }
        let before = if append { self.files.get(&name.text).cloned() } else { None };
        let before = before.unwrap_or_else(|| Some(Rc::from("")));
        let content = before.zip(content).filter(|(b, c)| b.len() + c.len() <= LONGEST);
        let content: Option<Rc<str>> = content.map(|(b, c)| Rc::from([&*b, c].concat()));
        self.work.add(name.text.len() + content.as_ref().map_or(0, |c| c.len()));
        self.files.insert(name.text.clone(), content);
    }
}

/// Concatenates two outputs; `None` if either is unknown or the result is too long.
fn append(before: Option<String>, more: Option<String>) -> Option<String> {
    before.zip(more).map(|(b, m)| b + &m).filter(|o| o.len() <= LONGEST)
}

/// Returns the line of the first here-document of a command.
fn first_document(node: &Node) -> u32 {
    let (Node::Simple(simple) | Node::Redirected(_, simple)) = node else { return 1 };
    let lines = simple.redirections.iter().filter_map(|r| match r {
        Redirection::Text { line, .. } => Some(*line),
        _ => None,
    });
    lines.min().unwrap_or(simple.line)
}
