//! Options of an engine, by name. Each engine takes the options that it supports; the remaining ones are rejected.
//! Options common to several engines are defined here.

use crate::engine::{OpenError, Opening};
use model::plan::{EngineOption, OptionValue};

pub(super) const POLL_COMPLETIONS: EngineOption = EngineOption::new(
    "hipri",
    OptionValue::Flag,
    "0",
    "Poll for completions instead of using interrupts; needs direct I/O and a device with poll queues.",
);
pub(super) const REGISTER_BUFFERS: EngineOption =
    EngineOption::new("fixedbufs", OptionValue::Flag, "0", "Register the buffers with the kernel only once.");
pub(super) const REGISTER_FILES: EngineOption =
    EngineOption::new("registerfiles", OptionValue::Flag, "0", "Register the files with the kernel only once.");
pub(super) const POLL_SUBMISSIONS: EngineOption =
    EngineOption::new("sqthread_poll", OptionValue::Flag, "0", "Let a kernel thread poll for submissions.");
pub(super) const SUBMISSION_CPU: EngineOption = EngineOption::new(
    "sqthread_poll_cpu",
    OptionValue::UpTo(4095),
    "",
    "CPU of the kernel thread that polls for submissions. Implies `sqthread_poll`.",
);
pub(super) const READ_FUA: EngineOption = EngineOption::new(
    "readfua",
    OptionValue::Bool,
    "0",
    "Set the FUA (force unit access) flag for raw reads, so that they access the medium.",
);
pub(super) const WRITE_FUA: EngineOption = EngineOption::new(
    "writefua",
    OptionValue::Bool,
    "0",
    "Set the FUA (force unit access) flag for raw writes, so that they complete only when the data is on the medium.",
);

/// Requested options that have not been taken yet.
pub(super) struct Options<'a> {
    engine: &'static str,
    left: Vec<(&'a str, &'a str)>,
}

impl<'a> Options<'a> {
    /// Collects the options. If a name occurs several times, the last value counts.
    pub(super) fn new(engine: &'static str, opening: &'a Opening) -> Self {
        let mut left: Vec<(&str, &str)> = Vec::new();
        for (name, value) in &opening.options {
            left.retain(|(n, _)| n != name);
            left.push((name, value));
        }
        Options { engine, left }
    }

    /// Takes an option's value as text.
    pub(super) fn text(&mut self, name: &str) -> Option<&'a str> {
        let at = self.left.iter().position(|(n, _)| *n == name)?;
        Some(self.left.remove(at).1)
    }

    /// Takes a flag; a flag without a value is `true`.
    pub(super) fn flag(&mut self, name: &str) -> Result<Option<bool>, OpenError> {
        match self.text(name) {
            None => Ok(None),
            Some("" | "1" | "true" | "yes" | "on") => Ok(Some(true)),
            Some("0" | "false" | "no" | "off") => Ok(Some(false)),
            Some(other) => Err(self.wrong(name, other, "0 or 1")),
        }
    }

    /// Takes an option whose value is a whole number.
    pub(super) fn number(&mut self, name: &str) -> Result<Option<u32>, OpenError> {
        match self.text(name) {
            None => Ok(None),
            Some(text) => text.parse().map(Some).map_err(|_| self.wrong(name, text, "a whole number")),
        }
    }

    /// Takes an option whose value is one of a list of words. Returns the first word if the option is missing.
    pub(super) fn word(&mut self, option: &EngineOption) -> Result<&'static str, OpenError> {
        let OptionValue::Words(words, _) = option.value else { unreachable!("{} has words", option.name) };
        let Some(text) = self.text(option.name) else { return Ok(words[0].name) };
        let known = words.iter().find(|w| w.name == text || w.aliases.contains(&text)).map(|w| w.name);
        let allowed = || words.iter().map(|w| w.name).collect::<Vec<_>>().join(", ");
        known.ok_or_else(|| self.wrong(option.name, text, &allowed()))
    }

    pub(super) fn wrong(&self, name: &str, value: &str, allowed: &str) -> OpenError {
        OpenError::unsupported(self.engine, format!("does not support `{name}={}`: {allowed}", model::clip(value)))
    }

    /// Returns an error if any option has not been taken.
    pub(super) fn finish(self) -> Result<(), OpenError> {
        match self.left.first() {
            None => Ok(()),
            Some((name, _)) => Err(OpenError::unsupported(
                self.engine,
                format!("has no option `{}`: leave it out, or choose the engine it belongs to", model::clip(name)),
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn opening(options: &[(&str, &str)]) -> Opening {
        let options = options.iter().map(|(n, v)| ((*n).to_owned(), (*v).to_owned())).collect();
        Opening { options, ..Opening::default() }
    }

    #[test]
    fn what_is_not_taken_or_not_understood_is_refused_by_name() {
        let opening =
            opening(&[("hipri", ""), ("nowait", "1"), ("hipri", "0"), ("cmdprio_percentage", "5"), ("n", "x")]);
        let mut options = Options::new("psync", &opening);
        assert_eq!(options.flag("hipri").unwrap(), Some(false), "the last one holds");
        assert_eq!(options.flag("nowait").unwrap(), Some(true));
        assert_eq!(options.flag("absent").unwrap(), None);
        assert!(options.number("n").unwrap_err().to_string().contains("`n=x`: a whole number"));
        assert!(options.finish().unwrap_err().to_string().contains("`cmdprio_percentage`"));
    }
}
