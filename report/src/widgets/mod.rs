//! What screens and documents are made of: text with a meaning, signs, the page it is written on, tables, charts, doubts,
//! the tree of the storage, figures with their units, and what foreign text may not do.

pub(crate) mod chart;
pub(crate) mod doubts;
pub(crate) mod escape;
pub(crate) mod figures;
pub(crate) mod ink;
pub(crate) mod page;
pub(crate) mod sanitise;
pub(crate) mod stack;
pub(crate) mod table;
pub(crate) mod text;
