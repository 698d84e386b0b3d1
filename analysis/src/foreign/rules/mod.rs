//! The table of rules: each entry has a text (title, explanation, remedy) and a function that finds its matches in the
//! files.

pub(super) mod contradictions;
mod interval;
mod label;
mod layers;
pub(super) mod limits;
mod origin;
mod plan;
mod samples;
pub(super) mod shape;
mod tools;
pub(super) mod touch;
pub(super) mod values;
pub(super) mod whole;

use super::rule::Rule;

/// Returns all rules, by subject.
pub(super) fn all() -> impl Iterator<Item = &'static Rule> {
    let tables: [&'static [Rule]; 15] = [
        whole::RULES,
        interval::RULES,
        touch::RULES,
        label::RULES,
        samples::RULES,
        limits::RULES,
        shape::RULES,
        values::RULES,
        contradictions::RULES,
        origin::RULES,
        plan::RULES,
        tools::perftools::RULES,
        tools::database::RULES,
        layers::RULES,
        tools::ioping::RULES,
    ];
    tables.into_iter().flatten()
}
