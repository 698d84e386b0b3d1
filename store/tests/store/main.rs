//! Tests of the store with real files, processes and signals.

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
mod team;
mod upgrade;
