//! Commands: functions, benchmarks, and programs that run the command among their arguments.

use super::{COMMAND, Call, Field, Follower, Input, LONGEST, MOST_PLANS, PARSED, bound};
use crate::environment::Environment;
use crate::plan::{Cause, Planned, Program, Unknown, program};
use crate::syntax::{Node, is_name};
use crate::wrappers::{Form, Wrapper, is_harmless, program_name, wrapper};
use messages::sentence;
use model::clip;
use std::collections::BTreeMap;
use std::rc::Rc;

impl Follower {
    /// Unwraps a command and follows it.
    pub(super) fn dispatch(
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
                rest += self.unknown_command(call, words, environment, input)?;
                continue;
            }
            if let Some(function) = self.functions.get_mut(&first.text) {
                function.is_called = true;
                let body = Rc::clone(&function.body);
                return self.call(&body, &words[1..], environment, input);
            }
            let name = program_name(&first.text);
            if let Some(program) = program(&first.text) {
                rest += self.benchmark(call, program, words, environment, input)?;
                continue;
            }
            if let Some(output) = self.builtin(call, &name, words, environment, input) {
                return output;
            }
            if name == "start" || name == "cmd" {
                return self.started(call, &name, words, environment, input);
            }
            let texts: Vec<&str> = words.iter().take(12).map(|w| w.text.as_str()).collect();
            if let Some((kind, named)) = wrapper(&texts) {
                let is_shell = kind.form == Form::Shell;
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
            if is_harmless(&name) && name != "find" {
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

    /// Reports a command that is unknown. Returns the index of the benchmark among its words.
    fn unknown_command(
        &mut self,
        call: &Call,
        words: &[Field],
        environment: &Environment,
        input: &Input,
    ) -> Option<usize> {
        let benchmark = words.iter().position(|w| w.unknown.is_none() && program(&w.text).is_some());
        if benchmark.is_none() && words.iter().any(|w| is_fio_option(&w.text)) {
            self.record(call, Program::Fio, &words[1..], environment, input);
        }
        self.doubt(call.line, call.text, sentence!("lint-command-unknown", word = clip(&words[0].text)));
        benchmark
    }

    /// Records a benchmark and follows the commands in its options. Returns the index of the command that it runs.
    fn benchmark(
        &mut self,
        call: &Call,
        program: Program,
        words: &[Field],
        environment: &Environment,
        input: &Input,
    ) -> Option<usize> {
        let is_secchi_fio = program == Program::Secchi && words.get(1).is_some_and(|w| w.text == "fio");
        let (program, skipped) = if is_secchi_fio { (Program::Fio, 2) } else { (program, 1) };
        self.record(call, program, &words[skipped..], environment, input);
        if program != Program::Secchi {
            return None;
        }
        let command = words.iter().position(|w| w.text == "--");
        let options = &words[..command.unwrap_or(words.len())];
        let has = |verb: &str| options.iter().any(|w| w.text == verb);
        let texts: Vec<String> = match () {
            () if has("ab") => values_of(options, &["--a", "--b"]).map(|plan| format!("secchi {plan}")).collect(),
            () if has("watch") => values_of(options, &["--on-alert"]).collect(),
            () => Vec::new(),
        };
        for text in texts {
            self.shell_text(call, &text, &mut environment.clone(), &Input::Terminal);
        }
        command.filter(|_| has("watch") || has("record")).map(|n| n + 1)
    }

    /// Follows the benchmark that `start` or `cmd` runs. `start` does not wait for it, unless there is a `/wait`.
    fn started(
        &mut self,
        call: &Call,
        name: &str,
        words: &[Field],
        environment: &mut Environment,
        input: &Input,
    ) -> Option<String> {
        let n = words.iter().position(|w| program(&w.text).is_some())?;
        let waits = name == "cmd" || words[..n].iter().any(|w| w.text.eq_ignore_ascii_case("/wait"));
        self.background += u32::from(!waits);
        let output = self.dispatch(call, &words[n..], environment, input);
        self.background -= u32::from(!waits);
        output
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
}

/// Returns the values of options written as `--name value` or `--name=value`.
fn values_of<'a>(words: &'a [Field], names: &'a [&str]) -> impl Iterator<Item = String> + 'a {
    words.iter().enumerate().filter_map(|(i, word)| match word.text.split_once('=') {
        Some((name, value)) if names.contains(&name) => Some(value.to_owned()),
        _ if names.contains(&word.text.as_str()) => words.get(i + 1).map(|w| w.text.clone()),
        _ => None,
    })
}

/// Returns `true` if a word is an option that only a benchmark has.
fn is_fio_option(word: &str) -> bool {
    let bare = word.trim_start_matches('-');
    let name = bare.split('=').next().unwrap_or(bare);
    let known = "name filename rw readwrite ioengine iodepth bs blocksize direct runtime numjobs";
    bare.len() < word.len() && known.split(' ').any(|known| known == name)
}

/// Returns the index of the command among the words after a wrapper's name.
pub(super) fn command_at(kind: Wrapper, words: &[Field]) -> usize {
    let Wrapper { valued, mut operands, .. } = kind;
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

pub(super) fn join(words: &[Field]) -> String {
    words.iter().map(|w| w.text.as_str()).collect::<Vec<_>>().join(" ")
}

/// Returns the command that `xargs` runs, completed with the words from its input.
fn xargs(options: &[Field], command: &[Field], input: &Input) -> Vec<Field> {
    let unknown = || Field { text: "$(xargs)".to_owned(), unknown: Some(Cause::Run) };
    let text = input.text();
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
