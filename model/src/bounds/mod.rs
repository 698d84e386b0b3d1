//! Bounds that figures are compared with: limits of the storage, needs of the user, alerts of a watch.

mod alert;
mod clause;
mod limit;
mod need;

pub use alert::*;
pub use clause::*;
pub use limit::*;
pub use need::*;
