//! Expansion of words: variables, substitutions, word splitting.

use super::{Field, Follower, Input, LONGEST, MOST_WORDS, bound};
use crate::arithmetic;
use crate::environment::{Environment, MOST_READINGS, Value, size};
use crate::plan::Cause;
use crate::syntax::{Assigned, Assignment, Piece, Redirection, Simple, Word};
use std::collections::BTreeSet;
use std::rc::Rc;

impl Follower {
    /// Expands the list of a `for`; without a list, it is the positional parameters. An unquoted pattern represents
    /// unknown files.
    pub(super) fn loop_values(
        &mut self,
        words: Option<&[Word]>,
        environment: &mut Environment,
        input: &Input,
    ) -> Vec<Field> {
        let Some(words) = words else {
            return match environment.value("@", None) {
                Some(values) => values.iter().map(|v| Field::known(v)).collect(),
                None => vec![Field { text: "$@".to_owned(), unknown: Some(Cause::Unset("$@".to_owned())) }],
            };
        };
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

    pub(super) fn assigned(&mut self, assignment: &Assignment, environment: &mut Environment, input: &Input) -> Value {
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
    pub(super) fn redirect(
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

    pub(super) fn expand(&mut self, word: &Word, environment: &mut Environment, input: &Input) -> Vec<Field> {
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

pub(super) fn words_of(simple: &Simple) -> impl Iterator<Item = &Word> {
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
pub(super) fn names_in<'a>(words: impl IntoIterator<Item = &'a Word>, environment: &Environment) -> Vec<&'a str> {
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
pub(super) fn choices<'a>(names: &[&'a str], environment: &Environment) -> Vec<Vec<(&'a str, Value)>> {
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
