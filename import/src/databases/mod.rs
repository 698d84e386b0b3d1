//! Benchmarks that ship with databases, what they count of themselves, and what the M scripts of `secchi db script` print.

pub(crate) mod hammerdb;
pub(crate) mod m_scripts;
pub(crate) mod pg_stat_io;
pub(crate) mod pg_test_fsync;
pub(crate) mod pgbench;
pub(crate) mod sysbench_fileio;
