//! Estimates with confidence intervals.

use crate::Sentence;
use serde::{Deserialize, Serialize};

/// An estimate with a 95 % confidence interval, or the reason there is none.
///
/// The interval is for the mean over the measured time. It is computed from the windows of a step, or from the passes
/// if a level was run several times. Another run may differ by more.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Estimate {
    /// Estimated value.
    pub value: f64,
    /// Confidence interval, if there are enough independent samples.
    pub ci: Option<(f64, f64)>,
    /// Reason why there is no interval; empty if there is one.
    pub ci_missing: Sentence,
    /// Number of windows in the estimate.
    pub n: u64,
}
