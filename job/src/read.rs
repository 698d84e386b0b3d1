//! From arguments and job files to entries: an option, its value as written, and the place it stands at.

use crate::error::{JobError, Note, SourceLocation};
use crate::options::{OptionSpec, Setter, all};
use crate::text;
use crate::units;
use crate::value::Kind;
use messages::{Sentence, sentence};
use model::{clip, nearest};
use std::collections::HashMap;
use std::ffi::OsStr;
use std::sync::{Arc, LazyLock};

/// What the parser may ask of the world. It touches neither disk nor environment itself.
pub trait Lookup {
    /// Contents of a job file or of an included one; `from` is the file that includes it. `-` is standard input.
    ///
    /// # Errors
    /// Why it cannot be read, as one would say after its name: `no such file`.
    fn read(&self, path: &std::path::Path, from: Option<&str>) -> Result<Vec<u8>, String>;

    /// Value of `${NAME}`.
    fn variable(&self, name: &str) -> Option<String>;

    /// Facts behind `$ncpus`, `$pagesize`, `$mb_memory`.
    fn machine(&self) -> Machine;
}

/// Facts behind the keywords.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Machine {
    /// CPUs online.
    pub cpus: u64,
    /// Bytes of a page.
    pub page_size: u64,
    /// Megabytes (2^20) of memory.
    pub memory_mb: u64,
}

/// An option as written.
#[derive(Clone)]
pub(crate) struct Entry {
    pub at: SourceLocation,
    pub spec: OptionSpec,
    /// `None` = bare.
    pub value: Option<String>,
}

/// What a section is.
#[derive(Clone, PartialEq, Eq)]
pub(crate) enum Head {
    /// Defaults of what follows in the same source.
    Global,
    /// A job.
    Job(String),
}

/// A section as written.
pub(crate) struct RawSection {
    pub at: SourceLocation,
    pub head: Head,
    pub entries: Vec<Entry>,
    /// Number of the file, from 0; `None` = command line.
    pub file: Option<usize>,
}

/// Everything as written.
pub(crate) struct Raw {
    /// Options of the run.
    pub run: Vec<Entry>,
    pub sections: Vec<RawSection>,
    pub notes: Vec<Note>,
    /// A path has a variable in it that is not set: it may be read, but nothing is opened or made there.
    pub unset_in_path: Option<JobError>,
}

/// Consent that fio takes and secchi does not.
const MOUNTED: &str = "allow_mounted_write";
/// Deepest nesting of includes.
const MOST_INCLUDES: usize = 8;
/// Most includes, all files together: nesting multiplies them.
const MOST_INCLUDED: usize = 256;
/// Largest job file.
const MOST_BYTES: usize = 16 << 20;
/// Most sections; more clones than this are not run either.
const MOST_SECTIONS: usize = 4096;
/// Most lines of options, all files together.
const MOST_ENTRIES: usize = 200_000;

pub(crate) struct Reader<'a> {
    lookup: &'a dyn Lookup,
    table: &'a Table<'a>,
    raw: Raw,
    entries: usize,
    included: usize,
    /// Consent to write to what is mounted counts as not given, rather than as an error.
    no_consent: bool,
    /// Variables that are not set, each once, and where the first one stands.
    unset: Vec<String>,
    unset_at: Option<SourceLocation>,
    /// Arguments with typographic dashes: one remark for all.
    odd_dashes: Vec<(SourceLocation, String)>,
}

/// The option table by name: ours, made once, and the caller's.
pub(crate) struct Table<'a> {
    extra: &'a [OptionSpec],
}

static OURS: LazyLock<HashMap<&'static str, OptionSpec>> =
    LazyLock::new(|| all(&[]).flat_map(|spec| names_of(spec).map(|name| (name, *spec))).collect());

fn names_of(spec: &OptionSpec) -> impl Iterator<Item = &'static str> + use<> {
    std::iter::once(spec.name).chain(spec.aliases.iter().copied())
}

impl<'a> Table<'a> {
    pub(crate) fn new(extra: &'a [OptionSpec]) -> Self {
        Table { extra }
    }

    fn named(&self, name: &str) -> Option<OptionSpec> {
        OURS.get(name).or_else(|| self.extra.iter().find(|spec| spec.is_called(name))).copied()
    }

    /// Every name with its option, in the order of the table.
    fn names(&self) -> impl Iterator<Item = (&'static str, &OptionSpec)> {
        all(self.extra).flat_map(|spec| names_of(spec).map(move |name| (name, spec)))
    }

    /// An option by its exact name; `-` and `_` are alike.
    fn exact(&self, name: &str) -> Option<OptionSpec> {
        self.named(name).or_else(|| self.named(&name.replace('_', "-"))).or_else(|| self.named(&name.replace('-', "_")))
    }

    /// An option of the command line: exact, or an unambiguous prefix.
    ///
    /// # Errors
    /// Unknown with the nearest, or ambiguous with the candidates.
    fn on_command_line(&self, name: &str) -> Result<OptionSpec, String> {
        if let Some(spec) = self.exact(name) {
            return Ok(spec);
        }
        let candidates: Vec<_> = self.names().filter(|(n, _)| n.starts_with(name)).collect();
        match candidates.first() {
            Some((_, first)) if candidates.iter().all(|(_, spec)| spec.name == first.name) => Ok(**first),
            Some(_) => {
                let list: Vec<&str> = candidates.iter().take(6).map(|(n, _)| *n).collect();
                let more = if candidates.len() > 6 { " ..." } else { "" };
                Err(format!("`{}` may be any of: {}{more}", clip(name), list.join(" ")))
            }
            None => Err(self.unknown(name, true)),
        }
    }

    fn unknown(&self, name: &str, command: bool) -> String {
        let names = self.names().filter(|(_, spec)| command || !spec.command).map(|(n, _)| n);
        match nearest(name, names) {
            Some(near) => format!("unknown option `{}`; did you mean `{near}`?", clip(name)),
            None => format!("unknown option `{}`; --cmdhelp=all lists them", clip(name)),
        }
    }
}

/// An argument, decoded, with its number.
struct Arg {
    number: usize,
    text: String,
}

impl<'a> Reader<'a> {
    pub(crate) fn new(lookup: &'a dyn Lookup, table: &'a Table<'a>) -> Self {
        let raw = Raw { run: Vec::new(), sections: Vec::new(), notes: Vec::new(), unset_in_path: None };
        Reader {
            lookup,
            table,
            raw,
            entries: 0,
            included: 0,
            no_consent: false,
            unset: Vec::new(),
            unset_at: None,
            odd_dashes: Vec::new(),
        }
    }

    pub(crate) fn without_consent(mut self) -> Self {
        self.no_consent = true;
        self
    }

    /// Reads the command line, then the job files it names.
    pub(crate) fn arguments<S: AsRef<OsStr>>(mut self, args: &[S]) -> Result<Raw, JobError> {
        let args = self.decode(args)?;
        let mut files = Vec::new();
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
                files.push((at, arg.text));
                continue;
            };
            let (name, mut value) = match body.split_once('=') {
                Some((name, value)) => (name.trim(), Some(value.to_owned())),
                None => (body.trim(), None),
            };
            let spec = self.table.on_command_line(name).map_err(|why| JobError::new(&at, why))?;
            if value.is_none() && takes_next(&spec.kind) {
                value = match rest.next_if(|next| !begins_option(&next.text)) {
                    Some(next) => Some(next.text),
                    // A log without a prefix takes the job's name, as it does in a job file.
                    None if spec.kind.may_be_bare() => None,
                    None => {
                        let why = format!("`{}` needs a value: {}", spec.name, spec.kind.describe());
                        return Err(JobError::new(&at, why));
                    }
                };
            }
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

    /// Reads one job file given as text, as if it were the only argument.
    pub(crate) fn job_text(mut self, name: &str, bytes: &[u8]) -> Result<Raw, JobError> {
        self.lines(0, &Arc::from(name), bytes, &SourceLocation::Whole)?;
        self.note_unset();
        Ok(self.raw)
    }

    fn push(&mut self, section: RawSection) -> Result<(), JobError> {
        if self.raw.sections.len() == MOST_SECTIONS {
            return Err(JobError::new(&section.at, format!("more than {MOST_SECTIONS} sections")));
        }
        self.raw.sections.push(section);
        Ok(())
    }

    fn note(&mut self, at: &SourceLocation, text: Sentence) {
        // One odd character per line of a large file must not fill memory with remarks.
        if self.raw.notes.len() < 1000 {
            self.raw.notes.push(Note::new(at, text));
        }
    }

    /// Decodes arguments and parts them where a typographic space stood for a separating one.
    fn decode<S: AsRef<OsStr>>(&mut self, args: &[S]) -> Result<Vec<Arg>, JobError> {
        let mut texts = Vec::with_capacity(args.len());
        for (i, arg) in args.iter().enumerate() {
            let text = text::decode(arg.as_ref().as_encoded_bytes());
            texts.push(text.map_err(|why| JobError::new(&SourceLocation::Argument(i + 1), why))?);
        }
        let last_closing = texts.iter().rposition(|t| text::closes_quote(t)).unwrap_or(0);
        let mut all: Vec<Arg> = Vec::new();
        let mut open = false;
        for (i, text) in texts.iter().enumerate() {
            // A shell parts `--name=“a b”` in two: typographic quotes do not group for it.
            if open && let Some(last) = all.last_mut() {
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
                all.push(Arg { number: i + 1, text: part });
            }
            open = text::opens_quote(text) && i < last_closing;
        }
        Ok(all)
    }

    /// The option behind its dashes; `None` when it is no option. Word processors make dashes of two minus signs.
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

    fn file(&mut self, number: usize, path: &str, at: &SourceLocation) -> Result<(), JobError> {
        let bytes = self.lookup.read(&text::to_path(path), None).map_err(|why| {
            let hint = match path {
                p if p.contains('=') => "; an option begins with `--`",
                "0" | "1" => "; a flag takes its value after `=`",
                _ => "",
            };
            JobError::new(at, format!("job file `{}`: {why}{hint}", clip(&text::shown(path))))
        })?;
        self.lines(number, &Arc::from(text::shown(path)), &bytes, at)
    }

    fn lines(&mut self, number: usize, name: &Arc<str>, bytes: &[u8], at: &SourceLocation) -> Result<(), JobError> {
        let in_file = |line: usize, column: usize| SourceLocation::Line { file: Arc::clone(name), line, column };
        let text = self.decode_file(name, bytes, at)?;
        let mut section: Option<RawSection> = None;
        self.collect_unset(&text, &in_file);
        for (i, raw_line) in text.lines().enumerate() {
            let (line, column) = self.clean_line(raw_line, &in_file(i + 1, 1));
            let at = in_file(i + 1, column);
            if line.is_empty() {
                continue;
            }
            if let Some(rest) = line.strip_prefix('[') {
                let head = self.section_head(rest, &at)?;
                let next = RawSection { at, head, entries: Vec::new(), file: Some(number) };
                if let Some(done) = section.replace(next) {
                    self.push(done)?;
                }
                continue;
            }
            let Some(current) = section.as_mut() else {
                let stray = text::stray_byte(&line).map(|b| format!("not text (byte 0x{b:02x})"));
                let why = stray.unwrap_or_else(|| format!("`{}` stands before the first [section]", clip(&line)));
                return Err(JobError::new(&at, why));
            };
            let mut entries = std::mem::take(&mut current.entries);
            self.option_line(&line, &at, &mut entries, &mut vec![name.to_string()])?;
            current.entries = entries;
        }
        match section {
            Some(done) => self.push(done),
            None => Err(JobError::new(at, format!("job file `{}` holds no jobs", clip(name)))),
        }
    }

    fn decode_file(&self, name: &str, bytes: &[u8], at: &SourceLocation) -> Result<String, JobError> {
        let wrong = |why: String| JobError::new(at, format!("job file `{}`: {why}", clip(name)));
        if bytes.len() > MOST_BYTES {
            return Err(wrong(format!("{} bytes are too many (max 16 MiB)", bytes.len())));
        }
        text::decode(bytes).map_err(wrong)
    }

    /// A line without comment and outer blanks, and the column it begins at.
    fn clean_line(&mut self, raw: &str, at: &SourceLocation) -> (String, usize) {
        let mended = text::mend_spaces(raw);
        let line = mended.as_deref().unwrap_or(raw);
        let indent = line.chars().take_while(|c| c.is_whitespace()).count();
        let body = without_comment(line.trim());
        if mended.is_some() && !body.is_empty() {
            self.note(at, sentence!("job-space-taken"));
        }
        (body.to_owned(), indent + 1)
    }

    fn section_head(&mut self, rest: &str, at: &SourceLocation) -> Result<Head, JobError> {
        let Some(end) = rest.rfind(']') else {
            return Err(JobError::new(at, format!("`[{}` lacks its closing bracket", clip(rest))));
        };
        let after = rest[end + 1..].trim();
        if !after.is_empty() {
            self.note(at, sentence!("job-after-section", rest = clip(after)));
        }
        let name = self.job_name(&rest[..end], at)?;
        Ok(if name == "global" { Head::Global } else { Head::Job(name) })
    }

    /// `key`, `key=value` or `include file`.
    fn option_line(
        &mut self,
        line: &str,
        at: &SourceLocation,
        entries: &mut Vec<Entry>,
        files: &mut Vec<String>,
    ) -> Result<(), JobError> {
        let (name, value) = match line.split_once('=') {
            Some((name, value)) => (name.trim_end(), Some(value.trim().to_owned())),
            None => (line, None),
        };
        if value.is_none()
            && let Some((word, path)) = line.split_once(char::is_whitespace)
            && word == "include"
        {
            return self.include(path.trim(), at, entries, files);
        }
        let mended = text::mend_dashes(name);
        if mended.is_some() {
            self.note(at, sentence!("job-dash-option", name = clip(name)));
        }
        let name = mended.as_deref().unwrap_or(name);
        let bare = name.trim_start_matches('-');
        if bare != name {
            self.note(at, sentence!("job-dashes-in-file", name = clip(name)));
        }
        if let Some(byte) = text::stray_byte(bare) {
            return Err(JobError::new(at, format!("not text (byte 0x{byte:02x})")));
        }
        let spec = match self.table.exact(bare) {
            Some(spec) if spec.command => {
                return Err(JobError::new(at, format!("`{bare}` belongs on the command line, not in a job file")));
            }
            Some(spec) => spec,
            None => return Err(JobError::new(at, self.table.unknown(bare, false))),
        };
        self.entries += 1;
        if self.entries > MOST_ENTRIES {
            return Err(JobError::new(at, format!("more than {MOST_ENTRIES} lines of options")));
        }
        entries.push(self.entry(spec, value, at.clone())?);
        Ok(())
    }

    fn include(
        &mut self,
        path: &str,
        at: &SourceLocation,
        entries: &mut Vec<Entry>,
        files: &mut Vec<String>,
    ) -> Result<(), JobError> {
        let (path, unset) = self.substitute(path, at);
        if unset {
            return Err(self.unset_error(at));
        }
        let shown = text::shown(&path);
        if files.contains(&shown) {
            let cycle = files.iter().map(String::as_str).chain([shown.as_str()]).map(clip).collect::<Vec<_>>();
            return Err(JobError::new(at, format!("includes go round: {}", cycle.join(" -> "))));
        }
        if files.len() > MOST_INCLUDES {
            return Err(JobError::new(at, format!("includes are nested more than {MOST_INCLUDES} deep")));
        }
        self.included += 1;
        if self.included > MOST_INCLUDED {
            return Err(JobError::new(at, format!("more than {MOST_INCLUDED} includes in all")));
        }
        let from = files.last().cloned();
        let bytes = self
            .lookup
            .read(&text::to_path(&path), from.as_deref())
            .map_err(|why| JobError::new(at, format!("include `{}`: {why}", clip(&shown))))?;
        let text = self.decode_file(&shown, &bytes, at)?;
        let name: Arc<str> = Arc::from(shown.as_str());
        files.push(shown);
        for (i, raw_line) in text.lines().enumerate() {
            let start = SourceLocation::Line { file: Arc::clone(&name), line: i + 1, column: 1 };
            let (line, column) = self.clean_line(raw_line, &start);
            let at = SourceLocation::Line { file: Arc::clone(&name), line: i + 1, column };
            if line.starts_with('[') {
                return Err(JobError::new(&at, "an included file holds options only, no sections"));
            }
            if !line.is_empty() {
                self.option_line(&line, &at, entries, files)?;
            }
        }
        files.pop();
        Ok(())
    }

    /// Mends and substitutes a value, by the kind of its option.
    fn entry(&mut self, spec: OptionSpec, value: Option<String>, at: SourceLocation) -> Result<Entry, JobError> {
        if self.no_consent && spec.name == MOUNTED {
            return Ok(Entry { at, spec, value: Some("0".to_owned()) });
        }
        let Some(mut value) = value else { return Ok(Entry { at, spec, value: None }) };
        let path = matches!(spec.kind, Kind::Path | Kind::OptionalPath);
        let free = path || matches!(spec.kind, Kind::Text | Kind::OptionalText);
        let pattern = spec.name.ends_with("_pattern");
        if let Some(mended) = text::mend_quotes(&value, pattern) {
            self.note(&at, sentence!("job-quotes-taken", option = spec.name));
            value = mended;
        }
        if !free && let Some(mended) = text::mend_dashes(&value) {
            self.note(&at, sentence!("job-dash-taken", option = spec.name));
            value = mended;
        }
        let (substituted, unset) = self.substitute(&value, &at);
        value = substituted;
        if unset && value.trim().is_empty() {
            return Err(self.unset_error(&at));
        }
        if unset && path && self.raw.unset_in_path.is_none() {
            self.raw.unset_in_path = Some(self.unset_error(&at));
        }
        if !free && !pattern {
            value = self.keywords(value);
        }
        let number = matches!(spec.kind, Kind::Int { .. } | Kind::Size { .. } | Kind::Extent | Kind::Time { .. });
        if number && let Some(head) = text::number_before_sign(&value) {
            let (given, head) = (clip(&value), head.to_owned());
            self.note(&at, sentence!("job-number-cut", option = spec.name, given, taken = &head));
            value = head;
        }
        if !path
            && !pattern
            && spec.name != "description"
            && let Some(byte) = text::stray_byte(&value)
        {
            return Err(JobError::new(&at, format!("`{}`: not text (byte 0x{byte:02x})", spec.name)));
        }
        Ok(Entry { at, spec, value: Some(value) })
    }

    /// Variables of a job file that are not set: who lacks one mostly lacks the others, too, and learns of all at once.
    fn collect_unset(&mut self, text: &str, in_file: &dyn Fn(usize, usize) -> SourceLocation) {
        let lines = text.lines().enumerate().filter(|(_, line)| !line.trim_start().starts_with(['#', ';']));
        for (i, line) in lines {
            for name in variables(line).filter(|name| self.lookup.variable(name).is_none()) {
                self.add_unset(name, &in_file(i + 1, 1));
            }
        }
    }

    fn add_unset(&mut self, name: &str, at: &SourceLocation) {
        self.unset_at.get_or_insert_with(|| at.clone());
        if !self.unset.iter().any(|known| known == name) {
            self.unset.push(name.to_owned());
        }
    }

    fn unset_names(&self) -> String {
        self.unset.iter().map(|name| format!("`{}`", clip(name))).collect::<Vec<_>>().join(", ")
    }

    fn unset_error(&self, at: &SourceLocation) -> JobError {
        let s = if self.unset.len() == 1 { "" } else { "s" };
        JobError::new(at, format!("unset variable{s} {}", self.unset_names()))
    }

    fn note_unset(&mut self) {
        if let Some(at) = self.unset_at.clone() {
            self.note(&at, sentence!("job-unset-variables", names = self.unset_names()));
        }
    }

    /// Replaces `${NAME}`; one that is not set by nothing, as fio does, which is told.
    fn substitute(&mut self, value: &str, at: &SourceLocation) -> (String, bool) {
        let mut out = String::new();
        let mut rest = value;
        let mut unset = false;
        while let Some(start) = rest.find("${") {
            let Some(length) = rest[start + 2..].find('}') else { break };
            let name = &rest[start + 2..start + 2 + length];
            out.push_str(&rest[..start]);
            match self.lookup.variable(name) {
                Some(found) => out.push_str(&found),
                None => {
                    self.add_unset(name, at);
                    unset = true;
                }
            }
            rest = &rest[start + length + 3..];
        }
        out.push_str(rest);
        (out, unset)
    }

    /// Replaces `$ncpus`, `$pagesize`, `$mb_memory`, and works out the arithmetic around them.
    fn keywords(&self, value: String) -> String {
        const NAMES: [&str; 3] = ["$ncpus", "$pagesize", "$mb_memory"];
        if !NAMES.iter().any(|name| value.contains(name)) {
            return value;
        }
        let machine = self.lookup.machine();
        let mut text = value;
        for (name, number) in NAMES.iter().zip([machine.cpus, machine.page_size, machine.memory_mb]) {
            text = text.replace(name, &number.to_string());
        }
        if text.starts_with('(') {
            return text;
        }
        match units::arithmetic(&text) {
            Some(number) => number.to_string(),
            None if text.contains(['+', '*', '/', '^']) => format!("({text})"),
            None => text,
        }
    }

    /// Checks a job's name (docs/design/bad-input.md, "The forty rows", row 38): it becomes part of file names.
    fn job_name(&mut self, given: &str, at: &SourceLocation) -> Result<String, JobError> {
        let (substituted, unset) = self.substitute(given.trim(), at);
        if unset && substituted.is_empty() {
            return Err(self.unset_error(at));
        }
        let mended = text::mend_quotes(&substituted, false);
        if mended.is_some() {
            self.note(at, sentence!("job-quotes-of-name"));
        }
        let name = mended.unwrap_or(substituted);
        check_name(&name).map_err(|why| JobError::new(at, format!("name `{}`: {why}", clip(&text::shown(&name)))))?;
        Ok(name)
    }
}

pub(crate) const LEADS_AWAY: &str =
    "it becomes part of file names, so it may lead into directories below, and nowhere else; use directory=";

/// Whether a text may name a job, and so be part of file names.
pub(crate) fn check_name(name: &str) -> Result<(), &'static str> {
    if name.is_empty() {
        return Err("a job needs a name");
    }
    // One that begins at the root is only a name where files and logs have names of their own: checked when these are known.
    let below = name.strip_prefix('/').unwrap_or(name);
    if name.contains('\\') || below.split('/').any(|part| matches!(part, "" | "..")) {
        return Err(LEADS_AWAY);
    }
    if text::stray_byte(name).is_some() {
        return Err("not text");
    }
    if name.len() > 200 {
        return Err("a name has at most 200 bytes");
    }
    Ok(())
}

/// Names in `${NAME}`.
fn variables(text: &str) -> impl Iterator<Item = &str> {
    text.split("${").skip(1).filter_map(|rest| rest.split_once('}').map(|(name, _)| name))
}

/// Whether `--option value` takes the next argument.
fn takes_next(kind: &Kind) -> bool {
    !matches!(kind, Kind::Flag | Kind::OptionalText)
}

/// Whether an argument begins an option, so that it is no value: `--x`, `-x`, but not `-5` or `-`.
fn begins_option(text: &str) -> bool {
    let mut chars = text.chars();
    match (chars.next(), chars.next()) {
        (Some(dash), Some(next)) if dash == '-' || text::is_odd_dash(dash) => !next.is_ascii_digit(),
        _ => false,
    }
}

/// Parts an argument at typographic spaces; a shell has parted it at the plain ones already.
fn part_arguments(text: &str) -> Vec<String> {
    if !text.contains(text::is_odd_space) {
        return vec![text.to_owned()];
    }
    let mut parts: Vec<String> = Vec::new();
    for piece in text.split(text::is_odd_space).filter(|p| !p.is_empty()) {
        // Only an option begins anew; other pieces are of one value with blanks in it.
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

/// Cuts a comment: from the first `#` or `;` that is in no quotes.
fn without_comment(line: &str) -> &str {
    let mut quote = None;
    for (i, c) in line.char_indices() {
        match (quote, c) {
            (None, '#' | ';') => return line[..i].trim_end(),
            // A quote counts only if it is closed again.
            (None, '"' | '\'') if line[i + 1..].contains(c) => quote = Some(c),
            (Some(open), c) if c == open => quote = None,
            _ => {}
        }
    }
    line
}
