//! What the engine of a job is handed by name.

use crate::options::JobOptions;
use model::OptionValue;

/// Options of the engine of a job that are not as by default; what was given for another engine is left out, and said
/// where options without effect are.
pub(super) fn engine_options(o: &JobOptions) -> Vec<(String, String)> {
    let e = &o.engine;
    let own = e.engine.options().iter().filter_map(|option| {
        let text = e.option(option.name)?;
        let directory = o.files.directories.first().filter(|_| option.value == OptionValue::Path);
        Some((option.name, directory.map_or_else(|| text.to_owned(), |d| d.join(text).display().to_string())))
    });
    let priorities = e.priorities().map(|text| ("cmdprio", text));
    let uncached = (e.direct && e.engine.server().is_some_and(|s| s.cached)).then(|| ("direct", "1".to_owned()));
    own.chain(priorities).chain(uncached).map(|(name, text)| (name.to_owned(), text)).collect()
}
