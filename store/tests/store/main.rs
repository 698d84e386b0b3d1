//! The store against real files, real processes and real signals.

#[path = "../../src/fixture.rs"]
#[expect(dead_code, reason = "the unit tests use more of it")]
mod fixture;

mod child;
#[cfg(feature = "postgres")]
#[expect(clippy::print_stderr, reason = "it tells figures")]
mod figures;
mod index;
mod kill;
mod labels;
mod places;
mod runs;
#[cfg(feature = "postgres")]
mod server;
#[cfg(feature = "postgres")]
mod team;
