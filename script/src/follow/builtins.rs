//! Builtins, shells, and programs whose effect on the script is known.

use super::commands::{command_at, join};
use super::{Call, Field, Follower, Input, LONGEST, PARSED, append};
use crate::environment::{Environment, MOST_READINGS, Value, size};
use crate::shell;
use crate::syntax::is_name;
use crate::wrappers::{SHELLS, wrapper};
use messages::sentence;
use model::clip;
use std::rc::Rc;

/// Builtins that set the variables named in their arguments.
pub(super) const DECLARES: [&str; 5] = ["export", "readonly", "local", "declare", "typeset"];

impl Follower {
    /// Follows the text passed to `bash -c`, `eval` or a here-document.
    pub(super) fn shell_text(
        &mut self,
        call: &Call,
        text: &str,
        environment: &mut Environment,
        input: &Input,
    ) -> Option<String> {
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
    pub(super) fn builtin(
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
                read_variables(name, arguments, environment, input);
                quiet
            }
            "eval" => Some(self.shell_text(call, &join(arguments), environment, &Input::Terminal)),
            "trap" => {
                let script = arguments.first().filter(|w| w.text != "-").map_or("", |w| w.text.as_str());
                self.shell_text(call, script, &mut environment.clone(), &Input::Terminal);
                quiet
            }
            "source" | "." => Some(self.sourced(call, arguments.first()?, environment, input)),
            "echo" => Some(Some(echo(arguments))),
            "printf" => Some(printf(arguments)),
            // The name of a new file, unique for this line.
            "mktemp" => Some(Some(format!("/tmp/tmp.line{}", call.line))),
            "cat" => Some(self.concatenated(arguments, input)),
            "tee" => {
                let text = input.text();
                let append = arguments.iter().any(|w| w.text == "-a");
                for file in arguments.iter().filter(|w| !w.text.starts_with('-')) {
                    self.store(file, append, text.as_deref());
                }
                Some(text.map(|t| t.to_string()))
            }
            "flock" | "script" | "runuser" | "sg" => {
                let n = arguments.iter().position(|w| ["-c", "--command"].contains(&w.text.as_str()))?;
                let script = &arguments.get(n + 1)?.text;
                // A `-c` after the command that flock runs belongs to that command.
                if name == "flock" && wrapper(&["flock"]).is_some_and(|(kind, _)| command_at(kind, arguments) != n + 1)
                {
                    return None;
                }
                Some(self.shell_text(call, script, &mut environment.clone(), input))
            }
            _ if SHELLS.contains(&name) => Some(self.shell_program(call, name, arguments, environment, input)),
            _ => None,
        }
    }

    /// Follows a file that the script sources.
    fn sourced(&mut self, call: &Call, file: &Field, environment: &mut Environment, input: &Input) -> Option<String> {
        match self.files.get(&file.text).cloned() {
            Some(Some(text)) => self.parsed(call, &text, call.line, environment, input),
            _ => {
                self.doubt(call.line, call.text, sentence!("lint-sourced", name = clip(&file.text)));
                None
            }
        }
    }

    /// Returns the output of `cat`: the files, or standard input if there are none.
    fn concatenated(&self, arguments: &[Field], input: &Input) -> Option<String> {
        let mut files = arguments.iter().filter(|w| !w.text.starts_with('-')).peekable();
        if files.peek().is_none() {
            return input.text().map(|t| t.to_string());
        }
        let texts = files.map(|f| Some(self.files.get(&f.text)?.as_ref()?.to_string()));
        texts.fold(Some(String::new()), append)
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
}

/// Sets the variables of `read`. If there is one, it has the lines of a known input as its possible values.
fn read_variables(name: &str, arguments: &[Field], environment: &mut Environment, input: &Input) {
    let names: Vec<&str> = arguments.iter().map(|w| w.text.as_str()).filter(|w| is_name(w)).collect();
    let lines: Vec<Value> = match input.text() {
        Some(text) if name == "read" && names.len() == 1 => {
            text.lines().map(|l| Some(Rc::new(vec![l.trim().to_owned()]))).take(MOST_READINGS + 1).collect()
        }
        _ => vec![None],
    };
    let lines = Rc::new(lines);
    for name in names {
        environment.set_all(name, Some(Rc::clone(&lines)));
    }
}

/// Returns the output of `echo`.
fn echo(arguments: &[Field]) -> String {
    let plain = arguments.iter().skip_while(|w| ["-e", "-n", "-en", "-ne"].contains(&w.text.as_str()));
    let escapes = arguments.iter().take(2).any(|w| ["-e", "-en", "-ne"].contains(&w.text.as_str()));
    let text = plain.map(|w| w.text.as_str()).collect::<Vec<_>>().join(" ") + "\n";
    if escapes { unescape(&text) } else { text }
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
