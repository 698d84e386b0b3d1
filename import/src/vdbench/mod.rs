//! Outputs of vdbench: the report and the flat file.

pub(crate) mod flatfile;
pub(crate) mod report;
