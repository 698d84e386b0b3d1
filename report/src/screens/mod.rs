//! Screens that do not show a single run: the plan before a run, its progress line, the list of runs, their trend, and
//! the output of commands that show no run. Some can also be written as CSV.

pub(crate) mod group;
pub(crate) mod history;
pub(crate) mod plan;
pub(crate) mod progress;
pub(crate) mod rules;
