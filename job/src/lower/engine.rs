//! Options that are passed by name to the engine of a job.

use crate::options::JobOptions;
use model::plan::OptionValue;

/// Returns the options of the job's engine that differ from their defaults. Options of other engines are left out. The
/// check for options that have no effect reports them.
pub(super) fn engine_options(o: &JobOptions) -> Vec<(String, String)> {
    let e = &o.engine;
    let engine_options = e.engine.options().iter().filter_map(|option| {
        let text = e.option(option.name)?;
        let directory = o.files.directories.first().filter(|_| option.value == OptionValue::Path);
        Some((option.name, directory.map_or_else(|| text.to_owned(), |d| d.join(text).display().to_string())))
    });
    let priorities = e.priorities().map(|text| ("cmdprio", text));
    let uncached = (e.direct && e.engine.server().is_some_and(|s| s.cached)).then(|| ("direct", "1".to_owned()));
    engine_options.chain(priorities).chain(uncached).map(|(name, text)| (name.to_owned(), text)).collect()
}
