//! Screens that do not show a single run: the plan before a run, its progress line, the list of runs, their trend,
//! comparisons, and the output of commands that show no run. Some can also be written as CSV or Markdown.

pub(crate) mod comparison;
pub(crate) mod layouts;
pub(crate) mod plan;
pub(crate) mod progress;
pub(crate) mod runs;
pub(crate) mod sheet;
pub(crate) mod trend;
