//! Statistics of number series, independent of storage: precision of a mean, level changes, the knee of a ramp, and
//! tests that compare two samples.
//!
//! All functions are pure, and each documents its method and source. The rules that use them are in another crate
//! (`analysis`) because of build times: simulations call these functions thousands of times and need them optimised,
//! while the rules do not need optimisation.
//!
//! # Example
//!
//! ```
//! use statistics::{changes::change_points, series::spread};
//!
//! // Operations per second: 30 windows at about 3,000, then 30 windows at about 300.
//! let rates: Vec<f64> = (0..60_u32).map(|i| f64::from(i % 5) + if i < 30 { 3000.0 } else { 300.0 }).collect();
//! assert_eq!(change_points(&rates), [30]);
//!
//! // The mean of the first 30 windows, and the half-width of its 95 % interval.
//! let first = spread(&rates[..30]).expect("there are enough windows");
//! assert_eq!(first.mean, 3002.0);
//! assert!(first.half < 1.0);
//! ```

pub mod alternation;
pub mod changes;
pub mod proportion;
pub mod ramp;
pub mod rank;
pub mod series;
pub mod steady;
#[cfg(test)]
mod steady_shapes;
pub mod tail;
pub mod welch;
