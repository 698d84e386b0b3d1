//! vdbench's report and its flat file.

pub(crate) mod flatfile;
pub(crate) mod report;
