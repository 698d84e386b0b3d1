//! Selection of runs by ID, by `last`, or by a filter.

use anyhow::Result;
use cli::ChosenRuns;
use session::console::remark;
use session::exit::{self, coded};
use session::run_store::unread;
use store::{Filter, Now, RunSummary, Store};

/// Parses a filter from the command line.
pub fn filter(text: &str) -> Result<Filter> {
    filter_of(text).map_err(|reason| coded(exit::BAD_INPUT, format!("--where: {reason}")))
}

/// Parses a filter relative to the current time. The error is a clause, not a full sentence.
pub fn filter_of(text: &str) -> std::result::Result<Filter, String> {
    let now = jiff::Zoned::now();
    let instant = i64::try_from(now.timestamp().as_nanosecond()).unwrap_or(i64::MAX);
    Filter::parse(text, Now { instant, offset: now.offset().seconds() }).map_err(|e| e.to_string())
}

/// Returns the runs of a store, or those that match a filter, newest first. Prints remarks about the index.
pub fn listed(store: &Store, filter: Option<&Filter>) -> Result<Vec<RunSummary>> {
    let listing = match filter {
        Some(filter) => store.list_where(filter),
        None => store.list(),
    };
    let listing = listing.map_err(|e| coded(exit::CANNOT, e))?;
    listing.indexed.remark().into_iter().chain(listing.remarks).for_each(|text| remark(&text));
    Ok(listing.runs)
}

/// Returns the ID for a name: the beginning of an ID, `last`, `last-1`, or a tag.
pub fn find(store: &Store, typed: &str) -> Result<String> {
    store.find(typed).map_err(unread)
}

/// Returns the selected IDs without duplicates. All names are resolved before anything is done, so that a mistake in
/// the third name leaves the first two runs unchanged.
pub fn chosen(store: &Store, options: &ChosenRuns) -> Result<Vec<String>> {
    let mut ids: Vec<String> = Vec::new();
    for typed in &options.runs {
        ids.push(find(store, typed)?);
    }
    if let Some(text) = &options.filter {
        let named = std::mem::take(&mut ids);
        let meant = listed(store, Some(&filter(text)?))?.into_iter().map(|r| r.id);
        // If both names and a filter are given, take the named runs that match the filter.
        ids = meant.filter(|id| options.runs.is_empty() || named.contains(id)).collect();
    }
    let mut once: Vec<String> = Vec::new();
    for id in ids {
        if !once.contains(&id) {
            once.push(id);
        }
    }
    match once.is_empty() {
        true => Err(coded(exit::BAD_INPUT, "no run matches the filter")),
        false => Ok(once),
    }
}
