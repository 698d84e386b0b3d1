//! A watch: its live lines and live view, and the formats for other tools.

mod csv;
pub mod dashboard;
mod html;
mod lines;
mod metrics;
mod processes;
#[cfg(test)]
pub(crate) mod testkit;

pub use csv::write_csv;
pub use html::{Wall, write_html};
pub use lines::PlainLines;
pub use metrics::{Totals, metric_names};
