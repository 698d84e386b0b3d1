//! What figures are held against: what the storage was sold as, what the user needs, what a watch raises an alarm about.

mod alert;
mod limit;
mod need;

pub use alert::*;
pub use limit::*;
pub use need::*;
