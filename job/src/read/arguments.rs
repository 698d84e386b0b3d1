//! Parsing of the command line.

use super::clients::Clients;
use super::reader::Reader;
use crate::entry::{Head, Raw, RawSection};
use crate::error::{JobError, SourceLocation};
use crate::options::Setter;
use crate::text;
use crate::value::Kind;
use messages::sentence;
use model::clip;
use std::ffi::OsStr;

/// Decoded command-line argument with its number.
struct Arg {
    number: usize,
    text: String,
}

impl<'a> Reader<'a> {
    /// Parses the command line, then the job files that it names.
    pub(crate) fn arguments<S: AsRef<OsStr>>(mut self, args: &[S]) -> Result<Raw, JobError> {
        let args = self.decode(args)?;
        let mut files = Vec::new();
        let mut clients = Clients::default();
        let mut section = RawSection { at: SourceLocation::Whole, head: Head::Global, entries: Vec::new(), file: None };
        let mut rest = args.into_iter().peekable();
        let mut options_end = false;
        while let Some(arg) = rest.next() {
            let at = SourceLocation::Argument(arg.number);
            if arg.text == "--" && !options_end {
                options_end = true;
                continue;
            }
            let stripped = if options_end { None } else { self.strip_dashes(&arg.text, &at) };
            let Some(body) = stripped else {
                if arg.text.trim().is_empty() {
                    return Err(JobError::new(&at, "an empty argument"));
                }
                clients.job_file(&arg.text);
                files.push((at, arg.text));
                continue;
            };
            let (name, mut value) = match body.split_once('=') {
                Some((name, value)) => (name.trim(), Some(value.to_owned())),
                None => (body.trim(), None),
            };
            let spec = self.table.on_command_line(name).map_err(|why| JobError::new(&at, why.to_string()))?;
            if value.is_none() && takes_next(&spec.kind) {
                value = match rest.next_if(|next| !begins_option(&next.text)) {
                    Some(next) => Some(next.text),
                    // Without a prefix, a log is named after the job, as in a job file.
                    None if spec.kind.may_be_bare() => None,
                    None => {
                        let reason = format!("`{}` needs a value: {}", spec.name, spec.kind.describe());
                        return Err(JobError::new(&at, reason));
                    }
                };
            }
            clients.option(&at, &spec, value.as_deref());
            if spec.name == "name" {
                let name = self.job_name(value.as_deref().unwrap_or(""), &at)?;
                let head = if name == "global" { Head::Global } else { Head::Job(name) };
                let next = RawSection { at, head, entries: Vec::new(), file: None };
                self.push(std::mem::replace(&mut section, next))?;
                continue;
            }
            let entry = self.entry(spec, value, at)?;
            if entry.spec.command || matches!(entry.spec.setter, Setter::Run(_)) {
                self.raw.run.push(entry);
            } else {
                section.entries.push(entry);
            }
        }
        if let Some(refused) = clients.refusal(self.lookup) {
            return Err(refused);
        }
        self.push(section)?;
        if let Some((at, first)) = self.odd_dashes.first().cloned() {
            let text = match self.odd_dashes.len() {
                1 => sentence!("job-dash-argument", word = first),
                n => sentence!("job-dash-arguments", word = first, n = n - 1),
            };
            self.note(&at, text);
        }
        for (number, (at, path)) in files.iter().enumerate() {
            self.file(number, path, at)?;
        }
        self.note_unset();
        Ok(self.raw)
    }

    /// Decodes the arguments, and splits them at typographic spaces that were typed instead of plain ones.
    fn decode<S: AsRef<OsStr>>(&mut self, args: &[S]) -> Result<Vec<Arg>, JobError> {
        let mut texts = Vec::with_capacity(args.len());
        for (i, arg) in args.iter().enumerate() {
            let text = text::decode(arg.as_ref().as_encoded_bytes());
            texts.push(text.map_err(|why| JobError::new(&SourceLocation::Argument(i + 1), why.to_string()))?);
        }
        let last_closing = texts.iter().rposition(|t| text::closes_quote(t)).unwrap_or(0);
        let mut args: Vec<Arg> = Vec::new();
        let mut open = false;
        for (i, text) in texts.iter().enumerate() {
            // A shell splits `--name=“a b”` in two, because typographic quotes do not group words.
            if open && let Some(last) = args.last_mut() {
                last.text.push(' ');
                last.text.push_str(text);
                open = !text::closes_quote(text);
                continue;
            }
            let parts = part_arguments(text);
            if parts.len() > 1 || parts.first().is_some_and(|p| p != text) {
                self.note(&SourceLocation::Argument(i + 1), sentence!("job-space-taken"));
            }
            for part in parts {
                args.push(Arg { number: i + 1, text: part });
            }
            open = text::opens_quote(text) && i < last_closing;
        }
        Ok(args)
    }

    /// Returns an option without its leading dashes, or `None` if the argument is not an option. Typographic dashes are
    /// accepted, because word processors replace two minus signs with one.
    fn strip_dashes(&mut self, text: &str, at: &SourceLocation) -> Option<String> {
        let body = text.trim_start_matches(|c| c == '-' || text::is_odd_dash(c));
        let dashes = &text[..text.len() - body.len()];
        if dashes.is_empty() || body.is_empty() {
            return None;
        }
        if dashes.contains(text::is_odd_dash) {
            self.odd_dashes.push((at.clone(), clip(text)));
        }
        Some(body.to_owned())
    }
}

/// Returns `true` if `--option value` takes the next argument.
fn takes_next(kind: &Kind) -> bool {
    !matches!(kind, Kind::Flag | Kind::OptionalText)
}

/// Returns `true` if an argument begins an option and is not a value: `--x` and `-x` do, `-5` and `-` do not.
fn begins_option(text: &str) -> bool {
    let mut chars = text.chars();
    match (chars.next(), chars.next()) {
        (Some(dash), Some(next)) if dash == '-' || text::is_odd_dash(dash) => !next.is_ascii_digit(),
        _ => false,
    }
}

/// Splits an argument at typographic spaces. The shell has already split it at plain spaces.
fn part_arguments(text: &str) -> Vec<String> {
    if !text.contains(text::is_odd_space) {
        return vec![text.to_owned()];
    }
    let mut parts: Vec<String> = Vec::new();
    for piece in text.split(text::is_odd_space).filter(|p| !p.is_empty()) {
        // Only an option begins a new argument. Other pieces belong to a value that contains spaces.
        match parts.last_mut() {
            Some(last) if !begins_option(piece) && last.contains('=') => {
                last.push(' ');
                last.push_str(piece);
            }
            _ => parts.push(piece.to_owned()),
        }
    }
    parts
}
