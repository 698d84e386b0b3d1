//! Follows a parsed script and collects the commands that do I/O, without running anything.
//!
//! Loops over known lists run once per value; after a branch, a variable has the values from all arms. The environment
//! of this process is ignored, because the script may run elsewhere. Anything that cannot be followed becomes a
//! [`Doubt`].

use super::arithmetic;
use super::environment::{Environment, MOST_READINGS, Value, Variables, Work, size};
use super::shell;
use super::syntax::{Assigned, Assignment, Node, Piece, Redirection, Simple, Word, is_name};
use super::wrappers::{HARMLESS, SHELLS, Wrapper, program_name, wrapper};
use messages::sentence;
use model::{Sentence, clip};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// Programs whose command lines are checked as plans.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Program {
    Fio,
    Secchi,
    Diskspd,
}

/// A benchmark command in a script.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Planned {
    /// Line, counted from 1.
    pub line: u32,
    /// Source text.
    pub text: String,
    pub program: Program,
    /// Arguments, as far as they are known.
    pub words: Vec<String>,
    /// File that receives the standard output, or the file given by `--output`.
    pub output: Option<String>,
    pub background: bool,
    /// Arguments that are known only when the script runs; they are not in `words`.
    pub unknown: Vec<Unknown>,
    /// Files that the script wrote earlier, by name; `-` is standard input.
    pub files: Rc<BTreeMap<String, Rc<str>>>,
    /// Variables at the time of the command.
    pub variables: Variables,
}

/// An argument that is unknown without running the script.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unknown {
    /// Text of the word, as far as it is known.
    pub word: String,
    pub cause: Cause,
}

/// Reason why a word is unknown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Cause {
    /// The script does not set this variable.
    Unset(String),
    /// The value is known only when the script runs.
    Run,
}

impl Unknown {
    /// Returns a sentence with the word and the reason why it is unknown.
    pub fn describe(&self) -> Sentence {
        let word = clip(&self.word);
        match &self.cause {
            Cause::Unset(name) => sentence!("lint-variable-not-set", word, name = clip(name)),
            Cause::Run => sentence!("lint-known-when-run", word),
        }
    }
}

/// Part of a script that was not followed.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Doubt {
    pub line: u32,
    pub text: String,
    pub what: Sentence,
}

/// Result of following a script.
#[derive(Debug, Default)]
pub struct Followed {
    pub plans: Vec<Planned>,
    pub doubts: Vec<Doubt>,
}

/// Maximum work before lint stops, in bytes and entries that are copied or compared.
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
            Node::Pipeline(nodes) => {
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
                None
            }
            Node::For { name, values, body, line } => {
                let values: Vec<Field> = match values {
                    Some(words) => self.loop_values(words, environment, input),
                    None => match environment.value("@", None) {
                        Some(values) => values.iter().map(|v| Field::known(v)).collect(),
                        None => vec![Field { text: "$@".to_owned(), unknown: Some(Cause::Unset("$@".to_owned())) }],
                    },
                };
                for value in &values {
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
                self.work.add(expression.len());
                arithmetic::assign(expression, |name, change| {
                    let number = environment.value(name, None).and_then(|v| v.first()?.parse::<i64>().ok());
                    let value = change.and_then(|by| number?.checked_add(by));
                    environment.set(name, value.map(|n| Rc::new(vec![n.to_string()])));
                });
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

    /// Expands the list of a `for`. An unquoted pattern represents unknown files.
    fn loop_values(&mut self, words: &[Word], environment: &mut Environment, input: &Input) -> Vec<Field> {
        let mut values = Vec::new();
        for word in words {
            if values.len() > MOST_WORDS {
                break;
            }
            let is_pattern =
                |p: &Piece| matches!(p, Piece::Text { text, quoted: false } if text.contains(['*', '?', '[']));
            let mut fields = self.expand_choices(word, environment, input);
            if word.pieces.iter().any(is_pattern) {
                fields.iter_mut().for_each(|f| f.add_cause(Cause::Run));
            }
            values.extend(fields);
        }
        bound(&mut values);
        values
    }

    /// Returns `true` if lint gives up, which it reports once.
    fn is_exhausted(&mut self, line: u32) -> bool {
        let plans = self.followed.plans.len();
        if !self.is_exhausted && (self.work.total() >= MOST_WORK || plans >= MOST_PLANS) {
            self.is_exhausted = true;
            self.doubt(line, "", sentence!("lint-too-long", n = plans));
        }
        self.is_exhausted
    }

    /// Expands a word once for each combination of the values of its variables.
    fn expand_choices(&mut self, word: &Word, environment: &mut Environment, input: &Input) -> Vec<Field> {
        let names = names_in([word], environment);
        let mut fields = Vec::new();
        for choice in choices(&names, environment) {
            let mut chosen = environment.clone();
            choice.into_iter().for_each(|(name, value)| chosen.set(name, value));
            fields.extend(self.expand(word, &mut chosen, input));
        }
        fields
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

    fn assigned(&mut self, assignment: &Assignment, environment: &mut Environment, input: &Input) -> Value {
        let mut elements = Vec::new();
        let mut is_known = true;
        match &assignment.value {
            Assigned::Array(words) => {
                for word in words {
                    for field in self.expand(word, environment, input) {
                        is_known &= field.unknown.is_none();
                        elements.push(field.text);
                    }
                }
            }
            Assigned::Scalar(word) => {
                let fields = self.expand_unsplit(word, environment, input);
                is_known &= fields.unknown.is_none();
                elements.push(fields.text);
            }
        }
        if !is_known {
            return None;
        }
        if assignment.append {
            let before = match environment.variables.get(&assignment.name).and_then(|v| v.first()) {
                Some(value) => value.clone()?,
                None => Rc::default(),
            };
            self.work.add(size(&before));
            elements = match (&assignment.value, before.split_first()) {
                (Assigned::Array(_), _) => before.iter().cloned().chain(elements).collect(),
                (Assigned::Scalar(_), Some((first, _))) => vec![format!("{first}{}", elements[0])],
                (Assigned::Scalar(_), None) => elements,
            };
        }
        (elements.len() <= MOST_WORDS && elements.iter().all(|e| e.len() <= LONGEST)).then(|| Rc::new(elements))
    }

    /// Applies redirections. Returns standard input, and the file for standard output with a flag for appending.
    fn redirect(
        &mut self,
        simple: &Simple,
        environment: &mut Environment,
        input: &Input,
    ) -> (Input, Option<(Field, bool)>) {
        let (mut stdin, mut file) = (input.clone(), None);
        for redirection in &simple.redirections {
            match redirection {
                Redirection::Input(word) => {
                    let name = self.expand_unsplit(word, environment, input);
                    let content = self.files.get(&name.text).cloned().flatten();
                    stdin = Input::Text(content.filter(|_| name.unknown.is_none()), simple.line);
                }
                Redirection::Text { body, line } => {
                    let text = self.expand_unsplit(body, environment, input);
                    // Unknown references stay in the text; the command that reads the text handles them.
                    stdin = Input::Text(Some(text.text.into()), *line);
                }
                Redirection::Output { file: word, append } => {
                    file = Some((self.expand_unsplit(word, environment, input), *append));
                }
                Redirection::Other(word) => {
                    self.expand(word, environment, input);
                }
            }
        }
        (stdin, file)
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

    /// Unwraps a command and follows it.
    fn dispatch(
        &mut self,
        call: &Call,
        fields: &[Field],
        environment: &mut Environment,
        input: &Input,
    ) -> Option<String> {
        let mut fields = fields.to_vec();
        let mut rest = 0;
        loop {
            let words = fields.get(rest..).unwrap_or_default();
            let Some(first) = words.first() else { return Some(String::new()) };
            if first.unknown.is_some() {
                let what = sentence!("lint-command-unknown", word = clip(&first.text));
                match words.iter().position(|w| w.unknown.is_none() && program(&w.text).is_some()) {
                    Some(n) => rest += n,
                    None if words.iter().any(|w| is_fio_option(&w.text)) => {
                        self.record(call, Program::Fio, &words[1..], environment, input);
                        self.doubt(call.line, call.text, what);
                        return None;
                    }
                    None => {
                        self.doubt(call.line, call.text, what);
                        return None;
                    }
                }
                self.doubt(call.line, call.text, what);
                continue;
            }
            if let Some(function) = self.functions.get_mut(&first.text) {
                function.is_called = true;
                let body = Rc::clone(&function.body);
                return self.call(&body, &words[1..], environment, input);
            }
            let name = program_name(&first.text);
            if let Some(program) = program(&first.text) {
                let secchi_fio = program == Program::Secchi && words.get(1).is_some_and(|w| w.text == "fio");
                let (program, skipped) = if secchi_fio { (Program::Fio, 2) } else { (program, 1) };
                self.record(call, program, &words[skipped..], environment, input);
                let command = words.iter().position(|w| w.text == "--").filter(|_| program == Program::Secchi);
                let options = words[..command.unwrap_or(words.len())].to_vec();
                let has = |verb: &str| program == Program::Secchi && options.iter().any(|w| w.text == verb);
                let texts = match () {
                    () if has("ab") => {
                        values_of(&options, &["--a", "--b"]).map(|plan| format!("secchi {plan}")).collect()
                    }
                    () if has("watch") => values_of(&options, &["--on-alert"]).collect(),
                    () => Vec::new(),
                };
                for text in texts {
                    self.shell_text(call, &text, &mut environment.clone(), &Input::Terminal);
                }
                match command.filter(|_| has("watch") || has("record")) {
                    Some(n) => rest += n + 1,
                    None => return None,
                }
                continue;
            }
            if let Some(output) = self.builtin(call, &name, words, environment, input) {
                return output;
            }
            if name == "start" || name == "cmd" {
                let n = words.iter().position(|w| program(&w.text).is_some())?;
                let waits = name == "cmd" || words[..n].iter().any(|w| w.text.eq_ignore_ascii_case("/wait"));
                self.background += u32::from(!waits);
                let output = self.dispatch(call, &words[n..], environment, input);
                self.background -= u32::from(!waits);
                return output;
            }
            let texts: Vec<&str> = words.iter().take(12).map(|w| w.text.as_str()).collect();
            if let Some((kind, named)) = wrapper(&texts) {
                let is_shell = matches!(kind, Wrapper::Shell { .. });
                let at = named + command_at(kind, &words[named..]);
                if name == "xargs" {
                    fields = xargs(&words[named..at.min(words.len())], words.get(at..).unwrap_or_default(), input);
                    bound(&mut fields);
                    self.work.add(fields.iter().map(|f| f.text.len() + COMMAND).sum());
                    rest = 0;
                    continue;
                }
                if is_shell {
                    let script = join(words.get(at..).unwrap_or_default());
                    return self.shell_text(call, &script, environment, input);
                }
                rest += at;
                continue;
            }
            if HARMLESS.contains(&name.as_str()) && name != "find" {
                return None;
            }
            // An unknown program may run a benchmark that is among its arguments.
            let runs = |w: &[Field]| {
                program(&w[0].text).is_some() && (is_fio_option(&w[1].text) || w[1].text.ends_with(".fio"))
            };
            let n = words.windows(2).position(runs)?;
            rest += n;
        }
    }

    /// Calls a function.
    fn call(
        &mut self,
        body: &Rc<Vec<Node>>,
        words: &[Field],
        environment: &mut Environment,
        input: &Input,
    ) -> Option<String> {
        // An unknown word makes all parameters unknown, because it may expand to any number of words.
        let parameters: Option<Vec<String>> = words.iter().map(Field::value).collect();
        let before = std::mem::replace(&mut environment.parameters, parameters.map(Rc::new));
        let output = self.run(body, environment, input);
        environment.parameters = before;
        output
    }

    /// Follows the text passed to `bash -c`, `eval` or a here-document.
    fn shell_text(&mut self, call: &Call, text: &str, environment: &mut Environment, input: &Input) -> Option<String> {
        if text.trim().is_empty() {
            return match input {
                Input::Terminal => Some(String::new()),
                Input::Text(Some(text), line) => self.parsed(call, text, *line, environment, &Input::Terminal),
                Input::Text(None, _) => {
                    self.doubt(call.line, call.text, sentence!("lint-script-piped"));
                    None
                }
            };
        }
        self.parsed(call, text, call.line, environment, input)
    }

    fn parsed(
        &mut self,
        call: &Call,
        text: &str,
        line: u32,
        environment: &mut Environment,
        input: &Input,
    ) -> Option<String> {
        self.work.add(PARSED * text.len());
        match shell::parse(text, line, false) {
            Ok(nodes) => self.run(&nodes, environment, input),
            Err(broken) => {
                self.doubt(broken.line, call.text, sentence!("lint-not-parsed", what = broken.what));
                None
            }
        }
    }

    /// Follows a builtin or a program whose effect on the script is known. Returns `None` for any other command; the
    /// inner value is the output, if known.
    #[allow(clippy::option_option)]
    fn builtin(
        &mut self,
        call: &Call,
        name: &str,
        words: &[Field],
        environment: &mut Environment,
        input: &Input,
    ) -> Option<Option<String>> {
        let arguments = &words[1..];
        let quiet = Some(Some(String::new()));
        match name {
            _ if DECLARES.contains(&name) => {
                for word in arguments {
                    if let Some((name, value)) = word.text.split_once('=').filter(|(name, _)| is_name(name)) {
                        environment.set(name, word.unknown.is_none().then(|| Rc::new(vec![value.to_owned()])));
                    }
                }
                quiet
            }
            ":" | "true" | "false" | "cd" | "pushd" | "popd" | "mkdir" | "sleep" | "wait" | "sync" | "rm" | "touch" => {
                quiet
            }
            "unset" => {
                for word in arguments {
                    environment.set_all(&word.text, None);
                }
                quiet
            }
            "shift" => {
                let n = arguments.first().and_then(|n| n.text.parse().ok()).unwrap_or(1_usize);
                if let Some(parameters) = &mut environment.parameters {
                    self.work.add(size(parameters));
                    let n = n.min(parameters.len());
                    Rc::make_mut(parameters).drain(..n);
                }
                quiet
            }
            "set" => {
                if let Some(n) = arguments.iter().position(|w| w.text == "--") {
                    let words = arguments[n + 1..].iter();
                    environment.parameters = words.map(Field::value).collect::<Option<_>>().map(Rc::new);
                }
                quiet
            }
            "read" | "mapfile" | "readarray" | "getopts" => {
                let names = arguments.iter().filter(|w| is_name(&w.text));
                let lines: Vec<Value> = match input {
                    Input::Text(Some(text), _)
                        if name == "read" && arguments.iter().filter(|w| is_name(&w.text)).count() == 1 =>
                    {
                        text.lines().map(|l| Some(Rc::new(vec![l.trim().to_owned()]))).take(MOST_READINGS + 1).collect()
                    }
                    _ => vec![None],
                };
                let lines = Rc::new(lines);
                for name in names {
                    environment.set_all(&name.text, Some(Rc::clone(&lines)));
                }
                quiet
            }
            "eval" => Some(self.shell_text(call, &join(arguments), environment, &Input::Terminal)),
            "trap" => {
                let script = arguments.first().filter(|w| w.text != "-").map_or("", |w| w.text.as_str());
                self.shell_text(call, script, &mut environment.clone(), &Input::Terminal);
                quiet
            }
            "source" | "." => {
                let file = arguments.first()?;
                match self.files.get(&file.text).cloned() {
                    Some(Some(text)) => Some(self.parsed(call, &text, call.line, environment, input)),
                    _ => {
                        self.doubt(call.line, call.text, sentence!("lint-sourced", name = clip(&file.text)));
                        Some(None)
                    }
                }
            }
            "echo" => {
                let plain = arguments.iter().skip_while(|w| ["-e", "-n", "-en", "-ne"].contains(&w.text.as_str()));
                let escapes = arguments.iter().take(2).any(|w| ["-e", "-en", "-ne"].contains(&w.text.as_str()));
                let text = plain.map(|w| w.text.as_str()).collect::<Vec<_>>().join(" ") + "\n";
                Some(Some(if escapes { unescape(&text) } else { text }))
            }
            "printf" => Some(printf(arguments)),
            // The name of a new file, unique for this line.
            "mktemp" => Some(Some(format!("/tmp/tmp.line{}", call.line))),
            "cat" | "tee" => {
                let text = match input {
                    Input::Text(text, _) => text.clone(),
                    Input::Terminal => None,
                };
                let files: Vec<&Field> = arguments.iter().filter(|w| !w.text.starts_with('-')).collect();
                if name == "tee" {
                    let append = arguments.iter().any(|w| w.text == "-a");
                    for file in files {
                        self.store(file, append, text.as_deref());
                    }
                    return Some(text.map(|t| t.to_string()));
                }
                if files.is_empty() {
                    return Some(text.map(|t| t.to_string()));
                }
                let texts = files.iter().map(|f| Some(self.files.get(&f.text)?.as_ref()?.to_string()));
                Some(texts.fold(Some(String::new()), append))
            }
            "flock" | "script" | "runuser" | "sg" => {
                let n = arguments.iter().position(|w| ["-c", "--command"].contains(&w.text.as_str()))?;
                let script = arguments.get(n + 1)?.text.clone();
                // A `-c` after the command that flock runs belongs to that command.
                if name == "flock" && wrapper(&["flock"]).is_some_and(|(kind, _)| command_at(kind, arguments) != n + 1)
                {
                    return None;
                }
                Some(self.shell_text(call, &script, &mut environment.clone(), input))
            }
            _ if SHELLS.contains(&name) => Some(self.shell_program(call, name, arguments, environment, input)),
            _ => None,
        }
    }

    /// Follows `sh -c TEXT`, `bash FILE` and `bash -s`.
    fn shell_program(
        &mut self,
        call: &Call,
        name: &str,
        arguments: &[Field],
        environment: &mut Environment,
        input: &Input,
    ) -> Option<String> {
        let mut inner = environment.clone();
        let is_command = |w: &Field| w.text.starts_with('-') && !w.text.starts_with("--") && w.text.ends_with('c');
        let first = arguments.iter().position(|w| !w.text.starts_with(['-', '+'])).unwrap_or(arguments.len());
        let command = arguments.iter().position(is_command).filter(|n| *n < first || name == "su");
        if let Some(n) = command {
            let script = arguments.get(n + 1)?;
            let parameters = arguments.get(n + 3..).unwrap_or_default().iter();
            inner.parameters = parameters.map(Field::value).collect::<Option<_>>().map(Rc::new);
            return self.shell_text(call, &script.text, &mut inner, input);
        }
        if name == "su" {
            return self.shell_text(call, "", &mut inner, input);
        }
        let reads_input = arguments[..first].iter().any(|w| w.text == "-s");
        match arguments.get(first).filter(|_| !reads_input) {
            None => self.shell_text(call, "", &mut inner, input),
            Some(file) => match self.files.get(&file.text).cloned() {
                Some(Some(text)) => self.parsed(call, &text, call.line, &mut inner, input),
                _ => {
                    self.doubt(call.line, call.text, sentence!("lint-script-called", name = clip(&file.text)));
                    None
                }
            },
        }
    }

    /// Records a plan.
    fn record(&mut self, call: &Call, program: Program, fields: &[Field], environment: &Environment, input: &Input) {
        let is_question =
            |w: &Field| ["-h", "-v", "--help", "--version"].contains(&w.text.as_str()) || w.text.contains("help");
        if fields.is_empty() || fields.len() <= 2 && is_question(&fields[0]) {
            return;
        }
        let mut plan = Planned {
            line: call.line,
            text: call.text.to_owned(),
            program,
            words: Vec::new(),
            output: call.output.as_ref().and_then(Field::value),
            background: self.background > 0,
            unknown: Vec::new(),
            files: Rc::default(),
            variables: environment.variables.clone(),
        };
        self.work.add(call.text.len());
        let mut files: BTreeMap<String, Rc<str>> = BTreeMap::new();
        for field in fields {
            let is_input = program == Program::Fio && ["-", "/dev/stdin"].contains(&field.text.as_str());
            let content = match input {
                Input::Text(text, _) if is_input => Some(text.clone()),
                Input::Terminal if is_input => Some(None),
                _ => self.files.get(&field.text).cloned(),
            };
            match content {
                Some(Some(text)) => {
                    self.work.add(PARSED * text.len());
                    files.insert(field.text.clone(), text);
                }
                Some(None) => {
                    plan.unknown.push(Unknown { word: field.text.clone(), cause: Cause::Run });
                    continue;
                }
                None => {}
            }
            if let Some(cause) = &field.unknown {
                plan.unknown.push(Unknown { word: field.text.clone(), cause: cause.clone() });
                continue;
            }
            if let Some(output) = field.text.strip_prefix("--output=") {
                plan.output = Some(output.to_owned());
            }
            plan.words.push(field.text.clone());
        }
        // A device or the null device is not the name of a result.
        plan.output = plan.output.filter(|o| !o.starts_with("/dev/") && !o.eq_ignore_ascii_case("nul"));
        plan.files = Rc::new(files);
        let is_same = |p: &Planned| {
            p.line == plan.line
                && p.words == plan.words
                && p.unknown == plan.unknown
                && p.files == plan.files
                && p.output == plan.output
        };
        if self.followed.plans.len() < MOST_PLANS && !self.followed.plans.iter().any(is_same) {
            self.followed.plans.push(plan);
        }
    }

    fn expand(&mut self, word: &Word, environment: &mut Environment, input: &Input) -> Vec<Field> {
        let mut builder = Builder::default();
        self.expand_into(&mut builder, word, environment, input, true);
        builder.finish()
    }

    /// Expands a word in places without word splitting: values of variables, names in redirections, here-documents.
    fn expand_unsplit(&mut self, word: &Word, environment: &mut Environment, input: &Input) -> Field {
        let mut builder = Builder::default();
        self.expand_into(&mut builder, word, environment, input, false);
        let mut fields = builder.finish().into_iter();
        let mut first = fields.next().unwrap_or_default();
        for field in fields {
            first.text.push(' ');
            first.text.push_str(&field.text);
            field.unknown.into_iter().for_each(|cause| first.add_cause(cause));
        }
        first
    }

    fn expand_into(
        &mut self,
        builder: &mut Builder,
        word: &Word,
        environment: &mut Environment,
        input: &Input,
        splits: bool,
    ) {
        self.work.add(word.text.len());
        for piece in &word.pieces {
            if self.is_exhausted(0) {
                return builder.unknown(&word.text, Cause::Run);
            }
            match piece {
                Piece::Text { text, .. } => builder.push(text),
                Piece::Variable { name, index, default, quoted, text } => {
                    let value = environment.value(name, index.as_deref());
                    self.work.add(value.as_ref().map_or(0, |elements| size(elements)));
                    match (value, default) {
                        (Some(elements), _) if *quoted && (name == "@" || index.as_deref() == Some("@")) && splits => {
                            builder.elements(&elements);
                        }
                        (Some(elements), _) if *quoted || !splits => builder.push(&elements.join(" ")),
                        (Some(elements), _) => elements.iter().for_each(|e| builder.split(e)),
                        (None, Some(default)) => {
                            self.expand_into(builder, default, environment, input, splits && !quoted);
                        }
                        (None, None) if environment.variables.get(name).is_some() => builder.unknown(text, Cause::Run),
                        (None, None) => builder.unknown(text, Cause::Unset(text.clone())),
                    }
                }
                Piece::Commands { body, quoted, text } => {
                    let output = self.run(body, &mut environment.clone(), input);
                    self.work.add(output.as_ref().map_or(0, String::len));
                    let is_pipe = text.starts_with(['<', '>']);
                    match output.map(|o| o.trim_end_matches('\n').to_owned()) {
                        _ if is_pipe => {}
                        Some(output) if !output.is_empty() && (*quoted || !splits) => builder.push(&output),
                        Some(output) if !output.is_empty() => builder.split(&output),
                        _ => builder.unknown(text, Cause::Run),
                    }
                }
                Piece::Arithmetic { expression, text } => {
                    let number = |name: &str| environment.value(name, None)?.first()?.parse().ok();
                    match arithmetic::evaluate(expression, &number) {
                        Some(n) => builder.push(&n.to_string()),
                        None => builder.unknown(text, Cause::Run),
                    }
                }
                Piece::Unfollowed(text) => builder.unknown(text, Cause::Run),
            }
        }
    }
}

/// Builtins that set the variables named in their arguments.
const DECLARES: [&str; 5] = ["export", "readonly", "local", "declare", "typeset"];

/// Collects the fields of a word.
#[derive(Default)]
struct Builder {
    fields: Vec<Field>,
    current: Option<Field>,
}

impl Builder {
    fn push(&mut self, text: &str) {
        let field = self.current.get_or_insert_with(Field::default);
        match field.text.len() + text.len() <= LONGEST {
            true => field.text.push_str(text),
            false => field.add_cause(Cause::Run),
        }
    }

    fn unknown(&mut self, text: &str, cause: Cause) {
        self.push(text);
        self.current.get_or_insert_with(Field::default).add_cause(cause);
    }

    fn next(&mut self) {
        self.fields.extend(self.current.take().filter(|_| self.fields.len() <= MOST_WORDS));
    }

    fn split(&mut self, text: &str) {
        if text.starts_with(char::is_whitespace) {
            self.next();
        }
        for (i, word) in text.split_whitespace().enumerate() {
            if i > 0 {
                self.next();
            }
            self.push(word);
        }
        if text.ends_with(char::is_whitespace) {
            self.next();
        }
    }

    fn elements(&mut self, elements: &[String]) {
        for (i, element) in elements.iter().enumerate() {
            if i > 0 {
                self.next();
            }
            self.push(element);
        }
    }

    fn finish(mut self) -> Vec<Field> {
        self.next();
        self.fields
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

fn words_of(simple: &Simple) -> impl Iterator<Item = &Word> {
    let assigned = simple.assignments.iter().flat_map(|a| match &a.value {
        Assigned::Scalar(word) => std::slice::from_ref(word).iter(),
        Assigned::Array(words) => words.iter(),
    });
    let redirected = simple.redirections.iter().map(|r| match r {
        Redirection::Input(word) | Redirection::Other(word) => word,
        Redirection::Output { file, .. } => file,
        Redirection::Text { body, .. } => body,
    });
    simple.words.iter().chain(assigned).chain(redirected)
}

/// Returns the variables in these words that have several possible values.
fn names_in<'a>(words: impl IntoIterator<Item = &'a Word>, environment: &Environment) -> Vec<&'a str> {
    let mut names = Vec::new();
    words.into_iter().for_each(|word| add_names(word, environment, &mut names));
    let mut seen = BTreeSet::new();
    names.retain(|name| seen.insert(*name));
    names
}

fn add_names<'a>(word: &'a Word, environment: &Environment, names: &mut Vec<&'a str>) {
    for piece in &word.pieces {
        if let Piece::Variable { name, default, .. } = piece {
            let has_several = environment.variables.get(name).is_some_and(|v| v.len() > 1);
            if has_several {
                names.push(name);
            }
            if let Some(default) = default {
                add_names(default, environment, names);
            }
        }
    }
}

/// Returns the combinations of the values of these variables. One unknown value replaces the values beyond
/// [`MOST_READINGS`].
fn choices<'a>(names: &[&'a str], environment: &Environment) -> Vec<Vec<(&'a str, Value)>> {
    let mut choices: Vec<Vec<(&str, Value)>> = vec![Vec::new()];
    for name in names {
        let values = environment.variables.get(name).map_or(&[][..], |values| values);
        let most = MOST_READINGS / choices.len();
        let others = (values.len() > most).then_some(&None);
        if most == 0 {
            choices.iter_mut().for_each(|choice| choice.extend(others.map(|_| (*name, None))));
            continue;
        }
        choices = choices
            .iter()
            .flat_map(|choice| {
                let values = values.iter().take(most).chain(others);
                values.map(move |v| choice.iter().cloned().chain([(*name, v.clone())]).collect())
            })
            .collect();
    }
    choices
}

/// Returns the values of options written as `--name value` or `--name=value`.
fn values_of<'a>(words: &'a [Field], names: &'a [&str]) -> impl Iterator<Item = String> + 'a {
    words.iter().enumerate().filter_map(|(i, word)| match word.text.split_once('=') {
        Some((name, value)) if names.contains(&name) => Some(value.to_owned()),
        _ if names.contains(&word.text.as_str()) => words.get(i + 1).map(|w| w.text.clone()),
        _ => None,
    })
}

/// Returns the program that a word names, by its file name.
pub fn program(word: &str) -> Option<Program> {
    match program_name(word).as_str() {
        "fio" => Some(Program::Fio),
        "secchi" => Some(Program::Secchi),
        "diskspd" | "diskspd64" => Some(Program::Diskspd),
        _ => None,
    }
}

/// Returns `true` if a word is an option that only a benchmark has.
fn is_fio_option(word: &str) -> bool {
    let bare = word.trim_start_matches('-');
    let name = bare.split('=').next().unwrap_or(bare);
    bare.len() < word.len()
        && [
            "name",
            "filename",
            "rw",
            "readwrite",
            "ioengine",
            "iodepth",
            "bs",
            "blocksize",
            "direct",
            "runtime",
            "numjobs",
        ]
        .contains(&name)
}

/// Returns the index of the command among the words after a wrapper's name.
fn command_at(kind: Wrapper, words: &[Field]) -> usize {
    let (Wrapper::Prefix { valued, mut operands } | Wrapper::Shell { valued, mut operands }) = kind;
    let mut at = 0;
    while let Some(word) = words.get(at) {
        let text = word.text.as_str();
        let is_setting = text.split_once('=').is_some_and(|(name, _)| is_name(name));
        if text == "--" {
            return at + 1 + operands;
        } else if text.starts_with('-') && text.len() > 1 {
            at += if valued.takes(text) { 2 } else { 1 };
        } else if operands > 0 {
            // An image named fio runs fio as its entry point.
            let image = text.rsplit('/').next().unwrap_or(text).split(':').next().unwrap_or(text);
            let is_entry = image == "fio" && words.get(at + 1).is_some_and(|w| w.text.starts_with('-'));
            if is_entry {
                return at;
            }
            operands -= 1;
            at += 1;
        } else if is_setting {
            at += 1;
        } else {
            return at;
        }
    }
    at
}

fn join(words: &[Field]) -> String {
    words.iter().map(|w| w.text.as_str()).collect::<Vec<_>>().join(" ")
}

/// Returns the command that `xargs` runs, completed with the words from its input.
fn xargs(options: &[Field], command: &[Field], input: &Input) -> Vec<Field> {
    let unknown = || Field { text: "$(xargs)".to_owned(), unknown: Some(Cause::Run) };
    let text = match input {
        Input::Text(text, _) => text.clone(),
        Input::Terminal => None,
    };
    let replaced = options.iter().enumerate().find_map(|(i, w)| match w.text.strip_prefix("-I") {
        Some("") => options.get(i + 1).map(|w| w.text.clone()),
        Some(mark) => Some(mark.to_owned()),
        None => None,
    });
    let Some(mark) = replaced.filter(|m| !m.is_empty()) else {
        let more: Vec<Field> = match text {
            Some(text) => text.split_whitespace().map(Field::known).collect(),
            None => vec![unknown()],
        };
        return command.iter().cloned().chain(more).collect();
    };
    // With a single line of input, the command is known; with several lines, each line gives different words.
    let line = text.filter(|t| t.lines().count() == 1).map(|t| t.trim().to_owned());
    let replace = |field: &Field| {
        let count = field.text.matches(&mark).count();
        if count == 0 {
            return field.clone();
        }
        let mut field = field.clone();
        match line.as_ref().filter(|line| field.text.len() + count * line.len() <= LONGEST) {
            Some(line) => field.text = field.text.replace(&mark, line),
            None => {
                field.text = field.text.replace(&mark, "$(xargs)");
                field.add_cause(Cause::Run);
            }
        }
        field
    };
    command.iter().map(replace).collect()
}

/// Returns the output of `printf FORMAT WORDS...`, with `%s`, `%d`, `%b` and escapes.
fn printf(arguments: &[Field]) -> Option<String> {
    let (format, mut rest) = arguments.split_first()?;
    let format = unescape(&format.text);
    let mut output = String::new();
    loop {
        let before = rest.len();
        let mut chars = format.chars();
        while let Some(c) = chars.next() {
            match (c, c == '%') {
                (_, true) => match chars.next()? {
                    '%' => output.push('%'),
                    's' | 'd' | 'b' => {
                        if let Some((first, more)) = rest.split_first() {
                            output.push_str(&first.text);
                            rest = more;
                        }
                    }
                    _ => return None,
                },
                (c, _) => output.push(c),
            }
        }
        if output.len() > LONGEST {
            return None;
        }
        if rest.is_empty() || rest.len() == before {
            return Some(output);
        }
    }
}

fn unescape(text: &str) -> String {
    text.replace("\\n", "\n").replace("\\t", "\t")
}
