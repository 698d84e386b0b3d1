//! Screens that are not of one run's record and judgement: the plan before a run, its progress line, the list of runs, their
//! trend, two sides compared, and sheets of commands that show no run. Some are written as CSV or Markdown, too.

pub(crate) mod comparison;
pub(crate) mod layouts;
pub(crate) mod plan;
pub(crate) mod progress;
pub(crate) mod runs;
pub(crate) mod sheet;
pub(crate) mod trend;
