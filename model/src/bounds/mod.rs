//! Bounds that figures are compared with: limits of the storage, needs of the user, alerts of a watch.

mod alert;
mod limit;
mod need;

pub use alert::*;
pub use limit::*;
pub use need::*;
