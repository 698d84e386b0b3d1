//! Results of judging a record. Derived, never stored: `analysis` produces them, `report` prints them.

mod answer;
mod comparison;
mod database;
mod demand;
mod durability;
mod estimate;
mod foreign;
mod hydration;
mod judgement;
mod layers;
mod layouts;
mod metadata;
mod outcome;
mod purchase;
mod trend;
mod watch;

pub use answer::*;
pub use comparison::*;
pub use database::*;
pub use demand::*;
pub use durability::*;
pub use estimate::*;
pub use foreign::*;
pub use hydration::*;
pub use judgement::*;
pub use layers::*;
pub use layouts::*;
pub use metadata::*;
pub use outcome::*;
pub use purchase::*;
pub use trend::*;
pub use watch::*;
