//! The table of rules: each entry has a text (what it is, why, what to do) and a function that finds what it is about in the files.

pub(super) mod contradictions;
mod interval;
mod label;
mod layers;
pub(super) mod limits;
mod plan;
mod samples;
pub(super) mod shape;
mod tools;
mod touch;
pub(super) mod values;
pub(super) mod whole;

use super::rule::Rule;

/// All rules, by subject.
pub(super) fn all() -> impl Iterator<Item = &'static Rule> {
    let tables: [&'static [Rule]; 14] = [
        whole::RULES,
        interval::RULES,
        touch::RULES,
        label::RULES,
        samples::RULES,
        limits::RULES,
        shape::RULES,
        values::RULES,
        contradictions::RULES,
        plan::RULES,
        tools::perftools::RULES,
        tools::database::RULES,
        layers::RULES,
        tools::ioping::RULES,
    ];
    tables.into_iter().flatten()
}
