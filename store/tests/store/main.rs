//! The store against real files, real processes and real signals.

#[path = "../../src/fixture.rs"]
#[expect(dead_code, reason = "the unit tests use more of it")]
mod fixture;

mod child;
mod index;
mod kill;
mod places;
mod runs;
