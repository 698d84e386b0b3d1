//! Headings of the groups of options in help texts and manual pages.

/// Target of the measurement: files, devices, sizes.
pub(super) const TARGET: &str = "Target";
/// Requests: patterns, sizes, rates, durations.
pub(super) const WORKLOAD: &str = "Workload";
/// Limits to compare with and needs to check.
pub(super) const BOUGHT: &str = "Limits and needs";
/// Bounds on writes, consent, timeouts.
pub(super) const SAFETY: &str = "Safety";
/// Block traces and their roles.
pub(super) const TRACE: &str = "Tracing";
/// Files, formats, language and the store of runs.
pub(super) const OUTPUT: &str = "Output";
