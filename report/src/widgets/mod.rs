//! Building blocks of screens and documents: styled text, signs, the page, charts, the storage tree,
//! figures with their units, and cleaning of untrusted text.

pub(crate) mod chart;
pub(crate) mod digits;
pub(crate) mod escape;
pub(crate) mod figures;
pub(crate) mod ink;
pub(crate) mod page;
pub(crate) mod sanitise;
pub(crate) mod text;
