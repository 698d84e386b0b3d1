//! The table of rules: each is one entry with what it looks at, what it says of itself, and what to do.

mod database;
mod interval;
mod label;
mod layers;
pub(super) mod limits;
mod perftools;
mod ping;
mod plan;
mod samples;
pub(super) mod shape;
mod touch;
pub(super) mod values;
pub(super) mod whole;

use super::rule::Rule;

/// All rules, by subject.
pub(super) fn all() -> impl Iterator<Item = &'static Rule> {
    let tables: [&'static [Rule]; 13] = [
        whole::RULES,
        interval::RULES,
        touch::RULES,
        label::RULES,
        samples::RULES,
        limits::RULES,
        shape::RULES,
        values::RULES,
        plan::RULES,
        perftools::RULES,
        database::RULES,
        layers::RULES,
        ping::RULES,
    ];
    tables.into_iter().flatten()
}
