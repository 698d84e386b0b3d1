//! Screens that do not show a single run: the progress line of a run, the history of a database,
//! and the output of commands that show no run. Some can also be written as CSV.

pub(crate) mod group;
pub(crate) mod history;
pub(crate) mod progress;
pub(crate) mod rules;
