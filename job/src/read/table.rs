//! Lookup in the option table by name, and errors with similar names.

use crate::engines::Engines;
use crate::name_error::NameError;
use crate::options::{GROUPS, OptionSpec, all};
use model::clip;
use std::collections::HashMap;
use std::sync::LazyLock;

/// Index of all options by name: the options in the table, the options that engines declare, and the caller's options.
pub(crate) struct Table<'a> {
    pub(crate) engines: &'a Engines,
    pub(crate) extra: &'a [OptionSpec],
}

static OURS: LazyLock<HashMap<&'static str, OptionSpec>> = LazyLock::new(|| {
    let ours = GROUPS.iter().flat_map(|group| group.options);
    ours.flat_map(|spec| spec.names().map(|name| (name, *spec))).collect()
});

impl Table<'_> {
    fn named(&self, name: &str) -> Option<OptionSpec> {
        let brought = || self.engines.options().find(|option| option.name == name).map(OptionSpec::of_engine);
        let extra = || self.extra.iter().find(|spec| spec.is_called(name)).copied();
        OURS.get(name).copied().or_else(brought).or_else(extra)
    }

    /// Iterates over all names and aliases, each with its option, in the order of the table.
    fn names(&self) -> impl Iterator<Item = (&'static str, OptionSpec)> {
        all(self.engines, self.extra).flat_map(|spec| spec.names().map(move |name| (name, spec)))
    }

    /// Returns the option with this exact name. `-` and `_` are equivalent.
    pub(super) fn exact(&self, name: &str) -> Option<OptionSpec> {
        self.named(name).or_else(|| self.named(&name.replace('_', "-"))).or_else(|| self.named(&name.replace('-', "_")))
    }

    /// Returns the command-line option with this exact name or unambiguous prefix.
    ///
    /// # Errors
    /// Returns an error if the name is unknown or ambiguous. The error contains the most similar name, or the
    /// candidates.
    pub(super) fn on_command_line(&self, name: &str) -> Result<OptionSpec, NameError> {
        if let Some(spec) = self.exact(name) {
            return Ok(spec);
        }
        let candidates: Vec<_> = self.names().filter(|(n, _)| n.starts_with(name)).collect();
        match candidates.first() {
            Some((_, first)) if candidates.iter().all(|(_, spec)| spec.name == first.name) => Ok(*first),
            Some(_) => {
                let first = candidates.iter().take(6).map(|(n, _)| *n).collect();
                Err(NameError::Ambiguous { name: clip(name), candidates: first, more: candidates.len() > 6 })
            }
            None => Err(self.unknown(name, true)),
        }
    }

    /// Returns the error for an unknown option. With `command`, it may suggest options that are valid only on the
    /// command line.
    pub(super) fn unknown(&self, name: &str, command: bool) -> NameError {
        let names = self.names().filter(|(_, spec)| command || !spec.command).map(|(n, _)| n);
        NameError::unknown_option(name, names)
    }
}
