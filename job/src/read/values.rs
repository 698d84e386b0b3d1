//! Preparation of values: repairs quotes and dashes, replaces variables and keywords.

use super::reader::Reader;
use crate::entry::Entry;
use crate::error::{JobError, SourceLocation};
use crate::names::check_name;
use crate::options::OptionSpec;
use crate::value::Kind;
use crate::{text, units};
use messages::sentence;
use model::clip;

/// fio's consent option, which secchi does not accept.
const MOUNTED: &str = "allow_mounted_write";

impl<'a> Reader<'a> {
    /// Repairs a value and replaces its variables and keywords, as far as the kind of its option allows.
    pub(super) fn entry(
        &mut self,
        spec: OptionSpec,
        value: Option<String>,
        at: SourceLocation,
    ) -> Result<Entry, JobError> {
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

    /// Collects the unset variables in a job file. If one variable is unset, others usually are too, so one error lists
    /// all unset variables.
    pub(super) fn collect_unset(&mut self, text: &str, in_file: &dyn Fn(usize, usize) -> SourceLocation) {
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

    pub(super) fn unset_error(&self, at: &SourceLocation) -> JobError {
        let s = if self.unset.len() == 1 { "" } else { "s" };
        JobError::new(at, format!("unset variable{s} {}", self.unset_names()))
    }

    pub(super) fn note_unset(&mut self) {
        if let Some(at) = self.unset_at.clone() {
            self.note(&at, sentence!("job-unset-variables", names = self.unset_names()));
        }
    }

    /// Replaces `${NAME}` by the variable's value. As in fio, an unset variable is replaced by nothing. Returns the new
    /// text, and `true` if a variable is unset. A note then names the variable.
    pub(super) fn substitute(&mut self, value: &str, at: &SourceLocation) -> (String, bool) {
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

    /// Replaces `$ncpus`, `$pagesize` and `$mb_memory`, and evaluates the arithmetic around them.
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

    /// Prepares and checks a job's name, which becomes part of file names (docs/design/bad-input.md, "The forty rows",
    /// row 38).
    pub(super) fn job_name(&mut self, given: &str, at: &SourceLocation) -> Result<String, JobError> {
        let (substituted, unset) = self.substitute(given.trim(), at);
        if unset && substituted.is_empty() {
            return Err(self.unset_error(at));
        }
        let mended = text::mend_quotes(&substituted, false);
        if mended.is_some() {
            self.note(at, sentence!("job-quotes-of-name"));
        }
        let name = mended.unwrap_or(substituted);
        check_name(&name)
            .map_err(|why| JobError::new(at, format!("name `{}`: {why}", clip(&text::printable(&name)))))?;
        Ok(name)
    }
}

/// Iterates over the names of the variables in a text.
fn variables(text: &str) -> impl Iterator<Item = &str> {
    text.split("${").skip(1).filter_map(|rest| rest.split_once('}').map(|(name, _)| name))
}
