//! secchi's own test files and directories: their location, creation and inspection.

pub(super) mod create;
pub(super) mod directory;
pub(super) mod inspect;
pub(super) mod joined;
