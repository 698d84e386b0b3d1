//! Headings of the groups of options in help texts and manual pages.

/// What is measured: files, devices, sizes.
pub(super) const TARGET: &str = "Target";
/// Requests that are made: patterns, sizes, rates, durations.
pub(super) const WORKLOAD: &str = "Workload";
/// Limits to compare with and needs to check.
pub(super) const BOUGHT: &str = "What was bought and what is needed";
/// Bounds on writes, consent, timeouts.
pub(super) const SAFETY: &str = "Safety";
/// Block traces and their roles.
pub(super) const TRACE: &str = "Tracing";
/// Files, formats, language and the store of runs.
pub(super) const OUTPUT: &str = "Output";
